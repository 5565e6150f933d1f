//! Embedding endpoints: Ollama's and those that speak as OpenAI's does. Which one is asked, and with which key, callers say.

use super::{EmbedError, Embedder, normalise};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// How many texts go into one request.
const BATCH: usize = 64;
/// How often a request is sent that fails for a reason that may pass.
const ATTEMPTS: u32 = 4;
/// How often a request is sent that is not answered in time: each attempt takes long.
const ATTEMPTS_IN_TIME: u32 = 2;
/// No vector is longer; models give up to some thousand numbers.
const MOST_NUMBERS: usize = 16_384;
/// No answer is longer; 64 vectors of 4,096 numbers are a tenth of it.
const LONGEST_ANSWER: u64 = 64 << 20;
/// What stands for a text without anything in it, which endpoints refuse.
const BLANK: &str = ".";

/// What an endpoint understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `POST /api/embed` below the address.
    Ollama,
    /// `POST /embeddings` below the address, which ends with `/v1` as a rule.
    OpenAi,
}

/// Where an embedding endpoint is and how it is asked.
#[derive(Clone)]
pub struct Endpoint {
    /// What it understands.
    pub dialect: Dialect,
    /// Its address.
    pub url: String,
    /// The model that it is to use.
    pub model: String,
    /// What is sent as a bearer token.
    pub key: Option<String>,
    /// For one answer.
    pub timeout: Duration,
    /// Before the first repetition; twice as long before each other one.
    pub pause: Duration,
}

impl std::fmt::Debug for Endpoint {
    /// Leaves out what is secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("dialect", &self.dialect)
            .field("url", &plain(&self.url))
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "***"))
            .field("timeout", &self.timeout)
            .field("pause", &self.pause)
            .finish()
    }
}

/// An embedder that asks an endpoint.
pub struct Remote {
    name: String,
    endpoint: Endpoint,
    agent: ureq::Agent,
    dimension: OnceLock<usize>,
}

/// Why a request was in vain, and how often such a one is sent in all.
struct Vain {
    what: String,
    attempts: u32,
}

/// How often a request is sent that ends with `error`.
fn attempts(error: &ureq::Error) -> u32 {
    match error {
        ureq::Error::Timeout(_) => ATTEMPTS_IN_TIME,
        ureq::Error::Io(_) | ureq::Error::ConnectionFailed => ATTEMPTS,
        _ => 1,
    }
}

impl Remote {
    /// Gets ready to ask; nothing is sent yet.
    pub fn new(endpoint: Endpoint) -> Self {
        let dialect = match endpoint.dialect {
            Dialect::Ollama => "ollama",
            Dialect::OpenAi => "openai",
        };
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(3)
            .timeout_connect(Some(endpoint.timeout.min(Duration::from_secs(10))))
            .timeout_global(Some(endpoint.timeout))
            .user_agent("mcpproof")
            .tls_config(tls(&endpoint.url));
        let name = format!("{dialect}:{}", endpoint.model);
        Self { name, agent: config.build().new_agent(), endpoint, dimension: OnceLock::new() }
    }

