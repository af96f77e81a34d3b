//! Filesystems, fresh, and as they are after the power went.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::{Value, json};

use crate::common::{Loop, Mounted, Scratch, requires, run};

/// A kind of filesystem, and how it is mounted.
pub struct Kind {
    name: &'static str,
    /// What makes it; none where the folder for temporary files serves.
    make: Option<(&'static str, &'static [&'static str], u64)>,
    options: &'static str,
}

const MIB: u64 = 1 << 20;

const fn kind(
    name: &'static str,
    tool: &'static str,
    arguments: &'static [&'static str],
    mib: u64,
    options: &'static str,
) -> Kind {
    Kind { name, make: Some((tool, arguments, mib * MIB)), options }
}

const EXT4: &[&str] = &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

/// Inodes of 128 bytes have no room for nanoseconds.
const OLD_EXT4: &[&str] =
    &["-q", "-F", "-I", "128", "-O", "^ext_attr", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

/// The cheap ones first.
pub const PLACES: &[Kind] = &[
    Kind { name: "temporary files", make: None, options: "" },
    kind("ext4", "mkfs.ext4", EXT4, 24, "noatime"),
    kind("ext4 that stores times late", "mkfs.ext4", EXT4, 24, "lazytime"),
    kind("xfs", "mkfs.xfs", &["-q"], 320, "noatime"),
    kind("btrfs", "mkfs.btrfs", &["-q"], 160, "noatime"),
    kind("ext4 with whole seconds and no attributes", "mkfs.ext4", OLD_EXT4, 24, "noatime"),
];

impl Kind {
    pub fn has_a_disk(&self) -> bool {
        self.make.is_some()
    }
}

/// A filesystem in use. Unmounted before its loop device goes, and that before its image.
pub struct Place {
    kind: &'static Kind,
    mounted: Mutex<Option<(Mounted, Loop)>>,
    scratch: Scratch,
}

impl Place {
    /// A fresh one; none where this machine cannot make it.
    pub fn make(kind: &'static Kind) -> Option<Place> {
        let Some((tool, arguments, size_bytes)) = kind.make else {
            let scratch = Scratch::under(&std::env::temp_dir());
            return Some(Place { kind, mounted: Mutex::default(), scratch });
        };
        if !requires(&[tool]) {
            return None;
        }
        let scratch = Scratch::new();
        let image = scratch.image("disk", size_bytes);
        run(tool, &[arguments, &[image.to_str().expect("a plain path")]].concat());
        Some(Place::on(kind, scratch, &image))
    }

    fn on(kind: &'static Kind, scratch: Scratch, image: &Path) -> Place {
        let disk = Loop::attach(image, &[]);
        let mounted = Mounted::with(disk.name(), kind.options, scratch.path("mnt"));
        Place { kind, mounted: Mutex::new(Some((mounted, disk))), scratch }
    }

    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    pub fn path(&self, name: &str) -> PathBuf {
        let folder = if self.kind.has_a_disk() { "mnt" } else { "." };
        self.scratch.path(folder).join(name)
    }

    /// What its disk holds now, as if the power went.
    pub fn cut_power(&self) -> Cut {
        let scratch = Scratch::new();
        let [image, copy] = [self.scratch.path("disk"), scratch.path("disk")];
        run("cp", &["--sparse=always", image.to_str().expect("plain"), copy.to_str().expect("plain")]);
        Cut { scratch, image: copy }
    }

    /// The same filesystem, mounted again, in its place: no two of one identity can be mounted at a time.
    pub fn after(&self, cut: Cut) -> Place {
        self.unmount();
        Place::on(self.kind, cut.scratch, &cut.image)
    }

    fn unmount(&self) {
        let mounted = self.mounted.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mounted, disk)) = mounted else { return };
        let umount = || Command::new("umount").arg(self.path("")).output();
        // What was killed may hold it a little longer.
        for _ in 0..500 {
            if umount().is_ok_and(|done| done.status.success()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(mounted);
        drop(disk);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.unmount();
    }
}

/// A disk without power.
pub struct Cut {
    scratch: Scratch,
    image: PathBuf,
}

/// Has the mark of a file say that it was written in another boot.
pub fn another_boot(path: &Path) {
    const NAME: &str = "user.flashscope";
    let mut text = [0; 1024];
    let beside = PathBuf::from(format!("{}.flashscope", path.display()));
    let read = getxattr(path, NAME, &mut text[..]).map(|length| text[..length].to_vec());
    let Ok(bytes) = read.or_else(|_| fs::read(&beside)) else { return };
    let Ok(mut mark) = serde_json::from_slice::<Value>(&bytes) else { return };
    if mark["ended"].is_object() {
        mark["ended"]["boot"] = json!("another");
        let text = mark.to_string();
        if setxattr(path, NAME, text.as_bytes(), XattrFlags::empty()).is_err() {
            fs::write(beside, text).expect("it can be written");
        }
    }
}
