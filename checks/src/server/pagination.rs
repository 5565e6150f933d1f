//! Pagination: cursors lead on, lead to an end, and garbage is refused.

use super::dialogue::of_answer;
use crate::check::{Check, Level, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::{Class, Excerpt};
use crate::listing::{ListEnd, Listing, page_params};
use crate::log::Reply;
use crate::peer::Peer;
use crate::words::{count, listed, quoted, short};
use std::sync::Arc;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "pagination-terminates",
        requirement: "pagination.terminates",
        fault: "cursor-loop",
        explain: "Clients that follow `nextCursor` never come to an end; they hang at start, or fill their memory.",
        probe: |peer| Box::pin(terminates(peer)),
        ..Check::BLANK
    },
    Check {
        id: "pagination-pages-differ",
        requirement: "pagination.starts-after-cursor",
        level: Level::Should,
        fault: "cursor-page-overlap",
        explain: "Items that come twice are shown twice, or one of two definitions is dropped.",
        probe: |peer| Box::pin(pages_differ(peer)),
        ..Check::BLANK
    },
    Check {
        id: "pagination-unknown-cursor",
        requirement: "pagination.invalid-cursor-code",
        level: Level::Should,
        phase: Phase::Hostile,
        fault: "cursor-garbage-accepted",
        explain: "A client with an outdated cursor gets page one again and takes it for the rest of the list.",
        probe: |peer| Box::pin(unknown_cursor(peer)),
        ..Check::BLANK
    },
];

/// The lists that the server declares, walked to their end.
async fn declared_lists(peer: &mut Peer) -> Result<Vec<Arc<Listing>>, Stop> {
    let mut lists = Vec::new();
    for (capability, method) in LISTS {
        if peer.declares(capability) {
            lists.push(peer.list(method).await?);
        }
    }
    lists.retain(|list| !list.pages.is_empty());
    if lists.is_empty() {
        return Err(Stop::NotApplicable("the server offers no list".into()));
    }
    Ok(lists)
}

const LISTS: [(&str, &str); 3] =
    [("tools", "tools/list"), ("prompts", "prompts/list"), ("resources", "resources/list")];

async fn terminates(peer: &mut Peer) -> Outcome {
    for list in declared_lists(peer).await? {
        let pages = count(list.pages.len(), "page");
        let seen = match &list.end {
            ListEnd::Repeated(cursor) => {
                format!("`{}`: cursor {} came again after {pages}", list.method, quoted(cursor))
            }
            ListEnd::TooMany => format!("`{}`: still a next cursor after {pages}", list.method),
            _ => continue,
        };
        let mut evidence = Evidence::new("the last page comes without `nextCursor`", seen);
        evidence = describe_pages(evidence, &list);
        return Err(evidence.stop());
    }
    Ok(())
}

fn describe_pages(mut evidence: Evidence, list: &Listing) -> Evidence {
    for page in list.pages.iter().take(3) {
        let cursor =
            page.cursor.as_ref().map_or("no cursor".into(), |cursor| format!("cursor {}", quoted(cursor)));
        evidence.details.push(format!("{cursor} gave {}", listed(&page.names)));
    }
    let repeated =
        list.pages.windows(2).any(|pair| pair[0].names == pair[1].names && !pair[0].names.is_empty());
    if repeated {
        evidence
            .details
            .push("one page has the same content as the page before: the cursor is ignored".into());
    }
    if let Some(last) = list.pages.last() {
        evidence.bytes = Some(Excerpt::of(&last.answer.arrived.frame.raw, None));
        evidence.sent = Some(short(&last.answer.sent, 200));
    }
    evidence
}

async fn pages_differ(peer: &mut Peer) -> Outcome {
    let lists = declared_lists(peer).await?;
    if lists.iter().all(|list| list.pages.len() < 2) {
        return Err(Stop::NotApplicable("each list fits on one page".into()));
    }
    for list in lists.iter().filter(|list| !matches!(list.end, ListEnd::Repeated(_) | ListEnd::TooMany)) {
        for (at, page) in list.pages.iter().enumerate().skip(1) {
            let before = list.pages[..at].iter().flat_map(|earlier| &earlier.names);
            let again: Vec<_> =
                before.filter(|name| page.names.contains(name)).map(|name| quoted(name)).collect();
            if !again.is_empty() {
                let seen = format!("`{}`: page {} repeats {}", list.method, at + 1, listed(&again));
                return Err(
                    describe_pages(Evidence::new("each page starts after the cursor", seen), list).stop()
                );
            }
        }
    }
    Ok(())
}

async fn unknown_cursor(peer: &mut Peer) -> Outcome {
    let declared: Vec<_> = LISTS.into_iter().filter(|(capability, _)| peer.declares(capability)).collect();
    let Some((_, method)) = declared.first().copied() else {
        return Err(Stop::NotApplicable("the server offers no list".into()));
    };
    let paginates = peer.listings.get(method).is_some_and(|list| list.pages.len() > 1);
    let expected = format!("error -32602 (invalid params) from `{method}`");
    match peer.try_request(method, page_params("mcpproof-no-such-cursor")).await? {
        Reply::Answered(answer) if answer.code() == Some(-32602) => Ok(()),
        Reply::Answered(answer) if answer.code() == Some(-32601) => {
            Err(Stop::Unproven(format!("`{method}` is not served, which has a check of its own")))
        }
        Reply::Answered(answer) => {
            let evidence = of_answer(&answer, &expected);
            // A server that never gives a cursor has none to check; the rule still covers it, nobody is hurt.
            Err(if paginates { evidence } else { evidence.class(Class::Note) }.stop())
        }
        other => Err(Evidence { expected, ..peer.unanswered(&other, "") }.stop()),
    }
}
