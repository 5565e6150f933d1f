//! The files a check writes: opened before a server is started, filled when everything is known.

use crate::failure::Failure;
use crate::printer;
use crate::settings::Sink;
use checks::Report;
use reports::{Format, RenderContext};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use transport::Transcript;

/// A file that can be written.
#[derive(Debug)]
struct Opened {
    path: PathBuf,
    file: File,
}

impl Opened {
    /// What the file holds stays until there is something to put in its place.
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|cause| cannot_write(path, cause))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn fill(&self, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<(), Failure> {
        let filled = self.emptied().and_then(|()| {
            let mut writer = BufWriter::new(&self.file);
            write(&mut writer)?;
            writer.flush()
        });
        filled.map_err(|cause| cannot_write(&self.path, cause))
    }

    fn emptied(&self) -> io::Result<()> {
        // A pipe or a device has no length.
        if self.file.metadata()?.is_file() { self.file.set_len(0) } else { Ok(()) }
    }
}

/// Where the reports and the transcript go.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// No file means standard output.
    reports: Vec<(Format, Option<Opened>)>,
    transcript: Option<Opened>,
}

impl Outputs {
    /// Opens every file, so that a path that cannot be written is told before the run and not after it.
    pub(crate) fn open(outputs: &[(Format, Sink)], transcript: Option<&Path>) -> Result<Self, Failure> {
        let reports = outputs.iter().map(|(format, sink)| match sink {
            Sink::Stdout => Ok((*format, None)),
            Sink::File(path) => Ok((*format, Some(Opened::open(path)?))),
        });
        let reports = reports.collect::<Result<_, Failure>>()?;
        Ok(Self { reports, transcript: transcript.map(Opened::open).transpose()? })
    }

    /// Writes the transcript without `secrets`, where one was asked for.
    pub(crate) fn write_transcript(&self, of: &Transcript, secrets: &[String]) -> Result<(), Failure> {
        let Some(file) = &self.transcript else { return Ok(()) };
        file.fill(|writer| of.write_json_lines(writer, secrets))
    }

    /// Renders every report; colour and the width of the terminal are for standard output only.
    pub(crate) fn write_reports(&self, report: &Report, ctx: &RenderContext) -> Result<(), Failure> {
        let bare = RenderContext { color: false, ..ctx.clone() };
        let shown = RenderContext { width: printer::columns(), ..ctx.clone() };
        self.write(&|format, on_stdout| format.render(report, if on_stdout { &shown } else { &bare }))
    }

    /// Writes what `render` makes of each format; it is told whether that goes to standard output.
    pub(crate) fn write(&self, render: &dyn Fn(Format, bool) -> String) -> Result<(), Failure> {
        for (format, file) in &self.reports {
            match file {
                None => printer::out(&render(*format, true)),
                Some(file) => file.fill(|writer| writer.write_all(render(*format, false).as_bytes()))?,
            }
        }
        Ok(())
    }
}

fn cannot_write(path: &Path, cause: io::Error) -> Failure {
    Failure::file(
        format!("failed to write `{}`", path.display()),
        cause,
        "check the folder and its permissions",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Result<Outputs, Failure> {
        Outputs::open(&[(Format::Json, Sink::File(path.to_owned()))], None)
    }

    #[test]
    fn a_path_that_cannot_be_written_is_refused_before_anything_runs() {
        let room = tempfile::tempdir().expect("a folder");
        for path in [room.path().join("no/such/folder.json"), room.path().to_owned()] {
            let failure = open(&path).expect_err("cannot be written");
            assert!(failure.error.to_string().contains(&path.display().to_string()), "{failure:?}");
            Outputs::open(&[], Some(&path)).expect_err("nor as a transcript");
        }
    }

    #[test]
    fn a_report_takes_the_place_of_a_longer_one() {
        let room = tempfile::tempdir().expect("a folder");
        let path = room.path().join("report.json");
        std::fs::write(&path, "a longer one").expect("writes");
        let outputs = open(&path).expect("opens");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "a longer one");
        let (_, file) = &outputs.reports[0];
        file.as_ref().expect("a file").fill(|writer| writer.write_all(b"short")).expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "short");
    }
}
