//! What a log-block FTL looks like from outside: each effect in a row of table 3 (paper 001), measured by a
//! campaign, is the one that follows from its log blocks and the times of its flash.
//!
//! The device, chosen so that everything adds up in the head: one die, blocks of N = 256 pages of 2 KiB
//! (512 KiB), a page read in r = 25 + 25 us and programmed in p = 200 + 25 us, a block erased in e = 1.5 ms,
//! no buffer, no cost of a command. An IO is 32 KiB, n = 16 pages, so a block is 16 IOs.
//!
//! - read: n r = 0.8 ms, wherever and whatever was written before;
//! - sequential write: 16 IOs fill a log block in order, a switch merge erases one block:
//!   n p + e / 16 = 3.6 + 0.094 = 3.694 ms;
//! - full merge: N (r + p) + 2 e = 70.4 + 3 = 73.4 ms;
//! - random write over all 512 blocks: all but L in 512 find no log block of theirs and merge one first:
//!   n p + (1 - L / 512) 73.4 ms;
//! - write in place, or at descending addresses: 16 IOs fill the log block out of order, then it is merged in
//!   full: n p + 73.4 / 16 = 8.188 ms, 2.217 times a sequential write.

use std::sync::atomic::AtomicBool;

use flashscope_analysis::{Finished, Indicator, Indicators, indicators, points};
use flashscope_bench::{Alone, Campaign, Plan, Prior, Scope, Settings, run};
use flashscope_core::{Bytes, Target};
use flashscope_sim::Ssd;

const SW_MS: f64 = 3.6 + 1.5 / 16.0;
const MERGE_MS: f64 = 73.4;
const IN_ORDER_LOST_MS: f64 = 3.6 + MERGE_MS / 16.0;
const BLOCK_MIB: f64 = 0.5;

fn device(log_blocks: u32) -> Ssd {
    let mut settings = flashscope_sim::settings::Settings {
        capacity: Bytes(256 << 20),
        over_provisioning: 0.05,
        ftl: "log-block".into(),
        ..Default::default()
    };
    settings.log_block.log_blocks = log_blocks;
    settings.nand.pages_per_block = 256;
    settings.nand.page = Bytes(2 << 10);
    settings.nand.read_us = vec![25.0];
    settings.nand.program_us = vec![200.0];
    settings.nand.transfer_us = 25.0;
    settings.nand.erase_us = 1_500.0;
    Ssd::new("logs", settings, 1).expect("the settings are good")
}

/// The row of a device with so many log blocks, and the runs that it comes from.
fn characterise(log_blocks: u32) -> (Indicators, Vec<Finished>) {
    let only = ["locality", "partitioning", "order"].map(String::from).to_vec();
    let settings = Settings { only: Some(only), repeats: 1, ..crate::common::settings(Scope::Table1, 1) };
    let mut bench = Alone(device(log_blocks));
    let info = bench.0.info().clone();
    let plan = Plan::new(&info, &settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, &mut bench, &mut crate::common::Memory::default(), Prior::default());
    assert!(outcome.error.is_none() && outcome.stopped.is_none(), "{:?}", outcome.error);
    (indicators(&points(&outcome.finished)), outcome.finished)
}

/// Within 5 %, the precision that runs are asked for.
#[track_caller]
fn near(log_blocks: u32, what: &str, found: Option<Indicator>, expected: f64) {
    let found = found.unwrap_or_else(|| panic!("{log_blocks} logs: {what} is missing")).value;
    assert!((found / expected - 1.0).abs() <= 0.05, "{log_blocks} logs: {what} {found}, expected {expected}");
}

#[track_caller]
fn exactly(log_blocks: u32, what: &str, found: Option<Indicator>, expected: f64) {
    assert_eq!(found.map(|found| found.value), Some(expected), "{log_blocks} logs: {what}");
}

fn reads_ms(runs: &[Finished]) -> Vec<f64> {
    let reads = runs.iter().filter(|done| !done.experiment.pattern.rw.is_write());
    reads.filter_map(|done| done.run.outcome.estimate.map(|estimate| estimate.mean_ns / 1e6)).collect()
}

#[test]
fn the_row_of_a_log_block_device_follows_from_its_log_blocks() {
    for log_blocks in [4, 8, 16] {
        let (row, runs) = characterise(log_blocks);
        let logs = f64::from(log_blocks);
        near(log_blocks, "SW", row.sw_ms, SW_MS);
        near(log_blocks, "RW", row.rw_ms, 3.6 + (1.0 - logs / 512.0) * MERGE_MS);
        // Reads know nothing of logs.
        let reads = reads_ms(&runs);
        assert!(reads.len() > 20 && reads.iter().all(|ms| (ms - 0.8).abs() < 1e-9), "{reads:?}");
        // A stream needs a log block of its own; served in turn, one stream too many always finds its log
        // block merged away. The numbers of streams measured are powers of two.
        exactly(log_blocks, "partitions", row.partitions, logs);
        // With as many streams as logs, a block that two of them share has none to spare: at the worst, every
        // block loses its order.
        let factor = row.partitions_factor.map(|factor| factor.value);
        assert!(
            factor.is_some_and(|factor| (0.95..IN_ORDER_LOST_MS / SW_MS).contains(&factor)),
            "{factor:?}"
        );
        // As many blocks as logs: each log block is filled, out of order, before it is merged. Twice as many:
        // half of the writes find no log block, and cost more than half of a random write.
        exactly(log_blocks, "locality area", row.locality_mib, logs * BLOCK_MIB);
        // Neither depends on the number of logs.
        near(log_blocks, "in place", row.in_place_factor, IN_ORDER_LOST_MS / SW_MS);
        near(log_blocks, "reverse", row.reverse_factor, IN_ORDER_LOST_MS / SW_MS);
    }
}

#[test]
fn between_two_powers_of_two_the_lower_one_is_found() {
    let (row, _) = characterise(7);
    exactly(7, "partitions", row.partitions, 4.0);
}
