//! Reads the envelope of one JSON-RPC message and says what is wrong with it; methods are not known here.

use crate::call::Call;
use crate::problem::Problem;
use serde_json::{Value, json};

/// What one JSON value is.
pub(crate) enum Envelope {
    Request(Call),
    Notification { method: String, params: Value },
    Response,
    Broken(Value),
}

/// Reads one message.
pub(crate) fn read(message: &Value) -> Envelope {
    let Some(object) = message.as_object() else {
        return Envelope::Broken(Problem::request("a message is an object").reply(Value::Null));
    };
    let id = object.get("id");
    let refuse = |why: &str| {
        let id = id.filter(|id| is_id(id)).cloned().unwrap_or(Value::Null);
        Envelope::Broken(Problem::request(why).reply(id))
    };
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return refuse("jsonrpc must be \"2.0\"");
    }
    let method = match object.get("method") {
        Some(Value::String(method)) => method.clone(),
        Some(_) => return refuse("method must be a string"),
        None if object.contains_key("result") || object.contains_key("error") => return Envelope::Response,
        None => return refuse("method is missing"),
    };
    let params = object.get("params").cloned().unwrap_or_else(|| json!({}));
    match id {
        None => Envelope::Notification { method, params },
        Some(id) if !is_id(id) => refuse("id must be a string or an integer"),
        Some(id) if !params.is_object() => {
            Envelope::Broken(Problem::params("params must be an object").reply(id.clone()))
        }
        Some(id) => Envelope::Request(Call { id: id.clone(), method, params, revision: None, turn: 0 }),
    }
}

/// Tells what may identify a request.
fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}
