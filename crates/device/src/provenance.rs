//! Whether a regular file holds nothing but what flashscope wrote: then it may be written without further
//! leave.
//!
//! The **contents** say so. A file that flashscope creates has a random key, and every sector that is written
//! into it a seal by that key ([`crate::seal`]). The key is in the file's mark: the extended attribute
//! `user.flashscope`, or a file `NAME.flashscope` beside the target where the filesystem takes no attributes.
//! A mark alone proves nothing, for it stays where other data is copied onto the file (`cp`, `dd`,
//! `rsync --inplace`), and a copy may take it along (`cp --preserve=xattr`). So a file is flashscope's if its
//! mark names this inode and size, and each sector has its seal. When a run was killed, or the power failed,
//! that is what decides, however late: what a run wrote is sealed, and what came from anywhere else is not.
//!
//! To read a whole file at each start would take long. A run that **ended** says so in the mark, with the
//! file's times and the boot: as long as they stand, nobody wrote since, and nothing is read. The time of
//! change (ctime) is among them, which no program can set back; the boot, because a filesystem may lose the
//! last times, and not the data, when the power fails. Whoever opens the file while a run is at work is
//! noticed too; then no times are stated, and the contents decide.
//!
//! Contents other than random have no seals: a file with zeros in it is flashscope's until the next boot.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::seal::Key;

const ATTRIBUTE: &str = "user.flashscope";
/// What every mark begins with.
const HEAD: &str = "{\"flashscope\":";
const VERSION: u32 = 2;
/// More than any mark.
const MARK_BYTES_MAX: usize = 1024;

/// To state an end takes no longer, or is tried again.
const STATED_WITHIN: Duration = Duration::from_millis(10);
/// After that the contents decide.
const ATTEMPTS: u32 = 5;
/// Longer than a tick of the clock that stamps files, so that what is written next has another time.
const TICK: Duration = Duration::from_millis(20);
/// The same where a filesystem keeps even seconds.
const COARSE_TICK: Duration = Duration::from_millis(2_100);

/// Whose data a regular file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// flashscope's alone.
    Ours(Key),
    /// flashscope made it, but not all that is in it.
    Changed {
        /// Whether a run on it was cut off: then its contents are all there is to tell by.
        unfinished: bool,
        /// From where on; none where the whole file is another one, or cannot be read.
        at_bytes: Option<u64>,
    },
    /// flashscope did not make it.
    Foreign,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    flashscope: u32,
    key: Key,
    inode: u64,
    size_bytes: u64,
    /// None while a run is at work, and if it was cut off.
    ended: Option<Ended>,
}

/// What stands as long as nobody writes to the file again.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    mtime_ns: i64,
    ctime_ns_max: i64,
    boot: String,
}

impl Mark {
    fn of(metadata: &fs::Metadata, key: Key, ended: Option<Ended>) -> Mark {
        Mark { flashscope: VERSION, key, inode: metadata.ino(), size_bytes: metadata.size(), ended }
    }

    fn read(file: &File, path: &Path) -> Option<Mark> {
        let text = read_attribute(file).or_else(|| fs::read_to_string(beside(path)).ok())?;
        serde_json::from_str(&text).ok().filter(|mark: &Mark| mark.flashscope == VERSION)
    }

    fn write(&self, file: &File, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string(self)?;
        match fsetxattr(file, ATTRIBUTE, text.as_bytes(), XattrFlags::empty()) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::NOSPC) => mark_beside(path, &text),
            result => Ok(result?),
        }
    }
}

/// Whose the open file at `path` is. What cannot be read counts as foreign, or changed.
pub(crate) fn provenance(file: &File, path: &Path) -> Provenance {
    let (Ok(metadata), Some(mark)) = (file.metadata(), Mark::read(file, path)) else {
        return Provenance::Foreign;
    };
    let unfinished = mark.ended.is_none();
    if (mark.inode, mark.size_bytes) != (metadata.ino(), metadata.size()) {
        return Provenance::Changed { unfinished: false, at_bytes: None };
    }
    if mark.ended.is_some_and(|ended| ended.stands(&metadata)) {
        return Provenance::Ours(mark.key);
    }
    match mark.key.first_unsealed(file) {
        Ok(None) => Provenance::Ours(mark.key),
        Ok(at_bytes) => Provenance::Changed { unfinished, at_bytes },
        Err(_) => Provenance::Changed { unfinished, at_bytes: None },
    }
}

impl Ended {
    fn stands(&self, metadata: &fs::Metadata) -> bool {
        boot().is_some_and(|boot| boot == self.boot)
            && mtime_ns(metadata) == self.mtime_ns
            && ctime_ns(metadata) <= self.ctime_ns_max
    }
}

