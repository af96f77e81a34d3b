//! What is not whole yet: files and folders that go when whoever writes them does. A process that ends in the
//! middle of it, as at a second Ctrl-C, drops nothing; it removes them itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on there is a part of this name.
pub(crate) fn begun(part: &Path) {
    parts().push(part.to_path_buf());
}

/// It has its name, or is gone.
pub(crate) fn over(part: &Path) {
    parts().retain(|other| other != part);
}

/// Removes everything that this process has not finished. For a process that ends at once: what is still
/// being written fails.
pub fn remove_unfinished() {
    for part in parts().drain(..) {
        let is_folder = fs::symlink_metadata(&part).is_ok_and(|about| about.is_dir());
        let _ = if is_folder { fs::remove_dir_all(&part) } else { fs::remove_file(&part) };
    }
}
