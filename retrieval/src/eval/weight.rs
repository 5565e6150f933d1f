//! The weight of fusion judged without the data it was chosen on: chosen on other sets, tried on the one left out.

use super::data::Set;
use super::finder::{Finder, FinderError};
use super::metrics::{DEPTH, Metric, judge};
use super::ours::{Ours, Vectors};
use super::run::related;
use crate::embed::{EmbedError, Embedder};
use crate::fusion::Weights;
use crate::search::Method;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The weights that are tried, in tenths.
const TENTHS: std::ops::RangeInclusive<u8> = 0..=10;

/// The mean nDCG@10 of a set at each weight, in their order.
pub type Curve = Vec<(f64, f64)>;

/// What leaving one set out gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The set that was left out.
    pub set: String,
    /// How many sets the weight was chosen on.
    pub others: usize,
    /// The weight that is best on them, and the nDCG@10 it has on the set left out; `None` when there are none.
    pub chosen: Option<(f64, f64)>,
    /// The weight that is best on the set itself, and what it has there: what choosing on others costs.
    pub best: (f64, f64),
    /// The weight that is built in, and what it has on the set.
    pub built_in: (f64, f64),
}

/// The weight of meaning that is built in for vectors of this embedder.
pub fn built_in_weight(embedder: &dyn Embedder) -> f64 {
    Weights::of(embedder.name()).dense
}

/// Asks all queries of a set at each weight.
///
/// # Errors
/// When the embedder fails.
pub fn ndcg_by_weight(
    set: &Set,
    embedder: &Arc<dyn Embedder>,
    vectors: &Vectors,
    synonyms: &str,
    asked: &mut dyn FnMut(),
) -> Result<Curve, FinderError> {
    vectors.of(&set.entries, embedder.as_ref(), &|_, _| ())?;
    let once: Arc<dyn Embedder> = Arc::new(Once { inner: embedder.clone(), known: Mutex::default() });
    let mut ours = Ours::build(&set.entries, Method::Fused, Some(once), vectors, synonyms)?;
    let mut weights: Vec<f64> = TENTHS.map(|tenth| f64::from(tenth) / 10.0).collect();
    let built_in = built_in_weight(embedder.as_ref());
    if !weights.contains(&built_in) {
        weights.push(built_in);
    }
    let mut sums = vec![0.0; weights.len()];
    let cases: Vec<_> = set.cases.iter().filter(|case| !case.gold.is_empty()).collect();
    for case in &cases {
        for (weight, sum) in weights.iter().zip(&mut sums) {
            ours.weigh(*weight);
            let found = ours.find(&case.text, DEPTH)?;
            *sum += judge(&case.gold, &found.entries)[Metric::Ndcg10 as usize];
        }
        asked();
    }
    let count = cases.len().max(1) as f64;
    Ok(weights.into_iter().zip(sums).map(|(weight, sum)| (weight, sum / count)).collect())
}

/// Leaves each set out and chooses the weight on those that share no entry with it: a set that has the same tools
/// and requests in it would give away what is to be found out.
pub fn leave_one_out(sets: &[Set], curves: &[Curve], built_in: f64) -> Vec<Choice> {
    let choose = |(at, (set, curve)): (usize, (&Set, &Curve))| {
        let others: Vec<&Curve> = sets
            .iter()
            .zip(curves)
            .enumerate()
            .filter(|(other, (it, _))| *other != at && !related(set, it))
            .map(|(_, (_, curve))| curve)
            .collect();
        let on_others = mean_of(&others);
        let value = |weight: f64| curve.iter().find(|(it, _)| *it == weight).map_or(0.0, |(_, value)| *value);
        Choice {
            set: set.name.clone(),
            others: others.len(),
            chosen: best(&on_others).map(|(weight, _)| (weight, value(weight))),
            best: best(curve).unwrap_or_default(),
            built_in: (built_in, value(built_in)),
        }
    };
    sets.iter().zip(curves).enumerate().map(choose).collect()
}

fn mean_of(curves: &[&Curve]) -> Curve {
    let Some(first) = curves.first() else { return Curve::new() };
    let mean = |at: usize| curves.iter().map(|curve| curve[at].1).sum::<f64>() / curves.len() as f64;
    first.iter().enumerate().map(|(at, (weight, _))| (*weight, mean(at))).collect()
}

/// The best point; of several, the one with the smallest weight.
fn best(curve: &Curve) -> Option<(f64, f64)> {
    curve.iter().copied().reduce(|best, point| if point.1 > best.1 { point } else { best })
}

/// Embeds a text once, however often it is asked for: the weights differ, the requests do not.
struct Once {
    inner: Arc<dyn Embedder>,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Once {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let [text] = texts
            && let Some(vector) = known.get(*text)
        {
            return Ok(vec![vector.clone()]);
        }
        let made = self.inner.embed(texts)?;
        if let ([text], [vector]) = (texts, made.as_slice()) {
            known.insert((*text).to_owned(), vector.clone());
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::Case;
    use super::super::tests::{Letters, entries};
    use super::*;

    fn set(name: &str, source: &str) -> Set {
        let mut entries = entries();
        entries.iter_mut().for_each(|entry| entry.source = source.to_owned());
        let case = Case { id: "1".to_owned(), text: "say it in my language".to_owned(), gold: vec![vec![2]] };
        Set { name: name.to_owned(), entries, cases: vec![case] }
    }

    #[test]
    fn the_weight_is_chosen_on_unrelated_sets_only() {
        let sets = [set("a", "s"), set("twin of a", "s"), set("b", "t")];
        let curves =
            [vec![(0.0, 0.9), (0.5, 0.2)], vec![(0.0, 0.8), (0.5, 0.1)], vec![(0.0, 0.3), (0.5, 0.7)]];
        let choices = leave_one_out(&sets, &curves, 0.5);
        assert_eq!(
            (choices[0].others, choices[0].chosen, choices[0].best),
            (1, Some((0.5, 0.2)), (0.0, 0.9))
        );
        assert_eq!((choices[2].others, choices[2].chosen), (2, Some((0.0, 0.3))));
        assert_eq!(leave_one_out(&sets[..2], &curves[..2], 0.5)[0].chosen, None);
    }

    #[test]
    fn every_weight_is_tried_on_every_query_and_the_built_in_one_is_among_them() {
        let embedder: Arc<dyn Embedder> = Arc::new(Letters);
        let mut asked = 0;
        let curve = ndcg_by_weight(&set("a", "s"), &embedder, &Vectors::default(), "", &mut || asked += 1);
        let curve = curve.expect("it works");
        assert!(curve.iter().any(|(weight, _)| *weight == built_in_weight(&Letters)) && curve.len() >= 11);
        assert!(asked == 1 && curve.iter().all(|(_, value)| *value == 1.0), "{curve:?}");
    }
}
