//! The tables of drift rules, a file for each area. A rule is a `static`, so that code names it and a misspelt name does not compile.

pub mod gate;
pub mod hints;
pub mod input;
pub mod items;
pub mod output;
pub mod session;
pub mod text;

use crate::rule::Rule;

/// Every table.
pub(crate) const TABLES: [&[&Rule]; 14] = [
    items::RULES,
    input::members::RULES,
    input::values::RULES,
    input::limits::RULES,
    input::notes::RULES,
    input::schemas::RULES,
    output::members::RULES,
    output::values::RULES,
    output::limits::RULES,
    output::notes::RULES,
    text::RULES,
    hints::RULES,
    session::RULES,
    gate::RULES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Severity;
    use crate::rule::{Direction, Level, Mirror, all_rules, rule};
    use std::collections::BTreeSet;

    #[test]
    fn each_rule_has_a_name_of_its_own_and_says_what_to_do() {
        let mut ids = BTreeSet::new();
        for rule in all_rules() {
            let kebab = rule.id.chars().all(|char| char.is_ascii_lowercase() || char == '-');
            assert!(ids.insert(rule.id) && kebab, "{}", rule.id);
            for phrase in [rule.detects, rule.fix] {
                assert!(!phrase.is_empty() && !phrase.ends_with('.'), "{}: {phrase}", rule.id);
            }
            assert!(rule.explain.ends_with('.'), "{}: {}", rule.id, rule.explain);
        }
    }

    fn named(id: &str) -> &'static Rule {
        rule(id).unwrap_or_else(|| panic!("no rule {id}"))
    }

    #[test]
    fn what_has_a_mirror_is_a_mirror_and_what_has_none_says_why() {
        for one in all_rules() {
            match one.mirror {
                Mirror::Itself => {}
                Mirror::Waived(reason) => assert!(reason.len() > 15, "{}", one.id),
                Mirror::Rule(id) => {
                    let other = named(id);
                    // Several rules may look into one mirror, which shows the most usual of them.
                    let Mirror::Rule(back) = other.mirror else {
                        panic!("{id} has no mirror, {} has", one.id)
                    };
                    assert_eq!(named(back).mirror, one.mirror, "{} and {back}", one.id);
                    assert_eq!((one.area, one.direction), (other.area, other.direction), "{}", one.id);
                    assert_ne!(one.action, other.action, "{} and {id}", one.id);
                }
            }
        }
    }

    #[test]
    fn what_narrows_one_side_of_a_call_widens_nothing_on_it() {
        for one in all_rules().filter(|rule| rule.severity == Severity::Breaking) {
            // A break that is undone breaks nothing, unless it is a change from one thing to another.
            if let Mirror::Rule(id) = one.mirror {
                assert!(named(id).severity < Severity::Breaking, "{} and {id}", one.id);
            }
        }
    }

    #[test]
    fn rules_on_schemas_have_a_counterpart_on_the_other_side_or_say_why_not() {
        for one in all_rules().filter(|rule| rule.direction != Direction::Neither && rule.id.contains("put-"))
        {
            match one.counterpart {
                Some(Mirror::Rule(id)) => {
                    let other = named(id);
                    // A rule that stands for several of the other side says so in place of a name.
                    if let Some(Mirror::Rule(back)) = other.counterpart {
                        assert_eq!(named(back).counterpart, one.counterpart, "{} and {back}", one.id);
                    }
                    assert!(other.counterpart.is_some(), "{id} has none, {} has", one.id);
                    assert_ne!(one.direction, other.direction, "{}", one.id);
                }
                Some(Mirror::Waived(reason)) => assert!(reason.len() > 15, "{}", one.id),
                Some(Mirror::Itself) | None => panic!("{} says nothing of the other side", one.id),
            }
        }
    }

    #[test]
    fn levels_follow_severities_unless_text_is_a_danger() {
        for rule in all_rules() {
            match rule.severity {
                Severity::Breaking => assert!(rule.level >= Level::Warn, "{}", rule.id),
                Severity::Risky => assert!(rule.level >= Level::Warn, "{}", rule.id),
                Severity::Compatible => assert!(rule.level <= Level::Info, "{}", rule.id),
                Severity::None => assert!(rule.level != Level::Error, "{}", rule.id),
            }
        }
    }
}
