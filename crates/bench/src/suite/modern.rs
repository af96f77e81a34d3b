//! What drives of today have inside and data sheets leave out: the queue depth that fills them, their write
//! buffer, their cache in SLC mode, their spare flash; and what a reader feels while somebody writes, what
//! trims and flushes cost, what idle time gives back. In uFLIP's manner: one thing varies, all else is fixed.
//!
//! Here is what is done; what is read from it is in `modern/reading.rs`.

mod reading;

use std::borrow::Cow;

use flashscope_analysis::Cut;
use flashscope_core::{Bytes, Location, Nanos, Pattern, Rw};

use super::program::{ALL_PARTS, Act, FILL, Number, Parameters, Probe, TIME_MIN, refused, within};
use super::{Part, Program, Setting, Suite};
use crate::error::{BenchError, SuiteError};
use crate::step::{Condition, Length, Preparation, Wanted};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("modern"),
    doc: "queue-depth knee, write buffer, SLC cache, over-provisioning, read tail, trim, flush, idle \
        recovery",
    source: "paper 001's method for features of later drives",
    settings: &[
        Setting {
            name: "parts",
            default: ALL_PARTS,
            quick: ALL_PARTS,
            help: "parts to run, from the list below, in this order",
        },
        Setting { name: "time", default: "5s", quick: "200ms", help: "default length of a run" },
        Setting { name: "rest", default: "60s", quick: "10s", help: "idle time to let caches drain" },
        Setting {
            name: "buffer_max",
            default: "1GiB",
            quick: "256MiB",
            help: "largest write buffer to detect",
        },
        Setting {
            name: "spare_max",
            default: "1",
            quick: "1",
            help: "largest over-provisioning to detect, as a share of the span",
        },
        Setting {
            name: "rates",
            default: "10,50,100,200,500,1000",
            quick: "50,200,500",
            help: "write rates in MB/s under which reads are measured",
        },
        Setting {
            name: "idles",
            default: "100ms,1s,10s,60s",
            quick: "100ms,1s,10s",
            help: "idle times after the cache was filled",
        },
    ],
    parts: PARTS,
    bs: Some(Bytes(4 << 10)),
    repeats: 1,
    program: Program::Acts(program),
    reading: reading::reading,
};

const DEPTH: &str = "depth";
const DEPTH_AGAIN: &str = "depth-again";
const BUFFER_TIMES: &str = "buffer-times";
const BUFFER_WRITE: &str = "buffer-write";
const BUFFER_READ: &str = "buffer-read-back";
const FILL_RUN: &str = "fill";
const FILL_READ: &str = "fill-read-back";
const FILL_SPEED: &str = "fill-read-speed";
const SPARE: &str = "spare";
const TAIL: &str = "read-tail";
const FLUSH: &str = "flush";
const TRIM: &str = "trim";
const TRIM_EFFECT: &str = "trim-effect";
const IDLE: &str = "idle-recovery";

