//! `mcpproof check`: proofs a server and writes the reports.

use crate::args::CheckArgs;
use crate::baseline::{self, Baseline};
use crate::config;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::judge::judge;
use crate::outputs::Outputs;
use crate::printer;
use crate::progress::Progress;
use crate::runtime;
use crate::select::select;
use crate::settings::Settings;
use crate::target::{self, Named};
use checks::{Report, RunOptions};
use reports::{BaselineOutcome, Detail, RenderContext};
use transport::Transcript;

/// Columns of a text report, on a terminal and in a file alike.
const WIDTH: usize = 80;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = Settings::load(&config, &args.options, printer::stdout_is_terminal())?;
    let baseline = Baseline::read(&settings.baselines)?;
    let named = target::resolve(&args.target, &config)?;
    let options = run_options(&settings, args)?;
    let outputs = Outputs::open(&settings.outputs, args.transcript.as_deref())?;
    let Some(mut report) = proof(&named, &options)? else { return Ok(ExitStatus::Interrupted) };
    report.target.clone_from(&named.shown);
    let outcome = baseline.apply(&report, baseline::today());
    let status = judge(&report, &settings, &outcome);
    let ctx = context(args, &settings, &named, outcome, status);
    outputs.write_transcript(&options.transcript, &named.secrets)?;
    outputs.write_reports(&report, &ctx)?;
    Ok(status)
}

fn run_options(settings: &Settings, args: &CheckArgs) -> Result<RunOptions, Failure> {
    let transcript =
        if args.transcript.is_some() { Transcript::keep_everything() } else { Transcript::default() };
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
    let runtime = runtime::start()?;
    let report = runtime.block_on(async {
        tokio::select! {
            report = talk(named, options) => report.map(Some),
            () = runtime::interrupted() => {
                transport::kill_all_children();
                Ok(None)
            }
        }
    });
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    report
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

fn context(
    args: &CheckArgs,
    settings: &Settings,
    named: &Named,
    baseline: BaselineOutcome,
    status: ExitStatus,
) -> RenderContext {
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    };
    RenderContext {
        width: WIDTH,
        color: settings.color,
        detail,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target_args: named.args.clone(),
        fail_on: settings.fail_on.class(),
        deny_unproven: settings.deny_unproven,
        exit_code: status.code(),
        baseline,
    }
}
