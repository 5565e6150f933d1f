//! The settings in force: compiled-in defaults, then `mcpproof.toml`, then `MCPPROOF_*`, then flags. Only this file reads the environment.

use crate::config::{self, Config};
use crate::drift::config::GateOptions;
use crate::failure::{About, Failure};
use crate::nearest::did_you_mean;
use crate::options::Options;
use checks::{Class, Profile};
use reports::Format;
use serde::Deserialize;
use specs::Revision;
use std::path::PathBuf;
use std::time::Duration;
use transport::shell_word;

/// The lowest layer.
const DEFAULTS: &str = include_str!("../default-config.toml");

/// The variable that names the catalog.
const CATALOG: &str = "MCPPROOF_CATALOG";
/// The variable that names the folder of the model.
const MODEL_DIR: &str = "MCPPROOF_MODEL_DIR";
/// The variables that name embedding endpoints, and the key of one.
const OLLAMA_URL: &str = "MCPPROOF_OLLAMA_URL";
const OPENAI_URL: &str = "MCPPROOF_OPENAI_URL";
const OPENAI_KEY: &str = "MCPPROOF_OPENAI_KEY";
/// Variables for search; they are no options of a check.
const OF_SEARCH: [&str; 5] = [CATALOG, MODEL_DIR, OLLAMA_URL, OPENAI_URL, OPENAI_KEY];

/// What fails a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Findings of this class and graver ones.
    Class(Class),
    /// No finding.
    Never,
}

impl FailOn {
    /// The mildest class that fails.
    pub(crate) const fn class(self) -> Option<Class> {
        match self {
            Self::Class(class) => Some(class),
            Self::Never => None,
        }
    }
}

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// Everything that is to be known for a check; nothing is missing any more.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Revisions to check; empty means all.
    pub revisions: Vec<Revision>,
    /// Names of checks to run; empty means all.
    pub only: Vec<String>,
    /// Names of checks to leave out.
    pub skip: Vec<String>,
    /// Profiles; empty means all.
    pub profiles: Vec<Profile>,
    /// What fails the run.
    pub fail_on: FailOn,
    /// Whether undecided checks fail the run.
    pub deny_unproven: bool,
    /// Files of accepted findings.
    pub baselines: Vec<PathBuf>,
    /// For one answer.
    pub timeout: Duration,
    /// For the first answer.
    pub start_timeout: Duration,
    /// For everything.
    pub run_timeout: Duration,
    /// Conversations at a time.
    pub jobs: usize,
    /// Bytes of a message.
    pub limit: usize,
    /// The reports to write, at most one of them to standard output.
    pub outputs: Vec<(Format, Sink)>,
    /// Whether standard output gets colours.
    pub color: bool,
    /// What was said by flags and by the environment, which a file does not repeat: `("timeout", "2s")`.
    pub given: Vec<(&'static str, String)>,
}

impl Settings {
    /// Merges the layers.
    pub(crate) fn load(config: &Config, flags: &Options, stdout_is_terminal: bool) -> Result<Self, Failure> {
        let defaults = toml::from_str(DEFAULTS).expect("a test reads the compiled-in settings");
        let layers = Layers([
            (Origin::Flag, flags.clone()),
            (Origin::Environment, environment(std::env::vars_os().filter_map(utf8))?),
            (Origin::File, config.check.clone()),
            (Origin::Default, defaults),
        ]);
        let mut settings = layers.resolve()?;
        let when = layers.pick("color", |o| o.color.as_ref());
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        settings.color = match when.value.as_str() {
            "always" => true,
            "never" => false,
            "auto" => stdout_is_terminal && !no_color,
            other => return Err(when.wrong(other, &["auto", "always", "never"])),
        };
        Ok(settings)
    }
}

impl Settings {
    /// The time for one answer, where the user said it for this command.
    pub(crate) fn timeout_said(&self) -> Option<Duration> {
        self.given.iter().any(|(key, _)| *key == "timeout").then_some(self.timeout)
    }

