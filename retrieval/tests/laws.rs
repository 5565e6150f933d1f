//! What holds of every search, whatever the catalog.

use mcpproof_retrieval::embed::{Embedder, StaticTable};
use mcpproof_retrieval::{Answer, Entry, Index, Kind, Method, Options, Query, Taste};
use proptest::prelude::*;
use proptest::sample::{Index as Pick, select};
use serde_json::json;
use std::sync::{Arc, LazyLock};

const WORDS: [&str; 16] = [
    "get", "list", "weather", "file", "create", "issue", "repo", "search", "city", "read", "send", "mail",
    "天气", "查询", "user", "map",
];

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 1..4).prop_map(|words| words.join("_"))
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 0..12).prop_map(|words| words.join(" "))
}

fn entry() -> impl Strategy<Value = Entry> {
    (select(&["github", "files", "maps"][..]), name(), text(), name(), text()).prop_map(
        |(source, name, description, parameter, about)| Entry {
            source: source.to_owned(),
            kind: Kind::Tool,
            name,
            title: None,
            description,
            input: json!({"properties": {parameter: {"description": about}}}),
            source_description: String::new(),
        },
    )
}

/// An index with words and meanings.
fn index(entries: Vec<Entry>) -> Index {
    static TABLE: LazyLock<Arc<StaticTable>> = LazyLock::new(|| Arc::new(StaticTable::built_in()));
    let embedder: Arc<dyn Embedder> = TABLE.clone();
    Index::build(entries, &Options { embedder: Some(embedder), ..Options::default() })
}

fn ask(entries: Vec<Entry>, text: &str, method: Method) -> (Index, Answer) {
    let index = index(entries);
    let query = Query { text, limit: 10, sources: &[], kinds: &[], method };
    let answer = index.search(&query, &Taste::default());
    (index, answer)
}

fn method() -> impl Strategy<Value = Method> {
    select(&[Method::Lexical, Method::Dense, Method::Fused, Method::Rrf][..])
}

/// The score of a hit as its parts say; ranks are no sum of the legs.
fn added_up(answer: &Answer, hit: &mcpproof_retrieval::Hit) -> f64 {
    let scores = &hit.scores;
    let fused = answer.weights.map_or(scores.fused, |weights| {
        let part = |z: Option<f64>, weight: f64| z.unwrap_or(0.0) * weight;
        part(scores.lexical_z, weights.lexical)
            + part(scores.dense_z, weights.dense)
            + part(scores.source_z, weights.source)
    });
    fused + scores.exact + scores.taste
}

/// What a caller sees of an answer.
fn seen(index: &Index, answer: &Answer) -> Vec<(String, String, f64, Vec<String>)> {
    let of = |hit: &mcpproof_retrieval::Hit| {
        let entry = hit.of(index);
        (entry.path(), entry.description.clone(), hit.score, hit.why_matched.clone())
    };
    answer.hits.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_order_in_which_entries_come_changes_nothing(
        entries in prop::collection::vec(entry(), 1..20),
        shuffled in any::<prop::sample::Index>(),
        text in text(),
        method in method(),
    ) {
        let mut other = entries.clone();
        other.reverse();
        let middle = shuffled.index(other.len());
        other.rotate_left(middle);
        let (index, answer) = ask(entries.clone(), &text, method);
        let (other_index, other_answer) = ask(other.clone(), &text, method);
        prop_assert_eq!(seen(&index, &answer), seen(&other_index, &other_answer));
        prop_assert_eq!((answer.confidence, answer.margin), (other_answer.confidence, other_answer.margin));
        for hit in &other_answer.hits {
            let origin = other_index.origin(hit.entry).expect("a hit was among the entries");
            prop_assert_eq!(other[origin].path(), hit.of(&other_index).path());
        }
    }

    #[test]
    fn who_asks_by_name_gets_that_first_whatever_else_is_there(
        entries in prop::collection::vec(entry(), 1..20),
        picked in any::<Pick>(),
        more in prop::collection::vec(entry(), 0..10),
        method in method(),
    ) {
        let wanted = picked.get(&entries).name.clone();
        let all: Vec<Entry> = entries.iter().chain(&more).cloned().collect();
        for entries in [entries, all] {
            let (index, answer) = ask(entries, &wanted, method);
            prop_assert_eq!(&answer.hits[0].of(&index).name, &wanted);
            prop_assert!(!answer.abstain && answer.confidence >= 1.0);
        }
    }

    #[test]
    fn any_request_is_answered_with_finite_scores_in_falling_order(
        entries in prop::collection::vec(entry(), 0..12),
        text in any::<String>(),
        limit in 0_usize..30,
        method in method(),
    ) {
        let index = index(entries);
        let query = Query { text: &text, limit, sources: &[], kinds: &[], method };
        let answer = index.search(&query, &Taste::default());
        prop_assert!(answer.hits.len() <= limit);
        for hit in &answer.hits {
            prop_assert!((hit.score - added_up(&answer, hit)).abs() < 1e-9, "{:?} {:?}", hit, answer.weights);
        }
        prop_assert!(answer.hits.iter().all(|hit| hit.score.is_finite()));
        prop_assert!(answer.hits.windows(2).all(|two| two[0].score >= two[1].score));
        prop_assert!((0.0..=1.0).contains(&answer.confidence));
    }
}

