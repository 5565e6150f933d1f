//! Makes the policy of a gate from flags, the environment and `mcpproof.toml`, and names each mistake with its line.

use super::config::{AllowRow, GateOptions};
use crate::baseline;
use crate::config::Config;
use crate::failure::Failure;
use crate::nearest::did_you_mean;
use crate::settings;
use surface::policy::{Allow, Policy, Profile};
use surface::{Level, Severity};
use toml::Spanned;

/// The policy, and the level that makes the exit code 1; `None` means that nothing does.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    /// What is made of changes.
    pub policy: Policy,
    /// What fails.
    pub fail_on: Option<Level>,
}

/// Makes the gate for the server `name` of the configuration, or for one that stands in none.
pub(crate) fn gate(flags: &GateOptions, config: &Config, name: Option<&str>) -> Result<Gate, Failure> {
    let environment = settings::gate_environment()?;
    let layers =
        [("--", flags), ("MCPPROOF_GATE_*: ", &environment), ("[gate] in mcpproof.toml: ", &config.gate)];
    let pick = |get: fn(&GateOptions) -> Option<&String>| {
        layers.iter().find_map(|(origin, options)| Some((*origin, get(options)?.as_str())))
    };
    let profile = match pick(|options| options.profile.as_ref()) {
        None => Profile::default(),
        Some((origin, word)) => profile(origin, word)?,
    };
    let fail_on = match pick(|options| options.fail_on.as_ref()) {
        None => Some(Level::Error),
        Some((origin, word)) => fail_on(origin, word)?,
    };
    let rules =
        config.rules.iter().map(|(rule, word)| severity(config, rule, word)).collect::<Result<_, _>>()?;
    let for_us =
        |row: &AllowRow| row.server.as_ref().is_none_or(|server| Some(server.get_ref().as_str()) == name);
    // Those that are meant for others are read as well, since nobody else might find what is wrong with them.
    let read = |row| allow(config, row).map(|allow| for_us(row).then_some(allow)).transpose();
    let allow = config.allow.iter().filter_map(read).collect::<Result<_, _>>()?;
    // An entry without a match may be meant for another server; `gate` finds that out.
    let shared_allow = config.server.len() > 1;
    let policy = Policy { profile, rules, allow, shared_allow, today: baseline::today().to_string() };
    Ok(Gate { policy, fail_on })
}

fn profile(origin: &str, word: &str) -> Result<Profile, Failure> {
    let known = Profile::ALL.map(Profile::word);
    let found = Profile::ALL.into_iter().find(|profile| profile.word() == word);
    found.ok_or_else(|| unknown(&format!("{origin}profile"), word, &known))
}

fn fail_on(origin: &str, word: &str) -> Result<Option<Level>, Failure> {
    match word {
        "error" => Ok(Some(Level::Error)),
        "warn" => Ok(Some(Level::Warn)),
        "info" => Ok(Some(Level::Info)),
        "never" => Ok(None),
        _ => Err(unknown(&format!("{origin}fail-on"), word, &["error", "warn", "info", "never"])),
    }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Failure {
    let all = format!("one of {}", known.join(", "));
    Failure::usage(format!("{what}: `{word}` is not {all}"), did_you_mean(word, known.iter().copied(), &all))
}

fn severity(
    config: &Config,
    rule: &Spanned<String>,
    word: &Spanned<String>,
) -> Result<(String, Option<Severity>), Failure> {
    let id = known_rule(config, rule)?;
    let severity = match word.get_ref().as_str() {
        "breaking" => Some(Severity::Breaking),
        "risky" => Some(Severity::Risky),
        "compatible" => Some(Severity::Compatible),
        "none" => Some(Severity::None),
        "off" => None,
        other => {
            let place = config.place(word.span().start);
            return Err(unknown(
                &format!("{place}: [rules] {id}"),
                other,
                &["breaking", "risky", "compatible", "none", "off"],
            ));
        }
    };
    Ok((id, severity))
}

fn known_rule(config: &Config, rule: &Spanned<String>) -> Result<String, Failure> {
    let id = rule.get_ref();
    if surface::rule(id).is_some() {
        return Ok(id.clone());
    }
    let place = config.place(rule.span().start);
    let hint =
        did_you_mean(id, surface::all_rules().map(|rule| rule.id), "`mcpproof list rules` shows every rule");
    Err(Failure::usage(format!("{place}: no rule is named `{id}`"), hint))
}

fn allow(config: &Config, row: &AllowRow) -> Result<Allow, Failure> {
    let place = config.place(row.rule.span().start);
    let rule = match row.rule.get_ref().as_str() {
        "*" if row.path.is_empty() && row.fingerprint.is_none() => {
            let hint = "add a `path` or a `fingerprint`, or name a rule";
            return Err(Failure::usage(
                format!("{place}: an entry for rule `*` would accept everything"),
                hint,
            ));
        }
        "*" => "*".to_owned(),
        _ => known_rule(config, &row.rule)?,
    };
    if row.reason.get_ref().trim().is_empty() {
        let place = config.place(row.reason.span().start);
        return Err(Failure::usage(format!("{place}: an empty reason"), "say why the change is accepted"));
    }
    if let Some(fingerprint) = &row.fingerprint
        && (fingerprint.len() != 12 || !fingerprint.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')))
    {
        let hint = "copy the twelve hex digits that the report shows";
        return Err(Failure::usage(format!("{place}: `{fingerprint}` is no fingerprint"), hint));
    }
    if let Some(server) = &row.server
        && !config.server.contains_key(server.get_ref())
    {
        let place = config.place(server.span().start);
        let names = config.server.keys().map(String::as_str);
        let hint = did_you_mean(server.get_ref(), names, "name a [server.NAME] of the file");
        return Err(Failure::usage(format!("{place}: no server is named `{}`", server.get_ref()), hint));
    }
    let until = row.until.as_ref().map(|until| date(config, until)).transpose()?;
    let (path, fingerprint, reason) =
        (row.path.clone(), row.fingerprint.clone(), row.reason.get_ref().clone());
    Ok(Allow { rule, path, fingerprint, reason, until, place })
}

fn date(config: &Config, text: &Spanned<String>) -> Result<String, Failure> {
    let parsed: Result<jiff::civil::Date, _> = text.get_ref().parse();
    parsed.map(|date| date.to_string()).map_err(|_| {
        let place = config.place(text.span().start);
        Failure::usage(format!("{place}: `{}` is no date", text.get_ref()), "write it as 2026-12-31")
    })
}
