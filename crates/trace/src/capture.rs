//! Recording what a block device does, through a tracefs instance of its own.
//!
//! The kernel's tracepoints report every request issued to a device, completed or requeued. A
//! private instance of tracefs keeps them apart from whatever else is traced on the machine, and works where
//! blktrace, which needs debugfs, is locked out. Here live the instance ([`Capture`]) and the text that it
//! prints ([`Stream`]); the reader of format `tracefs` understands it.
//!
//! The one part of this crate that speaks with the system.

mod instance;
mod verbatim;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use instance::Instance;
pub use verbatim::{Verbatim, WriteFailure};

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Major and minor number of the whole disk: requests do not know of partitions.
    pub device: (u32, u32),
    /// Only requests that begin in this range of 512-byte sectors of the disk, and those without a range.
    pub sectors: Option<Range<u64>>,
}

impl Subject {
    /// As a filter of tracefs.
    fn filter(&self) -> String {
        let (major, minor) = self.device;
        let device = format!("dev == {}", u64::from(major) << 20 | u64::from(minor));
        match &self.sectors {
            None => device,
            Some(Range { start, end }) => {
                format!("{device} && ((sector >= {start} && sector < {end}) || nr_sector == 0)")
            }
        }
    }
}

/// Why nothing can be recorded.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The kernel does not let this process trace.
    #[error("cannot trace: not allowed to {action}; {remedy}")]
    NotAllowed {
        /// What was tried.
        action: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The kernel has no tracefs, or no tracepoints of block devices.
    #[error("cannot trace: this kernel has no {what}; it must be built with CONFIG_BLK_DEV_IO_TRACE")]
    Unsupported {
        /// What is missing.
        what: &'static str,
    },
    /// Something else went wrong.
    #[error("cannot trace: {action}: {cause}")]
    Failed {
        /// What was tried.
        action: String,
        /// What the system said.
        cause: String,
    },
}

/// Events that are not in the text, of all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Overwritten before they were read.
    pub overrun: u64,
    /// Overwritten while they were written, by interrupts in interrupts.
    pub commit_overrun: u64,
    /// Not written, for want of room.
    pub dropped_events: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.overrun + self.commit_overrun + self.dropped_events
    }
}

/// Recording goes on until this is stopped or dropped; the instance is gone when the [`Stream`] is dropped
/// too.
#[derive(Debug)]
pub struct Capture {
    instance: Arc<Instance>,
    is_stopped: Arc<AtomicBool>,
}

impl Capture {
    /// Begins to record, into a buffer of so many bytes for all processors together. Instances that processes
    /// left behind when they were killed are removed.
    ///
    /// # Errors
    /// Without the right to trace, or where the kernel cannot.
    pub fn start(subject: &Subject, buffer_bytes: u64) -> Result<(Capture, Stream), CaptureError> {
        let instance = Arc::new(Instance::create()?);
        instance.set_up(&subject.filter(), buffer_bytes)?;
        let pipe = instance.pipe()?;
        instance.switch(true)?;
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stream = Stream { pipe, is_stopped: is_stopped.clone(), _instance: instance.clone() };
        Ok((Capture { instance, is_stopped }, stream))
    }

    /// Records no more; the stream ends when everything recorded is read.
    ///
    /// # Errors
    /// When the kernel refuses; the stream ends all the same.
    pub fn stop(&self) -> Result<(), CaptureError> {
        let result = self.instance.switch(false);
        self.is_stopped.store(true, Ordering::Release);
        result
    }

    /// What was lost so far.
    ///
    /// # Errors
    /// When the kernel's count cannot be read.
    pub fn dropped(&self) -> Result<Dropped, CaptureError> {
        self.instance.dropped()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the instance is removed soon.
        let _ = self.stop();
    }
}

/// The text of tracefs as it is recorded. Reading waits for more until the [`Capture`] is stopped.
#[derive(Debug)]
pub struct Stream {
    // In this order: the instance cannot be removed while its pipe is open.
    pipe: File,
    is_stopped: Arc<AtomicBool>,
    _instance: Arc<Instance>,
}

/// How long to wait for more. A reader that is woken for every event would disturb what it watches.
const WAIT: Duration = Duration::from_millis(10);

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        loop {
            // Before the read: what was recorded until then is still to come.
            let is_stopped = self.is_stopped.load(Ordering::Acquire);
            match self.pipe.read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && is_stopped => return Ok(0),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(WAIT),
                Ok(0) if !is_stopped && !bytes.is_empty() => std::thread::sleep(WAIT),
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_filtered_by_the_kernels_number_and_a_partition_by_its_sectors() {
        let disk = Subject { device: (259, 3), sectors: None };
        assert_eq!(disk.filter(), "dev == 271581187");
        let partition = Subject { sectors: Some(2048..4096), ..disk };
        let filter = "dev == 271581187 && ((sector >= 2048 && sector < 4096) || nr_sector == 0)";
        assert_eq!(partition.filter(), filter);
    }
}
