//! Tells what a JSON value is as a JSON-RPC message and what its envelope has wrong; no bytes here.

use crate::deviation::{Deviation, DeviationKind as Kind};
use crate::json::quoted;
use crate::log::Log;
use crate::message::{Message, Notification, Request, Response};
use crate::value::{Object, Value};

/// Classifies the value of a whole frame.
pub(crate) fn read(value: &Value, log: &mut Log) -> Message {
    let Value::Array(items) = value else { return Reader { prefix: "", log }.message(value) };
    if !items.is_empty() && !items.iter().any(|item| matches!(item, Value::Object(_))) {
        return Reader { prefix: "", log }.other(value);
    }
    log.add(Kind::Batch, |kind| {
        Deviation::new(kind, format!("a JSON array of {} (a batch)", count(items.len(), "message"))).on("")
    });
    let member = |(at, item)| Reader { prefix: &format!("/{at}"), log }.message(item);
    Message::Batch(items.iter().enumerate().map(member).collect())
}

/// Reads one message; `prefix` is its JSON pointer in the frame.
struct Reader<'a> {
    prefix: &'a str,
    log: &'a mut Log,
}

impl Reader<'_> {
    fn flag(&mut self, kind: Kind, member: &str, detail: impl FnOnce() -> String) {
        let pointer =
            if member.is_empty() { self.prefix.to_owned() } else { format!("{}/{member}", self.prefix) };
        self.log.add(kind, |kind| Deviation::new(kind, detail()).on(pointer));
    }

    fn message(&mut self, value: &Value) -> Message {
        let Value::Object(object) = value else { return self.other(value) };
        let has = |name| object.get(name).is_some();
        if !is_envelope(object) {
            return self.other(value);
        }
        self.version(object);
        match object.get("method") {
            Some(_) if has("id") && (has("result") || has("error")) => {
                self.flag(Kind::MethodAndOutcome, "method", || {
                    "a response has a \"method\" member too".into()
                });
                self.response(object)
            }
            Some(Value::String(method)) => self.call(method, object),
            Some(method) => {
                self.flag(Kind::MethodNotString, "method", || format!("\"method\" is {}", seen(method)));
                Message::Other(value.clone())
            }
            None if has("result") || has("error") || has("id") => self.response(object),
            None => self.other(value),
        }
    }

    fn other(&mut self, value: &Value) -> Message {
        self.flag(Kind::NotEnvelope, "", || match value {
            Value::Object(object) => {
                let names: Vec<_> = object.keys().take(4).map(quoted).collect();
                format!("a JSON object that is no JSON-RPC message; its members: {}", names.join(", "))
            }
            other => format!("{} is JSON but no JSON-RPC message", seen(other)),
        });
        Message::Other(value.clone())
    }

    fn version(&mut self, object: &Object) {
        match object.get("jsonrpc") {
            None => self.flag(Kind::JsonrpcMissing, "", || "\"jsonrpc\" is absent".into()),
            Some(Value::String(version)) if version == "2.0" => {}
            Some(version) => {
                self.flag(Kind::JsonrpcWrong, "jsonrpc", || format!("\"jsonrpc\" is {}", seen(version)));
            }
        }
    }

    fn call(&mut self, method: &str, object: &Object) -> Message {
        let method = method.to_owned();
        let params = object.get("params").cloned();
        match &params {
            None | Some(Value::Object(_)) => {}
            Some(Value::Array(_)) => {
                self.flag(Kind::ParamsArray, "params", || {
                    "\"params\" is an array; MCP wants an object".into()
                });
            }
            Some(params) => {
                self.flag(Kind::ParamsNotStructured, "params", || format!("\"params\" is {}", seen(params)));
            }
        }
        let Some(id) = object.get("id") else {
            return Message::Notification(Notification { method, params });
        };
        if id.is_null() {
            self.flag(Kind::IdNull, "id", || "a request has the \"id\" null".into());
        }
        self.id(id, "was sent as");
        Message::Request(Request { id: id.clone(), method, params })
    }

    fn response(&mut self, object: &Object) -> Message {
        let [id, result, error] = ["id", "result", "error"].map(|name| object.get(name));
        // JSON-RPC 2.0, section 5: an error for a request whose id could not be read has the id null.
        if error.is_none_or(Value::is_null) {
            match id {
                None => self.flag(Kind::IdMissing, "", || "a response has no \"id\"".into()),
                Some(Value::Null) => {
                    self.flag(Kind::IdNull, "id", || "a response has the \"id\" null".into())
                }
                Some(_) => {}
            }
        }
        if let Some(id) = id {
            self.id(id, "came back as");
        }
        self.outcome(result, error);
        let [id, result, error] = [id, result, error].map(|member| member.cloned());
        Message::Response(Response { id, result, error })
    }

    fn id(&mut self, id: &Value, verb: &str) {
        let kind = match id {
            Value::Bool(_) => Kind::IdBoolean,
            Value::Array(_) | Value::Object(_) => Kind::IdStructured,
            Value::Number(number) if !number.is_integer_text() => Kind::IdFloat,
            _ => return,
        };
        self.flag(kind, "id", || format!("\"id\" {verb} {}", seen(id)));
    }

    fn outcome(&mut self, result: Option<&Value>, error: Option<&Value>) {
        match (result, error) {
            (None, None) => self.flag(Kind::NeitherResultNorError, "", || {
                "a response has neither \"result\" nor \"error\"".into()
            }),
            (Some(_), Some(Value::Null)) => self.flag(Kind::ResultAndError, "error", || {
                "a response has \"result\" and an \"error\" member that is null".into()
            }),
            (Some(_), Some(_)) => {
                self.flag(Kind::ResultAndError, "", || "a response has both \"result\" and \"error\"".into())
            }
            _ => {}
        }
        if let Some(result) = result
            && result.as_object().is_none()
        {
            self.flag(Kind::ResultNotObject, "result", || format!("\"result\" is {}", seen(result)));
        }
        match error {
            Some(Value::Object(error)) => self.error(error),
            // A null beside a result is flagged once, as the pair.
            Some(Value::Null) if result.is_some() => {}
            Some(error) => {
                self.flag(Kind::ErrorNotObject, "error", || format!("\"error\" is {}", seen(error)))
            }
            None => {}
        }
    }

    fn error(&mut self, error: &Object) {
        match error.get("code") {
            Some(Value::Number(code)) if code.is_integer_text() => {}
            Some(code) => {
                self.flag(Kind::ErrorCodeNotInteger, "error/code", || {
                    format!("the error code is {}", seen(code))
                });
            }
            None => self.flag(Kind::ErrorCodeNotInteger, "error", || "the error has no \"code\"".into()),
        }
        match error.get("message") {
            Some(Value::String(_)) => {}
            Some(message) => self.flag(Kind::ErrorMessageMissing, "error/message", || {
                format!("the error message is {}", seen(message))
            }),
            None => self.flag(Kind::ErrorMessageMissing, "error", || "the error has no \"message\"".into()),
        }
    }
}

/// Tells a message from a JSON log line, which may have a member such as `error` or `method` by chance.
fn is_envelope(object: &Object) -> bool {
    let has = |name| object.get(name).is_some();
    let outcome = has("method") || has("result") || has("error");
    let known = |name| ["id", "method", "params", "result", "error"].contains(&name);
    has("jsonrpc") || (has("id") && outcome) || ((has("id") || outcome) && object.keys().all(known))
}

/// Describes a value for a detail: `1.0 (a number with a fraction)`.
pub(crate) fn seen(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(bool) => format!("{bool} (a boolean)"),
        Value::String(text) => format!("{} (a string)", quoted(text)),
        Value::Array(items) => format!("an array of {}", count(items.len(), "item")),
        Value::Object(object) => format!("an object with {}", count(object.len(), "member")),
        Value::Number(number) => {
            let text = number.as_str();
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "..." } else { "" };
            let kind = if number.is_integer_text() {
                "an integer"
            } else if text.contains(['e', 'E']) {
                "a number with an exponent"
            } else {
                "a number with a fraction"
            };
            format!("{short}{dots} ({kind})")
        }
    }
}

/// Counts a thing in words: `1 item`, `2 items`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
