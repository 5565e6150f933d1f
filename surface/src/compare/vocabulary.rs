//! The words of two views that rules on text ask for: names that are the server's own, and hosts that it named before. They are gathered when first asked for.

use crate::model::{Item, Kind, View};
use crate::text::{Owner, hosts};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

/// The words of an old and a new view.
pub(super) struct Vocabulary<'v> {
    before: &'v View,
    after: &'v View,
    names: OnceCell<HashSet<String>>,
    tools: OnceCell<HashSet<String>>,
    hosts: OnceCell<BTreeSet<String>>,
}

impl<'v> Vocabulary<'v> {
    pub(super) fn new(before: &'v View, after: &'v View) -> Self {
        Self { before, after, names: OnceCell::new(), tools: OnceCell::new(), hosts: OnceCell::new() }
    }

    /// Whose name `word`, in lower case, is to the text at `path`: that of a tool, prompt, parameter or value.
    pub(super) fn owner(&self, path: &str, word: &str) -> Owner {
        let tools = self.tools.get_or_init(|| {
            self.after.list(Kind::Tool).into_iter().flatten().map(|tool| tool.id.to_lowercase()).collect()
        });
        let of_this = path.strip_prefix("/tools/").and_then(|rest| rest.split('/').next());
        if tools.contains(word) && of_this.is_some_and(|own| own.to_lowercase() != word) {
            return Owner::Sibling;
        }
        let names = self.names.get_or_init(|| self.gather_names());
        // Texts spell names of the server in another way: `getUser` for `get_user`.
        let own = names.contains(word) || names.contains(&squashed(word));
        if own { Owner::Own } else { Owner::Foreign }
    }

    /// Whether the old view names `host` anywhere.
    pub(super) fn knew_host(&self, host: &str) -> bool {
        self.hosts.get_or_init(|| self.gather_hosts()).contains(host)
    }

    fn items(view: &View) -> impl Iterator<Item = &Item> {
        view.lists.iter().flatten().flatten()
    }

    fn gather_names(&self) -> HashSet<String> {
        let mut names = HashSet::new();
        for item in Self::items(self.before).chain(Self::items(self.after)) {
            let id = item.id.to_lowercase();
            names.insert(squashed(&id));
            names.insert(id);
            each(&item.definition, |key, value| {
                names.extend(key.map(str::to_lowercase));
                if let Value::String(text) = value
                    && !text.contains(' ')
                {
                    names.insert(text.to_lowercase());
                }
            });
        }
        names
    }

    fn gather_hosts(&self) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut from = |value: &Value| {
            each(value, |_, value| {
                if let Value::String(text) = value {
                    all.extend(hosts(text));
                }
            });
        };
        Self::items(self.before).for_each(|item| from(&item.definition));
        let session = &self.before.session;
        session.server_info.iter().flat_map(|info| info.values()).for_each(&mut from);
        if let Some(Some(text)) = &session.instructions {
            all.extend(hosts(text));
        }
        for kind in [Kind::Resource, Kind::Template] {
            let ids = self.before.list(kind).into_iter().flatten();
            ids.for_each(|item| all.extend(hosts(&item.id)));
        }
        all
    }
}

/// A name without what joins its words.
fn squashed(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// Visits every value below `root`, with the key it stands under. It holds its own stack, so that depth costs nothing.
pub(super) fn each<'v>(root: &'v Value, mut visit: impl FnMut(Option<&'v str>, &'v Value)) {
    let mut open = vec![(None, root)];
    while let Some((key, value)) = open.pop() {
        visit(key, value);
        match value {
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (None, item))),
            Value::Object(members) => {
                open.extend(members.iter().rev().map(|(key, member)| (Some(key.as_str()), member)));
            }
            _ => {}
        }
    }
}
