//! Estimates what a text costs a model. An estimate: each model has its own way of counting.

/// Counts the tokens of `text` in the encoding `o200k_base`. The first call builds the tables.
pub fn estimate(text: &str) -> usize {
    // Words such as `<|endoftext|>` are plain text when a server sends them.
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}
