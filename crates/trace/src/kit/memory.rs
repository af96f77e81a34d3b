//! Memory that does not grow with the length of a trace.

use std::io::Read;

use super::{Failure, Kit, options};
use crate::error::TraceError;
use crate::records::Records;
use crate::seekable::is_read_whole;

/// Bytes of the shorter and of the longer trace.
const BYTES: [u64; 2] = [4 << 20, 40 << 20];
/// What the process may grow by from one to the other: far less than the requests of the longer one.
const GROWTH_KIB: u64 = 1024;

/// The sample over and over.
struct Endless {
    sample: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.sample[self.at..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at = (self.at + length) % self.sample.len();
        Ok(length)
    }
}

impl Kit<'_> {
    /// A trace ten times as long, the sample over and over, takes no more memory. Linux alone tells the peak,
    /// of the whole process: run this where nothing else runs in it. A format that is read from its end is
    /// not looked at.
    ///
    /// # Errors
    /// It takes more.
    pub fn check_memory(&self) -> Result<(), Failure> {
        if is_read_whole(self.format.name) {
            return Ok(());
        }
        let [short, long] = [self.peak_kib(BYTES[0])?, self.peak_kib(BYTES[1])?];
        let Some((short, long)) = short.zip(long) else { return Ok(()) };
        self.holds(long <= short + GROWTH_KIB, || {
            format!("a trace ten times as long takes {long} KiB of memory, not {short}")
        })
    }

    /// The most memory that the process has while it reads so many bytes.
    fn peak_kib(&self, bytes: u64) -> Result<Option<u64>, Failure> {
        // Forgets the peak so far.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let input = Endless { sample: self.sample.to_vec(), at: 0 }.take(bytes);
        let failed = |error: TraceError| self.failure(format!("the sample over and over: {error}"));
        let mut trace = self.formats.open_with(input, &options(self.format.name, true)).map_err(failed)?;
        let mut batch = Vec::new();
        while trace.next_batch(&mut batch).map_err(failed)? > 0 {}
        let peak = std::fs::read_to_string("/proc/self/status").ok();
        Ok(peak.and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse().ok()
        }))
    }
}
