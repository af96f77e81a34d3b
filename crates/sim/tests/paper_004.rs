//! Paper 004: a page-mapped device of 2009 turns every pattern that repeats itself into a sequential one, and
//! falls off a cliff when the order changes, once its capacity has been written.
//!
//! What it takes is a write frontier of their own for the pages that a collection moves. With one frontier
//! for all, survivors come to lie between host writes, the physical order is no longer the pattern's, and a
//! full device does not find back to it. How greedy breaks ties makes no difference to that.

#![allow(clippy::print_stdout)]

use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::source::{PatternSource, RequestSource};
use flashscope_core::{Bytes, Request, Target};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

const CHUNK: Bytes = Bytes(64 << 10);
const SEED: u64 = 4;
const PASSES: usize = 6;

/// Like `x25m-2009`: page-mapped, 512 KiB erase units, 7 % spare; less capacity.
fn x25m(gc: &str, frontiers: u32, initial: Initial) -> Ssd {
    let mut settings = Settings {
        capacity: Bytes(512 << 20),
        over_provisioning: 0.07,
        gc: gc.into(),
        initial,
        ..Settings::default()
    };
    settings.nand.pages_per_block = 128;
    settings.page.frontiers = frontiers;
    Ssd::new("x25m-2009", settings, SEED).expect("the settings are right")
}

/// Write amplification of each share of the writes that is as large as the device.
fn amplification(mut ssd: Ssd, location: Location) -> Vec<f64> {
    let size = Bytes(ssd.info().size_bytes);
    let rw = if matches!(location, Location::RepeatedPermutation) { Rw::RandWrite } else { Rw::Write };
    let pattern = Pattern { bs: CHUNK, location, ..Pattern::baseline(rw, Bytes(0), size) };
    let mut source = PatternSource::new(&pattern, 0, SEED);
    let pages = f64::from(ssd.logical_pages());
    let mut batch = vec![Request::default(); (size.0 / CHUNK.0) as usize];
    (0..PASSES)
        .map(|_| {
            source.fill(&mut batch);
            ssd.restart();
            ssd.serve_in_turn(&batch, &mut Vec::new()).expect("served");
            ssd.nand().counts().programs() as f64 / pages
        })
        .collect()
}

const REPEATING: [Location; 3] =
    [Location::Sequential, Location::RegularGaps { gap: CHUNK }, Location::RepeatedPermutation];

const RANDOM_GAPS: Location = Location::RandomGaps { gap: CHUNK };

#[test]
fn patterns_that_repeat_cost_nothing_from_the_second_pass_on() {
    for initial in [Initial::Full, Initial::Empty] {
        for location in REPEATING {
            let passes = amplification(x25m("greedy", 2, initial), location);
            println!("{initial:?} {location:?}: {passes:.4?}");
            assert!(passes[1..].iter().all(|&a| a == 1.0), "{initial:?} {location:?}: {passes:.4?}");
        }
    }
}

#[test]
fn random_gaps_fall_off_a_cliff_once_the_capacity_has_been_written() {
    let passes = amplification(x25m("greedy", 2, Initial::Empty), RANDOM_GAPS);
    println!("random gaps on a fresh device: {passes:.4?}");
    assert_eq!(passes[0], 1.0);
    assert!(passes[1..].iter().all(|&a| a > 1.25), "{passes:.4?}");
    let full = amplification(x25m("greedy", 2, Initial::Full), RANDOM_GAPS);
    assert!(full.iter().all(|&a| a > 1.25), "{full:.4?}");
}

/// FIFO does not wait until a block is empty: it moves what is left where the pattern leaves gaps, and the
/// permutation, in another order than the device was filled in, meets only blocks that are nearly full. So
/// the order is turned around: random gaps are cheapest, the repeated permutation is dearest.
#[test]
fn with_fifo_the_order_of_the_patterns_is_another_one() {
    let last = |location| amplification(x25m("fifo", 2, Initial::Full), location)[PASSES - 1];
    let (random, regular, permutation) = (last(RANDOM_GAPS), last(REPEATING[1]), last(REPEATING[2]));
    println!("fifo: random gaps {random:.4}, regular gaps {regular:.4}, permutation {permutation:.4}");
    assert_eq!(last(Location::Sequential), 1.0);
    assert!(random > 1.3 && random < regular * 0.9 && regular < permutation * 0.5);
}

#[test]
fn one_frontier_for_all_mixes_survivors_in_and_loses_the_order() {
    for location in &REPEATING[1..] {
        let passes = amplification(x25m("greedy", 1, Initial::Full), *location);
        println!("one frontier {location:?}: {passes:.4?}");
        assert!(passes[1..].iter().all(|&a| a > 1.5), "{location:?}: {passes:.4?}");
        let fresh = amplification(x25m("greedy", 1, Initial::Empty), *location);
        assert!(fresh.iter().all(|&a| a == 1.0), "{location:?}: {fresh:.4?}");
    }
}
