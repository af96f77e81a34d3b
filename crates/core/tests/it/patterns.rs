//! The fast generator against a slow one written from paper 001, section 3.1 and table 1, formula by formula,
//! and against what paper 000 (appendix A) and paper 004 say of the patterns that are drawn.

use std::collections::HashSet;

use flashscope_core::{
    Bytes, Location, Mix, Op, Pattern, PatternSource, Request, RequestSource, Rw, Share, Streams, TargetInfo,
    Zones,
};
use proptest::prelude::*;

const SECTOR: u64 = 512;
const BS: u64 = 32 << 10;
const OFFSET: u64 = 3 << 20;
const SEED: u64 = 20_090_104;

/// Table 1 as it stands, one function a formula: no state, `i` comes in and the address goes out.
mod table1 {
    /// Locality with Alignment: `TargetOffset + IOShift + (i x IOSize) mod TargetSize`.
    pub fn sequential(i: u128, offset: u128, shift: u128, bs: u128, size: u128) -> u128 {
        offset + shift + (i * bs) % size
    }

    /// Partitioning: `P_i x PS + O_i`.
    pub fn partitioned(i: u128, offset: u128, bs: u128, size: u128, partitions: u128) -> u128 {
        let ps = size / partitions;
        let p_i = i % partitions;
        let o_i = (i / partitions * bs) % ps;
        offset + p_i * ps + o_i
    }

    /// Order: `TargetOffset + Incr x i x IOSize`, wrapped inside the target space as Locality does.
    pub fn ordered(i: u128, offset: u128, bs: u128, size: u128, incr: i128) -> u128 {
        let at = (incr * i as i128 * bs as i128).rem_euclid(size as i128);
        offset + at as u128
    }

    /// Parallelism: `TargetOffset_p = p x TargetSize / ParallelDegree`, on top of TargetOffset.
    pub fn parallel_offset(p: u128, offset: u128, size: u128, degree: u128) -> u128 {
        offset + p * size / degree
    }

    /// Mix: `Ratio` IOs of pattern 1 for each one of pattern 2. Whether IO `i` is of pattern 2, and which.
    pub fn mixed(i: u128, ratio: u128) -> (bool, u128) {
        let (row, place) = (i / (ratio + 1), i % (ratio + 1));
        if place == ratio { (true, row) } else { (false, row * ratio + place) }
    }
}

fn baseline(rw: Rw, size: u64) -> Pattern {
    Pattern { bs: Bytes(BS), ..Pattern::baseline(rw, Bytes(OFFSET), Bytes(size)) }
}

/// The first `count` requests of process `job`, asked for in batches of an odd size.
fn requests(pattern: &Pattern, job: u32, seed: u64, count: usize) -> Vec<Request> {
    let mut source = PatternSource::new(pattern, job, seed);
    let mut all = vec![Request::default(); count];
    for batch in all.chunks_mut(7) {
        let wanted = batch.len();
        assert_eq!(source.fill(batch), wanted);
    }
    all
}

fn offsets(pattern: &Pattern, seed: u64, count: usize) -> Vec<u64> {
    requests(pattern, 0, seed, count).iter().map(|request| request.offset_bytes).collect()
}

/// Slot numbers inside the target space; refuses addresses off the IOSize grid.
fn slots(pattern: &Pattern, seed: u64, count: usize) -> Vec<u64> {
    let relative =
        offsets(pattern, seed, count).into_iter().map(|at| at - pattern.offset.0 - pattern.shift.0);
    relative
        .map(|at| {
            assert_eq!(at % pattern.bs.0, 0, "an address off the grid of {pattern}");
            at / pattern.bs.0
        })
        .collect()
}

fn assert_follows(pattern: &Pattern, count: usize, formula: impl Fn(u128) -> u128) {
    for (i, request) in requests(pattern, 0, SEED, count).iter().enumerate() {
        let place = format!("IO {i} of {pattern}");
        assert_eq!(u128::from(request.offset_bytes), formula(i as u128), "{place}");
        assert_eq!(u64::from(request.length_bytes), pattern.bs.0, "{place}");
        assert_eq!(request.op, pattern.rw.op(), "{place}");
    }
}

