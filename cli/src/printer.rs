//! Writes to standard output and standard error; nothing else does.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use std::io::{self, IsTerminal, Write};

/// Writes data to standard output. A reader that has gone away is no error.
pub(crate) fn out(text: &str) {
    let mut stdout = io::stdout().lock();
    // A full disk or a closed pipe leaves nobody to tell.
    _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes data that a caller keeps to standard output, where a part of it would pass for the whole.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            let what = "standard output cannot be written".to_owned();
            let failure = Failure::file(what, cause, "make room, or write somewhere else");
            Err(Failure { status: ExitStatus::CouldNotRun, ..failure })
        }
        _ => Ok(()),
    }
}

/// Writes words to standard error.
pub(crate) fn err(text: &str) {
    _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes an error, its causes and the hint.
pub(crate) fn failure(failure: &Failure) {
    err(&format!("error: {}\n\nhint: {}\n", failure_text(failure), lines(&failure.hint)));
}

/// Says what failed and why, one cause a line.
fn failure_text(failure: &Failure) -> String {
    let mut text = lines(&failure.error.to_string());
    for cause in failure.error.chain().skip(1) {
        text.push_str(&format!("\n  because: {}", lines(&cause.to_string())));
    }
    text
}

/// Says what failed, why, and what to do about it, in one line.
pub(crate) fn failure_line(failure: &Failure) -> String {
    let causes: Vec<_> = failure.error.chain().map(ToString::to_string).collect();
    let text = format!("{}; {}", causes.join(": "), failure.hint);
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Makes each line harmless to a terminal.
fn lines(text: &str) -> String {
    text.lines().map(reports::plain).collect::<Vec<_>>().join("\n")
}

/// Writes help, the version or a complaint about arguments where it belongs.
pub(crate) fn clap_answer(answer: &clap::Error, hint: Option<String>) -> ExitStatus {
    let colored = |terminal: bool, answer: &clap::Error| {
        if terminal { answer.render().ansi().to_string() } else { answer.render().to_string() }
    };
    if answer.use_stderr() {
        err(&colored(stderr_is_terminal(), answer));
        if let Some(hint) = hint {
            err(&format!("\nhint: {}\n", lines(&hint)));
        }
        return ExitStatus::Usage;
    }
    out(&colored(stdout_is_terminal(), answer));
    ExitStatus::Clean
}

/// Tells whether a person watches standard output.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Columns of a text report; that many it has in a file, too.
pub(crate) const WIDTH: usize = 80;

/// Columns of a report on standard output: fewer where a terminal has fewer.
pub(crate) fn columns() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(width, _)| WIDTH.min(width.0.into()))
}

/// Tells whether a person watches standard error.
pub(crate) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}
