//! The flags that all commands around the surface have.

use crate::config::Config;
use crate::failure::Failure;
use crate::options::Options;
use crate::printer;
use crate::settings::Settings;
use reports::Detail;

/// How a live server is asked.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct AskArgs {
    /// Ask in this revision only [default: every one the server speaks]
    #[arg(long, value_name = "DATE", value_delimiter = ',', help_heading = "Server")]
    pub revision: Option<Vec<String>>,
    /// How long one answer may take: 10, 2.5s, 500ms, 1m [default: 10s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub timeout: Option<String>,
    /// How long the first answer of a fresh server may take [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub start_timeout: Option<String>,
    /// How long asking one server may take [default: 150s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub run_timeout: Option<String>,
}

/// What is written, and how much of it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ShowArgs {
    /// text, json, junit, sarif, github or markdown, to standard output or `=FILE`; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]", help_heading = "Output")]
    pub format: Option<Vec<String>>,
    /// When to use colour: auto, always or never; NO_COLOR is honoured [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Output")]
    pub color: Option<String>,
    /// Only the verdict and one line per change
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Also what has no effect and what is accepted
    #[arg(long, short, help_heading = "Output")]
    pub verbose: bool,
}

impl ShowArgs {
    /// How much a text report tells.
    pub(crate) fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        }
    }
}

/// The options of these flags that change what is found, for `Settings::again`.
pub(crate) const ASKED: [&str; 4] = ["revision", "timeout", "start-timeout", "run-timeout"];

/// The settings in force for these flags; what they do not say comes from `[check]` and below.
pub(crate) fn settings(config: &Config, ask: &AskArgs, show: &ShowArgs) -> Result<Settings, Failure> {
    let options = Options {
        revision: ask.revision.clone(),
        timeout: ask.timeout.clone(),
        start_timeout: ask.start_timeout.clone(),
        run_timeout: ask.run_timeout.clone(),
        format: show.format.clone(),
        color: show.color.clone(),
        ..Options::default()
    };
    Settings::load(config, &options, printer::stdout_is_terminal())
}
