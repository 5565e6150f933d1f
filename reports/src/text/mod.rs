//! The report for people: verdicts first, then what to do, worst first. Other formats stand beside it.

mod dead;
mod fault;
mod head;
pub(crate) mod page;
mod tail;

use crate::context::{Detail, RenderContext};
use crate::merge::faults;
use checks::{Ran, Report};
use page::Page;
pub use page::wrap;

/// Renders `report` as text.
pub fn render(report: &Report, ctx: &RenderContext) -> String {
    let mut page = Page::new(ctx.width, ctx.color);
    head::server(&mut page, report);
    head::verdicts(&mut page, report, ctx);
    head::summary(&mut page, report, ctx);
    if let Ran::Dead(dead) = &report.ran {
        match ctx.detail {
            Detail::Quiet => dead::line(&mut page, dead),
            _ => dead::dead(&mut page, dead, report, ctx),
        }
    }
    let faults = faults(report, |finding| ctx.is_open(finding));
    if ctx.detail == Detail::Quiet {
        faults.iter().for_each(|each| fault::line(&mut page, each));
        tail::untrue(&mut page, ctx);
        return page.into_text();
    }
    for each in &faults {
        page.blank();
        fault::block(&mut page, each, ctx);
    }
    tail::unproven(&mut page, report, ctx);
    if ctx.detail == Detail::Verbose {
        tail::passed(&mut page, report);
        tail::not_applicable(&mut page, report);
    }
    tail::accepted(&mut page, ctx);
    tail::untrue(&mut page, ctx);
    tail::advice(&mut page, report, ctx, faults.len());
    page.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn reports_read_as_the_snapshots_show() {
        for (name, (report, ctx)) in samples::all() {
            insta::assert_snapshot!(format!("text_{name}"), render(&report, &ctx));
        }
    }

    #[test]
    fn quiet_and_verbose_tell_less_and_more() {
        let (report, ctx) = samples::flawed();
        let with = |detail| render(&report, &RenderContext { detail, ..ctx.clone() });
        insta::assert_snapshot!("text_quiet", with(Detail::Quiet));
        insta::assert_snapshot!("text_verbose", with(Detail::Verbose));
    }

    #[test]
    fn lines_fit_eighty_columns_unless_they_are_to_be_copied() {
        for (name, (report, ctx)) in samples::all() {
            for line in render(&report, &ctx).lines() {
                let may_overflow = line.contains("://") || line.contains("mcpproof check");
                assert!(may_overflow || line.chars().count() <= 80, "{name}: {line}");
            }
        }
    }

    #[test]
    fn bytes_of_a_server_reach_no_terminal() {
        for (name, (report, ctx)) in samples::all() {
            let text = render(&report, &ctx);
            assert!(!text.chars().any(|c| c != '\n' && crate::plain::is_hidden(c)), "{name}");
        }
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let (report, ctx) = samples::flawed();
        let colored = render(&report, &RenderContext { color: true, ..ctx.clone() });
        let mut bare = String::new();
        for (idx, part) in colored.split('\x1b').enumerate() {
            bare.push_str(if idx == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
        }
        let trimmed: Vec<_> = bare.lines().map(str::trim_end).collect();
        assert_eq!(trimmed, render(&report, &ctx).lines().collect::<Vec<_>>());
    }
}
