//! `mcpproof init`: looks at a repository, writes mcpproof.toml and the first lockfiles, and says what it did.

use crate::config::{self, Config, Server};
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
Without a TARGET it looks at the manifests of Node, Deno, Python, Rust and Go, at Python files
that make a server, at server.json and smithery.yaml, and at the settings of clients: .mcp.json,
.vscode/mcp.json, .cursor/mcp.json, mcp.json and claude_desktop_config.json.
It starts what is there, installs and builds nothing, and writes over no file.
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
    let config = config::read(None).unwrap_or_default();
    let is_new = |candidate: &&Candidate| !config.server.values().any(|server| is_same(candidate, server));
    let new: Vec<_> = candidates.iter().filter(is_new).cloned().collect();
    let mut parts = Vec::new();
    let without_lock = config.server.keys().filter(|name| !lockfile::path(Some(name), &config).exists());
    let commands: Vec<_> = without_lock.map(|name| format!("  mcpproof lock {name}\n")).collect();
    if !commands.is_empty() {
        parts.push(format!("write the locks that are missing:\n\n{}", commands.concat()));
    } else if !config.server.is_empty() && new.is_empty() {
        parts.push("its servers are locked; `mcpproof gate` compares them with their locks".to_owned());
    }
    if !new.is_empty() {
        let servers = init::further_servers(&new);
        parts.push(format!(
            "add servers to it by hand, then run `mcpproof lock NAME` for each; this was found:\n\n{servers}"
        ));
    }
    if parts.is_empty() {
        parts.push("add servers to it by hand, then run `mcpproof lock NAME` for each".to_owned());
    }
    let hint = parts.join("\n");
    Err(Failure::usage(format!("{FILE} is there already, and is not written over"), hint.trim_end()))
}

/// Tells whether the file has the server already.
fn is_same(candidate: &Candidate, server: &Server) -> bool {
    match &candidate.way {
        Way::Command(words) => server.command.as_ref() == Some(words),
        Way::Url { url, .. } => server.url.as_ref() == Some(url),
        Way::Mock(name) => server.mock.as_ref() == Some(name),
    }
}

fn nothing(found: &Found) -> Failure {
    let mut text = "found no MCP server here".to_owned();
    for note in &found.notes {
        text.push_str(&format!("\n  {note}"));
    }
    text.push_str(&format!("\n  not here: {}", found.absent.join(", ")));
    let hint = "name it: `mcpproof init -- node server.js` or `mcpproof init https://example.org/mcp`";
    Failure::usage(text, format!("{hint}; or write {FILE} yourself:\n\n{}", init::SKELETON.trim_end()))
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
        let why = without_name(name, why);
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

/// What failed, without the name of the server before it: that was said already.
fn without_name<'a>(name: &str, failure: &'a str) -> &'a str {
    failure.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(failure)
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
        let default = candidates.iter().find_map(|candidate| candidate.defaults.get(name));
        let (value, why) = match default {
            Some(value) => (transport::shell_word(value), "what it was where it was not set"),
            None => ("...".to_owned(), "mcpproof.toml takes it from the environment"),
        };
        text.push_str(&format!("  export {name}={value}    # {why}\n"));
    }
    for name in left {
        text.push_str(&format!("  mcpproof lock {name}    # when it can be started\n"));
    }
    let files: Vec<_> = locks.iter().map(|path| path.display().to_string()).collect();
    text.push_str(&format!("  git add {}\n", [&[FILE.to_owned()], files.as_slice()].concat().join(" ")));
    text.push_str("  mcpproof gate    # what CI runs: each server against the specification and its lock\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_does_not_say_the_name_of_the_server_twice() {
        for (failure, expected) in [
            ("n: cannot reach n: refused", "cannot reach n: refused"),
            ("cannot reach n: refused", "cannot reach n: refused"),
            ("nn: cannot reach nn", "nn: cannot reach nn"),
        ] {
            assert_eq!(without_name("n", failure), expected);
        }
    }
}
