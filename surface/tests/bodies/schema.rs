//! The laws that comparing any two schemas must keep, for the fuzz target and the property tests.

use mcpproof_surface::Severity;
use mcpproof_surface::schema::{Side, compare};
use serde_json::Value;

/// Asserts that two schemas, a line each, are compared both ways on both sides, and that nothing is called broken without a proof.
pub(crate) fn schemas(text: &str) {
    let mut lines = text.splitn(2, '\n').map(serde_json::from_str::<Value>);
    let (Some(Ok(before)), Some(Ok(after))) = (lines.next(), lines.next()) else { return };
    for side in [Side::Input, Side::Output] {
        assert!(compare("/s", side, Some(&before), Some(&before)).changes.is_empty());
        for (old, new) in [(&before, &after), (&after, &before)] {
            for change in compare("/s", side, Some(old), Some(new)).changes {
                let proven = change.witness.is_some() || change.rule.id == "schema-invalid";
                assert!(proven || change.severity < Severity::Breaking, "{} of {old} {new}", change.rule.id);
            }
        }
    }
}
