//! Where the lockfiles of servers live, and how they are read and written.

use super::source;
use crate::config::Config;
use crate::failure::Failure;
use crate::texts;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use surface::Surface;
use surface::lock::{self, FILE_NAME, Rendered};

/// A lockfile as it was read.
#[derive(Debug)]
pub(crate) struct Locked {
    /// Its text.
    pub text: String,
    /// What it holds.
    pub surface: Surface,
    /// The line of each item.
    pub lines: BTreeMap<String, usize>,
    /// What its lists cost, as it says itself.
    pub tokens: usize,
}

/// The lockfile of the server `name` of the configuration, or of one that stands in none.
pub(crate) fn path(name: Option<&str>, config: &Config) -> PathBuf {
    let Some((name, server)) = name.and_then(|name| config.server.get_key_value(name)) else {
        return PathBuf::from(FILE_NAME);
    };
    match &server.lock {
        Some(path) => config.folder.join(path),
        None if config.server.len() == 1 => config.folder.join(FILE_NAME),
        None => config.folder.join(format!("{name}.{FILE_NAME}")),
    }
}

/// Reads the lockfile at `path`.
pub(crate) fn read(path: &Path, how_to_make: &str) -> Result<Locked, Failure> {
    let shown = path.display().to_string();
    let text = texts::read(path).map_err(|cause| {
        let hint = match cause.kind() {
            std::io::ErrorKind::NotFound => format!("write it first: {how_to_make}"),
            _ => "check the path and its permissions".to_owned(),
        };
        Failure::file(format!("failed to read lockfile `{shown}`"), cause, &hint)
    })?;
    if !text.contains("\"lockVersion\"") {
        let hint = format!("write one: {how_to_make}");
        return Err(Failure::usage(format!("{shown}: this is no lockfile, it has no `lockVersion`"), hint));
    }
    let surface = source::parse(&shown, &text)?;
    let lines = lock::render(&surface, &|_| 0).lines;
    let tokens = tokens(&text);
    Ok(Locked { text, surface, lines, tokens })
}

/// Sums up the estimates that a lockfile holds.
pub(crate) fn tokens(text: &str) -> usize {
    let lock: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let blocks = surface::Kind::ALL.into_iter().filter_map(|kind| lock[kind.member()].as_array()).flatten();
    blocks.filter_map(|block| usize::try_from(block["tokens"].as_u64()?).ok()).sum()
}

/// Makes the lockfile of `surface`.
pub(crate) fn render(surface: &Surface) -> Rendered {
    lock::render(surface, &surface::tokens::estimate)
}

/// What the lists of `surface` cost. Counting loads large tables, so what a lock knows is not counted again.
pub(crate) fn cost(surface: &Surface, held: &Locked) -> usize {
    let words = |surface: &Surface| lock::render(surface, &|_| 0).text;
    if words(surface) == words(&held.surface) { held.tokens } else { render(surface).tokens }
}

/// Writes `text` to `path` whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |cause| {
        Failure::file(
            format!("failed to write `{}`", path.display()),
            cause,
            "check the folder and its permissions",
        )
    };
    // Beside it, so that renaming stays on one file system.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|cause| {
        // Nothing is lost by leaving it behind when it cannot be removed.
        _ = std::fs::remove_file(&beside);
        failed(cause)
    })
}

/// How much `surface` holds, in words: `13 tools, 2 prompts in 4 revisions`.
pub(crate) fn summary(surface: &Surface) -> String {
    let Some(newest) = surface.views.first() else { return "nothing".to_owned() };
    let count = |kind: surface::Kind| {
        let n = newest.list(kind).map_or(0, <[_]>::len);
        (n > 0).then(|| format!("{n} {}{}", kind.word(), if n == 1 { "" } else { "s" }))
    };
    let parts: Vec<_> = surface::Kind::ALL.into_iter().filter_map(count).collect();
    let parts = if parts.is_empty() { "no items".to_owned() } else { parts.join(", ") };
    match surface.views.len() {
        1 => parts,
        n => format!("{parts} in {n} revisions"),
    }
}