    /// Writes those of the options `keys` that were given, for a command that does the same again; each ends with a space.
    pub(crate) fn again(&self, keys: &[&str]) -> String {
        let given = self.given.iter().filter(|(key, _)| keys.contains(key));
        given.map(|(key, value)| format!("--{key} {} ", shell_word(value))).collect()
    }
}

/// Replaces each `${NAME}` in `text` by the environment variable.
pub(crate) fn expand(text: &str) -> Result<String, Failure> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after
            .split_once('}')
            .ok_or_else(|| Failure::usage(format!("`{text}` has `${{` without `}}`"), "write ${NAME}"))?;
        let value = std::env::var(name).map_err(|_| {
            let failure = Failure::usage(
                format!("environment variable `{name}` is not set"),
                "set it, or write the value",
            );
            Failure { about: About::Environment, ..failure }
        })?;
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The catalog that the environment names.
pub(crate) fn catalog() -> Option<PathBuf> {
    path(CATALOG)
}

/// The folder of the model that compares meanings.
pub(crate) fn model_folder() -> PathBuf {
    let data = || path("XDG_DATA_HOME").or_else(|| Some(path("HOME")?.join(".local/share")));
    let usual = || data().unwrap_or_default().join("mcpproof/models/all-MiniLM-L6-v2");
    path(MODEL_DIR).unwrap_or_else(usual)
}

/// What embedders need beside their names.
pub(crate) fn embedders(timeout: Option<Duration>) -> retrieval::embed::Settings {
    let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let openai_url = word(OPENAI_URL);
    // The key of OpenAI is for OpenAI; another endpoint gets only what is meant for it.
    let usual_key = || word("OPENAI_API_KEY").filter(|_| openai_url.is_none());
    retrieval::embed::Settings {
        model_dir: model_folder(),
        ollama_url: word(OLLAMA_URL),
        openai_key: word(OPENAI_KEY).or_else(usual_key),
        openai_url,
        threads: 1,
        // A model may have to be loaded first, which takes longer than an answer of a server.
        timeout: timeout.unwrap_or(Duration::from_secs(60)),
    }
}

fn path(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Tells whether the environment has the variable `name`.
pub(crate) fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

/// Tells whether the environment has the variable `name` with this value.
pub(crate) fn holds(name: &str, value: &str) -> bool {
    std::env::var(name).is_ok_and(|held| held == value)
}

/// Tells whether `program` is found on the PATH.
pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Tells whether this runs in CI, where goldens are compared and never written.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI")
        .is_some_and(|value| !["", "0", "false"].iter().any(|no| value.eq_ignore_ascii_case(no)))
}

fn utf8((name, value): (std::ffi::OsString, std::ffi::OsString)) -> Option<(String, String)> {
    Some((name.into_string().ok()?, value.into_string().ok()?))
}

/// Turns `MCPPROOF_FAIL_ON=should` into `fail-on = "should"`.
fn environment(variables: impl Iterator<Item = (String, String)>) -> Result<Options, Failure> {
    let mut table = toml::Table::new();
    for (name, value) in variables {
        if let Some(key) = name.strip_prefix("MCPPROOF_")
            && !key.starts_with("GATE_")
            && !OF_SEARCH.contains(&name.as_str())
        {
            table.insert(key.to_lowercase().replace('_', "-"), toml::Value::String(value));
        }
    }
    Options::deserialize(toml::Value::Table(table))
        .map_err(|error| config::toml_failure("environment, MCPPROOF_*", "", &error))
}

/// Turns `MCPPROOF_GATE_PROFILE=model` into a layer of the gate.
pub(crate) fn gate_environment() -> Result<GateOptions, Failure> {
    let variables = std::env::vars_os().filter_map(utf8);
    let keys =
        variables.filter_map(|(name, value)| Some((name.strip_prefix("MCPPROOF_GATE_")?.to_owned(), value)));
    let table =
        keys.map(|(key, value)| (key.to_lowercase().replace('_', "-"), toml::Value::String(value))).collect();
    GateOptions::deserialize(toml::Value::Table(table))
        .map_err(|error| config::toml_failure("environment, MCPPROOF_GATE_*", "", &error))
}

