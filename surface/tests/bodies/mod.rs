//! The laws that every text of a cassette must keep, for the fuzz target and the property tests.

use mcpproof_surface::cassette::{Cassette, Exchange, Golden, Outcome, Player, differences, in_lines};
use serde_json::{Value, json};
use std::sync::Arc;

/// Asserts that a text is refused with a place, or reads back as it is written and can be played.
pub(crate) fn cassette(text: &str) {
    if let Ok(golden) = Golden::parse(text) {
        assert_eq!(Golden::parse(&golden.render()).as_ref(), Ok(&golden));
    }
    let cassette = match Cassette::parse(text) {
        Ok(cassette) => cassette,
        Err(error) => {
            assert!(!error.message.is_empty());
            return;
        }
    };
    assert_eq!(Cassette::parse(&cassette.render()).as_ref(), Ok(&cassette));
    let cassette = Arc::new(cassette);
    for conversation in &cassette.conversations {
        let revision = &conversation.revisions[0];
        let mut player = Player::new(Arc::clone(&cassette));
        player.hear(&request("initialize", json!({"protocolVersion": revision})));
        for exchange in &conversation.exchanges {
            player.hear(&request(&exchange.method, exchange.params.clone()));
            player.hear(&request(&exchange.method, json!({"name": "nobody"})));
        }
        compare(&conversation.exchanges);
    }
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Neighbours differ or not, and what differs can be shown.
fn compare(exchanges: &[Exchange]) {
    let value = |exchange: &Exchange| match &exchange.outcome {
        Outcome::Result(value) | Outcome::Error(value) => value.clone(),
    };
    for pair in exchanges.windows(2).take(20) {
        let (one, other) = (value(&pair[0]), value(&pair[1]));
        assert!(differences(&one, &one).is_empty());
        in_lines(&differences(&one, &other));
    }
}
