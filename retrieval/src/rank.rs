//! Ranks entries for a request: the legs, fusion, names, tastes, near-duplicates, and how sure the answer is.

use crate::confidence::{self, Scale, Signs};
use crate::entry::Entry;
use crate::fusion::{Leg, Weights, reciprocal_ranks};
use crate::index::Index;
use crate::lexical::Asked;
use crate::names::Naming;
use crate::search::{Answer, Breakdown, Hit, Method, Query, Taste};
use crate::text::in_english;
use std::collections::BTreeMap;

/// What a request that names an entry adds to its score; above anything that words or meanings can reach, so that
/// whoever knows the name gets it first.
const NAMED: f64 = 1_000.0;
/// What an alias adds: whoever gave it meant this entry, also where another one has it for a name.
const ALIASED: f64 = 1_100.0;
/// What an identifier within a longer request adds: much, but the rest of the request may outweigh it.
const NAMED_WITHIN: f64 = 3.0;
/// What a pin adds, in standard deviations.
const PINNED: f64 = 1.0;
/// What the most used entry gets more than an unused one.
const MOST_USED: f64 = 0.5;
/// From so many calls on, more calls add nothing.
const FULL_USE: f64 = 1_000.0;
/// How many entries behind the wanted number are looked at for near-duplicates.
const LOOK_BEHIND: usize = 30;

/// The cosine of a request with each entry, and with the source of each; the latter may be empty.
struct Nearness {
    entries: Vec<f32>,
    sources: Vec<f32>,
}

/// The scores of one request, by entry.
struct Legs {
    lexical: Option<Leg>,
    dense: Option<Leg>,
    /// How near the source of each entry is, where that is looked at.
    sources: Option<Leg>,
    /// What counts instead of the weighted sum of the others, if ranks are to be fused.
    ranks: Option<Leg>,
    weights: Weights,
    /// What names and tastes add, where they add something.
    extra: BTreeMap<usize, Extra>,
}

#[derive(Clone, Copy, Default)]
struct Extra {
    exact: f64,
    taste: f64,
}

impl Index {
    /// Finds what fits `query` best; the same query over the same entries has the same answer on every machine.
    ///
    /// A request without a word that could be looked up has no hits. When the embedder fails, words alone decide and
    /// [`Answer::degraded`] says why.
    pub fn search(&self, query: &Query<'_>, taste: &Taste) -> Answer {
        let asked = self.lexical.ask(query.text);
        let (mut legs, degraded) = self.legs(query, &asked);
        legs.extra = self.extra(query.text, taste);
        // The second hit says how clear the first one is, also where nobody asked for it.
        let mut hits = self.hits(query, query.limit.max(2), &asked, &legs);
        let signs = self.signs(query, &legs, &hits);
        let score = |place: usize| hits.get(place).map_or(0.0, |hit| hit.score);
        let (margin, found_nothing) = (score(0) - score(1), hits.is_empty());
        hits.truncate(query.limit);
        Answer {
            method: legs.method(query.method),
            confidence: confidence::of(&signs),
            calibrated: confidence::is_calibrated(&signs),
            margin,
            weights: legs.ranks.is_none().then_some(legs.weights),
            abstain: found_nothing || confidence::abstains(&signs),
            degraded: degraded.or_else(|| self.degraded().map(str::to_owned)),
            hits,
        }
    }

    fn legs(&self, query: &Query<'_>, asked: &Asked) -> (Legs, Option<String>) {
        let wants_dense = query.method != Method::Lexical && !query.text.trim().is_empty();
        let (dense, degraded) = if wants_dense { self.nearness(query.text) } else { (None, None) };
        let wants_lexical = query.method != Method::Dense || dense.is_none();
        let lexical = wants_lexical.then(|| Leg::of(self.lexical.scores(asked)));
        let (dense, sources) = dense.map(|near| (Leg::of(near.entries), near.sources)).unzip();
        let sources = sources.filter(|scores| !scores.is_empty()).map(Leg::of);
        let alone = |leg: bool| if leg { 1.0 } else { 0.0 };
        let mut weights =
            Weights { lexical: alone(lexical.is_some()), dense: alone(dense.is_some()), source: 0.0 };
        let mut ranks = None;
        if let (Some(lexical), Some(dense)) = (&lexical, &dense) {
            weights = self.weights;
            // In standard deviations, as what wishes add is.
            let fused = || Leg::of(reciprocal_ranks(&[&lexical.scores, &dense.scores]));
            ranks = (query.method == Method::Rrf).then(fused);
        }
        (Legs { lexical, dense, sources, ranks, weights, extra: BTreeMap::new() }, degraded)
    }