/// Writes how strict the gate was told to be, for a command that does the same again; each ends with a space.
pub(crate) fn gate_again(flags: &GateOptions) -> Result<String, Failure> {
    let environment = gate_environment()?;
    let profile = flags.profile.as_ref().or(environment.profile.as_ref()).map(|word| ("profile", word));
    let fail_on = flags.fail_on.as_ref().or(environment.fail_on.as_ref()).map(|word| ("fail-on", word));
    let given = profile.into_iter().chain(fail_on);
    Ok(given.map(|(key, word)| format!("--{key} {} ", shell_word(word))).collect())
}

/// Where a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Flag,
    Environment,
    File,
    Default,
}

impl Origin {
    fn name(self, key: &str) -> String {
        match self {
            Self::Flag => format!("--{key}"),
            Self::Environment => format!("MCPPROOF_{}", key.to_uppercase().replace('-', "_")),
            Self::File => format!("[check] {key} in mcpproof.toml"),
            Self::Default => format!("default {key}"),
        }
    }
}

/// A value and where it was written.
#[derive(Debug)]
struct Picked<'a, T> {
    value: &'a T,
    origin: Origin,
    name: String,
}

impl<T> Picked<'_, T> {
    /// The value in `words`, where it would be lost without being typed again.
    fn typed(&self, words: impl Fn(&T) -> String) -> Option<String> {
        matches!(self.origin, Origin::Flag | Origin::Environment).then(|| words(self.value))
    }

    fn wrong(&self, word: &str, known: &[&str]) -> Failure {
        let all = format!("one of {}", known.join(", "));
        let hint = did_you_mean(word, known.iter().copied(), &all);
        Failure::usage(format!("{}: `{word}` is not {all}", self.name), hint)
    }
}

/// The layers, uppermost first.
#[derive(Debug)]
struct Layers([(Origin, Options); 4]);

impl Layers {
    fn pick<'a, T>(&'a self, key: &str, get: impl Fn(&'a Options) -> Option<&'a T>) -> Picked<'a, T> {
        let mut found = self.0.iter().filter_map(|(origin, options)| Some((origin, get(options)?)));
        let (origin, value) = found.next().expect("a test sees every key in the defaults");
        Picked { value, origin: *origin, name: origin.name(key) }
    }

    fn resolve(&self) -> Result<Settings, Failure> {
        let deny = self.pick("deny", |o| o.deny.as_ref());
        if let Some(other) = deny.value.iter().find(|word| *word != "unproven") {
            return Err(deny.wrong(other, &["unproven"]));
        }
        Ok(Settings {
            revisions: revisions(&self.pick("revision", |o| o.revision.as_ref()))?,
            only: self.pick("only", |o| o.only.as_ref()).value.clone(),
            skip: self.pick("skip", |o| o.skip.as_ref()).value.clone(),
            profiles: profiles(&self.pick("profile", |o| o.profile.as_ref()))?,
            fail_on: fail_on(&self.pick("fail-on", |o| o.fail_on.as_ref()))?,
            deny_unproven: !deny.value.is_empty(),
            baselines: self
                .pick("baseline", |o| o.baseline.as_ref())
                .value
                .iter()
                .map(PathBuf::from)
                .collect(),
            timeout: duration(&self.pick("timeout", |o| o.timeout.as_ref()))?,
            start_timeout: duration(&self.pick("start-timeout", |o| o.start_timeout.as_ref()))?,
            run_timeout: duration(&self.pick("run-timeout", |o| o.run_timeout.as_ref()))?,
            jobs: number(&self.pick("jobs", |o| o.jobs.as_ref()), 1..=64)?,
            limit: number(&self.pick("limit", |o| o.limit.as_ref()), 1024..=1 << 30)?,
            outputs: outputs(&self.pick("format", |o| o.format.as_ref()))?,
            color: false,
            given: self.given(),
        })
    }

    /// What flags and the environment say, among that which changes a result.
    fn given(&self) -> Vec<(&'static str, String)> {
        let word =
            |key, get: fn(&Options) -> Option<&String>| (key, self.pick(key, get).typed(String::clone));
        let words = |key, get: fn(&Options) -> Option<&Vec<String>>| {
            (key, self.pick(key, get).typed(|words| words.join(",")))
        };
        let all = [
            words("revision", |o| o.revision.as_ref()),
            words("only", |o| o.only.as_ref()),
            words("skip", |o| o.skip.as_ref()),
            words("profile", |o| o.profile.as_ref()),
            word("fail-on", |o| o.fail_on.as_ref()),
            words("deny", |o| o.deny.as_ref()),
            word("timeout", |o| o.timeout.as_ref()),
            word("start-timeout", |o| o.start_timeout.as_ref()),
            word("run-timeout", |o| o.run_timeout.as_ref()),
            word("jobs", |o| o.jobs.as_ref()),
            word("limit", |o| o.limit.as_ref()),
        ];
        all.into_iter()
            .filter_map(|(key, value)| Some((key, value.filter(|value| !value.is_empty())?)))
            .collect()
    }
}

