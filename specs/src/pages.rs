//! The pages of the public specification: which revision has which, and where a rule stood before it moved.

use crate::Revision::{self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use crate::Revisions;

/// Every page that a requirement may name, with the revisions that publish it.
const PAGES: &[(&str, Revisions)] = &[
    ("basic/authorization.mdx", Revisions::between(V2025_03_26, V2025_11_25)),
    ("basic/authorization/authorization-server-discovery.mdx", Revisions::since(V2026_07_28)),
    ("basic/authorization/client-registration.mdx", Revisions::since(V2026_07_28)),
    ("basic/authorization/index.mdx", Revisions::since(V2026_07_28)),
    ("basic/authorization/security-considerations.mdx", Revisions::since(V2026_07_28)),
    ("basic/index.mdx", Revisions::ALL),
    ("basic/lifecycle.mdx", Revisions::until(V2025_11_25)),
    ("basic/messages.mdx", Revisions::only(V2024_11_05)),
    ("basic/patterns/cancellation.mdx", Revisions::since(V2026_07_28)),
    ("basic/patterns/index.mdx", Revisions::since(V2026_07_28)),
    ("basic/patterns/mrtr.mdx", Revisions::since(V2026_07_28)),
    ("basic/patterns/progress.mdx", Revisions::since(V2026_07_28)),
    ("basic/patterns/subscriptions.mdx", Revisions::since(V2026_07_28)),
    ("basic/transports.mdx", Revisions::until(V2025_11_25)),
    ("basic/transports/index.mdx", Revisions::since(V2026_07_28)),
    ("basic/transports/stdio.mdx", Revisions::since(V2026_07_28)),
    ("basic/transports/streamable-http.mdx", Revisions::since(V2026_07_28)),
    ("basic/utilities/cancellation.mdx", Revisions::until(V2025_11_25)),
    ("basic/utilities/ping.mdx", Revisions::until(V2025_11_25)),
    ("basic/utilities/progress.mdx", Revisions::until(V2025_11_25)),
    ("basic/utilities/tasks.mdx", Revisions::only(V2025_11_25)),
    ("basic/versioning.mdx", Revisions::since(V2026_07_28)),
    ("changelog.mdx", Revisions::since(V2025_03_26)),
    ("client/elicitation.mdx", Revisions::since(V2025_06_18)),
    ("client/roots.mdx", Revisions::ALL),
    ("client/sampling.mdx", Revisions::ALL),
    ("deprecated.mdx", Revisions::since(V2026_07_28)),
    ("index.mdx", Revisions::ALL),
    ("server/discover.mdx", Revisions::since(V2026_07_28)),
    ("server/prompts.mdx", Revisions::ALL),
    ("server/resources.mdx", Revisions::ALL),
    ("server/tools.mdx", Revisions::ALL),
    ("server/utilities/caching.mdx", Revisions::since(V2026_07_28)),
    ("server/utilities/completion.mdx", Revisions::ALL),
    ("server/utilities/logging.mdx", Revisions::ALL),
    ("server/utilities/pagination.mdx", Revisions::ALL),
];

/// Folders of the newest revision and what held their text before.
const MOVED: &[(&str, &str)] = &[
    ("basic/authorization/", "basic/authorization.mdx"),
    ("basic/transports/", "basic/transports.mdx"),
    ("basic/patterns/cancellation", "basic/utilities/cancellation.mdx"),
    ("basic/patterns/progress", "basic/utilities/progress.mdx"),
];

/// Tells whether `revision` publishes a page at `path`.
fn is_published(path: &str, revision: Revision) -> bool {
    PAGES.iter().any(|(page, revisions)| *page == path && revisions.contains(revision))
}

/// Finds the page that holds, in `revision`, what the newest revision says on `path`.
pub(crate) fn page_in(path: &str, revision: Revision) -> Option<&str> {
    if is_published(path, revision) {
        return Some(path);
    }
    let (_, before) = MOVED.iter().find(|(prefix, _)| path.starts_with(prefix))?;
    is_published(before, revision).then_some(*before)
}

/// Builds the public address of `page` in `revision`; None when that revision has no such page.
pub(crate) fn url(page: &str, revision: Revision) -> Option<String> {
    match page {
        "jsonrpc-2.0" => Some("https://www.jsonrpc.org/specification".into()),
        "schema.ts" => Some(schema_url(revision)),
        _ => page_in(page, revision).map(|path| site_url(path, revision)),
    }
}

fn site_url(path: &str, revision: Revision) -> String {
    let path = path.strip_suffix(".mdx").unwrap_or(path);
    let path = path.strip_suffix("index").unwrap_or(path).trim_end_matches('/');
    let root = format!("https://modelcontextprotocol.io/specification/{revision}");
    if path.is_empty() { root } else { format!("{root}/{path}") }
}

/// The first two revisions have no schema page on the site, so their source file is named.
fn schema_url(revision: Revision) -> String {
    if revision >= V2025_06_18 {
        return site_url("schema.mdx", revision);
    }
    let repository = "https://github.com/modelcontextprotocol/modelcontextprotocol";
    format!("{repository}/blob/main/schema/{revision}/schema.ts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, revision: Revision, expected: &str) {
        assert_eq!(url(page, revision).as_deref(), Some(expected));
    }

    #[test]
    fn a_page_has_the_address_it_had_in_that_revision() {
        let site = "https://modelcontextprotocol.io/specification";
        check("index.mdx", V2025_06_18, &format!("{site}/2025-06-18"));
        check("basic/index.mdx", V2025_06_18, &format!("{site}/2025-06-18/basic"));
        check("server/tools.mdx", V2024_11_05, &format!("{site}/2024-11-05/server/tools"));
        let stdio = "basic/transports/stdio.mdx";
        check(stdio, V2025_11_25, &format!("{site}/2025-11-25/basic/transports"));
        check(stdio, V2026_07_28, &format!("{site}/2026-07-28/basic/transports/stdio"));
        check("basic/patterns/index.mdx", V2026_07_28, &format!("{site}/2026-07-28/basic/patterns"));
        check("schema.ts", V2025_06_18, &format!("{site}/2025-06-18/schema"));
        assert!(url("schema.ts", V2024_11_05).is_some_and(|u| u.ends_with("schema/2024-11-05/schema.ts")));
    }

    #[test]
    fn a_page_that_a_revision_lacks_has_no_address_there() {
        assert_eq!(url("basic/patterns/mrtr.mdx", V2025_11_25), None);
        assert_eq!(url("basic/authorization/index.mdx", V2024_11_05), None);
        assert_eq!(url("basic/nowhere.mdx", V2025_11_25), None);
    }
}
