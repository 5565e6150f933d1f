//! The parts of `mcpproof.toml` that set the gate: `[gate]`, `[rules]` and `[[allow]]`.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// How strict the gate is, as flags and as `[gate]`.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct GateOptions {
    /// How strict: calls, contract, model or exact [default: contract]
    #[arg(id = "gate_profile", long = "profile", value_name = "NAME", help_heading = "What fails the run")]
    pub profile: Option<String>,
    /// The mildest level that makes the exit code 1: error, warn, info or never [default: error]
    #[arg(id = "gate_fail_on", long = "fail-on", value_name = "LEVEL", help_heading = "What fails the run")]
    pub fail_on: Option<String>,
}

/// An accepted change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllowRow {
    /// The rule, or `*`.
    pub rule: Spanned<String>,
    /// A path with `*` for anything.
    #[serde(default)]
    pub path: String,
    /// One change.
    pub fingerprint: Option<String>,
    /// Why.
    pub reason: Spanned<String>,
    /// The last day on which it holds.
    pub until: Option<Spanned<String>>,
    /// Only for this [server.NAME].
    pub server: Option<Spanned<String>>,
}

/// Severities by rule: breaking, risky, compatible, none or off.
pub(crate) type RuleLevels = BTreeMap<Spanned<String>, Spanned<String>>;
