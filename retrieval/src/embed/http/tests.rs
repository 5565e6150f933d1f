//! Tests of embedding endpoints, with a server that says what a test wants.

use super::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

/// A server that answers one request after the other with the next of `answers`, and what it was asked.
fn serve(answers: Vec<(u16, String)>) -> (String, mpsc::Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let (sender, asked) = mpsc::channel();
    std::thread::spawn(move || {
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().expect("a client comes");
            let request = read(&stream);
            // A test that has what it wants no longer listens.
            _ = sender.send(request);
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes()).expect("the client listens");
        }
    });
    (url, asked)
}

/// The head of a request and its JSON.
fn read(stream: &TcpStream) -> (String, Value) {
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
    (head, serde_json::from_slice(&body).expect("the body is JSON"))
}

fn remote(dialect: Dialect, url: &str) -> Remote {
    Remote::new(Endpoint {
        dialect,
        url: url.to_owned(),
        model: "m".to_owned(),
        key: Some("sekret-key".to_owned()),
        timeout: Duration::from_secs(20),
        pause: Duration::ZERO,
    })
}

fn ollama(vectors: &Value) -> (u16, String) {
    (200, json!({"embeddings": vectors}).to_string())
}

fn told(dialect: Dialect, answers: Vec<(u16, String)>, texts: &[&str]) -> String {
    let (url, _asked) = serve(answers);
    let remote = remote(dialect, &url.replace("http://", "http://user:sekret-password@"));
    let told = match remote.embed(texts) {
        Ok(vectors) => format!("{vectors:?}"),
        Err(error) => error.to_string(),
    };
    assert!(!told.contains("sekret"), "{told}");
    told.replace(&url, "URL")
}

#[test]
fn ollama_is_asked_for_64_texts_at_a_time() {
    let answers = [64, 36].map(|count| ollama(&vec![json!([3.0, 4.0]); count].into()));
    let (url, asked) = serve(answers.to_vec());
    let vectors = remote(Dialect::Ollama, &url).embed(&["text"; 100]).expect("the server answers");
    assert_eq!(vectors, vec![vec![0.6, 0.8]; 100]);
    let (head, body) = asked.recv().expect("it was asked");
    assert!(head.starts_with("POST /api/embed HTTP/1.1"), "{head}");
    assert_eq!((&body["model"], body["input"].as_array().map(Vec::len)), (&json!("m"), Some(64)));
    assert_eq!(asked.recv().expect("twice").1["input"].as_array().map(Vec::len), Some(36));
}

