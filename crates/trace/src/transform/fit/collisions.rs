//! How often different places of a trace came to lie on one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use flashscope_core::number::{count, exact_size};

use super::super::Note;
use crate::record::Record;

/// Entries in all, 64 MiB. A larger device is counted in larger units.
const ENTRIES_MAX: u64 = 1 << 23;
const UNIT_BYTES_MIN: u64 = 4096;
/// Entries that are there once one of them is needed.
const CHUNK: usize = 512;
/// All devices together.
const CHUNKS_MAX: usize = ENTRIES_MAX as usize / CHUNK;

/// Nothing lies there; no real distance, as those are multiples of the size or of the blocks.
const UNUSED: u64 = u64::MAX;
/// Different places lie there.
const COLLIDED: u64 = u64::MAX - 1;

/// For each unit of each fitted device: how far away what lies on it was. Two distances are a collision.
pub(super) struct Collisions {
    unit_bytes: u64,
    /// By device and by the unit's number / [`CHUNK`].
    chunks: HashMap<(u32, u64), Box<[u64; CHUNK]>>,
    used: u64,
    collided: u64,
    /// There was no room for all.
    is_cut: bool,
}

impl Collisions {
    pub(super) fn new(size_bytes: u64) -> Collisions {
        let unit_bytes = size_bytes.div_ceil(ENTRIES_MAX).next_power_of_two().max(UNIT_BYTES_MIN);
        Collisions { unit_bytes, chunks: HashMap::new(), used: 0, collided: 0, is_cut: false }
    }

    /// The fitted record came from so far away.
    pub(super) fn add(&mut self, record: &Record, distance: u64) {
        if record.length_bytes == 0 {
            return;
        }
        let last = (record.offset_bytes + record.length_bytes - 1) / self.unit_bytes;
        let mut unit = record.offset_bytes / self.unit_bytes;
        while unit <= last {
            let number = unit / CHUNK as u64;
            let end = last.min((number + 1) * CHUNK as u64 - 1);
            self.add_units((record.device, number), unit..=end, distance);
            unit = end + 1;
        }
    }

    /// Units of one chunk.
    fn add_units(&mut self, chunk: (u32, u64), units: RangeInclusive<u64>, distance: u64) {
        let has_room = self.chunks.len() < CHUNKS_MAX;
        let entries = match self.chunks.entry(chunk) {
            Entry::Occupied(entries) => entries.into_mut(),
            Entry::Vacant(place) if has_room => place.insert(Box::new([UNUSED; CHUNK])),
            Entry::Vacant(_) => {
                self.is_cut = true;
                return;
            }
        };
        for unit in units {
            let entry = &mut entries[unit as usize % CHUNK];
            if *entry == UNUSED {
                *entry = distance;
                self.used += 1;
            } else if *entry != distance && *entry != COLLIDED {
                *entry = COLLIDED;
                self.collided += 1;
            }
        }
    }

    pub(super) fn note(&self) -> Option<Note> {
        let (unit, used) = (exact_size(self.unit_bytes), count(self.used));
        let detail = match self.is_cut {
            false => format!("of {used} in use"),
            true => format!("or more: only {used} could be tracked"),
        };
        let about = format!("blocks of {unit} with address collisions");
        Note::some(self.collided, about).map(|note| note.with(detail))
    }
}
