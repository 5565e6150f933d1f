//! Writes a lockfile: sorted, an item a block, one member a line.

use super::VERSION;
use crate::canonical::{canonical, content_hash, spell};
use crate::change::pointer;
use crate::model::{Kind, Session, Surface, View};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A lockfile, and where its items stand in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The text of the file.
    pub text: String,
    /// The line of each item, counted from 1, by its pointer (`/tools/search`); `/initialize` is the session.
    pub lines: BTreeMap<String, usize>,
    /// Estimated tokens of all items, as a model is charged for the lists.
    pub tokens: usize,
}

/// Writes `surface`; `count` estimates the tokens of a text.
pub fn render(surface: &Surface, count: &dyn Fn(&str) -> usize) -> Rendered {
    let mut out = Writer::default();
    let Parts { all, sessions, blocks } = parts(surface);
    let hash = hash(surface);
    out.line(0, "{");
    out.member(1, "lockVersion", &json!(VERSION));
    out.member(1, "sha256", &json!(hash));
    out.member(1, "revisions", &json!(all));
    out.member(1, "everyRevision", &json!(surface.every_revision));
    let start = out.text.len();
    out.list(1, "initialize", &sessions, |_| "/initialize".to_owned());
    for (kind, blocks) in &blocks {
        let known = surface.views.iter().any(|view| view.list(*kind).is_some());
        if known {
            let counted: Vec<_> = blocks.iter().map(|block| counted(block, count)).collect();
            out.tokens += counted.iter().filter_map(|block| block["tokens"].as_u64()).sum::<u64>() as usize;
            let base = format!("/{}", kind.member());
            out.list(1, kind.member(), &counted, |block| {
                pointer(&base, block[kind.identity()].as_str().unwrap_or_default())
            });
        }
    }
    debug_assert!(out.text.len() > start, "a lock has a session");
    out.close();
    Rendered { text: out.text, lines: out.lines, tokens: out.tokens }
}

/// What a lockfile is made of.
struct Parts {
    all: Vec<String>,
    sessions: Vec<Value>,
    blocks: Vec<(Kind, Vec<Value>)>,
}

fn parts(surface: &Surface) -> Parts {
    let all = names(surface, |_| true);
    let sessions = sessions(surface, &all);
    let blocks = Kind::ALL.into_iter().map(|kind| (kind, blocks(surface, kind, &all))).collect();
    Parts { all, sessions, blocks }
}

/// The hash of all that a lockfile of `surface` holds but estimates.
pub(super) fn hash(surface: &Surface) -> String {
    let Parts { all, sessions, blocks } = parts(surface);
    let hashes: Vec<_> = blocks.iter().map(|(_, blocks)| hashes(blocks)).collect();
    content_hash(&json!([all, surface.every_revision, sessions, hashes]))
}

/// The revisions of the views that `fit`, newest first.
fn names(surface: &Surface, fit: impl Fn(&View) -> bool) -> Vec<String> {
    let views = surface.views.iter().filter(|view| fit(view));
    views.filter_map(|view| view.session.protocol_version.clone()).collect()
}

fn hashes(blocks: &[Value]) -> Vec<Value> {
    blocks.iter().map(|block| json!([block["sha256"], block["revisions"]])).collect()
}

/// Views that tell the same of themselves share a block.
fn sessions(surface: &Surface, all: &[String]) -> Vec<Value> {
    let mut told: Vec<Value> = Vec::new();
    for view in &surface.views {
        let told_here = session(&view.session, view);
        if !told.contains(&told_here) {
            told.push(told_here);
        }
    }
    let with_revisions = told.into_iter().map(|mut block| {
        let revisions = names(surface, |view| session(&view.session, view) == block);
        restrict(&mut block, &revisions, all);
        block
    });
    with_revisions.collect()
}

fn session(session: &Session, view: &View) -> Value {
    let mut block = Map::new();
    if let Some(capabilities) = &session.capabilities {
        block.insert("capabilities".into(), capabilities.clone().into());
    }
    if let Some(info) = &session.server_info {
        block.insert("serverInfo".into(), info.clone().into());
    }
    if let Some(instructions) = &session.instructions {
        block.insert("instructions".into(), json!(instructions));
    }
    let lists = Kind::ALL.into_iter().filter(|kind| view.list(*kind).is_some()).map(Kind::member);
    block.insert("lists".into(), lists.collect());
    block.into()
}

/// Says in which revisions a block holds, unless it holds in all.
fn restrict(block: &mut Value, revisions: &[String], all: &[String]) {
    if revisions != all {
        block["revisions"] = json!(revisions);
    }
}

