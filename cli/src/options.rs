//! The options of a check, each of which may be missing: as flags, as TOML, and as environment variables.

use serde::{Deserialize, Deserializer};

/// One layer of settings; what is missing is decided by the layer below.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Options {
    /// Check this revision only [default: every one the server speaks]
    #[arg(long, value_name = "DATE", value_delimiter = ',', help_heading = "What to check")]
    #[serde(deserialize_with = "words")]
    pub revision: Option<Vec<String>>,
    /// Run only these checks: ids, areas or classes
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "What to check")]
    #[serde(deserialize_with = "words")]
    pub only: Option<Vec<String>>,
    /// Leave these checks out: ids, areas or classes
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "What to check")]
    #[serde(deserialize_with = "words")]
    pub skip: Option<Vec<String>>,
    /// Whose limits become interop findings: openai, anthropic, claude-code, cursor [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "What to check")]
    #[serde(deserialize_with = "words")]
    pub profile: Option<Vec<String>>,
    /// The mildest class that makes the exit code 1: must, should, interop or never [default: must]
    #[arg(long, value_name = "CLASS", help_heading = "What fails the run")]
    #[serde(deserialize_with = "word")]
    pub fail_on: Option<String>,
    /// Let checks that could not be decided fail the run: unproven
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "What fails the run")]
    #[serde(deserialize_with = "words")]
    pub deny: Option<Vec<String>>,
    /// Accept the findings that this TOML file lists with a reason each
    #[arg(long, value_name = "FILE", help_heading = "What fails the run")]
    #[serde(deserialize_with = "words")]
    pub baseline: Option<Vec<String>>,
    /// How long one answer may take: 10, 2.5s, 500ms, 1m [default: 10s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    #[serde(deserialize_with = "word")]
    pub timeout: Option<String>,
    /// How long the first answer of a fresh server may take [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    #[serde(deserialize_with = "word")]
    pub start_timeout: Option<String>,
    /// How long everything may take [default: 150s]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    #[serde(deserialize_with = "word")]
    pub run_timeout: Option<String>,
    /// Conversations with the server at a time [default: 2]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    #[serde(deserialize_with = "word")]
    pub jobs: Option<String>,
    /// Longest message of the server [default: 16777216]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    #[serde(deserialize_with = "word")]
    pub limit: Option<String>,
    /// text, json, junit, sarif, github or markdown, to standard output or `=FILE`; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]", help_heading = "Output")]
    #[serde(deserialize_with = "words")]
    pub format: Option<Vec<String>>,
    /// When to use colour: auto, always or never; NO_COLOR is honoured [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Output")]
    #[serde(deserialize_with = "word")]
    pub color: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Whole(i64),
    Decimal(f64),
}

impl Word {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Whole(number) => number.to_string(),
            Self::Decimal(number) => number.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Many(Vec<String>),
    // Environment variables have no lists.
    Commas(String),
}

fn word<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let what = |_| serde::de::Error::custom("must be a string or a number");
    Word::deserialize(from).map(|word| Some(word.into_text())).map_err(what)
}

fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let what = |_| serde::de::Error::custom("must be a list of strings, or one string with commas");
    Words::deserialize(from).map_err(what).map(|words| match words {
        Words::Many(words) => Some(words),
        Words::Commas(text) => Some(text.split(',').map(|word| word.trim().to_owned()).collect()),
    })
}
