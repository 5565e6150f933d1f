//! Counts and times in words, the same in every renderer.

use checks::{Class, Report, Spoken, Tally};
use std::time::Duration;

/// Writes `3 violations`, `1 violation`; `should` and `interop` have no plural.
pub(crate) fn count_of(class: Class, n: usize) -> String {
    match (class, n) {
        (Class::Violation | Class::Note, n) if n != 1 => format!("{n} {class}s"),
        _ => format!("{n} {class}"),
    }
}

/// Writes `1 start` or `2 starts`.
pub(crate) fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// Writes what stands in `classes` by class, gravest first: `3 violations, 1 should`.
pub(crate) fn classes(classes: &[Class]) -> String {
    let counts = Class::ALL.into_iter().filter_map(|class| {
        let n = classes.iter().filter(|c| **c == class).count();
        (n > 0).then(|| count_of(class, n))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// Writes the rest of a tally: `52 passed, 9 n/a, 2 unproven, 3 skipped`.
pub(crate) fn rest(tally: &Tally) -> String {
    let mut parts = vec![format!("{} passed", tally.passed)];
    let others = [(tally.not_applicable, "n/a"), (tally.unproven, "unproven"), (tally.skipped, "skipped")];
    parts.extend(others.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")));
    parts.join(", ")
}

/// Writes a time with as many digits as anybody reads.
pub(crate) fn time(took: Duration) -> String {
    let ms = took.as_millis();
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..100_000 => format!("{:.1} s", took.as_secs_f64()),
        _ => format!("{} s", took.as_secs()),
    }
}

/// Names the server as it names itself, or says that it does not.
pub(crate) fn server_name(report: &Report) -> String {
    let name = report.server.name.as_deref().map(crate::plain);
    let version = report.server.version.as_deref().map(crate::plain);
    match (name, version) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name,
        (None, _) => "unnamed server".to_owned(),
    }
}

/// Says that a revision is not spoken and why; nothing when it is.
pub(crate) fn not_spoken(spoken: &Spoken) -> Option<String> {
    match spoken {
        Spoken::Yes => None,
        Spoken::No(why) => Some(format!("not spoken: {}", crate::plain(why))),
        Spoken::Unknown(why) => Some(format!("not known: {}", crate::plain(why))),
    }
}