fn revisions(picked: &Picked<'_, Vec<String>>) -> Result<Vec<Revision>, Failure> {
    let known = Revision::ALL.map(Revision::as_str);
    picked.value.iter().map(|word| word.parse().map_err(|_| picked.wrong(word, &known))).collect()
}

fn profiles(picked: &Picked<'_, Vec<String>>) -> Result<Vec<Profile>, Failure> {
    let known = Profile::ALL.map(Profile::as_str);
    let find = |word: &String| Profile::ALL.into_iter().find(|profile| profile.as_str() == word);
    picked.value.iter().map(|word| find(word).ok_or_else(|| picked.wrong(word, &known))).collect()
}

fn fail_on(picked: &Picked<'_, String>) -> Result<FailOn, Failure> {
    match picked.value.as_str() {
        "must" | "violation" => Ok(FailOn::Class(Class::Violation)),
        "should" => Ok(FailOn::Class(Class::Should)),
        "interop" => Ok(FailOn::Class(Class::Interop)),
        "never" => Ok(FailOn::Never),
        other => Err(picked.wrong(other, &["must", "should", "interop", "never"])),
    }
}

/// Reads `10`, `2.5s`, `500ms` or `3m`.
fn duration(picked: &Picked<'_, String>) -> Result<Duration, Failure> {
    let text = picked.value.trim();
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0)];
    let unit = units.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let (digits, seconds) = unit.unwrap_or((text, 1.0));
    let parsed: Option<f64> = digits.trim().parse().ok();
    match parsed.map(|number| number * seconds) {
        Some(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(Failure::usage(
            format!("{}: `{text}` is no time between 0 and a day", picked.name),
            "write seconds or a unit: 10, 2.5s, 500ms, 3m",
        )),
    }
}

fn number(picked: &Picked<'_, String>, range: std::ops::RangeInclusive<usize>) -> Result<usize, Failure> {
    let parsed = picked.value.trim().parse().ok().filter(|number| range.contains(number));
    parsed.ok_or_else(|| {
        let error = format!("{}: `{}` is no whole number in range", picked.name, picked.value);
        Failure::usage(error, format!("from {} to {}", range.start(), range.end()))
    })
}

