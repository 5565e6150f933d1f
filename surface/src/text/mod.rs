//! Looks at text that a model or a person reads: words, hidden characters, lookalikes, orders, addresses. What a change of it means stands in `compare`.

mod addresses;
mod commands;
pub(crate) mod confusable;
mod harm;
mod hidden;
mod injection;
mod markup;
mod phrase;
mod words;

pub(crate) use addresses::{encoded_blobs, hosts};
pub(crate) use commands::ADVICE;
pub(crate) use hidden::{Counts, control_characters, hidden_characters, newly_present, spell};
pub(crate) use injection::orders;
pub(crate) use phrase::Owner;
pub(crate) use words::{excerpt, same_words, word_diff};
