//! A database: transactions append to a log and wait for it, pages are changed in memory and written at
//! checkpoints.
//!
//! The log is the first sixteenth of the device, written round and round in blocks of 4 KiB; the block that
//! is not full is written again by the next transaction, as engines do. Each commit writes what it logged
//! and flushes. Pages lie in the rest; which are read and changed follows Zipf's law, scattered. A page
//! that is not in memory is read first; memory keeps the changed pages until the checkpoint, and otherwise
//! a share of all reads. A checkpoint writes the changed pages in the order of their addresses and flushes.
//! Records of the log are taken to be as long as the settings say in the mean, uniformly from half to one
//! and a half of it.

use std::collections::BTreeSet;

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::derive;
use flashscope_core::zipf::Zipf;
use flashscope_core::{Flags, Op};

use super::{Generator, Key, Settings, Workload};
use crate::error::TraceError;
use crate::model::Emit;
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "database",
    paper: "",
    about: "log appends with flushes, page reads, page writes at checkpoints",
    keys: KEYS,
    make: |settings| Ok(Box::new(Database::new(settings)?)),
};

const KEYS: &[Key] = &[
    key("transactions", "50000", "transactions"),
    key("rate", "500", "transactions a second, arriving as a Poisson process"),
    key("page", "16KiB", "size of a page"),
    key("pages", "4", "pages changed by a transaction"),
    key("log", "1KiB", "mean log bytes of a transaction"),
    key("dirty", "2000", "changed pages that trigger a checkpoint"),
    key("hits", "90%", "cache hit rate for unchanged pages"),
    key("theta", "0.9", "skew of the pages"),
];

const LOG_BLOCK_BYTES: u64 = 4096;

struct Database {
    left: u64,
    gap_ns: u64,
    page_bytes: u64,
    pages_per_transaction: u64,
    log_record_bytes: u64,
    dirty_max: u64,
    hits: f64,
    zipf: Zipf,
    places: Permutation,
    log_blocks: u64,
    /// Bytes ever logged.
    logged_bytes: u64,
    dirty: BTreeSet<u64>,
}

impl Database {
    fn new(settings: &Settings) -> Result<Database, TraceError> {
        let page_bytes = settings.request_bytes("page")?;
        settings.at_least((32 * page_bytes).max(1 << 20))?;
        let log_blocks = settings.size_bytes / 16 / LOG_BLOCK_BYTES;
        let pages = (settings.size_bytes - log_blocks * LOG_BLOCK_BYTES) / page_bytes - 1;
        Ok(Database {
            left: settings.number("transactions")?,
            gap_ns: settings.gap_ns("rate")?,
            page_bytes,
            pages_per_transaction: settings.number("pages")?.min(1000),
            log_record_bytes: settings.request_bytes("log")?.min(log_blocks * LOG_BLOCK_BYTES / 4),
            dirty_max: settings.number("dirty")?.min(1 << 20),
            hits: settings.share("hits")?,
            zipf: Zipf::new(pages, settings.real("theta", 10.0)?),
            places: Permutation::new(pages, derive(settings.seed, 1)),
            log_blocks,
            logged_bytes: 0,
            dirty: BTreeSet::new(),
        })
    }

    fn page_offset(&self, page: u64) -> u64 {
        (self.log_blocks * LOG_BLOCK_BYTES).next_multiple_of(self.page_bytes) + page * self.page_bytes
    }

    fn change_page(&mut self, emit: &mut Emit) {
        let page = self.places.at(self.zipf.draw(&mut emit.random));
        if !self.dirty.contains(&page) && !emit.chance(self.hits) {
            emit.stream(Op::Read, self.page_offset(page), self.page_bytes, Flags::SYNC);
        }
        self.dirty.insert(page);
    }

    /// From the block that was not full to the last that is now needed, round the end of the log.
    fn commit(&mut self, emit: &mut Emit) {
        let bytes = self.log_record_bytes / 2 + emit.random.below(self.log_record_bytes) + 1;
        let mut block = self.logged_bytes / LOG_BLOCK_BYTES;
        self.logged_bytes += bytes;
        let end = self.logged_bytes.div_ceil(LOG_BLOCK_BYTES);
        while block < end {
            let at = block % self.log_blocks;
            let count = (end - block).min(self.log_blocks - at);
            emit.stream(Op::Write, at * LOG_BLOCK_BYTES, count * LOG_BLOCK_BYTES, Flags::SYNC);
            block += count;
        }
        emit.stream(Op::Flush, 0, 0, Flags::NONE);
    }

    fn checkpoint(&mut self, emit: &mut Emit) {
        for page in std::mem::take(&mut self.dirty) {
            emit.stream(Op::Write, self.page_offset(page), self.page_bytes, Flags::NONE);
        }
        emit.stream(Op::Flush, 0, 0, Flags::NONE);
    }
}

impl Workload for Database {
    fn step(&mut self, emit: &mut Emit) -> bool {
        (0..self.pages_per_transaction).for_each(|_| self.change_page(emit));
        self.commit(emit);
        self.left -= 1;
        if self.dirty.len() as u64 >= self.dirty_max || self.left == 0 {
            self.checkpoint(emit);
        }
        emit.pass_about(self.gap_ns);
        self.left > 0
    }
}
