//! Finds the surface that a word names: a file, standard input, a file of a git revision, or a live server.

use crate::capture;
use crate::config::Config;
use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::live;
use crate::nearest::did_you_mean;
use crate::settings::Settings;
use crate::target::{self, Named, TargetArgs};
use crate::texts;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use surface::Surface;

/// Where a surface comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A text, and the file that it was read from.
    Text { shown: String, text: String, path: Option<PathBuf> },
    /// A server to ask.
    Live(Box<Named>),
}

/// What each command says where its words are wrong.
pub(crate) const SYNTAX: &str = "a surface is a lockfile, a JSON file, `-` for standard input, git:REF:PATH, \
                                 http(s)://..., mock:NAME, a [server.NAME] of mcpproof.toml, or `-- COMMAND ARGS...`";

/// Reads what `word` names; a server is not asked yet.
pub(crate) fn find(word: &str, args: &TargetArgs, config: &Config) -> Result<Source, Failure> {
    if word == "-" {
        return stdin();
    }
    if let Some(rest) = word.strip_prefix("git:") {
        return git(word, rest);
    }
    let path = Path::new(word);
    // A repository often has a folder that is called like its server.
    let names_server = word.contains("://") || word.starts_with("mock:") || config.server.contains_key(word);
    if !names_server && path.exists() {
        return file(path);
    }
    if !names_server {
        let hint = if word.ends_with(".lock") {
            format!("write it first: mcpproof lock --output {word} TARGET")
        } else {
            did_you_mean(word, config.server.keys().map(String::as_str), SYNTAX)
        };
        return Err(Failure::usage(format!("no file and no server is named `{word}`"), hint));
    }
    let args = TargetArgs { target: Some(word.to_owned()), command: Vec::new(), ..args.clone() };
    live(&args, config)
}

/// What `args` name, be it a file or a server.
pub(crate) fn named(args: &TargetArgs, config: &Config) -> Result<Source, Failure> {
    match &args.target {
        Some(word) if args.command.is_empty() => find(word, args, config),
        _ => live(args, config),
    }
}

/// The server that `args` name.
pub(crate) fn live(args: &TargetArgs, config: &Config) -> Result<Source, Failure> {
    Ok(Source::Live(Box::new(target::resolve(args, config)?)))
}

/// Reads standard input.
pub(crate) fn stdin() -> Result<Source, Failure> {
    let text = texts::read_all(std::io::stdin()).map_err(|cause| {
        Failure::file("failed to read standard input".into(), cause, "give it UTF-8 text")
    })?;
    Ok(Source::Text { shown: "standard input".into(), text, path: None })
}

/// Reads the file at `path`.
pub(crate) fn file(path: &Path) -> Result<Source, Failure> {
    let shown = path.display().to_string();
    let text = texts::read(path)
        .map_err(|cause| Failure::file(format!("failed to read `{shown}`"), cause, "check the path"))?;
    Ok(Source::Text { shown, text, path: Some(path.to_owned()) })
}

/// Asks git for `REF:PATH`, which it reads from the top of the repository, or from here where it is `./PATH`.
fn git(word: &str, rest: &str) -> Result<Source, Failure> {
    let Some((reference, path)) =
        rest.split_once(':').filter(|(reference, path)| !reference.is_empty() && !path.is_empty())
    else {
        return Err(Failure::usage(
            format!("`{word}` is not git:REF:PATH"),
            "for instance git:main:mcp-surface.lock",
        ));
    };
    if reference.starts_with('-') {
        return Err(Failure::usage(
            format!("`{reference}` is no git revision"),
            "for instance git:main:mcp-surface.lock",
        ));
    }
    let spec = format!("{reference}:{path}");
    let asked = Command::new("git")
        .args(["--no-pager", "show", "--no-textconv", &spec])
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| {
            Failure::file("failed to start `git`".into(), cause, "install git, or name a file")
        })?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let said = said.lines().next().unwrap_or("git said nothing").trim_start_matches("fatal: ").to_owned();
        let hint = "paths start at the top of the repository; write ./PATH for one from here";
        return Err(Failure::usage(format!("{word}: {said}"), hint));
    }
    let text = String::from_utf8(asked.stdout)
        .map_err(|_| Failure::usage(format!("{word} is not UTF-8 text"), SYNTAX))?;
    Ok(Source::Text { shown: word.to_owned(), text, path: None })
}

impl Source {
    /// What the user calls it.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Text { shown, .. } => shown,
            Self::Live(named) => &named.shown,
        }
    }

    /// The arguments that name it again.
    pub(crate) fn args(&self) -> &str {
        match self {
            Self::Text { shown, .. } => shown,
            Self::Live(named) => &named.args,
        }
    }

    /// Reads the surface, from a server if need be. `None` means that the user interrupted it.
    pub(crate) fn surface(&self, settings: &Settings) -> Result<Option<Surface>, Failure> {
        match self {
            Self::Text { shown, text, .. } => parse(shown, text).map(Some),
            Self::Live(named) => live::run(capture::capture(named, settings)),
        }
    }
}

/// Reads a surface from `text`, which the user calls `shown`.
pub(crate) fn parse(shown: &str, text: &str) -> Result<Surface, Failure> {
    use surface::ReadError;
    use surface::lock::LockError;
    surface::read(text).map_err(|error| {
        let hint = match &error {
            ReadError::Incomplete { .. } => {
                "give a file with all pages in one list, or let mcpproof ask the server"
            }
            ReadError::Lock(LockError::Newer { .. }) => "update mcpproof, or lock again with this version",
            ReadError::Lock(LockError::Conflict { .. }) => {
                "resolve the merge, or take one side and run `mcpproof accept`"
            }
            ReadError::Lock(LockError::Hash { .. } | LockError::Whole { .. }) => {
                "take it back from git, or write it anew with `mcpproof lock --force`"
            }
            ReadError::Lock(_) => "restore it from git, or write it again with `mcpproof lock`",
            ReadError::Syntax { .. } | ReadError::Shape { .. } | ReadError::Empty => SYNTAX,
        };
        Failure {
            status: ExitStatus::Usage,
            about: About::Anything,
            error: anyhow::Error::msg(format!("{shown}: {error}")),
            hint: hint.to_owned(),
        }
    })
}