#[test]
fn operators_of_query_languages_are_words_or_nothing() {
    let entries =
        || vec![tool("files", "read_file", "Reads a file"), tool("files", "near_by", "NEAR and NOT")];
    for text in
        ["\"", "file AND OR NOT", "name:read*", "(((", "NEAR(read file, 5)", "^file", "-file", "' OR 1=1 --"]
    {
        let plain: String =
            text.chars().map(|sign| if sign.is_alphanumeric() { sign } else { ' ' }).collect();
        let seen = |text: &str| {
            let (index, answer) = ask(entries(), text, Method::Lexical);
            seen(&index, &answer)
        };
        assert_eq!(seen(text), seen(&plain), "{text}");
    }
    let (index, answer) = ask(entries(), "file AND OR NOT", Method::Lexical);
    assert_eq!(answer.hits[0].of(&index).name, "read_file");
}

#[test]
fn a_request_of_megabytes_is_answered_by_its_beginning() {
    let entries = vec![tool("files", "read_file", "Reads a file"), tool("maps", "geocode", "Finds a place")];
    let text = format!("read the file {}", "lorem ipsum dolor ".repeat(200_000));
    let (index, answer) = ask(entries, &text, Method::Fused);
    assert_eq!(answer.hits[0].of(&index).name, "read_file");
}

#[test]
fn nothing_to_find_and_nothing_asked_have_no_hits_and_abstain() {
    let (_, answer) = ask(Vec::new(), "read a file", Method::Fused);
    assert!(answer.hits.is_empty() && answer.abstain);
    for text in ["", "   ", "!?", "🎉"] {
        let (_, answer) = ask(vec![tool("files", "read_file", "Reads a file")], text, Method::Fused);
        assert!(answer.hits.is_empty() && answer.abstain, "{text}");
    }
}

fn tool(source: &str, name: &str, description: &str) -> Entry {
    Entry {
        source: source.to_owned(),
        kind: Kind::Tool,
        name: name.to_owned(),
        title: None,
        description: description.to_owned(),
        input: serde_json::Value::Null,
        source_description: String::new(),
    }
}

#[test]
fn wishes_move_hits_by_a_bounded_amount_and_aliases_name_them() {
    let entries = || {
        vec![
            tool("files", "read_file", "Reads a text file from disk"),
            tool("files", "write_file", "Writes a text file to disk"),
            tool("maps", "geocode", "Finds the coordinates of a place"),
        ]
    };
    let index = index(entries());
    let first = |text: &str, taste: &Taste| {
        let query = Query { text, limit: 10, sources: &[], kinds: &[], method: Method::Fused };
        index.search(&query, taste).hits[0].of(&index).name.clone()
    };
    let pin = |path: &str| Taste { pins: vec![path.to_owned()], ..Taste::default() };
    assert_eq!(first("text file", &pin("files/read_file")), "read_file");
    assert_eq!(first("text file", &pin("files/write_file")), "write_file");
    assert_eq!(
        first("coordinates of a place", &pin("files/read_file")),
        "geocode",
        "a pin does not win against sense"
    );
    let used = Taste { usage: [("files/write_file".to_owned(), 50)].into(), ..Taste::default() };
    assert_eq!(first("text file", &used), "write_file");
    let aliases =
        Taste { aliases: vec![("where".to_owned(), "maps/geocode".to_owned())], ..Taste::default() };
    assert_eq!(first("where", &aliases), "geocode");
}

#[test]
fn near_duplicates_stand_behind_the_first_of_them() {
    let entries = vec![
        tool("bank", "getBalance", "Gets the balance of an account"),
        tool("bank", "get_balance", "Gets the balance of one account"),
        tool("game", "get_balance", "Tells how the players are doing against each other"),
    ];
    let (index, answer) = ask(entries, "balance of my account", Method::Fused);
    let names: Vec<String> = answer.hits.iter().map(|hit| hit.of(&index).path()).collect();
    assert_eq!((names.len(), answer.hits[0].similar.len()), (2, 1), "{names:?}");
    assert_eq!(names[1], "game/get_balance");
}

