//! Servers that want authorization: where they say that tokens come from. Nothing is authorized here.

use super::http_ask::{Ask, client_of, is_loopback, seen};
use crate::check::{Check, Level, Needs, Outcome, Phase, Stop};
use crate::evidence::Evidence;
use crate::finding::Class;
use crate::opener::initialize_message;
use crate::peer::Peer;
use crate::words::quoted;
use serde_json::Value as Json;
use specs::Revision::{V2025_06_18, V2025_11_25};
use specs::Revisions;
use transport::{Endpoint, Exchange, RawRequest, Target};

/// A row of this area.
const ROW: Check = Check {
    revisions: Revisions::since(V2025_06_18),
    needs: Needs::HTTP,
    phase: Phase::Afterwards,
    ..Check::BLANK
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "auth-metadata-found",
        requirement: "auth.www-authenticate-or-wellknown",
        level: Level::Should,
        revisions: Revisions::since(V2025_11_25),
        fault: "auth-metadata-missing",
        explain: "Clients learn from this document where to get a token; without it they can only give up.",
        probe: |peer| Box::pin(metadata_found(peer)),
        ..ROW
    },
    Check {
        id: "auth-resource-matches",
        requirement: "auth.prm-resource-match",
        fault: "auth-resource-mismatch",
        explain: "Clients must throw away a document that is about another resource, and cannot get a token.",
        probe: |peer| Box::pin(resource_matches(peer)),
        ..ROW
    },
];

/// What can be decided about a server that lets nobody in.
pub(crate) const WITHOUT_ACCESS: &[&str] = &["auth-metadata-found", "auth-resource-matches"];

/// A metadata document and where it was.
struct Metadata {
    url: String,
    document: Json,
    /// True when the refusal named it.
    announced: bool,
}

/// Asks as somebody without a token.
async fn challenge(peer: &Peer) -> Result<(String, Exchange), Stop> {
    let Target::Http(endpoint) = &peer.opener.target else {
        return Err(Stop::NotApplicable("only for Streamable HTTP".into()));
    };
    let client = client_of(peer, Endpoint { headers: Vec::new(), ..endpoint.clone() }).await?;
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let body = initialize_message(1, V2025_11_25.as_str()).to_string().into_bytes();
    let within = peer.timing.answer;
    let request = RawRequest { headers, body, within, stop_after: Some(2), ..RawRequest::default() };
    let exchange = client.exchange(request).await.map_err(|failure| Stop::Unproven(failure.to_string()))?;
    match exchange.status {
        401 => Ok((client.url().to_owned(), exchange)),
        _ => Err(Stop::NotApplicable("the server wants no authorization".into())),
    }
}

/// Looks where the refusal says, else in the two well-known places.
async fn metadata(peer: &Peer, url: &str, refusal: &Exchange) -> Result<Result<Metadata, Vec<String>>, Stop> {
    let announced =
        refusal.header("www-authenticate").and_then(|value| parameter(value, "resource_metadata"));
    if let Some(place) = &announced
        && origin(place) != origin(url)
    {
        // The user has named one server, and this document may be anywhere.
        return Err(Stop::Unproven(format!(
            "the metadata is on another origin, which is not asked: {place}"
        )));
    }
    let path = url.strip_prefix(origin(url)).unwrap_or("").trim_end_matches('/');
    let known = format!("{}/.well-known/oauth-protected-resource", origin(url));
    let places = match &announced {
        Some(place) => vec![place.clone()],
        None if path.is_empty() => vec![known],
        None => vec![format!("{known}{path}"), known],
    };
    let mut tried = Vec::new();
    for place in places {
        let exchange = Ask::get(peer, &place).await?.header("accept", "application/json").send().await?;
        let document = serde_json::from_slice::<Json>(&exchange.body).ok().filter(Json::is_object);
        match document {
            Some(document) if exchange.status == 200 => {
                return Ok(Ok(Metadata { url: place, document, announced: announced.is_some() }));
            }
            _ => tried.push(format!("GET {place}: {}", seen(&exchange))),
        }
    }
    Ok(Err(tried))
}

