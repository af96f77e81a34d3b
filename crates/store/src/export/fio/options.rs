//! A pattern in fio's options. They describe what was done; what fio has no option for is counted.

use std::collections::BTreeSet;

use flashscope_core::{
    Arrivals, Bytes, JobSpace, Location, Op, Pattern, Priorities, PriorityRule, Rate, Sizes, Turns,
};
use serde_json::{Map, Value};

use super::super::Outlet;
use super::Job;

const ORDER: &str = "runs without the order of their addresses (stride, partitions, gap, streams, repeated): \
                     fio has no such option";
const PLACEMENT: &str = "runs without their placement handles: fio places by other rules";
const TURNS: &str = "mixes without their exact order (fio's rwmixread is a share)";

/// fio's word for what a pattern does; none if it has no such job.
pub(super) fn rw_of(pattern: &Pattern) -> Option<&'static str> {
    let Some(mix) = pattern.mix else { return Some(pattern.rw.name()) };
    if !matches!(mix.turns, Turns::Ratio(_)) {
        return pattern.rw_word();
    }
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
    if let Some(sizes) = &pattern.sizes {
        set("bssplit", split(sizes));
    }
    set("offset", (pattern.offset.0 + pattern.shift.0).to_string());
    // Without it each process of fio goes on to the end of its file.
    if !matches!(pattern.job_space, JobSpace::ApartToEnd(_)) {
        set("size", space.size_bytes.to_string());
    }
    set("iodepth", pattern.iodepth.to_string());
    set("numjobs", pattern.numjobs.to_string());
    if pattern.numjobs > 1 {
        match pattern.job_space {
            JobSpace::Parts => set("offset_increment", space.size_bytes.to_string()),
            JobSpace::Shared => {}
            JobSpace::Apart(distance) | JobSpace::ApartToEnd(distance) => {
                set("offset_increment", distance.0.to_string());
            }
        }
        set("per_job_logs", "0".into());
        set("group_reporting", "1".into());
    }
    kernel(pattern).into_iter().for_each(|(key, value)| set(key, value));
    if let Some(ios) = pattern.number_ios {
        set("number_ios", ios.to_string());
    }
    if pattern.thinktime.0 > 0 {
        set("thinktime", (pattern.thinktime.0 / 1000).to_string());
        set("thinktime_blocks", pattern.thinktime_blocks.to_string());
    }
    if let Some(rate) = pattern.rate_iops {
        set("rate_iops", rates(rate, pattern.numjobs));
        let process = if pattern.arrivals == Arrivals::Poisson { "poisson" } else { "linear" };
        set("rate_process", process.into());
    }
    if let Some(reads) = share_of_reads(pattern, outlet) {
        set("rwmixread", reads);
    }
    match distribution(pattern) {
        Ok(pairs) => pairs.into_iter().for_each(|(key, value)| set(key, value)),
        Err(loss) => outlet.count(loss),
    }
    if pattern.placement.is_some() {
        outlet.count(PLACEMENT);
    }
    set("bwavgtime", window_ms.to_string());
    set("iopsavgtime", window_ms.to_string());
    for log in ["write_lat_log", "write_iops_log", "write_bw_log"] {
        set(log, stem.rsplit('/').next().unwrap_or(stem).into());
    }
    Value::Object(options)
}

/// What is asked of the kernel: when writes are durable, and how IOs are done.
fn kernel(pattern: &Pattern) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    options.extend(pattern.is_dsync.then(|| ("sync", "dsync".into())));
    options.extend(pattern.is_atomic.then(|| ("atomic", "1".into())));
    options.extend(pattern.fsync.map(|ios| ("fsync", ios.to_string())));
    let priorities = pattern.priorities.as_ref().map(|priorities| priority(priorities, pattern));
    options.extend(priorities.into_iter().flatten());
    options
}

/// `rate_iops`, which fio has for each process.
fn rates(rate: Rate, numjobs: u32) -> String {
    let of_process = |iops: f64| (iops / f64::from(numjobs)).round().to_string();
    match rate {
        Rate::Total(rate) => of_process(rate),
        Rate::Each { reads, writes } => format!("{},{}", of_process(reads), of_process(writes)),
    }
}

