//! Reads and writes by chance over one space, as fio mixes them: shares, addresses, positions and words.

use std::collections::HashSet;

use flashscope_core::seed::derive;
use flashscope_core::{
    Control, Driven, Flags, Io, Limits, Mix, Op, Pattern, PatternSource, Request, RequestSource, Rw, Turns,
    WriteBudget, drive,
};

use crate::write_budget::Counting;

const SEED: u64 = 0x7261_6e64;
const IOS: usize = 200_000;

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn requests(pattern: &Pattern, seed: u64, count: usize) -> Vec<Request> {
    let mut source = PatternSource::new(pattern, 0, seed);
    let mut all = vec![Request::default(); count];
    let filled = all.chunks_mut(61).map(|batch| source.fill(batch)).sum::<usize>();
    assert_eq!(filled, count);
    all
}

fn of(op: Op, all: &[Request]) -> Vec<u64> {
    all.iter().filter(|request| request.op == op).map(|request| request.offset_bytes).collect()
}

/// Pearson's statistic of addresses in `cells` equal cells of `size` bytes, over its expectation in standard
/// deviations: uniform draws stay within a few.
fn excess(addresses: &[u64], size: u64, cells: u64) -> f64 {
    let mut counts = vec![0.0f64; cells as usize];
    addresses.iter().for_each(|at| counts[(at * cells / size) as usize] += 1.0);
    let expected = addresses.len() as f64 / cells as f64;
    let square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    (square - (cells - 1) as f64) / (2.0 * (cells - 1) as f64).sqrt()
}

#[test]
fn reads_and_writes_have_the_share_that_is_asked_for() {
    for reads in [1, 10, 30, 50, 60, 70, 95, 99] {
        for rw in ["rw", "randrw"] {
            let text = format!("rw={rw} rwmixread={reads} bs=4k size=1GiB");
            let all = requests(&pattern(&text), derive(SEED, reads), IOS);
            let share = of(Op::Read, &all).len() as f64 / IOS as f64;
            assert!((share - reads as f64 / 100.0).abs() < 0.01, "seed {SEED}, {text}: {share}");
            assert_eq!(pattern(&text).write_share(), (100 - reads) as f64 / 100.0);
        }
    }
}

#[test]
fn all_and_none_are_shares_too() {
    for (reads, op) in [(100, Op::Read), (0, Op::Write)] {
        let pattern = pattern(&format!("rw=randrw rwmixread={reads} bs=4k size=1MiB"));
        assert!(requests(&pattern, SEED, 1000).iter().all(|request| request.op == op));
        assert_eq!(pattern.writes(), op == Op::Write);
    }
}

/// Whether an IO reads says nothing about the one before it: of 70 % reads, 49 % of the pairs are two reads.
#[test]
fn each_turn_is_a_chance_of_its_own() {
    let all = requests(&pattern("rw=randrw rwmixread=70 bs=4k size=1GiB"), SEED, IOS);
    let both = all.windows(2).filter(|pair| pair.iter().all(|request| request.op == Op::Read)).count();
    let share = both as f64 / (IOS - 1) as f64;
    assert!((share - 0.49).abs() < 0.01, "seed {SEED}: {share}");
}

#[test]
fn reads_and_writes_of_randrw_are_uniform_over_one_space() {
    let size = 1u64 << 30;
    let all = requests(&pattern("rw=randrw rwmixread=70 bs=4k size=1GiB random=draws"), SEED, IOS);
    for op in [Op::Read, Op::Write] {
        let found = excess(&of(op, &all), size, 128);
        assert!(found.abs() < 4.0, "seed {SEED}: the {op}s are {found} standard deviations from uniform");
    }
    // The same test does find the two halves of a mix in turns.
    let halves = requests(&pattern("rw=randread mix=randwrite:2 bs=4k size=1GiB"), SEED, IOS);
    assert!(excess(&of(Op::Read, &halves), size, 128) > 100.0);
}

#[test]
fn in_a_permutation_reads_and_writes_share_the_map_of_used_addresses() {
    let pattern = pattern("rw=randrw rwmixread=70 bs=4k size=4MiB random=permutation");
    let all = requests(&pattern, SEED, 2048);
    for pass in all.chunks(1024) {
        let addresses: HashSet<u64> = pass.iter().map(|request| request.offset_bytes).collect();
        assert_eq!(addresses.len(), 1024, "seed {SEED}");
    }
}