/// Text goes to standard output unless another format does.
fn outputs(picked: &Picked<'_, Vec<String>>) -> Result<Vec<(Format, Sink)>, Failure> {
    let known = Format::ALL.map(Format::as_str);
    let mut outputs = Vec::new();
    for word in picked.value {
        let (name, sink) = match word.split_once('=') {
            Some((name, file)) if !file.is_empty() => (name, Sink::File(file.into())),
            _ => (word.trim_end_matches('='), Sink::Stdout),
        };
        let format: Format = name.parse().map_err(|_| picked.wrong(name, &known))?;
        outputs.push((format, sink));
    }
    match outputs.iter().filter(|(_, sink)| *sink == Sink::Stdout).count() {
        0 => outputs.insert(0, (Format::Text, Sink::Stdout)),
        1 => {}
        _ => {
            let error = format!("{}: only one format can go to standard output", picked.name);
            return Err(Failure::usage(error, "send the others to files: --format junit=report.xml"));
        }
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(flags: Options, file: &str) -> Result<Settings, Failure> {
        let config = toml::from_str(file).expect("test settings parse");
        Settings::load(&config, &flags, false)
    }

    fn message(result: Result<Settings, Failure>) -> String {
        let failure = result.expect_err("must fail");
        format!("{} / {}", failure.error, failure.hint)
    }

    #[test]
    fn every_key_has_a_compiled_in_value() {
        let settings = load(Options::default(), "").expect("the defaults hold");
        assert_eq!(settings.timeout, Duration::from_secs(10));
        assert_eq!(settings.fail_on, FailOn::Class(Class::Violation));
        assert_eq!(settings.outputs, [(Format::Text, Sink::Stdout)]);
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_the_defaults() {
        let flags = Options { timeout: Some("500ms".into()), ..Options::default() };
        let settings = load(flags, "[check]\ntimeout = 3\njobs = 4\n").expect("valid");
        assert_eq!((settings.timeout, settings.jobs), (Duration::from_millis(500), 4));
    }

    #[test]
    fn what_no_file_repeats_can_be_typed_again() {
        let revision = Some(vec!["2025-06-18".to_owned(), "2025-11-25".to_owned()]);
        let flags = Options { timeout: Some("2 s".into()), revision, ..Options::default() };
        let settings = load(flags, "[check]\njobs = 4\n").expect("valid");
        assert_eq!(settings.again(&["timeout", "jobs"]), "--timeout '2 s' ");
        assert_eq!(settings.again(&["revision", "jobs"]), "--revision 2025-06-18,2025-11-25 ");
    }

    #[test]
    fn the_environment_is_a_layer_and_its_mistakes_are_named() {
        let of = |name: &str, value: &str| environment([(name.to_owned(), value.to_owned())].into_iter());
        assert_eq!(of("MCPPROOF_ONLY", "a, b").expect("valid").only, Some(vec!["a".into(), "b".into()]));
        let wrong = of("MCPPROOF_FAILON", "must").expect_err("unknown");
        assert!(wrong.hint.contains("`fail-on`"), "{}", wrong.hint);
    }

    #[test]
    fn a_wrong_value_is_told_with_its_place_and_the_nearest_right_one() {
        let flags = Options { fail_on: Some("shuold".into()), ..Options::default() };
        assert_eq!(
            message(load(flags, "")),
            "--fail-on: `shuold` is not one of must, should, interop, never / did you mean `should`?"
        );
        let file = "[check]\nrevision = [\"2025-06-17\"]\n";
        assert!(message(load(Options::default(), file)).contains("did you mean `2025-06-18`?"));
        let flags = Options { timeout: Some("soon".into()), ..Options::default() };
        assert!(message(load(flags, "")).contains("--timeout: `soon`"));
    }

    #[test]
    fn text_goes_to_standard_output_unless_another_format_does() {
        let outputs_of = |words: &[&str]| {
            let format = Some(words.iter().map(|word| (*word).to_owned()).collect());
            load(Options { format, ..Options::default() }, "").map(|settings| settings.outputs)
        };
        let with_file = outputs_of(&["junit=a.xml"]).expect("valid");
        assert_eq!(with_file, [(Format::Text, Sink::Stdout), (Format::Junit, Sink::File("a.xml".into()))]);
        assert_eq!(outputs_of(&["json"]).expect("valid"), [(Format::Json, Sink::Stdout)]);
        outputs_of(&["json", "text"]).expect_err("two on one stream");
    }

    #[test]
    fn variables_are_filled_in_and_missing_ones_told() {
        let path = std::env::var("PATH").expect("tests have a PATH");
        assert_eq!(expand("a ${PATH} b").expect("set"), format!("a {path} b"));
        expand("${MCP_NO_SUCH_VARIABLE}").expect_err("not set");
        expand("${PATH").expect_err("not closed");
    }
}
