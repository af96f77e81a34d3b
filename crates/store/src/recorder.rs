//! Every IO's times, off the IO path and onto disk: 16 bytes an IO into pre-faulted chunks, which a second
//! thread turns into Parquet when the run is over: writing is IO beside the IO that is measured.
//! Only a run that fills [`HELD_CHUNKS_MAX`] is written while it goes on, for memory does not grow with the
//! number of IOs.
//!
//! The address of an IO is in no record: the spill thread runs the same deterministic sources again
//! (`addresses`), encodes columns (`encode`) and lays them out as a Parquet file (`table`).

mod addresses;
mod encode;
mod table;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use flashscope_core::{Record, RequestSource, Time};

use crate::error::{Remedy, StoreError};
use addresses::Addresses;
use table::{Columns, Table};

/// Records in a chunk: 1 MiB.
const CHUNK_RECORDS: usize = 1 << 16;
/// Chunks that exist at most: how far the spill may fall behind before `push` waits for it.
const CHUNKS_MAX: usize = 16;
/// Chunks that wait for the end of the run: 128 MiB, 8 million IOs.
const HELD_CHUNKS_MAX: usize = 128;
/// Chunks that exist from the start. More come, off the IO path, once a run fills them.
const CHUNKS_FIRST: usize = 2;
type Chunk = Vec<Record>;

/// What a file of IOs says about itself, beside its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The experiment's id: `granularity/RW/32KiB`.
    pub experiment: String,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// The pattern as one line of text.
    pub pattern: String,
    /// The seed that the sources were made from.
    pub seed: u64,
    /// The target's name.
    pub target: String,
    /// Whether each IO was due at a time of its own: then there is a column `due_ns`, and `submit_ns` is when
    /// the target took it.
    pub has_due: bool,
}

/// What a recorder has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// IOs in the file.
    pub ios: u64,
    /// Size of the file.
    pub bytes: u64,
}

/// Takes records on the IO path; see the module.
pub struct Recorder {
    chunk: Chunk,
    full: Option<SyncSender<Chunk>>,
    empty: Receiver<Chunk>,
    failed: Arc<AtomicBool>,
    spill: Option<JoinHandle<Result<Written, StoreError>>>,
}

impl Recorder {
    /// Starts a file at `path`; until [`Recorder::finish`] it is called `path` + `.partial`. `sources` are
    /// the same as those of the run, one for each stream, not yet asked for anything.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(
        path: &Path,
        sources: Vec<Box<dyn RequestSource + Send>>,
        origin: &Origin,
    ) -> Result<Recorder, StoreError> {
        let table = Table::create(&partial(path), origin)?;
        let (full, filled) = sync_channel(CHUNKS_MAX);
        let (emptied, empty) = sync_channel(CHUNKS_MAX);
        for _ in 1..CHUNKS_FIRST {
            emptied.send(prefaulted()).expect("its receiver is here");
        }
        let failed = Arc::new(AtomicBool::new(false));
        let spill = Spill {
            path: path.to_path_buf(),
            table,
            addresses: Addresses::new(sources),
            columns: Columns::default(),
            filled,
            emptied,
            held: VecDeque::new(),
            chunks: CHUNKS_FIRST,
            failed: failed.clone(),
        };
        let spill = std::thread::Builder::new()
            .name("spill".into())
            .spawn(move || spill.run())
            .map_err(|cause| StoreError::file("start a thread to write", path, cause))?;
        Ok(Recorder { chunk: prefaulted(), full: Some(full), empty, failed, spill: Some(spill) })
    }

    /// Keeps one IO. Takes a few nanoseconds; waits only if the spill is behind by all chunks.
    #[inline]
    pub fn push(&mut self, record: Record) {
        if self.chunk.len() == self.chunk.capacity() {
            self.hand_over();
        }
        self.chunk.push(record);
    }

    /// Whether writing has failed: then the run may stop, for its IOs are kept no longer. `finish` says why.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Writes what is left and gives the file its name.
    ///
    /// # Errors
    /// Whatever went wrong since `create`: the file, the cause and the way out. There is no file then.
    pub fn finish(mut self) -> Result<Written, StoreError> {
        self.close().expect("only finish and drop close it")
    }

    /// None if it was closed before.
    fn close(&mut self) -> Option<Result<Written, StoreError>> {
        let spill = self.spill.take()?;
        if let Some(full) = self.full.take() {
            // If the spill thread has panicked, joining it says so.
            let _ = full.send(std::mem::take(&mut self.chunk));
        }
        Some(spill.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    #[cold]
    fn hand_over(&mut self) {
        let full = std::mem::take(&mut self.chunk);
        let sender = self.full.as_ref().expect("open until it is closed");
        sender.send(full).expect("the spill thread runs until the recorder closes");
        self.chunk = self.empty.recv().expect("the spill thread gives back every chunk");
    }
}

impl Drop for Recorder {
    /// An interrupted run keeps what it measured.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.close();
        }
    }
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// An empty chunk whose pages are in memory already. Written with other than zeros, for fresh memory is zero
/// and the kernel would be asked for it only when it is first used, on the IO path.
fn prefaulted() -> Chunk {
    let mut chunk = vec![Record::new(Time(1), Record::RESPONSE_MAX, 1, 1); CHUNK_RECORDS];
    chunk = std::hint::black_box(chunk);
    chunk.clear();
    chunk
}

