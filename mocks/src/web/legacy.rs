//! HTTP+SSE of 2024-11-05: one stream down, posts up.

use super::stream::{self, Sink};
use super::{Seat, Web, new_id, refusal};
use crate::problem::Problem;
use crate::session::Session;
use crate::step::{Flow, Step};
use serde_json::Value;
use std::sync::Arc;
use transport::serve::{HttpAnswer, HttpRequest};

impl Web {
    /// Opens the stream of a new session and says where to post.
    pub(super) fn open_legacy(&mut self) -> HttpAnswer {
        let id = new_id();
        let (sink, body) = Sink::open();
        sink.bytes(stream::endpoint(&self.legacy, &format!("/messages?session={id}")));
        let mut seat = Seat::new(Session::new(Arc::clone(&self.legacy)));
        seat.streams.push(sink);
        self.seats.insert(id, seat);
        stream::answer(body, false)
    }

    /// Takes a message; what is said about it comes on the stream.
    pub(super) fn post_legacy(&mut self, request: &HttpRequest) -> Option<HttpAnswer> {
        let id = request.path.split_once("?session=").map_or("", |(_, id)| id);
        let seat = self.seats.get_mut(id).filter(|seat| seat.streams.iter().any(Sink::is_open));
        let Some((seat, sink)) = seat.and_then(|seat| seat.streams.first().cloned().map(|sink| (seat, sink)))
        else {
            return Some(refusal(404, Problem::request("the session is not known"), Value::Null));
        };
        let Flow { key, cancels, mut steps } = seat.session.hear(&request.body);
        if let Some(work) = cancels.and_then(|key| seat.running.remove(&key)) {
            work.abort();
        }
        if let Some(Step::Exit(code)) = steps.iter().find(|step| matches!(step, Step::Exit(_))) {
            let _ = self.exit.send(*code);
            return None;
        }
        for step in &mut steps {
            if let Step::Tell(message) = step {
                *step = Step::Say(message.take());
            }
        }
        let work = stream::play(Arc::clone(&seat.session.setup), steps, sink);
        seat.running.extend(key.map(|key| (key, work)));
        Some(HttpAnswer::empty(202))
    }
}
