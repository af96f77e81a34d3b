//! Files that are whole under their name or not there: written beside it, and renamed at the end.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file that is being written.
pub struct Whole {
    /// Where it is meanwhile; none once it has its name.
    part: Option<PathBuf>,
    name: PathBuf,
}

impl Whole {
    /// Begins a file that will be called `name`. A link is followed: what it points to is replaced.
    ///
    /// # Errors
    /// There is no such folder, or nothing can be made there; the link points to nothing.
    pub fn create(name: &Path) -> io::Result<(Whole, File)> {
        let before = fs::metadata(name).ok();
        if before.is_none() && name.is_symlink() {
            return Err(io::Error::new(ErrorKind::NotFound, "it is a link to nothing"));
        }
        let name = if before.is_some() { fs::canonicalize(name)? } else { name.to_path_buf() };
        let mut part = name.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(part);
        let file = File::create_new(&part)?;
        let whole = Whole { part: Some(part), name };
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        Ok((whole, file))
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// It cannot be renamed; then it is gone.
    pub fn keep(mut self) -> io::Result<()> {
        if let Some(part) = &self.part {
            fs::rename(part, &self.name)?;
        }
        self.part = None;
        Ok(())
    }

    /// Leaves what there is of it under the name it has, which is returned.
    pub fn keep_part(mut self) -> Option<PathBuf> {
        self.part.take()
    }

    /// What it will be called, links followed.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Nobody looks at a part of what failed.
            let _ = fs::remove_file(part);
        }
    }
}
