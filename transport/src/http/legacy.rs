//! The HTTP+SSE client of 2024-11-05: frames come on the event stream, messages go to the URL it names.

use super::answer::{Answer, Reading, Rest};
use super::client::{Call, HttpClient};
use super::failure::HttpFailure;
use super::headers;
use super::streamable::Delivery;
use crate::error::ConnectError;
use crate::inbox::{Inbox, Outbox, mailbox};
use crate::received::{Ending, Received};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use url::Url;
use wire::Frame;

/// How long the answer to a POST, which carries no message, may take to its end.
const BODY: Duration = Duration::from_secs(30);

/// How long a POST may hold up the next one.
const IN_ORDER: Duration = Duration::from_secs(5);

/// A conversation over an event stream and POSTs.
#[derive(Debug)]
pub(crate) struct Legacy {
    client: HttpClient,
    endpoint: Url,
    rest: Rest,
    outbox: Outbox,
    inbox: Inbox,
    tasks: JoinSet<()>,
    count: u64,
    closed: bool,
}

impl Legacy {
    /// Opens the stream and waits for its `endpoint` event.
    pub(crate) async fn open(client: HttpClient, within: Duration) -> Result<Self, ConnectError> {
        let until = Instant::now() + within;
        let mut headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        headers::merge(&mut headers, client.given_headers());
        let call = Call { method: "GET".to_owned(), url: client.base().clone(), headers, body: Vec::new() };
        let answer =
            client.follow(call, Some(until)).await.map_err(|failure| unreachable(&client, failure))?;
        let rest = Rest::default();
        let reading = Reading { until: Some(until), rest: Arc::clone(&rest), ..client.usual_reading() };
        let mut answer = answer.reading(reading);
        let endpoint = endpoint_of(&mut answer).await;
        let no_endpoint = |seen| ConnectError::NoEndpointEvent { url: client.url().to_owned(), seen };
        let endpoint = endpoint.map_err(no_endpoint)?;
        answer.reading.until = None;
        let (outbox, inbox) = mailbox();
        let mut tasks = JoinSet::new();
        let delivery = Delivery { client: client.clone(), outbox: outbox.clone(), id: 0, on: None };
        tasks.spawn(deliver(delivery, answer));
        Ok(Self { client, endpoint, rest, outbox, inbox, tasks, count: 0, closed: false })
    }

    pub(crate) fn client(&self) -> &HttpClient {
        &self.client
    }

    /// Starts the POST of `body`. A request is not waited for; what gets no answer is, so that order is kept.
    pub(crate) async fn post(&mut self, body: &[u8], extra: &[(String, String)]) -> u64 {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers::merge(&mut headers, self.client.given_headers());
        headers::merge(&mut headers, extra);
        let call =
            Call { method: "POST".to_owned(), url: self.endpoint.clone(), headers, body: body.to_vec() };
        while self.tasks.try_join_next().is_some() {}
        self.count += 1;
        let (taken, waiter) = oneshot::channel::<()>();
        self.tasks.spawn(post(self.client.clone(), call, self.count, self.outbox.clone(), taken));
        if !headers::wants_answer(&Frame::read(body)) {
            let _ = timeout(IN_ORDER, waiter).await;
        }
        self.count
    }

    pub(crate) async fn receive(&mut self, deadline: Instant) -> Received {
        if self.closed {
            return Received::Closed;
        }
        let received = self.inbox.next(deadline).await;
        self.closed = matches!(received, Received::Closed);
        received
    }

    pub(crate) fn pending(&self) -> Vec<u8> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes the stream, which ends the session.
    pub(crate) async fn close(mut self) -> Ending {
        self.client.scribe().event("closed the event stream");
        self.tasks.shutdown().await;
        Ending::without_process()
    }
}

fn unreachable(client: &HttpClient, failure: HttpFailure) -> ConnectError {
    let cause = match failure {
        HttpFailure::BadHeader { name } => return ConnectError::BadHeader { name },
        HttpFailure::Unreachable { cause, .. } | HttpFailure::NoAnswer { cause, .. } => cause,
        HttpFailure::Deadline { millis, .. } => format!("no answer within {millis} ms"),
        HttpFailure::Redirect { cause, .. } => format!("it redirects {cause}"),
    };
    ConnectError::Unreachable { url: client.url().to_owned(), cause }
}

/// Waits for the `endpoint` event and resolves what it says; the error tells what came instead.
async fn endpoint_of(answer: &mut Answer) -> Result<Url, String> {
    let (mut comments, mut others) = (0, Vec::new());
    if answer.exchange.media_type() != "text/event-stream" || answer.exchange.status != 200 {
        answer.next_event().await;
        return Err(seen(answer, ""));
    }
    while let Some((event, _)) = answer.next_event().await {
        comments += event.comments.len();
        match event.data {
            // Some servers send it twice; the first one wins.
            Some(data) if event.event == "endpoint" => return resolve(answer, data.trim()),
            Some(_) => others.push(if event.event.is_empty() { "message".to_owned() } else { event.event }),
            None => {}
        }
    }
    others.truncate(5);
    let events =
        if others.is_empty() { "no event".to_owned() } else { format!("events: {}", others.join(", ")) };
    Err(seen(answer, &format!(", {events}, {comments} comment lines")))
}

fn resolve(answer: &Answer, data: &str) -> Result<Url, String> {
    let base = Url::parse(&answer.exchange.url).map_err(|error| error.to_string())?;
    let endpoint = base.join(data).map_err(|error| format!("the event says `{data}`: {error}"))?;
    // Posting elsewhere would carry the user's headers to whomever the server names.
    if endpoint.origin() != base.origin() {
        return Err(format!("the event names another origin: {endpoint}"));
    }
    Ok(endpoint)
}

fn seen(answer: &Answer, more: &str) -> String {
    let kind = answer.exchange.header("content-type").unwrap_or("no content type");
    format!("status {}, {kind}{more}, the body {}", answer.exchange.status, answer.exchange.end)
}

async fn deliver(delivery: Delivery, mut answer: Answer) {
    while let Some((event, record)) = answer.next_event().await {
        delivery.event(event, record, &answer).await;
    }
    delivery.outbox.put(Received::Closed, 0).await;
}

/// Sends one message and tells how it was taken; `taken` is dropped then.
async fn post(client: HttpClient, call: Call, id: u64, outbox: Outbox, taken: oneshot::Sender<()>) {
    let until = Some(Instant::now() + BODY);
    let received = match client.follow(call, until).await {
        Err(failure) => Received::ExchangeFailed { id, cause: failure.to_string() },
        Ok(answer) => {
            drop(taken);
            let mut answer = answer.reading(Reading { until, ..client.usual_reading() });
            while answer.next_event().await.is_some() {}
            Received::Exchange { id, exchange: Box::new(answer.exchange) }
        }
    };
    outbox.put(received, 0).await;
}
