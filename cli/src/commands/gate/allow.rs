//! Entries of the allow list belong to all servers of the file: one is unused when no server needs it, and told once.

use super::Judged;
use crate::config::Config;
use std::collections::BTreeSet;
use surface::policy::Judged as Change;

/// Takes away what is said of entries that another server needs or may need, and what is said twice.
pub(super) fn settle(judged: &mut [Judged], config: &Config) {
    let bound: BTreeSet<_> = config
        .allow
        .iter()
        .filter(|row| row.server.is_some())
        .map(|row| config.place(row.rule.span().start))
        .collect();
    let needed = needed(judged, config);
    let mut told = BTreeSet::new();
    for one in judged {
        let Some((judgement, _)) = &mut one.drift else { continue };
        judgement.judged.retain(|change| {
            let Some(place) = place(change) else { return true };
            let unused = change.change.rule.id == "allow-unused";
            let elsewhere = unused && !bound.contains(place) && needed(place);
            !elsewhere && told.insert((change.change.rule.id, place.to_owned()))
        });
    }
}

/// Tells of an entry for all servers whether one of them needs it, or might.
fn needed(judged: &[Judged], config: &Config) -> impl Fn(&str) -> bool + use<> {
    let everyone = judged.len() == config.server.len() && judged.iter().all(|one| one.drift.is_some());
    let unused = |one: &Judged| -> BTreeSet<String> {
        let changes = one.drift.iter().flat_map(|(judgement, _)| &judgement.judged);
        let unused = changes.filter(|change| change.change.rule.id == "allow-unused");
        unused.filter_map(place).map(str::to_owned).collect()
    };
    let by_server: Vec<_> = judged.iter().map(unused).collect();
    move |place| !everyone || by_server.iter().any(|unused| !unused.contains(place))
}

/// Where the entry stands that `change` speaks of.
fn place(change: &Change) -> Option<&str> {
    (change.change.rule.area == surface::Area::Gate).then_some(change.change.path.as_str())
}
