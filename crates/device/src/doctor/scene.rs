//! What the checks look at: what has to be asked of the system is gathered once, files are read when a check
//! wants them. Their paths are below a root, so that tests can make up a machine.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use io_uring::IoUring;
use rustix::process::{Resource, geteuid, getrlimit};

use super::checks::smart;
use crate::clock::{Clock, ClockInfo};
use crate::error::DeviceError;
use crate::guard::{Intent, Reason, Verdict, check, stack_below};
use crate::handle::{Purpose, open_file};
use crate::identify::{Identity, Kind};
use crate::memory::AlignedBuffer;
use crate::sysfs::{BlockDir, list};

/// The machine and the target as they are found.
pub(crate) struct Scene {
    /// `/`, or a folder that stands for it.
    pub root: PathBuf,
    /// What is to be measured.
    pub target: Option<Identity>,
    /// The guard's view of reading it.
    pub verdict: Option<Verdict>,
    /// The whole disks that serve the target, the uppermost first.
    pub disks: Vec<BlockDir>,
    /// What the kernel had counted before and after the watch.
    pub counts: [Counts; 2],
    pub watched: Duration,
    pub clock: ClockInfo,
    pub is_root: bool,
    /// Bytes that may be locked into memory; none without limit.
    pub memlock_bytes: Option<u64>,
    /// Whether io_uring is available, or why not.
    pub ring: Result<(), String>,
    /// Whether a block could be read past the page cache, or why not.
    pub direct_read: Option<Result<(), String>>,
    /// What the drives say about themselves, by name.
    pub smart: Vec<(String, Result<serde_json::Value, String>)>,
}

/// Counters that grow.
#[derive(Default)]
pub(crate) struct Counts {
    pub diskstats: String,
    pub stat: String,
    pub throttled: u64,
}

impl Scene {
    /// With nothing to watch for, no drive is asked either.
    pub fn gather(target: Option<&Path>, watch: Duration) -> Result<Scene, DeviceError> {
        let verdict = target.map(|path| check(path, &Intent::READ)).transpose()?;
        if let Some(Verdict { identity, .. }) = &verdict
            && !matches!(identity.kind, Kind::File | Kind::BlockDevice)
        {
            let reasons = vec![Reason::NotATarget { kind: identity.kind }];
            return Err(DeviceError::Refused { path: identity.canonical_path.clone(), reasons });
        }
        let identity = verdict.as_ref().map(|verdict| verdict.identity.clone());
        let disks = identity.as_ref().map(disks_below).unwrap_or_default();
        let root = PathBuf::from("/");
        let before = Counts::read(&root);
        let start = Instant::now();
        thread::sleep(watch);
        let counts = [before, Counts::read(&root)];
        Ok(Scene {
            watched: start.elapsed(),
            counts,
            clock: Clock::info(),
            is_root: geteuid().is_root(),
            memlock_bytes: getrlimit(Resource::Memlock).current,
            ring: IoUring::new(2).map(drop).map_err(|error| error.to_string()),
            direct_read: identity.as_ref().map(read_directly),
            smart: if watch.is_zero() { Vec::new() } else { smart::ask(&disks) },
            root,
            target: identity,
            verdict,
            disks,
        })
    }

    /// A path such as `proc/stat` below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A file's trimmed text; `None` where it cannot be read or is empty.
    pub fn text(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    pub fn number(&self, path: &str) -> Option<i64> {
        self.text(path)?.parse().ok()
    }

    /// The entries of a folder, sorted.
    pub fn list(&self, path: &str) -> Vec<PathBuf> {
        list(&self.path(path))
    }

    /// The folders of the processors.
    pub fn processors(&self) -> Vec<PathBuf> {
        processors(&self.root)
    }

    /// The disks at the bottom, which do the work; those above them only pass on.
    pub fn drives(&self) -> impl Iterator<Item = &BlockDir> {
        self.disks.iter().filter(|disk| disk.is_drive())
    }
}

impl Counts {
    pub fn read(root: &Path) -> Counts {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let counters = ["core_throttle_count", "package_throttle_count"];
        let of = |cpu: &PathBuf| counters.map(|name| number(&cpu.join("thermal_throttle").join(name)));
        let throttled = processors(root).iter().flat_map(of).flatten().sum();
        Counts { diskstats: text("proc/diskstats"), stat: text("proc/stat"), throttled }
    }
}

fn processors(root: &Path) -> Vec<PathBuf> {
    let is_processor = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok())
    };
    list(&root.join("sys/devices/system/cpu")).into_iter().filter(is_processor).collect()
}

/// A file's number.
pub(crate) fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// What a whole disk is, by its kernel name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskKind {
    /// Does the work itself, as far as this kernel knows.
    Drive,
    Loop,
    Zram,
    Ram,
    /// Device mapper: LVM, encryption, thin volumes.
    Mapper,
    /// Software RAID.
    Raid,
    /// On another machine.
    Network,
}

impl BlockDir {
    pub(crate) fn kind(&self) -> DiskKind {
        let name = self.name();
        let is = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        };
        match () {
            () if is("loop") => DiskKind::Loop,
            () if is("zram") => DiskKind::Zram,
            () if is("ram") || is("pmem") => DiskKind::Ram,
            () if is("dm") => DiskKind::Mapper,
            () if is("md") || is("bcache") => DiskKind::Raid,
            () if is("nbd") || is("rbd") || is("drbd") => DiskKind::Network,
            () => DiskKind::Drive,
        }
    }

    /// Whether it does the work itself.
    pub(crate) fn is_drive(&self) -> bool {
        self.kind() == DiskKind::Drive && self.slaves().is_empty()
    }

    /// A file of its `queue` folder, as a shell finds it.
    pub(crate) fn queue_file(&self, name: &str) -> String {
        format!("/sys/block/{}/queue/{name}", self.name().replace('/', "!"))
    }
}

/// The target's own disk, then those beneath it.
fn disks_below(identity: &Identity) -> Vec<BlockDir> {
    let name = identity.hardware.as_ref().map(|h| h.partition_of.clone().unwrap_or_else(|| h.name.clone()));
    let Some(top) = name.and_then(|name| BlockDir::named(&name)) else { return Vec::new() };
    let below = top.device().map(|device| stack_below(device, true)).unwrap_or_default();
    let below = below.into_iter().filter(|device| top.device() != Some(*device)).filter_map(BlockDir::of);
    let below: Vec<_> = below.collect();
    [vec![top], below].concat()
}

/// Reads the target's first block past the page cache.
fn read_directly(identity: &Identity) -> Result<(), String> {
    let file: File =
        open_file(identity, &Intent::READ, Purpose::Check).map_err(|reason| reason.to_string())?;
    let mut block = AlignedBuffer::zeroed(identity.logical_block_bytes as usize);
    file.read_at(&mut block, 0).map(drop).map_err(|error| format!("reading its first block: {error}"))
}
