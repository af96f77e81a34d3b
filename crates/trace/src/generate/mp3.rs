//! A model of W5 of paper 002: MP3 files copied.
//!
//! From the paper: 90 files of 4.8 MB in the mean, on FAT16. Assumed: sizes vary little (a deviation of the
//! logarithm of 0.3), one file after the other at 10 MB/s, written from the cache by Windows XP's lazy writer
//! in requests of 64 KiB; clusters of 32 KiB.

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "mp3",
    paper: "W5",
    about: "90 MP3 files of 4.8 MB copied, sequential",
    keys: &[
        key("files", "90", "files"),
        key("mean", "4.8MB", "mean size of a file"),
        key("fs", "fat16", "file system: ext3, fat16 or ntfs"),
    ],
    make: |settings| Ok(Box::new(Mp3::new(settings)?)),
};

const CHUNK_BYTES: u64 = 64 << 10;

struct Mp3 {
    volume: Volume,
    left: u64,
    mean_bytes: u64,
    /// The file that is being copied, and what is left of it.
    copying: Option<(FileId, u64)>,
}

impl Mp3 {
    fn new(settings: &Settings) -> Result<Mp3, TraceError> {
        let (left, mean_bytes) = (settings.number("files")?, settings.size_bytes("mean")?);
        let volume = settings.volume(settings.style("fs")?, left.saturating_mul(mean_bytes), false)?;
        Ok(Mp3 { volume, left, mean_bytes, copying: None })
    }
}

impl Workload for Mp3 {
    fn step(&mut self, emit: &mut Emit) -> bool {
        let (file, left_bytes) = match self.copying.take() {
            Some(copying) => copying,
            None if self.left == 0 => {
                self.volume.sync(emit);
                return false;
            }
            None => {
                self.left -= 1;
                (self.volume.create(0, emit.now_ns), emit.file_bytes(self.mean_bytes, 0.3))
            }
        };
        let bytes = left_bytes.min(CHUNK_BYTES);
        let at = self.volume.bytes(file);
        self.volume.write(file, at, bytes, emit.now_ns);
        emit.pass(bytes * 100);
        match left_bytes - bytes {
            0 => self.volume.touch(file, emit.now_ns),
            rest => self.copying = Some((file, rest)),
        }
        self.volume.tick(emit);
        true
    }
}
