//! Devices that a new one is set beside: those of paper 001's table 3, whose rows the rigs of their names
//! carry.

use crate::html::Known;
use flashscope_analysis::{Indicator, Indicators};
use flashscope_sim::{IndicatorsTruth, rigs};

/// In the paper's order: from the fastest to the slowest.
const NAMES: [&str; 7] =
    ["memoright", "mtron", "samsung", "transcend-module", "transcend-mlc", "kingston-dthx", "kingston-dti"];

/// All of them.
pub fn known() -> Vec<Known> {
    NAMES.iter().filter_map(|name| device(name)).collect()
}

fn device(name: &str) -> Option<Known> {
    let truth = rigs::get(name)?.indicators_truth();
    // The comment of the rig begins with the device's full name.
    let about = rigs::text(name)?.lines().next()?.trim_start_matches(['#', ' ']);
    let full = about.split(',').next().unwrap_or(name);
    Some(Known { name: full.into(), indicators: published(&truth) })
}

fn published(truth: &IndicatorsTruth) -> Indicators {
    let exactly = |value: Option<f64>| value.map(|value| Indicator { value, ci_low: value, ci_high: value });
    Indicators {
        sr_ms: exactly(truth.sr_ms),
        rr_ms: exactly(truth.rr_ms),
        sw_ms: exactly(truth.sw_ms),
        rw_ms: exactly(truth.rw_ms),
        // The paper gives pauses in whole milliseconds.
        pause_ms: exactly(truth.pause_ms.map(f64::round)),
        locality_mib: exactly(truth.locality_mib),
        locality_factor: exactly(truth.locality_factor),
        partitions: exactly(truth.partitions.map(f64::from)),
        partitions_factor: exactly(truth.partitions_factor),
        reverse_factor: exactly(truth.reverse_factor),
        in_place_factor: exactly(truth.in_place_factor),
        large_increment_factor: exactly(truth.large_increment_factor),
        ..Indicators::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_seven_devices_are_known_by_their_full_names() {
        let names: Vec<String> = known().into_iter().map(|known| known.name).collect();
        assert_eq!(names.len(), NAMES.len());
        assert_eq!(names[1], "Mtron SATA7035-016");
        assert!(names.iter().all(|name| name.len() < 40 && !name.contains('#')), "{names:?}");
    }
}
