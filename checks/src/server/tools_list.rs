//! tools/list: the shape of the list and of each tool.

use super::lifecycle::{shape_faults, well_shaped};
use crate::check::{Check, Level, Needs, Outcome, Stop};
use crate::evidence::Evidence;
use crate::finding::Excerpt;
use crate::listing::{ListEnd, Listing};
use crate::peer::Peer;
use crate::words::{listed, quoted, short};
use serde_json::json;
use specs::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use specs::Revisions;
use specs::schema::Violation;
use std::collections::BTreeMap;
use wire::Value;

/// A row of this area.
const ROW: Check = Check { needs: Needs::TOOLS, ..Check::BLANK };

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "tools-list-answered",
        requirement: "tools.capability-declared",
        fault: "tools-list-once",
        explain: "Clients list tools at each start and after each change; one that gets no answer shows none.",
        probe: |peer| Box::pin(list_answered(peer)),
        ..ROW
    },
    Check {
        id: "tools-list-shape",
        requirement: "shape.message-valid",
        fault: "tool-name-missing",
        explain: "Typed clients decode the list as a whole: one bad member, and every tool of the server is gone.",
        probe: |peer| Box::pin(list_shape(peer)),
        ..ROW
    },
    Check {
        id: "tools-input-schema",
        requirement: "tools.input-schema-object",
        fault: "tool-input-schema-no-type",
        explain: "`inputSchema` is required and has the root type object; clients on the official SDKs drop the whole \
                  list for one tool without it.",
        probe: |peer| Box::pin(input_schema(peer)),
        ..ROW
    },
    Check {
        id: "tools-annotations-types",
        requirement: "tools.annotations-types",
        revisions: Revisions::since(specs::Revision::V2025_03_26),
        fault: "tool-annotations-wrong-type",
        explain: "Typed clients drop the list; others misread the hint, and may call a destructive tool unasked.",
        probe: |peer| Box::pin(annotations_types(peer)),
        ..ROW
    },
    Check {
        id: "tools-name-charset",
        requirement: "tools.name-charset",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        fault: "tool-name-spaces",
        explain: "Model providers restrict names to letters, digits, `_` and `-`; hosts rename or drop the tool.",
        probe: |peer| Box::pin(name_charset(peer)),
        ..ROW
    },
    Check {
        id: "tools-name-length",
        requirement: "tools.name-length",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        fault: "tool-name-long",
        explain: "Providers cut or refuse long names (most allow 64 characters, host prefixes included).",
        probe: |peer| Box::pin(name_length(peer)),
        ..ROW
    },
    Check {
        id: "tools-name-unique",
        requirement: "tools.name-unique",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        fault: "tool-name-duplicate",
        explain: "A call names one of two tools, and nobody knows which; providers refuse requests with two tools of \
                  one name.",
        probe: |peer| Box::pin(name_unique(peer)),
        ..ROW
    },
    Check {
        id: "tools-order-stable",
        requirement: "tools.list-deterministic",
        level: Level::Should,
        revisions: Revisions::only(V2026_07_28),
        fault: "tools-order-unstable",
        explain: "Providers cache prompts by prefix: another order of the tools is another prompt, paid in full.",
        probe: |peer| Box::pin(order_stable(peer)),
        ..ROW
    },
    Check {
        id: "tools-icons-scheme",
        requirement: "icons.server-scheme",
        revisions: Revisions::since(V2025_11_25),
        fault: "tool-icon-bad-scheme",
        explain: "Clients must refuse icons that are neither https nor data URIs, so nothing is shown.",
        probe: |peer| Box::pin(icons_scheme(peer)),
        ..ROW
    },
    Check {
        id: "tools-meta-keys",
        requirement: "meta.key-name-format",
        revisions: Revisions::since(V2025_06_18),
        fault: "tool-meta-key-bad",
        explain: "Keys that break the naming rules collide with others, and gateways may strip or refuse them.",
        probe: |peer| Box::pin(meta_keys(peer)),
        ..ROW
    },
    Check {
        id: "tools-described",
        requirement: "shape.description-optional",
        level: Level::Note,
        fault: "tool-description-missing",
        explain: "A description is optional, but it is all a model has to choose the tool by.",
        probe: |peer| Box::pin(described(peer)),
        ..ROW
    },
];

/// Faults of the list result, split at the schemas, which have checks of their own.
async fn list_faults(peer: &mut Peer) -> Result<Vec<(Violation, usize)>, Stop> {
    let listing = peer.list("tools/list").await?;
    let mut all = Vec::new();
    for (page, answer) in listing.pages.iter().map(|page| &page.answer).enumerate() {
        let result = answer.result().map(Value::to_json).unwrap_or_default();
        let faults = shape_faults(peer.revision(), "ListToolsResult", &result);
        all.extend(faults.into_iter().map(|fault| (fault, page)));
    }
    Ok(all)
}

fn is_input_schema(fault: &Violation) -> bool {
    let about = |text: &str| text.contains("inputSchema");
    fault.pointer.contains("/inputSchema") || about(&fault.expected)
}