/// One block for each different item of `kind`, by name and then by the revisions in which it looks so.
fn blocks(surface: &Surface, kind: Kind, all: &[String]) -> Vec<Value> {
    // An item may stand twice in one list: count how often it looks like this in each view.
    let mut seen: BTreeMap<(&str, String, usize), (Vec<String>, &Value)> = BTreeMap::new();
    for view in &surface.views {
        let mut times: BTreeMap<(&str, String), usize> = BTreeMap::new();
        for item in view.list(kind).unwrap_or_default() {
            let key = (item.id.as_str(), canonical(&item.definition));
            let time = times.entry(key.clone()).or_default();
            let (revisions, _) =
                seen.entry((key.0, key.1, *time)).or_insert_with(|| (Vec::new(), &item.definition));
            revisions.extend(view.session.protocol_version.clone());
            *time += 1;
        }
    }
    let block = |((id, _, _), (revisions, definition)): ((&str, String, usize), (Vec<String>, &Value))| {
        let mut block = json!({
            kind.identity(): id,
            "sha256": content_hash(definition),
            "definition": definition,
        });
        restrict(&mut block, &revisions, all);
        block
    };
    seen.into_iter().map(block).collect()
}

fn counted(block: &Value, count: &dyn Fn(&str) -> usize) -> Value {
    let mut block = block.clone();
    block["tokens"] = json!(count(&canonical(&block["definition"])));
    block
}

/// Members in the order in which a reviewer wants them; all others follow by name.
const FIRST: [&str; 6] = ["name", "uri", "uriTemplate", "revisions", "sha256", "tokens"];

#[derive(Default)]
struct Writer {
    text: String,
    lines: BTreeMap<String, usize>,
    line: usize,
    tokens: usize,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", depth * 2);
        self.line += 1;
    }

    fn member(&mut self, depth: usize, name: &str, value: &Value) {
        let mut text = format!("{}: ", Value::from(name));
        pretty(&mut text, value, depth);
        text.push(',');
        self.lines_of(depth, &text);
    }

    fn list(&mut self, depth: usize, name: &str, blocks: &[Value], place: impl Fn(&Value) -> String) {
        if blocks.is_empty() {
            return self.line(depth, &format!("{}: [],", Value::from(name)));
        }
        self.line(depth, &format!("{}: [", Value::from(name)));
        for (idx, block) in blocks.iter().enumerate() {
            // The line of the name, one below the brace.
            self.lines.entry(place(block)).or_insert(self.line + 2);
            let mut text = String::new();
            block_text(&mut text, block, depth + 1);
            text.push_str(if idx + 1 < blocks.len() { "," } else { "" });
            self.lines_of(depth + 1, &text);
        }
        self.line(depth, "],");
    }

    fn lines_of(&mut self, depth: usize, text: &str) {
        self.line(depth, text);
        self.line += text.matches('\n').count();
    }

    fn close(&mut self) {
        // The last member has no comma.
        let end = self.text.trim_end_matches(['\n', ',']).len();
        self.text.truncate(end);
        self.text.push_str("\n}\n");
    }
}

fn block_text(out: &mut String, block: &Value, depth: usize) {
    let Some(members) = block.as_object() else { return };
    let mut order: Vec<_> = members.iter().collect();
    order.sort_by_key(|(key, _)| {
        (FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()), key.as_str())
    });
    object(out, order.into_iter(), depth);
}

/// Writes `value` over several lines, members sorted, lists of words on one line where they are short.
fn pretty(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Number(number) => out.push_str(&spell(number)),
        Value::Array(items)
            if items.iter().all(|item| !item.is_array() && !item.is_object()) && short(items) =>
        {
            let words: Vec<_> = items.iter().map(canonical).collect();
            let _ = write!(out, "[{}]", words.join(", "));
        }
        Value::Array(items) => {
            out.push('[');
            for (idx, item) in items.iter().enumerate() {
                out.push_str(if idx > 0 { ",\n" } else { "\n" });
                let _ = write!(out, "{:1$}", "", (depth + 1) * 2);
                pretty(out, item, depth + 1);
            }
            let _ = write!(out, "\n{:1$}]", "", depth * 2);
        }
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            object(out, sorted.into_iter(), depth);
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

fn object<'a>(out: &mut String, members: impl Iterator<Item = (&'a String, &'a Value)>, depth: usize) {
    out.push('{');
    for (idx, (key, member)) in members.enumerate() {
        out.push_str(if idx > 0 { ",\n" } else { "\n" });
        let _ = write!(out, "{:1$}{2}: ", "", (depth + 1) * 2, Value::from(key.as_str()));
        pretty(out, member, depth + 1);
    }
    let _ = write!(out, "\n{:1$}}}", "", depth * 2);
}

fn short(items: &[Value]) -> bool {
    items.len() <= 8 && items.iter().map(|item| canonical(item).len() + 2).sum::<usize>() <= 60
}
