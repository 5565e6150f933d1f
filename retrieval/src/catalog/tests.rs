//! The catalog as its users see it: what survives, what is refused, and what readers see meanwhile.

use super::*;
use crate::entry::{Entry, Kind};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const NOW: i64 = 1_700_000_000;

fn tool(source: &str, name: &str, description: &str) -> Entry {
    Entry {
        source: source.into(),
        kind: Kind::Tool,
        name: name.into(),
        title: None,
        description: description.into(),
        input: json!({"type": "object", "properties": {"city": {"type": "string", "description": "Which town"}}}),
        source_description: String::new(),
    }
}

fn put(catalog: &mut Catalog, source: &str, entries: &[Entry]) -> Replaced {
    try_put(catalog, source, entries).expect("is put")
}

fn try_put(catalog: &mut Catalog, name: &str, entries: &[Entry]) -> Result<Replaced, CatalogError> {
    catalog.replace_source(&Source { name, description: "", entries }, NOW)
}

fn memory() -> Catalog {
    Catalog::in_memory().expect("memory is there")
}

fn room() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().expect("a folder");
    let path = room.path().join("mcp-catalog.db");
    (room, path)
}

fn names(catalog: &Catalog) -> Vec<String> {
    let entries = catalog.entries().expect("reads");
    entries.iter().map(|entry| format!("{}/{}", entry.source, entry.name)).collect()
}

#[test]
fn entries_come_back_as_they_were_and_sorted() {
    let mut catalog = memory();
    let mut prompt = tool("b", "a", "");
    prompt.kind = Kind::Prompt;
    prompt.title = Some("Großer Titel 日本".into());
    prompt.input = Value::Null;
    put(&mut catalog, "b", &[prompt.clone(), tool("b", "z", "Last."), tool("b", "A", "First.")]);
    put(&mut catalog, "a", &[tool("a", "x", "Other.")]);
    let wanted = [tool("a", "x", "Other."), tool("b", "A", "First."), tool("b", "z", "Last."), prompt];
    assert_eq!(catalog.entries().expect("reads"), wanted);
}

#[test]
fn a_source_is_replaced_and_says_what_changed() {
    let mut catalog = memory();
    put(&mut catalog, "s", &[tool("s", "same", "x"), tool("s", "edited", "x"), tool("s", "gone", "x")]);
    put(&mut catalog, "t", &[tool("t", "other", "x")]);
    let done =
        put(&mut catalog, "s", &[tool("s", "same", "x"), tool("s", "edited", "y"), tool("s", "new", "x")]);
    assert_eq!(done, Replaced { added: 1, changed: 1, removed: 1, kept: 1 });
    assert_eq!(names(&catalog), ["s/edited", "s/new", "s/same", "t/other"]);
    let versions = |name| catalog.versions("s", Kind::Tool, name).expect("reads").len();
    assert_eq!((versions("same"), versions("edited"), versions("gone")), (0, 1, 1));
}

#[test]
fn replacing_all_removes_what_is_not_among_it() {
    let mut catalog = memory();
    put(&mut catalog, "old", &[tool("old", "x", "")]);
    let entries = [tool("new", "y", "")];
    let new = Source { name: "new", description: "", entries: &entries };
    catalog.replace_all(&[new], NOW).expect("is put");
    assert_eq!(names(&catalog), ["new/y"]);
    assert!(catalog.fts_search("x", 9).expect("searches").is_empty());
    let twice = catalog.replace_all(&[new, new], NOW).expect_err("one name, two sources");
    assert_eq!(twice.to_string(), "the catalog has a source `new` already");
    assert_eq!(names(&catalog), ["new/y"]);
}

#[test]
fn a_refused_replacement_changes_nothing() {
    let mut catalog = memory();
    put(&mut catalog, "s", &[tool("s", "a", "x")]);
    let twice = [tool("s", "b", "x"), tool("s", "c", "x"), tool("s", "b", "y")];
    let error = try_put(&mut catalog, "s", &twice).expect_err("b is there twice");
    assert_eq!(error.to_string(), "the source `s` has two tools named `b`");
    assert_eq!(names(&catalog), ["s/a"]);
    assert_eq!(catalog.fts_search("x", 9).expect("searches").len(), 1);
}

