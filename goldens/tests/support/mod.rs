//! What the tests on real processes share.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The binary under test, built by the same cargo run into the folder that holds this test's own folder.
pub(crate) fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("MCPPROOF_BINARY") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in target/<profile>/deps");
    let path = folder.join("mcpproof");
    assert!(
        path.exists(),
        "{} is not built: run `cargo build -p mcpproof` first, as `make test` does",
        path.display()
    );
    path
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
}

impl Ran {
    /// The JSON report.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// The ids of the findings, sorted, each once.
    pub(crate) fn ids(&self) -> Vec<String> {
        let json = self.json();
        let findings = json["findings"].as_array().cloned().unwrap_or_default();
        let mut ids: Vec<_> = findings.iter().filter_map(|f| f["id"].as_str().map(str::to_owned)).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

/// Runs the binary to its end, which must come within minutes.
pub(crate) fn mcpproof(arguments: &[&str], folder: &Path) -> Ran {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    // The binary refuses settings it does not know, and the variables that point tests at their inputs are such.
    let ours = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MCPPROOF_"));
    for (name, _) in ours {
        command.env_remove(name);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    let id = child.id();
    let (done, finished) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let began = Instant::now();
        let hung = finished.recv_timeout(Duration::from_secs(400)).is_err();
        if hung {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
        (hung, began.elapsed())
    });
    let output = child.wait_with_output().expect("the binary can be waited for");
    // The watch may have ended by itself.
    let _ = done.send(());
    let (hung, took) = watch.join().expect("the watch ends");
    assert!(!hung, "{arguments:?} was still running after {took:?}");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
    }
}
