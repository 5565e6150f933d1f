//! Confirms a witness with the `jsonschema` crate, against both whole schemas in their own drafts.

use super::Side;
use crate::change::Witness;
use jsonschema::{Draft, Retrieve, Uri, Validator};
use serde_json::Value;
use std::cell::OnceCell;
use std::error::Error;

/// How often an instance of one comparison is held against the schemas.
const MOST: u32 = 500;

/// Answers for each other document with the same schema, so that nothing is ever fetched.
struct Stub(bool);

impl Retrieve for Stub {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        Ok(Value::Bool(self.0))
    }
}

/// Compiles `schema`; what other documents say is taken to be `elsewhere`.
pub(super) fn compile(schema: &Value, draft: Draft, elsewhere: bool) -> Result<Validator, String> {
    let options = jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(false)
        .with_retriever(Stub(elsewhere));
    let mut own = None;
    // A meta-schema of one's own is not fetched either.
    if let Value::Object(members) = schema
        && members.contains_key("$schema")
    {
        let mut members = members.clone();
        members.remove("$schema");
        own = Some(Value::Object(members));
    }
    options.build(own.as_ref().unwrap_or(schema)).map_err(|error| error.to_string())
}

/// A schema with its draft.
#[derive(Clone, Copy)]
pub(super) struct Whole<'a> {
    pub(super) schema: &'a Value,
    pub(super) draft: Draft,
}

/// Both schemas, compiled when first asked.
pub(super) struct Judge<'a> {
    side: Side,
    before: Whole<'a>,
    after: Whole<'a>,
    takes: OnceCell<Option<Validator>>,
    refuses: OnceCell<Option<Validator>>,
    asked: std::cell::Cell<u32>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(side: Side, before: Whole<'a>, after: Whole<'a>) -> Self {
        let asked = std::cell::Cell::new(0);
        Self { side, before, after, takes: OnceCell::new(), refuses: OnceCell::new(), asked }
    }

    /// Makes a witness of `instance`, when the one side takes it and the other does not, whatever other documents say.
    pub(super) fn confirm(&self, instance: &Value) -> Option<Witness> {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > MOST { None } else { self.confirm_plain(instance) }
    }

    /// The same for the few values that a change itself suggests; whoever asks keeps count.
    pub(super) fn confirm_plain(&self, instance: &Value) -> Option<Witness> {
        let (taking, refusing) = match self.side {
            Side::Input => (self.before, self.after),
            Side::Output => (self.after, self.before),
        };
        let takes = self.takes.get_or_init(|| compile(taking.schema, taking.draft, false).ok());
        let refuses = self.refuses.get_or_init(|| compile(refusing.schema, refusing.draft, true).ok());
        let telling = takes.as_ref()?.is_valid(instance) && !refuses.as_ref()?.is_valid(instance);
        let before = self.side == Side::Input;
        telling.then(|| Witness { instance: instance.clone(), before, after: !before })
    }
}