#[test]
fn names_that_differ_in_case_or_punctuation_are_kept_apart_and_can_be_told() {
    let entries = [tool("s", "get_user", ""), tool("s", "getUser", ""), tool("s", "other", "")];
    let mut catalog = memory();
    put(&mut catalog, "s", &entries);
    assert_eq!(catalog.entries().expect("reads").len(), 3);
    assert_eq!(lookalikes(&entries), [("s".to_owned(), vec!["getUser".to_owned(), "get_user".to_owned()])]);
}

#[test]
fn a_reader_sees_the_old_state_until_the_new_one_is_whole() {
    let (_room, path) = room();
    let mut writer = Catalog::open(&path).expect("is made");
    put(&mut writer, "s", &[tool("s", "a", "")]);
    let reader = Catalog::open_to_read(&path).expect("reads");
    let tx = writer.db.transaction().expect("begins");
    tx.execute("DELETE FROM capabilities", []).expect("deletes");
    assert_eq!(names(&reader), ["s/a"]);
    tx.commit().expect("ends");
    assert!(names(&reader).is_empty());
}

#[test]
fn another_writer_is_waited_for_and_then_told() {
    let (_room, path) = room();
    let mut one = Catalog::open(&path).expect("is made");
    let mut two = Catalog::open(&path).expect("opens");
    two.db.busy_timeout(std::time::Duration::ZERO).expect("is set");
    let _held = one.db.transaction_with_behavior(TransactionBehavior::Immediate).expect("begins");
    let error = try_put(&mut two, "s", &[tool("s", "a", "")]).expect_err("is held");
    assert!(matches!(error, CatalogError::Busy(_)), "{error}");
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let (_room, path) = room();
    let mut catalog = Catalog::open(&path).expect("is made");
    put(&mut catalog, "s", &[tool("s", "a", "x")]);
    let pages: i64 = catalog.db.pragma_query_value(None, "page_count", |row| row.get(0)).expect("counts");
    catalog.db.pragma_update_and_check(None, "max_page_count", pages + 1, |_| Ok(())).expect("is set");
    let many: Vec<_> = (0..500).map(|n| tool("s", &format!("t{n}"), &"long ".repeat(50))).collect();
    let error = try_put(&mut catalog, "s", &many).expect_err("is full");
    assert!(matches!(error, CatalogError::Full(_)), "{error}");
    drop(catalog);
    let catalog = Catalog::open_to_read(&path).expect("reads");
    assert_eq!(names(&catalog), ["s/a"]);
    assert_eq!(catalog.stats().expect("is whole").entries, 1);
}

#[test]
fn a_catalog_that_may_not_be_written_can_be_read() {
    let (_room, path) = room();
    put(&mut Catalog::open(&path).expect("is made"), "s", &[tool("s", "a", "")]);
    let mut reader = Catalog::open_to_read(&path).expect("reads");
    assert_eq!(names(&reader), ["s/a"]);
    let error = try_put(&mut reader, "s", &[]).expect_err("may not be written");
    assert!(matches!(error, CatalogError::ReadOnly(_)), "{error}");
}

#[test]
fn reading_leaves_nothing_beside_the_file() {
    let (room, path) = room();
    put(&mut Catalog::open(&path).expect("is made"), "s", &[tool("s", "a", "")]);
    names(&Catalog::open_to_read(&path).expect("reads"));
    assert_eq!(std::fs::read_dir(room.path()).expect("lists").count(), 1);
}

#[test]
fn what_another_program_has_not_written_through_yet_stays_as_it_is() {
    let (_room, path) = room();
    let foreign = Connection::open(&path).expect("is made");
    foreign.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).expect("is set");
    foreign.execute_batch("CREATE TABLE bookmarks (url)").expect("is made");
    foreign
        .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("is set");
    drop(foreign);
    let notes = path.with_extension("db-wal");
    let before = std::fs::read(&notes).expect("is there");
    assert_eq!(refused(&path), "`FILE` is no catalog: it is the SQLite file of another program");
    assert_eq!(std::fs::read(&notes).expect("is still there"), before);
}

#[test]
fn a_file_in_a_folder_that_may_not_be_written_is_read_as_it_stands() {
    let (_room, path) = room();
    put(&mut Catalog::open(&path).expect("is made"), "s", &[tool("s", "a", "")]);
    let odd = path.with_file_name("50% of #1?.db");
    std::fs::rename(&path, &odd).expect("is renamed");
    assert_eq!(names(&Catalog::connect_still(&odd).expect("opens")), ["s/a"]);
}

