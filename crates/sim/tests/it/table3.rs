//! The rigs named after paper 001's devices say of themselves what its Table 3 says of the devices.

use flashscope_sim::{IndicatorsTruth, rigs};

/// Device; SR, RR, SW, RW in ms; pause; locality in MB and factor; partitions and factor; reverse; in place;
/// large increments. Typed from the paper, `=` as 1.
type Row = (&'static str, [f64; 4], Option<f64>, Option<(f64, f64)>, (u32, f64), [f64; 3]);

const TABLE_3: [Row; 7] = [
    ("memoright", [0.3, 0.4, 0.3, 5.0], Some(5.0), Some((8.0, 1.0)), (8, 1.0), [1.0, 1.0, 4.0]),
    ("mtron", [0.4, 0.5, 0.4, 9.0], Some(9.0), Some((8.0, 2.0)), (4, 1.5), [1.0, 1.0, 2.0]),
    ("samsung", [0.5, 0.5, 0.6, 18.0], None, Some((16.0, 1.5)), (4, 2.0), [1.5, 0.6, 2.0]),
    ("transcend-module", [1.2, 1.3, 1.7, 18.0], None, Some((4.0, 2.0)), (4, 2.0), [3.0, 2.0, 2.0]),
    ("transcend-mlc", [1.4, 3.0, 2.6, 233.0], None, Some((4.0, 1.0)), (4, 2.0), [2.0, 2.0, 1.0]),
    ("kingston-dthx", [1.3, 1.5, 1.8, 270.0], None, Some((16.0, 20.0)), (8, 20.0), [7.0, 6.0, 1.0]),
    ("kingston-dti", [1.9, 2.2, 2.9, 256.0], None, None, (4, 5.0), [8.0, 40.0, 1.0]),
];

fn published((_, times, pause, locality, partitions, order): Row) -> IndicatorsTruth {
    let [sr_ms, rr_ms, sw_ms, rw_ms] = times.map(Some);
    let [reverse_factor, in_place_factor, large_increment_factor] = order.map(Some);
    IndicatorsTruth {
        sr_ms,
        rr_ms,
        sw_ms,
        rw_ms,
        pause_ms: pause,
        locality_mib: locality.map(|(area, _)| area),
        locality_factor: locality.map(|(_, factor)| factor),
        partitions: Some(partitions.0),
        partitions_factor: Some(partitions.1),
        reverse_factor,
        in_place_factor,
        large_increment_factor,
    }
}

#[test]
fn each_rig_of_table_3_has_its_row() {
    for row in TABLE_3 {
        let mut truth = rigs::get(row.0).expect("built in").indicators_truth();
        // The paper gives pauses in whole milliseconds.
        truth.pause_ms = truth.pause_ms.map(f64::round);
        assert_eq!(truth, published(row), "{}", row.0);
    }
}

#[test]
fn a_rig_without_rules_has_no_effects() {
    let truth = rigs::get("plain").expect("built in").indicators_truth();
    assert_eq!((truth.pause_ms, truth.locality_mib, truth.partitions), (None, None, None));
    assert_eq!(truth.reverse_factor, Some(1.0));
}