#[test]
fn the_vectors_of_openai_are_put_in_order_and_the_key_is_sent() {
    let data = json!([{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]);
    let (url, asked) = serve(vec![(200, json!({"data": data}).to_string())]);
    let remote = remote(Dialect::OpenAi, &format!("{url}/v1/"));
    assert_eq!(remote.name(), "openai:m");
    assert_eq!(remote.embed(&["a", "b"]).expect("the server answers"), [[1.0, 0.0], [0.0, 1.0]]);
    let (head, _) = asked.recv().expect("it was asked");
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1"), "{head}");
    assert!(head.to_lowercase().contains("authorization: bearer sekret-key"), "{head}");
}

#[test]
fn a_text_of_nothing_gets_zeros_and_is_never_sent() {
    let (url, asked) = serve(vec![ollama(&json!([[1, 0], [0, 1]]))]);
    let vectors = remote(Dialect::Ollama, &url).embed(&[" ", "b"]).expect("the server answers");
    assert_eq!(vectors, [[0.0, 0.0], [0.0, 1.0]]);
    assert_eq!(asked.recv().expect("it was asked").1["input"], json!([".", "b"]));
}

#[test]
fn what_may_pass_is_asked_again() {
    let answers =
        vec![(429, String::new()), (503, "busy".into()), (500, String::new()), ollama(&json!([[2]]))];
    assert_eq!(told(Dialect::Ollama, answers, &["a"]), "[[1.0]]");
    let answers = vec![(503, "busy".to_owned()); 4];
    let expected = "`URL/api/embed`: status 503: busy (4 attempts)";
    assert_eq!(told(Dialect::Ollama, answers, &["a"]), expected);
}

#[test]
fn a_refusal_is_told_at_once_without_the_key() {
    let answers = vec![(401, "{\"error\": \"bad key sekret-key\"}".to_owned())];
    let expected = "`URL/embeddings`: status 401: {\"error\": \"bad key ***\"}";
    assert_eq!(told(Dialect::OpenAi, answers, &["a"]), expected);
}

#[test]
fn answers_without_the_right_vectors_are_told() {
    let said = |body: &str| told(Dialect::Ollama, vec![(200, body.to_owned())], &["a", "b"]);
    let at = "`URL/api/embed`: ";
    assert_eq!(said("<html>"), format!("{at}the answer is no JSON: <html>"));
    assert_eq!(said("{}"), format!("{at}the answer has no vectors: {{}}"));
    assert_eq!(said(r#"{"embeddings": [[1]]}"#), format!("{at}1 vectors came for 2 texts"));
    let no_numbers = format!("{at}a vector is no list of numbers");
    assert_eq!(said(r#"{"embeddings": [[1], [null]]}"#), no_numbers);
    assert_eq!(said(r#"{"embeddings": [[1e300], [1]]}"#), no_numbers);
    assert_eq!(said(r#"{"embeddings": [[], []]}"#), no_numbers);
    let dimensions = "`ollama:m` gave vectors of 1 numbers, 2 were expected";
    assert_eq!(said(r#"{"embeddings": [[1, 2], [1]]}"#), dimensions);
}

#[test]
fn a_vector_of_another_dimension_than_before_is_told() {
    let (url, _asked) = serve(vec![ollama(&json!([[1, 2]])), ollama(&json!([[1, 2, 3]]))]);
    let remote = remote(Dialect::Ollama, &url);
    remote.embed(&["a"]).expect("the server answers");
    let error = remote.embed(&["a"]).expect_err("another dimension");
    assert!(matches!(error, EmbedError::Dimension { expected: 2, seen: 3, .. }), "{error}");
}

#[test]
fn an_endpoint_that_is_down_is_told_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    drop(listener);
    let error = remote(Dialect::Ollama, &url).embed(&["a"]).expect_err("nobody is there").to_string();
    assert!(error.starts_with(&format!("`{url}/api/embed`: ")), "{error}");
    assert!(error.ends_with("(4 attempts)"), "{error}");
}

#[test]
fn addresses_are_shown_without_secrets() {
    assert_eq!(plain("https://a:b@host:1/x/y?key=z#w"), "https://host:1/x/y");
    assert_eq!(plain("https://host"), "https://host");
    assert_eq!(plain("nonsense?key=z"), "nonsense");
}

#[test]
fn an_address_with_a_query_is_asked_below_its_path() {
    let (url, asked) = serve(vec![(200, json!({"data": [{"embedding": [1]}]}).to_string())]);
    remote(Dialect::OpenAi, &format!("{url}/v1/?version=1")).embed(&["a"]).expect("the server answers");
    let (head, _) = asked.recv().expect("it was asked");
    assert!(head.starts_with("POST /v1/embeddings?version=1 HTTP/1.1"), "{head}");
}

#[test]
fn vectors_are_kept_by_model_and_address_and_not_by_what_is_secret_in_it() {
    let kept = |url: &str| remote(Dialect::Ollama, url).kept_as();
    assert!(kept("http://one.example").starts_with("ollama:m@"));
    assert_ne!(kept("http://one.example"), kept("http://two.example"));
    assert_eq!(kept("http://one.example"), kept("http://me:sekret@one.example/"));
}

#[test]
fn a_vector_too_long_is_refused_and_an_endpoint_is_shown_without_its_key() {
    let said = told(Dialect::Ollama, vec![ollama(&json!([vec![0; MOST_NUMBERS + 1]]))], &["a"]);
    assert!(said.ends_with("a vector has 16385 numbers; at most 16384 are taken"), "{said}");
    let shown = format!("{:?}", remote(Dialect::Ollama, "http://me:sekret@one.example/").endpoint);
    assert!(!shown.contains("sekret") && shown.contains("one.example"), "{shown}");
}

#[test]
fn a_request_that_is_not_answered_in_time_is_sent_once_more() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let mut endpoint = remote(Dialect::Ollama, &url).endpoint;
    endpoint.timeout = Duration::from_millis(50);
    let error = Remote::new(endpoint).embed(&["a"]).expect_err("nobody answers").to_string();
    assert!(error.ends_with("(2 attempts)"), "{error}");
}