#[test]
fn granularity_every_size_of_table_1_follows_the_sequential_formula() {
    for bs in (0..=9).map(|power| SECTOR << power).chain([3 * SECTOR, 17 * SECTOR, 100 * SECTOR]) {
        for rw in [Rw::Read, Rw::Write] {
            let mut pattern = baseline(rw, 50 * bs);
            pattern.bs = Bytes(bs);
            assert_follows(&pattern, 180, |i| {
                table1::sequential(i, OFFSET.into(), 0, bs.into(), u128::from(50 * bs))
            });
        }
    }
}

#[test]
fn alignment_every_shift_of_table_1_is_added_to_every_address() {
    for shift in (0..=BS / SECTOR).map(|n| n * SECTOR) {
        let mut pattern = baseline(Rw::Write, 20 * BS);
        pattern.shift = Bytes(shift);
        assert_follows(&pattern, 50, |i| {
            table1::sequential(i, OFFSET.into(), shift.into(), BS.into(), u128::from(20 * BS))
        });
        let mut random = Pattern { shift: pattern.shift, ..baseline(Rw::RandWrite, 20 * BS) };
        let shifted = offsets(&random, SEED, 50);
        random.shift = Bytes(0);
        let moved_back: Vec<u64> = shifted.iter().map(|at| at - shift).collect();
        assert_eq!(moved_back, offsets(&random, SEED, 50), "shift {shift}");
    }
}

#[test]
fn locality_every_target_size_of_table_1_wraps_or_stays_inside() {
    for size in (0..=8).map(|power| BS << power) {
        let count = (2 * size / BS + 3) as usize;
        assert_follows(&baseline(Rw::Read, size), count, |i| {
            table1::sequential(i, OFFSET.into(), 0, BS.into(), size.into())
        });
    }
    for size in (0..=16).map(|power| BS << power) {
        let pattern = baseline(Rw::RandWrite, size);
        assert!(slots(&pattern, SEED, 2_000).iter().all(|&slot| slot < size / BS), "{pattern}");
    }
}

#[test]
fn partitioning_every_count_of_table_1_goes_round_robin() {
    for partitions in (0..=8).map(|power| 1u32 << power) {
        let mut pattern = baseline(Rw::Write, 1024 * BS);
        pattern.location = Location::Partitioned { partitions };
        assert_follows(&pattern, 2_500, |i| {
            table1::partitioned(i, OFFSET.into(), BS.into(), u128::from(1024 * BS), partitions.into())
        });
    }
}

#[test]
fn order_every_increment_of_table_1_wraps_inside_the_target_space() {
    for incr in [-1, 0].into_iter().chain((0..=8).map(|power| 1i64 << power)) {
        for slots in [1u64, 100, 256, 1000] {
            let size = slots * BS;
            let mut pattern = baseline(Rw::Write, size);
            pattern.location = Location::Ordered { stride: incr };
            assert_follows(&pattern, 1_200, |i| {
                table1::ordered(i, OFFSET.into(), BS.into(), size.into(), incr.into())
            });
        }
    }
}

#[test]
fn parallelism_every_degree_of_table_1_has_its_own_part() {
    for degree in (0..=4).map(|power| 1u32 << power) {
        let size = 64 * BS;
        let pattern = Pattern { numjobs: degree, ..baseline(Rw::Write, size) };
        for job in 0..degree {
            let offset = table1::parallel_offset(job.into(), OFFSET.into(), size.into(), degree.into());
            for (i, request) in requests(&pattern, job, SEED, 150).iter().enumerate() {
                let part = u128::from(size / u64::from(degree));
                let expected = table1::sequential(i as u128, offset, 0, BS.into(), part);
                assert_eq!(u128::from(request.offset_bytes), expected, "IO {i}, process {job} of {degree}");
            }
        }
    }
}

