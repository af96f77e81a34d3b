//! A model in the manner of W3 of paper 002: the hard-disk test of PCMark05.
//!
//! From the paper: the HDD test on NTFS under Windows XP, its writes; and that its results were very
//! similar to those of W2. Known of the test: it replays the start of Windows, the loading of applications,
//! general use, a virus scan and the writing of files. Assumed: all else. The first four are taken as 6,000
//! writes of 4 to 64 KiB within a file of 200 MB, skewed after Zipf (theta 0.9), in bursts; a virus scan
//! writes nothing; the writing of files is 300 MB in files of 1 MB in the mean.

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::derive;
use flashscope_core::zipf::Zipf;

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Style, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "pcmark",
    paper: "W3",
    about: "a desktop mix on NTFS: small skewed writes to a large file, then new files",
    keys: &[
        key("area", "200MB", "size of the file"),
        key("writes", "6000", "random writes to it"),
        key("files", "300MB", "bytes of the files written afterwards"),
        key("mean", "1MB", "mean size of these files"),
    ],
    make: |settings| Ok(Box::new(Pcmark::new(settings)?)),
};

const UNIT_BYTES: u64 = 4096;
const CHUNK_BYTES: u64 = 64 << 10;

struct Pcmark {
    volume: Volume,
    area_bytes: u64,
    writes: u64,
    left_bytes: u64,
    mean_bytes: u64,
    zipf: Zipf,
    places: Permutation,
    area: Option<FileId>,
    writing: Option<(FileId, u64)>,
}

impl Pcmark {
    fn new(settings: &Settings) -> Result<Pcmark, TraceError> {
        let area_bytes = settings.size_bytes("area")?.next_multiple_of(CHUNK_BYTES);
        let left_bytes = settings.size_bytes("files")?;
        let units = area_bytes / CHUNK_BYTES;
        Ok(Pcmark {
            volume: settings.volume(Style::Ntfs, area_bytes.saturating_add(left_bytes), false)?,
            area_bytes,
            writes: settings.number("writes")?,
            left_bytes,
            mean_bytes: settings.size_bytes("mean")?,
            zipf: Zipf::new(units, 0.9),
            places: Permutation::new(units, derive(settings.seed, 1)),
            area: None,
            writing: None,
        })
    }

    fn small(&mut self, emit: &mut Emit) {
        let area = match self.area {
            Some(area) => area,
            None => {
                let area = self.volume.create(0, emit.now_ns);
                self.volume.allocate(area, self.area_bytes, emit.now_ns);
                *self.area.insert(area)
            }
        };
        // 4, 8, 16, 32 or 64 KiB within its chunk.
        let bytes = UNIT_BYTES << emit.random.below(5);
        let chunk = self.places.at(self.zipf.draw(&mut emit.random)) * CHUNK_BYTES;
        let offset_bytes = chunk + emit.random.below(CHUNK_BYTES / bytes) * bytes;
        self.volume.write(area, offset_bytes, bytes, emit.now_ns);
        self.writes -= 1;
        // Bursts of twenty, half a second apart.
        let is_last = emit.chance(0.05);
        emit.pass_about(if is_last { 500_000_000 } else { 2_000_000 });
    }

    fn large(&mut self, emit: &mut Emit) {
        let (file, rest_bytes) = match self.writing.take() {
            Some(writing) => writing,
            None => {
                let bytes = emit.file_bytes(self.mean_bytes, 1.0).min(self.left_bytes);
                (self.volume.create(0, emit.now_ns), bytes)
            }
        };
        let bytes = rest_bytes.min(CHUNK_BYTES);
        self.volume.write(file, self.volume.bytes(file), bytes, emit.now_ns);
        self.left_bytes -= bytes;
        self.writing = (rest_bytes > bytes).then_some((file, rest_bytes - bytes));
        emit.pass(bytes * 50);
    }
}

impl Workload for Pcmark {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.writes > 0 {
            self.small(emit);
        } else if self.left_bytes > 0 {
            self.large(emit);
        } else {
            self.volume.sync(emit);
            return false;
        }
        self.volume.tick(emit);
        true
    }
}
