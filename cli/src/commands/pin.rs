//! `mcpproof pin`: entries that search prefers, and other names for them.

use crate::catalog::{failure, open_held, open_to_read, place, subject};
use crate::commands::catalog::PlaceArgs;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::printer;
use clap::Subcommand;
use retrieval::catalog::{Catalog, Subject, Wish};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
A pinned entry comes before others that fit about as well; it never hides one that fits better by far.
Pins and aliases stay when the catalog is built anew.

Examples:
  mcpproof pin add notes/search
  mcpproof pin add notes/search --as find-decision
  mcpproof pin list
  mcpproof pin remove notes/search";

/// What `pin` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct PinArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: PinCommand,
}

/// What can be done with pins.
#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// Prefer an entry, or give it another name
    Add {
        /// The entry: SOURCE/NAME, its name, or an alias
        #[arg(value_name = "ENTRY")]
        entry: String,
        /// Another name for it; the entry is not pinned by that
        #[arg(long = "as", value_name = "ALIAS")]
        alias: Option<String>,
        /// Which catalog.
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Take a pin with all aliases of its entry away, or a single alias
    Remove {
        /// The entry, or an alias
        #[arg(value_name = "ENTRY")]
        entry: String,
        /// Which catalog.
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Show pins and aliases
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
        /// Which catalog.
        #[command(flatten)]
        place: PlaceArgs,
    },
}

/// Runs the command.
pub(crate) fn run(args: &PinArgs) -> Result<ExitStatus, Failure> {
    match &args.what {
        PinCommand::Add { entry, alias, place: at } => {
            let mut catalog = open_held(&place(at.catalog.as_deref()))?;
            let it = subject(&catalog, entry)?;
            let done = match alias.as_deref().map(str::trim) {
                Some("") => return Err(Failure::usage("--as: the alias is empty", "--as NAME")),
                Some(alias) => add_alias(&mut catalog, alias, &it)?,
                None => match catalog.pin(&it).map_err(|error| failure(&error))? {
                    true => format!("pinned {it}"),
                    false => format!("{it} is pinned already"),
                },
            };
            printer::err(&format!("{}\n", reports::plain(&done)));
        }
        PinCommand::Remove { entry, place: at } => {
            let mut catalog = open_held(&place(at.catalog.as_deref()))?;
            let done = remove(&mut catalog, entry)?;
            printer::err(&format!("{}\n", reports::plain(&done)));
        }
        PinCommand::List { json, place: at } => {
            let catalog = open_to_read(&place(at.catalog.as_deref()))?;
            printer::data(&list(&catalog, *json)?)?;
        }
    }
    Ok(ExitStatus::Clean)
}

fn add_alias(catalog: &mut Catalog, alias: &str, it: &Subject) -> Result<String, Failure> {
    let before = catalog.alias(alias, it).map_err(|error| failure(&error))?;
    let before = before.map_or(String::new(), |before| format!(", and no longer {before}"));
    Ok(format!("`{alias}` is {it}{before}"))
}

/// An alias goes alone; a pin takes the aliases of its entry with it. The entry itself may be gone already.
fn remove(catalog: &mut Catalog, word: &str) -> Result<String, Failure> {
    if catalog.remove_alias(word).map_err(|error| failure(&error))? {
        return Ok(format!("`{word}` is no alias any more"));
    }
    let wishes = catalog.wishes().map_err(|error| failure(&error))?;
    let held = wishes.into_iter().filter_map(|wish| match wish {
        Wish::Pin(it) => Some(it),
        Wish::Alias { source, name, .. } => Some(Subject { source, name }),
        Wish::Summary { .. } => None,
    });
    let mut held: Vec<_> = held.filter(|it| it.name == word || it.to_string() == word).collect();
    held.sort();
    held.dedup();
    match &held[..] {
        [] => {
            Err(Failure::usage(format!("`{word}` is neither pinned nor an alias"), "see `mcpproof pin list`"))
        }
        [it] => {
            catalog.unpin(it).map_err(|error| failure(&error))?;
            Ok(format!("{it} is not pinned any more, and has no aliases"))
        }
        several => {
            let all: Vec<_> = several.iter().map(ToString::to_string).collect();
            let hint = format!("say which: {}", all.join(", "));
            Err(Failure::usage(format!("`{word}` is the name of several"), hint))
        }
    }
}

fn list(catalog: &Catalog, as_json: bool) -> Result<String, Failure> {
    let wishes = catalog.wishes().map_err(|error| failure(&error))?;
    let (mut pins, mut aliases) = (Vec::new(), Vec::new());
    for wish in wishes {
        match wish {
            Wish::Pin(it) => pins.push(it),
            Wish::Alias { alias, source, name } => aliases.push((alias, Subject { source, name })),
            Wish::Summary { .. } => {}
        }
    }
    if as_json {
        let aliases =
            aliases.iter().map(|(alias, it)| json!({"alias": alias, "source": it.source, "name": it.name}));
        let json = json!({"pins": pins, "aliases": aliases.collect::<Value>()});
        return Ok(format!("{json:#}\n"));
    }
    let aliases = aliases.into_iter().map(|(alias, it)| (format!("{alias} = {it}"), it));
    let mut text = String::new();
    for (line, it) in pins.into_iter().map(|it| (it.to_string(), it)).chain(aliases) {
        let there = catalog.find(&it.to_string()).map_err(|error| failure(&error))?;
        // It stays, since what is gone may come back with the next build.
        let gone = if there.is_empty() { " (not in the catalog now)" } else { "" };
        text.push_str(&format!("{}{gone}\n", reports::plain(&line)));
    }
    Ok(if text.is_empty() { "nothing is pinned\n".to_owned() } else { text })
}
