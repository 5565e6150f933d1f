//! Words that mean the same to this user: which file holds them, and what is wrong in it. How they count stands in `retrieval`.

use crate::config::Config;
use crate::failure::Failure;
use crate::texts;
use retrieval::text::check_synonyms;
use std::path::Path;

const HINT: &str = "a line is a group of words that mean much the same: `pod container workload`; `~` before it for a loose one, `#` before a remark";

/// Reads the file that the flag names, else the one of `[search]` in mcpproof.toml; no file holds nothing.
pub(crate) fn read(flag: Option<&Path>, config: &Config) -> Result<String, Failure> {
    let of_config = || config.search.synonyms.as_ref().map(|path| config.folder.join(path));
    let (path, who) = match flag {
        Some(path) => (path.to_owned(), "--synonyms"),
        None => match of_config() {
            Some(path) => (path, "[search] synonyms in mcpproof.toml"),
            None => return Ok(String::new()),
        },
    };
    read_file(&path, who)
}

fn read_file(path: &Path, who: &str) -> Result<String, Failure> {
    let shown = path.display();
    let text = texts::read(path)
        .map_err(|cause| Failure::file(format!("{who}: cannot read `{shown}`"), cause, HINT))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match check_synonyms(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(wrong) => Err(Failure::usage(format!("{shown}:{}: {}", wrong.line, wrong.what), HINT)),
    }
}
