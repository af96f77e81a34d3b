//! Files that are there as a whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::error::ReportError;

/// Holds the folder for this process, for as long as the file lives.
pub(super) fn lock(folder: &Path) -> Result<File, ReportError> {
    let failed = |cause| ReportError::file("lock", folder, cause);
    let file = File::open(folder).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ReportError::Folder {
            path: folder.to_path_buf(),
            cause: "another flashscope is writing it".into(),
            remedy: "wait for it, or choose another folder with -o",
        }),
        Err(TryLockError::Error(cause)) => Err(failed(cause)),
    }
}

/// Writes a file so that, whatever happens, it holds either what it held or all of `content`.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = Path::new(&name);
    let write = || {
        let mut file = File::create(temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(temporary, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    write().map_err(|cause| {
        let _ = fs::remove_file(temporary);
        ReportError::file("write", path, cause)
    })
}

pub(super) fn replace_json(path: &Path, content: &impl Serialize) -> Result<(), ReportError> {
    let mut text = serde_json::to_vec_pretty(content).expect("plain data");
    text.push(b'\n');
    replace(path, &text)
}

/// Removes files of IOs that were being written when the process was killed.
pub(super) fn remove_partial(folder: &Path) -> Result<(), ReportError> {
    let failed = |cause| ReportError::file("read", folder, cause);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "partial") {
            fs::remove_file(&path).map_err(|cause| ReportError::file("remove", &path, cause))?;
        }
    }
    Ok(())
}
