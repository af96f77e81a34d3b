//! A model of W1 of paper 002: MS Office 2003 installed.
//!
//! From the paper: the full options, on Windows XP, NTFS, a partition of its own (so that a part of the
//! libraries, and the registry, went elsewhere). Assumed: 2,500 files of 170 KB in the mean, some 430 MB,
//! log-normal (a deviation of the logarithm of 2) in 250 folders; each is unpacked under a temporary name at
//! 8 MB/s, renamed, and given its times; a database of 12 MB is written first, and changed at three random
//! pages for every file; a log grows by 200 bytes a file.

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Style, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "office-install",
    paper: "W1",
    about: "an installation on NTFS: files of mixed sizes, and a database changed at random pages",
    keys: &[
        key("files", "2500", "files"),
        key("folders", "250", "folders"),
        key("mean", "170kB", "mean size of a file"),
        key("database", "12MiB", "size of the database"),
        key("changes", "3", "database pages changed for each file"),
    ],
    make: |settings| Ok(Box::new(Install::new(settings)?)),
};

const PAGE_BYTES: u64 = 4096;
const CHUNK_BYTES: u64 = 64 << 10;
const LOG_BYTES: u64 = 200;

struct Install {
    volume: Volume,
    files: u64,
    folders: u64,
    mean_bytes: u64,
    database_bytes: u64,
    changes: u64,
    folder: usize,
    /// Database and log, once they are there.
    own: Option<(FileId, FileId)>,
    unpacking: Option<(FileId, u64)>,
}

impl Install {
    fn new(settings: &Settings) -> Result<Install, TraceError> {
        let (files, mean_bytes) = (settings.number("files")?, settings.size_bytes("mean")?);
        let database_bytes = settings.size_bytes("database")?.next_multiple_of(PAGE_BYTES);
        let bytes = files.saturating_mul(mean_bytes + 2048).saturating_add(database_bytes);
        Ok(Install {
            volume: settings.volume(Style::Ntfs, bytes, false)?,
            files,
            folders: settings.number("folders")?,
            mean_bytes,
            database_bytes,
            changes: settings.number("changes")?.min(1000),
            folder: 0,
            own: None,
            unpacking: None,
        })
    }

    fn begin(&mut self, emit: &mut Emit) -> (FileId, FileId) {
        let (database, log) = (self.volume.create(0, emit.now_ns), self.volume.create(0, emit.now_ns));
        self.volume.write(database, 0, self.database_bytes, emit.now_ns);
        self.own = Some((database, log));
        (database, log)
    }

    fn unpack(&mut self, emit: &mut Emit) {
        let (file, left_bytes) = match self.unpacking.take() {
            Some(unpacking) => unpacking,
            None => {
                if self.folders > 0 && emit.random.below(self.files) < self.folders {
                    self.folder = self.volume.make_directory(emit.now_ns);
                    self.folders -= 1;
                }
                // None that would not fit beside the rest.
                let most = self.volume.free_bytes() / 4;
                let bytes = emit.file_bytes(self.mean_bytes, 2.0).min(most.max(1));
                (self.volume.create(self.folder, emit.now_ns), bytes)
            }
        };
        let bytes = left_bytes.min(CHUNK_BYTES);
        self.volume.write(file, self.volume.bytes(file), bytes, emit.now_ns);
        emit.pass(bytes * 125);
        if left_bytes > bytes {
            self.unpacking = Some((file, left_bytes - bytes));
            return;
        }
        self.volume.rename(file, emit.now_ns);
        self.files -= 1;
        self.note(emit);
    }

    /// What is recorded of a file.
    fn note(&mut self, emit: &mut Emit) {
        let Some((database, log)) = self.own else { return };
        for _ in 0..self.changes {
            let page = emit.random.below(self.database_bytes / PAGE_BYTES);
            self.volume.write(database, page * PAGE_BYTES, PAGE_BYTES, emit.now_ns);
        }
        self.volume.write(log, self.volume.bytes(log), LOG_BYTES, emit.now_ns);
        emit.pass_about(10_000_000);
    }
}

impl Workload for Install {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.own.is_none() {
            self.begin(emit);
        }
        if self.files == 0 {
            self.volume.sync(emit);
            return false;
        }
        self.unpack(emit);
        self.volume.tick(emit);
        true
    }
}
