//! What a client sees of a server, as data. How it is read stands elsewhere.

use serde_json::{Map, Value};

/// A list that a server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `tools/list`.
    Tool,
    /// `prompts/list`.
    Prompt,
    /// `resources/list`.
    Resource,
    /// `resources/templates/list`.
    Template,
}

impl Kind {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Prompt, Self::Resource, Self::Template];

    /// The word for one item, as `tool`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Template => "template",
        }
    }

    /// The member of a list result that holds the items, as `resourceTemplates`.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
        }
    }

    /// The member of an item that tells it from the others.
    pub const fn identity(self) -> &'static str {
        match self {
            Self::Tool | Self::Prompt => "name",
            Self::Resource => "uri",
            Self::Template => "uriTemplate",
        }
    }
}

/// A tool, prompt, resource or template, whole as the server sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What tells it from the others: its name, URI or URI template. Not unique: a server may list one twice.
    pub id: String,
    /// All that the server said of it.
    pub definition: Value,
}

/// What the server said of itself when the conversation was opened. A member that the source did not tell is `None`, and then nothing is said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The revision in which the server answered.
    pub protocol_version: Option<String>,
    /// Its capabilities.
    pub capabilities: Option<Map<String, Value>>,
    /// Its name and version.
    pub server_info: Option<Map<String, Value>>,
    /// Its instructions; `Some(None)` means that it told there are none.
    pub instructions: Option<Option<String>>,
}

/// The surface in one revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// What the server said of itself.
    pub session: Session,
    /// Its lists; a list that was not asked for, or that the source does not hold, is `None`. One that the server does not offer is empty.
    pub lists: [Option<Vec<Item>>; 4],
}

impl View {
    /// The items of `kind`, in the order of the server, where they are known.
    pub fn list(&self, kind: Kind) -> Option<&[Item]> {
        self.lists[kind as usize].as_deref()
    }
}

/// The surface of a server in each revision that was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// One for each revision, newest first; never empty.
    pub views: Vec<View>,
    /// Whether these are all the revisions that the server speaks. Of a file with one list nobody knows.
    pub every_revision: bool,
}
