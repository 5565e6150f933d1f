//! How hits look, as text and as JSON.

use crate::catalog::ready::Ready;
use crate::printer;
use reports::plain;
use retrieval::text::first_sentence;
use retrieval::{Answer, Entry, Hit, Kind, Query};
use serde_json::{Value, json};

/// What was asked and what was found.
pub(super) struct Found<'a> {
    pub(super) query: &'a Query<'a>,
    pub(super) ready: &'a Ready,
    pub(super) answer: &'a Answer,
}

impl Found<'_> {
    /// The hits for people: two lines each, and what to think of them on top.
    pub(super) fn text(&self, explain: bool) -> String {
        let place = plain(&self.ready.shown);
        if self.ready.index.is_empty() {
            return format!("{place} holds nothing yet; `mcpproof catalog build TARGET...` fills it\n");
        }
        let all = self.ready.index.len();
        if self.answer.hits.is_empty() {
            return format!("nothing found among {all} entries of {place}\n");
        }
        let guess = match self.answer.calibrated {
            true => String::new(),
            false => format!(", a guess: it was never measured for {}", plain(&self.ready.embedder)),
        };
        let sure = format!("confidence {:.2}{guess}", self.answer.confidence);
        let mut text = match self.answer.abstain {
            true => format!("Nothing here seems to fit ({sure}); the nearest of {all} entries:\n"),
            false => format!("{} of {all} entries, {sure}\n", self.answer.hits.len()),
        };
        for (at, hit) in self.answer.hits.iter().enumerate() {
            text.push_str(&self.hit(at + 1, hit, explain));
        }
        text
    }

    fn hit(&self, rank: usize, hit: &Hit, explain: bool) -> String {
        let Some(entry) = self.ready.index.entry(hit.entry) else { return String::new() };
        let width = printer::columns();
        let kind = if entry.kind == Kind::Tool { String::new() } else { format!(" ({})", entry.kind) };
        let head = format!("{rank:>3}  {}/{}{kind}  {:.2}", entry.source, entry.name, hit.score);
        let mut lines = vec![plain(&head)];
        let about = first_sentence(
            entry.title.as_deref().filter(|_| entry.description.is_empty()).unwrap_or(&entry.description),
            400,
        );
        if !about.trim().is_empty() {
            lines.push(cut(&format!("     {}", plain(&about)), width));
        }
        let why = format!("     matched: {}", hit.why_matched.join("; "));
        if !hit.why_matched.is_empty() {
            lines.push(cut(&plain(&why), width));
        }
        if explain {
            lines.push(format!("     {}", self.scores(hit)));
        }
        if !hit.similar.is_empty() {
            let names = hit.similar.iter().filter_map(|at| self.ready.index.entry(*at));
            let names = names.map(|near| match near.source == entry.source {
                true => near.name.clone(),
                false => format!("{}/{}", near.source, near.name),
            });
            let names: Vec<_> = names.collect();
            lines.push(cut(&plain(&format!("     much the same: {}", names.join(", "))), width));
        }
        lines.join("\n") + "\n"
    }

    /// Where a score comes from, so that it can be added up; what no leg saw is left out.
    fn scores(&self, hit: &Hit) -> String {
        let scores = &hit.scores;
        let weights = self.answer.weights;
        let parts = [
            ("words", scores.lexical, scores.lexical_z, weights.map(|all| all.lexical)),
            ("meaning", scores.dense, scores.dense_z, weights.map(|all| all.dense)),
            ("source", scores.source, scores.source_z, weights.map(|all| all.source)),
        ];
        let part = |(word, score, z, weight): (&str, Option<f64>, Option<f64>, Option<f64>)| {
            let times = weight.map_or(String::new(), |weight| format!(" x {weight}"));
            Some(format!("{word} {:.3} (z {:.3}{times})", score?, z?))
        };
        let legs: Vec<_> = parts.into_iter().filter_map(part).collect();
        format!(
            "{}: together {:.3}, exact {:.3}, taste {:.3}",
            legs.join(" + "),
            scores.fused,
            scores.exact,
            scores.taste
        )
    }

    /// Everything, for programs.
    pub(super) fn json(&self) -> String {
        let hits: Vec<_> =
            self.answer.hits.iter().enumerate().filter_map(|(at, hit)| self.hit_json(at + 1, hit)).collect();
        let json = json!({
            "query": self.query.text,
            "catalog": self.ready.shown,
            "entries": self.ready.index.len(),
            "method": self.answer.method,
            "embedder": self.ready.embedder,
            "confidence": self.answer.confidence,
            "calibrated": self.answer.calibrated,
            "margin": self.answer.margin,
            "weights": self.answer.weights,
            "abstain": self.answer.abstain,
            "degraded": self.answer.degraded,
            "hits": hits,
        });
        format!("{json:#}\n")
    }

    fn hit_json(&self, rank: usize, hit: &Hit) -> Option<Value> {
        let entry = self.ready.index.entry(hit.entry)?;
        let similar: Vec<_> =
            hit.similar.iter().filter_map(|at| self.ready.index.entry(*at)).map(named).collect();
        let mut json = named(entry);
        let members = json.as_object_mut()?;
        members.insert("rank".into(), rank.into());
        members.insert("title".into(), entry.title.clone().into());
        members.insert("description".into(), entry.description.clone().into());
        members.insert("score".into(), hit.score.into());
        members.insert("why_matched".into(), hit.why_matched.clone().into());
        members.insert("scores".into(), serde_json::to_value(&hit.scores).ok()?);
        members.insert("similar".into(), similar.into());
        Some(json)
    }
}

fn named(entry: &Entry) -> Value {
    json!({"source": entry.source, "kind": entry.kind, "name": entry.name})
}

/// Cuts a line to `width` characters.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
