//! How often different places of a trace came to lie on one.

use super::super::Note;
use crate::record::Record;

/// Entries of a table, 64 MiB. A larger device is counted in larger units.
const ENTRIES_MAX: u64 = 1 << 23;
const UNIT_BYTES_MIN: u64 = 4096;
/// Entries that are there once one of them is needed.
const CHUNK: usize = 512;
/// All tables together.
const CHUNKS_MAX: u64 = ENTRIES_MAX / CHUNK as u64;

/// Nothing lies there; no real distance, as those are multiples of the size or of the blocks.
const UNUSED: u64 = u64::MAX;
/// Different places lie there.
const COLLIDED: u64 = u64::MAX - 1;

/// For each unit of each fitted device: how far away what lies on it was. Two distances are a collision.
pub(super) struct Collisions {
    size_bytes: u64,
    unit_bytes: u64,
    /// By device and by the unit's number.
    tables: Vec<Vec<Option<Box<[u64; CHUNK]>>>>,
    chunks: u64,
    used: u64,
    collided: u64,
    /// There was no room for all.
    is_cut: bool,
}

impl Collisions {
    pub(super) fn new(size_bytes: u64) -> Collisions {
        let unit_bytes = size_bytes.div_ceil(ENTRIES_MAX).next_power_of_two().max(UNIT_BYTES_MIN);
        let tables = Vec::new();
        Collisions { size_bytes, unit_bytes, tables, chunks: 0, used: 0, collided: 0, is_cut: false }
    }

    /// The fitted record came from so far away.
    pub(super) fn add(&mut self, record: &Record, distance: u64) {
        if record.length_bytes == 0 {
            return;
        }
        let device = record.device as usize;
        if device >= self.tables.len() {
            self.tables.resize_with(device + 1, Vec::new);
        }
        let last = record.offset_bytes + record.length_bytes - 1;
        for unit in record.offset_bytes / self.unit_bytes..=last / self.unit_bytes {
            self.add_unit(device, unit as usize, distance);
        }
    }

    fn add_unit(&mut self, device: usize, unit: usize, distance: u64) {
        let table = &mut self.tables[device];
        if table.is_empty() {
            let units = self.size_bytes.div_ceil(self.unit_bytes) as usize;
            table.resize_with(units.div_ceil(CHUNK), || None);
        }
        let chunk = &mut table[unit / CHUNK];
        if chunk.is_none() {
            if self.chunks == CHUNKS_MAX {
                self.is_cut = true;
                return;
            }
            self.chunks += 1;
        }
        let chunk = chunk.get_or_insert_with(|| Box::new([UNUSED; CHUNK]));
        let entry = &mut chunk[unit % CHUNK];
        if *entry == UNUSED {
            *entry = distance;
            self.used += 1;
        } else if *entry != distance && *entry != COLLIDED {
            *entry = COLLIDED;
            self.collided += 1;
        }
    }

    pub(super) fn note(&self) -> Option<Note> {
        let (unit, used) = (self.unit_bytes, self.used);
        let about = match self.is_cut {
            false => format!("of {used} blocks of {unit} bytes in use stand for several places of the trace"),
            true => format!(
                "or more blocks of {unit} bytes stand for several places of the trace (only {used} blocks \
                 could be watched)"
            ),
        };
        Note::some(self.collided, about)
    }
}