fn has_own_check(fault: &Violation) -> bool {
    let pointer = &fault.pointer;
    is_input_schema(fault)
        || ["/annotations", "/icons"].iter().any(|part| pointer.contains(part))
        || ["ttlMs", "cacheScope", "resultType"]
            .iter()
            .any(|m| pointer.contains(m) || fault.expected.contains(m))
}

/// Judges each page, also where the first request of its kind was answered.
async fn list_answered(peer: &mut Peer) -> Outcome {
    let listing = peer.list("tools/list").await?;
    let ListEnd::Unanswered(reply) = &listing.end else { return Ok(()) };
    let evidence = peer.unanswered(reply, "`tools/list`");
    Err(match listing.pages.len() {
        0 => evidence,
        pages => evidence.detail(format!("{} came before", crate::words::count(pages, "page"))),
    }
    .stop())
}

async fn list_shape(peer: &mut Peer) -> Outcome {
    let listing = peer.list("tools/list").await?;
    match &listing.end {
        ListEnd::Refused(answer) if answer.code() == Some(-32601) => {
            return Err(Stop::Unproven("not served; `capability-tools-served` says so".into()));
        }
        ListEnd::Refused(answer) => return Err(super::dialogue::of_answer(answer, "a list of tools").stop()),
        ListEnd::Unanswered(_) => {
            return Err(Stop::Unproven("no answer; `tools-list-answered` says so".into()));
        }
        _ => {}
    }
    let faults = list_faults(peer).await?;
    let own: Vec<_> = faults.into_iter().filter(|(fault, _)| !has_own_check(fault)).collect();
    report(&listing, &own, "a list of tools as the schema has it")
}

/// Breaks on the first fault; the bytes are those around the tool to blame.
fn report(listing: &Listing, faults: &[(Violation, usize)], what: &str) -> Outcome {
    let Some((first, page)) = faults.first() else { return Ok(()) };
    let mut evidence = Evidence::default();
    let tool_at = first.pointer.strip_prefix("/tools/").and_then(|rest| rest.split('/').next());
    let answer = &listing.pages[*page].answer;
    let tool = tool_at.and_then(|at| answer.result()?.pointer(&format!("/tools/{at}")));
    if let (Some(tool), Some(at)) = (tool, tool_at) {
        let name = tool.get("name").and_then(Value::as_str).map_or("without a name".into(), quoted);
        evidence.details.push(format!("tools[{at}] is {name}"));
        let inside = &first.pointer["/tools/".len() + at.len()..];
        evidence.bytes = Some(Excerpt::at(tool.to_string().as_bytes(), inside));
    } else {
        let pointer = format!("/result{}", first.pointer);
        evidence.bytes = Some(Excerpt::at(&answer.arrived.frame.raw, &pointer));
    }
    let faults: Vec<_> = faults.iter().map(|(fault, _)| fault.clone()).collect();
    well_shaped(&faults, what, evidence)
}

async fn input_schema(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let faults = list_faults(peer).await?;
    let own: Vec<_> = faults.into_iter().filter(|(fault, _)| is_input_schema(fault)).collect();
    let hint = "for a tool without arguments: {\"type\":\"object\",\"additionalProperties\":false}";
    report(&listing, &own, "an inputSchema of type object").map_err(|stop| with_detail(stop, hint))
}

fn with_detail(stop: Stop, detail: &str) -> Stop {
    match stop {
        Stop::Broken(evidence) => evidence.detail(detail).stop(),
        other => other,
    }
}

async fn annotations_types(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let faults = list_faults(peer).await?;
    let own: Vec<_> =
        faults.into_iter().filter(|(fault, _)| fault.pointer.contains("/annotations")).collect();
    report(&listing, &own, "annotations with boolean hints and a string title")
}

/// Breaks when `bad` finds fault with a tool: the JSON pointer into the tool, and words; all such tools are named.
pub(super) fn no_tool(
    listing: &Listing,
    expected: &str,
    bad: impl Fn(&str, &Value) -> Option<(String, String)>,
) -> Result<(), Box<Evidence>> {
    let all = listing.named().filter_map(|(name, tool)| Some((bad(&name, tool)?, name, tool)));
    let found: Vec<_> = all.collect();
    let Some(((pointer, words), name, tool)) = found.first() else { return Ok(()) };
    let mut evidence = Evidence::new(expected, format!("tool {}: {words}", quoted(name)));
    evidence.bytes = Some(Excerpt::at(tool.to_string().as_bytes(), pointer));
    if found.len() > 1 {
        let others: Vec<_> =
            found.iter().skip(1).map(|((_, words), name, _)| format!("{}: {words}", quoted(name))).collect();
        evidence.details.push(format!("also {}", listed(&others)));
    }
    Err(Box::new(evidence))
}

fn name(tool: &Value) -> Option<&str> {
    tool.get("name")?.as_str()
}

