//! Placement handles of writes, and streams that chance interleaves: against what their words mean.

use flashscope_core::seed::Random;
use flashscope_core::{Op, Pattern, PatternSource, Request, RequestSource, TargetInfo};

const BS: u64 = 4096;
const SEED: u64 = 20_261_123;

/// The first `count` requests of process `job`.
fn requests(text: &str, job: u32, count: usize) -> Vec<Request> {
    let pattern: Pattern = text.parse().unwrap();
    let info = TargetInfo {
        name: "test".into(),
        size_bytes: 1 << 30,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: 64,
        placements: 16,
        zones: None,
    };
    pattern.validate(&info).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut batch = vec![Request::default(); count];
    assert_eq!(PatternSource::new(&pattern, job, SEED).fill(&mut batch), count);
    batch
}

fn slots(requests: &[Request]) -> impl Iterator<Item = u64> + '_ {
    requests.iter().map(|request| request.offset_bytes / BS)
}

/// Ten parts of ten slots: the k-th IO of a stream is at slot k of its part, modulo ten.
#[test]
fn each_stream_is_sequential_and_begins_again_at_the_end_of_its_part() {
    for random in ["streams:10", "streams:10:1.2"] {
        let requests = requests(&format!("rw=randwrite bs=4k size=400k random={random}"), 0, 5_000);
        let mut ios = [0; 10];
        for slot in slots(&requests) {
            let (stream, place) = ((slot / 10) as usize, slot % 10);
            assert_eq!(place, ios[stream] % 10, "{random}: stream {stream}");
            ios[stream] += 1;
        }
        assert!(ios.iter().all(|ios| *ios > 100), "{random}: {ios:?}");
    }
}

/// Uniform, or proportional to 1, 1/2^theta, 1/3^theta ..: within five standard deviations.
#[test]
fn streams_are_drawn_alike_or_by_their_rank() {
    let (count, ios) = (8, 100_000);
    for (random, theta) in [("streams:8", 0.0), ("streams:8:1", 1.0), ("streams:8:0.5", 0.5)] {
        let requests = requests(&format!("rw=randwrite bs=4k size=800k random={random}"), 0, ios);
        let mut drawn = [0_u32; 8];
        slots(&requests).for_each(|slot| drawn[(slot / 25) as usize] += 1);
        let weight = |rank: usize| f64::powf(rank as f64 + 1.0, -theta);
        let all: f64 = (0..count).map(weight).sum();
        for (rank, drawn) in drawn.iter().enumerate() {
            let share = weight(rank) / all;
            let (expected, sigma) = (ios as f64 * share, (ios as f64 * share * (1.0 - share)).sqrt());
            let off = (f64::from(*drawn) - expected) / sigma;
            assert!(off.abs() < 5.0, "{random}, stream {rank}: {drawn} IOs, not {expected}; seed {SEED}");
        }
    }
}

/// A pattern, and the handle of its write to a slot, of 100, or in its turn.
type Placed = (&'static str, fn(slot: u64, turn: u64) -> u64);

#[test]
fn a_write_carries_the_handle_of_its_part() {
    let placed: [Placed; 6] = [
        ("rw=write partitions=4", |_, turn| turn % 4),
        ("rw=randwrite random=streams:5", |slot, _| slot / 20),
        ("rw=randwrite random=streams:3", |slot, _| slot / 33),
        ("rw=randwrite random=hot:20%:90%", |slot, _| u64::from(slot >= 20)),
        ("rw=randwrite random=zones:50/5:30/15:20/80", |slot, _| {
            u64::from(slot >= 5) + u64::from(slot >= 20)
        }),
        ("rw=randwrite shift=4k random=hot:20%:90%", |slot, _| u64::from(slot >= 21)),
    ];
    for (text, expected) in placed {
        let requests = requests(&format!("{text} bs=4k size=400k placement=part"), 0, 3_000);
        for (turn, request) in (0..).zip(&requests) {
            let slot = request.offset_bytes / BS;
            assert_eq!(u64::from(request.placement), expected(slot, turn), "{text}: slot {slot}");
        }
    }
}

#[test]
fn a_process_has_a_handle_of_its_own_and_a_number_is_for_all() {
    for job in 0..4 {
        let of = |placement: &str| {
            let text = format!("rw=randwrite bs=4k size=1m numjobs=4 placement={placement}");
            requests(&text, job, 100)
        };
        assert!(of("job").iter().all(|request| u32::from(request.placement) == job));
        assert!(of("9").iter().all(|request| request.placement == 9));
    }
}

/// Reads and flushes say nothing, and which IOs there are does not depend on handles.
#[test]
fn only_writes_carry_handles_and_nothing_else_changes() {
    let mut random = Random::new(SEED);
    for text in
        ["rw=randrw random=streams:4", "rw=randwrite fsync=3 random=hot:10%:50%", "rw=write partitions=8"]
    {
        let text = format!("{text} bs=4k size={}k", 400 + 4 * random.below(100));
        let plain = requests(&text, 0, 1_000);
        let placed = requests(&format!("{text} placement=part"), 0, 1_000);
        assert!(plain.iter().all(|request| request.placement == 0));
        let is_right = |request: &Request| request.op == Op::Write || request.placement == 0;
        assert!(placed.iter().all(is_right) && placed.iter().any(|request| request.placement > 0));
        let bare = placed.iter().map(|request| Request { placement: 0, ..*request });
        assert!(bare.eq(plain), "{text}");
    }
}

#[test]
fn what_is_no_placement_is_refused_with_what_is() {
    for value in ["jobs", "-1", "65536", "1.5", ""] {
        let error = format!("rw=write placement={value}").parse::<Pattern>().expect_err(value).to_string();
        assert!(error.contains("placement") && error.contains("part"), "{value}: {error}");
    }
    for value in ["0", "4097", "x", "8:y"] {
        let error = format!("rw=randwrite random=streams:{value}").parse::<Pattern>().expect_err(value);
        assert!(error.to_string().contains("1 to 4096"), "{value}: {error}");
    }
}