fn refused(path: &Path) -> String {
    let before = std::fs::read(path).ok();
    let to_read = Catalog::open_to_read(path).expect_err("is no catalog").to_string();
    let to_write = Catalog::open(path).expect_err("is no catalog").to_string();
    assert_eq!(to_read, to_write);
    assert_eq!(std::fs::read(path).ok(), before, "it was written to");
    to_write.replace(&path.display().to_string(), "FILE")
}

#[test]
fn what_is_no_catalog_is_refused_and_left_alone() {
    let (room, path) = room();
    std::fs::write(&path, "a note of somebody, longer than a header").expect("writes");
    assert_eq!(refused(&path), "`FILE` is no catalog: it does not begin as SQLite files do");
    std::fs::remove_file(&path).expect("goes");
    let foreign = Connection::open(&path).expect("is made");
    foreign.execute_batch("CREATE TABLE bookmarks (url)").expect("is made");
    drop(foreign);
    assert_eq!(refused(&path), "`FILE` is no catalog: it is the SQLite file of another program");
    assert_eq!(refused(room.path()), "`FILE` is no file");
    let lost = room.path().join("no/such/folder.db");
    assert!(matches!(Catalog::open(&lost), Err(CatalogError::NoFolder(_))));
    assert!(matches!(Catalog::open_to_read(&lost), Err(CatalogError::Missing(_))));
    assert!(!lost.exists());
}

#[test]
fn a_newer_catalog_is_named_as_such() {
    let (_room, path) = room();
    let catalog = Catalog::open(&path).expect("is made");
    catalog.db.pragma_update(None, "user_version", 99).expect("is set");
    drop(catalog);
    let error = refused(&path);
    assert_eq!(
        error,
        "the catalog `FILE` was made by a newer mcpproof (version 99 of its tables, this one knows 1)"
    );
}

#[test]
fn a_damaged_catalog_is_an_error_and_no_panic() {
    let (_room, path) = room();
    let many: Vec<_> = (0..300).map(|n| tool("s", &format!("t{n}"), "Says something.")).collect();
    put(&mut Catalog::open(&path).expect("is made"), "s", &many);
    let whole = std::fs::read(&path).expect("reads");
    for place in (100..whole.len()).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        let end = (place + 2_000).min(bytes.len());
        bytes[place..end].fill(0xa5);
        std::fs::write(&path, bytes).expect("writes");
        let seen = Catalog::open_to_read(&path).and_then(|catalog| {
            _ = catalog.entries();
            _ = catalog.fts_search("something", 5);
            _ = catalog.taste();
            catalog.stats()
        });
        let Err(error) = seen else { continue };
        let told = matches!(
            error,
            CatalogError::Corrupt { .. } | CatalogError::Foreign { .. } | CatalogError::Failed { .. }
        );
        assert!(told, "{error}");
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("writes");
    let error = Catalog::open_to_read(&path).and_then(|catalog| catalog.stats()).expect_err("is cut");
    assert!(matches!(error, CatalogError::Corrupt { .. }), "{error}");
}

#[test]
fn an_empty_file_becomes_a_catalog_when_it_is_written_and_is_none_when_read() {
    let (_room, path) = room();
    std::fs::write(&path, "").expect("writes");
    assert!(matches!(Catalog::open_to_read(&path), Err(CatalogError::Missing(_))));
    put(&mut Catalog::open(&path).expect("is made"), "s", &[tool("s", "a", "")]);
    assert!(is_sqlite(&path));
}

#[test]
fn a_source_that_fails_keeps_what_it_had() {
    let mut catalog = memory();
    put(&mut catalog, "s", &[tool("s", "a", "")]);
    catalog.note_failure("s", "no answer").expect("is noted");
    catalog.note_failure("t", "not found").expect("is noted");
    let stats = catalog.stats().expect("counts");
    let told: Vec<_> = stats.sources.iter().map(|source| source.last_error.as_deref()).collect();
    assert_eq!((told, names(&catalog)), (vec![Some("no answer"), Some("not found")], vec!["s/a".to_owned()]));
    put(&mut catalog, "s", &[]);
    assert_eq!(catalog.stats().expect("counts").sources[0].last_error, None);
}

