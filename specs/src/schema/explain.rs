//! Turns the errors of the validator into short sentences about the right branch. What is validated stands in `mod.rs`.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

/// Longest piece of a string that is quoted, in characters.
const QUOTED: usize = 60;

/// A place where a value does not match its definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// JSON pointer to the value; for a missing member, to the object that lacks it.
    pub pointer: String,
    /// What the definition asks for, as a noun: `an object`, `required member "name"`.
    pub expected: String,
    /// What stands there, shortened: `null`, `an array of 3`, `no such member`.
    pub seen: String,
    /// The JSON Schema keyword that did not hold; `format` alone is an annotation in the official dialect.
    pub keyword: &'static str,
}

impl Violation {
    fn new(error: &ValidationError<'_>, keyword: &'static str, expected: String) -> Self {
        let pointer = error.instance_path().as_str().to_owned();
        Self { pointer, expected, seen: describe(error.instance()), keyword }
    }
}

/// Translates `errors`, sorted by place and without repetitions.
pub(super) fn explain<'a>(errors: impl Iterator<Item = ValidationError<'a>>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for error in errors {
        translate(&error, &mut violations);
    }
    violations.sort();
    violations.dedup();
    violations
}

fn translate(error: &ValidationError<'_>, found: &mut Vec<Violation>) {
    let mut say = |keyword, expected| found.push(Violation::new(error, keyword, expected));
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => choose(error, context, found),
        Kind::Required { property } => found.push(Violation {
            seen: "no such member".into(),
            ..Violation::new(error, "required", format!("required member {property}"))
        }),
        Kind::Type { kind } => say("type", join(types(kind).map(noun).collect(), " or ")),
        Kind::Constant { expected_value } => say("const", expected_value.to_string()),
        Kind::Enum { options } => say("enum", one_of(options)),
        Kind::Minimum { limit } => say("minimum", format!("at least {limit}")),
        Kind::Maximum { limit } => say("maximum", format!("at most {limit}")),
        Kind::MaxItems { limit } => say("maxItems", format!("at most {limit} items")),
        Kind::Format { format } => say("format", format_noun(format)),
        _ => say("other", error.masked_with("this").to_string()),
    }
}

/// Reports what is wrong with the branch of a union that the value was meant to be.
fn choose(union: &ValidationError<'_>, context: &[Vec<ValidationError<'_>>], found: &mut Vec<Violation>) {
    let mut branches = Vec::new();
    flatten(union, context, &mut branches);
    let fits = |branch: &&[ValidationError<'_>]| !branch.iter().any(|error| is_own_type(union, error));
    let fitting: Vec<_> = branches.iter().copied().filter(fits).collect();
    let is_meant =
        |branch: &&[ValidationError<'_>]| !branch.iter().any(|error| discriminator(union, error).is_some());
    let meant = fitting.iter().copied().filter(is_meant).min_by_key(|branch| branch.len());
    if let Some(branch) = meant {
        branch.iter().for_each(|error| translate(error, found));
    } else if fitting.is_empty() {
        found.push(Violation::new(union, "type", nouns(union, &branches)));
    } else {
        found.extend(no_such_kind(union, &fitting));
    }
}

/// Lists the branches of a union, those of unions inside it included.
fn flatten<'c, 'i>(
    union: &ValidationError<'_>,
    context: &'c [Vec<ValidationError<'i>>],
    branches: &mut Vec<&'c [ValidationError<'i>]>,
) {
    for branch in context {
        match branch.as_slice() {
            [inner] if inner.instance_path() == union.instance_path() => match inner.kind() {
                Kind::AnyOf { context } => flatten(union, context, branches),
                _ => branches.push(branch),
            },
            _ => branches.push(branch),
        }
    }
}

/// Tells whether `error` says that the value itself is of another type than its branch asks for.
fn is_own_type(union: &ValidationError<'_>, error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Kind::Type { .. }) && error.instance_path() == union.instance_path()
}

/// Names the member and the constant when `error` is about a member that tells the branches apart.
fn discriminator<'e>(
    union: &ValidationError<'_>,
    error: &'e ValidationError<'_>,
) -> Option<(&'e str, &'e Value)> {
    let Kind::Constant { expected_value } = error.kind() else { return None };
    let member = error.instance_path().as_str().strip_prefix(union.instance_path().as_str())?;
    let member = member.strip_prefix('/').filter(|rest| !rest.contains('/') && !rest.is_empty())?;
    Some((member, expected_value))
}

/// Says which constants a discriminating member may have when it has none of them.
fn no_such_kind(union: &ValidationError<'_>, branches: &[&[ValidationError<'_>]]) -> Option<Violation> {
    let errors = branches.iter().copied().flatten();
    let told: Vec<_> = errors.filter_map(|error| Some((error, discriminator(union, error)?))).collect();
    let (first, (member, _)) = told.first()?;
    let constants = told.iter().filter(|(_, (other, _))| other == member);
    let mut constants: Vec<_> = constants.map(|(_, (_, constant))| constant.to_string()).collect();
    constants.dedup();
    let expected =
        if constants.len() == 1 { constants.remove(0) } else { format!("one of {}", constants.join(", ")) };
    Some(Violation::new(first, "const", expected))
}

