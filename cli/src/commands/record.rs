//! `mcpproof record`: writes down what a server says, as a cassette.

use crate::config;
use crate::drift::args::{self, AskArgs, ShowArgs};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::live::{self, Wanted};
use crate::target::{self, TargetArgs};
use crate::{printer, tape};
use specs::Revision;
use std::path::PathBuf;
use surface::cassette::{Cassette, Conversation};
use transport::{Client, Redactor};

const EXAMPLES: &str = "\
Without a spec it records how the server introduces itself and all its lists, in every revision it
speaks; no tool is called. With a spec it also makes the calls of the spec, in the revision of the spec
or the one a handshake leads to. `mcpproof replay` serves what was recorded.

Examples:
  mcpproof record --output notes.cassette.json -- node server.js
  mcpproof record --spec notes.spec.toml -o notes.cassette.json https://example.org/mcp";

/// What `record` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// The server.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Make the calls of this file too
    #[arg(long, value_name = "FILE.spec.toml", help_heading = "What to record")]
    pub spec: Option<PathBuf>,
    /// Where to write [default: standard output]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// How the server is asked.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// Runs the command.
pub(crate) fn run(args: &RecordArgs) -> Result<ExitStatus, Failure> {
    let config = config::read(args.target.config.as_deref())?;
    let settings = args::settings(&config, &args.ask, &ShowArgs::default())?;
    let spec = args.spec.as_deref().map(tape::read_spec).transpose()?;
    let named = target::resolve(&args.target, &config)?;
    let (calls, revision) = spec.map_or((Vec::new(), None), |(spec, revision)| (spec.calls, revision));
    let wanted = match args.spec {
        None if settings.revisions.is_empty() => Wanted::Spoken,
        _ => tape::wanted(revision.as_ref(), &settings),
    };
    let limits = (&settings).into();
    let recorded = live::run(live::visit(&named, wanted, &limits, async |client: &mut Client, deadline| {
        tape::conversation(client, &calls, deadline).await
    }))?;
    let Some(recorded) = recorded else { return Ok(ExitStatus::Interrupted) };
    let cassette = Cassette::of(recorded.into_iter().map(in_revision).collect());
    let text = cassette.render();
    let text = Redactor::new(&named.secrets).text(&text).into_owned();
    Cassette::parse(&text).map_err(|error| {
        let hint = "a value is nested too deeply, or a secret of this server is the name of a member";
        live::could_not_run(format!("what the server says makes no cassette: {error}"), hint)
    })?;
    let Some(path) = &args.output else {
        printer::out(&text);
        return Ok(ExitStatus::Clean);
    };
    std::fs::write(path, text).map_err(|cause| {
        let what = format!("failed to write `{}`", path.display());
        Failure::file(what, cause, "check the folder and its permissions")
    })?;
    printer::err(&format!("{}\nwrote {}\n", summary(&cassette), path.display()));
    Ok(ExitStatus::Clean)
}

fn in_revision((revision, conversation): (Revision, Conversation)) -> Conversation {
    Conversation { revisions: vec![revision.to_string()], ..conversation }
}

fn summary(cassette: &Cassette) -> String {
    let parts = cassette.conversations.iter().map(|one| {
        let exchanges = one.exchanges.len();
        let s = if exchanges == 1 { "" } else { "s" };
        format!("{exchanges} exchange{s} in {}", one.revisions.join(", "))
    });
    format!("recorded {}", parts.collect::<Vec<_>>().join("; "))
}
