//! The report of drift as annotations of GitHub Actions: one workflow command per change, at the line of its item.

use super::context::{DriftContext, in_repository};
use super::items::{Item, items};
use super::spell::{clip, spell};
use super::sums::{concern, lead, sentences};
use super::witness::{Renames, told};
use crate::github::{data, property};
use surface::policy::Judgement;
use surface::{Area, Level};

/// How many annotations are written. GitHub shows ten of each sort of a step, and the rest in the log only.
const MOST: usize = 50;

/// Renders `judgement` as workflow commands, worst first. What is accepted or without effect has none.
pub fn render(judgement: &Judgement, ctx: &DriftContext) -> String {
    let renames = Renames::of(judgement);
    let open = items(judgement.judged.iter().filter(|judged| judged.counts(Level::Info)));
    let mut out: String = open.iter().take(MOST).map(|item| line(item, &renames, ctx)).collect();
    if let Some(more) = open.len().checked_sub(MOST).filter(|more| *more > 0) {
        let message = format!("{more} more changes; the other formats have all of them");
        out.push_str(&format!("::notice title=mcpproof::{message}\n"));
    }
    out
}

fn line(item: &Item<'_>, renames: &Renames<'_>, ctx: &DriftContext) -> String {
    let judged = item.first();
    let change = &judged.change;
    let command = match judged.level {
        _ if ctx.fails(judged) => "error",
        Level::Error | Level::Warn => "warning",
        Level::Info | Level::Hidden => "notice",
    };
    let place = ctx
        .place(judged)
        .map(|(file, line)| (spell(&in_repository(&ctx.folder, file)), line))
        .map_or(String::new(), |(file, line)| format!("file={},line={line},", property(&file)));
    let title = format!("{} {}", lead(judged), change.rule.id);
    let mut lines = sentences(item, 400, ctx);
    lines.push(format!("where: {}", clip(&change.path, 300)));
    if let Some(told) = told(change, renames) {
        lines.push(format!("{}: {}", told.sentence, clip(&told.text, 1_000)));
    }
    if change.rule.area != Area::Gate {
        let (label, text) = concern(judged);
        lines.push(format!("{label}: {text}"));
    }
    lines.push(format!("why: {}", change.rule.explain));
    lines.push(format!("fix: {}", change.rule.fix));
    if change.rule.area != Area::Gate {
        let fingerprints: Vec<_> = item.variants.iter().map(|it| it.fingerprint.as_str()).collect();
        lines.push(format!("fingerprint: {}", fingerprints.join(", ")));
    }
    if !ctx.reproduce.is_empty() {
        lines.push(spell(&ctx.reproduce));
    }
    format!("::{command} {place}title={}::{}\n", property(&title), data(&lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (judgement, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("drift_github_{name}"), render(&judgement, &ctx));
        }
    }

    #[test]
    fn words_of_a_server_start_no_command() {
        let (judgement, ctx) = samples::hostile();
        let text = render(&judgement, &ctx);
        assert!(text.lines().all(|line| {
            ["::error file=", "::warning file=", "::notice file="]
                .iter()
                .any(|command| line.starts_with(command))
        }));
        assert_eq!(text.lines().count(), judgement.judged.iter().filter(|it| it.counts(Level::Info)).count());
    }

    #[test]
    fn of_very_many_changes_the_worst_are_written_and_the_others_counted() {
        let (judgement, ctx) = samples::hostile();
        let one = judgement.judged[0].clone();
        let many = (0..60).map(|at| {
            let mut judged = one.clone();
            judged.change.path = format!("/tools/t{at}");
            judged
        });
        let text = render(&Judgement { judged: many.collect(), ..judgement }, &ctx);
        assert_eq!(text.lines().count(), 51);
        assert!(text.ends_with("10 more changes; the other formats have all of them\n"), "{text}");
    }

    #[test]
    fn without_a_file_an_annotation_has_no_place() {
        let (judgement, ctx) = samples::hostile();
        let text = render(&judgement, &DriftContext { lines: None, ..ctx });
        assert!(text.starts_with("::error title=breaking input-required-added::"), "{text}");
    }
}
