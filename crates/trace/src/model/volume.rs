//! A file system on a volume, behind a page cache: what it allocates, and what it writes when.
//!
//! Only writes reach the device: what is read is in the cache. Blocks are dirty until a pass of the file
//! system writes them, sorted by address, neighbours of one file (or of the metadata) as one request:
//! caches write file by file, and traces show it. What is deleted before is never written.

use std::collections::{BTreeMap, BTreeSet};

use flashscope_core::{Flags, Op};

use super::Emit;
use super::allocator::Allocator;
use super::style::{BLOCK_BYTES, Style};

/// Dirty blocks at most, 40 MiB: a tenth of a PC's memory of the time.
const DIRTY_MAX: usize = 10_240;

/// A file, until it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(usize);

#[derive(Default)]
struct File {
    directory: usize,
    /// Its inode or MFT record. None on FAT, and when all inodes are in use.
    record: Option<u64>,
    /// Which entry of its directory.
    entry: u64,
    bytes: u64,
    clusters: Vec<u64>,
}

struct Directory {
    /// Where its files go, if there is room.
    goal: u64,
    records_from: u64,
    record: Option<u64>,
    blocks: Vec<u64>,
    entries: u64,
    /// Entries that are free again.
    free: BTreeSet<u64>,
}

/// A block that is to be written: since when, and of which file; metadata are of [`METADATA`].
#[derive(Clone, Copy)]
struct Dirty {
    since_ns: u64,
    owner: usize,
}

const METADATA: usize = usize::MAX;

/// A volume with a file system of a [`Style`].
pub(crate) struct Volume {
    style: Style,
    blocks: u64,
    allocator: Allocator,
    /// Inodes or MFT records in use.
    records: Allocator,
    files: Vec<Option<File>>,
    free_files: Vec<usize>,
    directories: Vec<Directory>,
    data: BTreeMap<u64, Dirty>,
    metadata: BTreeMap<u64, Dirty>,
    /// Metadata that changed since the last commit.
    unlogged: BTreeSet<u64>,
    /// Next block of the journal, counted from its start.
    journal_head: u64,
    next_pass_ns: u64,
    flushes: bool,
}

impl Volume {
    /// An empty volume of so many bytes. With `flushes`, what is logged is flushed (a barrier).
    pub(crate) fn new(style: Style, size_bytes: u64, flushes: bool) -> Volume {
        let blocks = size_bytes / BLOCK_BYTES;
        let cluster = style.cluster_blocks();
        let mut allocator = Allocator::new(blocks / cluster);
        for (first, end) in style.reserved(blocks) {
            (first / cluster..end.div_ceil(cluster)).for_each(|at| allocator.take(at));
        }
        let mut volume = Volume {
            style,
            blocks,
            allocator,
            records: Allocator::new(style.records_max(blocks)),
            files: Vec::new(),
            free_files: Vec::new(),
            directories: Vec::new(),
            data: BTreeMap::new(),
            metadata: BTreeMap::new(),
            unlogged: BTreeSet::new(),
            journal_head: 0,
            next_pass_ns: style.pass_ns(),
            flushes,
        };
        volume.make_directory(0);
        volume
    }

