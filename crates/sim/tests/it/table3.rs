//! The rigs named after paper 001's devices say of themselves what its Table 3 says of the devices.

use flashscope_analysis::published::{Row, TABLE_3};
use flashscope_sim::{IndicatorsTruth, rigs};

fn published(row: Row) -> IndicatorsTruth {
    let [sr_ms, rr_ms, sw_ms, rw_ms] = row.times_ms.map(Some);
    let [reverse_factor, in_place_factor, large_increment_factor] = row.order.map(Some);
    IndicatorsTruth {
        sr_ms,
        rr_ms,
        sw_ms,
        rw_ms,
        pause_ms: row.pause_ms,
        locality_mib: row.locality.map(|(area, _)| area),
        locality_factor: row.locality.map(|(_, factor)| factor),
        partitions: Some(row.partitions.0 as u32),
        partitions_factor: Some(row.partitions.1),
        reverse_factor,
        in_place_factor,
        large_increment_factor,
    }
}

#[test]
fn each_rig_of_table_3_has_its_row() {
    for row in TABLE_3 {
        let mut truth = rigs::get(row.name).expect("built in").indicators_truth();
        // The paper gives pauses in whole milliseconds.
        truth.pause_ms = truth.pause_ms.map(f64::round);
        assert_eq!(truth, published(row), "{}", row.name);
    }
}

#[test]
fn a_rig_without_rules_has_no_effects() {
    let truth = rigs::get("plain").expect("built in").indicators_truth();
    assert_eq!((truth.pause_ms, truth.locality_mib, truth.partitions), (None, None, None));
    assert_eq!(truth.reverse_factor, Some(1.0));
}