async fn metadata_found(peer: &Peer) -> Outcome {
    let (url, refusal) = challenge(peer).await?;
    let Err(tried) = metadata(peer, &url, &refusal).await? else { return Ok(()) };
    let header = refusal
        .header("www-authenticate")
        .map_or("no WWW-Authenticate".into(), |value| format!("`WWW-Authenticate: {value}`"));
    let expected = "a metadata document of the protected resource, named in WWW-Authenticate or well known";
    let mut evidence = Evidence::new(expected, format!("HTTP status 401 with {header}, and no document"));
    evidence.details = tried;
    evidence.details.push("a server with keys of its own kind is outside the rules for authorization".into());
    Err(evidence.sent(format!("POST {url} without Authorization")).stop())
}

async fn resource_matches(peer: &Peer) -> Outcome {
    let (url, refusal) = challenge(peer).await?;
    let Ok(found) = metadata(peer, &url, &refusal).await? else {
        return Err(Stop::NotApplicable("no metadata document; `auth-metadata-found` says so".into()));
    };
    let expected = format!("`resource` is the URL of the endpoint: {url}");
    let at = format!("the document is at {}", found.url);
    let Some(resource) = found.document.get("resource").and_then(Json::as_str) else {
        return Err(Evidence::new(expected, "the document has no `resource`").detail(at).stop());
    };
    // Written another way it is still the same URL, and a slash at its end is nothing to fail on.
    let endpoint = Endpoint { url: resource.to_owned(), headers: Vec::new() };
    let theirs = client_of(peer, endpoint).await.map_or_else(|_| resource.to_owned(), |c| c.url().to_owned());
    if theirs.trim_end_matches('/') == url.trim_end_matches('/') {
        return Ok(());
    }
    let evidence = Evidence::new(expected, format!("`resource` is {}", quoted(resource))).detail(at);
    let evidence = evidence.sent(format!("GET {}", found.url));
    // A client that was not sent to the document may have asked about the whole origin.
    let of_origin = !found.announced && theirs.trim_end_matches('/') == origin(&url);
    let elsewhere = is_loopback(&url) && origin(&theirs) != origin(&url);
    Err(match (of_origin, elsewhere) {
        (true, _) => evidence.class(Class::Should).detail("milder, since the document is that of the origin"),
        (_, true) => {
            let why = "milder, since the server may be meant to be reached by another name than this one";
            evidence.class(Class::Should).detail(why)
        }
        _ => evidence,
    }
    .stop())
}

/// Scheme, host and port of a URL.
fn origin(url: &str) -> &str {
    let from = url.find("://").map_or(0, |at| at + 3);
    let to = url[from..].find(['/', '?', '#']).map_or(url.len(), |at| from + at);
    &url[..to]
}

/// The value of a parameter of a challenge, quoted or not.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let lower = challenge.to_ascii_lowercase();
    let wanted = format!("{name}=");
    let starts = lower.match_indices(&wanted);
    let free = |at: &usize| *at == 0 || lower[..*at].ends_with([' ', ',', '\t']);
    let at = starts.map(|(at, _)| at).find(free)? + wanted.len();
    let rest = &challenge[at..];
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().map(str::to_owned),
        None => rest.split([',', ' ']).next().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::{origin, parameter};

    #[test]
    fn a_parameter_is_found_quoted_or_not() {
        let challenge = r#"Bearer realm="x", Resource_Metadata="http://a/b?c=d", scope=read"#;
        assert_eq!(parameter(challenge, "resource_metadata").as_deref(), Some("http://a/b?c=d"));
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("read"));
        assert_eq!(parameter(challenge, "metadata"), None);
    }

    #[test]
    fn an_origin_ends_where_the_path_begins() {
        assert_eq!(origin("http://127.0.0.1:80/mcp"), "http://127.0.0.1:80");
        assert_eq!(origin("https://a.example"), "https://a.example");
    }
}
