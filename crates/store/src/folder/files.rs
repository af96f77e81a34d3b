//! Files that are there as a whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;

use crate::error::StoreError;
use crate::result_file::entries;

/// A name of a file without what file systems and patterns of names take for something else.
pub(crate) fn plain_name(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.+=".contains(c) { c } else { '-' };
    name.chars().map(keep).collect()
}

/// A folder held by this process.
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process just forked holds the same lock until it runs its program.
        let _ = self.0.unlock();
    }
}

/// Holds the folder for this process, for as long as the lock lives.
pub(super) fn lock(folder: &Path) -> Result<Lock, StoreError> {
    let failed = |cause| StoreError::file("lock", folder, cause);
    let file = File::open(folder).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy { path: folder.to_path_buf() }),
        Err(TryLockError::Error(cause)) => Err(failed(cause)),
    }
}

/// Writes a file so that, whatever happens, it holds either what it held or all of `content`.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = Path::new(&name);
    let write = || {
        // What a kill left, or a link that somebody else put there.
        let _ = fs::remove_file(temporary);
        let mut file = File::create_new(temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(temporary, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    write().map_err(|cause| {
        let _ = fs::remove_file(temporary);
        StoreError::file("write", path, cause)
    })
}

pub(super) fn replace_json(path: &Path, content: &impl Serialize) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec_pretty(content).expect("plain data");
    text.push(b'\n');
    replace(path, &text)
}

/// Removes files of IOs that were being written when the process was killed.
pub(super) fn remove_partial(result: &Path, below: &str) -> Result<(), StoreError> {
    let folder = result.join(below);
    let failed = |cause| StoreError::file("read", &folder, cause);
    // A link would lead to files of others, and so would whatever is recorded there.
    if !fs::symlink_metadata(&folder).map_err(failed)?.is_dir() {
        return Err(failed(ErrorKind::NotADirectory.into()));
    }
    for (name, _) in entries(result, below)? {
        let path = folder.join(name);
        if path.extension().is_some_and(|extension| extension == "partial") {
            fs::remove_file(&path).map_err(|cause| StoreError::file("remove", &path, cause))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::lock;

    #[test]
    fn a_lock_ends_although_a_process_just_forked_holds_the_file() {
        let folder = std::env::temp_dir().join(format!("flashscope-lock-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let held = lock(&folder).unwrap();
        let in_the_child = held.0.try_clone().unwrap();
        assert!(lock(&folder).is_err(), "held");
        drop(held);
        assert!(lock(&folder).is_ok(), "free");
        drop(in_the_child);
        std::fs::remove_dir(&folder).unwrap();
    }
}
