//! Where requests went when: a raster of addresses over time that coarsens as the trace outgrows it.

use super::clock::{BUCKETS, Chunk};
use super::summary::AddressMap;

const ROWS: usize = 128;

/// Requests by time and first address, reads and writes apart. All devices lie over one another.
pub(super) struct Map {
    /// By bucket of time, row, and kind. Rows are a ring: a row's place is its number modulo [`ROWS`].
    cells: Vec<[u32; 2]>,
    /// A row is 2 to the power of this, in bytes.
    shift: u32,
    first_row: u64,
    last_row: u64,
}

impl Default for Map {
    fn default() -> Map {
        Map { cells: vec![[0; 2]; BUCKETS * ROWS], shift: 12, first_row: u64::MAX, last_row: 0 }
    }
}

impl Map {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        for (record, bucket) in chunk.buckets() {
            if record.op as usize > 1 {
                continue;
            }
            let mut row = record.offset_bytes >> self.shift;
            if row < self.first_row || row > self.last_row {
                self.reach(record.offset_bytes);
                row = record.offset_bytes >> self.shift;
            }
            let cell = &mut self.cells[bucket * ROWS + row as usize % ROWS][record.op as usize];
            *cell = cell.saturating_add(1);
        }
    }

    /// Makes room for an address.
    #[cold]
    fn reach(&mut self, offset_bytes: u64) {
        loop {
            let row = offset_bytes >> self.shift;
            let (first, last) = (self.first_row.min(row), self.last_row.max(row));
            if last - first < ROWS as u64 {
                (self.first_row, self.last_row) = (first, last);
                return;
            }
            self.coarsen();
        }
    }

    /// Two rows become one.
    fn coarsen(&mut self) {
        if self.first_row <= self.last_row {
            for column in self.cells.chunks_mut(ROWS) {
                let mut coarse = [[0u32; 2]; ROWS];
                for row in self.first_row..=self.last_row {
                    let fine = column[row as usize % ROWS];
                    add(&mut coarse[(row / 2) as usize % ROWS], fine);
                }
                column.copy_from_slice(&coarse);
            }
            (self.first_row, self.last_row) = (self.first_row / 2, self.last_row / 2);
        }
        self.shift += 1;
    }

    pub(super) fn fold(&mut self) {
        for bucket in 0..BUCKETS {
            for row in 0..ROWS {
                let mut sum = [0; 2];
                if bucket < BUCKETS / 2 {
                    sum = self.cells[2 * bucket * ROWS + row];
                    add(&mut sum, self.cells[(2 * bucket + 1) * ROWS + row]);
                }
                self.cells[bucket * ROWS + row] = sum;
            }
        }
    }

    /// None without a read or write.
    pub(super) fn summary(&self, used: usize) -> Option<AddressMap> {
        let rows = self.first_row..=self.last_row;
        let columns = self.cells.chunks(ROWS).take(used);
        let column = |kind: usize, column: &[[u32; 2]]| -> Vec<u32> {
            rows.clone().map(|row| column[row as usize % ROWS][kind]).collect()
        };
        (self.first_row <= self.last_row).then(|| AddressMap {
            first_bytes: self.first_row << self.shift,
            row_bytes: 1 << self.shift,
            reads: columns.clone().map(|cells| column(0, cells)).collect(),
            writes: columns.map(|cells| column(1, cells)).collect(),
        })
    }
}

fn add(sum: &mut [u32; 2], more: [u32; 2]) {
    *sum = [sum[0].saturating_add(more[0]), sum[1].saturating_add(more[1])];
}
