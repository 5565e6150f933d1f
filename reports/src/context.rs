//! What a renderer needs to know beside the report. How it is found out is the caller's.

use crate::baseline::BaselineOutcome;
use crate::invocation::Invocation;
use checks::{Class, Finding, Report};
use specs::Revision;
use std::str::FromStr;

/// How much a text report tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The verdicts and one line per finding.
    Quiet,
    /// Everything that asks for action.
    #[default]
    Normal,
    /// Also what passed and what did not apply.
    Verbose,
}

/// The circumstances of a rendering.
#[derive(Clone, Debug)]
pub struct RenderContext {
    /// Columns of text.
    pub width: usize,
    /// True when ANSI colours may be used.
    pub color: bool,
    /// How much to tell.
    pub detail: Detail,
    /// Version of the program.
    pub version: String,
    /// The command that was run.
    pub invocation: Invocation,
    /// The mildest class that fails the run; none when nothing does.
    pub fail_on: Option<Class>,
    /// True when checks that could not be decided fail the run.
    pub deny_unproven: bool,
    /// What the process will exit with.
    pub exit_code: u8,
    /// What the baselines accept.
    pub baseline: BaselineOutcome,
    /// The folder of the run within its repository, as `sub/`; empty at the top.
    pub folder: String,
}

impl Default for RenderContext {
    fn default() -> Self {
        Self {
            width: 80,
            color: false,
            detail: Detail::Normal,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            invocation: Invocation::default(),
            fail_on: Some(Class::Violation),
            deny_unproven: false,
            exit_code: 0,
            baseline: BaselineOutcome::default(),
            folder: String::new(),
        }
    }
}

impl RenderContext {
    /// Tells whether `finding` fails the run.
    pub fn fails(&self, finding: &Finding) -> bool {
        self.fail_on.is_some_and(|mildest| finding.class <= mildest)
            && self.baseline.accepts(finding).is_none()
    }

    /// Writes the command that runs just the check `id` in `revision` again.
    pub fn reproduce(&self, id: &str, revision: Revision) -> String {
        self.invocation.reproduce(id, revision)
    }
}

/// A way to write a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For programs; see [`crate::SCHEMA`].
    Json,
    /// For the test views of CI servers.
    Junit,
    /// For code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// For comments and job summaries.
    Markdown,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Json, Self::Junit, Self::Sarif, Self::Github, Self::Markdown];

    /// The word used in options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Markdown => "markdown",
        }
    }

    /// Renders `report` this way; the result ends with a newline or is empty.
    pub fn render(self, report: &Report, ctx: &RenderContext) -> String {
        match self {
            Self::Text => crate::text::render(report, ctx),
            Self::Json => crate::json::render(report, ctx),
            Self::Junit => crate::junit::render(report, ctx),
            Self::Sarif => crate::sarif::render(report, ctx),
            Self::Github => crate::github::render(report, ctx),
            Self::Markdown => crate::markdown::render(report, ctx),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::as_str).join(", ");
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| format!("no format `{text}` ({names})"))
    }
}
