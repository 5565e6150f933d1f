//! How methods are called: `lexical`, `fused:minilm`, `lazy-tool`. What they do stands with the finders.

use crate::search::Method;
use std::fmt;
use std::str::FromStr;

/// Who ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The search of this crate.
    Ours(Method),
    /// SQLite's full-text search alone.
    Fts5,
    /// The ranking of lazy-tool.
    LazyTool,
}

/// All rankings by the names they have in arguments.
const RANKINGS: [(&str, Ranking); 6] = [
    ("lexical", Ranking::Ours(Method::Lexical)),
    ("dense", Ranking::Ours(Method::Dense)),
    ("fused", Ranking::Ours(Method::Fused)),
    ("rrf", Ranking::Ours(Method::Rrf)),
    ("fts5", Ranking::Fts5),
    ("lazy-tool", Ranking::LazyTool),
];

/// A ranking and the embedder it uses, as `ranking` or `ranking:embedder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodName {
    /// Who ranks.
    pub ranking: Ranking,
    /// The embedder that was named, such as `minilm` or `ollama:MODEL`.
    pub embedder: Option<String>,
}

impl MethodName {
    /// The names of all rankings, in the order in which they are told.
    pub fn rankings() -> impl Iterator<Item = &'static str> {
        RANKINGS.iter().map(|(name, _)| *name)
    }

    /// Tells whether it ranks by meaning without saying by which embedder, so that the built-in one is meant.
    pub fn wants_default_embedder(&self) -> bool {
        let by_meaning = matches!(self.ranking, Ranking::Ours(Method::Dense | Method::Fused | Method::Rrf));
        by_meaning && self.embedder.is_none()
    }
}

impl FromStr for MethodName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, embedder) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let Some((_, ranking)) = RANKINGS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = Self::rankings().collect();
            return Err(format!("no method is named `{name}`; methods: {}", known.join(", ")));
        };
        match (ranking, embedder) {
            (_, Some("")) => Err(format!("`{text}` names no embedder behind the colon")),
            (Ranking::Ours(Method::Lexical) | Ranking::Fts5, Some(_)) => {
                Err(format!("`{name}` ranks by words and takes no embedder"))
            }
            _ => Ok(Self { ranking: *ranking, embedder: embedder.map(ToOwned::to_owned) }),
        }
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = RANKINGS.iter().find(|(_, ranking)| *ranking == self.ranking);
        f.write_str(known.map_or("", |(name, _)| name))?;
        self.embedder.as_ref().map_or(Ok(()), |embedder| write!(f, ":{embedder}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_printed_as_it_was_read() {
        for text in
            ["lexical", "dense", "fused", "rrf:minilm", "fused:ollama:all-minilm", "fts5", "lazy-tool:static"]
        {
            assert_eq!(text.parse::<MethodName>().expect("it is one").to_string(), text);
        }
        assert!("fused".parse::<MethodName>().is_ok_and(|name| name.wants_default_embedder()));
        assert!("lazy-tool".parse::<MethodName>().is_ok_and(|name| !name.wants_default_embedder()));
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_the_reason() {
        let cases = [
            ("best", "no method is named `best`; methods: lexical, dense, fused, rrf, fts5, lazy-tool"),
            ("fused:", "`fused:` names no embedder behind the colon"),
            ("fts5:minilm", "`fts5` ranks by words and takes no embedder"),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<MethodName>().expect_err("it is none"), reason);
        }
    }
}
