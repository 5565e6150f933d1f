//! Finds the folder of a run within its repository, which annotations on GitHub are relative to.

use std::path::Path;

/// Tells that folder as `sub/`, where a workflow of GitHub runs us; empty at the top, and elsewhere.
pub(crate) fn folder() -> String {
    let Some(workspace) = std::env::var_os("GITHUB_WORKSPACE") else { return String::new() };
    std::env::current_dir().map_or(String::new(), |here| within(&here, Path::new(&workspace)))
}

/// A repository may be checked out into a folder of the workspace, so the nearest one counts.
fn within(here: &Path, workspace: &Path) -> String {
    let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(workspace);
    let Ok(folder) = here.strip_prefix(root) else { return String::new() };
    folder.components().map(|part| format!("{}/", part.as_os_str().to_string_lossy())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_folder_is_told_from_the_nearest_repository_else_from_the_workspace() {
        let room = tempfile::tempdir().expect("a folder");
        let here = room.path().join("checkout/packages/notes");
        fs::create_dir_all(&here).expect("it can be made");
        assert_eq!(within(&here, room.path()), "checkout/packages/notes/");
        fs::create_dir(room.path().join("checkout/.git")).expect("it can be made");
        assert_eq!(within(&here, room.path()), "packages/notes/");
        assert_eq!(within(&room.path().join("checkout"), room.path()), "");
        assert_eq!(within(Path::new("/elsewhere"), room.path()), "");
    }
}
