//! The good server keeps the rules of each revision.

use super::conversation::{Talk, initialize_params, transcript};
use super::script;
use crate::find;
use serde_json::{Value, json};
use specs::{Revision, Revisions};

#[test]
fn the_good_server_says_what_was_reviewed_in_each_revision() {
    let good = find("good").expect("good is a mock");
    for revision in Revision::ALL {
        let name = format!("good-{revision}");
        insta::assert_snapshot!(
            name,
            transcript(good.setup(Revisions::only(revision)), script::lines(revision))
        );
    }
}

#[test]
fn the_lists_end_after_two_pages() {
    for revision in Revision::ALL {
        for (method, member) in
            [("tools/list", "tools"), ("prompts/list", "prompts"), ("resources/list", "resources")]
        {
            let mut talk = Talk::good(revision);
            let first = talk.ask(method, json!({}));
            let cursor = first["result"]["nextCursor"].clone();
            assert!(cursor.is_string(), "{first}");
            let second = talk.ask(method, json!({"cursor": cursor}));
            assert_eq!(second["result"].get("nextCursor"), None);
            assert_ne!(first["result"][member], second["result"][member]);
        }
    }
}

#[test]
fn negotiation_echoes_what_is_spoken_and_offers_the_newest_otherwise() {
    let good = find("good").expect("good is a mock");
    for (asked, offered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut talk = Talk::among(&good, Revisions::ALL, Revision::V2025_11_25);
        let reply = talk.ask("initialize", initialize_params(asked));
        assert_eq!(reply["result"]["protocolVersion"], offered);
    }
}

#[test]
fn both_eras_are_served_by_one_server() {
    let good = find("good").expect("good is a mock");
    let mut talk = Talk::among(&good, Revisions::ALL, Revision::V2026_07_28);
    let discovered = talk.ask("server/discover", json!({}));
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]));
    talk.revision = Revision::V2025_06_18;
    talk.open();
    assert_eq!(talk.ask("tools/list", json!({}))["result"].get("resultType"), None);
    talk.revision = Revision::V2026_07_28;
    assert_eq!(talk.ask("tools/list", json!({}))["result"]["resultType"], "complete");
}

#[test]
fn bad_arguments_are_a_tool_error_only_from_2025_11_25_on() {
    for revision in Revision::ALL {
        let mut talk = Talk::good(revision);
        let params = json!({"name": "echo", "arguments": {"text": 5}});
        if revision >= Revision::V2025_11_25 {
            assert_eq!(talk.ask("tools/call", params)["result"]["isError"], true);
        } else {
            assert_eq!(talk.code("tools/call", params), -32602);
        }
    }
}

#[test]
fn a_missing_resource_has_the_code_of_its_revision() {
    for revision in Revision::ALL {
        let code = Talk::good(revision).code("resources/read", json!({"uri": "note:///nothing"}));
        assert_eq!(code, if revision.is_stateless() { -32602 } else { -32002 });
    }
}

#[test]
fn structured_content_comes_with_its_text_twin_where_the_revision_has_it() {
    for revision in Revision::ALL {
        let result = Talk::good(revision).call("add", json!({"a": 2, "b": 3}));
        assert_eq!(result["content"][0]["text"], "{\"sum\":5}");
        let structured = result.get("structuredContent");
        assert_eq!(structured.is_some(), revision.has_structured_content(), "{revision}");
    }
}

#[test]
fn batches_are_answered_only_in_the_revision_that_has_them() {
    for revision in Revision::ALL {
        let mut talk = Talk::good(revision);
        let pair = json!([talk.request("tools/list", json!({})), talk.request("tools/list", json!({}))]);
        let reply = talk.say(pair).pop().expect("an answer");
        if revision.has_batches() {
            assert_eq!(reply.as_array().map(Vec::len), Some(2));
        } else {
            assert_eq!(reply["error"]["code"], -32600);
        }
    }
}

#[test]
fn progress_comes_only_for_a_token_and_only_rises() {
    for revision in Revision::ALL {
        let mut talk = Talk::good(revision);
        assert_eq!(talk.ask_all("tools/call", json!({"name": "slow"})).len(), 1);
        let params = json!({"name": "slow", "_meta": {"progressToken": "p"}});
        let said = talk.ask_all("tools/call", params);
        let progress: Vec<_> = said.iter().filter_map(|m| m["params"]["progress"].as_i64()).collect();
        assert_eq!(progress, [1, 2, 3]);
        assert!(said.last().is_some_and(|last| last.get("result").is_some()));
    }
}

#[test]
fn a_session_that_is_not_open_serves_ping_only() {
    for revision in Revision::WITH_HANDSHAKE {
        let good = find("good").expect("good is a mock");
        let mut talk = Talk::with(&good, revision);
        assert_eq!(talk.ask("ping", json!({}))["result"], json!({}));
        assert_eq!(talk.code("tools/list", json!({})), -32600);
        assert_eq!(talk.code("server/discover", json!({})), -32601);
    }
}

