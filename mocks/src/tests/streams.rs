//! The server over real byte streams: timing, cancellation and the end of input.

use crate::find;
use crate::stdio::{Place, run};
use serde_json::{Value, json};
use specs::Revisions;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

struct Streams {
    input: Option<DuplexStream>,
    output: BufReader<DuplexStream>,
    server: JoinHandle<i32>,
}

impl Streams {
    fn of(name: &str) -> Self {
        let (output, server_output) = tokio::io::duplex(1024);
        let (input, server_input) = tokio::io::duplex(1024);
        let setup = find(name).expect("the name of a mock").setup(Revisions::ALL);
        let server = tokio::spawn(run(server_input, server_output, setup, Place::InProcess));
        Self { input: Some(input), output: BufReader::new(output), server }
    }

    async fn say(&mut self, message: Value) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    async fn ask(&mut self, id: u64, method: &str, mut params: Value) {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}});
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).await.expect("the server writes");
        serde_json::from_str(&line).expect("a message")
    }
}

#[tokio::test]
async fn other_requests_are_answered_while_a_slow_one_works() {
    let mut streams = Streams::of("good");
    streams.ask(1, "tools/call", json!({"name": "slow"})).await;
    streams.ask(2, "tools/list", json!({})).await;
    assert_eq!(streams.hear().await["id"], 2);
    assert_eq!(streams.hear().await["id"], 1);
}

#[tokio::test]
async fn a_cancelled_call_is_never_answered() {
    let mut streams = Streams::of("good");
    streams.ask(1, "tools/call", json!({"name": "slow"})).await;
    let params = json!({"requestId": 1});
    streams.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    streams.ask(2, "tools/call", json!({"name": "slow"})).await;
    assert_eq!(streams.hear().await["id"], 2);
    drop(streams.input.take());
    assert_eq!(streams.server.await.expect("the server ends"), 0);
}

#[tokio::test]
async fn what_was_asked_is_answered_after_the_end_of_input() {
    let mut streams = Streams::of("good");
    streams.ask(1, "tools/call", json!({"name": "slow"})).await;
    drop(streams.input.take());
    assert_eq!(streams.hear().await["id"], 1);
    assert_eq!(streams.server.await.expect("the server ends"), 0);
}

#[tokio::test]
async fn a_last_line_without_newline_is_heard() {
    let mut streams = Streams::of("good");
    let input = streams.input.as_mut().expect("the input is open");
    input.write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.expect("the server reads");
    drop(streams.input.take());
    assert_eq!(streams.hear().await["result"], json!({}));
}

#[tokio::test]
async fn an_exit_closes_both_pipes() {
    let mut streams = Streams::of("parse-error-silent-death");
    streams.say(json!("not a message")).await;
    assert_eq!(streams.hear().await["error"]["code"], -32600);
    let input = streams.input.as_mut().expect("the input is open");
    input.write_all(b"nonsense\n").await.expect("the server reads");
    let mut rest = Vec::new();
    streams.output.read_to_end(&mut rest).await.expect("the output ends");
    assert_eq!((rest, streams.server.await.expect("the server ends")), (Vec::new(), 1));
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_input_keeps_its_output_open() {
    let mut streams = Streams::of("eof-ignored");
    drop(streams.input.take());
    let mut byte = [0];
    let read = streams.output.read(&mut byte);
    let waited = tokio::time::timeout(std::time::Duration::from_millis(20), read).await;
    assert!(waited.is_err() && !streams.server.is_finished());
}