#[test]
fn what_the_user_said_outlives_a_build() {
    let mut catalog = memory();
    let it = Subject { source: "s".into(), name: "a".into() };
    put(&mut catalog, "s", &[tool("s", "a", "Old words.")]);
    assert_eq!((catalog.pin(&it).expect("pins"), catalog.pin(&it).expect("pins")), (true, false));
    assert_eq!(catalog.alias("best", &it).expect("names"), None);
    catalog.set_summary(&it, Some(&Summary { text: "Finds umbrellas".into(), adds: true })).expect("says");
    catalog.record_invocation(&it, true, NOW).expect("counts");
    catalog.record_invocation(&it, false, NOW + 1).expect("counts");
    put(&mut catalog, "s", &[tool("s", "a", "New words.")]);
    let taste = catalog.taste().expect("reads");
    assert_eq!(
        (taste.pins, taste.aliases),
        (vec!["s/a".to_owned()], vec![("best".to_owned(), "s/a".to_owned())])
    );
    assert_eq!((taste.usage["s/a"], catalog.usage().expect("reads")[&it].failed), (1, 1));
    let searched = &catalog.entries_to_search().expect("reads")[0].description;
    assert_eq!(searched, "Finds umbrellas. New words.");
    assert_eq!(catalog.entries().expect("reads")[0].description, "New words.");
    assert_eq!(catalog.fts_search("umbrellas", 1).expect("searches").len(), 1);
    catalog.set_summary(&it, None).expect("takes back");
    assert!(catalog.fts_search("umbrellas", 1).expect("searches").is_empty());
    assert_eq!(catalog.unpin(&it).expect("takes back"), 2);
}

#[test]
fn an_entry_is_found_by_alias_by_path_and_by_bare_name() {
    let mut catalog = memory();
    put(&mut catalog, "s", &[tool("s", "a", ""), tool("s", "b", "")]);
    put(&mut catalog, "t", &[tool("t", "a", "")]);
    let it = Subject { source: "t".into(), name: "a".into() };
    catalog.alias("best", &it).expect("names");
    let found =
        |word| catalog.find(word).expect("finds").iter().map(|(it, _)| it.to_string()).collect::<Vec<_>>();
    assert_eq!(found("a"), ["s/a", "t/a"]);
    assert_eq!((found("s/a"), found("best")), (vec!["s/a".to_owned()], vec!["t/a".to_owned()]));
    assert!(found("A").is_empty());
}

#[test]
fn the_syntax_of_fts5_is_never_interpreted() {
    let mut catalog = memory();
    put(
        &mut catalog,
        "s",
        &[tool("s", "near", "Finds towns near a place."), tool("s", "other", "Adds numbers.")],
    );
    let found = |query: &str| catalog.fts_search(query, 9).expect("searches").len();
    assert_eq!(found("name:near NOT towns"), 1);
    assert_eq!(found("\"near"), 1);
    assert_eq!(found("near* OR (numbers"), 2);
    assert_eq!(found("{name} : ^near\0 - + \u{0}"), 1);
    assert_eq!((found(""), found("\"'(*^:{}-+"), found("tow*")), (0, 0, 0));
    assert_eq!(found(&"numbers unknown ".repeat(1_000)), 1);
    assert_eq!(found("which town"), 2);
}

#[test]
fn vectors_are_kept_by_text_and_embedder() {
    let mut catalog = memory();
    let key = text_key("a text");
    catalog.put_vectors("m", &[(key, vec![0.6, -0.8])]).expect("keeps");
    assert_eq!(catalog.vectors("m").expect("reads")[&key], [0.6, -0.8]);
    assert!(catalog.vectors("other").expect("reads").is_empty());
    catalog.put_vectors("m", &[(text_key("b"), vec![f32::NAN]), (text_key("c"), Vec::new())]).expect("keeps");
    assert_eq!(catalog.vectors("m").expect("reads").len(), 1, "damaged ones are left out");
    assert_eq!(catalog.prune_vectors("m", |held| *held != key).expect("prunes"), 1);
    assert!(catalog.vectors("m").expect("reads").is_empty());
}

