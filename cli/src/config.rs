//! The file `mcpproof.toml`: defaults of the options, and servers by name.

use crate::drift::config::{AllowRow, GateOptions, RuleLevels};
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::options::Options;
use crate::texts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the file where none is given.
const NAME: &str = "mcpproof.toml";

/// All of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// Defaults for `check`.
    pub check: Options,
    /// How strict the gate is.
    pub gate: GateOptions,
    /// Other severities for single drift rules.
    pub rules: RuleLevels,
    /// Accepted changes of surfaces.
    pub allow: Vec<AllowRow>,
    /// How search goes.
    pub search: Search,
    /// Servers by name.
    pub server: BTreeMap<String, Server>,
    /// Where it was read; relative paths in it start here.
    #[serde(skip)]
    pub folder: PathBuf,
    /// How it is called, and its text, for the places of mistakes.
    #[serde(skip)]
    pub source: (String, String),
}

impl Config {
    /// Names the line on which byte `offset` stands, as `mcpproof.toml:12`.
    pub(crate) fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.source.0, line_of(&self.source.1, offset))
    }
}

/// How search goes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Search {
    /// A file with words that mean the same, besides those that everyone has.
    pub synonyms: Option<PathBuf>,
}

/// How a server is reached.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Server {
    /// Program and arguments.
    pub command: Option<Vec<String>>,
    /// Or an address.
    pub url: Option<String>,
    /// Or a built-in server, by its name without `mock:`.
    pub mock: Option<String>,
    /// The address is one of legacy HTTP+SSE; a mock is served over it.
    pub sse: bool,
    /// The mock is served over Streamable HTTP instead of stdio.
    pub http: bool,
    /// Variables added to the environment of the command.
    pub env: BTreeMap<String, String>,
    /// Working directory of the command.
    pub cwd: Option<PathBuf>,
    /// Headers of each request.
    pub headers: BTreeMap<String, String>,
    /// Its lockfile.
    pub lock: Option<PathBuf>,
    /// Its accepted findings of `check`, besides those of [check].
    pub baseline: Vec<PathBuf>,
}

/// Reads `given`, or `mcpproof.toml` of the working directory where there is one.
pub(crate) fn read(given: Option<&Path>) -> Result<Config, Failure> {
    let path = given.unwrap_or(Path::new(NAME));
    if given.is_none() && !path.exists() {
        return Ok(Config::default());
    }
    let (text, mut config) = read_toml_text::<Config>(path)?;
    config.source = (path.display().to_string(), text);
    config.folder = path.parent().map(Path::to_owned).unwrap_or_default();
    for baseline in config.check.baseline.iter_mut().flatten() {
        *baseline = config.folder.join(&*baseline).to_string_lossy().into_owned();
    }
    Ok(config)
}

/// Reads a TOML file; a mistake in it is told with its line and what was probably meant.
pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    read_toml_text(path).map(|(_, value)| value)
}

/// Reads a TOML file, and keeps its text.
fn read_toml_text<T: DeserializeOwned>(path: &Path) -> Result<(String, T), Failure> {
    let shown = path.display();
    let text = texts::read(path)
        .map_err(|cause| Failure::file(format!("failed to read `{shown}`"), cause, "check the path"))?;
    let value = toml::from_str(&text).map_err(|error| toml_failure(&shown.to_string(), &text, &error))?;
    Ok((text, value))
}

/// The line, counted from 1, on which byte `offset` of `text` stands.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

/// Says what is wrong in the TOML `text` of `file`.
pub(crate) fn toml_failure(file: &str, text: &str, error: &toml::de::Error) -> Failure {
    let line = error.span().map_or(String::new(), |span| format!(", line {}", line_of(text, span.start)));
    let at = error.span().map_or("", |span| line_text(text, span.start));
    if at.split('=').next().is_some_and(|key| key.trim() == "until")
        && error.message().contains("invalid type")
    {
        let value =
            at.split_once('=').map_or("", |(_, value)| value.split('#').next().unwrap_or_default().trim());
        let error = format!("{file}{line}: `until` is a text, and {value} is none");
        return Failure::usage(error, format!("put it in quotes: until = \"{value}\""));
    }
    Failure::usage(format!("{file}{line}: {}", error.message().trim()), toml_hint(error.message()))
}

/// The line on which byte `offset` of `text` stands.
fn line_text(text: &str, offset: usize) -> &str {
    text.lines().nth(line_of(text, offset) - 1).unwrap_or_default()
}

/// Names the known key that is most like the unknown one.
fn toml_hint(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    if !message.starts_with("unknown field") {
        return "the README and the --help of the command show the form; or remove the entry".to_owned();
    }
    let unknown = names.next().unwrap_or_default();
    let known: Vec<_> = names.collect();
    match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", known.join(", ")),
    }
}