#[test]
fn mix_every_ratio_of_table_1_is_exact_in_every_prefix() {
    use Rw::{RandRead, RandWrite, Read, Write};
    let pairs = [
        (Read, RandRead),
        (Read, RandWrite),
        (Read, Write),
        (RandRead, Write),
        (RandRead, RandWrite),
        (Write, RandWrite),
    ];
    let size = 64 * BS;
    for (first, second) in pairs {
        for ratio in (0..=6).map(|power| 1u32 << power) {
            let pattern = Pattern { mix: Some(Mix::ratio(second, ratio)), ..baseline(first, size) };
            for (i, request) in requests(&pattern, 0, SEED, 500).iter().enumerate() {
                assert_mixed(request, i as u128, &pattern, second, ratio);
            }
        }
    }
}

/// The request is of the pattern whose turn it is, in that one's half, and at its own place in it.
fn assert_mixed(request: &Request, i: u128, pattern: &Pattern, second: Rw, ratio: u32) {
    let half = u128::from(pattern.size.0 / 2);
    let (of_second, nth) = table1::mixed(i, ratio.into());
    let (rw, offset) =
        if of_second { (second, u128::from(OFFSET) + half) } else { (pattern.rw, OFFSET.into()) };
    let at = u128::from(request.offset_bytes);
    assert_eq!(request.op, rw.op(), "IO {i} of {pattern}");
    if rw.is_random() {
        assert!((offset..offset + half).contains(&at), "IO {i} of {pattern}");
    } else {
        assert_eq!(at, table1::sequential(nth, offset, 0, BS.into(), half), "IO {i} of {pattern}");
    }
}