/// Lists the types that the branches ask for.
fn nouns(union: &ValidationError<'_>, branches: &[&[ValidationError<'_>]]) -> String {
    let mut nouns = Vec::new();
    for error in branches.iter().copied().flatten().filter(|error| is_own_type(union, error)) {
        if let Kind::Type { kind } = error.kind() {
            nouns.extend(types(kind).map(noun));
        }
    }
    join(nouns, " or ")
}

fn join(mut words: Vec<&str>, with: &str) -> String {
    let mut seen = Vec::new();
    words.retain(|word| {
        let is_new = !seen.contains(word);
        seen.push(*word);
        is_new
    });
    words.join(with)
}

fn types(kind: &TypeKind) -> impl Iterator<Item = JsonType> + use<> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
    .into_iter()
}

fn noun(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "null",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

fn one_of(options: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    format!("one of {}", options.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
}

fn format_noun(format: &str) -> String {
    match format {
        "uri" => "an absolute URI".into(),
        "uri-template" => "a URI template".into(),
        "byte" => "base64 text".into(),
        other => format!("text in the format `{other}`"),
    }
}

/// Describes a value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "an empty object".into(),
        Value::Object(_) => "an object".into(),
        Value::Array(items) if items.is_empty() => "an empty array".into(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::String(text) if text.chars().count() > QUOTED => {
            let start: String = text.chars().take(QUOTED).collect();
            format!("{}… ({} characters)", Value::from(start), text.chars().count())
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::violations;
    use crate::Revision::{self, V2024_11_05, V2025_03_26, V2025_11_25, V2026_07_28};
    use serde_json::Value;

    /// Checks the violations of `value` as lines `pointer: expected, not seen`.
    fn check(revision: Revision, definition: &str, value: Value, expected: &[&str]) {
        let lines: Vec<_> = violations(revision, definition, &value)
            .iter()
            .map(|v| format!("{}: {}, not {}", v.pointer, v.expected, v.seen))
            .collect();
        assert_eq!(lines, expected, "{definition} in {revision}: {value}");
    }

    #[test]
    fn a_missing_member_is_named_at_its_parent() {
        let tools =
            json!({ "tools": [{ "name": "a", "inputSchema": { "type": "object" } }, { "name": "b" }] });
        let expected = ["/tools/1: required member \"inputSchema\", not no such member"];
        check(V2025_11_25, "ListToolsResult", tools, &expected);
    }

    #[test]
    fn a_wrong_type_says_what_stands_there() {
        let tools = json!({ "tools": [{ "name": 7, "inputSchema": null }] });
        let expected = ["/tools/0/inputSchema: an object, not null", "/tools/0/name: a string, not 7"];
        check(V2025_11_25, "ListToolsResult", tools, &expected);
    }

    #[test]
    fn a_content_block_is_judged_by_its_type() {
        let result = json!({ "content": [{ "type": "image", "data": 1, "mimeType": "image/png" }] });
        check(V2025_11_25, "CallToolResult", result, &["/content/0/data: a string, not 1"]);
        let result = json!({ "content": [{ "type": "text", "text": null }] });
        check(V2024_11_05, "CallToolResult", result, &["/content/0/text: a string, not null"]);
        let result = json!({ "content": [{ "text": "hello" }] });
        let expected = ["/content/0: required member \"type\", not no such member"];
        check(V2025_11_25, "CallToolResult", result, &expected);
    }

    #[test]
    fn a_content_block_of_another_revision_is_named_with_those_of_this_one() {
        let result = json!({ "content": [{ "type": "resource_link", "uri": "a:b", "name": "n" }] });
        let expected =
            ["/content/0/type: one of \"text\", \"image\", \"audio\", \"resource\", not \"resource_link\""];
        check(V2025_03_26, "CallToolResult", result, &expected);
    }

    #[test]
    fn a_union_of_types_lists_them() {
        let progress = json!({ "progressToken": 1.5, "progress": "half" });
        let expected =
            ["/progress: a number, not \"half\"", "/progressToken: an integer or a string, not 1.5"];
        check(V2025_11_25, "ProgressNotificationParams", progress, &expected);
        check(V2025_11_25, "ContentBlock", json!([1, 2]), &[": an object, not an array of 2"]);
    }

    #[test]
    fn nested_unions_count_as_one() {
        let message = json!({ "role": "user", "content": { "type": "video" } });
        let found = violations(V2025_11_25, "SamplingMessage", &message);
        assert!(
            found[0].expected.contains("\"text\"") && found[0].expected.contains("\"tool_use\""),
            "{found:?}"
        );
    }

    #[test]
    fn bounds_constants_and_formats_are_words() {
        let expected = ["/ttlMs: at least 0, not -1"];
        let tools = json!({ "tools": [], "resultType": "complete", "ttlMs": -1, "cacheScope": "public" });
        check(V2026_07_28, "ListToolsResult", tools, &expected);
        check(
            V2025_11_25,
            "Root",
            json!({ "uri": "not absolute" }),
            &["/uri: an absolute URI, not \"not absolute\""],
        );
        let role = json!({ "role": "system", "content": { "type": "text", "text": "" } });
        let expected = ["/role: one of \"assistant\", \"user\", not \"system\""];
        check(V2025_11_25, "PromptMessage", role, &expected);
    }

    #[test]
    fn a_long_string_is_shortened() {
        let found = violations(V2025_11_25, "ModelHint", &json!("x".repeat(500)));
        assert!(found[0].seen.len() < 100 && found[0].seen.contains("500 characters"));
    }
}
