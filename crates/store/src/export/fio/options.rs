//! A pattern in fio's options. They describe what was done; what fio has no option for is counted.

use flashscope_core::{Arrivals, Location, Pattern};
use serde_json::{Map, Value};

use super::super::Outlet;
use super::Job;

const ORDER: &str =
    "runs without the order of their addresses (stride, partitions, gap, repeated): fio has no such option";
const TURNS: &str = "mixes without their exact order (fio's rwmixread is a share)";

/// fio's word for what a pattern does; none if it has no such job.
pub(super) fn rw_of(pattern: &Pattern) -> Option<&'static str> {
    let Some(mix) = pattern.mix else { return Some(pattern.rw.name()) };
    let is_pair = mix.rw.is_write() != pattern.rw.is_write() && mix.rw.is_random() == pattern.rw.is_random();
    is_pair.then_some(if mix.rw.is_random() { "randrw" } else { "rw" })
}

/// The job's options, as texts as fio prints them.
pub(super) fn options(job: &Job<'_>, window_ms: u64, stem: &str, outlet: &mut Outlet<'_>) -> Value {
    let pattern = &job.finished.experiment.pattern;
    let space = pattern.job_space(0);
    let mut options = Map::new();
    let mut set = |key: &str, value: String| drop(options.insert(key.into(), Value::String(value)));
    set("name", job.log_name());
    set("rw", job.rw.into());
    set("bs", block_size(pattern.bs.0));
    set("offset", (pattern.offset.0 + pattern.shift.0).to_string());
    set("size", space.size_bytes.to_string());
    set("iodepth", pattern.iodepth.to_string());
    set("numjobs", pattern.numjobs.to_string());
    if pattern.numjobs > 1 {
        set("offset_increment", space.size_bytes.to_string());
        set("per_job_logs", "0".into());
        set("group_reporting", "1".into());
    }
    if let Some(ios) = pattern.fsync {
        set("fsync", ios.to_string());
    }
    if let Some(ios) = pattern.number_ios {
        set("number_ios", ios.to_string());
    }
    if pattern.thinktime.0 > 0 {
        set("thinktime", (pattern.thinktime.0 / 1000).to_string());
        set("thinktime_blocks", pattern.thinktime_blocks.to_string());
    }
    if let Some(rate) = pattern.rate_iops {
        set("rate_iops", (rate / f64::from(pattern.numjobs)).round().to_string());
        let process = if pattern.arrivals == Arrivals::Poisson { "poisson" } else { "linear" };
        set("rate_process", process.into());
    }
    if let Some(mix) = pattern.mix {
        let first = f64::from(mix.ratio) / f64::from(mix.ratio + 1) * 100.0;
        let reads = if pattern.rw.is_write() { 100.0 - first } else { first };
        set("rwmixread", reads.round().to_string());
        outlet.count(TURNS);
    }
    match distribution(pattern) {
        Ok(pairs) => pairs.into_iter().for_each(|(key, value)| set(key, value)),
        Err(loss) => outlet.count(loss),
    }
    set("bwavgtime", window_ms.to_string());
    set("iopsavgtime", window_ms.to_string());
    for log in ["write_lat_log", "write_iops_log", "write_bw_log"] {
        set(log, stem.rsplit('/').next().unwrap_or(stem).into());
    }
    Value::Object(options)
}

/// fio's options for the order of addresses.
fn distribution(pattern: &Pattern) -> Result<Vec<(&'static str, String)>, &'static str> {
    let law = |law: String| Ok(vec![("norandommap", "1".into()), ("random_distribution", law)]);
    match pattern.location {
        // fio goes through a random map: no address twice before all were used.
        Location::Sequential | Location::Permutation => Ok(vec![]),
        Location::Random => Ok(vec![("norandommap", "1".into())]),
        Location::Zipf { theta } => law(format!("zipf:{theta}")),
        Location::HotCold { hot_space, hot_ios } => {
            let (space, ios) = (hot_space.0 * 100.0, hot_ios.0 * 100.0);
            law(format!("zoned:{ios:.0}/{space:.0}:{:.0}/{:.0}", 100.0 - ios, 100.0 - space))
        }
        Location::Ordered { .. }
        | Location::Partitioned { .. }
        | Location::RegularGaps { .. }
        | Location::RandomGaps { .. }
        | Location::RepeatedPermutation => Err(ORDER),
    }
}

/// As people write them for fio: `4k`, or bytes.
fn block_size(bytes: u64) -> String {
    if bytes > 0 && bytes.is_multiple_of(1024) { format!("{}k", bytes / 1024) } else { bytes.to_string() }
}
