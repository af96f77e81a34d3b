//! Several writers, each sequential in its own part of the device, in random turns: as sequential as each is,
//! the device sees them mixed.

use flashscope_core::{Flags, Op};

use super::uniform::{IOS, RATE, WRITES};
use super::{Generator, Key, Settings, Workload};
use crate::error::TraceError;
use crate::model::Emit;
use crate::settings::{bad, key};

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "sequential-streams",
    paper: "",
    about: "concurrent sequential streams, each in its own part of the device, interleaved at random",
    keys: KEYS,
    make: |settings| Ok(Box::new(Streams::new(settings)?)),
};

const KEYS: &[Key] = &[
    IOS,
    key("bs", "64KiB", "size of a request"),
    WRITES,
    RATE,
    key("streams", "8", "streams; each restarts at the end of its part"),
];

struct Streams {
    /// Next block of each stream, within its part.
    next: Vec<u64>,
    part_blocks: u64,
    block_bytes: u64,
    writes: f64,
    gap_ns: u64,
    left: u64,
}

impl Streams {
    fn new(settings: &Settings) -> Result<Streams, TraceError> {
        let block_bytes = settings.request_bytes("bs")?;
        let streams = settings.number("streams")?;
        let part_blocks = settings.size_bytes / block_bytes / streams;
        if streams > 65_536 || part_blocks == 0 {
            let problem = "there are more streams than blocks, or than 65536";
            return Err(bad("streams", settings.text("streams"), problem, "take fewer or a smaller bs"));
        }
        Ok(Streams {
            next: vec![0; streams as usize],
            part_blocks,
            block_bytes,
            writes: settings.share("writes")?,
            gap_ns: settings.gap_ns("rate")?,
            left: settings.number("ios")?,
        })
    }
}

impl Workload for Streams {
    fn step(&mut self, emit: &mut Emit) -> bool {
        let stream = emit.random.below(self.next.len() as u64);
        let next = &mut self.next[stream as usize];
        let block = stream * self.part_blocks + *next;
        *next = (*next + 1) % self.part_blocks;
        let op = if emit.chance(self.writes) { Op::Write } else { Op::Read };
        emit.issue(op, block * self.block_bytes, self.block_bytes, Flags::NONE);
        emit.pass_about(self.gap_ns);
        self.left -= 1;
        self.left > 0
    }
}
