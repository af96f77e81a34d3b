//! What three cost models would have said of each order, beside sequential writes.
//!
//! The affine model's two numbers are measured: random IOs of two sizes give a time for coming there and a
//! time for each byte. The block of the other two models is the size at which both times are equal, the
//! usual choice: one B for an average IO (DAM), B_R from reads and B_W from writes.

use flashscope_analysis::Point;
use flashscope_core::number::{size, span, throughput};
use flashscope_core::{Bytes, Rw};

use super::super::read::find;
use super::{CALIBRATION, CALIBRATION_FACTOR, RANDOM_GAPS, REGULAR, SEQUENTIAL};

/// `setup + bytes * each`, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Affine {
    setup_ns: f64,
    byte_ns: f64,
}

impl Affine {
    /// From the mean times of two sizes; none if the larger is no slower.
    fn of(small: (f64, f64), large: (f64, f64)) -> Option<Affine> {
        let byte_ns = (large.1 - small.1) / (large.0 - small.0);
        let setup_ns = (small.1 - small.0 * byte_ns).max(0.0);
        (byte_ns > 0.0).then_some(Affine { setup_ns, byte_ns })
    }

    fn half_bytes(&self) -> f64 {
        self.setup_ns / self.byte_ns
    }
}

/// All three.
#[derive(Clone, Copy, Debug)]
pub(super) struct Models {
    chunk_bytes: f64,
    read: Affine,
    write: Affine,
}

impl Models {
    pub(super) fn of(points: &[Point<'_>], chunk: Bytes) -> Option<Models> {
        let affine = |rw: Rw| {
            let time = |bs: Bytes| {
                let point = find(points, CALIBRATION, rw.short_name(), &bs.to_string())?;
                let ios: u64 = point.runs.iter().map(|run| run.ios).sum();
                let nanos: u64 = point.runs.iter().map(|run| run.elapsed_ns).sum();
                (ios > 0).then(|| (bs.0 as f64, nanos as f64 / ios as f64))
            };
            Affine::of(time(chunk)?, time(Bytes(chunk.0 * CALIBRATION_FACTOR))?)
        };
        let chunk_bytes = chunk.0 as f64;
        Some(Models { chunk_bytes, read: affine(Rw::RandRead)?, write: affine(Rw::RandWrite)? })
    }

    /// Throughput beside sequential: DAM, affine, (B_R, B_W).
    pub(super) fn beside_sequential(&self, order: &str) -> [Option<f64>; 3] {
        let blocks = |block_bytes: f64| Some(of_blocks(order, self.chunk_bytes, block_bytes));
        let transfer_ns = self.chunk_bytes * self.write.byte_ns;
        let affine =
            if order == SEQUENTIAL { 1.0 } else { transfer_ns / (self.write.setup_ns + transfer_ns) };
        [blocks(self.dam_block_bytes()), Some(affine), blocks(self.write.half_bytes())]
    }

    fn dam_block_bytes(&self) -> f64 {
        (self.read.setup_ns + self.write.setup_ns) / (self.read.byte_ns + self.write.byte_ns)
    }

    pub(super) fn words(&self) -> String {
        format!(
            "Cost model parameters: B = {} (DAM); {} setup time and {} transfer rate of a write (affine); \
             B_R = {} and B_W = {}.",
            size(self.dam_block_bytes()),
            span(self.write.setup_ns),
            throughput(1e9 / self.write.byte_ns),
            size(self.read.half_bytes()),
            size(self.write.half_bytes()),
        )
    }
}

/// Blocks that sequential writes touch for a chunk, over those that this order touches. The gaps are as large
/// as a chunk, so regular ones leave half of each block, random ones a third, and a chunk anywhere the rest
/// of its block.
fn of_blocks(order: &str, chunk_bytes: f64, block_bytes: f64) -> f64 {
    let sequential = chunk_bytes / block_bytes;
    if sequential >= 1.0 {
        return 1.0;
    }
    let touched = match order {
        SEQUENTIAL => sequential,
        REGULAR => 2.0 * sequential,
        RANDOM_GAPS => 1.5 * sequential,
        // Permutations and uniform draws.
        _ => 1.0,
    };
    sequential / touched.clamp(sequential, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{FRESH, REPEATED, UNIFORM};
    use super::*;

    #[test]
    fn the_dam_says_what_the_paper_says_it_says() {
        // "Regular Gaps is slowest, Sequential is twice as fast and Random Gaps is somewhere in the middle."
        let of = |order| of_blocks(order, 64.0 * 1024.0, 512.0 * 1024.0);
        assert_eq!((of(SEQUENTIAL), of(REGULAR)), (1.0, 0.5));
        assert!((of(RANDOM_GAPS) - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!((of(REPEATED), of(FRESH), of(UNIFORM)), (0.125, 0.125, 0.125));
        assert_eq!(of_blocks(UNIFORM, 1e6, 5e5), 1.0, "a chunk of whole blocks costs its blocks");
    }

    #[test]
    fn two_sizes_give_setup_and_rate() {
        let found = Affine::of((64.0, 1_064.0), (512.0, 1_512.0)).expect("a line");
        assert_eq!((found.setup_ns, found.byte_ns, found.half_bytes()), (1_000.0, 1.0, 1_000.0));
        assert!(Affine::of((64.0, 10.0), (512.0, 10.0)).is_none());
    }
}
