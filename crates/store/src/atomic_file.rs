//! Files and folders that are whole under their name or not there: written beside it, and renamed at the end.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::error::{Occupant, StoreError};
use crate::unfinished;

/// A file that is being written.
pub struct AtomicFile {
    /// Where it is meanwhile; none once it has its name.
    part: Option<PathBuf>,
    name: PathBuf,
}

impl AtomicFile {
    /// Begins a file that will be called `name`. A link is followed: what it points to is replaced.
    ///
    /// # Errors
    /// There is no such folder, or nothing can be made there; the link points to nothing; there is something
    /// else than a file.
    pub fn create(name: &Path) -> io::Result<(AtomicFile, File)> {
        let before = fs::metadata(name).ok();
        if before.is_none() && name.is_symlink() {
            return Err(io::Error::new(ErrorKind::NotFound, "it is a dangling link"));
        }
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            // A file given its name would take the place of a device.
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file; name another"));
        }
        let name = if before.is_some() { fs::canonicalize(name)? } else { name.to_path_buf() };
        let mut part = name.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let file = File::create_new(&part)?;
        unfinished::begun(&part);
        let atomic = AtomicFile { part: Some(part), name };
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        Ok((atomic, file))
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// It cannot be renamed; then it is gone.
    pub fn keep(mut self) -> io::Result<()> {
        if let Some(part) = &self.part {
            fs::rename(part, &self.name)?;
            unfinished::over(part);
        }
        self.part = None;
        Ok(())
    }

    /// What it will be called, links followed.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Nobody looks at a part of what failed.
            let _ = fs::remove_file(part);
            unfinished::over(part);
        }
    }
}

/// A folder that is being filled.
pub struct AtomicFolder {
    /// Where it is meanwhile.
    part: PathBuf,
    name: PathBuf,
    /// Whether it changes places with an old one.
    replaces: bool,
}

impl AtomicFolder {
    /// Begins a folder that will be called `name`, which is new or an empty folder.
    ///
    /// # Errors
    /// There is something of that name already; nothing can be made there.
    pub fn create(name: &Path) -> Result<AtomicFolder, StoreError> {
        if is_taken(name).map_err(|cause| StoreError::file("create", name, cause))? {
            return Err(StoreError::Occupied { path: name.to_path_buf(), by: Occupant::Other });
        }
        AtomicFolder::begin(name, false)
    }

    /// The same, where an old one may be replaced if it `is_ours`.
    ///
    /// # Errors
    /// There is something else of that name; nothing can be made there.
    pub fn create_or_replace(
        name: &Path,
        is_ours: impl Fn(&Path) -> bool,
    ) -> Result<AtomicFolder, StoreError> {
        if !is_ours(name) {
            return AtomicFolder::create(name);
        }
        // What a link points to is replaced.
        let name = fs::canonicalize(name).map_err(|cause| StoreError::file("read", name, cause))?;
        AtomicFolder::begin(&name, true)
    }

    fn begin(name: &Path, replaces: bool) -> Result<AtomicFolder, StoreError> {
        let unwritable = |cause| StoreError::file("create", name, cause);
        if let Some(above) = name.parent() {
            fs::create_dir_all(above).map_err(unwritable)?;
        }
        let mut part = Path::new(name.file_name().unwrap_or(name.as_os_str())).as_os_str().to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = name.with_file_name(part);
        fs::create_dir(&part).map_err(unwritable)?;
        unfinished::begun(&part);
        Ok(AtomicFolder { part, name: name.to_path_buf(), replaces })
    }

    /// Where to write what is to be in it.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// Something else took that name meanwhile; then what was written is gone.
    pub fn keep(self) -> Result<(), StoreError> {
        let renamed = if self.replaces {
            // At no moment is there none; the old one goes as the part does.
            renameat_with(CWD, &self.part, CWD, &self.name, RenameFlags::EXCHANGE).map_err(io::Error::from)
        } else {
            fs::rename(&self.part, &self.name)
        };
        renamed.map_err(|cause| StoreError::file("create", &self.name, cause))
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        // Not there any more once it has its name; nobody looks at a part of what failed.
        let _ = fs::remove_dir_all(&self.part);
        unfinished::over(&self.part);
    }
}

/// Whether a new folder cannot have this name.
fn is_taken(name: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(name) {
        Ok(found) if found.is_dir() => Ok(fs::read_dir(name)?.next().is_some()),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixListener;

    use super::AtomicFile;

    #[test]
    fn nothing_but_a_file_gives_way_to_a_file() {
        let folder = std::env::temp_dir().join(format!("flashscope-atomic-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let socket = folder.join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        assert!(AtomicFile::create(&socket).is_err());
        assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket());
        let link = folder.join("link");
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        assert!(AtomicFile::create(&link).is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no part is left");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
