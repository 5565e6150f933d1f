//! Says what is wrong with a schema that has no predecessor. What a change of one breaks stands in `decide`.

use super::decide::{external, fault, too_deep, whole};
use super::graph::Graph;
use crate::change::{Change, Severity};
use crate::rules::input::schemas::{SCHEMA_INVALID, SCHEMA_UNDECIDED};
use serde_json::Value;

/// Tells why hosts may leave out a tool that is new, for its schema at `path`. Nothing that worked breaks by it.
pub(crate) fn faults(path: &str, schema: &Value) -> Vec<Change> {
    if too_deep(schema) {
        let message = "the schema is nested too deep to be looked at";
        return vec![Change::of(&SCHEMA_UNDECIDED, path, message)];
    }
    let (whole, broken) = whole(schema);
    let mut graph = Graph::default();
    graph.load(whole.schema, whole.draft);
    let nodes = 0..graph.nodes.len();
    if let Some(broken) = broken.or_else(|| fault(&graph, nodes.clone(), whole)) {
        let message = format!("this is not a valid JSON Schema: {broken}");
        let change = Change::of(&SCHEMA_INVALID, path, message).as_bad_as(Severity::Risky);
        return vec![change.from_to(None, Some(schema))];
    }
    let mut changes = Vec::new();
    external(path, &graph, (0..0, nodes), &mut changes);
    changes
}
