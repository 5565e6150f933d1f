//! Rules about tools, prompts, resources and templates as such: which there are, and what tells them apart.

use crate::change::Severity::{Breaking, Compatible, None as Harmless, Risky};
use crate::rule::{Action, Area, Audience, Direction, Level, Mirror, Rule};

/// The table.
pub(crate) const RULES: &[&Rule] = &[
    &TOOL_REMOVED,
    &TOOL_RENAMED,
    &TOOLS_SWAPPED,
    &TOOL_ADDED,
    &TOOL_ADDED_DESTRUCTIVE,
    &TOOL_DUPLICATE_NAME,
    &TOOL_CONFUSABLE_NAME,
    &TOOL_SIMILAR_NAME,
    &TOOL_NAME_INVALID,
    &ORDER_CHANGED,
    &PROMPT_REMOVED,
    &PROMPT_RENAMED,
    &PROMPT_ADDED,
    &PROMPT_REQUIRED_ARGUMENT_ADDED,
    &PROMPT_ARGUMENT_ADDED,
    &PROMPT_ARGUMENT_NOW_REQUIRED,
    &PROMPT_ARGUMENT_NOW_OPTIONAL,
    &PROMPT_ARGUMENT_REMOVED,
    &PROMPT_ARGUMENT_RENAMED,
    &PROMPT_DESCRIPTION_CHANGED,
    &PROMPT_TITLE_CHANGED,
    &RESOURCE_REMOVED,
    &RESOURCE_ADDED,
    &RESOURCE_MOVED,
    &RESOURCE_MIME_CHANGED,
    &RESOURCE_NAME_CHANGED,
    &RESOURCE_DESCRIPTION_CHANGED,
    &RESOURCE_AUDIENCE_CHANGED,
    &RESOURCE_PRIORITY_CHANGED,
    &RESOURCE_VOLATILE_CHANGED,
    &TEMPLATE_REMOVED,
    &TEMPLATE_ADDED,
    &TEMPLATE_CHANGED,
    &TEMPLATE_VARIABLE_RENAMED,
    &TEMPLATE_WIDENED,
];

/// A name that is gone, which is the commonest break.
pub static TOOL_REMOVED: Rule = Rule {
    id: "tool-removed",
    area: Area::Items,
    direction: Direction::Neither,
    action: Action::Removed,
    audience: Audience::Caller,
    severity: Breaking,
    level: Level::Error,
    detects: "a tool that is no longer listed, and no other looks like its successor",
    fix: "keep it as an alias for one release, or say in its description first that it will go",
    explain: "Prompts, allow lists and recorded calls name the tool; each call to it now ends in an error.",
    mirror: Mirror::Rule("tool-added"),
    counterpart: None,
};