const PARTS: &[Part] = &[
    Part::new("depth", "random reads at increasing queue depth", |asked| Ok(Modern::of(asked)?.depth())),
    Part::new("buffer", "size of the write buffer, from reads of recent writes", |asked| {
        Modern::of(asked)?.buffer(asked.value("buffer_max")?)
    }),
    Part::new("fill", "sequential fills, read back: size of the SLC cache", |asked| {
        Ok(Modern::of(asked)?.fill(asked.time("rest", Nanos::ZERO)?))
    }),
    Part::new(
        "spare",
        "random writes until spare flash is used up, in all and in part of the space",
        |asked| Modern::of(asked)?.spare(asked.value::<Number>("spare_max")?.0),
    ),
    Part::new("tail", "random reads under writes at fixed rates", |asked| {
        Modern::of(asked)?.tail(asked.list("rates")?.into_iter().map(|Number(rate)| rate).collect())
    }),
    Part::new("flush", "random writes with flushes", |asked| Ok(Modern::of(asked)?.flush())),
    Part::new("trim", "time of discards, and write speed after them", |asked| Ok(Modern::of(asked)?.trim())),
    Part::new("idle", "recovery of the cache in idle time", |asked| {
        Modern::of(asked)?.idle(asked.list("idles")?)
    }),
];
/// The deepest queue that is tried.
const DEPTH_MAX: u32 = 4096;
/// Reads for each one in flight, at least.
const READS_MIN: u64 = 100;
/// In flight, where a part wants all that the device can take in.
const BUSY_DEPTH: u32 = 32;
/// Size of writes of which a device takes in the most.
const LARGE_WRITE: u64 = 128 << 10;
/// Size of the random writes that use up spare flash.
const SPARE_WRITE: u64 = 64 << 10;
/// Windows of a fill: a cache of a hundredth of the device is seen within 3 %.
const WINDOWS: u64 = 4096;
/// Windows in any case.
const WINDOWS_MIN: u64 = 256;
/// What many dies complete in one moment: less is no rate.
const AT_ONCE: u64 = 4 << 20;
/// From one read-back to the next, at least: beyond what a device reads ahead or in one operation.
const STRIDE: u64 = 64 << 10;
/// Size of a read-back: no page of flash is larger.
const READ_BACK: u64 = 16 << 10;
/// Read-backs at most.
const READ_BACKS: u64 = 2048;
const BUFFER_MIN: u64 = 1 << 20;
/// Where a buffer of a size between two powers of two is looked for, in eighths of the way.
const BETWEEN: [u32; 7] = [4, 2, 6, 1, 3, 5, 7];
/// Writes, and reads of each kind, that tell what memory and flash take.
const TIMES: u64 = 16;
/// Reads of other data between writes or reads and the reads that count.
const ELSEWHERE: u64 = 1024;
/// What is written, read, and read after a flush to tell that.
const WRITTEN: &str = "written";
const READ_BUFFERED: &str = "read";
const READ_FLUSHED: &str = "read after a flush";
const READ_AGAIN: &str = "read again";
/// The two rests before a fill, as shares of `rest`.
const RESTS: [(&str, u64); 2] = [("after a short rest", 4), ("rested", 1)];
/// Where random writes go that use up spare flash.
const EVERYWHERE: &str = "everywhere";
const UPPER_PART: &str = "upper seven eighths";
/// Discards of each size.
const TRIMS: u64 = 64;
const TRIM_SIZES: [u64; 5] = [4 << 10, 64 << 10, 1 << 20, 32 << 20, 512 << 20];
/// A flush after so many writes; 0 for none.
const FLUSH_EVERY: [u64; 4] = [0, 1, 8, 64];

struct Modern<'a> {
    asked: &'a Parameters<'a>,
    time: Length,
    rest: Preparation,
    busy: u32,
}

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let parts = asked.parts("parts")?;
    if parts.iter().all(|part| part.name == "trim") && !asked.can_trim {
        return Err(refused("parts", "trim", "the target does not support discards; choose other parts"));
    }
    let acts: Result<Vec<_>, _> = parts.iter().map(|part| (part.acts)(asked)).collect();
    Ok(acts?.concat())
}

impl<'a> Modern<'a> {
    fn of(asked: &'a Parameters<'a>) -> Result<Modern<'a>, BenchError> {
        if asked.repeats > 1 {
            return Err(SuiteError::Repeats { repeats: asked.repeats }.into());
        }
        Ok(Modern {
            asked,
            time: Length::Time(asked.time("time", TIME_MIN)?),
            rest: Preparation::Idle(asked.time("rest", Nanos::ZERO)?),
            busy: BUSY_DEPTH.min(asked.frame.queue_depth_max),
        })
    }
}

