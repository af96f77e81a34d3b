//! A file of a result. A result may come from anybody: what its folder holds, and what its documents name,
//! decides nothing but which regular file beneath that folder is read.
//!
//! Every read of a result folder goes through [`ResultFile::open`] or [`entries`]. A name that is absolute or
//! leads upwards, a link anywhere in it, a pipe, a device, a folder in a file's place: each is an error,
//! found before anything waits. A document is read up to a limit, and what would steer a terminal or a page
//! is taken out of it ([`flashscope_core::plain`]).

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use flashscope_core::plain::plain_json;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};

use crate::error::StoreError;

/// The most bytes of a document, which is read as a whole: hundreds of times more than a long run leaves.
pub(crate) const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// A file of a result, by its name relative to the result's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    folder: PathBuf,
    name: PathBuf,
}

impl ResultFile {
    /// The file `name` of a folder, whatever that name is: where it leads is looked at when it is opened.
    pub fn new(folder: &Path, name: impl AsRef<Path>) -> ResultFile {
        ResultFile { folder: folder.to_path_buf(), name: name.as_ref().to_path_buf() }
    }

    /// A file that the caller names, not a result: the folder in the path is trusted.
    pub fn named(path: &Path) -> ResultFile {
        let folder = path.parent().unwrap_or(Path::new(""));
        ResultFile::new(folder, path.file_name().unwrap_or_default())
    }

    /// Where it is, to be shown; not to be opened.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Opens it for reading.
    ///
    /// # Errors
    /// It is not there, is no regular file beneath the folder, or cannot be read.
    pub fn open(&self) -> Result<File, StoreError> {
        self.try_open().map_err(|cause| StoreError::file("read", &self.path(), cause))
    }

    /// The same with the system's own error.
    pub(crate) fn try_open(&self) -> io::Result<File> {
        self.open_as(OFlags::RDONLY)
    }

    /// Opens it to go on writing it.
    pub(crate) fn open_to_write(&self) -> io::Result<File> {
        self.open_as(OFlags::WRONLY)
    }

    fn open_as(&self, access: OFlags) -> io::Result<File> {
        let (above, name) = self.folder_and_name()?;
        // Not opened before its kind is known: to open a device may already do something.
        refuse_others(statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)?;
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&above, name, flags, Mode::empty())?;
        refuse_others(fstat(&file)?.st_mode)?;
        Ok(File::from(file))
    }

    /// Whether there is a regular file of that name.
    pub fn is_there(&self) -> bool {
        self.size_bytes().is_some()
    }

    /// Its size, if it is a regular file.
    pub fn size_bytes(&self) -> Option<u64> {
        let stat = self.stat().ok().filter(|stat| refuse_others(stat.st_mode).is_ok())?;
        u64::try_from(stat.st_size).ok()
    }

    /// Whether there is anything of that name, a file or not.
    pub(crate) fn is_listed(&self) -> bool {
        self.stat().is_ok()
    }

    fn stat(&self) -> io::Result<Stat> {
        let (above, name) = self.folder_and_name()?;
        Ok(statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Its bytes, if it is no larger than any document.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        let failed = |cause| StoreError::file("read", &self.path(), cause);
        let file = self.open()?;
        let too_large =
            || io::Error::new(ErrorKind::FileTooLarge, "it is larger than any document of a result");
        if file.metadata().map_err(failed)?.len() > DOCUMENT_BYTES_MAX {
            return Err(failed(too_large()));
        }
        let mut bytes = Vec::new();
        let read = file.take(DOCUMENT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        if read as u64 > DOCUMENT_BYTES_MAX {
            return Err(failed(too_large()));
        }
        // A power cut may leave room that was never written.
        bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        Ok(bytes)
    }

    /// Its text, which is JSON, without what steers a terminal or a page. A line torn by a kill may end
    /// inside a character.
    ///
    /// # Errors
    /// As of [`ResultFile::open`]; it is larger than any document.
    pub fn json(&self) -> Result<String, StoreError> {
        Ok(plain_json(&String::from_utf8_lossy(&self.bytes()?)).into_owned())
    }

    /// The folder that holds it, through no link, and its name there.
    fn folder_and_name(&self) -> io::Result<(OwnedFd, &Path)> {
        let outside = || io::Error::new(ErrorKind::InvalidInput, "its name leads out of the result folder");
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if self.name.as_os_str().is_empty() || !self.name.components().all(is_plain) {
            return Err(outside());
        }
        let name = self.name.file_name().ok_or_else(outside)?;
        let below = self.name.parent().unwrap_or(Path::new(""));
        Ok((folder(&self.folder, below)?, Path::new(name)))
    }
}

/// What lies in the folder `below` a result's own, itself no link: names, and whether they are regular files.
/// Nothing where there is no such folder.
///
/// # Errors
/// It cannot be read.
pub fn entries(result: &Path, below: &str) -> Result<Vec<(String, bool)>, StoreError> {
    let failed = |cause: io::Error| StoreError::file("read", &result.join(below), cause);
    let folder = match folder(result, Path::new(below)) {
        Err(error) if !below.is_empty() && is_no_folder(&error) => return Ok(Vec::new()),
        opened => opened.map_err(failed)?,
    };
    let mut found = Vec::new();
    for entry in Dir::read_from(&folder).map_err(|errno| failed(errno.into()))? {
        let entry = entry.map_err(|errno| failed(errno.into()))?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") {
            let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
            let is_file = stat.is_ok_and(|stat| refuse_others(stat.st_mode).is_ok());
            found.push((name.to_string_lossy().into_owned(), is_file));
        }
    }
    Ok(found)
}

fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Opens a result's folder, as it was named, and then one below it, through no link.
fn folder(result: &Path, below: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let result = if result.as_os_str().is_empty() { Path::new(".") } else { result };
    let mut folder = open(result, flags, Mode::empty())?;
    for part in below {
        folder = openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(folder)
}

fn refuse_others(mode: rustix::fs::RawMode) -> io::Result<()> {
    let problem = match FileType::from_raw_mode(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder")),
        FileType::Symlink => "it is a link, which is not followed",
        FileType::Fifo => "it is a pipe",
        FileType::Socket => "it is a socket",
        _ => "it is a device",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, mknodat};

    use super::*;

    struct Scratch(PathBuf);
    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn scratch(name: &str) -> (Scratch, PathBuf) {
        let above = std::env::temp_dir().join(format!("flashscope-file-{name}-{}", std::process::id()));
        let folder = above.join("result");
        fs::create_dir_all(folder.join("ios")).unwrap();
        (Scratch(above), folder)
    }

    #[test]
    fn what_is_not_a_file_beneath_the_folder_is_not_opened() {
        let (above, folder) = scratch("beneath");
        let secret = above.0.join("secret");
        fs::write(&secret, "secret").unwrap();
        fs::write(folder.join("ios/a"), "a").unwrap();
        symlink(&secret, folder.join("link")).unwrap();
        symlink("ios/a", folder.join("inner-link")).unwrap();
        symlink(&above.0, folder.join("folder-link")).unwrap();
        mknodat(CWD, folder.join("pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(ResultFile::new(&folder, "ios/a").json().unwrap(), "a");
        let outside =
            [secret.to_str().unwrap(), "../secret", "ios/../../secret", "folder-link/secret", "link"];
        for name in outside.into_iter().chain(["inner-link", "pipe", "ios", "", ".", "..", "/", "none"]) {
            let file = ResultFile::new(&folder, name);
            assert!(file.open().is_err() && !file.is_there() && file.json().is_err(), "{name}");
        }
        let mut listed = entries(&folder, "").unwrap();
        listed.sort();
        assert_eq!(listed.iter().filter(|(_, is_file)| *is_file).count(), 0, "{listed:?}");
        assert_eq!(listed.len(), 5);
        assert_eq!(entries(&folder, "ios").unwrap(), [("a".to_string(), true)]);
        for below in ["folder-link", "none", "link"] {
            assert_eq!(entries(&folder, below).unwrap(), [], "{below}");
        }
    }

    #[test]
    fn a_document_of_many_gibibytes_is_not_read_into_memory() {
        let (_above, folder) = scratch("large");
        let file = File::create(folder.join("sim.json")).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = ResultFile::new(&folder, "sim.json").json().unwrap_err().to_string();
        assert!(error.contains("larger than any document"), "{error}");
    }
}
