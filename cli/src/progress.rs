//! Shows on a terminal how far a check has come, and nothing elsewhere.

use crate::printer;
use checks::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line on standard error that is gone when the check is done.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts the display when a person watches standard error.
    pub(crate) fn start() -> Self {
        if !printer::stderr_is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{pos}/{len} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(Some(bar))
    }

    /// Shows what happened.
    pub(crate) fn on(&self, event: Event) {
        let Some(bar) = &self.0 else { return };
        match event {
            Event::Detecting => bar.set_message("finding out which revisions the server speaks"),
            Event::Planned { checks, .. } => bar.set_length(checks as u64),
            Event::Began { revision, id } => bar.set_message(format!("{revision} {id}")),
            Event::Ended { .. } => bar.inc(1),
        }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
