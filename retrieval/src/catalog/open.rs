//! Opens a catalog, and leaves alone whatever is none. What is in it is read by the neighbours.

use super::migrations::{self, APPLICATION_ID, VERSION};
use super::{Catalog, CatalogError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Empty,
    Sqlite,
}

/// Tells whether the file at `path` is one of SQLite, be it a catalog or not.
pub fn is_sqlite(path: &Path) -> bool {
    matches!(look(path), Ok(Found::Sqlite))
}

fn look(path: &Path) -> Result<Found, CatalogError> {
    let shown = || path.display().to_string();
    let known = match std::fs::metadata(path) {
        Ok(known) => known,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(CatalogError::of_io(path, &error)),
    };
    // Reading from a pipe might never end.
    if !known.is_file() {
        return Err(CatalogError::NotAFile(shown()));
    }
    let mut begin = Vec::new();
    let file = File::open(path).map_err(|error| CatalogError::of_io(path, &error))?;
    file.take(MAGIC.len() as u64)
        .read_to_end(&mut begin)
        .map_err(|error| CatalogError::of_io(path, &error))?;
    match begin.as_slice() {
        [] => Ok(Found::Empty),
        bytes if bytes == MAGIC => Ok(Found::Sqlite),
        _ => {
            let what = "it does not begin as SQLite files do".to_owned();
            Err(CatalogError::Foreign { shown: shown(), what })
        }
    }
}

impl Catalog {
    /// Opens the catalog at `path` to change it, and makes it where there is none.
    ///
    /// # Errors
    /// When the path leads elsewhere, or what stands there is damaged, newer, or not ours.
    pub fn open(path: &Path) -> Result<Self, CatalogError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if look(path)? == Found::Nothing && folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(CatalogError::NoFolder(path.display().to_string()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut catalog = Self::connect(path, flags)?;
        // The file of another program is not touched, so that comes first.
        catalog.version()?;
        catalog.run(|db| {
            db.pragma_update(None, "foreign_keys", true)?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            // Readers go on while something is written. A file system that cannot do it says so and is used as it is.
            db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
        })?;
        catalog.migrate()?;
        Ok(catalog)
    }

    /// Opens the catalog at `path` to read it; nothing is made or changed, unless its tables are of an older version.
    ///
    /// # Errors
    /// When there is none, or what stands there is damaged, newer, or not ours.
    pub fn open_to_read(path: &Path) -> Result<Self, CatalogError> {
        if look(path)? != Found::Sqlite {
            return Err(CatalogError::Missing(path.display().to_string()));
        }
        // With the right to write SQLite clears its notes beside the file away when it is done; nothing else is written.
        let mut catalog = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        if let Err(CatalogError::Failed { .. }) = catalog.version() {
            // The notes beside the file cannot be written in a folder that may not be written; without such
            // notes the file is all there is.
            catalog = Self::connect_still(path)?;
        }
        match catalog.version()? {
            0 => Err(CatalogError::Missing(path.display().to_string())),
            VERSION => {
                catalog.run(|db| db.pragma_update(None, "query_only", true))?;
                Ok(catalog)
            }
            _ => Self::open(path),
        }
    }

    /// Makes an empty catalog that is gone when it is dropped.
    ///
    /// # Errors
    /// When SQLite has no memory left.
    pub fn in_memory() -> Result<Self, CatalogError> {
        let shown = "memory".to_owned();
        let db = Connection::open_in_memory().map_err(|error| CatalogError::of(&shown, &error))?;
        let mut catalog = Self { db, shown };
        catalog.run(|db| db.pragma_update(None, "foreign_keys", true))?;
        catalog.migrate()?;
        Ok(catalog)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, CatalogError> {
        let shown = path.display().to_string();
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db =
            Connection::open_with_flags(path, flags).map_err(|error| CatalogError::of(&shown, &error))?;
        let catalog = Self { db, shown };
        catalog.run(|db| {
            // Until it is known whose file it is, closing it must not write what others left beside it.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            db.busy_timeout(PATIENCE)
        })?;
        Ok(catalog)
    }

    /// Opens a file that nobody changes.
    pub(super) fn connect_still(path: &Path) -> Result<Self, CatalogError> {
        let mut notes = path.as_os_str().to_owned();
        notes.push("-wal");
        let whole = std::path::absolute(path).map_err(|error| CatalogError::of_io(path, &error))?;
        // Notes without anything in them are left by whoever was ended early, or had no room to write.
        let noted = std::fs::metadata(&notes).is_ok_and(|known| known.len() > 0);
        let Some(text) = whole.to_str().filter(|_| !noted) else {
            return Err(CatalogError::ReadOnly(path.display().to_string()));
        };
        let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let opened = Self::connect(Path::new(&format!("file:{escaped}?immutable=1")), flags)?;
        Ok(Self { shown: path.display().to_string(), ..opened })
    }

    /// The version of the tables, 0 where there are none yet; whatever is not ours is an error.
    fn version(&self) -> Result<i64, CatalogError> {
        let (id, version, tables) = self.run(|db| {
            let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            Ok((number("application_id")?, number("user_version")?, tables))
        })?;
        let shown = self.shown.clone();
        if (id, tables) == (0, 0) || (id == APPLICATION_ID && version <= VERSION) {
            self.run(|db| db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false))?;
        }
        match (id, tables) {
            (0, 0) => Ok(0),
            (APPLICATION_ID, _) if version > VERSION => {
                Err(CatalogError::Newer { shown, seen: version, known: VERSION })
            }
            (APPLICATION_ID, _) => Ok(version),
            _ => {
                Err(CatalogError::Foreign { shown, what: "it is the SQLite file of another program".into() })
            }
        }
    }

    fn migrate(&mut self) -> Result<(), CatalogError> {
        let seen = self.version()?;
        if seen == VERSION {
            return Ok(());
        }
        migrations::migrate(&mut self.db, seen).map_err(|error| CatalogError::of(&self.shown, &error))
    }
}
