//! Ends of the server that nobody asked for, and that the message before them is not to blame for. Who is to blame is
//! found out where checks are run.

use crate::evidence::Evidence;
use crate::log::{Conversation, Entry};
use crate::peer::{Peer, exit_words, last_lines};
use crate::session::Session;
use crate::words::{count, listed, short};

/// How it is known that the last message is not to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The same on a fresh start does not end the server.
    Innocent,
    /// The server had answered it.
    Answered,
    /// The server has ended so before.
    Repeated,
}

/// One such end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// How many messages had been sent.
    pub(crate) messages: usize,
    /// The last of them.
    last: String,
    /// The notifications since the last answer: one of them may be to blame.
    pub(crate) suspects: Vec<String>,
    blame: Blame,
    /// How it ended, in words.
    how: String,
    /// The tail of its stderr.
    stderr: String,
}

impl End {
    /// Notes how a conversation ended that the server has ended.
    pub(crate) fn of(session: &mut Session, blame: Blame) -> Self {
        Self {
            messages: messages(&session.log),
            last: session.log.all_sent().last().map(|(_, sent)| short(&sent.text, 300)).unwrap_or_default(),
            suspects: suspects(&session.log),
            blame,
            how: match session.connection().exited() {
                None if !session.log.entries.iter().any(|entry| matches!(entry, Entry::Closed)) => {
                    "closed its input (stdin)".into()
                }
                exit => exit_words(exit),
            },
            stderr: session.connection().stderr_tail(),
        }
    }
}

/// How many messages were sent on a conversation.
pub(crate) fn messages(log: &Conversation) -> usize {
    log.all_sent().count()
}

/// The notifications that were sent since the last answer.
fn suspects(log: &Conversation) -> Vec<String> {
    let answered =
        |entry: &Entry| matches!(entry, Entry::Got { answers, .. } if answers.iter().any(Option::is_some));
    let since = log.entries.iter().rev().take_while(|entry| !answered(entry));
    let methods =
        since.filter_map(|entry| if let Entry::Sent(sent) = entry { sent.method.clone() } else { None });
    methods.filter(|method| method.starts_with("notifications/")).collect()
}

/// What to say of the ends that none of the `known` killers explains; `None` when there are none.
pub(crate) fn evidence(ends: &[End], known: &[String]) -> Option<Evidence> {
    let explained = |end: &&End| end.suspects.iter().any(|suspect| known.contains(suspect));
    let ends: Vec<_> = ends.iter().filter(|end| !explained(end)).collect();
    let first = ends.first()?;
    let seen = format!("it {} after {}", first.how, count(first.messages, "message"));
    let mut evidence = Evidence::new("the server stays until its input ends", seen).sent(first.last.clone());
    evidence = evidence.detail(match first.blame {
        Blame::Innocent => "not because of the last one: on a fresh start the same does not end it",
        Blame::Answered => "it had answered the last one",
        Blame::Repeated => "the last one is harmless",
    });
    if ends.len() > 1 {
        let after: Vec<_> = ends.iter().map(|end| end.messages).collect();
        evidence =
            evidence.detail(format!("it ended {} times, after {} messages", ends.len(), listed(&after)));
    }
    if !first.stderr.trim().is_empty() {
        evidence = evidence.detail(format!("stderr ended with: {}", last_lines(&first.stderr, 3)));
    }
    Some(evidence)
}

/// What a probe may have learnt from a server that was about to end.
#[derive(Debug)]
pub(crate) struct Memory {
    listings: crate::listing::Listings,
    unserved: Vec<&'static str>,
    ping_works: bool,
    had: [bool; 4],
}

impl Memory {
    /// Notes what is known before a probe.
    pub(crate) fn of(peer: &Peer) -> Self {
        Self {
            listings: peer.listings.clone(),
            unserved: peer.unserved.clone(),
            ping_works: peer.ping_works,
            had: [peer.reads.is_some(), peer.gets.is_some(), peer.completion.is_some(), peer.calls.is_some()],
        }
    }

    /// Forgets what was learnt since.
    pub(crate) fn restore(self, peer: &mut Peer) {
        let [reads, gets, completion, calls] = self.had;
        (peer.listings, peer.unserved, peer.ping_works) = (self.listings, self.unserved, self.ping_works);
        peer.reads.take_if(|_| !reads);
        peer.gets.take_if(|_| !gets);
        peer.completion.take_if(|_| !completion);
        peer.calls.take_if(|_| !calls);
    }
}