/// The other end: turns chunks into a file.
struct Spill {
    path: PathBuf,
    table: Table,
    addresses: Addresses,
    columns: Columns,
    filled: Receiver<Chunk>,
    emptied: SyncSender<Chunk>,
    /// What is not yet written, the oldest first.
    held: VecDeque<Chunk>,
    chunks: usize,
    failed: Arc<AtomicBool>,
}

impl Spill {
    fn run(mut self) -> Result<Written, StoreError> {
        let mut failure = None;
        while let Ok(chunk) = self.filled.recv() {
            self.held.push_back(chunk);
            if self.held.len() <= HELD_CHUNKS_MAX {
                let _ = self.emptied.try_send(prefaulted());
            } else if let Some(oldest) = self.held.pop_front() {
                self.write(&oldest, &mut failure);
                self.give_back(oldest);
            }
        }
        for chunk in std::mem::take(&mut self.held) {
            self.write(&chunk, &mut failure);
        }
        let Spill { path, table, .. } = self;
        let partial = partial(&path);
        let written = failure.map_or_else(|| table.finish(), Err).and_then(|written| {
            fs::rename(&partial, &path).map_err(|cause| StoreError::file("name", &path, cause))?;
            Ok(written)
        });
        if written.is_err() {
            // Half a file is of no use, and its room may be what is missing for the run's summary.
            let _ = fs::remove_file(&partial);
        }
        written
    }

    /// Nothing more once it has failed.
    fn write(&mut self, chunk: &[Record], failure: &mut Option<StoreError>) {
        if failure.is_none() {
            *failure = self.spill(chunk).err();
            self.failed.store(failure.is_some(), Ordering::Relaxed);
        }
    }

    fn spill(&mut self, chunk: &[Record]) -> Result<(), StoreError> {
        self.addresses.join(chunk, &mut self.columns).map_err(|cause| StoreError::Content {
            path: self.path.clone(),
            line: None,
            source: format!("{cause}; the recorder was given other sources than the run").into(),
            remedy: Remedy::Report,
        })?;
        // What failed has no response time; its error is kept with the run.
        if chunk.iter().any(|record| record.is_failed()) {
            self.columns.keep(|row| !chunk[row].is_failed());
        }
        self.table.append(&self.columns)
    }

    /// A run that fills chunks gets more of them, so that a slow disk has to be slow for long to be felt.
    fn give_back(&mut self, mut chunk: Chunk) {
        let is_last = chunk.len() < CHUNK_RECORDS;
        chunk.clear();
        // After the recorder has closed nobody takes them back.
        let _ = self.emptied.try_send(chunk);
        if self.chunks < CHUNKS_MAX && !is_last {
            self.chunks += 1;
            let _ = self.emptied.try_send(prefaulted());
        }
    }
}
