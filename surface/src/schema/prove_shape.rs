//! The part of a proof that looks inside: members of objects, items of arrays.

use super::form::{Conj, Form};
use super::node::Id;
use super::number::Span;
use super::prove::Prover;
use serde_json::Value;
use std::collections::BTreeSet;

/// How many patterns of names are set against each other.
const MOST_PATTERNS: usize = 5;

impl<'a> Prover<'_, 'a> {
    /// Proves what `demands` says of objects.
    pub(super) fn objects(&mut self, small: &Conj, form: &Form<'a>, demands: &Form<'a>) -> bool {
        if !demands.required.is_subset(&form.required) {
            return self.lacks("required");
        }
        if !demands.size.covers(&self.sizes(form)) {
            return self.lacks("minProperties or maxProperties");
        }
        self.listed(form, demands)
            && self.unlisted(form, demands)
            && (demands.names.iter().all(|id| self.names(form, *id)) || self.lacks("propertyNames"))
            && (self.needed(form, demands) || self.lacks("dependentRequired"))
            && (self.dependent(small, form, demands) || self.lacks("dependentSchemas"))
    }

    /// How many members an object can have.
    fn sizes(&self, form: &Form<'a>) -> Span {
        let least = Span {
            min: form.required.len() as u64,
            max: self.only_names(form).map(|names| names.len() as u64),
        };
        let mut span = form.size;
        span.meet(&least);
        span
    }

    /// The only names that members can have, where there are only so many.
    fn only_names(&self, form: &Form<'a>) -> Option<BTreeSet<&'a str>> {
        let graph = self.graph;
        for id in &form.names {
            let names = graph.form(&Conj::of(*id));
            if let Some(values) = &names.values {
                return Some(values.iter().copied().filter_map(Value::as_str).collect());
            }
        }
        let other = graph.members(&form.parts, None, &|_| false);
        let closed = graph.name_patterns(form).is_empty() && graph.form(&other).types().is_empty();
        closed.then(|| {
            let open = |name: &&str| !graph.form(&graph.member(&form.parts, name)).types().is_empty();
            graph.listed(form).into_iter().filter(open).collect()
        })
    }

    /// Whether a member of that name is not described on the one side and only on the other.
    fn undocumented(&self, form: &Form<'a>, name: &str, mine: &Conj) -> bool {
        self.documented_only() && self.graph.is_anything(mine) && !self.graph.has_entry(&form.parts, name)
    }

    fn cannot_have(&mut self, form: &Form<'a>, name: &str, mine: &Conj) -> bool {
        let value = Value::from(name);
        form.names.iter().any(|id| self.graph.accepts(*id, &value, 0) == Some(false)) || self.empty(mine)
    }

    fn listed(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        let mut names = self.graph.listed(form);
        names.extend(self.graph.listed(demands));
        for name in names {
            let theirs = self.graph.member(&demands.parts, name);
            if self.graph.is_anything(&theirs) {
                continue;
            }
            let mine = self.graph.member(&form.parts, name);
            let fits = self.undocumented(form, name, &mine)
                || self.subset(&mine, &theirs)
                || self.cannot_have(form, name, &mine);
            if !fits {
                return self.lacks("properties");
            }
        }
        true
    }

    /// Members that no side lists, told apart by the patterns that they fit.
    fn unlisted(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        if self.only_names(form).is_some_and(|names| names.is_subset(&self.graph.listed(form))) {
            return true;
        }
        let mut patterns = self.graph.name_patterns(form);
        patterns.extend(self.graph.name_patterns(demands));
        let patterns: Vec<_> = patterns.into_iter().collect();
        if patterns.len() > MOST_PATTERNS {
            return self.lacks("patternProperties");
        }
        for chosen in 0..1_usize << patterns.len() {
            let fits = |pattern: &str| {
                patterns.iter().position(|one| *one == pattern).is_some_and(|at| chosen >> at & 1 == 1)
            };
            let mine = self.graph.members(&form.parts, None, &fits);
            let theirs = self.graph.members(&demands.parts, None, &fits);
            if !self.subset(&mine, &theirs) && !self.empty(&mine) {
                let keyword = if chosen == 0 { "additionalProperties" } else { "patternProperties" };
                return self.lacks(keyword);
            }
        }
        true
    }

    fn names(&mut self, form: &Form<'a>, id: Id) -> bool {
        let demanded = Conj::of(id);
        if let Some(names) = self.only_names(form) {
            return names.iter().all(|name| self.graph.accepts(id, &Value::from(*name), 0) == Some(true));
        }
        let text = super::types::Types::STRING;
        let own = Conj::all(form.names.iter().copied()).only(text);
        self.strictly(|prover| prover.subset(&own, &demanded))
    }

    fn needed(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        demands.needs.iter().all(|(name, needs)| {
            let mine = self.graph.member(&form.parts, name);
            let own = form.needs.get(name);
            let kept = |need: &&str| {
                form.required.contains(need) || own.is_some_and(|own| own.contains(need)) || need == name
            };
            needs.iter().all(kept)
                || self.undocumented(form, name, &mine)
                || self.cannot_have(form, name, &mine)
        })
    }

    fn dependent(&mut self, small: &Conj, form: &Form<'a>, demands: &Form<'a>) -> bool {
        demands.dependent.iter().all(|(name, id)| {
            let own = form.dependent.iter().filter(|(mine, _)| mine == name);
            let with = own.fold(small.clone(), |all, (_, id)| all.plus(*id));
            let mine = self.graph.member(&form.parts, name);
            form.dependent.contains(&(name, *id))
                || self.undocumented(form, name, &mine)
                || self.cannot_have(form, name, &mine)
                || self.attempt(|prover| prover.subset(&with, &Conj::of(*id)))
        })
    }

    /// Proves what `demands` says of arrays.
    pub(super) fn arrays(&mut self, form: &Form<'a>, demands: &Form<'a>) -> bool {
        let lengths = self.lengths(form);
        if !demands.items.covers(&lengths) {
            return self.lacks("minItems or maxItems");
        }
        if demands.unique && !form.unique && lengths.max.is_none_or(|max| max > 1) {
            return self.lacks("uniqueItems");
        }
        let places = self.graph.places(&form.parts).max(self.graph.places(&demands.parts));
        for idx in 0..=places {
            if lengths.max.is_some_and(|max| max <= idx as u64) {
                break;
            }
            let (mine, theirs) = (self.graph.item(&form.parts, idx), self.graph.item(&demands.parts, idx));
            if !self.subset(&mine, &theirs) {
                return self.lacks("items");
            }
        }
        demands.contains.iter().all(|(id, span)| self.contains(form, lengths, *id, *span))
            || self.lacks("contains")
    }

    /// How many items an array can have; the place of an item that cannot be ends it.
    fn lengths(&mut self, form: &Form<'a>) -> Span {
        let mut span = form.items;
        for idx in 0..=self.graph.places(&form.parts) {
            let item = self.graph.item(&form.parts, idx);
            if self.empty(&item) {
                span.meet(&Span { min: 0, max: Some(idx as u64) });
                break;
            }
        }
        span
    }

    fn contains(&mut self, form: &Form<'a>, lengths: Span, id: Id, span: Span) -> bool {
        let wanted = Conj::of(id);
        let own = form.contains.clone();
        let least = span.min == 0
            || self.attempt(|prover| {
                prover.strictly(|prover| {
                    own.iter()
                        .any(|(mine, own)| own.min >= span.min && prover.subset(&Conj::of(*mine), &wanted))
                }) || (lengths.min >= span.min && prover.every_item(form, &wanted))
            });
        let most = span.max.is_none_or(|max| {
            lengths.max.is_some_and(|long| long <= max)
                || self.attempt(|prover| {
                    prover.strictly(|prover| {
                        own.iter().any(|(mine, own)| {
                            own.max.is_some_and(|own| own <= max) && prover.subset(&wanted, &Conj::of(*mine))
                        })
                    })
                })
        });
        least && most
    }

    fn every_item(&mut self, form: &Form<'a>, wanted: &Conj) -> bool {
        let places = self.graph.places(&form.parts);
        self.strictly(|prover| {
            (0..=places).all(|idx| {
                let mine = prover.graph.item(&form.parts, idx);
                prover.subset(&mine, wanted)
            })
        })
    }
}
