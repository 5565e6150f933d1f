//! How good search is: sets of queries with what they should find, the metrics, how sure they are, and yardsticks. Reading files and writing tables is the caller's.

mod bootstrap;
mod data;
mod finder;
mod fts5;
mod lazy_tool;
mod method;
mod metrics;
mod ours;
mod row;
mod run;
mod weight;

pub use bootstrap::{Estimate, SplitMix, difference, estimate, percentile};
pub use data::{Case, DataError, Set, Source, read_set};
pub use finder::{Finder, FinderError, Found};
pub use fts5::Fts5;
pub use lazy_tool::{LazyTool, Meaning};
pub use method::{MethodName, Ranking};
pub use metrics::{DEPTH, Metric, Scores, judge};
pub use ours::{Ours, Vectors};
pub use row::{Estimates, Row};
pub use run::{Abstained, Outcome, related, run, strangers};
pub use weight::{Choice, Curve, built_in_weight, leave_one_out, ndcg_by_weight};

#[cfg(test)]
mod tests {
    use crate::embed::{EmbedError, Embedder};
    use crate::entry::{Entry, Kind};
    use serde_json::json;

    /// Three tools that have little in common.
    pub(super) fn entries() -> Vec<Entry> {
        let tool = |name: &str, description: &str, parameter: &str| Entry {
            source: "s".to_owned(),
            kind: Kind::Tool,
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input: json!({"type": "object", "properties": {parameter: {"type": "string"}}}),
            source_description: String::new(),
        };
        vec![
            tool("read", "Reads a file as it is on the disk", "path"),
            tool("weather", "Tells the weather of a city", "city"),
            tool("translate", "Says a text in another language", "text"),
        ]
    }

    /// An embedder whose vectors count letters.
    pub(super) struct Letters;

    impl Embedder for Letters {
        fn name(&self) -> &str {
            "letters"
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Ok(texts.iter().map(|text| letters(text)).collect())
        }
    }

    fn letters(text: &str) -> Vec<f32> {
        let mut counts = [0f32; 26];
        for letter in text.bytes().map(|byte| byte.to_ascii_lowercase()).filter(u8::is_ascii_lowercase) {
            counts[usize::from(letter - b'a')] += 1.0;
        }
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1e-9);
        counts.iter().map(|count| count / length).collect()
    }
}
