//! What a comparison says: changes with their severity and their witness. Whether one fails a gate is for the policy to say.

use crate::rule::Rule;
use serde_json::Value;

/// How bad a change is for whom it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing that anyone could notice.
    None,
    /// Whoever works today works tomorrow.
    Compatible,
    /// It cannot be decided, or a model or a person reads it.
    Risky,
    /// A call, a reader or a client that works today fails tomorrow.
    Breaking,
}

impl Severity {
    /// The word for it in reports and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Compatible => "compatible",
            Self::Risky => "risky",
            Self::Breaking => "breaking",
        }
    }
}

/// A value that one of two schemas takes and the other refuses; proves a change. Both verdicts come from the `jsonschema` crate.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The value: the arguments of a call, or a structured result.
    pub instance: Value,
    /// Whether the old schema takes it.
    pub before: bool,
    /// Whether the new schema takes it.
    pub after: bool,
}

/// What is said of a witness that is left out, since others have used up the room for them.
const LEFT_OUT: &str = "; a value that shows it was found and is left out here, where there are many as long";

impl Witness {
    /// How many bytes its texts have together, names of members aside.
    pub(crate) fn bulk(&self) -> usize {
        let (mut bulk, mut left) = (0, vec![&self.instance]);
        while let Some(value) = left.pop() {
            match value {
                Value::String(text) => bulk += text.len(),
                Value::Array(items) => {
                    bulk += items.len();
                    left.extend(items);
                }
                Value::Object(members) => left.extend(members.values()),
                _ => {}
            }
        }
        bulk
    }
}

/// One thing that changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is here; mostly that of the rule.
    pub severity: Severity,
    /// Where, as a JSON pointer into the surface: `/tools/search/inputSchema/properties/limit`.
    pub path: String,
    /// What happened, in one sentence without a full stop.
    pub message: String,
    /// What stood there.
    pub before: Option<Value>,
    /// What stands there now.
    pub after: Option<Value>,
    /// The call that used to work, or the result that may now come.
    pub witness: Option<Witness>,
    /// In which revisions; empty where there is only one view.
    pub revisions: Vec<String>,
}

impl Change {
    /// Leaves the witness out where there is no `room` for it, and takes from the room where there is.
    pub(crate) fn within(mut self, room: &mut usize) -> Self {
        let bulk = self.witness.as_ref().map_or(0, Witness::bulk);
        match room.checked_sub(bulk) {
            Some(left) => *room = left,
            None => {
                self.witness = None;
                self.message.push_str(LEFT_OUT);
            }
        }
        self
    }

    /// Makes a change of the severity that `rule` has by default. It has no values and no witness yet.
    pub fn of(rule: &'static Rule, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            path: path.into(),
            message: message.into(),
            before: None,
            after: None,
            witness: None,
            revisions: Vec::new(),
        }
    }

    /// Sets another severity.
    #[must_use]
    pub fn as_bad_as(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Adds what stood and what stands there.
    #[must_use]
    pub fn from_to(self, before: Option<&Value>, after: Option<&Value>) -> Self {
        Self { before: before.cloned(), after: after.cloned(), ..self }
    }

    /// Adds the proof.
    #[must_use]
    pub fn proven_by(self, witness: Option<Witness>) -> Self {
        Self { witness, ..self }
    }
}

/// All that changed between two surfaces, worst first, then by path and rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    /// The changes, harmless ones included.
    pub changes: Vec<Change>,
}

impl Diff {
    /// The worst severity; nothing changed is `None`.
    pub fn verdict(&self) -> Severity {
        self.changes.iter().map(|change| change.severity).max().unwrap_or(Severity::None)
    }
}

/// Appends `token` to a JSON pointer (RFC 6901), escaped.
pub fn pointer(base: &str, token: &str) -> String {
    format!("{base}/{}", token.replace('~', "~0").replace('/', "~1"))
}
