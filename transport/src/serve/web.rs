//! The HTTP end of a mock: the handler sees the whole request and may give any answer, well formed or not.

use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Frame, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

/// Longest request body that is read.
const LIMIT: usize = 64 * 1024 * 1024;

/// How long what was sent takes to be written.
const FLUSHED: Duration = Duration::from_millis(50);

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The headers, names in lower case, repeated ones apart.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// The value of header `name` (lower case); of repeated ones the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// An answer. Only `date`, and the framing of the body, are added to its headers.
#[derive(Debug)]
pub struct HttpAnswer {
    /// How long to wait before the status line.
    pub after: Duration,
    /// The status.
    pub status: u16,
    /// The headers; those that HTTP cannot carry are left out.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: HttpBody,
}

impl HttpAnswer {
    /// Answers at once with `status`, and with `body` as `content_type` unless that is empty.
    pub fn new(status: u16, content_type: &str, body: HttpBody) -> Self {
        let mut headers = Vec::new();
        if !content_type.is_empty() {
            headers.push(("content-type".to_owned(), content_type.to_owned()));
        }
        Self { after: Duration::ZERO, status, headers, body }
    }

    /// Answers at once with `status` and nothing else.
    pub fn empty(status: u16) -> Self {
        Self::new(status, "", HttpBody::Whole(Vec::new()))
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// The body of an answer.
#[derive(Debug)]
pub enum HttpBody {
    /// All at once, with its length.
    Whole(Vec<u8>),
    /// Piece by piece.
    Chunks(Vec<Chunk>),
    /// Piece by piece as someone sends them, until the sender is dropped; see [`HttpBody::open`].
    Open(mpsc::UnboundedReceiver<Chunk>),
}

impl HttpBody {
    /// A body that stays open: what is sent to the sender goes out, also from other requests.
    /// The sender is closed once the client has gone.
    pub fn open() -> (mpsc::UnboundedSender<Chunk>, Self) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (sender, Self::Open(receiver))
    }
}

/// One piece of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Sends these bytes for ever, with a pause after each time.
    Flood(Vec<u8>, Duration),
    /// Breaks the connection in the middle of the body.
    Cut,
    /// Leaves the body open for ever.
    Hang,
}

/// A server as a function from request to answer.
pub trait HttpHandler: Send + 'static {
    /// Answers `request`; `None` breaks the connection without an answer.
    fn answer(&mut self, request: &HttpRequest) -> Option<HttpAnswer>;
}

impl<H: HttpHandler + ?Sized> HttpHandler for Box<H> {
    fn answer(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        (**self).answer(request)
    }
}

type Body = BoxBody<Bytes, io::Error>;

/// Serves every connection to `listener` until dropped; one request at a time reaches the handler.
pub async fn http<H: HttpHandler>(listener: TcpListener, handler: H) {
    let handler = Arc::new(Mutex::new(handler));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&handler)));
                }
                // Out of file descriptors, most likely; the next moment may be better.
                Err(_) => sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve<H: HttpHandler>(stream: TcpStream, handler: Arc<Mutex<H>>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(request, Arc::clone(&handler)));
    // The peer of a mock breaks connections at will; there is no one to tell.
    let _ =
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn answer<H: HttpHandler>(
    request: Request<Incoming>,
    handler: Arc<Mutex<H>>,
) -> Result<Response<Body>, io::Error> {
    let request = take_in(request).await?;
    let answer = handler.lock().unwrap_or_else(PoisonError::into_inner).answer(&request);
    let answer = answer.ok_or_else(|| io::Error::other("no answer"))?;
    sleep(answer.after).await;
    let mut response = Response::new(body(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}

async fn take_in(request: Request<Incoming>) -> Result<HttpRequest, io::Error> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, LIMIT).collect().await.map_err(io::Error::other)?;
    let headers = head.headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    Ok(HttpRequest {
        method: head.method.to_string(),
        path: head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        headers: headers.collect(),
        body: body.to_bytes().to_vec(),
    })
}

fn body(body: HttpBody) -> Body {
    let mut chunks = match body {
        HttpBody::Whole(bytes) => return Full::from(bytes).map_err(|never| match never {}).boxed(),
        HttpBody::Open(chunks) => chunks,
        HttpBody::Chunks(listed) => {
            let (sender, chunks) = mpsc::unbounded_channel();
            listed.into_iter().for_each(|chunk| sender.send(chunk).expect("the receiver is held"));
            chunks
        }
    };
    let (sender, channel) = Channel::new(1);
    let pump = tokio::spawn(async move { pump(&mut chunks, sender).await });
    Pumped { channel, pump }.boxed()
}

/// A body that someone fills. It is dropped when the client has gone, and the one who fills it stops then.
struct Pumped {
    channel: Channel<Bytes, io::Error>,
    pump: JoinHandle<()>,
}

impl Drop for Pumped {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl hyper::body::Body for Pumped {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.channel).poll_frame(context)
    }
}

/// Sends chunks until there are no more, or the client has gone.
async fn pump(chunks: &mut mpsc::UnboundedReceiver<Chunk>, mut sender: Sender<Bytes, io::Error>) {
    while let Some(chunk) = chunks.recv().await {
        let sent = match chunk {
            Chunk::Bytes(bytes) => sender.send_data(bytes.into()).await,
            Chunk::Pause(pause) => {
                sleep(pause).await;
                Ok(())
            }
            Chunk::Flood(bytes, pause) => loop {
                if let Err(gone) = sender.send_data(bytes.clone().into()).await {
                    break Err(gone);
                }
                sleep(pause).await;
            },
            Chunk::Cut => {
                // Breaking off throws away what was not written yet; what came before the cut is to arrive.
                sleep(FLUSHED).await;
                return sender.abort(io::Error::other("cut"));
            }
            Chunk::Hang => std::future::pending().await,
        };
        if sent.is_err() {
            return;
        }
    }
}
