//! The arguments of the program as clap reads them.

use crate::commands::{
    accept, catalog, completions, diff, eval, explain, gate, init, list, lock, mock, model, pin, record,
    replay, schema, search, verify,
};
use crate::options::Options;
use crate::target::TargetArgs;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Proofs MCP servers against the specification, on the raw wire.
///
/// It talks to a server as its clients do, in every revision of the protocol that the server speaks,
/// and says what is wrong, where the rule stands, and what breaks in practice.
#[derive(Debug, Parser)]
#[command(name = "mcpproof", version, after_help = CLI_EXAMPLES, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const CLI_EXAMPLES: &str = "\
Examples:
  mcpproof check -- npx -y @modelcontextprotocol/server-everything
  mcpproof check https://example.org/mcp
  mcpproof check mock:flawed
  mcpproof init
  mcpproof gate
  mcpproof explain ping-answered

Exit codes:
  0  clean
  1  findings at or above --fail-on
  2  wrong usage or configuration
  3  could not run: the server is dead, speaks no revision asked for, or time ran out
  4  a budget was spent
  130  interrupted";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Proof a server: find the revisions it speaks and try every check in each
    Check(Box<CheckArgs>),
    /// Look at this repository, and write mcpproof.toml and the first lockfiles
    Init(Box<init::InitArgs>),
    /// Write the lockfile of a server: all that its clients see of it
    Lock(Box<lock::LockArgs>),
    /// Say what changed between two surfaces, and what that breaks
    Diff(Box<diff::DiffArgs>),
    /// Judge every server of mcpproof.toml, against the specification and against its lock
    Gate(Box<gate::GateArgs>),
    /// Take changes over into the lockfile, and say which
    Accept(Box<accept::AcceptArgs>),
    /// Say what a check or a requirement demands and what proves it, or what a drift rule means
    Explain(explain::ExplainArgs),
    /// List every check, every drift rule or every mock server
    List(list::ListArgs),
    /// Run a mock server, a good one or one with a fault
    Mock(mock::MockArgs),
    /// Write down what a server says, as a cassette
    Record(Box<record::RecordArgs>),
    /// Make the calls of specs and hold the answers against reviewed ones
    Verify(Box<verify::VerifyArgs>),
    /// Serve a cassette as a server
    Replay(replay::ReplayArgs),
    /// Find tools, prompts and resources by what somebody wants to do
    Search(Box<search::SearchArgs>),
    /// Keep what servers offer in one file that can be searched
    Catalog(Box<catalog::CatalogArgs>),
    /// Prefer entries in searches, or give them other names
    Pin(pin::PinArgs),
    /// Get, check or distill the model that compares meanings best
    Model(model::ModelArgs),
    /// Judge search on data: how often the right tool is found, and how fast
    Eval(eval::EvalArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print the JSON Schema of an output
    Schema(schema::SchemaArgs),
}

const CHECK_EXAMPLES: &str = "\
TARGET is one of:
  -- COMMAND ARGS...   a program that speaks MCP over stdin and stdout
  http(s)://...        a Streamable HTTP endpoint; with --sse, a legacy HTTP+SSE one
  mock:NAME            a built-in server (see `mcpproof list mocks`)
  NAME                 a [server.NAME] of mcpproof.toml

Examples:
  mcpproof check -- python server.py
  mcpproof check --only tools --revision 2025-11-25 -- python server.py
  mcpproof check --header 'Authorization: Bearer ...' https://example.org/mcp
  mcpproof check --format junit=report.xml --format github my-server
  mcpproof check --fail-on should --baseline accepted.toml -- node server.js

A baseline is a TOML file:
  [[accept]]
  check = \"tools-name-charset\"
  reason = \"renaming would break our users; planned for 2.0\"
  until = \"2026-12-31\"      # optional, the last day it holds
  revision = \"2025-11-25\"   # optional

Settings come from mcpproof.toml ([check]), then MCPPROOF_* (MCPPROOF_FAIL_ON=should), then flags.
Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 could not run, 130 interrupted.";

/// What `check` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The server.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Everything that a configuration may also say.
    #[command(flatten)]
    pub options: Options,
    /// Write every byte both ways, with times, as JSON lines; secrets are left out
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub transcript: Option<PathBuf>,
    /// Only the verdicts and one line per finding
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Also what passed, with times, and what did not apply, with reasons
    #[arg(long, short, help_heading = "Output")]
    pub verbose: bool,
}
