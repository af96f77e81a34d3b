//! What a sample holds, worked out by hand or with awk from the format's definition.

use flashscope_core::request::{Flags, Op};
use flashscope_trace::Record;

/// A record as the definition tells it, with the device's name in place of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub time_ns: u64,
    pub op: Op,
    pub offset_bytes: u64,
    pub length_bytes: u64,
    pub device: &'static str,
    pub latency_ns: Option<u64>,
    pub pid: u32,
    pub process: &'static str,
    pub flags: Flags,
}

impl Request {
    /// A request of which nothing else is known.
    pub const fn new(
        time_ns: u64,
        op: Op,
        [offset_bytes, length_bytes]: [u64; 2],
        device: &'static str,
    ) -> Request {
        Request {
            time_ns,
            op,
            offset_bytes,
            length_bytes,
            device,
            latency_ns: None,
            pid: 0,
            process: "",
            flags: Flags::NONE,
        }
    }

    /// The same, with its latency.
    pub const fn took(self, latency_ns: u64) -> Request {
        Request { latency_ns: Some(latency_ns), ..self }
    }

    /// The same, with its process.
    pub const fn by(self, pid: u32, process: &'static str) -> Request {
        Request { pid, process, ..self }
    }

    /// The same, with flags.
    pub const fn with(self, flags: Flags) -> Request {
        Request { flags, ..self }
    }

    /// Compares field by field.
    pub fn check(&self, record: &Record, devices: &[String], what: &str) {
        let Record { time_ns, offset_bytes, length_bytes, latency_ns, device, process, op, flags } = *record;
        assert_eq!((time_ns, op), (self.time_ns, self.op), "{what}: time and operation");
        assert_eq!((offset_bytes, length_bytes), (self.offset_bytes, self.length_bytes), "{what}: range");
        assert_eq!(devices[device as usize], self.device, "{what}: device");
        assert_eq!((latency_ns, flags), (self.latency_ns, self.flags), "{what}: latency and flags");
        assert_eq!(process.pid, self.pid, "{what}: process");
        assert_eq!(process.name(), self.process.as_bytes(), "{what}: name of the process");
    }
}

/// How many requests and bytes of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub requests: u64,
    pub bytes: u64,
}

/// So many requests, so many bytes.
pub const fn share(requests: u64, bytes: u64) -> Share {
    Share { requests, bytes }
}

/// None at all.
pub const NONE: Share = share(0, 0);

/// A sample.
pub struct Expected {
    /// The file, compressed or not.
    pub name: &'static str,
    pub format: &'static str,
    /// How sure the format is of it, in percent; others are less sure.
    pub sure: u8,
    /// In the order of their first request.
    pub devices: &'static [&'static str],
    pub reads: Share,
    pub writes: Share,
    pub trims: Share,
    pub flushes: u64,
    /// Requests with the flag sync.
    pub sync: u64,
    /// Requests with the flag FUA.
    pub fua: u64,
    /// The sum of all latencies.
    pub latency_ns: u64,
    /// Where the last byte of all is, and one more.
    pub end_bytes: u64,
    pub first: Request,
    pub last: Request,
    pub lines: u64,
    /// Lines that tell of no request.
    pub other_lines: u64,
    /// Requests earlier than the one before them.
    pub unsorted: u64,
}

/// What most samples share.
pub const PLAIN: Expected = Expected {
    name: "",
    format: "",
    sure: 100,
    devices: &["0"],
    reads: NONE,
    writes: NONE,
    trims: NONE,
    flushes: 0,
    sync: 0,
    fua: 0,
    latency_ns: 0,
    end_bytes: 0,
    first: Request::new(0, Op::Read, [0, 0], "0"),
    last: Request::new(0, Op::Read, [0, 0], "0"),
    lines: 0,
    other_lines: 0,
    unsorted: 0,
};
