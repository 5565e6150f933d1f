//! Reaching the host of a URL: TCP, and TLS where the scheme wants it. Nothing of HTTP lives here.

use super::failure::chain;
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

/// A stream of bytes to a host.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The TLS settings, made when the first https URL is dialled: reading the root certificates costs megabytes.
#[derive(Debug, Default)]
pub(super) struct Tls(OnceLock<Result<Arc<ClientConfig>, String>>);

impl Tls {
    fn connector(&self) -> Result<TlsConnector, String> {
        self.0.get_or_init(configure).clone().map(TlsConnector::from)
    }
}

fn configure() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let why = found.errors.first().map_or_else(String::new, |error| format!(": {}", chain(error)));
        return Err(format!("no root certificates on this system{why}"));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| chain(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Connects to the host of `url`; the error is the chain of causes in one line.
pub(super) async fn dial(url: &Url, tls: &Tls) -> Result<Box<dyn Stream>, String> {
    let port = url.port_or_known_default().ok_or("the URL has no port")?;
    let stream = match url.host().ok_or("the URL has no host")? {
        Host::Domain(name) => TcpStream::connect((name, port)).await,
        Host::Ipv4(address) => TcpStream::connect((address, port)).await,
        Host::Ipv6(address) => TcpStream::connect((address, port)).await,
    };
    let stream = stream.map_err(|error| chain(&error))?;
    let _ = stream.set_nodelay(true);
    if url.scheme() != "https" {
        return Ok(Box::new(stream));
    }
    let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(name).map_err(|error| chain(&error))?;
    let secured = tls.connector()?.connect(name, stream).await;
    Ok(Box::new(secured.map_err(|error| format!("TLS: {}", chain(&error)))?))
}
