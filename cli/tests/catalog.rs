//! Runs the program on catalogs, several commands after one another. What one command answers alone stands in `tests/cmd`.

use snapbox::cmd::cargo_bin;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;

/// What a command said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(cargo_bin!("mcpproof"));
    command.args(args).current_dir(folder).env_remove("MCPPROOF_CATALOG");
    said(&mut command)
}

fn said(command: &mut Command) -> Said {
    let done = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it writes UTF-8");
    Said {
        code: done.status.code().expect("it ends by itself"),
        out: text(&done.stdout),
        err: text(&done.stderr),
    }
}

fn well(folder: &Path, args: &[&str]) -> Said {
    let said = run(folder, args);
    assert_eq!(said.code, 0, "{args:?}: {}", said.err);
    said
}

fn folder(tools: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tools.jsonl"), tools).expect("a file");
    folder
}

const TOOLS: &str = r#"{"server": "notes", "name": "find", "description": "Finds notes that hold a phrase."}
{"server": "notes", "name": "drop", "description": "Deletes a note for good."}
{"server": "mail", "name": "find", "description": "Finds letters of a person."}
"#;

#[test]
fn what_servers_offer_is_filed_and_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = well(folder.path(), &["catalog", "build", "mock:good"]);
    assert!(built.err.contains("good: 7 tools"), "{}", built.err);
    let again = well(folder.path(), &["catalog", "build", "other=mock:good", "mock:good"]);
    assert!(again.err.contains("as before") && again.err.contains("of 2 sources"), "{}", again.err);
    let found = well(folder.path(), &["search", "add", "two", "numbers", "--lexical", "--source", "other"]);
    assert!(found.out.contains("  1  other/add  "), "{}", found.out);
    let kinds = well(folder.path(), &["search", "good", "--lexical", "--kind", "prompt", "--json"]);
    assert!(!kinds.out.contains("\"kind\": \"tool\""), "{}", kinds.out);
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("lists").flatten().map(|file| file.file_name()).collect();
    assert_eq!(left, ["mcp-catalog.db"], "nothing lies beside the catalog");
}

#[test]
fn a_source_that_fails_keeps_what_it_had_and_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = |command: &str| {
        let text = format!("[server.one]\n{command}\n[server.two]\nmock = \"good\"\n");
        std::fs::write(folder.path().join("mcpproof.toml"), text).expect("a file");
    };
    settings("mock = \"good\"");
    well(folder.path(), &["catalog", "build"]);
    settings("command = [\"no-such-command-anywhere\"]");
    let built = well(folder.path(), &["catalog", "build"]);
    assert!(built.err.contains("failed: one: ") && built.err.contains("1 source failed"), "{}", built.err);
    let stats = well(folder.path(), &["catalog", "stats"]);
    assert!(stats.out.contains("one  7 tools") && stats.out.contains("failed since"), "{}", stats.out);
    assert_eq!(run(folder.path(), &["catalog", "build", "one"]).code, 3, "none could be read");
}

#[test]
fn an_export_is_imported_elsewhere_with_all_that_was_said() {
    let (here, there) = (folder(TOOLS), folder(""));
    well(here.path(), &["catalog", "import", "tools.jsonl"]);
    well(here.path(), &["pin", "add", "mail/find"]);
    well(here.path(), &["pin", "add", "notes/drop", "--as", "shred"]);
    well(here.path(), &["catalog", "set-summary", "shred", "Puts paper through the shredder", "--add"]);
    let export = well(here.path(), &["catalog", "export"]).out;
    std::fs::write(there.path().join("tools.jsonl"), &export).expect("a file");
    well(there.path(), &["catalog", "import", "tools.jsonl"]);
    assert_eq!(well(there.path(), &["catalog", "export"]).out, export);
    assert_eq!(well(there.path(), &["pin", "list"]).out, "mail/find\nshred = notes/drop\n");
    let found = well(there.path(), &["search", "paper shredder", "--lexical"]).out;
    assert!(found.contains("  1  notes/drop"), "{found}");
    assert!(well(there.path(), &["search", "shred", "--lexical"]).out.contains("  1  notes/drop"));
}