fn mtime_ns(metadata: &fs::Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

fn ctime_ns(metadata: &fs::Metadata) -> i64 {
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

/// Since when the system runs, as a name that no other time has.
fn boot() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}

/// A run at work on a file of flashscope's.
#[derive(Debug)]
pub(crate) struct Hold {
    key: Key,
    others: Watch,
}

impl Hold {
    /// Says in the mark of the open file at `path` that its contents alone tell whose it is, from now on.
    ///
    /// # Errors
    /// When neither the attribute nor the file beside can be written.
    pub fn begin(file: &File, path: &Path, key: Key, others: Watch) -> io::Result<Hold> {
        Mark::of(&file.metadata()?, key, None).write(file, path)?;
        Ok(Hold { key, others })
    }

    /// States the end in the mark; for no times at all, if somebody else opened the file meanwhile.
    ///
    /// # Errors
    /// The mark cannot be written; then it says that the run did not end.
    pub fn end(&self, file: &File, path: &Path) -> io::Result<()> {
        let is_coarse = file.metadata()?.mtime_nsec() == 0;
        let tick = if is_coarse { COARSE_TICK } else { TICK };
        sleep(tick);
        let is_alone = self.others.is_silent() == Some(true);
        for _ in 0..ATTEMPTS {
            let ctime_ns_max = self.state_end(file, path, is_alone)?;
            if ctime_ns(&file.metadata()?) <= ctime_ns_max {
                // Whatever is changed from now on is changed later than that.
                sleep(STATED_WITHIN + tick);
                break;
            }
        }
        Ok(())
    }

    /// Returns the time of change up to which it holds. Writing an attribute changes that time itself, which
    /// must be known before: so the mark is written twice.
    fn state_end(&self, file: &File, path: &Path, is_alone: bool) -> io::Result<i64> {
        Mark::of(&file.metadata()?, self.key, None).write(file, path)?;
        let metadata = file.metadata()?;
        let stated = ctime_ns(&metadata).saturating_add(STATED_WITHIN.as_nanos() as i64);
        let ctime_ns_max = if is_alone { stated } else { i64::MIN };
        let boot = boot().unwrap_or_default();
        let ended = Ended { mtime_ns: mtime_ns(&metadata), ctime_ns_max, boot };
        Mark::of(&metadata, self.key, Some(ended)).write(file, path)?;
        Ok(ctime_ns_max)
    }
}

/// Hears of other programs at the same file; of nothing where the system gives no more of these.
#[derive(Debug)]
pub(crate) struct Watch(Option<OwnedFd>);

impl Watch {
    /// Hears of whoever writes to the file: while this program only reads it.
    pub fn writes(file: &File) -> Watch {
        let watch = Watch(init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok());
        watch.hear(file, WatchFlags::MODIFY)
    }

    /// From now on hears of whoever opens the file, and of whoever closes it having written.
    pub fn openings(self, file: &File) -> Watch {
        self.hear(file, WatchFlags::OPEN | WatchFlags::CLOSE_WRITE)
    }

    fn hear(self, file: &File, of: WatchFlags) -> Watch {
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        Watch(self.0.filter(|events| add_watch(events, opened, of).is_ok()))
    }

    /// Whether nothing was heard; none where that is not known.
    pub fn is_silent(&self) -> Option<bool> {
        let heard = |events: &OwnedFd| rustix::io::read(events, &mut [0; 4096]);
        self.0.as_ref().map(|events| heard(events) == Err(Errno::AGAIN))
    }
}

fn read_attribute(file: &File) -> Option<String> {
    let mut buffer = [0u8; MARK_BYTES_MAX];
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
        Ok(bytes) if !bytes.starts_with(HEAD.as_bytes()) => {
            Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} is in the way", place.display())))
        }
        _ => fs::write(place, mark),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::time::SystemTime;

    use super::*;
    use crate::seal::SECTOR_BYTES;

    const KEY: fn() -> Key = || Key::of_seed(11);

    struct Folder(PathBuf);
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A file whose sectors are sealed by [`KEY`].
    fn file(name: &str) -> (Folder, PathBuf, File) {
        let folder = std::env::temp_dir().join(format!("flashscope-mark-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("target");
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        let mut bytes = vec![7; 8 * SECTOR_BYTES];
        KEY().seal(&mut bytes);
        file.write_all_at(&bytes, 0).unwrap();
        (Folder(folder), path, file)
    }

    fn ended(file: &File, path: &Path) {
        begun(file, path).end(file, path).unwrap();
    }

    fn begun(file: &File, path: &Path) -> Hold {
        Hold::begin(file, path, KEY(), Watch::writes(file).openings(file)).unwrap()
    }

    fn mark(file: &File, path: &Path) -> Mark {
        Mark::read(file, path).unwrap()
    }

    #[test]
    fn a_file_is_foreign_until_marked_and_no_longer_ours_once_changed() {
        let (_folder, path, file) = file("attribute");
        assert_eq!(provenance(&file, &path), Provenance::Foreign);
        ended(&file, &path);
        assert!(mark(&file, &path).ended.unwrap().stands(&file.metadata().unwrap()));
        assert_eq!(provenance(&file, &path), Provenance::Ours(KEY()));
        file.write_all_at(b"else", 600).unwrap();
        let changed = Provenance::Changed { unfinished: false, at_bytes: Some(512) };
        assert_eq!(provenance(&file, &path), changed);
    }

    #[test]
    fn after_a_kill_the_contents_decide_however_late() {
        let (_folder, path, file) = file("killed");
        drop(begun(&file, &path));
        assert_eq!(provenance(&file, &path), Provenance::Ours(KEY()));
        file.write_all_at(b"else", 4095 - 3).unwrap();
        for modified in [SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(1 << 20)] {
            file.set_modified(modified).unwrap();
            let changed = Provenance::Changed { unfinished: true, at_bytes: Some(7 * 512) };
            assert_eq!(provenance(&file, &path), changed, "{modified:?}");
        }
    }

    /// Times that are set back, another boot, times that only seem to stand: in doubt the contents decide.
    #[test]
    fn a_stated_end_stands_for_these_times_in_this_boot() {
        let (_folder, path, file) = file("stated");
        let before = file.metadata().unwrap().modified().unwrap();
        ended(&file, &path);
        let stated = || mark(&file, &path).ended.unwrap();
        assert_eq!(stated().mtime_ns, mtime_ns(&file.metadata().unwrap()));
        sleep(TICK);
        file.write_all_at(b"else", 1024).unwrap();
        file.set_modified(before).unwrap();
        assert_eq!(stated().mtime_ns, mtime_ns(&file.metadata().unwrap()), "as with cp --preserve");
        assert!(!stated().stands(&file.metadata().unwrap()));
        ended(&file, &path);
        let other = Ended { boot: "another".into(), ..stated() };
        Mark::of(&file.metadata().unwrap(), KEY(), Some(other)).write(&file, &path).unwrap();
        let changed = Provenance::Changed { unfinished: false, at_bytes: Some(1024) };
        assert_eq!(provenance(&file, &path), changed);
    }

    #[test]
    fn an_end_is_not_stated_where_somebody_else_opened_the_file_meanwhile() {
        let (_folder, path, file) = file("others");
        let hold = begun(&file, &path);
        let other = File::options().write(true).open(&path).unwrap();
        hold.end(&file, &path).unwrap();
        assert!(!mark(&file, &path).ended.unwrap().stands(&file.metadata().unwrap()));
        assert_eq!(provenance(&file, &path), Provenance::Ours(KEY()), "it wrote nothing");
        other.write_all_at(b"else", 0).unwrap();
        assert_ne!(provenance(&file, &path), Provenance::Ours(KEY()));
    }

    #[test]
    fn a_file_beside_serves_where_attributes_do_not() {
        let (_folder, path, file) = file("beside");
        let metadata = file.metadata().unwrap();
        let text = serde_json::to_string(&Mark::of(&metadata, KEY(), None)).unwrap();
        mark_beside(&path, &text).unwrap();
        assert_eq!(provenance(&file, &path), Provenance::Ours(KEY()));
        let copy = path.with_file_name("copy");
        fs::copy(&path, &copy).unwrap();
        fs::copy(beside(&path), beside(&copy)).unwrap();
        let changed = Provenance::Changed { unfinished: false, at_bytes: None };
        assert_eq!(provenance(&File::open(&copy).unwrap(), &copy), changed);
    }

    #[test]
    fn somebody_elses_file_beside_is_not_overwritten() {
        let (_folder, path, _file) = file("in-the-way");
        fs::write(beside(&path), "notes").unwrap();
        assert!(mark_beside(&path, HEAD).is_err());
        assert_eq!(fs::read(beside(&path)).unwrap(), b"notes");
    }

    #[test]
    fn a_damaged_mark_is_none() {
        let (_folder, path, file) = file("damaged");
        for mark in ["", "{}", "{\"flashscope\":1}", "flashscope 1 inode 5 size 5 changed until 99999999999"]
        {
            fsetxattr(&file, ATTRIBUTE, mark.as_bytes(), XattrFlags::empty()).unwrap();
            assert_eq!(provenance(&file, &path), Provenance::Foreign, "{mark}");
        }
    }
}
