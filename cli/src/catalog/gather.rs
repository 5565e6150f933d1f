//! Turns what a user names, a server or a file, into entries. How servers are asked stands in `capture`.

use crate::capture;
use crate::config::Config;
use crate::drift::source;
use crate::failure::Failure;
use crate::live;
use crate::settings::Settings;
use crate::target::{self, Named, TargetArgs};
use retrieval::catalog::{Lines, Source as Filed, Twins, Wish};
use retrieval::{Entry, Kind};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use surface::{Session, Surface};

/// A source that was named and not read yet.
#[derive(Debug)]
pub(crate) enum Origin {
    /// A server to ask, and the name of the source where it is known before the server answers.
    Server { name: Option<String>, server: Box<Named> },
    /// A file with the lists of one server, or with lines of many.
    File { name: Option<String>, path: PathBuf },
}

/// A source that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    /// What it is called in the catalog.
    pub name: String,
    /// What it says about itself.
    pub description: String,
    /// What it offers.
    pub entries: Vec<Entry>,
}

impl Gathered {
    /// The source as the catalog files it.
    pub(crate) fn filed(&self) -> Filed<'_> {
        Filed { name: &self.name, description: &self.description, entries: &self.entries }
    }
}

/// What was read, and what the user should know about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Haul {
    /// The sources.
    pub sources: Vec<Gathered>,
    /// What a user said about them, where the file is one that was exported.
    pub wishes: Vec<Wish>,
    /// What was kept differently from how it came.
    pub notes: Vec<String>,
}

/// Finds what `word` names: `NAME=TARGET`, or a target whose name is taken from it.
pub(crate) fn find(word: &str, args: &TargetArgs, config: &Config) -> Result<Origin, Failure> {
    let (name, word) = match word.split_once('=') {
        Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest),
        _ => (None, word),
    };
    let names_server = word.contains("://") || word.starts_with("mock:") || config.server.contains_key(word);
    if !names_server && Path::new(word).exists() {
        let path = PathBuf::from(word);
        return match name {
            Some(name) if holds_lines(&path) => Err(Failure::usage(
                format!("{name}={word}: JSON lines name their sources themselves"),
                format!(
                    "leave `{name}=` out; `mcpproof catalog import {word} --rename OLD={name}` calls a source otherwise"
                ),
            )),
            name => Ok(Origin::File { name, path }),
        };
    }
    let known = if config.server.contains_key(word) {
        Some(word.to_owned())
    } else if let Some(mock) = word.strip_prefix("mock:") {
        Some(mock.to_owned())
    } else {
        word.split_once("://").map(|(_, rest)| host(rest))
    };
    let args = TargetArgs { target: Some(word.to_owned()), command: Vec::new(), ..args.clone() };
    let server = Box::new(target::resolve(&args, config)?);
    Ok(Origin::Server { name: name.or(known), server })
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
}

/// The host of a URL after its scheme, without what may be secret.
fn host(rest: &str) -> String {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

impl Origin {
    /// What the user calls it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Server { name: Some(name), .. } | Self::File { name: Some(name), .. } => name.clone(),
            Self::Server { server, .. } => server.shown.clone(),
            Self::File { path, .. } => path.display().to_string(),
        }
    }

    /// The name of the source, where it is known already.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Server { name, .. } | Self::File { name, .. } => name.as_deref(),
        }
    }

    /// Reads it. `None` means that the user interrupted it.
    pub(crate) fn read(&self, settings: &Settings, twins: Twins) -> Result<Option<Haul>, Failure> {
        match self {
            Self::Server { name, server } => {
                let surface = live::run(capture::capture_once(server, settings))?;
                Ok(surface.map(|surface| haul(name.as_deref(), "server", &surface)))
            }
            Self::File { name, path } => file(name.as_deref(), path, twins).map(Some),
        }
    }
}

