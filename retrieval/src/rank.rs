//! Ranks entries for a request: the legs, fusion, names, tastes, near-duplicates, and how sure the answer is.

use crate::confidence::{self, Signs};
use crate::entry::Entry;
use crate::fusion;
use crate::index::Index;
use crate::lexical::Asked;
use crate::names::Naming;
use crate::search::{Answer, Breakdown, Hit, Method, Query, Taste};

/// What a request that names an entry adds to its score; above anything that words or meanings can reach, so that
/// whoever knows the name gets it first.
const NAMED: f64 = 1_000.0;
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
/// Entries whose first sentences share this much of their words, and whose names have the same words, are near-duplicates.
const SAME_GIST: f64 = 0.5;

/// The scores of one request, by entry.
struct Legs {
    lexical: Option<Vec<f64>>,
    dense: Option<Vec<f64>>,
    lexical_z: Vec<f64>,
    dense_z: Vec<f64>,
    fused: Vec<f64>,
}

impl Index {
    /// Finds what fits `query` best; the same query over the same entries has the same answer on every machine.
    ///
    /// A request without a word that could be looked up has no hits. When the embedder fails, words alone decide and
    /// [`Answer::degraded`] says why.
    pub fn search(&self, query: &Query<'_>, taste: &Taste) -> Answer {
        let asked = self.lexical.ask(query.text);
        let (legs, degraded) = self.legs(query, &asked);
        let mut scores: Vec<Breakdown> = (0..self.entries.len()).map(|at| legs.breakdown(at)).collect();
        self.names(query.text, taste, &mut scores);
        self.tastes(taste, &mut scores);
        let order = self.order(query, &scores);
        let mut hits: Vec<Hit> = Vec::new();
        for at in order {
            if !self.joined(at, &mut hits) && hits.len() < query.limit {
                hits.push(self.hit(at, &asked, &scores[at]));
            }
        }
        let signs = self.signs(&asked, &hits);
        Answer {
            confidence: confidence::of(&signs),
            margin: signs.margin,
            abstain: confidence::abstains(&signs),
            degraded: degraded.or_else(|| self.degraded().map(str::to_owned)),
            hits,
        }
    }

    fn legs(&self, query: &Query<'_>, asked: &Asked) -> (Legs, Option<String>) {
        let lexical = (query.method != Method::Dense).then(|| self.lexical.scores(asked));
        let wants_dense = query.method != Method::Lexical && !query.text.trim().is_empty();
        let (dense, degraded) = if wants_dense { self.nearness(query.text) } else { (None, None) };
        let lexical = lexical.or_else(|| dense.is_none().then(|| self.lexical.scores(asked)));
        let lexical_z = lexical.as_deref().map(fusion::z_scores).unwrap_or_default();
        let dense_z = dense.as_deref().map(fusion::z_scores).unwrap_or_default();
        let fused = match (&lexical, &dense) {
            (Some(lexical), Some(dense)) if query.method == Method::Rrf => {
                fusion::reciprocal_ranks(&[lexical, dense])
            }
            (Some(_), Some(_)) => fusion::weighted(&lexical_z, &dense_z, self.dense_weight),
            (None, _) => dense_z.clone(),
            (_, None) => lexical_z.clone(),
        };
        (Legs { lexical, dense, lexical_z, dense_z, fused }, degraded)
    }

    /// The cosine of the request with each entry, or why there is none.
    fn nearness(&self, text: &str) -> (Option<Vec<f64>>, Option<String>) {
        let (Some(dense), Some(embedder)) = (&self.dense, &self.embedder) else { return (None, None) };
        let scores = embedder.embed(&[text]).map_err(|cause| cause.to_string()).and_then(|vectors| {
            let vector = vectors.first().ok_or_else(|| format!("`{}` gave no vector", embedder.name()))?;
            dense.scores(vector).map_err(|cause| format!("`{}`: {cause}", embedder.name()))
        });
        match scores {
            Ok(scores) => (Some(scores), None),
            Err(cause) => (None, Some(format!("searched by words only: {cause}"))),
        }
    }

