//! Reports of what changed between two surfaces, in every format. What changed and whether it matters is decided elsewhere.

mod block;
mod bump;
mod context;
pub mod gate;
pub mod github;
mod groups;
mod items;
pub mod json;
pub mod junit;
pub mod markdown;
#[cfg(test)]
mod samples;
pub mod sarif;
mod spell;
mod summary;
mod sums;
pub mod text;
mod values;
mod witness;
mod worddiff;

pub use bump::Bump;
pub use context::{DriftContext, Lines, Side};
pub use json::SCHEMA;

use crate::Format;
use surface::policy::Judgement;

/// Renders `judgement` as `format`; the result ends with a newline or is empty.
pub fn render(format: Format, judgement: &Judgement, ctx: &DriftContext) -> String {
    match format {
        Format::Text => text::render(judgement, ctx),
        Format::Json => json::render(judgement, ctx),
        Format::Junit => junit::render(judgement, ctx),
        Format::Sarif => sarif::render(judgement, ctx),
        Format::Github => github::render(judgement, ctx),
        Format::Markdown => markdown::render(judgement, ctx),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surface::policy::{Judged, Profile};
    use surface::{Change, Level, Rule, Witness};

    fn judgement(rule: &'static Rule, paths: impl Iterator<Item = String>) -> Judgement {
        let judged = paths.map(|path| {
            let witness = Witness { instance: "x".into(), before: true, after: false };
            let change = Change::of(rule, path, "changed").proven_by(Some(witness));
            Judged { change, level: Level::Error, accepted: None, fingerprint: "0".repeat(12) }
        });
        Judgement { profile: Profile::Contract, judged: judged.collect() }
    }

    #[test]
    fn no_path_is_too_odd_for_a_format() {
        let paths = [
            "",
            "/",
            "//",
            "///",
            "tools",
            "/tools",
            "/tools/",
            ":9",
            "a:0",
            "a:99999999999999999999",
            "~",
            "/\u{200b}/~2",
        ];
        for rule in [&samples::REQUIRED, &surface::rules::gate::ALLOW_UNUSED] {
            let judgement = judgement(rule, paths.iter().map(|path| (*path).to_owned()));
            for ctx in [samples::hostile().1, DriftContext::default()] {
                for format in Format::ALL {
                    assert!(!render(format, &judgement, &ctx).is_empty());
                }
            }
        }
    }
}
