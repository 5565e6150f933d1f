//! Finds who answers a method that both eras share.

use crate::call::Call;
use crate::listing::page;
use crate::problem::Problem;
use crate::session::Session;
use crate::step::Step;
use crate::surface::Surface;
use crate::{prompts, resources, tools};
use serde_json::Value;
use specs::Revision;

/// A result or an error, and what is said around it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) before: Vec<Step>,
    pub(crate) outcome: Result<Value, Problem>,
    pub(crate) after: Vec<Step>,
}

impl From<Result<Value, Problem>> for Answer {
    fn from(outcome: Result<Value, Problem>) -> Self {
        Self { before: Vec::new(), outcome, after: Vec::new() }
    }
}

/// The methods that every revision has.
const SHARED: [&str; 8] = [
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "completion/complete",
];

/// Tells whether `method` is known whatever the revision.
pub(crate) fn is_shared(method: &str) -> bool {
    SHARED.contains(&method)
}

/// Answers a method that both eras share.
pub(crate) fn answer(session: &mut Session, call: &Call, revision: Revision) -> Answer {
    let surface = session.surface(revision);
    match call.method.as_str() {
        "tools/call" => tools::call(session, call, &surface),
        method => plain(method, call, &surface).into(),
    }
}

fn plain(method: &str, call: &Call, surface: &Surface) -> Result<Value, Problem> {
    match method {
        "tools/list" => page(call, "tools", &surface.tools),
        "prompts/list" => page(call, "prompts", &surface.prompts),
        "prompts/get" => prompts::get(call, surface),
        "resources/list" => page(call, "resources", &surface.resources),
        "resources/templates/list" => page(call, "resourceTemplates", &surface.templates),
        "resources/read" => resources::read(call, surface),
        "completion/complete" => prompts::complete(call),
        other => Err(Problem::method(other)),
    }
}
