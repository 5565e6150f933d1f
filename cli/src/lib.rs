//! The command line of mcpproof: arguments, settings, output and exit codes. What a server does wrong is found in `checks`.

mod args;
mod baseline;
mod capture;
mod catalog;
mod commands;
mod config;
mod drift;
mod examples;
mod exit;
mod failure;
mod init;
mod judge;
mod live;
mod mistakes;
mod nearest;
mod options;
mod outputs;
pub mod pages;
mod printer;
mod progress;
mod redaction;
mod runtime;
mod secrets;
mod select;
mod settings;
mod shelf;
mod tape;
mod target;
mod texts;
mod workspace;

pub use exit::ExitStatus;

use args::{Cli, Command};
use clap::Parser;
use std::ffi::OsString;

/// Runs the program with `args`, the first of which is its own name, and says how it went.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<_> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(answer) => return printer::clap_answer(&answer, mistakes::without_dashes(&args, &answer)),
    };
    let done = match cli.command {
        Command::Check(args) => commands::check::run(&args),
        Command::Lock(args) => commands::lock::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::Gate(args) => commands::gate::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Accept(args) => commands::accept::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Catalog(args) => commands::catalog::run(&args),
        Command::Pin(args) => commands::pin::run(&args),
        Command::Model(args) => commands::model::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Mock(args) => commands::mock::run(&args),
        Command::Record(args) => commands::record::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
    };
    done.unwrap_or_else(|failure| {
        printer::failure(&failure);
        failure.status
    })
}
