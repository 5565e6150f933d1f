//! The tables of drift rules, a file for each area. A rule is a `static`, so that code names it and a misspelt name does not compile.

pub mod gate;
pub mod hints;
pub mod input;
pub mod items;
pub mod output;
pub mod session;
pub mod text;

use crate::rule::Rule;

/// Every table.
pub(crate) const TABLES: [&[&Rule]; 7] =
    [items::RULES, input::RULES, output::RULES, text::RULES, hints::RULES, session::RULES, gate::RULES];
