//! placeholder
use crate::RenderContext;
use checks::Report;
/// x
pub fn render(_: &Report, _: &RenderContext) -> String {
    String::new()
}
