//! The Streamable HTTP client: one POST per message, its answers as frames, and the session in between.

use super::answer::{Answer, OpenBody, Reading, Rest};
use super::client::{Call, HttpClient, RawRequest};
use super::headers;
use crate::exchange::BodyEnd;
use crate::inbox::{Inbox, Outbox, mailbox};
use crate::received::{Arrived, Ending, Received};
use specs::Revision;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};
use wire::{Frame, SseEvent};

/// How long a message that gets no answer may hold up the next one: a session must not be used before it is ready.
const IN_ORDER: Duration = Duration::from_secs(5);

/// How long a body that is no event stream may take after its headers.
const BODY: Duration = Duration::from_secs(30);

/// How long the server may take to end the session.
const GOODBYE: Duration = Duration::from_secs(2);

/// The session id, once the server has given one.
type Session = Arc<Mutex<Option<String>>>;

/// A conversation over POSTs.
#[derive(Debug)]
pub(crate) struct Streamable {
    client: HttpClient,
    session: Session,
    revision: Option<Revision>,
    rest: Rest,
    open_body: OpenBody,
    outbox: Outbox,
    inbox: Inbox,
    tasks: JoinSet<()>,
    running: BTreeMap<u64, AbortHandle>,
    count: u64,
}

impl Streamable {
    pub(crate) fn new(client: HttpClient) -> Self {
        let (outbox, inbox) = mailbox();
        Self {
            client,
            session: Session::default(),
            revision: None,
            rest: Rest::default(),
            open_body: OpenBody::default(),
            outbox,
            inbox,
            tasks: JoinSet::new(),
            running: BTreeMap::new(),
            count: 0,
        }
    }

    pub(crate) fn client(&self) -> &HttpClient {
        &self.client
    }