/// As fio, which keeps `last_pos` for each direction: both begin at the front.
#[test]
fn sequential_reads_and_writes_keep_a_position_each() {
    let all = requests(&pattern("rw=rw rwmixread=30 bs=4k size=1GiB"), SEED, 10_000);
    for op in [Op::Read, Op::Write] {
        let expected = (0..).map(|i| i * 4096);
        assert!(of(op, &all).into_iter().zip(expected).all(|(at, expected)| at == expected), "{op}");
    }
}

#[test]
fn random_trims_fall_among_random_writes_of_the_same_space() {
    let pattern = pattern("rw=randwrite mix=randtrim:20% bs=4k size=1GiB");
    assert_eq!(pattern.mix, Some(Mix::chance(Rw::RandTrim, 20)));
    assert!(pattern.trims() && pattern.writes());
    let all = requests(&pattern, SEED, IOS);
    let trims = of(Op::Trim, &all);
    assert!((trims.len() as f64 / IOS as f64 - 0.2).abs() < 0.01, "seed {SEED}");
    for addresses in [trims, of(Op::Write, &all)] {
        assert!(excess(&addresses, 1 << 30, 128).abs() < 4.0, "seed {SEED}");
    }
}

#[test]
fn trimwrite_writes_each_block_that_it_discarded() {
    for (rw, in_order) in [("trimwrite", true), ("randtrimwrite", false)] {
        let pattern = pattern(&format!("rw={rw} bs=4k size=1GiB"));
        let all = requests(&pattern, SEED, 4000);
        for (i, pair) in all.chunks(2).enumerate() {
            assert_eq!((pair[0].op, pair[1].op), (Op::Trim, Op::Write));
            let is_same = (pair[0].offset_bytes, pair[0].length_bytes);
            assert_eq!(is_same, (pair[1].offset_bytes, pair[1].length_bytes));
            assert!(!in_order || pair[0].offset_bytes == i as u64 * 4096, "{rw}");
        }
        assert_eq!(pattern.mix.map(|mix| mix.turns), Some(Turns::SameAddress));
    }
}

#[test]
fn the_words_are_fios_and_print_themselves_back() {
    let printed = |text: &str| pattern(text).to_string();
    assert_eq!(printed("rw=randrw bs=4k"), "rw=randrw bs=4KiB");
    assert_eq!(printed("rwmixread=70 rw=readwrite"), "rw=rw rwmixread=70 bs=32KiB");
    assert_eq!(printed("rwmixwrite=30 rw=randrw"), printed("rw=randrw rwmixread=70%"));
    assert_eq!(printed("rw=randread mix=randwrite:30%"), printed("rw=randrw rwmixread=70"));
    assert_eq!(printed("rw=randtrimwrite"), "rw=randtrimwrite bs=32KiB");
    let mut changed = pattern("rw=randrw rwmixread=70");
    changed.set("rw", "randread").unwrap();
    assert_eq!(changed.mix, None, "a word's mix goes with the word");
}

#[test]
fn shares_without_a_mix_by_chance_are_refused() {
    let says = |text: &str, words: &str| {
        let error = text.parse::<Pattern>().expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    };
    says("rw=randread rwmixread=70", "rw=rw or rw=randrw");
    says("rw=randrw rwmixread=101", "0 to 100");
    says("rw=randrw rwmixread=70 rwmixwrite=30", "share of reads");
    says("rw=randrw mix=randwrite:4", "a mix itself");
    says("rw=trimwrite rwmixread=70", "rw=rw or rw=randrw");
}

/// What is written stays within the budget, and what is read beside it has the pattern's share.
#[test]
fn a_write_budget_counts_the_writes_of_a_mix_alone() {
    let pattern = pattern("rw=randrw rwmixread=70 bs=4k size=1GiB");
    let (written, budget) = (3_000u64, WriteBudget::new(3_000 * 4096 + 17));
    let limits = Limits { writes: Some(&budget), ..Limits::default() };
    let (mut reads, mut writes) = (0u64, 0u64);
    let mut streams: Vec<_> = pattern.streams(SEED).collect();
    let driven = drive(&mut Counting::new(), &mut streams, limits, &mut |io: &Io| {
        *(if io.op == Op::Read { &mut reads } else { &mut writes }) += 1;
        Control::Continue
    });
    assert_eq!((driven.unwrap(), writes), (Driven::OutOfBytes, written));
    let share = reads as f64 / (reads + written) as f64;
    assert!((share - 0.7).abs() < 0.02, "seed {SEED}: {share}");
}

