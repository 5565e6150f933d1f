//! Faults of the end: what happens when stdin closes.

use crate::fault::{End, Fault, Twist};
use crate::step::Step;

/// How many messages the mortal server takes.
const LIFE: usize = 25;

pub(super) const FAULTS: &[Fault] = &[
    Fault::new(
        "ends-after-messages",
        "Ends at its 25th message, whatever that is.",
        Twist::Steps(|heard, steps| {
            if heard.before + 1 >= LIFE {
                *steps = vec![Step::Exit(1)];
            }
        }),
    )
    .on("stdio"),
    Fault::new(
        "eof-and-term-ignored",
        "Goes on after the end of input and does not mind SIGTERM.",
        Twist::End(End::IgnoreTerm),
    )
    .on("stdio"),
    Fault::new(
        "eof-exit-code",
        "Ends with the exit code 1 at the end of input, as if it had failed.",
        Twist::End(End::Exit(1)),
    )
    .on("stdio"),
    Fault::new(
        "eof-grandchild",
        "Leaves a child process behind that holds its output open.",
        Twist::End(End::Grandchild),
    )
    .on("stdio"),
    Fault::new(
        "eof-ignored",
        "Goes on after the end of input, so that orphans pile up.",
        Twist::End(End::Ignore),
    )
    .on("stdio"),
];