async fn name_charset(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    no_tool(&listing, "names of A-Z, a-z, 0-9, `_`, `-` and `.`", |_, tool| {
        let bad: Vec<_> = name(tool)?.chars().filter(|c| !allowed(*c)).collect();
        let first = bad.first()?;
        Some(("/name".into(), format!("the name has {first:?} (U+{:04X})", *first as u32)))
    })
    .map_err(|evidence| evidence.stop())
}

async fn name_length(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    no_tool(&listing, "names of 1 to 128 characters", |_, tool| {
        let length = name(tool)?.chars().count();
        (!(1..=128).contains(&length)).then(|| ("/name".into(), format!("the name has {length} characters")))
    })
    .map_err(|evidence| evidence.stop())
}

async fn name_unique(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let mut by_name: BTreeMap<&str, Vec<(usize, &Value)>> = BTreeMap::new();
    for (at, tool) in listing.items.iter().enumerate() {
        if let Some(name) = name(tool) {
            by_name.entry(name).or_default().push((at, tool));
        }
    }
    let Some((name, places)) = by_name.into_iter().find(|(_, places)| places.len() > 1) else {
        return Ok(());
    };
    let indexes: Vec<_> = places.iter().map(|(at, _)| format!("tools[{at}]")).collect();
    let same = places.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let differ = if same { "their definitions are the same" } else { "their definitions differ" };
    let seen = format!("{} is listed as {}; {differ}", quoted(name), indexes.join(" and "));
    let shown = places.iter().map(|(_, tool)| short(&tool.to_string(), 150));
    let mut evidence = Evidence::new("each name once", seen);
    evidence.details.extend(shown);
    Err(evidence.stop())
}

async fn order_stable(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    let first = &listing.pages[0];
    for _ in 0..2 {
        let answer = peer.request("tools/list", json!({})).await?;
        let names = |result: &Value| -> Vec<String> {
            let tools = result.get("tools").and_then(Value::as_array).unwrap_or(&[]);
            tools.iter().filter_map(|tool| name(tool).map(str::to_owned)).collect()
        };
        let (before, now) = (first.answer.result().map(names), answer.result().map(names));
        if before == now {
            continue;
        }
        let (mut one, mut two) = (before.clone().unwrap_or_default(), now.clone().unwrap_or_default());
        let (shown_one, shown_two) = (listed(&one), listed(&two));
        one.sort();
        two.sort();
        if one == two {
            let seen = format!("first {shown_one}; then {shown_two}");
            return Err(Evidence::new("the same order on each request", seen).stop());
        }
    }
    Ok(())
}

async fn icons_scheme(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    no_tool(&listing, "icons with https: or data: URIs", |_, tool| {
        let icons = tool.get("icons")?.as_array()?;
        let bad = |src: &&str| !src.starts_with("https://") && !src.starts_with("data:");
        let sources =
            icons.iter().enumerate().filter_map(|(at, icon)| Some((at, icon.get("src")?.as_str()?)));
        let (at, src) = sources.into_iter().find(|(_, src)| bad(src))?;
        Some((format!("/icons/{at}/src"), format!("icon {}", quoted(src))))
    })
    .map_err(|evidence| evidence.stop())
}

async fn meta_keys(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    no_tool(&listing, "`_meta` keys of an optional dotted prefix with a slash and a name", |_, tool| {
        let key = tool.get("_meta")?.as_object()?.keys().find(|key| !is_meta_key(key))?;
        Some(("/_meta".into(), format!("_meta key {}", quoted(key))))
    })
    .map_err(|evidence| evidence.stop())
}

/// Spec 2025-06-18, basic: labels start with a letter and end with a letter or digit; the name starts and ends
/// alphanumeric, with `-`, `_`, `.` inside. An empty name is allowed after a prefix.
fn is_meta_key(key: &str) -> bool {
    let inner =
        |text: &str, extra: &[char]| text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(&c));
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (prefix, name) = match key.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let is_label = |label: &str| {
        label.chars().next().is_some_and(|c| c.is_ascii_alphabetic())
            && ends(label.chars().last())
            && inner(label, &['-'])
    };
    let name_ok = name.is_empty()
        || (ends(name.chars().next()) && ends(name.chars().last()) && inner(name, &['-', '_', '.']));
    name_ok && prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) && !key.is_empty()
}

async fn described(peer: &mut Peer) -> Outcome {
    let listing = peer.tools().await?;
    no_tool(&listing, "a description on each tool", |_, tool| {
        let text = tool.get("description").map_or("", |d| d.as_str().unwrap_or("?"));
        text.trim().is_empty().then(|| ("/description".into(), "no description".into()))
    })
    .map_err(|evidence| evidence.stop())
}

#[cfg(test)]
mod tests {
    use super::is_meta_key;

    #[test]
    fn meta_keys_follow_the_grammar_of_the_page() {
        for good in
            ["trace", "example.com/trace", "io.modelcontextprotocol/x", "a.b-c/n_a.m-e", "com.example/", "a1"]
        {
            assert!(is_meta_key(good), "{good}");
        }
        for bad in ["", "-x", "x-", "1a.com/x", "example..com/x", "a b", "example.com/x y", "a-/x"] {
            assert!(!is_meta_key(bad), "{bad}");
        }
    }
}
