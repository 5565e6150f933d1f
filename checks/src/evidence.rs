//! What a probe saw, before the row of the table turns it into a finding.

use crate::check::Stop;
use crate::finding::{Class, Excerpt, Profile};

/// What was expected and what was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What was expected, in one sentence.
    pub expected: String,
    /// What was seen instead, in one sentence.
    pub seen: String,
    /// The request that provoked it, compact and shortened.
    pub sent: Option<String>,
    /// The bytes to blame.
    pub bytes: Option<Excerpt>,
    /// What else helps.
    pub details: Vec<String>,
    /// First and last record in the transcript.
    pub records: Option<(usize, usize)>,
    /// Hosts or providers known to break on it.
    pub profiles: Vec<Profile>,
    /// A milder class than the row's, where this case of it is ambiguous.
    pub class: Option<Class>,
    /// Why nothing can be said after all; then the check is unproven instead of broken.
    pub undecided: Option<String>,
}

impl Evidence {
    /// States what was expected and what was seen.
    pub fn new(expected: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { expected: expected.into(), seen: seen.into(), ..Self::default() }
    }

    /// Adds a detail line.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// Adds the bytes to blame.
    #[must_use]
    pub fn bytes(mut self, bytes: Option<Excerpt>) -> Self {
        self.bytes = bytes;
        self
    }

    /// Adds the request that provoked it.
    #[must_use]
    pub fn sent(mut self, sent: impl Into<String>) -> Self {
        self.sent = Some(sent.into());
        self
    }

    /// Lowers the class.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }

    /// Ends the probe with this.
    pub fn stop(mut self) -> Stop {
        match self.undecided.take() {
            Some(why) => Stop::Unproven(why),
            None => Stop::Broken(Box::new(self)),
        }
    }
}
