//! `mcpproof init`: looks at a repository, writes mcpproof.toml and the first lockfiles, and says what it did.

use crate::config::{self, Config};
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::drift::{lockfile, source};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::init::{self, Candidate, FILE, Found, Way};
use crate::printer;
use crate::settings::{self, Settings};
use crate::target::TargetArgs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use surface::Surface;

const EXAMPLES: &str = "\
Without a TARGET it looks at package.json, pyproject.toml, Cargo.toml, .mcp.json, .vscode/mcp.json and
.cursor/mcp.json. It starts what is there, installs and builds nothing, and writes over no file.
No secret is copied: values of variables and headers are written as ${NAME}.

Examples:
  mcpproof init
  mcpproof init -- node server.js
  mcpproof init https://example.org/mcp

Exit codes: 0 written, 2 nothing found or mcpproof.toml is there already, 3 TARGET does not answer.";

/// What `init` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// http(s)://... or mock:NAME [default: what the files here name]
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// A program to start, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<std::ffi::OsString>,
    /// The URL is a legacy HTTP+SSE endpoint
    #[arg(long, help_heading = "Server")]
    pub sse: bool,
    /// Send this header with each request; its value is not written down; repeatable
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Server")]
    pub header: Vec<String>,
    /// Add this variable to the environment of the command; its value is not written down; repeatable
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Server")]
    pub env: Vec<String>,
    /// How servers are asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Result<ExitStatus, Failure> {
    let settings = args::settings(&Config::default(), &args.ask, &ShowArgs::default())?;
    if args.target.is_some() || !args.command.is_empty() {
        return named(args, &settings);
    }
    let found = init::find(Path::new("."));
    refuse_to_overwrite(&found.candidates)?;
    if found.candidates.is_empty() {
        return Err(nothing(&found));
    }
    printer::out(&told(&found));
    write(&found.candidates)?;
    let config = config::read(None)?;
    let (mut locks, mut left) = (Vec::new(), Vec::new());
    for candidate in &found.candidates {
        match first_lock(candidate, &config, &settings)? {
            None => return Ok(ExitStatus::Interrupted),
            Some(Ok(path)) => locks.push(path),
            Some(Err(())) => left.push(candidate.name.as_str()),
        }
    }
    printer::out(&next(&found.candidates, &locks, &left));
    Ok(ExitStatus::Clean)
}

/// Sets up the one server that the user names. It has to answer, since a name may have a slip in it.
fn named(args: &InitArgs, settings: &Settings) -> Result<ExitStatus, Failure> {
    let mut candidate = candidate(args);
    // Found out before a server is started.
    refuse_to_overwrite(std::slice::from_ref(&candidate))?;
    let target = TargetArgs {
        target: args.target.clone(),
        command: args.command.clone(),
        sse: args.sse,
        header: args.header.clone(),
        env: args.env.clone(),
        ..TargetArgs::default()
    };
    let asked = source::live(&target, &Config::default())?;
    let Some(surface) = asked.surface(settings)? else { return Ok(ExitStatus::Interrupted) };
    candidate.name = init::key(&own_name(&surface));
    write(std::slice::from_ref(&candidate))?;
    let config = config::read(None)?;
    let path = lockfile::path(Some(&candidate.name), &config);
    let locked = lock(&candidate.name, &path, &surface)?;
    let locks: Vec<_> = locked.into_iter().collect();
    printer::out(&next(std::slice::from_ref(&candidate), &locks, &[]));
    Ok(ExitStatus::Clean)
}

/// The server of the arguments, with placeholders for what may be secret.
fn candidate(args: &InitArgs) -> Candidate {
    let way = match &args.target {
        None => Way::Command(args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()),
        Some(word) => match word.strip_prefix("mock:") {
            Some(mock) => Way::Mock(mock.to_owned()),
            None => Way::Url { url: word.clone(), sse: args.sse },
        },
    };
    let mut candidate = Candidate::new("server", "the command line", way);
    let names = |given: &[String], between| {
        let names =
            given.iter().filter_map(|pair| pair.split_once(between)).map(|(name, _)| name.trim().to_owned());
        names.map(|name| (name.clone(), init::variable_for(&name))).collect::<BTreeMap<_, _>>()
    };
    candidate.env = names(&args.env, '=');
    candidate.headers = names(&args.header, ':');
    for value in candidate.headers.values_mut() {
        value.make_ascii_uppercase();
    }
    init::without_secrets(candidate)
}

fn own_name(surface: &Surface) -> String {
    let info = surface.views.iter().find_map(|view| view.session.server_info.as_ref());
    info.and_then(|info| info.get("name")?.as_str()).unwrap_or("server").to_owned()
}

