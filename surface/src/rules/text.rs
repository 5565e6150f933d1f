//! Rules about text that a model or a person reads.

use crate::change::Severity::{Compatible, Risky};
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &TOOL_DESCRIPTION_CHANGED,
    &TOOL_DESCRIPTION_ADDED,
    &TOOL_DESCRIPTION_REMOVED,
    &INPUT_DESCRIPTION_CHANGED,
    &OUTPUT_DESCRIPTION_CHANGED,
    &INSTRUCTIONS_CHANGED,
    &INSTRUCTIONS_ADDED,
    &INSTRUCTIONS_REMOVED,
    &TEXT_WHITESPACE_CHANGED,
    &TOOL_TITLE_CHANGED,
    &TOOL_TITLE_ADDED,
    &TEXT_HIDDEN_UNICODE,
    &TEXT_CONTROL_CHARACTERS,
    &TEXT_INJECTION_PATTERN,
    &TEXT_FOREIGN_TOOL_NAMED,
    &TEXT_URL_ADDED,
    &TEXT_ENCODED_BLOB_ADDED,
    &TEXT_GREW,
];

/// Other words for a tool.
pub static TOOL_DESCRIPTION_CHANGED: Rule = Rule {
    id: "tool-description-changed",
    area: Area::Text,
    direction: Direction::Neither,
    action: Action::Changed,
    audience: Audience::Model,
    severity: Risky,
    level: Level::Warn,
    detects: "other words in the description of a tool; layout and normalisation do not count",
    fix: "read the difference, and run again whatever measures which tool is chosen",
    explain: "The model chooses the tool by these words; one word more or less can turn their meaning round.",
    mirror: Mirror::Itself,
    counterpart: None,
};

/// First words for a tool.
pub static TOOL_DESCRIPTION_ADDED: Rule = Rule {
    id: "tool-description-added",
    action: Action::Added,
    detects: "a description of a tool that had none",
    explain: "The model now reads text that it did not read before.",
    mirror: Mirror::Rule("tool-description-removed"),
    ..TOOL_DESCRIPTION_CHANGED
};

/// No words for a tool any more.
pub static TOOL_DESCRIPTION_REMOVED: Rule = Rule {
    id: "tool-description-removed",
    action: Action::Removed,
    detects: "a tool that has no description any more",
    fix: "put it back",
    explain: "The model has nothing left but the name to choose the tool by.",
    mirror: Mirror::Rule("tool-description-added"),
    ..TOOL_DESCRIPTION_CHANGED
};

/// Other words for a parameter.
pub static INPUT_DESCRIPTION_CHANGED: Rule = Rule {
    id: "input-description-changed",
    direction: Direction::Input,
    detects: "other words in a description of the input schema, behind references too",
    fix: "read the difference",
    explain: "The model fills in the parameter by these words.",
    counterpart: Some(Mirror::Rule("output-description-changed")),
    ..TOOL_DESCRIPTION_CHANGED
};

/// Other words for a part of the result.
pub static OUTPUT_DESCRIPTION_CHANGED: Rule = Rule {
    id: "output-description-changed",
    direction: Direction::Output,
    detects: "other words in a description of the output schema, behind references too",
    fix: "read the difference",
    explain: "The values may mean something else now, and whoever reads them goes by these words.",
    counterpart: Some(Mirror::Rule("input-description-changed")),
    ..TOOL_DESCRIPTION_CHANGED
};

/// Other instructions of the server.
pub static INSTRUCTIONS_CHANGED: Rule = Rule {
    id: "instructions-changed",
    detects: "other words in the instructions of the server",
    fix: "read the difference",
    explain: "Hosts put the instructions into the system prompt, where they steer every answer.",
    ..TOOL_DESCRIPTION_CHANGED
};

/// First instructions of the server.
pub static INSTRUCTIONS_ADDED: Rule = Rule {
    id: "instructions-added",
    action: Action::Added,
    detects: "instructions of a server that had none",
    mirror: Mirror::Rule("instructions-removed"),
    ..INSTRUCTIONS_CHANGED
};

/// No instructions any more.
pub static INSTRUCTIONS_REMOVED: Rule = Rule {
    id: "instructions-removed",
    action: Action::Removed,
    detects: "a server that gives no instructions any more",
    explain: "The model loses the guidance it worked with.",
    mirror: Mirror::Rule("instructions-added"),
    ..INSTRUCTIONS_CHANGED
};