impl Modern<'_> {
    /// What the write buffer holds goes to the flash: a small write and a flush.
    fn flushed(&self) -> Act {
        let pattern = Pattern { fsync: Some(1), ..self.small(Rw::Write) };
        Act::Prepare(Preparation::Burst { pattern: Box::new(pattern), length: Length::Ios(2) })
    }

    /// Everything written once in order, flushed, and then left alone: buffer and caches are empty, spare
    /// flash is free.
    fn rested(&self) -> [Act; 3] {
        [Act::Prepare(FILL), self.flushed(), Act::Prepare(self.rest.clone())]
    }

    /// Before reads, where writing is allowed.
    fn readable(&self) -> Vec<Act> {
        if self.asked.write { self.rested().into() } else { Vec::new() }
    }

    /// As many large sequential writes at a time as it takes.
    fn large_writes(&self) -> Pattern {
        let bs = Bytes(LARGE_WRITE.max(self.asked.frame.sector.0));
        Pattern { iodepth: self.busy, ..self.asked.baseline(Rw::Write, bs) }
    }

    fn small(&self, rw: Rw) -> Pattern {
        self.asked.baseline(rw, self.asked.frame.bs)
    }

    /// Random reads, twice as many in flight each time, until that brings nothing; and single ones again.
    fn depth(&self) -> Vec<Act> {
        let deepest = DEPTH_MAX.min(self.asked.frame.queue_depth_max);
        let depths = (0..).map(|power| 1u32 << power).take_while(|depth| *depth <= deepest);
        let reads = |micro: &str, depth: u32| {
            let pattern = Pattern { iodepth: depth, ..self.small(Rw::RandRead) };
            let probe = Probe::new(micro, "RR", pattern, self.time).at(f64::from(depth), depth);
            probe.at_least(READS_MIN * u64::from(depth))
        };
        let probe = |depth: u32| reads(DEPTH, depth).only_if((depth > 2).then_some(Condition::Growing)).act();
        let before = self.readable().into_iter().chain([self.read_elsewhere()]);
        before.chain(depths.map(probe)).chain([reads(DEPTH_AGAIN, 1).act()]).collect()
    }

    /// From an empty buffer, writes of more and more bytes, each read back: as long as all comes fast, all is
    /// still in the buffer, whatever leaves it first. The sizes between two powers of two are tried where the
    /// last that all came fast of and the first that not all did lie to both sides.
    fn buffer(&self, most: Bytes) -> Result<Vec<Act>, BenchError> {
        if most.0 < BUFFER_MIN {
            let least = Bytes(BUFFER_MIN);
            return Err(refused("buffer_max", most, format!("write {least} or more")));
        }
        if !self.asked.write {
            return Ok(Vec::new());
        }
        let most = most.0.min(self.asked.frame.span.0);
        let doubled = || (0..).map(|power| BUFFER_MIN << power).take_while(move |size| *size <= most);
        let between = |low: u64| BETWEEN.map(|eighth| low as f64 * (f64::from(eighth) / 8.0).exp2());
        let between = doubled().flat_map(between).map(|size| size as u64 / STRIDE * STRIDE);
        let wanted = Condition::Wanted(Wanted(reading::is_between));
        let first = doubled().flat_map(|size| self.written_and_read_back(size, None));
        let then = between.filter(|size| *size <= most);
        let then = then.flat_map(|size| self.written_and_read_back(size, Some(wanted.clone())));
        Ok(self.memory_and_flash().into_iter().chain(first).chain(then).collect())
    }

    /// Single reads, or writes, that are far apart.
    fn far_apart(&self, rw: Rw, stride: u64, count: u64) -> Pattern {
        let bs = Bytes(READ_BACK.max(self.asked.frame.sector.0));
        let location = Location::RegularGaps { gap: Bytes(stride.saturating_sub(bs.0)) };
        Pattern { location, size: Bytes(stride * count), ..self.asked.baseline(rw, bs) }
    }

    /// Reads that wait for writes under way, and leave other data in the registers of the flash.
    fn read_elsewhere(&self) -> Act {
        let pattern = Box::new(self.small(Rw::RandRead));
        Act::Prepare(Preparation::Burst { pattern, length: Length::Ios(ELSEWHERE) })
    }

    /// A few writes, and what it takes to read them before a flush, after it, and once more.
    fn memory_and_flash(&self) -> Vec<Act> {
        // Not where amounts are written later: what was written before, a buffer may hold on to.
        let offset = Bytes(self.asked.frame.span.0 / 2 / STRIDE * STRIDE);
        let count = TIMES.min((self.asked.frame.span.0 - offset.0) / STRIDE).max(1);
        let probe = |place: u32, label: &str, rw: Rw| {
            let pattern = Pattern { offset, ..self.far_apart(rw, STRIDE, count) };
            let probe = Probe::new(BUFFER_TIMES, rw.short_name(), pattern, Length::Ios(count));
            probe.at(f64::from(place), label).windows(Cut::Ios(1), count as usize + 2).act()
        };
        vec![
            self.flushed(),
            probe(0, WRITTEN, Rw::Write),
            probe(1, READ_BUFFERED, Rw::Read),
            self.flushed(),
            self.read_elsewhere(),
            probe(2, READ_FLUSHED, Rw::Read),
            self.read_elsewhere(),
            probe(3, READ_AGAIN, Rw::Read),
        ]
    }

    fn written_and_read_back(&self, size: u64, only_if: Option<Condition>) -> [Act; 3] {
        let label = Bytes(size);
        let large = Pattern { bs: Bytes(STRIDE), size: label, ..self.large_writes() };
        let write = Probe::new(BUFFER_WRITE, "SW", large, Length::Bytes(size)).at(size as f64, label);
        let stride = (size / READ_BACKS).next_multiple_of(STRIDE).max(STRIDE);
        let reads = size / stride;
        let small = self.far_apart(Rw::Read, stride, reads);
        let read = Probe::new(BUFFER_READ, "SR", small, Length::Ios(reads)).at(size as f64, label);
        let read = read.windows(Cut::Ios(1), READ_BACKS as usize + 2);
        [self.flushed(), write.only_if(only_if.clone()).act(), read.only_if(only_if).act()]
    }

    fn windowed(&self, micro: &str, pattern: Pattern, bytes: u64) -> Probe {
        let at_once = AT_ONCE.min(bytes / WINDOWS_MIN);
        let width = Cut::Bytes((bytes / WINDOWS).max(at_once).max(pattern.bs.0));
        let curve = pattern.rw.short_name();
        Probe::new(micro, curve, pattern, Length::Bytes(bytes)).windows(width, WINDOWS as usize + 2)
    }

    /// Everything once in order, as fast as it goes, after a short rest and after a longer one, each read
    /// back in single reads; and how fast it is read in order.
    fn fill(&self, rest: Nanos) -> Vec<Act> {
        if !self.asked.write {
            // What is left out is counted.
            return vec![Act::Prepare(FILL)];
        }
        let pattern = self.large_writes();
        let bytes = pattern.size.0;
        // No power of two: nothing that repeats in the flash is in step with it.
        let stride = (bytes / READ_BACKS / READ_BACK).max(6) * READ_BACK - READ_BACK;
        let reads = bytes / stride;
        let mut acts = vec![Act::Prepare(FILL)];
        for (label, part) in RESTS {
            let read = self.far_apart(Rw::Read, stride, reads);
            let read = Probe::new(FILL_READ, "SR", read, Length::Ios(reads)).at(1.0 / part as f64, label);
            acts.extend([self.flushed(), Act::Prepare(Preparation::Idle(Nanos(rest.0 / part)))]);
            acts.push(self.windowed(FILL_RUN, pattern.clone(), bytes).at(1.0 / part as f64, label).act());
            acts.push(self.read_elsewhere());
            acts.push(read.windows(Cut::Ios(1), 2 * READ_BACKS as usize + 2).act());
        }
        let read = Pattern { rw: Rw::Read, ..pattern };
        acts.push(Probe::new(FILL_SPEED, "SR", read, self.time).act());
        acts
    }

    /// Random writes until the collector must copy: then the spare flash is used up. They are small enough to
    /// leave holes in whatever is erased as one, and large enough that the host is not what limits them; none
    /// is written twice. And the same in part of the space, where a device that shares its spare flash has as
    /// much of it.
    fn spare(&self, most: f64) -> Result<Vec<Act>, BenchError> {
        if !(0.01..=4.0).contains(&most) {
            return Err(refused("spare_max", most, "write 0.01 to 4"));
        }
        let bs = Bytes(SPARE_WRITE.max(self.asked.frame.sector.0));
        let all = Pattern { iodepth: self.busy, ..self.asked.permuted(Rw::RandWrite, bs) };
        let size = Bytes(all.size.0 / 8 / bs.0 * bs.0 * 7);
        let upper = Pattern { offset: Bytes(all.size.0 - size.0), size, ..all.clone() };
        let bytes = (all.size.0 as f64 * most) as u64;
        // What was collected among the writes of a fill leaves holes in its blocks: a second one has none,
        // and neither has one of a discarded device.
        let run = |pattern: Pattern, share: f64, label: &str| {
            let probe = self.windowed(SPARE, pattern, bytes).at(share, label);
            [Act::Prepare(self.asked.fresh())].into_iter().chain(self.rested()).chain([probe.act()])
        };
        Ok(run(all, 1.0, EVERYWHERE).chain(run(upper, 0.875, UPPER_PART)).collect())
    }

    /// Single random reads while small random writes come at a set rate.
    fn tail(&self, mut rates_mb_s: Vec<f64>) -> Result<Vec<Act>, BenchError> {
        if let Some(rate) = rates_mb_s.iter().find(|rate| !(0.001..=1e6).contains(*rate)) {
            return Err(refused("rates", rate, "write MB/s from 0.001 to 1000000"));
        }
        rates_mb_s.sort_by(f64::total_cmp);
        let reads = |rate: f64| {
            Probe::new(TAIL, "RR", self.small(Rw::RandRead), self.time).at(rate, format!("{rate}MB/s"))
        };
        let under = |rate: &f64| {
            let writes = self.small(Rw::RandWrite);
            let rate_iops = Some((rate * 1e6 / writes.bs.0 as f64).into());
            reads(*rate).beside(Pattern { rate_iops, iodepth: self.busy, ..writes }).act()
        };
        let rested = self.asked.write.then(|| Act::Prepare(self.rest.clone()));
        let alone = std::iter::once(reads(0.0).act());
        Ok(rested.into_iter().chain(alone).chain(rates_mb_s.iter().map(under)).collect())
    }

    /// Single random writes, with a flush after each, after some, after none; each from a rested device.
    fn flush(&self) -> Vec<Act> {
        let probe = |every: u64| {
            let fsync = Some(every).filter(|every| *every > 0);
            let pattern = Pattern { fsync, ..self.small(Rw::RandWrite) };
            let label = fsync.map_or("none".into(), |every| every.to_string());
            let run = Probe::new(FLUSH, "RW", pattern, self.time).at(every as f64, label);
            [Act::Prepare(self.rest.clone()), run.act()]
        };
        FLUSH_EVERY.into_iter().flat_map(probe).collect()
    }

    /// What discards of several sizes take; and random writes to a used device before everything is discarded
    /// and after.
    fn trim(&self) -> Vec<Act> {
        if !self.asked.can_trim {
            return Vec::new();
        }
        let busy = Pattern { iodepth: self.busy, ..self.small(Rw::RandWrite) };
        let length = Length::Bytes(busy.size.0);
        let used = Preparation::Burst { pattern: Box::new(busy.clone()), length };
        let writes = |label: &str, place: f64| {
            Probe::new(TRIM_EFFECT, "RW", busy.clone(), self.time).at(place, label).act()
        };
        let mut acts = vec![Act::Prepare(FILL), Act::Prepare(used), writes("before", 0.0)];
        for size in TRIM_SIZES.into_iter().filter(|size| *size <= self.asked.frame.span.0) {
            let pattern = self.asked.baseline(Rw::Trim, Bytes(size.max(self.asked.frame.sector.0)));
            let trims = TRIMS.min(pattern.size.0 / pattern.bs.0);
            acts.push(Probe::new(TRIM, "ST", pattern, Length::Ios(trims)).act());
        }
        acts.extend([Preparation::Trim, self.rest.clone()].map(Act::Prepare));
        acts.push(writes("after", 1.0));
        acts
    }

    /// A cache that was filled is left alone for a time, and then filled again: what is fast had come back.
    fn idle(&self, mut idles: Vec<Nanos>) -> Result<Vec<Act>, BenchError> {
        idles.sort();
        let pattern = self.large_writes();
        let bytes = (pattern.size.0 / 4).max(pattern.bs.0);
        let exhausted =
            Preparation::Burst { pattern: Box::new(pattern.clone()), length: Length::Bytes(bytes) };
        let mut acts = vec![Act::Prepare(FILL), Act::Prepare(exhausted)];
        for idle in idles {
            within("idles", idle, Nanos::ZERO)?;
            acts.push(Act::Prepare(Preparation::Idle(idle)));
            let probe = self.windowed(IDLE, pattern.clone(), bytes);
            acts.push(probe.at(idle.as_s(), idle).act());
        }
        Ok(acts)
    }
}