    /// The cosine of the request with each entry and with its source, or why there is none.
    fn nearness(&self, text: &str) -> (Option<Nearness>, Option<String>) {
        let (Some(vectors), Some(embedder)) = (&self.dense, &self.embedder) else { return (None, None) };
        if self.entries.is_empty() {
            return (None, None);
        }
        let nearness = || -> Result<_, String> {
            let vector = embedder.embed(&[&in_english(text)]).map_err(|cause| cause.to_string())?;
            let vector = vector.first().ok_or_else(|| format!("`{}` gave no vector", embedder.name()))?;
            let named = |cause| format!("`{}`: {cause}", embedder.name());
            let entries = vectors.entries.scores(vector).map_err(named)?;
            if vectors.sources.is_empty() {
                return Ok(Nearness { entries, sources: Vec::new() });
            }
            let sources = vectors.sources.scores(vector).map_err(named)?;
            let sources = vectors.source_of.iter().map(|source| sources[*source as usize]).collect();
            Ok(Nearness { entries, sources })
        };
        match nearness() {
            Ok(scores) => (Some(scores), None),
            Err(cause) => (None, Some(format!("searched by words only: {cause}"))),
        }
    }

    fn extra(&self, request: &str, taste: &Taste) -> BTreeMap<usize, Extra> {
        let mut extra: BTreeMap<usize, Extra> = BTreeMap::new();
        for (at, naming) in self.names.named(request) {
            extra.entry(at).or_default().exact = match naming {
                Naming::Exact => NAMED,
                Naming::Folded => NAMED * 0.9,
                Naming::Words => NAMED * 0.8,
                Naming::Within => NAMED_WITHIN,
            };
        }
        let wanted = request.trim().to_lowercase();
        let aliased = taste.aliases.iter().filter(|(alias, _)| alias.trim().to_lowercase() == wanted);
        for at in aliased.flat_map(|(_, path)| self.names.at(path)) {
            extra.entry(at).or_default().exact = ALIASED;
        }
        for at in taste.pins.iter().flat_map(|path| self.names.at(path)) {
            extra.entry(at).or_default().taste = PINNED;
        }
        for (path, calls) in &taste.usage {
            let used = (libm::log1p(*calls as f64) / libm::log1p(FULL_USE)).min(1.0);
            for at in self.names.at(path) {
                extra.entry(at).or_default().taste += MOST_USED * used;
            }
        }
        extra
    }

    /// The best entries that the query allows, best first, near-duplicates behind the best of them.
    fn hits(&self, query: &Query<'_>, limit: usize, asked: &Asked, legs: &Legs) -> Vec<Hit> {
        let mut looked_at = limit.saturating_add(LOOK_BEHIND);
        loop {
            let best = self.best(query, legs, looked_at);
            let mut hits: Vec<Hit> = Vec::new();
            for (_, at) in &best {
                if !self.joined(*at, &mut hits) && hits.len() < limit {
                    hits.push(self.hit(*at, asked, legs.breakdown(*at)));
                }
            }
            if hits.len() >= limit || best.len() < looked_at {
                return hits;
            }
            // Near-duplicates used all of them up, which is rare enough for beginning again.
            looked_at = looked_at.saturating_mul(4);
        }
    }

    /// The `count` best entries that the query allows, with their scores, best first.
    fn best(&self, query: &Query<'_>, legs: &Legs, count: usize) -> Vec<(f64, usize)> {
        let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let mut best: Vec<(f64, usize)> = Vec::new();
        let mut least = f64::NEG_INFINITY;
        let mut extras = legs.extra.iter().peekable();
        for at in 0..self.entries.len() {
            let extra =
                extras.next_if(|(other, _)| **other == at).map(|(_, extra)| *extra).unwrap_or_default();
            let score = legs.fused(at) + extra.exact + extra.taste;
            if score <= least || !legs.speaks_for(at, extra) || !self.allows(query, at) {
                continue;
            }
            best.push((score, at));
            // Sorting all would take longer than finding them; this way most are told by one look that they are not.
            if best.len() >= count.saturating_mul(2) {
                best.select_nth_unstable_by(count - 1, better);
                best.truncate(count);
                least = best[count - 1].0;
            }
        }
        best.sort_unstable_by(better);
        best.truncate(count);
        best
    }

    fn allows(&self, query: &Query<'_>, at: usize) -> bool {
        let entry = &self.entries[at];
        (query.sources.is_empty() || query.sources.contains(&entry.source))
            && (query.kinds.is_empty() || query.kinds.contains(&entry.kind))
    }