    fn request_url(&self) -> String {
        let path = match self.endpoint.dialect {
            Dialect::Ollama => "api/embed",
            Dialect::OpenAi => "embeddings",
        };
        // What stands behind the path, such as the version of an interface, stays behind it.
        let url = self.endpoint.url.as_str();
        let (before, after) = url.split_at(url.find(['?', '#']).unwrap_or(url.len()));
        format!("{}/{path}{after}", before.trim_end_matches('/'))
    }

    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let input: Vec<_> =
            texts.iter().map(|text| if text.trim().is_empty() { BLANK } else { text }).collect();
        let body = json!({"model": self.endpoint.model, "input": input});
        let mut pause = self.endpoint.pause;
        let mut attempt = 1;
        let answer = loop {
            match self.ask(&body) {
                Ok(answer) => break answer,
                Err(vain) if attempt < vain.attempts => wait(pause),
                Err(vain) => return Err(self.error(&vain.what, attempt)),
            }
            (pause, attempt) = (pause * 2, attempt + 1);
        };
        let mut vectors = self.vectors(&answer, texts.len())?;
        for (vector, text) in vectors.iter_mut().zip(texts) {
            if text.trim().is_empty() { vector.fill(0.0) } else { normalise(vector) }
        }
        Ok(vectors)
    }

    fn ask(&self, body: &Value) -> Result<Value, Vain> {
        let mut request = self.agent.post(self.request_url());
        if let Some(key) = &self.endpoint.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut answer = request.send_json(body).map_err(|error| {
            let attempts = attempts(&error);
            Vain { what: error.to_string(), attempts }
        })?;
        let status = answer.status().as_u16();
        let read = answer.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
        let bytes = read.map_err(|error| Vain {
            what: format!("the answer broke off: {error}"),
            attempts: attempts(&error),
        })?;
        if status != 200 {
            let what = format!("status {status}: {}", beginning(&bytes));
            let passes = status == 429 || status >= 500;
            return Err(Vain { what, attempts: if passes { ATTEMPTS } else { 1 } });
        }
        serde_json::from_slice(&bytes).map_err(|_| {
            let what = format!("the answer is no JSON: {}", beginning(&bytes));
            Vain { what, attempts: 1 }
        })
    }

    /// Takes as many vectors out of an answer as there were texts.
    fn vectors(&self, answer: &Value, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = match self.endpoint.dialect {
            Dialect::Ollama => answer["embeddings"].as_array().map(|all| all.iter().collect()),
            Dialect::OpenAi => in_order(&answer["data"]),
        };
        let vectors: Vec<&Value> = vectors.ok_or_else(|| {
            self.error(&format!("the answer has no vectors: {}", beginning(answer.to_string().as_bytes())), 1)
        })?;
        if vectors.len() != count {
            return Err(self.error(&format!("{} vectors came for {count} texts", vectors.len()), 1));
        }
        vectors.into_iter().map(|vector| self.vector(vector)).collect()
    }

    fn vector(&self, vector: &Value) -> Result<Vec<f32>, EmbedError> {
        let long = vector.as_array().map_or(0, Vec::len);
        if long > MOST_NUMBERS {
            let what = format!("a vector has {long} numbers; at most {MOST_NUMBERS} are taken");
            return Err(self.error(&what, 1));
        }
        let number = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
        let numbers = vector.as_array().and_then(|all| all.iter().map(number).collect::<Option<Vec<_>>>());
        let numbers = numbers.filter(|numbers| !numbers.is_empty());
        let numbers = numbers.ok_or_else(|| self.error("a vector is no list of numbers", 1))?;
        let expected = *self.dimension.get_or_init(|| numbers.len());
        if numbers.len() != expected {
            let seen = numbers.len();
            return Err(EmbedError::Dimension { embedder: self.name.clone(), expected, seen });
        }
        Ok(numbers)
    }

    /// Says what went wrong and where, without the key and whatever else is secret in an address.
    fn error(&self, what: &str, attempts: u32) -> EmbedError {
        let mut what = what.to_owned();
        if let Some(key) = self.endpoint.key.as_deref().filter(|key| !key.is_empty()) {
            what = what.replace(key, "***");
        }
        let times = if attempts > 1 { format!(" ({attempts} attempts)") } else { String::new() };
        EmbedError::Endpoint(format!("`{}`: {what}{times}", plain(&self.request_url())))
    }
}

impl Embedder for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    /// Two machines may give the same name to different models.
    fn kept_as(&self) -> String {
        let hash = Sha256::digest(plain(&self.request_url()).as_bytes());
        let hash: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("{}@{hash}", self.name)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(BATCH) {
            vectors.extend(self.batch(texts)?);
        }
        Ok(vectors)
    }
}

/// Tells whether vectors under this name are those of an endpoint which nobody can tell from another any more: once the
/// address was not part of the name.
pub(crate) fn is_kept_no_more(kept_as: &str) -> bool {
    let is_hash = |hash: &str| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of_endpoint = kept_as.starts_with("ollama:") || kept_as.starts_with("openai:");
    of_endpoint && !kept_as.rsplit_once('@').is_some_and(|(_, hash)| is_hash(hash))
}

/// OpenAI's vectors say which text they belong to; a list whose numbers are missing is taken as it is.
fn in_order(data: &Value) -> Option<Vec<&Value>> {
    let mut rows: Vec<_> = data.as_array()?.iter().collect();
    rows.sort_by_key(|row| row["index"].as_u64());
    Some(rows.into_iter().map(|row| &row["embedding"]).collect())
}

/// Trusts whom the system trusts. Reading its certificates takes time, which plain HTTP does not need.
pub(super) fn tls(url: &str) -> TlsConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = TlsConfig::builder().unversioned_rustls_crypto_provider(provider);
    let mut roots = Vec::new();
    if url.starts_with("https:") {
        let found = rustls_native_certs::load_native_certs().certs;
        roots.extend(found.iter().map(|one| Certificate::from_der(one).to_owned()));
    }
    config.root_certs(RootCerts::Specific(Arc::new(roots))).build()
}

#[expect(
    clippy::disallowed_methods,
    reason = "no runtime is below this room; who has one calls from a thread"
)]
fn wait(pause: Duration) {
    std::thread::sleep(pause);
}

/// An address without user, password and query.
fn plain(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// The first words of an answer, in one line.
fn beginning(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(800)]);
    let words: Vec<_> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(200).collect();
    if line.is_empty() { "nothing".to_owned() } else { line }
}

#[cfg(test)]
mod tests;
