//! The row of paper 001's Table 3 that a rig's rules amount to.

use flashscope_core::{Bytes, Pattern, Rw};

use super::spec::RigSpec;

/// The key characteristics of a rig for IOs of 32 KiB. None where there is no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndicatorsTruth {
    /// Mean of sequential reads, in milliseconds.
    pub sr_ms: Option<f64>,
    /// Mean of random reads, in milliseconds.
    pub rr_ms: Option<f64>,
    /// Mean of sequential writes, in milliseconds.
    pub sw_ms: Option<f64>,
    /// Mean of random writes, in milliseconds.
    pub rw_ms: Option<f64>,
    /// The pause between random writes that makes them as cheap as sequential ones, in milliseconds.
    pub pause_ms: Option<f64>,
    /// The area within which random writes are cheap, in MiB.
    pub locality_mib: Option<f64>,
    /// Their cost there, relative to sequential writes.
    pub locality_factor: Option<f64>,
    /// Sequential streams of writes at once before they cost as random ones.
    pub partitions: Option<u32>,
    /// Their cost, relative to a single stream.
    pub partitions_factor: Option<f64>,
    /// Cost of descending writes, relative to sequential ones.
    pub reverse_factor: Option<f64>,
    /// Cost of writes in one place, relative to sequential ones.
    pub in_place_factor: Option<f64>,
    /// Cost of writes with a large stride, relative to random ones.
    pub large_increment_factor: Option<f64>,
}

impl RigSpec {
    /// The row of Table 3 that this rig's rules amount to.
    pub fn indicators_truth(&self) -> IndicatorsTruth {
        let mean_ms =
            |rw| self.truth(&Pattern::baseline(rw, Bytes(0), self.half())).mean_ns.map(|ns| ns / 1e6);
        let (sw_ms, rw_ms) = (mean_ms(Rw::Write), mean_ms(Rw::RandWrite));
        let limited = self.streams.factor != 1.0 || sw_ms != rw_ms;
        IndicatorsTruth {
            sr_ms: mean_ms(Rw::Read),
            rr_ms: mean_ms(Rw::RandRead),
            sw_ms,
            rw_ms,
            pause_ms: self.hiding_pause_ns().map(|ns| ns as f64 / 1e6),
            locality_mib: self.locality.map(|locality| locality.area.0 as f64 / f64::from(1 << 20)),
            locality_factor: self.locality.map(|locality| locality.factor),
            partitions: limited.then_some(self.streams.limit),
            partitions_factor: limited.then_some(self.streams.factor),
            reverse_factor: Some(self.order.reverse),
            in_place_factor: Some(self.order.in_place),
            large_increment_factor: Some(self.order.large_increment),
        }
    }

    /// Half the device, in whole IOs of 32 KiB.
    fn half(&self) -> Bytes {
        Bytes((self.size.0 / 2) & !0x7FFF)
    }
}
