//! The response times of one run, read from the file of its IOs.

use flashscope_analysis::{Finished, Histogram};
use flashscope_core::Op;
use flashscope_store::ResultFile;
use flashscope_store::ios::{IoFile, Parts};

use super::Scene;
use crate::html::document::Point;

/// Pieces of equal time that a run is divided into, at most, and fewest IOs of one in the mean.
const PIECES_MAX: u64 = 80;
const PIECE_IOS: u64 = 32;

/// What the IOs of a run say together.
pub(super) struct Responses {
    /// Of the running phase, by operation in the order of [`Op::ALL`].
    pub(super) by_op: [Histogram; 4],
    /// IOs in each piece of the whole run.
    pieces: Vec<u64>,
    piece_ns: f64,
    io_bytes: f64,
}

impl Responses {
    /// None where its IOs are not there, or damaged: that is said where they are shown.
    pub(super) fn of(scene: &Scene<'_>, done: &Finished) -> Option<Responses> {
        let run = &done.run;
        let file = IoFile::open(&ResultFile::new(&scene.stored.path, run.records.as_ref()?)).ok()?;
        let pieces = (run.ios / PIECE_IOS).clamp(1, PIECES_MAX);
        let mut found = Responses {
            by_op: Default::default(),
            pieces: vec![0; pieces as usize],
            piece_ns: run.elapsed_ns.max(1) as f64 / pieces as f64,
            io_bytes: (run.read_bytes + run.written_bytes) as f64 / run.ios.max(1) as f64,
        };
        let mut left_out = run.ios_ignored();
        let mut batches = file.batches(Parts::Times);
        while let Some(ios) = batches.next_batch().ok()? {
            for io in ios {
                if left_out == 0 {
                    found.by_op[io.op as usize].record(io.response_ns);
                }
                left_out = left_out.saturating_sub(1);
                let piece = (io.completed_ns() as f64 / found.piece_ns) as usize;
                found.pieces[piece.min(pieces as usize - 1)] += 1;
            }
        }
        Some(found)
    }

    /// Reads and writes, those that there are.
    pub(super) fn kinds(&self) -> impl Iterator<Item = (Op, &Histogram)> {
        let of = |op: Op| (op, &self.by_op[op as usize]);
        [Op::Read, Op::Write].into_iter().map(of).filter(|(_, all)| all.ios() > 0)
    }

    /// Throughput in MB/s from each second, and from each byte, until the next one.
    pub(super) fn throughput(&self) -> [Vec<Point>; 2] {
        let (mut over_time, mut over_bytes, mut bytes, mut mb_s) = (Vec::new(), Vec::new(), 0.0, 0.0);
        let mut put = |time_ns: f64, bytes: f64, mb_s: f64| {
            over_time.push(Point::at(time_ns / 1e9, mb_s));
            over_bytes.push(Point::at(bytes, mb_s));
        };
        for (i, ios) in self.pieces.iter().enumerate() {
            let moved = *ios as f64 * self.io_bytes;
            mb_s = moved / self.piece_ns * 1e3;
            put(i as f64 * self.piece_ns, bytes, mb_s);
            bytes += moved;
        }
        put(self.pieces.len() as f64 * self.piece_ns, bytes, mb_s);
        [over_time, over_bytes]
    }
}
