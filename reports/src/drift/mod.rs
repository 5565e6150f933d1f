//! Reports of what changed between two surfaces, in every format. What changed and whether it matters is decided elsewhere.

mod bump;
mod context;
pub mod gate;
pub mod github;
pub mod json;
pub mod junit;
pub mod markdown;
#[cfg(test)]
mod samples;
pub mod sarif;
mod spell;
mod sums;
pub mod text;
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