/// The same words in another layout.
pub static TEXT_WHITESPACE_CHANGED: Rule = Rule {
    id: "text-whitespace-changed",
    severity: Compatible,
    level: Level::Info,
    detects: "the same words with other white space, line ends or Unicode normalisation",
    fix: "nothing to do",
    explain: "The words are the same.",
    ..TOOL_DESCRIPTION_CHANGED
};

/// Another label of a tool.
pub static TOOL_TITLE_CHANGED: Rule = Rule {
    id: "tool-title-changed",
    audience: Audience::User,
    detects: "another title of a tool, or none any more",
    fix: "read the difference",
    explain: "It is the label by which people approve calls.",
    ..TOOL_DESCRIPTION_CHANGED
};

/// A first label of a tool.
pub static TOOL_TITLE_ADDED: Rule = Rule {
    id: "tool-title-added",
    action: Action::Added,
    severity: Compatible,
    level: Level::Info,
    detects: "a title of a tool that had none",
    mirror: Mirror::Waived("a title that goes is told as tool-title-changed: people see another label"),
    ..TOOL_TITLE_CHANGED
};

const GONE: Mirror = Mirror::Waived("that it goes is good news, and other words are told as such");

/// Characters that nobody sees.
pub static TEXT_HIDDEN_UNICODE: Rule = Rule {
    id: "text-hidden-unicode",
    action: Action::Present,
    level: Level::Error,
    detects: "invisible characters that came: tags, zero width, direction overrides, stray variation selectors",
    fix: "remove them, and find out how they got in",
    explain: "A model reads what a reviewer cannot see; whole orders can be written with such characters.",
    mirror: GONE,
    ..TOOL_DESCRIPTION_CHANGED
};

/// Characters that drive terminals.
pub static TEXT_CONTROL_CHARACTERS: Rule = Rule {
    id: "text-control-characters",
    detects: "control characters that came, as those of terminal escapes",
    explain: "In a terminal they hide or repaint what is around them, and some models read what they hide.",
    ..TEXT_HIDDEN_UNICODE
};

/// Words that command instead of describing.
pub static TEXT_INJECTION_PATTERN: Rule = Rule {
    id: "text-injection-pattern",
    detects: "words that came and read like orders to the model: secrecy, other tools, credentials, the conversation",
    fix: "say what the tool does instead; accept it by its fingerprint when it is meant",
    explain: "A description that gives orders works on every conversation the tool is listed in, called or not.",
    ..TEXT_HIDDEN_UNICODE
};

/// Advice on a tool of nobody here.
pub static TEXT_FOREIGN_TOOL_NAMED: Rule = Rule {
    id: "text-foreign-tool-named",
    level: Level::Warn,
    detects: "words that came and tell when to use, or not to use, a tool that the server does not have",
    fix: "name a tool of the server as it is spelt there, or say what is needed instead of which tool gives it",
    explain: "A model looks for the tool in vain, or finds one of another server under that name.",
    ..TEXT_HIDDEN_UNICODE
};

/// A place that was not named before.
pub static TEXT_URL_ADDED: Rule = Rule {
    id: "text-url-added",
    level: Level::Warn,
    detects: "a host in a URL that the old surface does not name",
    fix: "make sure that the host is yours, or one you trust",
    explain: "A model may follow the URL, or send something there.",
    ..TEXT_HIDDEN_UNICODE
};

/// Text that no one reads.
pub static TEXT_ENCODED_BLOB_ADDED: Rule = Rule {
    id: "text-encoded-blob-added",
    level: Level::Warn,
    detects: "a long run of base64 that came",
    fix: "say in words what it is, or remove it",
    explain: "Models decode such runs, reviewers do not.",
    ..TEXT_HIDDEN_UNICODE
};

/// A list that costs more.
pub static TEXT_GREW: Rule = Rule {
    id: "text-grew",
    action: Action::Widened,
    severity: Compatible,
    level: Level::Info,
    detects: "a list that is more than a fifth longer",
    fix: "shorten descriptions",
    explain: "Each conversation pays for the whole list, called or not.",
    mirror: Mirror::Waived("a shorter list is told by what went"),
    ..TOOL_DESCRIPTION_CHANGED
};