#[test]
fn a_source_that_is_there_is_not_replaced_unless_that_is_said() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    let refused = run(folder.path(), &["catalog", "import", "tools.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("has a source `mail` already") && refused.err.contains("--rename"),
        "{}",
        refused.err
    );
    well(folder.path(), &["catalog", "import", "tools.jsonl", "--replace"]);
    well(
        folder.path(),
        &["catalog", "import", "tools.jsonl", "--rename", "mail=post", "--rename", "notes=pad"],
    );
    assert!(well(folder.path(), &["catalog", "stats"]).out.contains("6 entries of 4 sources"));
    well(folder.path(), &["catalog", "remove", "post"]);
    let unknown = run(folder.path(), &["catalog", "remove", "pots"]);
    assert_eq!(unknown.code, 2);
}

#[test]
fn pins_are_added_and_taken_away_and_a_name_of_several_is_asked_back() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    let several = run(folder.path(), &["pin", "add", "find"]);
    assert_eq!(several.code, 2);
    assert!(several.err.contains("say which: mail/find, notes/find"), "{}", several.err);
    let unknown = run(folder.path(), &["pin", "add", "notes/fnid"]);
    assert!(unknown.err.contains("did you mean `notes/find`?"), "{}", unknown.err);
    assert!(well(folder.path(), &["pin", "add", "drop"]).err.contains("pinned notes/drop"));
    assert!(well(folder.path(), &["pin", "add", "drop"]).err.contains("is pinned already"));
    let listed = well(folder.path(), &["pin", "list", "--json"]).out;
    assert!(listed.contains("\"name\": \"drop\""), "{listed}");
    well(folder.path(), &["catalog", "remove", "notes"]);
    let listed = well(folder.path(), &["pin", "list"]).out;
    assert_eq!(listed, "notes/drop (not in the catalog now)\n");
    well(folder.path(), &["pin", "remove", "drop"]);
    assert_eq!(well(folder.path(), &["pin", "list"]).out, "nothing is pinned\n");
    assert_eq!(run(folder.path(), &["pin", "remove", "drop"]).code, 2);
}