/// Tells whether a file holds JSON lines.
fn holds_lines(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

/// Reads JSON lines, a lockfile, or JSON with the lists of a server.
fn file(name: Option<&str>, path: &Path, twins: Twins) -> Result<Haul, Failure> {
    let source::Source::Text { shown, text, .. } = source::file(path)? else { return Ok(Haul::default()) };
    if holds_lines(path) {
        let lines = Lines::read(&shown, &text, twins).map_err(|error| super::lines_failure(&error))?;
        return Ok(from_lines(&shown, &lines));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(haul(name, &stem, &source::parse(&shown, &text)?))
}

fn from_lines(shown: &str, lines: &Lines) -> Haul {
    let sources = lines.sources().into_iter().map(|source| Gathered {
        name: source.name.to_owned(),
        description: source.description.to_owned(),
        entries: source.entries.to_vec(),
    });
    let mut haul = Haul { sources: sources.collect(), wishes: lines.wishes.clone(), ..Haul::default() };
    if lines.numbered > 0 {
        let names = if lines.numbered == 1 {
            "1 name stands".to_owned()
        } else {
            format!("{} names stand", lines.numbered)
        };
        haul.notes.push(format!(
            "{shown}: {names} there more than once; the later ones are called `name#2`, `name#3`"
        ));
    }
    haul
}

/// Takes the items of a surface, those of the newest revision first.
fn haul(name: Option<&str>, otherwise: &str, surface: &Surface) -> Haul {
    let sessions = || surface.views.iter().map(|view| &view.session);
    let said = sessions().filter_map(|session| session.server_info.as_ref()?.get("name")?.as_str()).next();
    let some = |name: &&str| !name.trim().is_empty();
    let name = name.filter(some).or(said.filter(some)).unwrap_or(otherwise);
    let description = sessions().filter_map(describe).next().unwrap_or_default();
    let mut source = Gathered { name: name.to_owned(), description, entries: Vec::new() };
    let mut notes = Vec::new();
    for kind in Kind::ALL {
        let mut ids = BTreeSet::new();
        let mut names = BTreeSet::new();
        for repeated in repeated(kind, surface) {
            let told = "is listed more than once; the first one was taken";
            notes.push(format!("{}: the {kind} `{repeated}` {told}", source.name));
        }
        for item in surface.views.iter().filter_map(|view| view.list(listed(kind))).flatten() {
            if !ids.insert(&item.id) {
                continue;
            }
            let mut entry = entry(kind, &item.id, &item.definition, &source);
            if entry.name.is_empty() {
                notes.push(format!("{}: a {kind} without a name was left out", source.name));
                continue;
            }
            // Names of resources need not differ; their addresses do.
            if !names.insert(entry.name.clone()) {
                entry.name.clone_from(&item.id);
                if !names.insert(entry.name.clone()) {
                    notes.push(format!("{}: a second {kind} named `{}` was left out", source.name, item.id));
                    continue;
                }
            }
            source.entries.push(entry);
        }
    }
    Haul { sources: vec![source], notes, ..Haul::default() }
}

/// The items of a kind that are there twice in one view; that they are there in several views is usual.
fn repeated(kind: Kind, surface: &Surface) -> BTreeSet<&str> {
    let mut repeated = BTreeSet::new();
    for list in surface.views.iter().filter_map(|view| view.list(listed(kind))) {
        let mut ids = BTreeSet::new();
        repeated.extend(list.iter().map(|item| item.id.as_str()).filter(|id| !ids.insert(*id)));
    }
    repeated
}

/// What a server says about itself: its description, else its instructions, else its title.
fn describe(session: &Session) -> Option<String> {
    let of = |member: &str| session.server_info.as_ref()?.get(member)?.as_str().map(str::to_owned);
    let instructions = session.instructions.clone().flatten();
    of("description").or(instructions).or_else(|| of("title")).filter(|text| !text.trim().is_empty())
}

fn listed(kind: Kind) -> surface::Kind {
    match kind {
        Kind::Tool => surface::Kind::Tool,
        Kind::Prompt => surface::Kind::Prompt,
        Kind::Resource => surface::Kind::Resource,
        Kind::Template => surface::Kind::Template,
    }
}

fn entry(kind: Kind, id: &str, definition: &Value, source: &Gathered) -> Entry {
    let none = Map::new();
    let members = definition.as_object().unwrap_or(&none);
    let text = |member: &str| members.get(member).and_then(Value::as_str).map(str::to_owned);
    let input = match kind {
        Kind::Tool => "inputSchema",
        Kind::Prompt => "arguments",
        Kind::Resource => "uri",
        Kind::Template => "uriTemplate",
    };
    // Before there were titles of their own, they stood among the annotations of a tool.
    let annotated = || members.get("annotations")?.get("title")?.as_str().map(str::to_owned);
    Entry {
        source: source.name.clone(),
        kind,
        name: text("name").filter(|name| !name.is_empty()).unwrap_or_else(|| id.to_owned()),
        title: text("title").or_else(annotated),
        description: text("description").unwrap_or_default(),
        input: members.get(input).cloned().unwrap_or_default(),
        source_description: source.description.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hauled(text: &str) -> Haul {
        haul(None, "file", &surface::read(text).expect("a surface"))
    }

    #[test]
    fn the_result_of_a_list_request_becomes_entries_with_what_search_reads() {
        let haul = hauled(
            r#"{"result": {"tools": [{"name": "a", "description": "Does.", "inputSchema": {"type": "object"},
                "annotations": {"title": "An A"}}]}}"#,
        );
        let [source] = &haul.sources[..] else { panic!("one source") };
        let [entry] = &source.entries[..] else { panic!("one entry") };
        assert_eq!((source.name.as_str(), entry.title.as_deref()), ("file", Some("An A")));
        assert_eq!((entry.description.as_str(), entry.input["type"].as_str()), ("Does.", Some("object")));
    }

    #[test]
    fn a_name_that_is_taken_gives_way_to_the_address_and_a_repeated_item_is_told() {
        let haul = hauled(
            r#"{"resources": [{"uri": "a:1", "name": "n"}, {"uri": "a:2", "name": "n"}, {"uri": "a:3", "name": "a:2"}],
                "tools": [{"name": "t"}, {"name": "t"}]}"#,
        );
        let names: Vec<_> = haul.sources[0].entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["t", "n", "a:2", "a:3"]);
        assert_eq!(haul.notes, ["file: the tool `t` is listed more than once; the first one was taken"]);
    }

    #[test]
    fn what_has_no_name_is_left_out_and_told() {
        let haul = hauled(
            r#"{"initialize": {"protocolVersion": "2025-06-18", "serverInfo": {"name": ""}},
                "tools": [{"name": ""}, {"name": "t"}]}"#,
        );
        let [source] = &haul.sources[..] else { panic!("one source") };
        assert_eq!((source.name.as_str(), source.entries.len()), ("file", 1));
        assert_eq!(haul.notes, ["file: a tool without a name was left out"]);
    }

    #[test]
    fn sources_are_called_as_the_user_says_or_as_what_they_name() {
        let config: Config =
            toml::from_str("[server.notes]\nurl = \"https://example.org/mcp\"\n").expect("settings");
        let name = |word: &str| {
            let origin = find(word, &TargetArgs::default(), &config).expect("is found");
            origin.name().map(str::to_owned)
        };
        assert_eq!(name("notes").as_deref(), Some("notes"));
        assert_eq!(name("mock:good").as_deref(), Some("good"));
        assert_eq!(name("mine=mock:good").as_deref(), Some("mine"));
        assert_eq!(name("https://me:secret@h.example:8080/mcp?a=b").as_deref(), Some("h.example:8080"));
        find("nothing", &TargetArgs::default(), &config).expect_err("names nothing");
    }
}
