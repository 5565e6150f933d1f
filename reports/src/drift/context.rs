//! What a renderer needs to know beside the changes. How it is found out is the caller's.

use crate::Detail;
use std::collections::BTreeMap;
use surface::policy::{Judged, Judgement};
use surface::{Area, Level};

/// One of the two surfaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// As the user would type it: `mcp-surface.lock`, `-- node server.js`.
    pub name: String,
    /// The revisions in which it is known, newest first.
    pub revisions: Vec<String>,
    /// What its lists cost a model, as an estimate.
    pub tokens: Option<usize>,
}

/// Where the items stand in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The file, as it is named in the repository.
    pub file: String,
    /// The line of each item, counted from 1, by its path: `/tools/search`.
    pub of: BTreeMap<String, usize>,
}

/// The circumstances of a rendering.
#[derive(Clone, Debug)]
pub struct DriftContext {
    /// What was.
    pub old: Side,
    /// What is now.
    pub new: Side,
    /// The lines of the lock, or of the new file where there is no lock.
    pub lines: Option<Lines>,
    /// The command that shows the same again.
    pub reproduce: String,
    /// The command that accepts everything, where there is a lock to rewrite.
    pub accept: Option<String>,
    /// The variables that stand for secrets in these commands.
    pub hidden: Vec<String>,
    /// The lowest level that fails the gate; none when nothing does.
    pub fail_on: Option<Level>,
    /// Columns of text.
    pub width: usize,
    /// True when ANSI colours may be used.
    pub color: bool,
    /// How much to tell.
    pub detail: Detail,
    /// Version of the program.
    pub version: String,
    /// What the process will exit with.
    pub exit_code: u8,
    /// The folder of the run within its repository, as `sub/`; empty at the top.
    pub folder: String,
}

impl Default for DriftContext {
    fn default() -> Self {
        Self {
            old: Side::default(),
            new: Side::default(),
            lines: None,
            reproduce: String::new(),
            accept: None,
            hidden: Vec::new(),
            fail_on: Some(Level::Error),
            width: 80,
            color: false,
            detail: Detail::Normal,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            exit_code: 0,
            folder: String::new(),
        }
    }
}

impl DriftContext {
    /// Tells whether `judged` fails the gate.
    pub fn fails(&self, judged: &Judged) -> bool {
        self.fail_on.is_some_and(|level| judged.counts(level))
    }

    /// Tells whether anything fails the gate.
    pub fn gate_fails(&self, judgement: &Judgement) -> bool {
        judgement.judged.iter().any(|judged| self.fails(judged))
    }

    /// The file and the line to look at for `judged`: that of the entry, of the item, or the first one.
    pub(crate) fn place<'a>(&'a self, judged: &'a Judged) -> Option<(&'a str, usize)> {
        let path = judged.change.path.as_str();
        if judged.change.rule.area == Area::Gate {
            let (file, line) = path.rsplit_once(':')?;
            return Some((file, line.parse().ok()?));
        }
        let lines = self.lines.as_ref()?;
        let mut at = path;
        loop {
            if let Some(line) = lines.of.get(at) {
                return Some((&lines.file, (*line).max(1)));
            }
            match at.rsplit_once('/') {
                Some((parent, _)) => at = parent,
                None => return Some((&lines.file, 1)),
            }
        }
    }
}

/// Names `file` as the repository does, where the run was in `folder` of it.
pub(crate) fn in_repository(folder: &str, file: &str) -> String {
    if file.starts_with('/') { file.to_owned() } else { format!("{folder}{}", file.trim_start_matches("./")) }
}

/// The path of the item that `path` leads into: `/tools/search` of `/tools/search/inputSchema`, `/initialize` of all that is below.
pub(crate) fn item_of(path: &str) -> &str {
    let depth = if path.starts_with("/initialize") { 1 } else { 2 };
    if !path.starts_with('/') {
        return path;
    }
    path[1..].match_indices('/').nth(depth - 1).map_or(path, |(end, _)| &path[..=end])
}

/// The name of the item that `path` leads into, as the server spells it.
pub(crate) fn name_of(path: &str) -> Option<String> {
    let token = path.strip_prefix('/')?.split('/').nth(1)?;
    Some(token.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::samples;

    #[test]
    fn a_path_leads_into_an_item() {
        for (path, item) in [
            ("/tools/a~1b/inputSchema/properties/x", "/tools/a~1b"),
            ("/tools/a", "/tools/a"),
            ("/tools", "/tools"),
            ("/initialize/capabilities/tools", "/initialize"),
            ("/initialize", "/initialize"),
            ("mcpproof.toml:12", "mcpproof.toml:12"),
            ("", ""),
            ("/", "/"),
            ("//", "//"),
            ("/tools//x", "/tools/"),
        ] {
            assert_eq!(item_of(path), item, "{path}");
        }
        assert_eq!(name_of("/resources/a:~1~1b~0/mimeType").as_deref(), Some("a://b~"));
        assert_eq!(name_of("mcpproof.toml:12"), None);
    }

    #[test]
    fn a_change_has_the_line_of_its_item_and_an_entry_its_own() {
        let (judgement, ctx) = samples::hostile();
        let place = |rule: &str| {
            let judged = judgement.judged.iter().find(|judged| judged.change.rule.id == rule);
            ctx.place(judged.expect("the sample has it"))
        };
        assert_eq!(place("input-required-added"), Some(("mcp-surface.lock", 12)));
        assert_eq!(place("tool-added"), Some(("mcp-surface.lock", 1)));
        assert_eq!(place("allow-unused"), Some(("mcpproof.toml", 7)));
    }
}
