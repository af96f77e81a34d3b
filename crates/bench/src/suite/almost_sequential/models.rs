//! What three cost models would have said of each order, beside sequential writes.
//!
//! The affine model's two numbers are measured: random IOs of two sizes give a time for coming there and a
//! time for each byte. The block of the other two models is the size at which both times are equal, the
//! usual choice: one B for an average IO (DAM), B_R from reads and B_W from writes.

use flashscope_analysis::{Estimate, Point};
use flashscope_core::number::{Among, among};
use flashscope_core::{Bytes, Rw};

use super::super::read::find;
use super::{CALIBRATION, CALIBRATION_FACTOR, RANDOM_GAPS, REGULAR, SEQUENTIAL};

/// A mean time in nanoseconds and half the width of its interval: none is known without an estimate.
#[derive(Clone, Copy, Debug)]
struct Mean {
    ns: f64,
    half_ns: Option<f64>,
}

/// `setup + bytes * each`, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Affine {
    setup_ns: f64,
    byte_ns: f64,
    /// Half widths of both, as those of the two means give them.
    half_ns: Option<[f64; 2]>,
}

impl Affine {
    /// From the mean times of two sizes; none if the larger may be no slower.
    fn of((small_bytes, small): (f64, Mean), (large_bytes, large): (f64, Mean)) -> Option<Affine> {
        let more_bytes = large_bytes - small_bytes;
        let byte_ns = (large.ns - small.ns) / more_bytes;
        let setup_ns = (small.ns - small_bytes * byte_ns).max(0.0);
        let part = small_bytes / more_bytes;
        let halves = small.half_ns.zip(large.half_ns);
        let half_ns = halves.map(|(a, b)| [((1.0 + part) * a).hypot(part * b), a.hypot(b) / more_bytes]);
        let surely_ns = byte_ns - half_ns.map_or(0.0, |[_, byte]| byte);
        (surely_ns > 0.0).then_some(Affine { setup_ns, byte_ns, half_ns })
    }

    /// Each of the two with the ends between which it lies.
    fn between(&self) -> Option<[(f64, f64); 2]> {
        let [setup, byte] = self.half_ns?;
        let ends = |value: f64, half: f64| ((value - half).max(0.0), value + half);
        Some([ends(self.setup_ns, setup), ends(self.byte_ns, byte)])
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
                let half_ns = point.estimate.map(half_ns);
                (ios > 0).then(|| (bs.0 as f64, Mean { ns: nanos as f64 / ios as f64, half_ns }))
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
        block_bytes(&[&self.read, &self.write])
    }

    pub(super) fn words(&self) -> String {
        let Models { read, write, .. } = self;
        let ends = write.between();
        let setup = with_ends(write.setup_ns, ends.map(|[setup, _]| setup), "ns");
        let rate = |byte_ns: f64| 1e3 / byte_ns;
        let rates = ends.map(|[_, (low, high)]| (rate(high), rate(low)));
        let each = |models: &[&Affine]| with_ends(block_bytes(models), block_ends(models), "bytes");
        format!(
            "Cost model parameters (95 % CI): B = {} (DAM); {setup} setup time and {} transfer rate of a \
             write (affine); B_R = {} and B_W = {}.",
            each(&[read, write]),
            with_ends(rate(write.byte_ns), rates, "MB/s"),
            each(&[read]),
            each(&[write]),
        )
    }
}

/// Half the width of its interval.
fn half_ns(mean: Estimate) -> f64 {
    (mean.ci_high_ns - mean.ci_low_ns) / 2.0
}

/// The size at which both times of an average IO are equal.
fn block_bytes(models: &[&Affine]) -> f64 {
    let sum = |part: fn(&Affine) -> f64| models.iter().map(|model| part(model)).sum::<f64>();
    sum(|model| model.setup_ns) / sum(|model| model.byte_ns)
}

/// The least and the most that it may be: with the shortest set-up and the slowest transfer, and the other
/// way round. Both at once is rarer than the interval says: it is no narrower than it should be.
fn block_ends(models: &[&Affine]) -> Option<(f64, f64)> {
    let all: Option<Vec<_>> = models.iter().map(|model| model.between()).collect();
    let all = all?;
    let sum = |part: fn(&[(f64, f64); 2]) -> f64| all.iter().map(part).sum::<f64>();
    let low = sum(|[setup, _]| setup.0) / sum(|[_, byte]| byte.1);
    Some((low, sum(|[setup, _]| setup.1) / sum(|[_, byte]| byte.0)))
}

/// `512 KiB (480–550)`; the value alone where no interval is known.
fn with_ends(value: f64, ends: Option<(f64, f64)>, unit: &str) -> String {
    let Among { value, interval } = among(value, ends.unwrap_or((value, value)), unit);
    if interval.is_empty() { value } else { format!("{value} ({interval})") }
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
    use flashscope_core::seed::Random;

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
        let mean = |ns, half| Mean { ns, half_ns: Some(half) };
        let found = Affine::of((64.0, mean(1_064.0, 0.0)), (512.0, mean(1_512.0, 0.0))).expect("a line");
        assert_eq!((found.setup_ns, found.byte_ns, found.half_bytes()), (1_000.0, 1.0, 1_000.0));
        assert_eq!(block_ends(&[&found]), Some((1_000.0, 1_000.0)));
        assert!(Affine::of((64.0, mean(10.0, 0.0)), (512.0, mean(10.0, 0.0))).is_none());
        let noisy = Affine::of((64.0, mean(10.0, 3.0)), (512.0, mean(14.0, 3.0)));
        assert!(noisy.is_none(), "both may be equally fast");
    }

    /// Both numbers lie in their intervals as often as the means do: nineteen times of twenty, or more.
    #[test]
    fn intervals_hold_the_numbers_behind_noisy_means() {
        let (setup_ns, byte_ns) = (80_000.0, 0.5);
        let [small, large] = [65_536.0, 524_288.0];
        let mut random = Random::new(5);
        let mut noise = |half: f64| {
            let sum: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            sum * half / 1.96
        };
        let mut hits = [0; 3];
        for _ in 0..1000 {
            let mut at = |bytes: f64, half: f64| {
                (bytes, Mean { ns: setup_ns + bytes * byte_ns + noise(half), half_ns: Some(half) })
            };
            let found = Affine::of(at(small, 4_000.0), at(large, 9_000.0)).expect("a line");
            let [setup, byte] = found.between().unwrap();
            let block = block_ends(&[&found]).unwrap();
            let truths = [(setup, setup_ns), (byte, byte_ns), (block, setup_ns / byte_ns)];
            for (hit, ((low, high), truth)) in hits.iter_mut().zip(truths) {
                *hit += u32::from((low..=high).contains(&truth));
            }
        }
        assert!(hits[..2].iter().all(|hits| (930..=970).contains(hits)) && hits[2] >= 950, "{hits:?}");
    }
}
