//! `mcpproof verify`: makes the calls of specs and holds the answers against reviewed ones.

use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::live::{self, Limits};
use crate::printer;
use crate::settings::{Settings, in_ci};
use crate::tape::{self, SPEC};
use crate::target::{self, Named, TargetArgs};
use crate::texts;
use specs::Revision;
use std::path::{Path, PathBuf};
use surface::cassette::{Golden, GoldenCall, Judged, Spec, Verdict, compare, in_lines};
use transport::{Client, Redactor};

/// How the files of golden answers end.
const GOLDEN: &str = ".golden.json";

const EXAMPLES: &str = "\
A spec is a TOML file NAME.spec.toml; its golden answers stand beside it in NAME.golden.json:
  compare = \"result\"        # or structuredContent, text, isError, schema-only; for all calls
  revision = \"2025-11-25\"   # optional; else the one that a handshake leads to

  [[call]]
  tool = \"forecast\"         # or prompt, resource = URI, or method and params
  name = \"in Berlin\"        # optional where the tool is called once
  arguments = { city = \"Berlin\" }
  compare = \"structuredContent\"
  redact = [{ at = \"/result/structuredContent/at\", with = \"<time>\" }]

Nothing is written without --accept, and in CI (CI=true) never. A missing golden answer, one that no
call uses, and one that differs fail the run.

Examples:
  mcpproof verify tests/*.spec.toml -- node server.js
  mcpproof verify --accept notes.spec.toml --target https://example.org/mcp
Exit codes: 0 all the same, 1 differences, 2 wrong usage, 3 could not run, 130 interrupted.";

/// What `verify` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("target", |arg| arg.long("target").help_heading("Server")),
    mut_arg("revision", |arg| arg.help("Speak this revision [default: that of the spec, or what a handshake leads to]")),
)]
pub(crate) struct VerifyArgs {
    /// Files NAME.spec.toml, or folders of them
    #[arg(value_name = "SPEC", required = true)]
    pub specs: Vec<PathBuf>,
    /// The server.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Take the answers of today as golden, after a look at what changes
    #[arg(long, help_heading = "Output")]
    pub accept: bool,
    /// How the server is asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// A spec and the golden answers beside it.
#[derive(Debug)]
struct Case {
    shown: String,
    spec: Spec,
    revision: Option<Revision>,
    golden_path: PathBuf,
    golden: Golden,
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<ExitStatus, Failure> {
    if args.accept && in_ci() {
        let hint = "accept on your machine, review the difference, and commit it";
        return Err(Failure::usage("--accept: in CI nothing is written (CI is set)", hint));
    }
    let config = config::read(args.target.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &ShowArgs::default())?;
    let (paths, orphans) = find(&args.specs)?;
    let cases = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let named = target::resolve(&args.target, &config)?;
    let Some(answers) = live::run(ask(&named, &cases, &settings))? else {
        return Ok(ExitStatus::Interrupted);
    };
    let mut fails = !orphans.is_empty();
    for (case, today) in cases.iter().zip(&answers) {
        let judged = compare(&case.golden, &today.calls);
        let changed = judged.iter().any(|one| one.verdict != Verdict::Same);
        printer::out(&report(case, &judged, args.accept));
        if args.accept && changed {
            write(&case.golden_path, today)?;
        }
        fails |= changed && !args.accept;
    }
    for orphan in &orphans {
        printer::out(&format!("unused   {}: no spec stands beside it\n", orphan.display()));
    }
    if fails {
        let hint = "look at what differs; `--accept` takes the answers of today as golden";
        printer::err(&format!("\nhint: {hint}\n"));
    }
    Ok(if fails { ExitStatus::Findings } else { ExitStatus::Clean })
}

/// Makes the calls of each case, each on a conversation of its own.
async fn ask(named: &Named, cases: &[Case], settings: &Settings) -> Result<Vec<Golden>, Failure> {
    let limits = Limits::from(settings);
    let mut all = Vec::new();
    for case in cases {
        let wanted = tape::wanted(case.revision.as_ref(), settings);
        let visited = live::visit(named, wanted, &limits, async |client: &mut Client, deadline| {
            tape::answers(client, &case.spec.calls, deadline).await
        });
        let exchanges = visited.await?.into_iter().next().map(|(_, exchanges)| exchanges).unwrap_or_default();
        let calls =
            case.spec.calls.iter().zip(&exchanges).map(|(call, exchange)| GoldenCall::of(call, exchange));
        all.push(without_secrets(Golden::of(calls.collect()), named)?);
    }
    Ok(all)
}

fn without_secrets(golden: Golden, named: &Named) -> Result<Golden, Failure> {
    let text = golden.render();
    Golden::parse(&Redactor::new(&named.secrets).text(&text)).map_err(|error| {
        let hint = "a value is nested too deeply, or a secret of this server is the name of a member";
        live::could_not_run(format!("the answers make no golden file: {error}"), hint)
    })
}

/// The specs that `given` names, and golden files in its folders that belong to none.
fn find(given: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let (mut specs, mut orphans) = (Vec::new(), Vec::new());
    for path in given {
        if !path.is_dir() {
            if !is_named(path, SPEC) {
                let hint = "a spec is named NAME.spec.toml";
                return Err(Failure::usage(format!("`{}` is no spec", path.display()), hint));
            }
            specs.push(path.clone());
            continue;
        }
        let cannot =
            |cause| Failure::file(format!("failed to read `{}`", path.display()), cause, "check the path");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path).map_err(cannot)? {
            files.push(entry.map_err(cannot)?.path());
        }
        files.sort();
        let found: Vec<_> = files.iter().filter(|file| is_named(file, SPEC)).cloned().collect();
        if found.is_empty() {
            let hint = "a spec is named NAME.spec.toml";
            return Err(Failure::usage(format!("no spec stands in `{}`", path.display()), hint));
        }
        let goldens: Vec<_> = found.iter().map(|spec| golden_path(spec)).collect();
        orphans.extend(files.into_iter().filter(|file| is_named(file, GOLDEN) && !goldens.contains(file)));
        specs.extend(found);
    }
    Ok((specs, orphans))
}

fn is_named(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
}

/// Where the golden answers of a spec stand.
fn golden_path(spec: &Path) -> PathBuf {
    let name = spec.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    spec.with_file_name(format!("{}{GOLDEN}", name.strip_suffix(SPEC).unwrap_or(&name)))
}

fn read(path: &Path) -> Result<Case, Failure> {
    let (spec, revision) = tape::read_spec(path)?;
    let golden_path = golden_path(path);
    let shown = golden_path.display().to_string();
    let golden = match texts::read(&golden_path) {
        Ok(text) => Golden::parse(&text).map_err(|error| tape::malformed(&shown, &error))?,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Golden::of(Vec::new()),
        Err(cause) => {
            return Err(Failure::file(format!("failed to read `{shown}`"), cause, "check the file"));
        }
    };
    Ok(Case { shown: path.display().to_string(), spec, revision, golden_path, golden })
}

fn write(path: &Path, golden: &Golden) -> Result<(), Failure> {
    std::fs::write(path, golden.render()).map_err(|cause| {
        let what = format!("failed to write `{}`", path.display());
        Failure::file(what, cause, "check the folder and its permissions")
    })?;
    printer::err(&format!("wrote {}\n", path.display()));
    Ok(())
}

/// Says of each call how its answer fits; of those that are the same only how many there are.
fn report(case: &Case, judged: &[Judged], accepts: bool) -> String {
    let calls = judged.iter().filter(|one| one.verdict != Verdict::Unused).count();
    let same = judged.iter().filter(|one| one.verdict == Verdict::Same).count();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut lines = vec![format!("{}: {calls} call{}, {same} as reviewed", case.shown, plural(calls))];
    for one in judged {
        let (word, more) = match &one.verdict {
            Verdict::Same => continue,
            Verdict::Differs(found) => ("differs", in_lines(found)),
            Verdict::Missing if accepts => ("new", Vec::new()),
            Verdict::Missing => ("missing", vec!["no golden answer has been reviewed".to_owned()]),
            Verdict::Unused if accepts => ("dropped", Vec::new()),
            Verdict::Unused => ("unused", vec!["no call of the spec has this name".to_owned()]),
        };
        lines.push(format!("  {word:8} {}", reports::plain(&one.name)));
        lines.extend(more.iter().map(|line| format!("      {}", reports::plain(line))));
    }
    lines.join("\n") + "\n"
}
