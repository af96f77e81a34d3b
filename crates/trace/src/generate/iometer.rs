//! A model of W4 of paper 002: Iometer on NTFS.
//!
//! From the paper: pure uniformly distributed random writes; a large file of the size of the complete
//! partition is made, then its sectors are overwritten at random. Assumed: requests of 4 KiB at multiples
//! of 4 KiB, one outstanding, past the cache; the file has all of the device but an eighth for the MFT;
//! making it (64 KiB at a time) is part of the trace only if asked for, as the paper's text on its results
//! speaks of random writes alone.

use flashscope_core::{Flags, Op};

use super::uniform::IOS;
use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::Emit;
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "iometer",
    paper: "W4",
    about: "a file as large as the partition, overwritten at uniformly random places",
    keys: &[
        IOS,
        key("bs", "4KiB", "size of a random write"),
        key("prepare", "no", "yes: write the file first"),
    ],
    make: |settings| Ok(Box::new(Iometer::new(settings)?)),
};

const PREPARE_BYTES: u64 = 64 << 10;

struct Iometer {
    start_bytes: u64,
    end_bytes: u64,
    /// Up to here the file is made.
    prepared_bytes: u64,
    block_bytes: u64,
    left: u64,
}

impl Iometer {
    fn new(settings: &Settings) -> Result<Iometer, TraceError> {
        let block_bytes = settings.request_bytes("bs")?;
        settings.at_least((4 * block_bytes).max(1 << 20))?;
        let start_bytes = (settings.size_bytes / 8).next_multiple_of(block_bytes);
        let end_bytes = settings.size_bytes / block_bytes * block_bytes;
        let is_prepared = !settings.is_yes("prepare")?;
        let prepared_bytes = if is_prepared { end_bytes } else { start_bytes };
        Ok(Iometer { start_bytes, end_bytes, prepared_bytes, block_bytes, left: settings.number("ios")? })
    }
}

impl Workload for Iometer {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.prepared_bytes < self.end_bytes {
            let bytes = PREPARE_BYTES.min(self.end_bytes - self.prepared_bytes);
            emit.stream(Op::Write, self.prepared_bytes, bytes, Flags::NONE);
            self.prepared_bytes += bytes;
            return true;
        }
        let blocks = (self.end_bytes - self.start_bytes) / self.block_bytes;
        let block = emit.random.below(blocks);
        // A disk of the time takes some 8 ms for a random write; a cache before it, less.
        emit.pass_about(4_000_000);
        emit.stream(Op::Write, self.start_bytes + block * self.block_bytes, self.block_bytes, Flags::NONE);
        self.left -= 1;
        self.left > 0
    }
}