/// A removed and an added tool that are the same one.
pub static TOOL_RENAMED: Rule = Rule {
    id: "tool-renamed",
    action: Action::Changed,
    detects: "a tool that is gone while one with the same schema and text came",
    fix: "list both names until callers have moved",
    explain: "To a caller another name is another tool: calls under the old one fail, and approvals given to it are lost.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// Two names that stand for one another.
pub static TOOLS_SWAPPED: Rule = Rule {
    id: "tools-swapped",
    action: Action::Changed,
    severity: Risky,
    level: Level::Warn,
    detects: "two tools of which each is what the other was, words included, but for the name; what changed with them is told as well",
    fix: "put them back, or give both new names, so that a call fails instead of doing something else",
    explain: "A prompt or an approval that names one of them now means the other, and where both take the same arguments nothing tells so.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// A new name.
pub static TOOL_ADDED: Rule = Rule {
    id: "tool-added",
    action: Action::Added,
    severity: Compatible,
    level: Level::Info,
    detects: "a tool that was not listed before",
    fix: "refresh the lock, and look at what the longer list costs",
    explain: "Nothing that worked stops working, but the model has one more choice, and each conversation pays for it.",
    mirror: Mirror::Rule("tool-removed"),
    ..TOOL_REMOVED
};

/// A new name that says of itself that it does harm.
pub static TOOL_ADDED_DESTRUCTIVE: Rule = Rule {
    id: "tool-added-destructive",
    audience: Audience::User,
    severity: Risky,
    level: Level::Warn,
    detects: "a new tool whose hints say outright that it destroys or reaches out",
    fix: "make sure that hosts ask before they run it",
    explain: "Where a whole server is trusted, the new tool runs without anyone having looked at it.",
    mirror: Mirror::Waived("when it goes, it is a tool that goes"),
    ..TOOL_ADDED
};

/// Two items under one name.
pub static TOOL_DUPLICATE_NAME: Rule = Rule {
    id: "tool-duplicate-name",
    action: Action::Present,
    audience: Audience::Model,
    severity: Risky,
    level: Level::Error,
    detects: "an item that is listed more often than before",
    fix: "give each a name of its own",
    explain: "Hosts differ in which one they keep: the first, the last, or none because the list is refused.",
    mirror: Mirror::Waived("a doublet that goes makes the list unambiguous, and is told by the same rule"),
    ..TOOL_REMOVED
};

/// A name that looks like another.
pub static TOOL_CONFUSABLE_NAME: Rule = Rule {
    id: "tool-confusable-name",
    action: Action::Present,
    audience: Audience::Model,
    severity: Risky,
    level: Level::Error,
    detects: "a new name that looks like another one: letters of another script, `l` for `1`, accents",
    fix: "choose another name, and write it in ASCII",
    explain: "Whoever approves or chooses by name may take the wrong one; that is also how trusted tools are shadowed.",
    mirror: Mirror::Waived("a lookalike that goes is a tool that goes"),
    ..TOOL_REMOVED
};

/// A name that differs from another in case and separators only.
pub static TOOL_SIMILAR_NAME: Rule = Rule {
    id: "tool-similar-name",
    level: Level::Warn,
    detects: "a new name that is that of another tool in other case or with other separators, for a tool that is defined otherwise",
    fix: "give it the definition of the other one if it is an alias, else a name of its own",
    explain: "Models mix such names up, and hosts that fold case or replace separators let one of the two disappear.",
    ..TOOL_CONFUSABLE_NAME
};

/// A name that hosts may refuse.
pub static TOOL_NAME_INVALID: Rule = Rule {
    id: "tool-name-invalid",
    action: Action::Present,
    audience: Audience::Client,
    severity: Risky,
    level: Level::Warn,
    detects: "a new name that is empty, too long, or holds more than ASCII letters, digits, `_`, `-` and dots",
    fix: "use 1 to 128 ASCII letters, digits, `_`, `-` and dots",
    explain: "Model providers take names of these characters only, so hosts rename or drop the tool, each in its own way.",
    mirror: Mirror::Waived("a name that is put right is told as a rename"),
    ..TOOL_REMOVED
};

/// The same items in another order.
pub static ORDER_CHANGED: Rule = Rule {
    id: "order-changed",
    action: Action::Changed,
    audience: Audience::None,
    severity: Harmless,
    level: Level::Hidden,
    detects: "the same items in another order",
    fix: "sort the list in the server, so that prompt caches keep working",
    explain: "Order has no meaning in a list, but a list that comes in a new order each time spoils caches.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// A prompt that is gone.
pub static PROMPT_REMOVED: Rule = Rule {
    id: "prompt-removed",
    detects: "a prompt that is no longer listed, and no other looks like its successor",
    fix: "keep it for one release, and say in its description that it will go",
    explain: "Slash commands and scripts name the prompt; getting it now ends in an error.",
    mirror: Mirror::Rule("prompt-added"),
    ..TOOL_REMOVED
};

/// A removed and an added prompt that are the same one.
pub static PROMPT_RENAMED: Rule = Rule {
    id: "prompt-renamed",
    detects: "a prompt that is gone while one with the same arguments and text came",
    explain: "Whoever gets it by its old name is told that there is no such prompt.",
    ..TOOL_RENAMED
};

/// A new prompt.
pub static PROMPT_ADDED: Rule = Rule {
    id: "prompt-added",
    detects: "a prompt that was not listed before",
    fix: "nothing to do",
    explain: "There is more to choose from, and nothing that worked stops working.",
    mirror: Mirror::Rule("prompt-removed"),
    ..TOOL_ADDED
};

/// A new argument that must be given.
pub static PROMPT_REQUIRED_ARGUMENT_ADDED: Rule = Rule {
    id: "prompt-required-argument-added",
    action: Action::Narrowed,
    detects: "an argument that is new and required",
    fix: "make it optional, with a fallback in the server",
    explain: "Whoever gets the prompt as before does not send it, and is refused.",
    mirror: Mirror::Waived("when it goes, it is told as prompt-argument-removed"),
    ..TOOL_REMOVED
};

/// A new argument that may be given.
pub static PROMPT_ARGUMENT_ADDED: Rule = Rule {
    id: "prompt-argument-added",
    detects: "an argument that is new and optional",
    fix: "nothing to do",
    explain: "The prompt can be got as before.",
    mirror: Mirror::Rule("prompt-argument-removed"),
    ..TOOL_ADDED
};

/// An argument that must be given from now on.
pub static PROMPT_ARGUMENT_NOW_REQUIRED: Rule = Rule {
    id: "prompt-argument-now-required",
    action: Action::Narrowed,
    detects: "an argument that was optional and is required",
    fix: "keep it optional, with a fallback in the server",
    explain: "Whoever left it out is refused.",
    mirror: Mirror::Rule("prompt-argument-now-optional"),
    ..TOOL_REMOVED
};

/// An argument that need not be given any more.
pub static PROMPT_ARGUMENT_NOW_OPTIONAL: Rule = Rule {
    id: "prompt-argument-now-optional",
    action: Action::Widened,
    detects: "an argument that was required and is optional",
    fix: "nothing to do",
    explain: "Whoever gives it may go on giving it.",
    mirror: Mirror::Rule("prompt-argument-now-required"),
    ..TOOL_ADDED
};

/// An argument that is gone.
pub static PROMPT_ARGUMENT_REMOVED: Rule = Rule {
    id: "prompt-argument-removed",
    severity: Risky,
    level: Level::Warn,
    detects: "an argument that is no longer listed",
    fix: "take it for another release, and do nothing with it",
    explain: "No specification says what a server does with an argument it does not know: it may ignore it or refuse it.",
    mirror: Mirror::Rule("prompt-argument-added"),
    ..TOOL_REMOVED
};

/// An argument under another name.
pub static PROMPT_ARGUMENT_RENAMED: Rule = Rule {
    id: "prompt-argument-renamed",
    action: Action::Changed,
    detects: "an argument that is gone while one with the same text came",
    fix: "take both names",
    explain: "Arguments are given by name; the old one no longer arrives anywhere.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// Other words for a prompt or an argument of it.
pub static PROMPT_DESCRIPTION_CHANGED: Rule = Rule {
    id: "prompt-description-changed",
    action: Action::Changed,
    audience: Audience::User,
    severity: Risky,
    level: Level::Warn,
    detects: "other words in the description of a prompt or of one of its arguments",
    fix: "read the difference",
    explain: "People choose the prompt and fill in its arguments by these words.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// Another label of a prompt.
pub static PROMPT_TITLE_CHANGED: Rule = Rule {
    id: "prompt-title-changed",
    detects: "another title of a prompt or of one of its arguments",
    explain: "It is the name under which people know the prompt.",
    ..PROMPT_DESCRIPTION_CHANGED
};

/// A resource that is gone.
pub static RESOURCE_REMOVED: Rule = Rule {
    id: "resource-removed",
    detects: "a URI that is no longer listed, and no other looks like its successor",
    fix: "go on answering reads of the old URI",
    explain: "URIs are kept in notes, bookmarks and subscriptions; reading this one now fails.",
    mirror: Mirror::Rule("resource-added"),
    ..TOOL_REMOVED
};

/// A new resource.
pub static RESOURCE_ADDED: Rule = Rule {
    id: "resource-added",
    detects: "a URI that was not listed before",
    fix: "nothing to do",
    explain: "There is more to read, and nothing that worked stops working.",
    mirror: Mirror::Rule("resource-removed"),
    ..TOOL_ADDED
};

/// A resource under another URI.
pub static RESOURCE_MOVED: Rule = Rule {
    id: "resource-moved",
    action: Action::Changed,
    detects: "a URI that is gone while a resource of the same name and type came under another",
    fix: "go on answering reads of the old URI",
    explain: "The URI is the key: whoever kept the old one reads nothing.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// Other content.
pub static RESOURCE_MIME_CHANGED: Rule = Rule {
    id: "resource-mime-changed",
    direction: Direction::Output,
    action: Action::Changed,
    audience: Audience::Consumer,
    detects: "another media type of a resource or template",
    fix: "add a second resource for the new type",
    explain: "Readers that parse the old type get something else.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// Another label of a resource.
pub static RESOURCE_NAME_CHANGED: Rule = Rule {
    id: "resource-name-changed",
    detects: "another name or title of a resource or template",
    fix: "nothing to do when it is meant",
    explain: "The URI is the key, but people know the resource by its name.",
    ..PROMPT_DESCRIPTION_CHANGED
};

/// Other words for a resource.
pub static RESOURCE_DESCRIPTION_CHANGED: Rule = Rule {
    id: "resource-description-changed",
    detects: "other words in the description of a resource or template",
    explain: "People and models choose what to read by these words.",
    ..PROMPT_DESCRIPTION_CHANGED
};

/// Other readers.
pub static RESOURCE_AUDIENCE_CHANGED: Rule = Rule {
    id: "resource-audience-changed",
    audience: Audience::Model,
    detects: "another `annotations.audience` of a resource or template",
    fix: "make sure that the content may reach the model, or the person, it is now meant for",
    explain: "Hosts decide by it what goes into the context of the model and what is shown to people only.",
    ..PROMPT_DESCRIPTION_CHANGED
};

/// Another weight.
pub static RESOURCE_PRIORITY_CHANGED: Rule = Rule {
    id: "resource-priority-changed",
    severity: Compatible,
    level: Level::Info,
    detects: "another `annotations.priority` of a resource or template",
    fix: "nothing to do",
    explain: "Hosts that run out of room leave out what matters least, so another part may be left out.",
    ..RESOURCE_AUDIENCE_CHANGED
};

/// What moves by itself.
pub static RESOURCE_VOLATILE_CHANGED: Rule = Rule {
    id: "resource-volatile-changed",
    audience: Audience::None,
    severity: Harmless,
    level: Level::Hidden,
    detects: "another size or date of a resource",
    fix: "nothing to do",
    explain: "It belongs to the content of the day, not to what the server promises.",
    ..RESOURCE_AUDIENCE_CHANGED
};

/// A template that is gone.
pub static TEMPLATE_REMOVED: Rule = Rule {
    id: "template-removed",
    detects: "a URI template that is no longer listed, and no other looks like its successor",
    fix: "go on answering URIs of the old form",
    explain: "URIs built from it are no longer promised to be readable.",
    mirror: Mirror::Rule("template-added"),
    ..TOOL_REMOVED
};

/// A new template.
pub static TEMPLATE_ADDED: Rule = Rule {
    id: "template-added",
    detects: "a URI template that was not listed before",
    fix: "nothing to do",
    explain: "There is more to read, and nothing that worked stops working.",
    mirror: Mirror::Rule("template-removed"),
    ..TOOL_ADDED
};

/// A template that gives other URIs.
pub static TEMPLATE_CHANGED: Rule = Rule {
    id: "template-changed",
    action: Action::Changed,
    detects: "other literal parts, variables or operators in a URI template",
    fix: "list both forms, and answer both",
    explain: "URIs that were built from the old form do not fit the new one.",
    mirror: Mirror::Itself,
    ..TOOL_REMOVED
};

/// A template that gives the same URIs from other names.
pub static TEMPLATE_VARIABLE_RENAMED: Rule = Rule {
    id: "template-variable-renamed",
    severity: Risky,
    level: Level::Warn,
    detects: "other names of variables in a URI template that is otherwise the same",
    fix: "keep the names",
    explain: "The URIs are the same, but code that fills in by name and `completion/complete` use the names.",
    ..TEMPLATE_CHANGED
};

/// A template that gives more URIs.
pub static TEMPLATE_WIDENED: Rule = Rule {
    id: "template-widened",
    action: Action::Widened,
    detects: "a URI template that only got an optional query or fragment",
    fix: "nothing to do",
    explain: "URIs that were built from the old form are expansions of the new one as well.",
    mirror: Mirror::Waived("the way back is template-changed: URIs with the expression no longer fit"),
    ..TOOL_ADDED
};