#[test]
fn the_environment_names_the_catalog_and_disturbs_no_other_command() {
    let folder = folder(TOOLS);
    let with = |args: &[&str]| {
        let mut command = Command::new(cargo_bin!("mcpproof"));
        said(command.args(args).current_dir(folder.path()).env("MCPPROOF_CATALOG", "mine.db"))
    };
    assert_eq!(with(&["catalog", "import", "tools.jsonl"]).code, 0);
    assert!(folder.path().join("mine.db").exists());
    assert!(with(&["search", "letters", "--lexical"]).out.contains("mail/find"));
    let checked = with(&["check", "--only", "ping-answered", "--revision", "2025-11-25", "mock:good"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_cannot_be_written_is_an_error() {
    let folder = folder(TOOLS);
    well(folder.path(), &["catalog", "import", "tools.jsonl"]);
    for args in [&["catalog", "export"][..], &["search", "notes", "--lexical", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(cargo_bin!("mcpproof"));
        command.args(args).current_dir(folder.path()).env_remove("MCPPROOF_CATALOG").stdout(full);
        let said = said(&mut command);
        assert_eq!(said.code, 3, "{args:?}: {}", said.err);
        assert!(said.err.contains("standard output cannot be written"), "{}", said.err);
    }
}

#[test]
fn an_import_takes_nothing_away_that_was_said_here_unless_that_is_said() {
    let (here, there) = (folder(TOOLS), folder(TOOLS));
    for (folder, words) in [(&here, "Finds letters"), (&there, "Seeks mail")] {
        well(folder.path(), &["catalog", "import", "tools.jsonl"]);
        well(folder.path(), &["catalog", "set-summary", "mail/find", words]);
    }
    well(here.path(), &["pin", "add", "notes/drop", "--as", "it"]);
    well(there.path(), &["pin", "add", "notes/find", "--as", "it"]);
    well(there.path(), &["catalog", "remove", "mail"]);
    well(there.path(), &["catalog", "remove", "notes"]);
    let export = well(here.path(), &["catalog", "export"]).out;
    std::fs::write(there.path().join("more.jsonl"), &export).expect("a file");
    let kept = well(there.path(), &["catalog", "import", "more.jsonl"]);
    assert!(kept.err.contains("note: the alias `it` is another one"), "{}", kept.err);
    assert!(kept.err.contains("note: the summary of mail/find is another one"), "{}", kept.err);
    assert_eq!(well(there.path(), &["pin", "list"]).out, "it = notes/find\n");
    let taken = well(there.path(), &["catalog", "import", "more.jsonl", "--replace"]);
    assert!(taken.err.contains("2 sources, 1 alias, 1 summary in"), "{}", taken.err);
    assert_eq!(well(there.path(), &["catalog", "export"]).out, export);
}

#[test]
fn a_name_before_json_lines_is_refused() {
    let folder = folder(TOOLS);
    let refused = run(folder.path(), &["catalog", "build", "mine=tools.jsonl"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--rename OLD=mine"), "{}", refused.err);
}

/// A server on loopback that gives every request to `answer` and closes the connection; nothing to say means silence
/// until the client goes.
fn serve(answer: impl Fn(&str, &serde_json::Value) -> Option<String> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client comes");
            let (head, body) = request(&stream);
            match answer(&head, &body) {
                Some(text) => stream.write_all(text.as_bytes()).expect("the client listens"),
                // It waits until the client has had enough.
                None => _ = stream.read(&mut [0]),
            }
        }
    });
    address
}

/// The head of a request, and its body where that is JSON.
fn request(stream: &TcpStream) -> (String, serde_json::Value) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a head is text");
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length is a number");
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the body is as long as it says");
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

fn json_answer(body: &serde_json::Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// An endpoint as Ollama is one, which tells how many texts it was asked for each time.
fn ollama(numbers: usize) -> (String, mpsc::Receiver<usize>) {
    let (sender, asked) = mpsc::channel();
    let url = serve(move |_, body| {
        let texts = body["input"].as_array().map_or(0, Vec::len);
        // A test that has what it wants no longer listens.
        _ = sender.send(texts);
        let vector: Vec<_> = (0..numbers).map(|at| f64::from(u8::from(at == 0))).collect();
        Some(json_answer(&serde_json::json!({"embeddings": vec![vector; texts]})))
    });
    (url, asked)
}

/// Runs with an endpoint at `url`.
fn with_ollama(folder: &Path, url: &str, args: &[&str]) -> Said {
    let mut command = Command::new(cargo_bin!("mcpproof"));
    command.args(args).current_dir(folder).env_remove("MCPPROOF_CATALOG").env("MCPPROOF_OLLAMA_URL", url);
    said(&mut command)
}

#[test]
fn vectors_that_a_build_makes_are_there_for_searches_which_say_that_their_confidence_is_a_guess() {
    let folder = folder(TOOLS);
    let (url, asked) = ollama(3);
    let built =
        with_ollama(folder.path(), &url, &["catalog", "build", "tools.jsonl", "--embedder", "ollama:m"]);
    assert_eq!(built.code, 0, "{}", built.err);
    assert!(built.err.ends_with("entries that ollama:m compares: 3\n"), "{}", built.err);
    assert!(asked.try_iter().sum::<usize>() >= 3);
    let args = ["search", "find letters", "--embedder", "ollama:m", "--json"];
    let found = with_ollama(folder.path(), &url, &args);
    let found: serde_json::Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!(asked.try_iter().collect::<Vec<_>>(), [1], "only the request has no vector yet");
    assert_eq!((&found["method"], &found["calibrated"]), (&"fused".into(), &false.into()));
    let text = with_ollama(folder.path(), &url, &args[..4]).out;
    assert!(text.contains(", a guess: it was never measured for ollama:m"), "{text}");
    let lexical = well(folder.path(), &["search", "find letters", "--lexical", "--json"]).out;
    assert!(
        lexical.contains("\"method\": \"lexical\"") && lexical.contains("\"calibrated\": true"),
        "{lexical}"
    );
}

#[test]
fn a_build_whose_embedder_fails_keeps_what_was_filed_and_a_search_says_that_it_went_on_by_words() {
    let folder = folder(TOOLS);
    // Nobody listens at the port of a listener that is gone.
    let url = TcpListener::bind("127.0.0.1:0").and_then(|gone| gone.local_addr()).expect("a port");
    let url = format!("http://me:sekret@{url}/?token=sekret");
    let built =
        with_ollama(folder.path(), &url, &["catalog", "build", "tools.jsonl", "--embedder", "ollama:m"]);
    assert_eq!(built.code, 3);
    assert!(built.err.contains("the sources are filed, but `ollama:m` made no vectors"), "{}", built.err);
    let args = ["search", "find letters", "--embedder", "ollama:m", "--json"];
    let found = with_ollama(folder.path(), &url, &args);
    assert_eq!(found.code, 0, "{}", found.err);
    let json: serde_json::Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!(json["method"], "lexical");
    assert!(
        json["degraded"].as_str().is_some_and(|why| why.starts_with("searched by words only: `http://127"))
    );
    assert!(!format!("{}{}{}", built.err, found.err, found.out).contains("sekret"));
}

#[test]
fn the_time_for_an_answer_holds_for_embedding_endpoints() {
    let folder = folder(TOOLS);
    let url = serve(|_, _| None);
    let args = ["search", "find letters", "--catalog", "tools.jsonl", "--embedder", "ollama:m"];
    let found = with_ollama(folder.path(), &url, &[&args[..], &["--timeout", "50ms"]].concat());
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.err.contains("searched by words only") && found.err.contains("timeout"), "{}", found.err);
    assert!(found.out.contains("mail/find"), "{}", found.out);
}

#[test]
fn vectors_that_nothing_needs_are_forgotten_and_those_of_an_embedder_on_request() {
    let folder = folder(TOOLS);
    let (url, _asked) = ollama(3);
    with_ollama(folder.path(), &url, &["catalog", "build", "tools.jsonl", "--embedder", "ollama:m"]);
    let kept = || -> serde_json::Map<String, serde_json::Value> {
        let stats = well(folder.path(), &["catalog", "stats", "--json"]).out;
        let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
        stats["vectors"].as_object().expect("an object").clone()
    };
    let before = kept();
    let (name, count) = before.iter().next().expect("vectors are kept");
    std::fs::write(folder.path().join("tools.jsonl"), TOOLS.replace("a phrase", "some words"))
        .expect("a file");
    well(folder.path(), &["catalog", "build", "tools.jsonl"]);
    let after = kept()[name].as_u64().expect("some are kept");
    assert_eq!(Some(after + 1), count.as_u64(), "that of the changed text is gone");
    let pruned = well(folder.path(), &["catalog", "prune"]);
    assert!(pruned.err.starts_with("0 vectors forgotten; "), "{}", pruned.err);
    let unknown = run(folder.path(), &["catalog", "prune", "--embedder", "ollama:m"]);
    assert!(unknown.code == 2 && unknown.err.contains(name.as_str()), "{}", unknown.err);
    well(folder.path(), &["catalog", "prune", "--embedder", name]);
    assert!(kept().is_empty());
}

#[test]
fn the_address_that_is_searched_is_shown_without_secrets_and_flags_reach_the_one_target_of_a_build() {
    let (sender, heads) = mpsc::channel();
    let url = serve(move |head, _| {
        // A test that has what it wants no longer listens.
        _ = sender.send(head.to_lowercase());
        Some("HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned())
    });
    let folder = folder(TOOLS);
    let target = format!("{}/mcp?token=sekret", url.replace("http://", "http://me:sekret@"));
    let header = ["--header", "Authorization: Bearer sekret", "--start-timeout", "5s"];
    let built = run(folder.path(), &[&["catalog", "build", &target], &header[..]].concat());
    assert!(built.code == 3 && built.err.contains("401"), "{}", built.err);
    assert!(heads.try_iter().any(|head| head.contains("authorization: bearer sekret")));
    let searched = run(folder.path(), &["search", "letters", "--catalog", &target, "--start-timeout", "5s"]);
    assert!(searched.code == 3 && searched.err.contains("401"), "{}", searched.err);
    assert!(!format!("{}{}{}", built.err, searched.err, searched.out).contains("sekret"), "{}", searched.err);
}