#[test]
fn vectors_of_texts_that_are_gone_and_under_former_names_are_tidied_away_and_no_others() {
    let mut catalog = memory();
    let entries = [tool("a", "rain", "Tells whether it rains.")];
    put(&mut catalog, "a", &entries);
    let wanted: Vec<_> = crate::documents(&entries).iter().map(|text| text_key(text)).collect();
    let made: Vec<_> = wanted.iter().map(|key| (*key, vec![1.0])).collect();
    let names = ["minilm", "ollama:m:v1@0a1b2c3d", "openai:m@0a1b2c3d", "of-somebody"];
    for name in names {
        catalog.put_vectors(name, &made).expect("keeps");
        catalog.put_vectors(name, &[(text_key("gone"), vec![1.0])]).expect("keeps");
    }
    for name in ["ollama:m:v1", "openai:m", "openai:me@home"] {
        catalog.put_vectors(name, &made[..1]).expect("keeps");
    }
    assert_eq!(catalog.tidy_vectors().expect("tidies"), names.len() + 3);
    assert_eq!(catalog.tidy_vectors().expect("tidies"), 0);
    for name in names {
        assert_eq!(catalog.vectors(name).expect("reads").len(), wanted.len(), "{name}");
    }
    assert_eq!(catalog.forget_vectors("minilm").expect("forgets"), wanted.len());
    catalog.shrink().expect("memory shrinks, too");
}

fn entry() -> impl Strategy<Value = Entry> {
    let input = prop_oneof![Just(Value::Null), Just(json!({"a": [1, "x", 0.5]})), Just(json!([]))];
    let kind = (0..4usize).prop_map(|at| Kind::ALL[at]);
    (("[ab]", kind, "\\PC{1,4}"), (prop::option::of("\\PC{0,6}"), "(?s).{0,20}", input)).prop_map(
        |((source, kind, name), (title, description, input))| Entry {
            source,
            kind,
            name,
            title,
            description,
            input,
            source_description: String::new(),
        },
    )
}

fn distinct(entries: Vec<Entry>) -> Vec<Entry> {
    let mut seen = std::collections::BTreeSet::new();
    let new = |entry: &Entry| seen.insert((entry.source.clone(), entry.kind, entry.name.clone()));
    entries.into_iter().filter(new).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn replacing_sources_in_any_order_gives_the_same_catalog(
        first in prop::collection::vec(entry(), 0..12),
        last in prop::collection::vec(entry(), 0..12),
    ) {
        let (first, last) = (distinct(first), distinct(last));
        let of = |entries: &[Entry], name: &str| {
            entries.iter().filter(|entry| entry.source == name).cloned().collect::<Vec<_>>()
        };
        let (mut one, mut two) = (memory(), memory());
        for name in ["a", "b"] {
            put(&mut one, name, &of(&first, name));
            put(&mut one, name, &of(&last, name));
        }
        for name in ["b", "a"] {
            let mut entries = of(&last, name);
            entries.reverse();
            put(&mut two, name, &entries);
        }
        prop_assert_eq!(one.entries().expect("reads"), two.entries().expect("reads"));
        let words = |catalog: &Catalog| catalog.fts_search("a b c x 1", 99).expect("searches");
        prop_assert_eq!(words(&one), words(&two));
    }

    #[test]
    fn what_is_exported_is_imported_again(entries in prop::collection::vec(entry(), 0..12)) {
        let entries = distinct(entries);
        let mut catalog = memory();
        let lines = Lines { entries: Vec::new(), wishes: Vec::new(), numbered: 0 };
        prop_assert!(lines.sources().is_empty());
        for name in ["a", "b"] {
            let own: Vec<_> = entries.iter().filter(|entry| entry.source == name).cloned().collect();
            put(&mut catalog, name, &own);
        }
        let it = Subject { source: "a".into(), name: "x".into() };
        catalog.pin(&it).expect("pins");
        catalog.alias("other\nname", &it).expect("names");
        catalog.set_summary(&it, Some(&Summary { text: "\"words\"".into(), adds: true })).expect("says");
        let (held, wishes) = (catalog.entries().expect("reads"), catalog.wishes().expect("reads"));
        let text = Lines::write(&held, &wishes);
        let lines = Lines::read("x.jsonl", &text, Twins::Refuse).expect("reads");
        prop_assert_eq!((&lines.entries, &lines.wishes), (&held, &wishes));
        let mut copy = memory();
        copy.import(&lines.sources(), &lines.wishes, Taken::Refuse, NOW).expect("is put");
        prop_assert_eq!(Lines::write(&copy.entries().expect("reads"), &copy.wishes().expect("reads")), text);
    }
}
