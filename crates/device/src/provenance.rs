//! Whether flashscope created a regular file: then it may write to it without a further flag.
//!
//! The mark is the extended attribute `user.flashscope`, or a file `NAME.flashscope` beside the target where
//! the filesystem takes no attributes. It holds inode, size and time of last change, and so stops being true
//! as soon as anybody else writes, replaces or copies it. While flashscope writes, the mark is a lease: it
//! says until when changes are flashscope's, and is renewed for as long as the run lasts. So a run that was
//! killed can be resumed at any later time, and what somebody else wrote after the last lease shows.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use flashscope_core::Nanos;
use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;

const ATTRIBUTE: &str = "user.flashscope";
const VERSION: &str = "flashscope 1";

/// How long a lease lasts, in seconds: three times as long as it goes unrenewed, for a device may stall.
const LEASE_S: i64 = 60;
/// After this long a lease is renewed.
pub(crate) const RENEW_AFTER: Nanos = Nanos::from_s(20);

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
    /// A run writes to it, and will for a while.
    Writing,
    /// Nobody has written since now.
    AtRest,
}

/// Whose the open file at `path` is. What cannot be read counts as foreign.
pub(crate) fn provenance(file: &File, path: &Path) -> Provenance {
    let Ok(metadata) = file.metadata() else { return Provenance::Foreign };
    let mark = read_attribute(file).or_else(|| fs::read_to_string(beside(path)).ok());
    let Some(mark) = mark.filter(|mark| mark.starts_with(VERSION)) else { return Provenance::Foreign };
    let stands = mark == text(&metadata, &at_rest(&metadata)) || is_leased(&metadata, &mark);
    if stands { Provenance::Ours } else { Provenance::Changed }
}

/// Whether the last change came before the end of the lease that the mark holds.
fn is_leased(metadata: &fs::Metadata, mark: &str) -> bool {
    let until = mark.strip_prefix(&text(metadata, LEASED)).and_then(|until| until.parse::<i64>().ok());
    until.is_some_and(|until_s| metadata.mtime() <= until_s)
}

/// Marks the open file at `path` as flashscope's.
///
/// # Errors
/// When neither the attribute nor the file beside can be written.
pub(crate) fn mark(file: &File, path: &Path, state: State) -> io::Result<()> {
    let metadata = file.metadata()?;
    let changed = match state {
        State::Writing => format!("{LEASED}{}", seconds_now() + LEASE_S),
        State::AtRest => at_rest(&metadata),
    };
    store(file, path, &text(&metadata, &changed))
}

fn store(file: &File, path: &Path, mark: &str) -> io::Result<()> {
    match fsetxattr(file, ATTRIBUTE, mark.as_bytes(), XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::NOSPC) => mark_beside(path, mark),
        result => Ok(result?),
    }
}

/// What stands before the end of a lease.
const LEASED: &str = "until ";

fn at_rest(metadata: &fs::Metadata) -> String {
    format!("{}.{:09}", metadata.mtime(), metadata.mtime_nsec())
}

/// The clock that also stamps changes of files.
fn seconds_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX - LEASE_S))
}

fn text(metadata: &fs::Metadata, changed: &str) -> String {
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

/// Puts a lease that is over on the file.
#[cfg(test)]
pub(crate) fn expire(file: &File, path: &Path) {
    store(file, path, &text(&file.metadata().unwrap(), &format!("{LEASED}1"))).unwrap();
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

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
        std::thread::sleep(Duration::from_millis(20));
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

    /// As if the file had been changed that long from now.
    fn changed_in(file: &File, seconds: i64) {
        let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds_now() + seconds).unwrap());
        file.set_modified(at).unwrap();
    }

    #[test]
    fn what_is_written_after_the_lease_of_a_killed_run_is_not_ours() {
        let (_folder, path, file) = file("stale");
        mark(&file, &path, State::Writing).unwrap();
        changed_in(&file, LEASE_S - 2);
        assert_eq!(provenance(&file, &path), Provenance::Ours);
        changed_in(&file, LEASE_S + 2);
        assert_eq!(provenance(&file, &path), Provenance::Changed);
    }

    #[test]
    fn a_mark_without_the_end_of_a_lease_proves_nothing() {
        let (_folder, path, file) = file("endless");
        let metadata = file.metadata().unwrap();
        for changed in ["writing", "until ", "until for ever", ""] {
            let mark = text(&metadata, changed);
            store(&file, &path, &mark).unwrap();
            assert_eq!(provenance(&file, &path), Provenance::Changed, "{mark}");
        }
    }

    #[test]
    fn a_file_beside_serves_where_attributes_do_not() {
        let (_folder, path, file) = file("beside");
        let metadata = file.metadata().unwrap();
        mark_beside(&path, &text(&metadata, &at_rest(&metadata))).unwrap();
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
