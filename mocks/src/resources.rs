//! Answers `resources/read`.

use crate::call::Call;
use crate::problem::Problem;
use crate::surface::Surface;
use serde_json::{Value, json};

/// A picture of one point, as PNG in Base64.
pub(crate) const POINT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Reads a resource that is listed.
pub(crate) fn read(call: &Call, surface: &Surface) -> Result<Value, Problem> {
    let uri = call.text("uri").ok_or_else(|| Problem::params("uri must be a string"))?;
    let resource = listed(uri, surface).ok_or_else(|| missing(uri, surface))?;
    let mut contents = json!({"uri": uri, "mimeType": resource["mimeType"]});
    if resource["mimeType"] == "image/png" {
        contents["blob"] = json!(POINT);
    } else {
        contents["text"] = json!(format!("This is {}.", resource["name"].as_str().unwrap_or("a note")));
    }
    Ok(json!({"contents": [contents]}))
}

/// The entry of a resource in the list.
pub(crate) fn listed<'a>(uri: &str, surface: &'a Surface) -> Option<&'a Value> {
    surface.resources.iter().find(|resource| resource["uri"] == uri)
}

/// The error for a resource that is not there; its code depends on the revision.
pub(crate) fn missing(uri: &str, surface: &Surface) -> Problem {
    // Spec 2026-07-28, server/resources: -32602 takes the place of -32002, which is retired.
    let code = if surface.revision.is_stateless() { -32602 } else { -32002 };
    Problem::new(code, "Resource not found").with(json!({"uri": uri}))
}
