//! Paper 004: a page-mapped device of 2009 turns every pattern that repeats itself into a sequential one, and
//! falls off a cliff when the order changes, once its capacity has been written.
//!
//! What it takes is a write frontier of their own for the pages that a collection moves. With one frontier
//! for all, survivors come to lie between host writes, the physical order is no longer the pattern's, and a
//! full device does not find back to it. How greedy breaks ties makes no difference to that.

#![allow(clippy::print_stdout)]

use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::{Bytes, Request, Target};
use flashscope_core::{PatternSource, RequestSource};
use flashscope_sim::Ssd;
use flashscope_sim::profiles::Profile;

const CHUNK: Bytes = Bytes(64 << 10);
const SEED: u64 = 4;
const PASSES: usize = 6;

/// A capacity that runs in seconds.
const SMALL: &str = "1GiB";

/// The profile as it is, but for the keys that are named.
fn x25m(overrides: &[(&str, &str)]) -> Ssd {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    match Profile::find("x25m-2009", &overrides) {
        Ok(Profile::Ssd(settings)) => Ssd::new("x25m-2009", *settings, SEED).expect("the settings are right"),
        other => panic!("x25m-2009 is a solid-state drive: {other:?}"),
    }
}

/// The profile with less capacity, as its `gc` and its initial state are to be.
fn small(gc: &str, initial: &str) -> Ssd {
    x25m(&[("capacity", SMALL), ("gc", gc), ("initial", initial)])
}

/// Write amplification of each share of the writes that is as large as the device.
fn amplification(mut ssd: Ssd, location: Location) -> Vec<f64> {
    let size = Bytes(ssd.info().size_bytes);
    let rw = if matches!(location, Location::RepeatedPermutation) { Rw::RandWrite } else { Rw::Write };
    let pattern = Pattern { bs: CHUNK, location, ..Pattern::baseline(rw, Bytes(0), size) };
    let mut source = PatternSource::new(&pattern, 0, SEED);
    // What is left of the device behind its last whole chunk is not written.
    let mut batch = vec![Request::default(); (size.0 / CHUNK.0) as usize];
    let pages = batch.len() as f64 * (CHUNK.0 / u64::from(ssd.geometry().page_bytes)) as f64;
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
fn the_profile_is_the_drive_of_the_paper() {
    let ssd = x25m(&[("capacity", SMALL)]);
    let whole = Profile::find("x25m-2009", &[]).expect("a built-in profile");
    let Profile::Ssd(whole) = whole else { panic!("x25m-2009 is a solid-state drive") };
    assert_eq!((ssd.geometry().block_bytes(), whole.capacity), (512 << 10, Bytes(160_000_000_000)));
    assert_eq!((whole.ftl.as_str(), whole.gc.as_str(), whole.page.frontiers), ("page", "greedy", 2));
}

#[test]
fn patterns_that_repeat_cost_nothing_from_the_second_pass_on() {
    for initial in ["full", "empty"] {
        for location in REPEATING {
            let passes = amplification(small("greedy", initial), location);
            println!("{initial} {location:?}: {passes:.4?}");
            assert!(passes[1..].iter().all(|&a| a == 1.0), "{initial} {location:?}: {passes:.4?}");
        }
    }
}

#[test]
fn random_gaps_fall_off_a_cliff_once_the_capacity_has_been_written() {
    let passes = amplification(small("greedy", "empty"), RANDOM_GAPS);
    println!("random gaps on a fresh device: {passes:.4?}");
    assert_eq!(passes[0], 1.0);
    assert!(passes[1..].iter().all(|&a| a > 1.25), "{passes:.4?}");
    let full = amplification(small("greedy", "full"), RANDOM_GAPS);
    assert!(full.iter().all(|&a| a > 1.25), "{full:.4?}");
}

/// FIFO does not wait until a block is empty: it moves what is left where the pattern leaves gaps, and the
/// permutation, in another order than the device was filled in, meets only blocks that are nearly full. So
/// the order is turned around: random gaps are cheapest, the repeated permutation is dearest.
#[test]
fn with_fifo_the_order_of_the_patterns_is_another_one() {
    let last = |location| amplification(small("fifo", "full"), location)[PASSES - 1];
    let (random, regular, permutation) = (last(RANDOM_GAPS), last(REPEATING[1]), last(REPEATING[2]));
    println!("fifo: random gaps {random:.4}, regular gaps {regular:.4}, permutation {permutation:.4}");
    assert_eq!(last(Location::Sequential), 1.0);
    assert!(random > 1.3 && random < regular * 0.9 && regular < permutation * 0.5);
}

#[test]
fn one_frontier_for_all_mixes_survivors_in_and_loses_the_order() {
    let one = |initial| x25m(&[("capacity", SMALL), ("page.frontiers", "1"), ("initial", initial)]);
    for location in &REPEATING[1..] {
        let passes = amplification(one("full"), *location);
        println!("one frontier {location:?}: {passes:.4?}");
        assert!(passes[1..].iter().all(|&a| a > 1.5), "{location:?}: {passes:.4?}");
        let fresh = amplification(one("empty"), *location);
        assert!(fresh.iter().all(|&a| a == 1.0), "{location:?}: {fresh:.4?}");
    }
}

#[test]
#[ignore = "160 GB of flash in 350 MB of memory; minutes"]
fn the_whole_drive_does_the_same() {
    for location in REPEATING {
        let passes = amplification(x25m(&[]), location);
        println!("160 GB {location:?}: {passes:.4?}");
        assert!(passes[1..].iter().all(|&a| a == 1.0), "{location:?}: {passes:.4?}");
    }
    let passes = amplification(x25m(&[("initial", "empty")]), RANDOM_GAPS);
    println!("160 GB, fresh, random gaps: {passes:.4?}");
    assert!(passes[0] == 1.0 && passes[1..].iter().all(|&a| a > 1.25), "{passes:.4?}");
}
