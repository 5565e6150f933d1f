//! What is asked of the catalog and what it answers. How the answer is found stands in the legs and in fusion.

use crate::entry::Kind;
use crate::fusion::Weights;
use serde::Serialize;
use std::collections::BTreeMap;

/// How hits are found and ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Words only.
    Lexical,
    /// Meaning only.
    Dense,
    /// Both, as a weighted sum of z-scores.
    #[default]
    Fused,
    /// Both, by reciprocal ranks.
    Rrf,
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The request in anyone's words; it has no syntax.
    pub text: &'a str,
    /// How many hits at most.
    pub limit: usize,
    /// Only these sources; all when empty.
    pub sources: &'a [String],
    /// Only these kinds; all when empty.
    pub kinds: &'a [Kind],
    /// How to rank.
    pub method: Method,
}

/// What a user has made known beside the query; each wish moves a hit by a bounded amount.
#[derive(Clone, Debug, Default)]
pub struct Taste {
    /// Entries to prefer, by `source/name`.
    pub pins: Vec<String>,
    /// Other names of entries: the alias and `source/name`.
    pub aliases: Vec<(String, String)>,
    /// How often entries were called with success, by `source/name`.
    pub usage: BTreeMap<String, u64>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How they were ranked: by words only where there are no vectors, or none could be had.
    pub method: Method,
    /// How sure it is that the first hit is what was asked for, from 0 to 1.
    pub confidence: f64,
    /// Tells whether the confidence was calibrated on public data for the embedder; else it is a guess.
    pub calibrated: bool,
    /// By how much the first hit leads the second, in units of the score; all of its score where there is no second.
    pub margin: f64,
    /// What each leg counts in `fused`; nothing where reciprocal ranks were fused.
    pub weights: Option<Weights>,
    /// Tells that nothing in the catalog seems to fit; the hits are there all the same.
    pub abstain: bool,
    /// What did not work as asked, such as an embedding endpoint that is down; search went on without it.
    pub degraded: Option<String>,
}

/// One hit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// The place of the entry in the index that was searched.
    pub entry: usize,
    /// The score it is ranked by.
    pub score: f64,
    /// Why it is there, as phrases for people, strongest first.
    pub why_matched: Vec<String>,
    /// Where the score comes from.
    pub scores: Breakdown,
    /// Near-duplicates that stand behind this one: their names have the same words, and they say much the same. Some
    /// that score far below may be missing.
    pub similar: Vec<usize>,
}

/// Where a score comes from. What a leg did not see is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Breakdown {
    /// BM25F, unbounded.
    pub lexical: Option<f64>,
    /// Cosine, -1 to 1.
    pub dense: Option<f64>,
    /// Cosine with what its source says of itself, where that is looked at.
    pub source: Option<f64>,
    /// The lexical score in standard deviations above the mean of all entries.
    pub lexical_z: Option<f64>,
    /// The dense score in standard deviations above the mean of all entries.
    pub dense_z: Option<f64>,
    /// The closeness of its source in standard deviations above the mean of all entries.
    pub source_z: Option<f64>,
    /// What fusion made of them: the sum of the three in standard deviations, each times its weight; or the sum of
    /// reciprocal ranks, in standard deviations.
    pub fused: f64,
    /// What naming the entry exactly adds.
    pub exact: f64,
    /// What pins, aliases and usage add.
    pub taste: f64,
}
