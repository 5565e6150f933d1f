//! What is said about one method on one set: estimates, times, abstention, and how it differs from the first method.

use super::bootstrap::{Estimate, difference, estimate, percentile};
use super::metrics::Metric;
use super::run::{Abstained, Outcome};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The estimates of all metrics, in the order of `Metric::ALL`.
pub type Estimates = [Estimate; Metric::ALL.len()];

/// One method on one set. As JSON it is one flat object.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name of the set.
    pub set: String,
    /// The name of the method.
    pub method: String,
    /// How many queries with gold there are.
    pub n: usize,
    /// What was measured on them.
    pub estimates: Estimates,
    /// The median time of a query, in milliseconds.
    pub p50_ms: f64,
    /// The time that one query in twenty exceeds, in milliseconds.
    pub p95_ms: f64,
    /// How often it said that nothing fits.
    pub abstained: Abstained,
    /// How long it took to take the catalog in, in milliseconds.
    pub build_ms: f64,
    /// The first method of the run, and by how much this one exceeds it on the same queries.
    pub versus: Option<(String, Estimates)>,
}

impl Row {
    /// Sums an outcome up. `first` is the name and the outcome of the method to compare with.
    pub fn new(
        set: &str,
        method: &str,
        outcome: &Outcome,
        first: Option<(&str, &Outcome)>,
        seed: u64,
    ) -> Self {
        let mut millis = outcome.millis.clone();
        millis.sort_by(f64::total_cmp);
        let versus = |(name, first): (&str, &Outcome)| {
            (name.to_owned(), difference(&first.scores, &outcome.scores, seed))
        };
        Self {
            set: set.to_owned(),
            method: method.to_owned(),
            n: outcome.scores.len(),
            estimates: estimate(&outcome.scores, seed),
            p50_ms: percentile(&millis, 0.5),
            p95_ms: percentile(&millis, 0.95),
            abstained: outcome.abstained,
            build_ms: 0.0,
            versus: first.map(versus),
        }
    }

    /// The estimate of one metric.
    pub fn of(&self, metric: Metric) -> &Estimate {
        &self.estimates[metric as usize]
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("set", &self.set)?;
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("n", &self.n)?;
        let known = |value: f64| (self.n > 0).then(|| rounded(value));
        for (metric, estimate) in Metric::ALL.iter().zip(&self.estimates) {
            map.serialize_entry(metric.as_str(), &known(estimate.mean))?;
        }
        map.serialize_entry("p50_ms", &rounded(self.p50_ms))?;
        map.serialize_entry("p95_ms", &rounded(self.p95_ms))?;
        for (metric, estimate) in Metric::ALL.iter().zip(&self.estimates) {
            map.serialize_entry(&format!("{}_lo", metric.as_str()), &known(estimate.lo))?;
            map.serialize_entry(&format!("{}_hi", metric.as_str()), &known(estimate.hi))?;
        }
        map.serialize_entry("abstain_n", &self.abstained.strange)?;
        map.serialize_entry("abstain_precision", &self.abstained.precision().map(rounded))?;
        map.serialize_entry("abstain_recall", &self.abstained.recall().map(rounded))?;
        map.serialize_entry("abstain_false", &self.abstained.false_rate().map(rounded))?;
        map.serialize_entry("build_ms", &rounded(self.build_ms))?;
        if let Some((first, estimates)) = &self.versus {
            map.serialize_entry("versus", first)?;
            for (metric, estimate) in Metric::ALL.iter().zip(estimates) {
                let name = metric.as_str();
                map.serialize_entry(&format!("{name}_diff"), &known(estimate.mean))?;
                map.serialize_entry(&format!("{name}_diff_lo"), &known(estimate.lo))?;
                map.serialize_entry(&format!("{name}_diff_hi"), &known(estimate.hi))?;
                map.serialize_entry(&format!("{name}_diff_sign"), &known(estimate.same_sign))?;
            }
        }
        map.end()
    }
}

/// Four digits behind the point: more would only look exact.
fn rounded(value: f64) -> f64 {
    libm::round(value * 1e4) / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_flat_object_with_intervals_beside_the_means() {
        let first = Outcome { scores: vec![[0.0; 5]; 4], millis: vec![2.0; 4], ..Outcome::default() };
        let outcome =
            Outcome { scores: vec![[1.0; 5]; 4], millis: vec![3.0, 1.0, 2.0, 9.0], ..first.clone() };
        let row = Row::new("s", "fused", &outcome, Some(("lexical", &first)), 1);
        let json = serde_json::to_string(&row).expect("it is plain");
        let begin = r#"{"set":"s","method":"fused","n":4,"r1":1.0,"r5":1.0,"r10":1.0,"ndcg10":1.0,"mrr":1.0,"p50_ms":2.0,"p95_ms":9.0,"r1_lo":1.0,"#;
        assert!(json.starts_with(begin), "{json}");
        assert!(json.contains(
            r#""versus":"lexical","r1_diff":1.0,"r1_diff_lo":1.0,"r1_diff_hi":1.0,"r1_diff_sign":1.0"#
        ));
    }

    #[test]
    fn what_was_not_measured_is_null_and_not_nought() {
        let json =
            serde_json::to_value(Row::new("s", "m", &Outcome::default(), None, 1)).expect("it is plain");
        assert!(
            json["r1"].is_null() && json["abstain_recall"].is_null() && json.get("versus").is_none(),
            "{json}"
        );
    }
}