    /// Puts the entry behind an earlier hit when it says nearly the same; tells whether it did.
    fn joined(&self, at: usize, hits: &mut [Hit]) -> bool {
        match hits.iter_mut().find(|hit| self.gists.are_alike(&self.entries, hit.entry, at)) {
            Some(hit) => {
                hit.similar.push(at);
                true
            }
            None => false,
        }
    }

    fn hit(&self, at: usize, asked: &Asked, scores: Breakdown) -> Hit {
        let why_matched = self.why(at, asked, &scores);
        let score = scores.fused + scores.exact + scores.taste;
        Hit { entry: at, score, why_matched, scores, similar: Vec::new() }
    }

    fn why(&self, at: usize, asked: &Asked, scores: &Breakdown) -> Vec<String> {
        const MOST: usize = 4;
        let mut why = Vec::new();
        if scores.exact >= NAMED_WITHIN {
            why.push("the request names it".to_owned());
        }
        if scores.taste >= PINNED {
            why.push("pinned".to_owned());
        }
        let matches = if scores.lexical.is_some() { self.lexical.matches(asked, at) } else { Vec::new() };
        why.extend(matches.iter().take(MOST).map(|found| {
            let place = if found.in_name { " in its name" } else { "" };
            match &found.synonym {
                Some(synonym) => format!("`{}` as `{synonym}`{place}", found.word),
                None => format!("`{}`{place}", found.word),
            }
        }));
        if let Some(dense) = scores.dense.filter(|dense| *dense >= 0.3) {
            why.push(format!("near in meaning ({dense:.2})"));
        }
        if scores.taste > 0.0 && scores.taste < PINNED {
            why.push("used before".to_owned());
        }
        why
    }

    fn signs(&self, query: &Query<'_>, legs: &Legs, hits: &[Hit]) -> Signs {
        let is_filtered = !query.sources.is_empty() || !query.kinds.is_empty();
        let highest = |leg: &Leg| {
            if !is_filtered {
                return leg.highest;
            }
            let allowed = leg.scores.iter().enumerate().filter(|(at, _)| self.allows(query, *at));
            f64::from(allowed.map(|(_, score)| *score).fold(0.0, f32::max))
        };
        Signs {
            // An identifier within a request may be any hyphenated word.
            named: hits.first().is_some_and(|hit| hit.scores.exact > NAMED_WITHIN),
            words: legs.lexical.as_ref().map(|leg| highest(leg) / self.lexical.full_match()),
            cosine: legs.dense.as_ref().map(highest),
            scale: Scale::of(self.embedder.as_ref().map_or("", |embedder| embedder.name())),
        }
    }
}

impl Legs {
    /// What was done of what was asked for.
    fn method(&self, asked: Method) -> Method {
        if self.dense.is_none() { Method::Lexical } else { asked }
    }

    fn breakdown(&self, at: usize) -> Breakdown {
        let extra = self.extra.get(&at).copied().unwrap_or_default();
        let score = |leg: &Leg| f64::from(leg.scores[at]);
        Breakdown {
            lexical: self.lexical.as_ref().map(score),
            dense: self.dense.as_ref().map(score),
            source: self.sources.as_ref().map(score),
            lexical_z: self.lexical.as_ref().map(|leg| leg.z(at)),
            dense_z: self.dense.as_ref().map(|leg| leg.z(at)),
            source_z: self.sources.as_ref().map(|leg| leg.z(at)),
            fused: self.fused(at),
            exact: extra.exact,
            taste: extra.taste,
        }
    }

    /// What an entry is ranked by, names and tastes aside.
    fn fused(&self, at: usize) -> f64 {
        if let Some(ranks) = &self.ranks {
            return ranks.z(at);
        }
        let z = |leg: &Option<Leg>, weight: f64| leg.as_ref().map_or(0.0, |leg| weight * leg.z(at));
        let weights = &self.weights;
        z(&self.lexical, weights.lexical) + z(&self.dense, weights.dense) + z(&self.sources, weights.source)
    }

    /// Tells whether anything at all speaks for the entry. Pins alone do not: they move what fits, they do not fit.
    fn speaks_for(&self, at: usize, extra: Extra) -> bool {
        let speaks = |leg: &Option<Leg>| leg.as_ref().is_some_and(|leg| leg.scores[at] > 0.0);
        extra.exact > 0.0 || speaks(&self.lexical) || speaks(&self.dense)
    }
}

/// The entry a hit stands for, for callers that show it.
impl Hit {
    /// The entry, in the index that was searched.
    pub fn of<'a>(&self, index: &'a Index) -> &'a Entry {
        &index.entries[self.entry]
    }
}
