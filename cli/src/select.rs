//! Turns the names of `--only` and `--skip` into checks.

use crate::failure::Failure;
use crate::nearest::did_you_mean;
use checks::{AREAS, Check, Class};

/// The checks of the table that `only` names and `skip` does not, in table order; empty `only` names all.
pub(crate) fn select(only: &[String], skip: &[String]) -> Result<Vec<&'static str>, Failure> {
    for (flag, name) in only.iter().map(|n| ("--only", n)).chain(skip.iter().map(|n| ("--skip", n))) {
        if !rows().any(|(area, check)| is_named(name, area, check)) && name.parse::<Class>().is_err() {
            return Err(unknown(flag, name));
        }
    }
    let names = |list: &[String], area: &str, check: &Check| list.iter().any(|n| is_named(n, area, check));
    let wanted = rows().filter(|(area, check)| only.is_empty() || names(only, area, check));
    let ids: Vec<_> = wanted.filter(|(area, check)| !names(skip, area, check)).map(|(_, c)| c.id).collect();
    if ids.is_empty() {
        return Err(Failure::usage(
            "no check is left to run",
            "loosen --only or --skip; see `mcpproof list`",
        ));
    }
    Ok(ids)
}

/// Every check with its area.
pub(crate) fn rows() -> impl Iterator<Item = (&'static str, &'static Check)> {
    AREAS.iter().flat_map(|(area, table)| table.iter().map(move |check| (*area, check)))
}

/// Finds the check `id`.
pub(crate) fn check(id: &str) -> Option<(&'static str, &'static Check)> {
    rows().find(|(_, check)| check.id == id)
}

fn is_named(name: &str, area: &str, check: &Check) -> bool {
    name == check.id || name == area || name == check.level.class().as_str()
}

fn unknown(flag: &str, name: &str) -> Failure {
    let classes = Class::ALL.iter().map(|class| class.as_str());
    let known = rows().map(|(_, check)| check.id).chain(AREAS.iter().map(|(area, _)| *area)).chain(classes);
    let hint = did_you_mean(name, known, "`mcpproof list` shows every check and area");
    Failure::usage(format!("{flag}: no check, area or class is named `{name}`"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn ids_areas_and_classes_name_checks_in_table_order() {
        let all = select(&[], &[]).expect("all");
        assert_eq!(all.len(), rows().count());
        assert_eq!(select(&names(&["ping-answered"]), &[]).expect("one"), ["ping-answered"]);
        let area = select(&names(&["ping"]), &names(&["ping-answered"])).expect("the rest of the area");
        assert!(!area.is_empty() && area.iter().all(|id| id.starts_with("ping-") && *id != "ping-answered"));
        let class = select(&names(&["should"]), &[]).expect("a class");
        assert!(
            class.iter().all(|id| check(id).is_some_and(|(_, check)| check.level.class() == Class::Should))
        );
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest_and_an_empty_choice_is_refused() {
        let failure = select(&names(&["ping-anwered"]), &[]).expect_err("unknown");
        assert_eq!(failure.hint, "did you mean `ping-answered`?");
        select(&names(&["ping"]), &names(&["ping"])).expect_err("nothing left");
    }
}
