//! A model of W2 of paper 002: temporary Internet files.
//!
//! From the paper: Internet Explorer 6 on Windows XP, the folder on a partition of 1 GB with NTFS, until
//! 100 MB of several small files are in it. Assumed: files of 8 KB in the mean, log-normal (a deviation of
//! the logarithm of 1.3), in four folders of random choice; pages of 20 files that arrive at 100 KB/s, read
//! for 15 s in the mean; an index of 4 MiB, of which each file changes two random pages and the first.

use super::{Generator, Settings, Workload};
use crate::error::TraceError;
use crate::model::{Emit, FileId, Style, Volume};
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "internet-files",
    paper: "W2",
    about: "a browser cache filled with 100 MB of small files on NTFS",
    keys: &[
        key("bytes", "100MB", "final size of the folder"),
        key("mean", "8kB", "mean size of a file"),
        key("page", "20", "files of a page, which arrive together"),
        key("pause", "15s", "mean time between pages"),
        key("index", "4MiB", "size of the index"),
    ],
    make: |settings| Ok(Box::new(InternetFiles::new(settings)?)),
};

const PAGE_BYTES: u64 = 4096;
const FOLDERS: u64 = 4;
const TICK_NS: u64 = 1_000_000_000;

struct InternetFiles {
    volume: Volume,
    left_bytes: u64,
    mean_bytes: u64,
    page_files: u64,
    pause_ns: u64,
    index_bytes: u64,
    index: Option<FileId>,
    /// Files of this page still to come.
    left_of_page: u64,
    /// When the next page comes.
    wake_ns: u64,
}

impl InternetFiles {
    fn new(settings: &Settings) -> Result<InternetFiles, TraceError> {
        let (left_bytes, mean_bytes) = (settings.size_bytes("bytes")?, settings.size_bytes("mean")?);
        let index_bytes = settings.size_bytes("index")?.next_multiple_of(PAGE_BYTES);
        // Small files leave most of a block unused.
        let bytes = left_bytes.saturating_add(left_bytes / mean_bytes * 4096).saturating_add(index_bytes);
        Ok(InternetFiles {
            volume: settings.volume(Style::Ntfs, bytes, false)?,
            left_bytes,
            mean_bytes,
            page_files: settings.number("page")?,
            pause_ns: settings.time_ns("pause")?,
            index_bytes,
            index: None,
            left_of_page: 0,
            wake_ns: 0,
        })
    }

    fn begin(&mut self, emit: &mut Emit) -> FileId {
        (0..FOLDERS).for_each(|_| {
            self.volume.make_directory(emit.now_ns);
        });
        let index = self.volume.create(0, emit.now_ns);
        self.volume.allocate(index, self.index_bytes, emit.now_ns);
        self.index = Some(index);
        index
    }

    fn fetch(&mut self, index: FileId, emit: &mut Emit) {
        let bytes = emit.file_bytes(self.mean_bytes, 1.3).min(self.left_bytes);
        let folder = 1 + emit.random.below(FOLDERS) as usize;
        let file = self.volume.create(folder, emit.now_ns);
        self.volume.write(file, 0, bytes, emit.now_ns);
        self.volume.touch(file, emit.now_ns);
        let pages = self.index_bytes / PAGE_BYTES;
        for page in [0, emit.random.below(pages), emit.random.below(pages)] {
            self.volume.write(index, page * PAGE_BYTES, PAGE_BYTES, emit.now_ns);
        }
        self.left_bytes -= bytes;
        emit.pass(bytes * 10_000);
    }
}

impl Workload for InternetFiles {
    fn step(&mut self, emit: &mut Emit) -> bool {
        let index = match self.index {
            Some(index) => index,
            None => self.begin(emit),
        };
        if self.left_bytes == 0 {
            self.volume.sync(emit);
            return false;
        }
        if emit.now_ns < self.wake_ns {
            // The lazy writer works while the page is read.
            emit.pass(TICK_NS.min(self.wake_ns - emit.now_ns));
        } else if self.left_of_page > 0 {
            self.left_of_page -= 1;
            self.fetch(index, emit);
        } else {
            self.left_of_page = self.page_files;
            let now_ns = emit.now_ns;
            emit.pass_about(self.pause_ns);
            self.wake_ns = std::mem::replace(&mut emit.now_ns, now_ns);
        }
        self.volume.tick(emit);
        true
    }
}
