//! The lockfile: a surface as text that is pleasant to review. It holds no path, no time and no launch command, so it is the same on every machine.

mod parse;
mod render;

pub use parse::{LockError, parse};
pub use render::{Rendered, render};

/// The version that is written. A reader takes this one and all before it.
pub const VERSION: u64 = 1;

/// The usual name of a lockfile.
pub const FILE_NAME: &str = "mcp-surface.lock";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surface, read};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn surface(text: &str) -> Surface {
        read(text).unwrap()
    }

    fn rendered(surface: &Surface) -> Rendered {
        render(surface, &|text| text.len() / 4)
    }

    const SMALL: &str = r#"{"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
        "serverInfo": {"name": "notes", "version": "1"}},
        "tools": [{"name": "b", "inputSchema": {"type": "object", "required": ["x"]}}, {"name": "a", "inputSchema": {}}],
        "prompts": [], "resources": []}"#;

    #[test]
    fn a_lock_is_sorted_and_tells_the_line_of_each_item() {
        let lock = rendered(&surface(SMALL));
        let lines: Vec<_> = lock.text.lines().collect();
        assert!(lines[lock.lines["/tools/a"] - 1].contains(r#""name": "a""#), "{}", lock.text);
        assert!(lines[lock.lines["/tools/b"] - 1].contains(r#""name": "b""#), "{}", lock.text);
        assert!(lock.lines["/tools/a"] < lock.lines["/tools/b"]);
        assert!(lock.text.contains("\"prompts\": [],") && !lock.text.contains("resourceTemplates\": ["));
    }

    #[test]
    fn a_lock_read_and_written_again_is_the_same() {
        let lock = rendered(&surface(SMALL));
        assert_eq!(rendered(&parse(&lock.text).unwrap()), lock);
    }

    #[test]
    fn what_differs_between_revisions_stands_in_blocks_of_its_own() {
        let mut two = surface(SMALL);
        let mut older = two.views[0].clone();
        older.session.protocol_version = Some("2024-11-05".into());
        older.lists[0].as_mut().unwrap().pop();
        two.views.push(older);
        two.every_revision = true;
        let lock = rendered(&two);
        assert_eq!(lock.text.matches("\"name\": \"a\"").count(), 2, "name and definition: {}", lock.text);
        assert!(lock.text.contains(r#""revisions": ["2025-06-18"]"#), "{}", lock.text);
        let back = parse(&lock.text).unwrap();
        assert_eq!(back.views[0].lists[0].as_ref().unwrap().len(), 2);
        assert_eq!(back.views[1].lists[0].as_ref().unwrap().len(), 1);
        assert_eq!(rendered(&back), lock);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let lock = rendered(&surface(SMALL)).text;
        let check = |edited: String, part: &str| {
            let error = parse(&edited).unwrap_err().to_string();
            assert!(error.contains(part), "{error} should say {part}");
        };
        check(lock.replace("\"required\": [\"x\"]", "\"required\": [\"y\"]"), "the tool `b` does not match");
        check(lock.replace("\"lockVersion\": 1", "\"lockVersion\": 9"), "lock version 9 is newer");
        check(lock.replacen("{\n", "{\n<<<<<<< ours\n", 1), "line 2: a conflict marker");
        check(lock.replace("\"lockVersion\": 1,", ""), "`lockVersion`: expected a whole number");
        check(
            lock.replace("\"tokens\": ", "\"tokens\": 1, \"tokens\": "),
            "\"tokens\" stands twice in /tools/0",
        );
        check(lock[..lock.len() / 2].to_owned(), "line ");
        check(lock.replace("\"sha256\"", "\"sha\""), "expected a text `sha256`");
        check(lock.replacen("\"sha256\"", "\"sha\"", 1), "`sha256`: expected a text");
        check(lock.replace("\"tokens\": ", "\"tokens\": -"), "a whole number `tokens`");
        // What no item holds is covered by the hash of the whole.
        check(lock.replace("\"tools\": {}", "\"tols\": {}"), "line 3, `sha256`: the file does not match");
        let (before, after) = lock.rsplit_once("\"sha256\"").unwrap();
        let other = format!("{before}\"revisions\": [\"2030-01-01\"],\n\"sha256\"{after}");
        check(other, "only revisions that `revisions` names");
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..9).prop_map(Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..5)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_tools_survive_the_way_through_a_lock(schemas in prop::collection::vec((".{0,8}", json_value()), 0..5)) {
            let tools: Vec<_> =
                schemas.iter().map(|(name, schema)| json!({"name": name, "inputSchema": schema})).collect();
            let surface = surface(&json!({ "tools": tools }).to_string());
            let lock = rendered(&surface);
            let back = parse(&lock.text).unwrap();
            prop_assert_eq!(rendered(&back), lock);
            prop_assert_eq!(back.views[0].lists[0].as_ref().unwrap().len(), tools.len());
        }

        #[test]
        fn no_text_panics(text in ".{0,200}") {
            let _ = read(&text);
            let _ = parse(&format!("{{\"lockVersion\": 1, {text}"));
        }
    }
}
