//! A model of W8 of paper 002: the Linux kernel compiled.
//!
//! From the paper: the sources of 2.6.21, the default configuration, its writes, on EXT3. Assumed: 1,600
//! sources in 150 folders, two seconds each; each makes an object of 40 KB in the mean (log-normal, a
//! deviation of the logarithm of 1) under a temporary name that is renamed, and a file of 12 KB with its
//! command; each folder's objects are linked into one of their size; all of these into an image, three
//! times, and a packed one. As file systems of the time noted when a file was last read, each source
//! changes the inodes of 60 of 8,000 header files, skewed after Zipf (theta 0.9). What lay there before is
//! not written.

use flashscope_core::zipf::Zipf;

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Style, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "compile",
    paper: "W8",
    about: "a kernel compilation on ext3: objects, links, and inode updates of files read",
    keys: &[
        key("sources", "1600", "sources compiled"),
        key("folders", "150", "folders that are linked"),
        key("mean", "40kB", "mean size of an object"),
        key("headers", "60", "headers read for a source"),
        key("pace", "2s", "mean time for a source"),
    ],
    make: |settings| Ok(Box::new(Compile::new(settings)?)),
};

const HEADERS: usize = 8000;
const COMMAND_BYTES: u64 = 12_000;
const CHUNK_BYTES: u64 = 256 << 10;
const IMAGES: u32 = 3;
/// Time goes by in steps, so that the file system writes in between.
const TICK_NS: u64 = 250_000_000;

struct Compile {
    volume: Volume,
    sources: u64,
    folders: u64,
    mean_bytes: u64,
    reads: u64,
    pace_ns: u64,
    zipf: Zipf,
    headers: Vec<FileId>,
    folder: usize,
    folder_bytes: u64,
    total_bytes: u64,
    images: u32,
    linking: Option<(FileId, u64)>,
    wake_ns: u64,
}

impl Compile {
    fn new(settings: &Settings) -> Result<Compile, TraceError> {
        let (sources, mean_bytes) = (settings.number("sources")?, settings.size_bytes("mean")?);
        // Objects, commands, what folders are linked into, and images.
        let bytes = sources.saturating_mul(mean_bytes.saturating_mul(6).saturating_add(COMMAND_BYTES + 4096));
        Ok(Compile {
            volume: settings.volume(Style::Ext3, bytes, false)?,
            sources,
            folders: settings.number("folders")?,
            mean_bytes,
            reads: settings.number("headers")?.min(100_000),
            pace_ns: settings.time_ns("pace")?,
            zipf: Zipf::new(HEADERS as u64, 0.9),
            headers: Vec::new(),
            folder: 0,
            folder_bytes: 0,
            total_bytes: 0,
            images: IMAGES,
            linking: None,
            wake_ns: 0,
        })
    }

    /// Headers are there before the trace begins.
    fn begin(&mut self, emit: &mut Emit) {
        let folders: Vec<_> = (0..200).map(|_| self.volume.make_directory(emit.now_ns)).collect();
        self.headers = (0..HEADERS).map(|at| self.volume.create(folders[at % 200], emit.now_ns)).collect();
        self.folder = self.volume.make_directory(emit.now_ns);
        self.volume.forget();
    }

    fn compile(&mut self, emit: &mut Emit) {
        for _ in 0..self.reads {
            let header = self.zipf.draw(&mut emit.random) as usize;
            self.volume.touch(self.headers[header], emit.now_ns);
        }
        let bytes = emit.file_bytes(self.mean_bytes, 1.0).min(self.volume.free_bytes() / 8);
        let object = self.volume.create(self.folder, emit.now_ns);
        self.volume.write(object, 0, bytes, emit.now_ns);
        self.volume.rename(object, emit.now_ns);
        let command = self.volume.create(self.folder, emit.now_ns);
        self.volume.write(command, 0, COMMAND_BYTES, emit.now_ns);
        self.folder_bytes += bytes;
        // Each source is the last of its folder with the same chance, so that all folders come.
        if self.folders > 0 && emit.random.below(self.sources) < self.folders {
            self.folders -= 1;
            self.total_bytes += self.folder_bytes;
            let bytes = std::mem::take(&mut self.folder_bytes);
            self.link(bytes, emit);
            self.folder = self.volume.make_directory(emit.now_ns);
        }
        self.sources -= 1;
        let now_ns = emit.now_ns;
        emit.pass_about(self.pace_ns);
        self.wake_ns = std::mem::replace(&mut emit.now_ns, now_ns);
    }

    fn link(&mut self, bytes: u64, emit: &Emit) {
        self.linking = Some((self.volume.create(self.folder, emit.now_ns), bytes.max(1)));
    }

    fn link_on(&mut self, file: FileId, left_bytes: u64, emit: &mut Emit) {
        let bytes = left_bytes.min(CHUNK_BYTES);
        self.volume.write(file, self.volume.bytes(file), bytes, emit.now_ns);
        emit.pass(bytes * 50);
        self.linking = (left_bytes > bytes).then_some((file, left_bytes - bytes));
    }
}

impl Workload for Compile {
    fn step(&mut self, emit: &mut Emit) -> bool {
        if self.headers.is_empty() {
            self.begin(emit);
        }
        if let Some((file, left_bytes)) = self.linking.take() {
            self.link_on(file, left_bytes, emit);
        } else if emit.now_ns < self.wake_ns {
            emit.pass(TICK_NS.min(self.wake_ns - emit.now_ns));
        } else if self.sources > 0 {
            self.compile(emit);
        } else if self.images > 0 {
            self.images -= 1;
            self.link(self.total_bytes, emit);
        } else if self.images == 0 && self.total_bytes > 0 {
            // The packed image is about a third.
            let bytes = std::mem::take(&mut self.total_bytes) / 3;
            self.link(bytes, emit);
        } else {
            self.volume.sync(emit);
            return false;
        }
        self.volume.tick(emit);
        true
    }
}