fn refuse_to_overwrite(candidates: &[Candidate]) -> Result<(), Failure> {
    if !Path::new(FILE).exists() {
        return Ok(());
    }
    let mut hint = "add servers to it by hand, then run `mcpproof lock NAME` for each".to_owned();
    if !candidates.is_empty() {
        hint.push_str(&format!("; this was found:\n\n{}", init::servers(candidates)));
    }
    Err(Failure::usage(format!("{FILE} is there already, and is not written over"), hint.trim_end()))
}

fn nothing(found: &Found) -> Failure {
    let mut text = "found no MCP server here".to_owned();
    for note in &found.notes {
        text.push_str(&format!("\n  {note}"));
    }
    if found.notes.is_empty() {
        text.push_str(
            ": no package.json, pyproject.toml, Cargo.toml, .mcp.json, .vscode/mcp.json or .cursor/mcp.json",
        );
    }
    Failure::usage(
        text,
        "name it: `mcpproof init -- node server.js` or `mcpproof init https://example.org/mcp`",
    )
}

/// Says what was found, and what led to nothing.
fn told(found: &Found) -> String {
    let width = found.candidates.iter().map(|candidate| candidate.name.len()).max().unwrap_or(0);
    let mut text = String::from("found\n");
    for candidate in &found.candidates {
        let way = match &candidate.way {
            Way::Command(words) => words.join(" "),
            Way::Url { url, .. } => url.clone(),
            Way::Mock(name) => format!("mock:{name}"),
        };
        let way = reports::plain(&way);
        text.push_str(&format!(
            "  {:width$}  {way}  ({})\n",
            candidate.name,
            reports::plain(&candidate.origin)
        ));
    }
    for note in &found.notes {
        text.push_str(&format!("  {:width$}  {}\n", "-", reports::plain(note)));
    }
    text
}

fn write(candidates: &[Candidate]) -> Result<(), Failure> {
    lockfile::write(Path::new(FILE), &init::settings(candidates))?;
    printer::out(&format!("wrote {FILE}\n"));
    Ok(())
}

/// Locks one server where that is possible. The error is told here; nothing comes back when the user interrupts it.
fn first_lock(
    candidate: &Candidate,
    config: &Config,
    settings: &Settings,
) -> Result<Option<Result<PathBuf, ()>>, Failure> {
    let name = &candidate.name;
    let not = |why: &str| {
        printer::out(&format!("not locked: {name}: {}\n", reports::plain(why)));
        Ok(Some(Err(())))
    };
    if let Some(reason) = init::reason_not_to_start(candidate, Path::new(".")) {
        return not(&reason);
    }
    let target = TargetArgs { target: Some(name.clone()), ..TargetArgs::default() };
    let asked = source::live(&target, config).and_then(|source| source.surface(settings));
    match asked {
        Ok(None) => Ok(None),
        Err(failure) => not(&printer::failure_line(&failure)),
        Ok(Some(surface)) => {
            let path = lockfile::path(Some(name), config);
            Ok(Some(lock(name, &path, &surface)?.ok_or(())))
        }
    }
}

/// Writes a lock where there is none.
fn lock(name: &str, path: &Path, surface: &Surface) -> Result<Option<PathBuf>, Failure> {
    let shown = path.display();
    if path.exists() {
        printer::out(&format!(
            "not locked: {name}: {shown} is there already; compare with `mcpproof gate {name}`\n"
        ));
        return Ok(None);
    }
    let lock = lockfile::render(surface);
    lockfile::write(path, &lock.text)?;
    let what = lockfile::summary(surface);
    printer::out(&format!("wrote {shown}: {name} has {what}, about {} tokens\n", lock.tokens));
    Ok(Some(path.to_owned()))
}

/// Says how to go on.
fn next(candidates: &[Candidate], locks: &[PathBuf], left: &[&str]) -> String {
    let mut text = String::from("\nnext\n");
    let names: BTreeSet<_> = candidates.iter().flat_map(Candidate::variables).collect();
    for name in names.iter().filter(|name| !settings::is_set(name)) {
        text.push_str(&format!("  export {name}=...    # {FILE} takes it from the environment\n"));
    }
    for name in left {
        text.push_str(&format!("  mcpproof lock {name}    # when it can be started\n"));
    }
    let files: Vec<_> = locks.iter().map(|path| path.display().to_string()).collect();
    text.push_str(&format!("  git add {}\n", [&[FILE.to_owned()], files.as_slice()].concat().join(" ")));
    text.push_str("  mcpproof gate    # what CI runs: each server against the specification and its lock\n");
    text
}