    fn names(&self, request: &str, taste: &Taste, scores: &mut [Breakdown]) {
        for (at, naming) in self.names.named(request) {
            scores[at].exact = match naming {
                Naming::Exact => NAMED,
                Naming::Folded => NAMED * 0.9,
                Naming::Words => NAMED * 0.8,
                Naming::Within => NAMED_WITHIN,
            };
        }
        for (alias, path) in &taste.aliases {
            if alias.trim().eq_ignore_ascii_case(request.trim()) {
                for (at, _) in
                    self.names.named(path).into_iter().filter(|(_, naming)| *naming == Naming::Exact)
                {
                    scores[at].exact = NAMED;
                }
            }
        }
    }

    fn tastes(&self, taste: &Taste, scores: &mut [Breakdown]) {
        for path in &taste.pins {
            for (at, _) in self.names.named(path).into_iter().filter(|(_, naming)| *naming == Naming::Exact) {
                scores[at].taste += PINNED;
            }
        }
        for (path, calls) in &taste.usage {
            let used = (libm::log1p(*calls as f64) / libm::log1p(FULL_USE)).min(1.0);
            for (at, _) in self.names.named(path).into_iter().filter(|(_, naming)| *naming == Naming::Exact) {
                scores[at].taste += MOST_USED * used;
            }
        }
    }

    /// The best entries that the query allows, best first, with some behind them.
    fn order(&self, query: &Query<'_>, scores: &[Breakdown]) -> Vec<usize> {
        let allowed = |at: &usize| {
            let entry = &self.entries[*at];
            (query.sources.is_empty() || query.sources.contains(&entry.source))
                && (query.kinds.is_empty() || query.kinds.contains(&entry.kind))
        };
        let fits = |at: &usize| scores[*at].matched();
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| fits(at) && allowed(at)).collect();
        let better = |a: &usize, b: &usize| scores[*b].score().total_cmp(&scores[*a].score()).then(a.cmp(b));
        let wanted = query.limit.saturating_add(LOOK_BEHIND);
        if order.len() > wanted {
            order.select_nth_unstable_by(wanted, better);
            order.truncate(wanted);
        }
        order.sort_unstable_by(better);
        order
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

    fn are_alike(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.entries[one], &self.entries[other]);
        a.source == b.source
            && a.kind == b.kind
            && crate::text::words(&a.name) == crate::text::words(&b.name)
            && overlap(&self.gists[one], &self.gists[other]) >= SAME_GIST
    }

    fn hit(&self, at: usize, asked: &Asked, scores: &Breakdown) -> Hit {
        Hit {
            entry: at,
            score: scores.score(),
            why_matched: self.why(at, asked, scores),
            scores: scores.clone(),
            similar: Vec::new(),
        }
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
                Some(synonym) => format!("`{}` as `{synonym}`{place}", found.term),
                None => format!("`{}`{place}", found.term),
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

    fn signs(&self, asked: &Asked, hits: &[Hit]) -> Signs {
        let Some(first) = hits.first() else { return Signs::default() };
        let second = hits.get(1).map_or(0.0, |hit| hit.score);
        Signs {
            named: first.scores.exact >= NAMED_WITHIN,
            coverage: self.lexical.coverage(asked, first.entry),
            lexical_z: first.scores.lexical_z,
            dense: first.scores.dense,
            margin: first.score - second,
        }
    }
}

impl Legs {
    fn breakdown(&self, at: usize) -> Breakdown {
        Breakdown {
            lexical: self.lexical.as_ref().map(|scores| scores[at]),
            dense: self.dense.as_ref().map(|scores| scores[at]),
            lexical_z: self.lexical_z.get(at).copied(),
            dense_z: self.dense_z.get(at).copied(),
            fused: self.fused[at],
            exact: 0.0,
            taste: 0.0,
        }
    }
}

impl Breakdown {
    /// What a hit is ranked by.
    fn score(&self) -> f64 {
        self.fused + self.exact + self.taste
    }

    /// Tells whether anything at all speaks for the entry. Pins alone do not: they move what fits, they do not fit.
    fn matched(&self) -> bool {
        self.exact > 0.0
            || self.lexical.is_some_and(|score| score > 0.0)
            || self.dense.is_some_and(|score| score > 0.0)
    }
}

/// The share of words that two sorted lists have in common; 1 for two empty ones.
fn overlap(a: &[String], b: &[String]) -> f64 {
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
