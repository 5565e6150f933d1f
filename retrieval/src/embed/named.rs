//! Finds an embedder by its name. What the embedders do stands in files of their own.

use super::http::{Dialect, Endpoint, Remote};
use super::minilm::MiniLm;
use super::table::StaticTable;
use super::{EmbedError, Embedder};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The names that `by_name` takes; behind a colon stands the model.
pub const NAMES: [&str; 5] = ["none", "static", "minilm", "ollama:MODEL", "openai:MODEL"];

/// What an embedder needs beside its name.
#[derive(Clone)]
pub struct Settings {
    /// The folder of all-MiniLM-L6-v2.
    pub model_dir: PathBuf,
    /// Where Ollama is; its usual place without this.
    pub ollama_url: Option<String>,
    /// Where an endpoint is that speaks as OpenAI's does; OpenAI's without this.
    pub openai_url: Option<String>,
    /// What that endpoint wants as a bearer token.
    pub openai_key: Option<String>,
    /// How many threads compute vectors.
    pub threads: usize,
    /// For one answer of an endpoint.
    pub timeout: Duration,
}

impl std::fmt::Debug for Settings {
    /// Leaves out what is or may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("model_dir", &self.model_dir)
            .field("threads", &self.threads)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Gives the embedder of this name; `none` is none.
///
/// # Errors
/// When there is no embedder of this name, or its model cannot be read.
pub fn by_name(name: &str, settings: &Settings) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    let embedder: Arc<dyn Embedder> = match name.split_once(':') {
        None if name == "none" => return Ok(None),
        None if matches!(name, "static" | super::table::NAME) => Arc::new(StaticTable::built_in()),
        None if name == "minilm" => {
            Arc::new(MiniLm::load(&settings.model_dir)?.with_threads(settings.threads))
        }
        Some((dialect @ ("ollama" | "openai"), model)) if !model.is_empty() => {
            Arc::new(Remote::new(endpoint(dialect, model, settings)))
        }
        _ => return Err(EmbedError::Unknown { name: name.to_owned() }),
    };
    Ok(Some(embedder))
}

fn endpoint(dialect: &str, model: &str, settings: &Settings) -> Endpoint {
    let (dialect, url, usual, key) = match dialect {
        "ollama" => (Dialect::Ollama, &settings.ollama_url, "http://127.0.0.1:11434", None),
        _ => {
            (Dialect::OpenAi, &settings.openai_url, "https://api.openai.com/v1", settings.openai_key.clone())
        }
    };
    Endpoint {
        dialect,
        url: url.clone().unwrap_or_else(|| usual.to_owned()),
        model: model.to_owned(),
        key,
        timeout: settings.timeout,
        pause: Duration::from_millis(200),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str) -> String {
        let settings = Settings {
            model_dir: "no-such-folder".into(),
            ollama_url: None,
            openai_url: None,
            openai_key: None,
            threads: 1,
            timeout: Duration::from_secs(1),
        };
        match by_name(name, &settings) {
            Ok(embedder) => embedder.map_or("nobody".to_owned(), |embedder| embedder.name().to_owned()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn embedders_are_found_by_their_names() {
        assert_eq!(told("none"), "nobody");
        assert_eq!([told("static"), told("static-256-2")], ["static-256-2", "static-256-2"]);
        assert_eq!(told("ollama:nomic-embed-text:v1"), "ollama:nomic-embed-text:v1");
        assert_eq!(told("openai:text-embedding-3-small"), "openai:text-embedding-3-small");
    }

    #[test]
    fn names_of_nothing_and_folders_without_a_model_are_told() {
        for name in ["", "bert", "ollama", "openai:", "minilm:x", ":"] {
            assert_eq!(told(name), format!("no embedder is named `{name}`"));
        }
        assert!(told("minilm").starts_with("`no-such-folder/model.safetensors`: cannot be read: "));
    }
}
