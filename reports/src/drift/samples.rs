//! Hand-made judgements for the tests of the renderers, full of what a hostile server may say.

use super::{DriftContext, Lines, Side};
use serde_json::{Value, json};
use surface::policy::{Judged, Judgement, Profile, fingerprint};
use surface::rules::gate::ALLOW_UNUSED;
use surface::{Action, Area, Audience, Change, Direction, Level, Mirror, Rule, Severity, Witness};

const BASE: Rule = Rule {
    id: "input-required-added",
    area: Area::Input,
    direction: Direction::Input,
    action: Action::Added,
    audience: Audience::Caller,
    severity: Severity::Breaking,
    level: Level::Error,
    detects: "a new property that must be given",
    fix: "make it optional, and put the default into the server",
    explain: "A call that was complete before is refused, since it lacks the new argument.",
    mirror: Mirror::Itself,
    counterpart: None,
};

/// Breaks callers.
pub(crate) static REQUIRED: Rule = BASE;

/// Breaks readers.
pub(crate) static ENUM_OUT: Rule = Rule {
    id: "output-enum-value-added",
    area: Area::Output,
    direction: Direction::Output,
    audience: Audience::Consumer,
    level: Level::Warn,
    detects: "a value that results did not hold before",
    fix: "tell readers to expect new values",
    explain: "A reader that knows all values of old meets one that it does not know.",
    ..BASE
};

/// Words that a model reads.
pub(crate) static DESCRIPTION: Rule = Rule {
    id: "tool-description-changed",
    area: Area::Text,
    direction: Direction::Neither,
    audience: Audience::Model,
    severity: Severity::Risky,
    level: Level::Warn,
    action: Action::Changed,
    detects: "other words in the description of a tool",
    fix: "review the words, and try whether models still choose it",
    explain: "A model chooses tools by their descriptions.",
    ..BASE
};

/// A promise to the user.
pub(crate) static HINT: Rule = Rule {
    id: "annotation-changed",
    area: Area::Hints,
    audience: Audience::User,
    severity: Severity::Compatible,
    level: Level::Info,
    ..DESCRIPTION
};

/// Harms nobody.
pub(crate) static ADDED: Rule = Rule {
    id: "tool-added",
    area: Area::Items,
    severity: Severity::Compatible,
    level: Level::Info,
    detects: "a tool that was not there",
    fix: "refresh the lock",
    explain: "Nothing that worked stops working; the list costs more tokens.",
    ..BASE
};

/// Another name for the same.
pub(crate) static RENAMED: Rule = Rule { id: "tool-renamed", area: Area::Items, ..BASE };

static REORDERED: Rule =
    Rule { id: "order-changed", severity: Severity::None, level: Level::Hidden, ..ADDED };

const HOSTILE: &str = "`search` | <img src=x onerror=alert(1)> \x1b[31mred\u{200b}\u{202e} @everyone [x](http://evil.example) www.evil.example #1 GH-2\n::error::gotcha ```\n</details>";

fn judged(change: Change) -> Judged {
    let (level, fingerprint) = (change.rule.level, fingerprint(&change));
    Judged { change, level, accepted: None, fingerprint }
}

fn proof(instance: Value, before: bool, after: bool) -> Option<Witness> {
    Some(Witness { instance, before, after })
}

fn ctx() -> DriftContext {
    let of = [("/tools/search", 12), ("/tools/unchanged", 40), ("/initialize", 3), ("/tools/a~1b", 30)];
    DriftContext {
        old: Side {
            name: "mcp-surface.lock".into(),
            revisions: vec!["2025-06-18".into()],
            tokens: Some(3_100),
        },
        new: Side {
            name: "-- node 'my server.js'".into(),
            revisions: vec!["2025-11-25".into(), "2025-06-18".into()],
            tokens: Some(4_210),
        },
        lines: Some(Lines {
            file: "mcp-surface.lock".into(),
            of: of.into_iter().map(|(path, line)| (path.to_owned(), line)).collect(),
        }),
        reproduce: "mcpproof gate demo".into(),
        accept: Some("mcpproof accept demo".into()),
        version: "0.1.0".into(),
        exit_code: 1,
        ..DriftContext::default()
    }
}

/// Every kind of change, with hostile words.
pub(crate) fn hostile() -> (Judgement, DriftContext) {
    let long = "very ".repeat(40_000);
    let required = Change::of(
        &REQUIRED,
        "/tools/search/inputSchema/properties/team\u{1b}[2J",
        format!("`team` is new and required: {HOSTILE}"),
    )
    .from_to(None, Some(&json!({ "type": "string", "title": HOSTILE })))
    .proven_by(proof(json!({ "query": HOSTILE }), true, false));
    let value =
        Change::of(&ENUM_OUT, "/tools/search/outputSchema/properties/state", "`state` may now be \"gone\"")
            .from_to(Some(&json!(["open"])), Some(&json!(["open", "gone"])))
            .proven_by(proof(json!({ "state": "gone\u{200b}" }), false, true));
    let mut words = Change::of(&DESCRIPTION, "/tools/search/description", HOSTILE).from_to(
        Some(&json!("Search the user's notes")),
        Some(&json!(format!("Search the team's notes {HOSTILE}"))),
    );
    words.revisions = vec!["2025-11-25".into(), "2025-06-18".into()];
    let flood = Change::of(&DESCRIPTION, "/tools/a~1b/description", format!("{long}changed"))
        .from_to(Some(&json!(format!("{long}old"))), Some(&json!(format!("{long}new"))));
    let planned = Judged {
        accepted: Some("planned for 2.0 <b>".into()),
        ..judged(Change::of(&REQUIRED, "/tools/old/inputSchema", "planned"))
    };
    let judged = vec![
        judged(required),
        planned,
        judged(value),
        judged(words),
        judged(flood),
        judged(Change::of(&ALLOW_UNUSED, "mcpproof.toml:7", "this entry matches no change")),
        judged(Change::of(&HINT, "/tools/search/annotations/title", "the title changed without effect")),
        judged(Change::of(&ADDED, "/tools/new\n::error::x", "new tool `new`")),
        judged(Change::of(&REORDERED, "/tools", "the order changed")),
    ];
    (Judgement { profile: Profile::Contract, judged }, ctx())
}