/// `rwmixread` of a mix that has a share.
fn share_of_reads(pattern: &Pattern, outlet: &mut Outlet<'_>) -> Option<String> {
    let mix = pattern.mix.filter(|mix| mix.turns != Turns::SameAddress)?;
    if matches!(mix.turns, Turns::Ratio(_)) {
        outlet.count(TURNS);
    }
    Some((100.0 * (1.0 - pattern.write_share())).round().to_string())
}

/// `bssplit`.
fn split(sizes: &Sizes) -> String {
    let share = |(size, percent): (Bytes, u32)| format!("{}/{percent}", block_size(size.0));
    let of = |op: Op| sizes.shares(op).map(share).collect::<Vec<_>>().join(":");
    match sizes.differ() {
        true => [Op::Read, Op::Write, Op::Trim].map(of).join(","),
        false => of(Op::Read),
    }
}

/// fio's priorities: of all sizes, or by size.
fn priority(priorities: &Priorities, pattern: &Pattern) -> Vec<(&'static str, String)> {
    let rules = priorities.rules();
    let of = |op: Op| move |rule: &&PriorityRule| rule.op.is_none_or(|of| of == op);
    let [first, ..] = rules else { return Vec::new() };
    let is_same = |rule: &PriorityRule| rule.size.is_none() && rule.value() == first.value();
    if rules.iter().all(is_same) {
        let percent = |op| rules.iter().filter(of(op)).map(|rule| u32::from(rule.percent)).sum::<u32>();
        let percents = format!("{},{}", percent(Op::Read), percent(Op::Write));
        let (class, level, hint) = (first.class, first.level, first.hint);
        let mut options = vec![("cmdprio_percentage", percents)];
        options.push(("cmdprio_class", class.to_string()));
        options.push(("cmdprio", level.to_string()));
        options.extend((hint > 0).then(|| ("cmdprio_hint", hint.to_string())));
        return options;
    }
    let sizes: BTreeSet<Bytes> =
        pattern.sizes.as_ref().map_or([pattern.bs].into(), |sizes| sizes.all().collect());
    let rule = |rule: &PriorityRule| {
        let PriorityRule { percent, class, level, hint, .. } = *rule;
        let of = |size: &Bytes| format!("{}/{percent}/{class}/{level}/{hint}", block_size(size.0));
        let sizes = sizes.iter().filter(|size| rule.size.is_none_or(|own| own == **size));
        sizes.map(of).collect::<Vec<_>>().join(":")
    };
    let split = |op| rules.iter().filter(of(op)).map(rule).collect::<Vec<_>>().join(":");
    vec![("cmdprio_bssplit", format!("{},{}", split(Op::Read), split(Op::Write)))]
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
        Location::Zones(zones) => law(format!("zoned:{zones}")),
        Location::Sequence(sequence) => {
            let slots: Vec<String> = sequence.slots().iter().map(ToString::to_string).collect();
            let stride = u8::from(sequence.is_strided()).to_string();
            Ok(vec![
                ("random_distribution", format!("sequence:{}", slots.join(","))),
                ("random_sequence_stride", stride),
            ])
        }
        Location::ZoneGaps { gap, zone } => Ok(vec![
            ("zonemode", "strided".into()),
            ("zonesize", zone.0.to_string()),
            ("zoneskip", gap.0.to_string()),
        ]),
        Location::Ordered { .. }
        | Location::Partitioned { .. }
        | Location::RegularGaps { .. }
        | Location::RandomGaps { .. }
        | Location::Streams(_)
        | Location::Levels(_)
        | Location::RepeatedPermutation => Err(ORDER),
    }
}

/// As people write them for fio: `4k`, or bytes.
fn block_size(bytes: u64) -> String {
    if bytes > 0 && bytes.is_multiple_of(1024) { format!("{}k", bytes / 1024) } else { bytes.to_string() }
}
