//! One long list of things to say, good and bad, for each revision.

use super::conversation::{describe, initialize_params};
use serde_json::{Value, json};
use specs::Revision;

/// The lines to say in `revision`: hostile ones last, since they may end the server.
pub(super) fn lines(revision: Revision) -> Vec<Vec<u8>> {
    let mut script = Script { revision, lines: Vec::new() };
    script.before();
    script.open();
    script.lists();
    script.calls();
    script.others();
    script.cancels();
    script.refusals();
    script.hostile();
    script.lines
}

struct Script {
    revision: Revision,
    lines: Vec<Vec<u8>>,
}

impl Script {
    fn raw(&mut self, line: &str) {
        self.lines.push(line.into());
    }

    fn message(&mut self, message: Value) {
        self.lines.push(message.to_string().into_bytes());
    }

    fn ask(&mut self, method: &str, params: Value) {
        let id = self.lines.len();
        let params = describe(self.revision, params);
        self.message(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn ask_plainly(&mut self, method: &str, params: Value) {
        let id = self.lines.len();
        self.message(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.message(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn before(&mut self) {
        if self.revision.is_stateless() {
            self.ask("tools/list", json!({}));
            self.ask("server/discover", json!({}));
            self.ask_plainly("initialize", initialize_params("2026-07-28"));
            return;
        }
        self.ask("ping", json!({}));
        self.ask("tools/list", json!({}));
        self.ask("initialize", initialize_params("1999-01-01"));
        // A fresh server is needed for another opening, so the rest goes on in what was offered.
        self.ask("ping", json!({}));
    }

    fn open(&mut self) {
        if !self.revision.is_stateless() {
            self.tell("notifications/initialized", json!({}));
        }
        self.ask("ping", json!({}));
    }

    fn lists(&mut self) {
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            self.ask(method, json!({}));
            self.ask(method, json!({"cursor": "garbage"}));
        }
        self.ask("tools/list", json!({"cursor": crate::listing::cursor("tools", 4)}));
        self.ask("resources/list", json!({"cursor": crate::listing::cursor("resources", 4)}));
        self.ask("tools/list", json!({"cursor": 4}));
        self.ask("tools/list", json!({"cursor": ""}));
    }

    fn calls(&mut self) {
        for (name, arguments) in [
            ("echo", json!({"text": "hello"})),
            ("add", json!({"a": 2, "b": 3})),
            ("fail", json!({})),
            ("gallery", json!({})),
            ("greet", json!({"name": "Ada", "style": "formal", "times": 2})),
            ("echo", json!({"text": 5})),
            ("nothing", json!({})),
        ] {
            self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        }
        self.ask("tools/call", json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": "7"}}));
        self.ask("tools/call", json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": 7}}));
        self.ask("tools/call", json!({"arguments": {}}));
    }

    fn others(&mut self) {
        self.ask("prompts/get", json!({"name": "poem", "arguments": {"topic": "birch"}}));
        self.ask("prompts/get", json!({"name": "poem"}));
        self.ask("prompts/get", json!({"name": "nothing"}));
        for uri in ["note:///apple", "note:///nothing"] {
            self.ask("resources/read", json!({"uri": uri}));
            self.ask("resources/subscribe", json!({"uri": uri}));
        }
        self.ask("tools/call", json!({"name": "touch_note", "arguments": {"uri": "note:///apple"}}));
        for name in ["poem", "nothing"] {
            let argument = json!({"name": "topic", "value": "a"});
            let reference = json!({"type": "ref/prompt", "name": name});
            self.ask("completion/complete", json!({"ref": reference, "argument": argument}));
        }
        self.ask("logging/setLevel", json!({"level": "info"}));
        self.ask("logging/setLevel", json!({"level": "loud"}));
        self.ask("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    }

    fn cancels(&mut self) {
        let id = self.lines.len();
        self.ask("tools/call", json!({"name": "slow", "arguments": {}}));
        self.tell("notifications/cancelled", json!({"requestId": id}));
    }

    fn refusals(&mut self) {
        self.ask("no/such/method", json!({}));
        if self.revision.is_stateless() {
            let version = "io.modelcontextprotocol/protocolVersion";
            let capabilities = "io.modelcontextprotocol/clientCapabilities";
            self.ask_plainly("tools/list", json!({}));
            self.ask_plainly("tools/list", json!({"_meta": {capabilities: {}}}));
            self.ask_plainly("tools/list", json!({"_meta": {version: "2026-07-28"}}));
            self.ask_plainly("tools/list", json!({"_meta": {version: "1999-01-01", capabilities: {}}}));
        }
        let params = describe(self.revision, json!({}));
        self.message(json!({"jsonrpc": "2.0", "id": "7", "method": "tools/list", "params": params}));
        self.message(json!({"jsonrpc": "2.0", "ID": 70, "Method": "tools/list", "params": params}));
        let request =
            |id: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params});
        self.message(json!([request(json!(71)), request(json!(72))]));
        self.message(json!([]));
        self.message(request(Value::Null));
    }

    fn hostile(&mut self) {
        self.ask("tools/call", json!({"name": "slow"}));
        self.tell("notifications/nobody-knows", json!({}));
        self.message(json!({"jsonrpc": "2.0", "id": 80}));
        self.message(json!({"jsonrpc": "2.0", "id": 81, "method": "tools/list", "params": [1]}));
        self.message(json!({"jsonrpc": "2.0", "id": 82, "method": "tools/list", "params": "text"}));
        self.raw("this is not JSON");
        self.ask("initialize", initialize_params(self.revision.as_str()));
    }
}

/// Other openings, each for a fresh server.
pub(super) fn openings(revision: Revision) -> Vec<Vec<Vec<u8>>> {
    let line = |params: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string().into_bytes()
    };
    let with = |name: &str, value: Value| {
        let mut params = initialize_params(revision.as_str());
        params[name] = value;
        params
    };
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
    vec![
        vec![line(with("_meta", json!({})))],
        vec![line(with("capabilities", json!({"teleport": {}})))],
        vec![line(initialize_params("2099-01-01"))],
        vec![line(initialize_params(revision.as_str()))],
        vec![discover.to_string().into_bytes()],
    ]
}