#[test]
fn sizes_have_their_percentages_and_stay_inside_the_space() {
    let text = "rw=randrw bssplit=512/10:4KiB/60:64KiB/30 bs=4KiB size=1GiB";
    let pattern = pattern(text);
    let all = requests(&pattern, SEED, IOS);
    for (size, percent) in pattern.sizes.as_ref().expect("a split").shares(Op::Read) {
        let count = all.iter().filter(|request| u64::from(request.length_bytes) == size.0).count();
        let share = count as f64 / IOS as f64;
        assert!((share - f64::from(percent) / 100.0).abs() < 0.01, "seed {SEED}: {size} {share}");
    }
    assert!(all.iter().all(|request| request.offset_bytes % 4096 == 0), "addresses are multiples of bs");
    assert!(all.iter().all(|request| request.offset_bytes + u64::from(request.length_bytes) <= 1 << 30));
    let mean = all.iter().map(|request| f64::from(request.length_bytes)).sum::<f64>() / IOS as f64;
    assert!((mean / pattern.bs_mean() - 1.0).abs() < 0.02, "seed {SEED}: {mean}");
    assert_eq!(pattern.to_string(), "rw=randrw bs=4KiB bssplit=512B/10:4KiB/60:64KiB/30 size=1GiB");
    assert_eq!(pattern.bs_max().0, 64 << 10);
}

#[test]
fn sequential_ios_of_several_sizes_leave_no_gap() {
    let (size, least) = (1u64 << 20, 4096);
    let all = requests(&pattern("rw=write bssplit=4k/50:12k/50 size=1MiB"), SEED, 10_000);
    let mut next = 0;
    for request in &all {
        next = if next + least > size { 0 } else { next };
        assert_eq!(request.offset_bytes, next, "seed {SEED}");
        next += u64::from(request.length_bytes);
        assert!(next <= size, "seed {SEED}");
    }
}

#[test]
fn what_is_discarded_is_written_with_its_size() {
    let all = requests(&pattern("rw=randtrimwrite bssplit=4k/50:12k/50 size=1MiB"), SEED, 1000);
    for pair in all.chunks(2) {
        assert_eq!(pair[0].length_bytes, pair[1].length_bytes);
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for (text, words) in [
        ("bssplit=4k/50:8k/40", "not 100 %"),
        ("bssplit=4k/50:8k/60", "more than 100 %"),
        ("bssplit=4k/x", "no split"),
        ("bssplit=0/100", "a size of 0"),
    ] {
        let error = text.parse::<Pattern>().expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    }
    for (text, words) in
        [("bssplit=8k/100 bs=4k size=1m", "at most bs"), ("bssplit=4k/100 stride=2 size=1m", "stride")]
    {
        let error = pattern(text).check().expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(
        pattern("bssplit=4k/20:8k:16k").to_string(),
        "rw=read bs=4KiB bssplit=4KiB/20:8KiB/40:16KiB/40"
    );
}

#[test]
fn processes_that_share_a_space_each_use_all_of_it() {
    let size = 1u64 << 20;
    let pattern = pattern("rw=randread bs=4k size=1MiB random=permutation numjobs=3 job_space=shared");
    for job in 0..3 {
        let mut source = PatternSource::new(&pattern, job, SEED);
        let mut all = vec![Request::default(); 256];
        source.fill(&mut all);
        let addresses: HashSet<u64> = all.iter().map(|request| request.offset_bytes).collect();
        assert_eq!(addresses.len() as u64, size / 4096, "process {job}");
    }
    let order = |job| {
        let mut batch = [Request::default(); 16];
        PatternSource::new(&pattern, job, SEED).fill(&mut batch);
        batch.map(|request| request.offset_bytes)
    };
    assert_ne!(order(0), order(1), "seed {SEED}: each has an order of its own");
}

#[test]
fn dsync_marks_writes_and_nothing_else() {
    let pattern = pattern("rw=randrw bs=4k size=1MiB sync=dsync fsync=3");
    for request in requests(&pattern, SEED, 1000) {
        assert_eq!(request.flags == Flags::FUA, request.op == Op::Write, "{request:?}");
    }
}
