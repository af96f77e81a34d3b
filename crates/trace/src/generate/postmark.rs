//! A model of W9 of paper 002: PostMark, which imitates a mail server (Katcher 1997, "PostMark: a new file
//! system benchmark", NetApp TR3022).
//!
//! From Katcher: a pool of files with sizes uniform between two bounds is made; each transaction is a pair: a
//! file is read or appended to, and one is created or deleted, each with equal chance; at last all files are
//! deleted. (The paper speaks of one of four operations for each transaction; the program does two.) From the
//! paper: it ran on NTFS, FAT16 and EXT3. The paper does not give its parameters; assumed are 5,000 files of
//! 0.5 to 15 KB, 30,000 transactions in one folder, 0.2 ms each. Reads are served by the page cache, as the
//! pool is smaller than it.

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Style, Volume};
use crate::settings::{bad, key};

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "postmark",
    paper: "W9",
    about: "PostMark: small files created, appended to, read and deleted as on a mail server",
    keys: &[
        key("files", "5000", "initial files"),
        key("transactions", "30000", "transactions (pairs)"),
        key("min", "500", "smallest file, in bytes"),
        key("max", "15kB", "largest file"),
        key("fs", "ext3", "file system: ext3, fat16 or ntfs"),
    ],
    make: |settings| Ok(Box::new(Postmark::new(settings)?)),
};

const OPERATION_NS: u64 = 200_000;

struct Postmark {
    volume: Volume,
    pool: Vec<FileId>,
    to_create: u64,
    transactions: u64,
    bytes_min: u64,
    bytes_max: u64,
}

impl Postmark {
    fn new(settings: &Settings) -> Result<Postmark, TraceError> {
        let (bytes_min, bytes_max) = (settings.size_bytes("min")?, settings.size_bytes("max")?);
        let (to_create, transactions) = (settings.number("files")?, settings.number("transactions")?);
        if bytes_min > bytes_max {
            return Err(bad("min", settings.text("min"), "it is more than max", "take a smaller one"));
        }
        let style = settings.style("fs")?;
        let cluster_bytes = if style == Style::Fat16 { 32 << 10 } else { 4096 };
        // As many are created as deleted, give or take some deviations of a random walk.
        let most = to_create + 4 * (transactions as f64).sqrt() as u64;
        let volume = settings.volume(style, most.saturating_mul(bytes_max + cluster_bytes / 2), false)?;
        Ok(Postmark { volume, pool: Vec::new(), to_create, transactions, bytes_min, bytes_max })
    }

    fn create(&mut self, emit: &mut Emit) {
        let bytes = self.bytes_min + emit.random.below(self.bytes_max - self.bytes_min + 1);
        let file = self.volume.create(0, emit.now_ns);
        self.volume.write(file, 0, bytes, emit.now_ns);
        self.pool.push(file);
    }

    fn transaction(&mut self, emit: &mut Emit) {
        // Of reading and appending, only appending reaches the device.
        if emit.chance(0.5) && !self.pool.is_empty() {
            let file = self.pool[emit.random.below(self.pool.len() as u64) as usize];
            let bytes = self.volume.bytes(file);
            if bytes < self.bytes_max {
                let more = 1 + emit.random.below(self.bytes_max - bytes);
                self.volume.write(file, bytes, more, emit.now_ns);
            }
        }
        if emit.chance(0.5) || self.pool.is_empty() {
            self.create(emit);
        } else {
            let at = emit.random.below(self.pool.len() as u64) as usize;
            let file = self.pool.swap_remove(at);
            self.volume.delete(file, emit.now_ns);
        }
    }
}

impl Workload for Postmark {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.to_create > 0 {
            self.to_create -= 1;
            self.create(emit);
        } else if self.transactions > 0 {
            self.transactions -= 1;
            self.transaction(emit);
        } else if let Some(file) = self.pool.pop() {
            self.volume.delete(file, emit.now_ns);
        } else {
            self.volume.sync(emit);
            return false;
        }
        emit.pass_about(OPERATION_NS);
        self.volume.tick(emit);
        true
    }
}
