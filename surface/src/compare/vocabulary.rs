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
    near: OnceCell<HashSet<String>>,
    hosts: OnceCell<BTreeSet<String>>,
}

impl<'v> Vocabulary<'v> {
    pub(super) fn new(before: &'v View, after: &'v View) -> Self {
        Self {
            before,
            after,
            names: OnceCell::new(),
            tools: OnceCell::new(),
            near: OnceCell::new(),
            hosts: OnceCell::new(),
        }
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
        match own {
            true => Owner::Own,
            false if self.is_near(word) => Owner::Kin,
            false => Owner::Foreign,
        }
    }

    /// Whether `word` is the name of an item with another prefix or without its own, or one letter away from it.
    fn is_near(&self, word: &str) -> bool {
        let near = self.near.get_or_init(|| self.gather_near());
        let whole = |ending| near.contains(&format!("={}", squashed(ending)));
        endings(word).skip(1).any(whole) || around(&squashed(word)).any(|close| near.contains(&close))
    }

    /// Names of items behind a `=`, and what is close to them or to their endings.
    fn gather_near(&self) -> HashSet<String> {
        let mut near = HashSet::new();
        for item in Self::items(self.before).chain(Self::items(self.after)) {
            let id = item.id.to_lowercase();
            near.insert(format!("={}", squashed(&id)));
            endings(&id).for_each(|ending| near.extend(around(&squashed(ending))));
        }
        near
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
                names.extend(key.map(|key| squashed(&key.to_lowercase())));
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

/// A name, and what is left of it behind each sign that may end a prefix. Short rests are no names.
fn endings(name: &str) -> impl Iterator<Item = &str> {
    const PREFIXES: usize = 8;
    let signs = name.match_indices(['_', '.', '-', '/', ':']).take(PREFIXES);
    let rests = signs.map(|(at, sign)| &name[at + sign.len()..]);
    std::iter::once(name).chain(rests.filter(|rest| rest.len() > 3))
}

/// A name, and all that it is without one letter: two names are one letter apart when these meet. Of short and very long names only themselves.
fn around(name: &str) -> impl Iterator<Item = String> + '_ {
    let is_usual = name.len() > 5 && name.len() <= 128;
    let letters = name.char_indices().filter(move |_| is_usual);
    let without = letters.map(|(at, letter)| format!("{}{}", &name[..at], &name[at + letter.len_utf8()..]));
    std::iter::once(name.to_owned()).chain(without)
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
