//! A private instance of tracefs: made, set up, and removed whatever happens.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::{CaptureError, Dropped};

const EVENTS: [&str; 3] = ["block_rq_issue", "block_rq_complete", "block_rq_requeue"];
/// Where distributions mount it.
const MOUNT_POINT: &str = "/sys/kernel/tracing";
const NAME: &str = "flashscope-";

/// One instance, gone when this is.
#[derive(Debug)]
pub(super) struct Instance {
    folder: PathBuf,
    /// A mount of our own, seen by nobody, where tracefs is not mounted.
    _mount: Option<OwnedFd>,
}

impl Instance {
    /// Makes it, and removes those of processes that are gone.
    pub(super) fn create() -> Result<Instance, CaptureError> {
        let (instances, mount) = instances()?;
        remove_stale(&instances);
        let own = std::process::id();
        let mut last = None;
        // Another namespace may have a process of the same number.
        for suffix in ["", "-b", "-c", "-d"] {
            let folder = instances.join(format!("{NAME}{own}{suffix}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Instance { folder, _mount: mount }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => last = Some(error),
                Err(error) => return Err(failed("make an instance of tracefs", &error)),
            }
        }
        Err(failed("make an instance of tracefs", &last.unwrap_or_else(|| ErrorKind::AlreadyExists.into())))
    }

    /// Buffer, clock, filter and events; nothing is recorded yet.
    pub(super) fn set_up(&self, filter: &str, buffer_bytes: u64) -> Result<(), CaptureError> {
        self.switch(false)?;
        if !self.folder.join("events/block").is_dir() {
            return Err(CaptureError::Unsupported { what: "tracepoints of block devices" });
        }
        let processors = self.processors()?.len().max(1) as u64;
        self.write("buffer_size_kb", &(buffer_bytes / 1024 / processors).max(8).to_string())?;
        self.write("trace_clock", "mono")?;
        for event in EVENTS {
            self.write(&format!("events/block/{event}/filter"), filter)?;
            self.write(&format!("events/block/{event}/enable"), "1")?;
        }
        Ok(())
    }

    /// Records from now on, or no more.
    pub(super) fn switch(&self, on: bool) -> Result<(), CaptureError> {
        self.write("tracing_on", if on { "1" } else { "0" })
    }

    /// The text, which takes out of the buffer what is read; an empty buffer "would block".
    pub(super) fn pipe(&self) -> Result<File, CaptureError> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        options.open(self.folder.join("trace_pipe")).map_err(|error| failed("open trace_pipe", &error))
    }

    pub(super) fn dropped(&self) -> Result<Dropped, CaptureError> {
        let mut dropped = Dropped::default();
        for processor in self.processors()? {
            let text = fs::read_to_string(processor.join("stats"))
                .map_err(|error| failed("read the count of lost events", &error))?;
            add(&mut dropped, &text);
        }
        Ok(dropped)
    }

    fn processors(&self) -> Result<Vec<PathBuf>, CaptureError> {
        let unlisted = |error| failed("list the processors", &error);
        let entries = fs::read_dir(self.folder.join("per_cpu")).map_err(unlisted)?;
        entries.map(|entry| entry.map(|entry| entry.path()).map_err(unlisted)).collect()
    }

    fn write(&self, file: &str, text: &str) -> Result<(), CaptureError> {
        // Without creating it: a file that is missing is said to be.
        let mut options = OpenOptions::new();
        let file_of = options.write(true).truncate(true).open(self.folder.join(file));
        let result = file_of.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
        result.map_err(|error| failed(&format!("write '{text}' to {file}"), &error))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Ends the recording first: a removal may have to wait for a reader that is just closing.
fn remove(folder: &Path) {
    for file in ["tracing_on", "events/enable"] {
        let _ = fs::write(folder.join(file), "0");
    }
    let _ = fs::remove_dir(folder);
}

/// Removes what processes left behind that were killed. One that is in use by another namespace, where this
/// one does not see the process, is busy and stays.
fn remove_stale(instances: &Path) {
    let entries = fs::read_dir(instances).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('-').next());
        let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let Some(number) = number.filter(is_number) else { continue };
        if !Path::new("/proc").join(number).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folder of instances: where tracefs is mounted, or in a mount of our own.
fn instances() -> Result<(PathBuf, Option<OwnedFd>), CaptureError> {
    let mounted = Path::new(MOUNT_POINT).join("instances");
    if mounted.is_dir() {
        return Ok((mounted, None));
    }
    let open = || {
        let filesystem = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&filesystem)?;
        fsmount(&filesystem, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
    };
    let mount = open().map_err(|error| match error {
        rustix::io::Errno::NODEV => CaptureError::Unsupported { what: "tracefs" },
        error => failed("mount tracefs", &error.into()),
    })?;
    let folder = format!("/proc/self/fd/{}/instances", mount.as_raw_fd());
    Ok((PathBuf::from(folder), Some(mount)))
}

fn failed(action: &str, error: &Error) -> CaptureError {
    if error.kind() != ErrorKind::PermissionDenied {
        return CaptureError::Failed { action: action.into(), cause: error.to_string() };
    }
    let mut lockdown = String::new();
    let file = File::open("/sys/kernel/security/lockdown");
    let _ = file.and_then(|mut file| file.read_to_string(&mut lockdown));
    let remedy = match () {
        () if !rustix::process::geteuid().is_root() => "run it as root, with sudo",
        () if lockdown.contains("[confidentiality]") => {
            "kernel lockdown=confidentiality forbids tracing; boot with lockdown=integrity"
        }
        () => "a container needs CAP_SYS_ADMIN, or tracefs mounted writable at /sys/kernel/tracing",
    };
    CaptureError::NotAllowed { action: action.into(), remedy }
}

/// Adds the counts of one processor's `stats`.
fn add(dropped: &mut Dropped, stats: &str) {
    for line in stats.lines() {
        let Some((name, number)) = line.split_once(':') else { continue };
        let count = match name {
            "overrun" => &mut dropped.overrun,
            "commit overrun" => &mut dropped.commit_overrun,
            "dropped events" => &mut dropped.dropped_events,
            _ => continue,
        };
        *count += number.trim().parse::<u64>().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_events_are_those_of_all_processors() {
        let stats = "entries: 9\noverrun: 7\ncommit overrun: 1\nbytes: 60\noldest event ts:   893.5\n\
                     now ts:   900.1\ndropped events: 3\nread events: 5\n";
        let mut dropped = Dropped::default();
        add(&mut dropped, stats);
        add(&mut dropped, stats);
        assert_eq!(dropped, Dropped { overrun: 14, commit_overrun: 2, dropped_events: 6 });
        assert_eq!(dropped.total(), 22);
    }
}
