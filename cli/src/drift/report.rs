//! Compares two surfaces and writes the reports.

use super::args::ShowArgs;
use super::policy::Gate;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::printer;
use crate::settings::Settings;
use crate::workspace;
use reports::drift::{self, DriftContext, Lines, Side};
use surface::Surface;
use surface::policy::{Judgement, judge};

/// One of the two sides, as the user calls it.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it holds.
    pub surface: &'a Surface,
    /// What its lists cost, where it was counted.
    pub tokens: Option<usize>,
}

impl Shown<'_> {
    fn side(&self) -> Side {
        let views = self.surface.views.iter();
        let revisions = views.filter_map(|view| view.session.protocol_version.clone()).collect();
        Side { name: self.name.to_owned(), revisions, tokens: self.tokens }
    }
}

/// Says what changed from `old` to `new` and whether that fails `gate`.
pub(crate) fn compare(old: &Shown<'_>, new: &Shown<'_>, gate: &Gate) -> (Judgement, DriftContext) {
    let judgement = judge(surface::compare::diff(old.surface, new.surface), &gate.policy);
    let ctx = DriftContext {
        old: old.side(),
        new: new.side(),
        fail_on: gate.fail_on,
        width: printer::WIDTH,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        folder: workspace::folder(),
        ..DriftContext::default()
    };
    let exit_code = status(&judgement, &ctx).code();
    (judgement, DriftContext { exit_code, ..ctx })
}

/// What the process ends with.
pub(crate) fn status(judgement: &Judgement, ctx: &DriftContext) -> ExitStatus {
    if ctx.gate_fails(judgement) { ExitStatus::Findings } else { ExitStatus::Clean }
}

/// The places of items in the file called `file`.
pub(crate) fn lines(file: &str, of: std::collections::BTreeMap<String, usize>) -> Lines {
    Lines { file: file.to_owned(), of }
}

/// Writes every report that was asked for.
pub(crate) fn write(
    outputs: &Outputs,
    judgement: &Judgement,
    ctx: &DriftContext,
    settings: &Settings,
    show: &ShowArgs,
) -> Result<(), Failure> {
    outputs.write(&|format, to_terminal| {
        let (color, width) =
            if to_terminal { (settings.color, printer::columns()) } else { (false, ctx.width) };
        drift::render(format, judgement, &DriftContext { color, width, detail: show.detail(), ..ctx.clone() })
    })
}