    pub(crate) fn session(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn adopt(&mut self, revision: Revision) {
        self.revision = Some(revision);
    }

    /// The headers that a POST of `message` carries.
    pub(crate) fn headers_for(&self, message: &[u8]) -> Vec<(String, String)> {
        let mut all = headers::of_post(&Frame::read(message), self.revision, self.session().as_deref());
        headers::merge(&mut all, self.client.given_headers());
        all
    }

    /// Starts the POST of `body`. A request is not waited for; what gets no answer is, so that order is kept.
    pub(crate) async fn post(&mut self, body: &[u8], extra: &[(String, String)]) -> u64 {
        let frame = Frame::read(body);
        let mut headers = self.headers_for(body);
        headers::merge(&mut headers, extra);
        let call =
            Call { method: "POST".to_owned(), url: self.client.base().clone(), headers, body: body.to_vec() };
        let opens = headers::is_initialize(&frame).then(|| Arc::clone(&self.session));
        let (id, accepted) = self.run(call, opens, false);
        if !headers::wants_answer(&frame) {
            let _ = timeout(IN_ORDER, accepted).await;
        }
        id
    }

    /// Starts the GET stream.
    pub(crate) fn open_stream(&mut self, extra: &[(String, String)]) -> u64 {
        let mut headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        headers.extend(headers::of_conversation(self.revision, self.session().as_deref()));
        headers::merge(&mut headers, self.client.given_headers());
        headers::merge(&mut headers, extra);
        let call =
            Call { method: "GET".to_owned(), url: self.client.base().clone(), headers, body: Vec::new() };
        self.run(call, None, true).0
    }

    /// Breaks off an exchange; nothing more comes of it.
    pub(crate) fn abandon(&mut self, id: u64) {
        if let Some(task) = self.running.remove(&id) {
            task.abort();
            self.client.scribe().event(&format!("broke off exchange {id}"));
        }
    }

    fn run(&mut self, call: Call, opens: Option<Session>, is_stream: bool) -> (u64, oneshot::Receiver<()>) {
        while self.tasks.try_join_next().is_some() {}
        self.running.retain(|_, task| !task.is_finished());
        self.count += 1;
        let (accepted, waiter) = oneshot::channel();
        let (rest, open_body) = (Arc::clone(&self.rest), Arc::clone(&self.open_body));
        let reading = Reading { rest, open_body, ..self.client.usual_reading() };
        let delivery = Delivery {
            client: self.client.clone(),
            outbox: self.outbox.clone(),
            id: self.count,
            on: (!is_stream).then_some(self.count),
        };
        let task = self.tasks.spawn(delivery.run(call, reading, opens, accepted));
        self.running.insert(self.count, task);
        (self.count, waiter)
    }

    pub(crate) async fn receive(&mut self, deadline: Instant) -> Received {
        self.inbox.next(deadline).await
    }

    pub(crate) fn pending(&self) -> Vec<u8> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn open_body(&self) -> Option<(usize, Vec<u8>)> {
        self.open_body.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the session, if there is one, and every exchange.
    pub(crate) async fn close(mut self) -> Ending {
        let closed = self.client.scribe().opened.elapsed();
        if let Some(session) = self.session() {
            let mut headers = headers::of_conversation(self.revision, Some(&session));
            headers::merge(&mut headers, self.client.given_headers());
            let goodbye =
                RawRequest { method: "DELETE".to_owned(), headers, within: GOODBYE, ..RawRequest::default() };
            // A server may refuse; that is its right, and the transcript shows it.
            let _ = self.client.exchange(goodbye).await;
        }
        self.tasks.shutdown().await;
        let mut ending = Ending::without_process();
        while let Some(received) = self.inbox.take_now() {
            ending.late_frames.extend(match received {
                Received::Frame(late) if late.at >= closed => Some(late),
                _ => None,
            });
        }
        ending
    }
}

/// Brings what one exchange gives into the inbox.
pub(super) struct Delivery {
    pub(super) client: HttpClient,
    pub(super) outbox: Outbox,
    /// Its number.
    pub(super) id: u64,
    /// The number its frames carry.
    pub(super) on: Option<u64>,
}

impl Delivery {
    async fn run(self, call: Call, reading: Reading, opens: Option<Session>, accepted: oneshot::Sender<()>) {
        let answer = match self.client.follow(call, None).await {
            Ok(answer) => answer.reading(reading),
            Err(failure) => {
                let failed = Received::ExchangeFailed { id: self.id, cause: failure.to_string() };
                self.outbox.put(failed, 0).await;
                return;
            }
        };
        if let Some(session) = opens
            && let Some(given) = answer.exchange.header("mcp-session-id")
        {
            *session.lock().unwrap_or_else(PoisonError::into_inner) = Some(given.to_owned());
        }
        let _ = accepted.send(());
        self.all_of(answer).await;
    }

    async fn all_of(self, mut answer: Answer) {
        let media_type = answer.exchange.media_type();
        if media_type != "text/event-stream" {
            answer.reading.until = Some(Instant::now() + BODY);
        }
        while let Some((event, record)) = answer.next_event().await {
            self.event(event, record, &answer).await;
        }
        // Half a body is no message; the exchange says how it ended.
        let is_whole = answer.exchange.end == BodyEnd::Complete && !answer.exchange.body.is_empty();
        if is_whole && media_type == "application/json" {
            self.frame(Frame::read(&answer.exchange.body), answer.record, &answer).await;
        }
        let bytes = answer.exchange.body.len();
        let whole = Received::Exchange { id: self.id, exchange: Box::new(answer.exchange) };
        self.outbox.put(whole, bytes).await;
    }

    /// Delivers the message of an event; keep-alives and the empty first event of a stream carry none.
    pub(super) async fn event(&self, event: SseEvent, record: usize, answer: &Answer) {
        if let Some(data) = event.data.filter(|data| event.dispatched && !data.is_empty()) {
            let mut frame = Frame::of(data.into_bytes());
            frame.deviations.extend(event.deviations);
            self.frame(frame, record, answer).await;
        }
    }

    async fn frame(&self, frame: Frame, record: usize, answer: &Answer) {
        let bytes = frame.raw.len();
        let at = answer.scribe.opened.elapsed();
        self.outbox.put(Received::Frame(Arrived { frame, record, at, exchange: self.on }), bytes).await;
    }
}