#[test]
fn a_stateless_request_must_describe_itself() {
    let mut talk = Talk::good(Revision::V2026_07_28);
    for params in [json!({}), json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})] {
        let bare = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": params});
        assert_eq!(talk.say(bare)[0]["error"]["code"], -32602);
    }
    let mut unknown = talk.request("tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2020-01-01");
    let error = talk.say(unknown)[0]["error"].take();
    assert_eq!(error["code"], -32022);
    assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": "2020-01-01"}));
    assert_eq!(talk.code("ping", json!({})), -32601);
    let refused = talk.ask("initialize", initialize_params("2025-11-25"));
    assert!(refused["error"]["message"].to_string().contains("2026-07-28"));
}

#[test]
fn a_subscription_is_acknowledged_and_told_of_changes_until_it_is_cancelled() {
    let mut talk = Talk::good(Revision::V2026_07_28);
    let wanted =
        json!({"notifications": {"resourceSubscriptions": ["note:///apple"], "toolsListChanged": false}});
    let said = talk.ask_all("subscriptions/listen", wanted);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(said[0]["params"]["notifications"], json!({"resourceSubscriptions": ["note:///apple"]}));
    let id = said[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone();
    let touch = json!({"name": "touch_note", "arguments": {"uri": "note:///apple"}});
    let told = talk.ask_all("tools/call", touch.clone());
    assert_eq!(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    assert_eq!(talk.say(cancel), Vec::<Value>::new());
    assert_eq!(talk.ask_all("tools/call", touch).len(), 1);
}

#[test]
fn log_messages_come_only_when_they_were_asked_for() {
    for revision in Revision::WITH_HANDSHAKE {
        let mut talk = Talk::good(revision);
        let echo = json!({"name": "echo", "arguments": {"text": "x"}});
        assert_eq!(talk.ask_all("tools/call", echo.clone()).len(), 1);
        talk.ask("logging/setLevel", json!({"level": "debug"}));
        assert_eq!(talk.ask_all("tools/call", echo.clone()).len(), 2);
        talk.ask("logging/setLevel", json!({"level": "error"}));
        assert_eq!(talk.ask_all("tools/call", echo).len(), 1);
    }
    let mut talk = Talk::good(Revision::V2026_07_28);
    let meta = json!({"io.modelcontextprotocol/logLevel": "debug"});
    let echo = json!({"name": "echo", "arguments": {"text": "x"}, "_meta": meta});
    assert_eq!(talk.ask_all("tools/call", echo).len(), 2);
}

#[test]
fn tool_names_and_schemas_suit_every_provider() {
    for revision in Revision::ALL {
        let surface = crate::Surface::good(revision);
        for tool in &surface.tools {
            let name = tool["name"].as_str().expect("a name");
            assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            let schema = tool["inputSchema"].as_object().expect("a schema");
            assert_eq!(schema["type"], "object");
            assert!(["anyOf", "oneOf", "allOf", "$ref"].iter().all(|word| !schema.contains_key(*word)));
        }
    }
}

#[test]
fn bad_messages_get_the_code_they_deserve() {
    for revision in Revision::ALL {
        let mut talk = Talk::good(revision);
        for (line, code, id) in [
            ("nonsense", -32700, json!(null)),
            ("5", -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":3}"#, -32600, json!(3)),
            (r#"{"jsonrpc":"1.0","id":3,"method":"tools/list"}"#, -32600, json!(3)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":3,"method":5}"#, -32600, json!(3)),
            (r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[1]}"#, -32602, json!(3)),
        ] {
            let reply = talk.say_bytes(line.as_bytes()).pop().expect("an answer");
            assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(code), &id), "{line}");
        }
        let unknown = json!({"jsonrpc": "2.0", "method": "notifications/nobody-knows"});
        assert_eq!(talk.say(unknown), Vec::<Value>::new());
    }
}

#[test]
fn everything_the_good_server_says_has_the_shape_of_its_revision() {
    let good = find("good").expect("good is a mock");
    for revision in Revision::ALL {
        let mut talk = Talk::with(&good, revision);
        for line in script::lines(revision) {
            let method = serde_json::from_slice::<Value>(&line)
                .ok()
                .and_then(|m| m["method"].as_str().map(str::to_owned));
            for message in talk.say_bytes(&line) {
                let said = message["method"].as_str();
                let (definition, value) = match (said, &method, message.get("result")) {
                    (Some(said), ..) => {
                        (specs::schema::params_definition(said, revision), &message["params"])
                    }
                    (None, Some(method), Some(result)) => {
                        (specs::schema::claimed_definition(method, revision, result), result)
                    }
                    _ => continue,
                };
                let definition = definition.unwrap_or_else(|| panic!("no definition for {message}"));
                let violations = specs::schema::violations(revision, definition, value);
                assert!(violations.is_empty(), "{revision} {definition}: {violations:?} in {message}");
            }
        }
    }
}