/// Pearson's statistic of `counts` against `expected`, as standard deviations from its mean.
fn chi_square_sigmas(counts: &[u64], expected: impl Fn(usize) -> f64) -> f64 {
    let terms = counts.iter().enumerate().map(|(k, &n)| (n as f64 - expected(k)).powi(2) / expected(k));
    let freedom = counts.len() as f64 - 1.0;
    (terms.sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
}

fn histogram(values: &[u64], slots: u64) -> Vec<u64> {
    let mut counts = vec![0; slots as usize];
    values.iter().for_each(|&value| counts[value as usize] += 1);
    counts
}

#[test]
fn a_flush_comes_after_every_so_many_ios_and_leaves_their_addresses_alone() {
    for (every, mix) in [(1, None), (4, None), (3, Some(Mix::ratio(Rw::RandRead, 2)))] {
        let plain = Pattern { mix, ..baseline(Rw::RandWrite, 1 << 30) };
        let flushed = Pattern { fsync: Some(every), ..plain.clone() };
        let (without, with) = (requests(&plain, 0, SEED, 600), requests(&flushed, 0, SEED, 700));
        let is_flush = |i: usize| i as u64 % (every + 1) == every;
        for (i, request) in with.iter().enumerate() {
            assert_eq!(request.op == Op::Flush, is_flush(i), "{i}");
        }
        let others = with.iter().filter(|request| request.op != Op::Flush);
        assert!(others.zip(&without).all(|(with, without)| with == without), "every {every}");
    }
}

#[test]
fn discards_go_where_writes_would() {
    for (trims, writes) in [(Rw::Trim, Rw::Write), (Rw::RandTrim, Rw::RandWrite)] {
        let trims = requests(&baseline(trims, 1 << 30), 0, SEED, 100);
        assert!(trims.iter().all(|request| request.op == Op::Trim && request.length_bytes == BS as u32));
        let offset = |request: &Request| request.offset_bytes;
        let writes = requests(&baseline(writes, 1 << 30), 0, SEED, 100);
        assert!(trims.iter().map(offset).eq(writes.iter().map(offset)));
    }
}

#[test]
fn random_draws_are_uniform_and_independent() {
    let (count, n) = (100_000, 128u64);
    for seed in [SEED, 1, 2, 3] {
        let drawn = slots(&baseline(Rw::RandRead, n * BS), seed, count);
        let single = chi_square_sigmas(&histogram(&drawn, n), |_| count as f64 / n as f64);
        assert!(single.abs() < 5.0, "seed {seed}: {single} sigmas from uniform");
        let pairs: Vec<u64> = drawn.windows(2).map(|pair| pair[0] / 8 * 16 + pair[1] / 8).collect();
        let cells = chi_square_sigmas(&histogram(&pairs, 256), |_| pairs.len() as f64 / 256.0);
        assert!(cells.abs() < 6.0, "seed {seed}: neighbours {cells} sigmas from independent");
    }
}

#[test]
fn draws_repeat_addresses_and_a_permutation_does_not_until_all_were_used() {
    let n = 1000;
    let distinct = |all: &[u64]| all.iter().collect::<HashSet<_>>().len();
    let mut pattern = baseline(Rw::RandWrite, n * BS);
    // 1 - 1/e of the slots are met by as many draws: 632, give or take 10.
    let drawn = distinct(&slots(&pattern, SEED, n as usize));
    assert!((590..675).contains(&drawn), "seed {SEED}: {drawn} of {n}");

    pattern.location = Location::Permutation;
    let passes = slots(&pattern, SEED, 3 * n as usize);
    let passes: Vec<&[u64]> = passes.chunks(n as usize).collect();
    assert!(passes.iter().all(|pass| distinct(pass) == n as usize), "seed {SEED}");
    assert!(passes[0] != passes[1] && passes[1] != passes[2], "a new order each pass, seed {SEED}");

    pattern.location = Location::RepeatedPermutation;
    let repeated = slots(&pattern, SEED, 3 * n as usize);
    let repeated: Vec<&[u64]> = repeated.chunks(n as usize).collect();
    assert_eq!(distinct(repeated[0]), n as usize);
    assert!(repeated[0] == repeated[1] && repeated[1] == repeated[2], "the same order, seed {SEED}");
}

#[test]
fn zipf_gives_each_rank_its_share_at_one_place() {
    let (n, count, theta) = (64u64, 200_000, 0.9);
    let mut pattern = baseline(Rw::RandRead, n * BS);
    pattern.location = Location::Zipf { theta };
    let mut counts = histogram(&slots(&pattern, SEED, count), n);
    let scattered = counts.clone();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    assert_ne!(counts, scattered, "the popular slots are not the first ones");
    let norm: f64 = (1..=n).map(|k| (k as f64).powf(-theta)).sum();
    for (rank, &hits) in counts.iter().enumerate() {
        let expected = count as f64 * ((rank + 1) as f64).powf(-theta) / norm;
        // Sorting moves neighbours of the tail by a few deviations.
        assert!((hits as f64 - expected).abs() < 6.0 * expected.sqrt(), "rank {rank}: {hits}, {expected}");
    }
}

#[test]
fn hot_cold_sends_the_stated_share_to_the_first_part() {
    let (n, count) = (100u64, 100_000usize);
    let mut pattern = baseline(Rw::RandWrite, n * BS);
    pattern.location = Location::HotCold { hot_space: Share(0.2), hot_ios: Share(0.8) };
    let counts = histogram(&slots(&pattern, SEED, count), n);
    let sigmas = chi_square_sigmas(&counts, |slot| count as f64 * if slot < 20 { 0.04 } else { 0.0025 });
    assert!(sigmas.abs() < 5.0, "seed {SEED}: {sigmas} sigmas");
}

#[test]
fn gaps_lie_after_every_io_or_after_half_of_them() {
    let gap = 3 * SECTOR;
    let mut pattern = baseline(Rw::Write, 10_000 * BS);
    pattern.location = Location::RegularGaps { gap: Bytes(gap) };
    for (i, at) in offsets(&pattern, SEED, 5_000).into_iter().enumerate() {
        assert_eq!(at, OFFSET + i as u64 * (BS + gap));
    }
    pattern.location = Location::RandomGaps { gap: Bytes(gap) };
    let tossed = offsets(&pattern, SEED, 10_001 - 4_000);
    let steps: Vec<u64> = tossed.windows(2).map(|pair| pair[1] - pair[0] - BS).collect();
    assert!(steps.iter().all(|&step| step == 0 || step == gap));
    let gaps = steps.iter().filter(|&&step| step == gap).count() as f64;
    let sigma = (steps.len() as f64).sqrt() / 2.0;
    assert!((gaps - steps.len() as f64 / 2.0).abs() < 5.0 * sigma, "seed {SEED}: {gaps} gaps");
}

/// As fio 3.33 does with `zonemode=strided size=1g zonesize=64m zoneskip=192m`: 4 zones, then again.
#[test]
fn gaps_between_zones_are_fios() {
    let mut pattern = baseline(Rw::Read, 1024 * BS);
    pattern.location = Location::ZoneGaps { gap: Bytes(192 * BS), zone: Bytes(64 * BS) };
    let slots = slots(&pattern, SEED, 300);
    for (i, slot) in (0..).zip(slots) {
        let (zone, within) = (i / 64 % 4, i % 64);
        assert_eq!(slot, zone * 256 + within, "IO {i}");
    }
}

/// By fio 3.33: 50.1, 29.9 and 20.1 % of the IOs are in these zones.
#[test]
fn each_zone_has_its_share_of_the_ios() {
    let (n, count) = (100u64, 200_000usize);
    let mut pattern = baseline(Rw::RandRead, n * BS);
    pattern.location = Location::Zones("50/5:30/15:20/".parse().unwrap());
    let counts = histogram(&slots(&pattern, SEED, count), n);
    let expected = |slot: u64| match slot {
        0..5 => 0.5 / 5.0,
        5..20 => 0.3 / 15.0,
        _ => 0.2 / 80.0,
    };
    let sigmas = chi_square_sigmas(&counts, |slot| count as f64 * expected(slot as u64));
    assert!(sigmas.abs() < 5.0, "seed {SEED}: {sigmas} sigmas");
    // Zones smaller than a slot are not lost, and nothing is outside.
    pattern.size = Bytes(3 * BS);
    assert!(self::slots(&pattern, SEED, 1_000).iter().all(|slot| *slot < 3));
}

#[test]
fn zones_that_are_not_all_of_ios_and_space_are_none() {
    for text in
        ["", "50/5", "50/5:50/94", "60/5:50/95", "50/0:50/100", "100/100:0/", "x/5:50/95", "50/5:30/15:20/90"]
    {
        let error = text.parse::<Zones>().unwrap_err().to_string();
        assert!(error.contains("50/5:30/15:20/80"), "{text}: {error}");
    }
    let many = ["6/6"; 16].join(":");
    assert!(many.parse::<Zones>().is_err() && ["5/5"; 20].join(":").parse::<Zones>().is_err());
}

#[test]
fn arrivals_come_at_the_asked_rate_over_all_processes() {
    for arrivals in [flashscope_core::Arrivals::Fixed, flashscope_core::Arrivals::Poisson] {
        let pattern =
            Pattern { rate_iops: Some(8_000.0.into()), numjobs: 4, arrivals, ..baseline(Rw::Read, 64 * BS) };
        let due: Vec<u64> = requests(&pattern, 1, SEED, 20_001).iter().map(|r| r.due.0).collect();
        assert!(due.is_sorted());
        // 20,000 gaps of 500 us; exponential ones spread by 1/sqrt(20000) = 0.7 %.
        let mean_ns = due[20_000] as f64 / 20_000.0;
        assert!((mean_ns / 500_000.0 - 1.0).abs() < 0.035, "{arrivals}: mean gap {mean_ns} ns, seed {SEED}");
    }
}

fn location() -> impl Strategy<Value = Location> {
    let gap = || (0u64..64).prop_map(|n| Bytes(n * SECTOR));
    prop_oneof![
        Just(Location::Sequential),
        Just(Location::Random),
        Just(Location::Permutation),
        Just(Location::RepeatedPermutation),
        (-1000i64..1000).prop_map(|stride| Location::Ordered { stride }),
        (1u32..20).prop_map(|partitions| Location::Partitioned { partitions }),
        gap().prop_map(|gap| Location::RegularGaps { gap }),
        gap().prop_map(|gap| Location::RandomGaps { gap }),
        (gap(), 1u64..20).prop_map(|(gap, ios)| Location::ZoneGaps { gap, zone: Bytes(ios * BS) }),
        (1u8..100, 0u8..=100).prop_map(|(space, ios)| {
            Location::Zones(Zones::new(&[(ios, space), (100 - ios, 100 - space)]).unwrap())
        }),
        (1u32..20, prop::option::of(0.1f64..3.0))
            .prop_map(|(count, theta)| Location::Streams(Streams { count, theta })),
        (0.1f64..3.0).prop_map(|theta| Location::Zipf { theta }),
        (0.0f64..=1.0, 0.0f64..=1.0)
            .prop_map(|(s, i)| Location::HotCold { hot_space: Share(s), hot_ios: Share(i) }),
    ]
}

prop_compose! {
    fn pattern()(
        rw in prop::sample::select(&Rw::ALL[..]),
        (bs, offset, sectors, shift) in (1u64..130, 0u64..5_000, 1u64..100_000, 0u64..300),
        location in location(),
        mix in prop::option::of((prop::sample::select(&Rw::ALL[..]), 1u32..70)),
        numjobs in 1u32..17,
    ) -> Pattern {
        let in_order = matches!(location, Location::Sequential | Location::Ordered { .. }
            | Location::Partitioned { .. } | Location::RegularGaps { .. } | Location::RandomGaps { .. }
            | Location::ZoneGaps { .. });
        let rw = match rw {
            Rw::RandRead if in_order => Rw::Read,
            Rw::RandWrite if in_order => Rw::Write,
            other => other,
        };
        Pattern {
            rw,
            bs: Bytes(bs * SECTOR),
            offset: Bytes(offset * SECTOR),
            size: Bytes(sectors * SECTOR),
            shift: Bytes(shift * SECTOR),
            location,
            mix: mix.map(|(rw, ratio)| Mix::ratio(rw, ratio)),
            numjobs,
            ..Pattern::default()
        }
    }
}

fn target(size_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: "test".into(),
        size_bytes,
        logical_block_bytes: SECTOR as u32,
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: 64,
        placements: 1,
        zones: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// What validate accepts stays where it said it would.
    #[test]
    fn every_request_of_a_valid_pattern_lies_inside_on_sectors_and_apart_from_other_jobs(
        pattern in pattern(), seed: u64,
    ) {
        prop_assume!(pattern.validate(&target(pattern.end_bytes())).is_ok());
        let mut previous_end = pattern.offset.0 + pattern.shift.0;
        for job in 0..pattern.numjobs {
            let all = requests(&pattern, job, seed, 300);
            for request in &all {
                prop_assert_eq!(request.offset_bytes % SECTOR, 0);
                prop_assert!(request.offset_bytes >= previous_end, "job {} reaches below its part", job);
                prop_assert!(request.offset_bytes + u64::from(request.length_bytes) <= pattern.end_bytes());
            }
            let ends = all.iter().map(|r| r.offset_bytes + u64::from(r.length_bytes));
            previous_end = ends.max().unwrap_or(previous_end);
        }
    }

    #[test]
    fn a_mix_keeps_its_ratio_in_every_prefix(ratio in 1u32..70, seed: u64) {
        let mix = Some(Mix::ratio(Rw::RandWrite, ratio));
        let all = requests(&Pattern { mix, ..baseline(Rw::RandRead, 100 * BS) }, 0, seed, 300);
        let mut writes = 0;
        for (i, request) in all.iter().enumerate() {
            writes += usize::from(request.op == Op::Write);
            prop_assert_eq!(writes, (i + 1) / (ratio as usize + 1));
        }
    }
}

#[test]
fn a_source_gives_exactly_number_ios_and_the_same_again() {
    let pattern = Pattern { number_ios: Some(100), ..baseline(Rw::RandWrite, 64 * BS) };
    let run = |seed| {
        let mut source = PatternSource::new(&pattern, 0, seed);
        let mut batch = [Request::default(); 64];
        let counts = [source.fill(&mut batch), source.fill(&mut batch), source.fill(&mut batch)];
        (counts, batch)
    };
    assert_eq!(run(SEED).0, [64, 36, 0]);
    assert_eq!(run(SEED), run(SEED));
    assert_ne!(run(SEED).1, run(SEED + 1).1);
}