    /// Bytes that files can still take.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.allocator.free() * self.style.cluster_blocks() * BLOCK_BYTES
    }

    /// The size of a file.
    pub(crate) fn bytes(&self, file: FileId) -> u64 {
        self.file(file).bytes
    }

    /// Makes a directory; the first is number 0.
    pub(crate) fn make_directory(&mut self, now_ns: u64) -> usize {
        let (goal, records_from) = self.style.group(self.directories.len() as u64, self.blocks);
        let record = self.records.next(records_from);
        self.touch_record(record, now_ns);
        self.directories.push(Directory {
            goal,
            records_from,
            record,
            blocks: Vec::new(),
            entries: 0,
            free: BTreeSet::new(),
        });
        self.directories.len() - 1
    }

    /// Makes an empty file.
    pub(crate) fn create(&mut self, directory: usize, now_ns: u64) -> FileId {
        let record = self.records.next(self.directories[directory].records_from);
        let entry = self.take_entry(directory, now_ns);
        self.touch_record(record, now_ns);
        self.touch_record(self.directories[directory].record, now_ns);
        let file = File { directory, record, entry, ..File::default() };
        match self.free_files.pop() {
            Some(at) => {
                self.files[at] = Some(file);
                FileId(at)
            }
            None => {
                self.files.push(Some(file));
                FileId(self.files.len() - 1)
            }
        }
    }

    /// Writes into a file, which grows if need be; false if the volume is full.
    pub(crate) fn write(&mut self, id: FileId, offset_bytes: u64, length_bytes: u64, now_ns: u64) -> bool {
        let end_bytes = offset_bytes + length_bytes;
        self.touch_record(self.file(id).record, now_ns);
        if !self.grow(id, end_bytes, now_ns) {
            return false;
        }
        if self.file(id).clusters.is_empty() {
            return true;
        }
        let cluster = self.style.cluster_blocks();
        for block in offset_bytes / BLOCK_BYTES..end_bytes.div_ceil(BLOCK_BYTES) {
            let place = self.file(id).clusters[(block / cluster) as usize] * cluster + block % cluster;
            self.data.entry(place).or_insert(Dirty { since_ns: now_ns, owner: id.0 });
        }
        true
    }

    /// Gives a file its clusters without writing them; false if there are not enough.
    pub(crate) fn allocate(&mut self, id: FileId, bytes: u64, now_ns: u64) -> bool {
        self.touch_record(self.file(id).record, now_ns);
        self.grow(id, bytes, now_ns)
    }

    /// Takes what is dirty as written before the trace began.
    pub(crate) fn forget(&mut self) {
        self.data.clear();
        self.metadata.clear();
        self.unlogged.clear();
    }

    /// Changes a file's metadata only: its times, its name.
    pub(crate) fn touch(&mut self, id: FileId, now_ns: u64) {
        let (record, directory, entry) = (self.file(id).record, self.file(id).directory, self.file(id).entry);
        self.touch_record(record, now_ns);
        if self.style != Style::Ext3 {
            self.touch_entry(directory, entry, now_ns);
        }
    }

    /// Renames a file within its directory.
    pub(crate) fn rename(&mut self, id: FileId, now_ns: u64) {
        let (directory, old) = (self.file(id).directory, self.file(id).entry);
        let entry = self.take_entry(directory, now_ns);
        self.touch_entry(directory, old, now_ns);
        self.directories[directory].free.insert(old);
        self.touch(id, now_ns);
        self.files[id.0].as_mut().expect("it is there").entry = entry;
    }

    /// Deletes a file. Its blocks that are still dirty are never written.
    pub(crate) fn delete(&mut self, id: FileId, now_ns: u64) {
        let file = self.files[id.0].take().expect("a file is deleted once");
        self.free_files.push(id.0);
        file.record.inspect(|&record| self.records.release(record));
        self.touch_record(file.record, now_ns);
        self.touch_entry(file.directory, file.entry, now_ns);
        self.directories[file.directory].free.insert(file.entry);
        let cluster = self.style.cluster_blocks();
        for at in file.clusters {
            self.allocator.release(at);
            self.touch_map(at * cluster, now_ns);
            for block in at * cluster..(at + 1) * cluster {
                self.data.remove(&block);
            }
        }
    }

    /// Lets the file system write, if it is time or too much is dirty.
    pub(crate) fn tick(&mut self, emit: &mut Emit) {
        if emit.now_ns >= self.next_pass_ns {
            self.pass(emit, self.style.age_ns());
            self.next_pass_ns = emit.now_ns + self.style.pass_ns();
        }
        if self.data.len() > DIRTY_MAX {
            let data = std::mem::take(&mut self.data);
            self.write_out(data, emit);
        }
    }

    /// Writes everything that is dirty, as at an unmount.
    pub(crate) fn sync(&mut self, emit: &mut Emit) {
        self.pass(emit, 0);
    }

    fn pass(&mut self, emit: &mut Emit, age_ns: u64) {
        let due_ns = emit.now_ns.saturating_sub(age_ns);
        let data = match self.style {
            // Ordered: before what names them is logged.
            Style::Ext3 => std::mem::take(&mut self.data),
            Style::Fat16 | Style::Ntfs => take_older(&mut self.data, due_ns),
        };
        if self.style == Style::Ntfs {
            self.log(emit);
            self.write_out(data, emit);
        } else {
            self.write_out(data, emit);
            self.log(emit);
        }
        let metadata = take_older(&mut self.metadata, due_ns);
        self.write_out(metadata, emit);
    }

    /// Writes what changed to the journal.
    fn log(&mut self, emit: &mut Emit) {
        let changed = std::mem::take(&mut self.unlogged).len() as u64;
        let (start, count) = self.style.journal(self.blocks);
        if changed == 0 || count == 0 {
            return;
        }
        let (records, commit) = match self.style {
            // A descriptor and the blocks themselves; then the commit block.
            Style::Ext3 => (changed + changed.div_ceil(250), 1),
            // Some 100 bytes for each change.
            _ => (changed.div_ceil(40), 0),
        };
        let mut left = records;
        while left > 0 {
            let room = (count - self.journal_head).min(left).min(self.style.request_blocks_max());
            emit.stream(
                Op::Write,
                (start + self.journal_head) * BLOCK_BYTES,
                room * BLOCK_BYTES,
                Flags::SYNC,
            );
            self.journal_head = (self.journal_head + room) % count;
            left -= room;
        }
        if self.flushes {
            emit.stream(Op::Flush, 0, 0, Flags::NONE);
        }
        if commit > 0 {
            let flags = Flags(Flags::SYNC.0 | if self.flushes { Flags::FUA.0 } else { 0 });
            emit.stream(Op::Write, (start + self.journal_head) * BLOCK_BYTES, BLOCK_BYTES, flags);
            self.journal_head = (self.journal_head + 1) % count;
        }
    }

    /// Writes blocks in the order of their addresses, neighbours of one file as one request.
    fn write_out(&self, blocks: BTreeMap<u64, Dirty>, emit: &mut Emit) {
        let mut write = |first: u64, count: u64| {
            emit.stream(Op::Write, first * BLOCK_BYTES, count * BLOCK_BYTES, Flags::NONE);
        };
        let (mut first, mut count, mut of) = (0, 0, METADATA);
        for (block, Dirty { owner, .. }) in blocks {
            let is_next = block == first + count && owner == of;
            if count > 0 && is_next && count < self.style.request_blocks_max() {
                count += 1;
                continue;
            }
            if count > 0 {
                write(first, count);
            }
            (first, count, of) = (block, 1, owner);
        }
        if count > 0 {
            write(first, count);
        }
    }

    fn file(&self, id: FileId) -> &File {
        self.files[id.0].as_ref().expect("a file that is deleted is not used")
    }

    /// Gives a file the clusters for so many bytes; false if there are none.
    fn grow(&mut self, id: FileId, bytes: u64, now_ns: u64) -> bool {
        let cluster = self.style.cluster_blocks();
        let file = self.files[id.0].as_mut().expect("a file that is deleted is not used");
        file.bytes = file.bytes.max(bytes);
        if file.bytes <= self.style.resident_bytes() {
            return true;
        }
        let wanted = file.bytes.div_ceil(cluster * BLOCK_BYTES) as usize;
        let mut taken = Vec::new();
        while file.clusters.len() < wanted {
            let goal =
                file.clusters.last().map_or(self.directories[file.directory].goal / cluster, |at| at + 1);
            let Some(at) = self.allocator.next(goal) else { return false };
            file.clusters.push(at);
            taken.push(at * cluster);
        }
        taken.into_iter().for_each(|block| self.touch_map(block, now_ns));
        true
    }

    fn take_entry(&mut self, directory: usize, now_ns: u64) -> u64 {
        let per_block = self.style.entries_per_block();
        let entry = match self.directories[directory].free.pop_first() {
            Some(entry) => entry,
            None => {
                self.directories[directory].entries += 1;
                self.directories[directory].entries - 1
            }
        };
        if entry / per_block >= self.directories[directory].blocks.len() as u64 {
            let cluster = self.style.cluster_blocks();
            let goal = self.directories[directory].goal / cluster;
            // On a full volume, entries go to the last block there is.
            if let Some(at) = self.allocator.next(goal) {
                self.touch_map(at * cluster, now_ns);
                self.directories[directory].blocks.extend(at * cluster..(at + 1) * cluster);
            }
        }
        self.touch_entry(directory, entry, now_ns);
        entry
    }

    fn touch_entry(&mut self, directory: usize, entry: u64, now_ns: u64) {
        let blocks = &self.directories[directory].blocks;
        let at = (entry / self.style.entries_per_block()).min(blocks.len().saturating_sub(1) as u64);
        if let Some(&block) = blocks.get(at as usize) {
            self.touch_metadata(block, now_ns);
        }
    }

    fn touch_record(&mut self, record: Option<u64>, now_ns: u64) {
        if let Some(block) = record.and_then(|record| self.style.record_block(record, self.blocks)) {
            self.touch_metadata(block, now_ns);
        }
    }

    fn touch_map(&mut self, block: u64, now_ns: u64) {
        for block in self.style.map_blocks(block, self.blocks).into_iter().flatten() {
            self.touch_metadata(block, now_ns);
        }
    }

    fn touch_metadata(&mut self, block: u64, now_ns: u64) {
        self.metadata.entry(block).or_insert(Dirty { since_ns: now_ns, owner: METADATA });
        self.unlogged.insert(block);
    }
}

/// Takes out what is dirty since `due_ns` or longer.
fn take_older(dirty: &mut BTreeMap<u64, Dirty>, due_ns: u64) -> BTreeMap<u64, Dirty> {
    let (old, young) = std::mem::take(dirty).into_iter().partition(|(_, block)| block.since_ns <= due_ns);
    *dirty = young;
    old
}
