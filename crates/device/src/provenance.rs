//! Whether flashscope itself made a regular file: then it may write there without being told again.
//!
//! The mark is the extended attribute `user.flashscope`, or a file `NAME.flashscope` beside the target where
//! the filesystem takes no attributes. It holds inode, size and time of last change, and so stops being true
//! as soon as anybody else writes, replaces or copies the file. While flashscope writes, the mark says
//! `writing` instead of a time: a run that was killed can be resumed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;

const ATTRIBUTE: &str = "user.flashscope";
const VERSION: &str = "flashscope 1";

/// Whose data a regular file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// flashscope's, and nobody wrote to it since.
    Ours,
    /// flashscope made it, but it was changed afterwards by somebody else.
    Changed,
    /// flashscope did not make it.
    Foreign,
}

/// Whether flashscope is at work on the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A run writes to it, or was killed while it did.
    Writing,
    /// Nobody has written since now.
    AtRest,
}

/// Whose the open file at `path` is. What cannot be read counts as foreign.
pub(crate) fn provenance(file: &File, path: &Path) -> Provenance {
    let Ok(metadata) = file.metadata() else { return Provenance::Foreign };
    let mark = read_attribute(file).or_else(|| fs::read_to_string(beside(path)).ok());
    let Some(mark) = mark.filter(|mark| mark.starts_with(VERSION)) else { return Provenance::Foreign };
    let stands = [State::Writing, State::AtRest].iter().any(|state| text(&metadata, *state) == mark);
    if stands { Provenance::Ours } else { Provenance::Changed }
}

/// Marks the open file at `path` as flashscope's.
///
/// # Errors
/// When neither the attribute nor the file beside can be written.
pub(crate) fn mark(file: &File, path: &Path, state: State) -> io::Result<()> {
    let mark = text(&file.metadata()?, state);
    match fsetxattr(file, ATTRIBUTE, mark.as_bytes(), XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::NOSPC) => mark_beside(path, &mark),
        result => Ok(result?),
    }
}

fn text(metadata: &fs::Metadata, state: State) -> String {
    let changed = match state {
        State::Writing => "writing".to_string(),
        State::AtRest => format!("{}.{:09}", metadata.mtime(), metadata.mtime_nsec()),
    };
    format!("{VERSION} inode {} size {} changed {changed}", metadata.ino(), metadata.size())
}

fn read_attribute(file: &File) -> Option<String> {
    let mut buffer = [0u8; 256];
    let length = fgetxattr(file, ATTRIBUTE, &mut buffer[..]).ok()?;
    String::from_utf8(buffer.get(..length)?.to_vec()).ok()
}

fn beside(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".flashscope");
    PathBuf::from(name)
}

/// Never overwrites a file of that name which is no mark.
fn mark_beside(path: &Path, mark: &str) -> io::Result<()> {
    let place = beside(path);
    match fs::read(&place) {
        Ok(bytes) if !bytes.starts_with(VERSION.as_bytes()) => {
            Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is in the way", place.display())))
        }
        _ => fs::write(place, mark),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    struct Folder(PathBuf);
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn file(name: &str) -> (Folder, PathBuf, File) {
        let folder = std::env::temp_dir().join(format!("flashscope-mark-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("target");
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.write_all_at(b"data", 0).unwrap();
        (Folder(folder), path, file)
    }

    /// Past the granularity of the filesystem's time stamps.
    fn later() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    #[test]
    fn a_file_is_foreign_until_marked_and_no_longer_ours_once_changed() {
        let (_folder, path, file) = file("attribute");
        assert_eq!(provenance(&file, &path), Provenance::Foreign);
        mark(&file, &path, State::AtRest).unwrap();
        assert_eq!(provenance(&file, &path), Provenance::Ours);
        later();
        file.write_all_at(b"else", 0).unwrap();
        assert_eq!(provenance(&file, &path), Provenance::Changed);
    }

    #[test]
    fn a_killed_run_leaves_its_file_ours() {
        let (_folder, path, file) = file("killed");
        mark(&file, &path, State::Writing).unwrap();
        later();
        file.write_all_at(b"more", 0).unwrap();
        assert_eq!(provenance(&file, &path), Provenance::Ours);
    }

    #[test]
    fn a_file_beside_serves_where_attributes_do_not() {
        let (_folder, path, file) = file("beside");
        let text = text(&file.metadata().unwrap(), State::AtRest);
        mark_beside(&path, &text).unwrap();
        assert_eq!(provenance(&file, &path), Provenance::Ours);
        let copy = path.with_file_name("copy");
        fs::copy(&path, &copy).unwrap();
        fs::copy(beside(&path), beside(&copy)).unwrap();
        assert_eq!(provenance(&File::open(&copy).unwrap(), &copy), Provenance::Changed);
    }

    #[test]
    fn somebody_elses_file_beside_is_not_overwritten() {
        let (_folder, path, _file) = file("in-the-way");
        fs::write(beside(&path), "notes").unwrap();
        assert!(mark_beside(&path, "flashscope 1 inode 1").is_err());
        assert_eq!(fs::read(beside(&path)).unwrap(), b"notes");
    }
}
