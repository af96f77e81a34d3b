//! A model of W7 of paper 002: the sources of Linux unpacked.
//!
//! From the paper: 1,285 folders and 21,594 files with a mean size of 10.7 KB, on EXT3. Assumed: sizes are
//! log-normal (a deviation of the logarithm of 1.4), folders hold what they hold in random shares but come
//! one after the other, and a file takes 1 ms and its bytes at 20 MB/s. Data, inodes, bitmaps, directory
//! blocks and the journal are written as the ext3 of `Style` does: data and log every 5 s, metadata in
//! place later. Simulations of the paper assume that nothing is flushed; `flush=yes` is a barrier at each
//! commit.

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, Style, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "untar",
    paper: "W7",
    about: "21,594 small files in 1,285 folders unpacked on ext3: data, metadata and journal",
    keys: &[
        key("files", "21594", "files"),
        key("folders", "1285", "folders"),
        key("mean", "10.7kB", "mean size of a file"),
        key("fs", "ext3", "file system: ext3, fat16 or ntfs"),
        key("flush", "no", "yes: the file system flushes its log"),
    ],
    make: |settings| Ok(Box::new(Untar::new(settings)?)),
};

struct Untar {
    volume: Volume,
    files: u64,
    folders: u64,
    mean_bytes: u64,
    folder: usize,
}

impl Untar {
    fn new(settings: &Settings) -> Result<Untar, TraceError> {
        let (files, folders) = (settings.number("files")?, settings.number("folders")?);
        let mean_bytes = settings.size_bytes("mean")?;
        let style = settings.style("fs")?;
        let flushes = settings.is_yes("flush")?;
        // A file ends within a block or cluster, half of it lost in the mean.
        let cluster_bytes = if style == Style::Fat16 { 32 << 10 } else { 4096 };
        let bytes = files.saturating_mul(mean_bytes + cluster_bytes / 2);
        let volume = settings.volume(style, bytes, flushes)?;
        Ok(Untar { volume, files, folders, mean_bytes, folder: 0 })
    }
}

impl Workload for Untar {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.files == 0 {
            self.volume.sync(emit);
            return false;
        }
        // Each file is the first of its folder with the same chance, so that all folders come.
        if self.folders > 0 && emit.random.below(self.files) < self.folders {
            self.folder = self.volume.make_directory(emit.now_ns);
            self.folders -= 1;
        }
        self.files -= 1;
        let bytes = emit.file_bytes(self.mean_bytes, 1.4);
        let file = self.volume.create(self.folder, emit.now_ns);
        self.volume.write(file, 0, bytes, emit.now_ns);
        self.volume.touch(file, emit.now_ns);
        emit.pass_about(1_000_000);
        emit.pass(bytes * 50);
        self.volume.tick(emit);
        true
    }
}
