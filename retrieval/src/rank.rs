//! Ranks entries for a request: the legs, fusion, names, tastes, near-duplicates, and how sure the answer is.

use crate::confidence::{self, Scale, Signs};
use crate::entry::Entry;
use crate::fusion;
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
/// First sentences that share this much of their terms say much the same; within a source less is enough.
const SAME_GIST: f64 = 0.5;
const SAME_GIST_AT_HOME: f64 = 0.2;

/// The cosine of a request with each entry, and with the source of each; the latter may be empty.
struct Nearness {
    entries: Vec<f64>,
    sources: Vec<f64>,
}

/// The scores of one request, by entry.
struct Legs {
    lexical: Option<Vec<f64>>,
    dense: Option<Nearness>,
    lexical_z: Vec<f64>,
    dense_z: Vec<f64>,
    fused: Vec<f64>,
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
        let hits = self.hits(query, &asked, &legs);
        let signs = self.signs(query, &legs, &hits);
        Answer {
            method: legs.method(query.method),
            confidence: confidence::of(&signs),
            calibrated: confidence::is_calibrated(&signs),
            margin: hits
                .first()
                .map_or(0.0, |first| first.score - hits.get(1).map_or(0.0, |second| second.score)),
            abstain: hits.is_empty() || confidence::abstains(&signs),
            degraded: degraded.or_else(|| self.degraded().map(str::to_owned)),
            hits,
        }
    }

    fn legs(&self, query: &Query<'_>, asked: &Asked) -> (Legs, Option<String>) {
        let wants_dense = query.method != Method::Lexical && !query.text.trim().is_empty();
        let (dense, degraded) = if wants_dense { self.nearness(query.text) } else { (None, None) };
        let wants_lexical = query.method != Method::Dense || dense.is_none();
        let lexical = wants_lexical.then(|| self.lexical.scores(asked));
        let lexical_z = lexical.as_deref().map(fusion::z_scores).unwrap_or_default();
        let dense_z = dense.as_ref().map(|near| fusion::z_scores(&near.entries)).unwrap_or_default();
        let fused = match (&lexical, &dense) {
            (Some(lexical), Some(near)) if query.method == Method::Rrf => {
                // In standard deviations, as what wishes add is.
                fusion::z_scores(&fusion::reciprocal_ranks(&[lexical, &near.entries]))
            }
            (Some(_), Some(near)) => self.weighted(&lexical_z, &dense_z, &fusion::z_scores(&near.sources)),
            (None, _) => dense_z.clone(),
            (_, None) => lexical_z.clone(),
        };
        (Legs { lexical, dense, lexical_z, dense_z, fused, extra: BTreeMap::new() }, degraded)
    }

    fn weighted(&self, lexical: &[f64], dense: &[f64], sources: &[f64]) -> Vec<f64> {
        let weights = self.weights;
        let both = lexical.iter().zip(dense).map(|(l, d)| weights.lexical * l + weights.dense * d);
        if sources.is_empty() {
            return both.collect();
        }
        both.zip(sources).map(|(both, source)| both + weights.source * source).collect()
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
    fn hits(&self, query: &Query<'_>, asked: &Asked, legs: &Legs) -> Vec<Hit> {
        let fits = |at: &usize| legs.speaks_for(*at) && self.allows(query, *at);
        let mut scored: Vec<(f64, usize)> =
            (0..self.entries.len()).filter(fits).map(|at| (legs.score(at), at)).collect();
        let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let mut hits: Vec<Hit> = Vec::new();
        let mut rest = scored.as_mut_slice();
        // Sorting all would take longer than finding them; near-duplicates may use up the first part, though.
        while hits.len() < query.limit && !rest.is_empty() {
            let part = query.limit.saturating_add(LOOK_BEHIND).min(rest.len());
            if part < rest.len() {
                rest.select_nth_unstable_by(part, better);
            }
            let (best, others) = rest.split_at_mut(part);
            best.sort_unstable_by(better);
            for (_, at) in best {
                if !self.joined(*at, &mut hits) && hits.len() < query.limit {
                    hits.push(self.hit(*at, asked, legs.breakdown(*at)));
                }
            }
            rest = others;
        }
        hits
    }

    fn allows(&self, query: &Query<'_>, at: usize) -> bool {
        let entry = &self.entries[at];
        (query.sources.is_empty() || query.sources.contains(&entry.source))
            && (query.kinds.is_empty() || query.kinds.contains(&entry.kind))
    }

    /// Puts the entry behind an earlier hit when it says nearly the same; tells whether it did.
    fn joined(&self, at: usize, hits: &mut [Hit]) -> bool {
        match hits.iter_mut().find(|hit| self.are_alike(hit.entry, at)) {
            Some(hit) => {
                hit.similar.push(at);
                true
            }
            None => false,
        }
    }

    /// Tells whether two entries are near-duplicates: their names have the same words, and their first sentences share
    /// many, fewer within one source. Without sentences the names themselves have to be the same.
    fn are_alike(&self, one: usize, other: usize) -> bool {
        let [a, b] = [&self.gists[one], &self.gists[other]];
        let [first, second] = [&self.entries[one], &self.entries[other]];
        if a.name != b.name || first.kind != second.kind {
            return false;
        }
        if a.terms.is_empty() && b.terms.is_empty() {
            return first.name == second.name;
        }
        let enough = if first.source == second.source { SAME_GIST_AT_HOME } else { SAME_GIST };
        overlap(&a.terms, &b.terms) >= enough
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
        let highest = |scores: &[f64]| {
            let allowed = scores.iter().enumerate().filter(|(at, _)| self.allows(query, *at));
            allowed.map(|(_, score)| *score).fold(0.0, f64::max)
        };
        Signs {
            // An identifier within a request may be any hyphenated word.
            named: hits.first().is_some_and(|hit| hit.scores.exact > NAMED_WITHIN),
            words: legs.lexical.as_deref().map_or(0.0, highest) / self.lexical.full_match(),
            cosine: legs.dense.as_ref().map(|near| highest(&near.entries)),
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
        Breakdown {
            lexical: self.lexical.as_ref().map(|scores| scores[at]),
            dense: self.dense.as_ref().map(|near| near.entries[at]),
            source: self.dense.as_ref().and_then(|near| near.sources.get(at).copied()),
            lexical_z: self.lexical_z.get(at).copied(),
            dense_z: self.dense_z.get(at).copied(),
            fused: self.fused[at],
            exact: extra.exact,
            taste: extra.taste,
        }
    }

    /// What an entry is ranked by.
    fn score(&self, at: usize) -> f64 {
        self.fused[at] + self.extra.get(&at).map_or(0.0, |extra| extra.exact + extra.taste)
    }

    /// Tells whether anything at all speaks for the entry. Pins alone do not: they move what fits, they do not fit.
    fn speaks_for(&self, at: usize) -> bool {
        self.lexical.as_ref().is_some_and(|scores| scores[at] > 0.0)
            || self.dense.as_ref().is_some_and(|near| near.entries[at] > 0.0)
            || self.extra.get(&at).is_some_and(|extra| extra.exact > 0.0)
    }
}

/// The share of terms that two sorted lists have in common; 1 for two empty ones.
fn overlap(a: &[u32], b: &[u32]) -> f64 {
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

/// The entry a hit stands for, for callers that show it.
impl Hit {
    /// The entry, in the index that was searched.
    pub fn of<'a>(&self, index: &'a Index) -> &'a Entry {
        &index.entries[self.entry]
    }
}
