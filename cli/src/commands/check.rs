//! `mcpproof check`: proofs a server and writes the reports.

use crate::args::CheckArgs;
use crate::baseline::{self, Baseline};
use crate::config;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::judge::judge;
use crate::live;
use crate::outputs::Outputs;
use crate::printer;
use crate::progress::Progress;
use crate::redaction::redact;
use crate::select::select;
use crate::settings::Settings;
use crate::target::{self, Named};
use crate::workspace;
use checks::{Report, RunOptions};
use reports::{Detail, Invocation, RenderContext};
use transport::Transcript;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = Settings::load(&config, &args.options, printer::stdout_is_terminal())?;
    let baseline = Baseline::read(&settings.baselines)?;
    let named = target::resolve(&args.target, &config)?;
    let transcript =
        if args.transcript.is_some() { Transcript::keep_everything() } else { Transcript::default() };
    let options = run_options(&settings, transcript)?;
    let outputs = Outputs::open(&settings.outputs, args.transcript.as_deref())?;
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    let proofed = judged(&named, &settings, &options, &baseline, detail)?;
    let Some((report, ctx, status)) = proofed else { return Ok(ExitStatus::Interrupted) };
    outputs.write_transcript(&options.transcript, &named.secrets)?;
    outputs.write_reports(&report, &ctx)?;
    Ok(status)
}

fn run_options(settings: &Settings, transcript: Transcript) -> Result<RunOptions, Failure> {
    Ok(RunOptions {
        revisions: settings.revisions.clone(),
        checks: select(&settings.only, &settings.skip)?,
        profiles: settings.profiles.clone(),
        answer_within: settings.timeout,
        start_within: settings.start_timeout,
        run_within: settings.run_timeout,
        jobs: settings.jobs,
        limit: settings.limit,
        transcript,
    })
}

/// Talks to the server; nothing comes back when the user interrupts it.
fn proof(named: &Named, options: &RunOptions) -> Result<Option<Report>, Failure> {
    live::run(talk(named, options))
}

async fn talk(named: &Named, options: &RunOptions) -> Result<Report, Failure> {
    let target = match &named.http_mock {
        Some(name) => named.at(super::mock::serve_for_a_check(name.clone()).await?),
        None => named.target.clone(),
    };
    let progress = Progress::start();
    let report = checks::run(&target, options, &|event| progress.on(event)).await;
    progress.finish();
    Ok(report)
}

/// Proofs a server and judges what came out; nothing comes back when the user interrupts it.
fn judged(
    named: &Named,
    settings: &Settings,
    options: &RunOptions,
    baseline: &Baseline,
    detail: Detail,
) -> Result<Option<(Report, RenderContext, ExitStatus)>, Failure> {
    let Some(mut report) = proof(named, options)? else { return Ok(None) };
    report.target.clone_from(&named.shown);
    redact(&mut report, named);
    let outcome = baseline.apply(&report, baseline::today());
    let status = judge(&report, settings, &outcome);
    let ctx = RenderContext {
        width: printer::WIDTH,
        color: settings.color,
        detail,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        invocation: invocation(named, settings),
        fail_on: settings.fail_on.class(),
        deny_unproven: settings.deny_unproven,
        exit_code: status.code(),
        baseline: outcome,
        folder: workspace::folder(),
    };
    Ok(Some((report, ctx, status)))
}

/// Takes the command apart; what the settings of a file say is there again when it is repeated.
fn invocation(named: &Named, settings: &Settings) -> Invocation {
    Invocation {
        target: named.args.clone(),
        limits: settings.again(&["profile", "fail-on", "timeout", "start-timeout", "limit"]),
        choice: settings.again(&["revision", "only", "skip", "deny", "jobs"]),
        longer: (settings.run_timeout.as_secs() * 2).clamp(300, 86_400),
        hidden: named.hidden.clone(),
    }
}

/// Proofs a server for `gate`, which draws the report itself.
pub(crate) fn proofed(
    named: &Named,
    settings: &Settings,
    baseline: &Baseline,
    detail: Detail,
) -> Result<Option<(Report, RenderContext)>, Failure> {
    let options = run_options(settings, Transcript::default())?;
    Ok(judged(named, settings, &options, baseline, detail)?.map(|(report, ctx, _)| (report, ctx)))
}