/// Nothing changed.
pub(crate) fn same() -> (Judgement, DriftContext) {
    let ctx = DriftContext { lines: None, exit_code: 0, ..ctx() };
    (Judgement { profile: Profile::Contract, judged: Vec::new() }, ctx)
}

/// Only what asks for nothing.
pub(crate) fn mild() -> (Judgement, DriftContext) {
    let judged = vec![
        judged(Change::of(&ADDED, "/tools/new", "new tool `new`")),
        judged(Change::of(&REORDERED, "/tools", "the order changed")),
    ];
    (Judgement { profile: Profile::Calls, judged }, DriftContext { exit_code: 0, ..ctx() })
}

/// The same change in many tools, and two texts that changed.
pub(crate) fn many() -> (Judgement, DriftContext) {
    let tenant = |idx: usize| {
        let path = format!("/tools/tool-{idx}/inputSchema/properties/tenant");
        Change::of(&REQUIRED, path, "`tenant` is new and required")
            .from_to(None, Some(&json!({ "type": "string" })))
            .proven_by(proof(json!({ "n": idx }), true, false))
    };
    let words = |name: &str, old: &str, new: &str| {
        let message = format!("the description of `{name}` changed: \"… [-the-] {{+a+}} …\"");
        Change::of(&DESCRIPTION, format!("/tools/{name}/description"), message)
            .from_to(Some(&json!(old)), Some(&json!(new)))
    };
    let mut judged: Vec<_> = (0..12).map(|idx| judged(tenant(idx))).collect();
    judged.push(self::judged(words("search", "Search the notes", "Search a note")));
    judged.push(self::judged(words("sum", "Returns the sum", "Returns a sum")));
    (Judgement { profile: Profile::Contract, judged }, ctx())
}

/// The same changes in several revisions, with other contents in some, and one that the settings make worse.
pub(crate) fn variants() -> (Judgement, DriftContext) {
    let of = |judged: Judged, revisions: &[&str]| {
        let revisions = revisions.iter().map(|revision| (*revision).to_owned()).collect();
        Judged { change: Change { revisions, ..judged.change }, ..judged }
    };
    let words = |message: &str, old: &str, new: &str| {
        judged(
            Change::of(&DESCRIPTION, "/tools/search/description", message)
                .from_to(Some(&json!(old)), Some(&json!(new))),
        )
    };
    let required = |kind: &str| {
        let change =
            Change::of(&REQUIRED, "/tools/search/inputSchema/properties/team", "`team` is new and required");
        judged(change.from_to(None, Some(&json!({ "type": kind }))).proven_by(proof(
            json!({ "q": "" }),
            true,
            false,
        )))
    };
    let added = |name: &str, definition: Value| {
        let change = Change::of(&ADDED, format!("/prompts/{name}"), format!("prompt `{name}` is new"));
        judged(change.from_to(None, Some(&definition)))
    };
    let mut raised = judged(Change::of(&ADDED, "/tools/new", "new tool `new`"));
    (raised.change.severity, raised.level) = (Severity::Breaking, Level::Error);
    let (newer, older) = (["2025-11-25", "2025-06-18"], ["2025-03-26"]);
    let judged = vec![
        of(required("string"), &newer),
        of(required("number"), &older),
        of(raised, &newer),
        of(words("the description of `search` changed", "a note", "a team"), &newer),
        of(words("the description of `search` grew", "note", "notes"), &older),
        judged(Change::of(&ALLOW_UNUSED, "mcpproof.toml:7", "this entry matches no change")),
        of(added("plan", json!({ "title": "Plan" })), &newer),
        of(added("plan", json!({})), &older),
        of(added("quiz", json!({ "title": "Quiz" })), &newer),
        of(added("quiz", json!({})), &["2025-03-26", "2024-11-05"]),
    ];
    let mut ctx = ctx();
    ctx.new.revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"].map(str::to_owned).to_vec();
    ctx.old.revisions.clone_from(&ctx.new.revisions);
    (Judgement { profile: Profile::Contract, judged }, ctx)
}

/// `n` breaks, each with as many hostile words as there may be.
pub(crate) fn flood(n: usize) -> (Judgement, DriftContext) {
    // Hashing so much text takes seconds.
    let sized = |change| Judged { change, level: Level::Error, accepted: None, fingerprint: "0".repeat(12) };
    let change = |idx: usize| {
        Change::of(&REQUIRED, format!("/tools/{}/x{idx}", "`".repeat(500)), "@".repeat(5_000))
            .from_to(Some(&json!("`<".repeat(3_000))), Some(&json!("\u{e0041}".repeat(5_000))))
            .proven_by(proof(json!({ "q": "`".repeat(9_000) }), true, false))
    };
    (Judgement { profile: Profile::Exact, judged: (0..n).map(|idx| sized(change(idx))).collect() }, ctx())
}

/// Every small sample with its name.
pub(crate) fn all() -> [(&'static str, (Judgement, DriftContext)); 4] {
    [("hostile", hostile()), ("same", same()), ("mild", mild()), ("variants", variants())]
}