#[test]
fn what_an_import_numbered_stands_behind_its_twin() {
    let entries = vec![
        tool("home", "find_flat", "Finds flats to rent"),
        tool("home", "find_flat#2", "Finds flats to rent"),
        tool("home", "find_flat#3", "Counts the cats on the roofs of the town"),
    ];
    let (index, answer) = ask(entries, "rent a flat", Method::Fused);
    let names: Vec<String> = answer.hits.iter().map(|hit| hit.of(&index).name.clone()).collect();
    assert_eq!((names.len(), answer.hits[0].similar.len()), (2, 1), "{names:?}");
}

#[test]
fn how_clear_the_first_hit_is_does_not_depend_on_how_many_are_asked_for() {
    let index = index(vec![
        tool("files", "read_file", "Reads a text file from disk"),
        tool("files", "write_file", "Writes a text file to disk"),
    ]);
    let margin = |limit| {
        let query = Query { text: "read a text", limit, sources: &[], kinds: &[], method: Method::Fused };
        let answer = index.search(&query, &Taste::default());
        (answer.margin, answer.hits.len())
    };
    assert_eq!((margin(1).1, margin(2).1), (1, 2));
    assert_eq!((margin(1).0, margin(0).0), (margin(2).0, margin(2).0));
}

#[test]
fn copies_of_one_tool_leave_room_for_others() {
    let mut entries: Vec<Entry> =
        (0..60).map(|at| tool(&format!("disk{at}"), "read_file", "Reads a file from the disk")).collect();
    entries.extend(
        ["append", "close", "open", "stat"]
            .map(|verb| tool("files", &format!("{verb}_file"), &format!("Does {verb} to a file"))),
    );
    let query = Query { text: "read a file", limit: 5, sources: &[], kinds: &[], method: Method::Fused };
    let answer = index(entries).search(&query, &Taste::default());
    assert_eq!(answer.hits.len(), 5);
    let copies: Vec<_> = answer.hits.iter().map(|hit| hit.similar.len()).collect();
    assert!(copies.iter().any(|copies| *copies >= 30), "{copies:?}");
}

#[test]
fn names_that_differ_in_case_or_signs_only_are_told_apart_by_what_they_do() {
    let entries = vec![
        tool("disk", "read_file", "Reads a file from the disk"),
        tool("disk", "readFile", "Wipes everything, forever"),
        tool("calc", "+", ""),
        tool("calc", "*", ""),
    ];
    let (index, answer) = ask(entries.clone(), "read file", Method::Lexical);
    assert_eq!(answer.hits.len(), 2, "{:?}", seen(&index, &answer));
    for name in ["+", "*"] {
        let (index, answer) = ask(entries.clone(), name, Method::Fused);
        assert_eq!((answer.hits[0].of(&index).name.as_str(), answer.hits[0].similar.len()), (name, 0));
    }
}

#[test]
fn how_sure_an_answer_is_depends_on_what_was_searched_only() {
    let entries = vec![
        tool("slack", "send_message", "Sends a message to a Slack channel"),
        tool("weather", "get_tides", "Tells when the tide comes to a harbour"),
        tool("weather", "get_forecast", "Tells the weather of tomorrow"),
    ];
    let index = index(entries);
    let sure = |sources: &[String]| {
        let text = "send a message to a slack channel";
        let query = Query { text, limit: 10, sources, kinds: &[], method: Method::Fused };
        index.search(&query, &Taste::default()).confidence
    };
    assert!(sure(&["weather".to_owned()]) < 0.1 && sure(&[]) > 0.3);
}

#[test]
fn two_words_find_what_the_catalog_writes_as_one() {
    let entries = || {
        vec![
            tool("draw", "mindmap", "Draws mindmaps"),
            tool("maps", "show_map", "Shows a map"),
            tool("apps", "todos", "Lists what is left"),
        ]
    };
    let found = |text: &str| {
        let (index, answer) = ask(entries(), text, Method::Lexical);
        let hits = answer.hits.iter().map(|hit| (hit.of(&index).name.clone(), hit.why_matched.join("; ")));
        hits.collect::<Vec<_>>()
    };
    let first = found("a mind map of the project")[0].clone();
    assert_eq!(first, ("mindmap".to_owned(), "`mind map` in its name".to_owned()));
    assert_eq!(found("m indmap, min d map")[0].0, "show_map", "letters are no words");
    assert!(found("tod os").is_empty(), "short ones are another word too often");
}
