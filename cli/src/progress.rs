//! Shows on a terminal how far a check has come, and nothing elsewhere.

use crate::printer;
use checks::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that counts, where a person watches standard error; what has a prefix shows it first.
pub(crate) fn bar() -> Option<ProgressBar> {
    let bar = printer::stderr_is_terminal()
        .then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)))?;
    let style = ProgressStyle::with_template("{prefix}{pos}/{len} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    Some(bar)
}

/// A line on standard error that is gone when the check is done.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts the display when a person watches standard error.
    pub(crate) fn start() -> Self {
        Self(bar())
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

/// A bar on standard error for work with a known number of steps; short work shows nothing.
#[derive(Debug)]
pub(crate) struct Steps(Option<ProgressBar>);

impl Steps {
    /// Starts the display when a person watches standard error and there is enough to do.
    pub(crate) fn start(what: &'static str, steps: usize) -> Self {
        if !printer::stderr_is_terminal() || steps < 100 {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        Self(Some(bar))
    }

    /// Shows how many steps are done.
    pub(crate) fn at(&self, done: usize) {
        if let Some(bar) = &self.0 {
            bar.set_position(done as u64);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
