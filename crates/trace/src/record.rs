//! The one record that every format is read into.

use std::fmt;

use flashscope_core::request::{Flags, Op};

/// One request of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// When it was issued, in nanoseconds since the trace's own epoch. Ties are common.
    pub time_ns: u64,
    /// First byte on the device; zero for a flush.
    pub offset_bytes: u64,
    /// Length; zero for a flush. The end of the range fits 64 bits.
    pub length_bytes: u64,
    /// Latency, if recorded.
    pub latency_ns: Option<u64>,
    /// Index into [`crate::Records::devices`].
    pub device: u32,
    /// Who asked, where the trace knows.
    pub process: Process,
    /// What it does.
    pub op: Op,
    /// Force unit access, and whether somebody waits for it.
    pub flags: Flags,
}

/// Bytes of a name: the kernel's `TASK_COMM_LEN` without the final zero.
const NAME_BYTES_MAX: usize = 15;

/// Who asked for a request: number and name, both empty where the trace does not say.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Process {
    /// Process number; 0 if unknown.
    pub pid: u32,
    length: u8,
    name: [u8; NAME_BYTES_MAX],
}

impl Process {
    /// A process with number and name, if recorded. A name is kept to its first 15 bytes, as the
    /// kernel does.
    #[inline]
    pub fn new(pid: u32, name: &[u8]) -> Process {
        let length = name.len().min(NAME_BYTES_MAX);
        let mut kept = [0; NAME_BYTES_MAX];
        kept[..length].copy_from_slice(&name[..length]);
        Process { pid, length: length as u8, name: kept }
    }

    /// The name's bytes; mostly, but not always, UTF-8.
    pub fn name(&self) -> &[u8] {
        &self.name[..usize::from(self.length)]
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", String::from_utf8_lossy(self.name()), self.pid)
    }
}
