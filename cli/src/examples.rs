//! One example for each drift rule, as its pair of surfaces in the goldens gives it; a test there writes the file.

use serde_json::Value;

/// A change that the rule finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    /// Where.
    pub path: String,
    /// What is said of it.
    pub message: String,
    /// The value that proves it, as JSON.
    pub witness: Option<String>,
}

/// The example of the rule `id`, where there is one.
pub(crate) fn find(id: &str) -> Option<Example> {
    let all: Value =
        serde_json::from_str(include_str!("../rule-examples.json")).expect("a test writes the file");
    let row = all.get(id)?;
    let text = |member: &str| row[member].as_str().map(str::to_owned);
    Some(Example { path: text("path")?, message: text("message")?, witness: text("witness") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_about_surfaces_has_an_example() {
        let missing: Vec<_> = surface::all_rules()
            .filter(|rule| rule.area != surface::Area::Gate && find(rule.id).is_none())
            .map(|rule| rule.id)
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
        let narrowed = find("input-range-narrowed").expect("has one");
        assert!(narrowed.witness.is_some(), "{narrowed:?}");
    }
}
