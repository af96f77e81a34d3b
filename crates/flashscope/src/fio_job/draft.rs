//! A section as a pattern.

use flashscope_core::{Arrivals, Bytes, Location, Mix, Nanos, Pattern, Rw, Share, TargetInfo};

use super::ini::{Entry, Section};
use super::units::{bytes, count, nanos};
use super::{Imported, Refusal, options};

/// The pattern at work.
struct Draft<'a> {
    section: &'a Section,
    job: Imported,
    refusals: Vec<Refusal>,
}

/// Takes over a job.
pub fn draft(section: &Section) -> Result<Imported, Vec<Refusal>> {
    let job = Imported {
        name: section.name.clone(),
        target: section.last("filename").map(|entry| entry.value.clone()),
        pattern: Pattern { bs: Bytes(4096), ..Pattern::default() },
        flags: Vec::new(),
        notes: Vec::new(),
    };
    let mut draft = Draft { section, job, refusals: Vec::new() };
    for entry in &section.entries {
        if let Err(why) = options::judge(&entry.name) {
            draft.refuse(entry, why);
        }
    }
    draft.operations();
    draft.place();
    draft.parallel();
    draft.pacing();
    draft.order();
    draft.length();
    draft.remarks();
    draft.fitness();
    if draft.refusals.is_empty() { Ok(draft.job) } else { Err(draft.refusals) }
}

impl<'a> Draft<'a> {
    fn refuse(&mut self, entry: &Entry, why: String) {
        let option = format!("{}={}", entry.name, entry.value);
        self.refusals.push(Refusal { line: entry.line, option, why });
    }

    fn note(&mut self, text: &str) {
        self.job.notes.push(text.into());
    }

    /// The option's value as `read` has it; none if it is not there or wrong, which is noted.
    fn value<T>(&mut self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let entry: &'a Entry = self.section.last(name)?;
        read(&entry.value).map_err(|why| self.refuse(entry, why)).ok()
    }

    fn size(&mut self, name: &str) -> Option<u64> {
        let kb_base = self.section.last("kb_base").and_then(|entry| entry.value.parse().ok()).unwrap_or(1024);
        self.value(name, |text| match text.contains('%') {
            true => Err("sizes relative to the target are not supported; write the size".into()),
            false if text.contains([',', ':', '-']) => {
                Err("a pattern has one value for reads and writes; measure them separately".into())
            }
            false => bytes(text, kb_base),
        })
    }

    fn operations(&mut self) {
        match (self.size("bs"), self.section.last("bs")) {
            (Some(0), Some(entry)) => self.refuse(entry, "must be more than 0; write bs=4k".into()),
            (Some(bs), _) => self.job.pattern.bs = Bytes(bs),
            _ => {}
        }
        let mode = self.section.last("rw").map_or("read", |entry| entry.value.as_str());
        let first = match mode {
            "read" | "write" | "randread" | "randwrite" | "trim" | "randtrim" => {
                Rw::EVERY.into_iter().find(|rw| rw.name() == mode).map(|rw| (rw, None))
            }
            "rw" | "readwrite" => self.mix(Rw::Read, Rw::Write),
            "randrw" => self.mix(Rw::RandRead, Rw::RandWrite),
            _ => {
                let why = "choose one of read, write, randread, randwrite, trim, randtrim, rw, randrw; use \
                    --gap for gaps and --stride for strides";
                let entry = self.section.last("rw");
                entry.into_iter().for_each(|entry| self.refuse(entry, why.into()));
                None
            }
        };
        if let Some((rw, mix)) = first {
            self.job.pattern.rw = rw;
            self.job.pattern.mix = mix;
        }
    }

    /// The mix of a share of reads that is a whole ratio.
    fn mix(&mut self, read: Rw, write: Rw) -> Option<(Rw, Option<Mix>)> {
        let reads = self.value("rwmixread", count);
        let percent = reads.or(self.value("rwmixwrite", count).map(|writes| 100u64.saturating_sub(writes)));
        let percent = percent.unwrap_or(50).min(100);
        if percent == 0 || percent == 100 {
            return Some((if percent == 0 { write } else { read }, None));
        }
        let (first, second, most) =
            if percent >= 50 { (read, write, percent) } else { (write, read, 100 - percent) };
        let ratio = (most as f64 / (100 - most) as f64).round() as u32;
        let near = 100.0 * f64::from(ratio) / f64::from(ratio + 1);
        if (near - most as f64).abs() >= 1.0 {
            let entry = self.section.last("rwmixread").or(self.section.last("rwmixwrite"))?;
            let near = if percent >= 50 { near } else { 100.0 - near };
            self.refuse(
                entry,
                format!("a mix has N IOs of one kind for each of the other; the nearest is {near:.0}"),
            );
            return None;
        }
        self.note(
            "mix: fio mixes at random, in a shared space; here the order is fixed, and reads and writes have \
             separate halves of the space",
        );
        Some((first, Some(Mix { rw: second, ratio })))
    }

    fn place(&mut self) {
        if let Some(offset) = self.size("offset") {
            self.job.pattern.offset = Bytes(offset);
        }
        match self.size("size") {
            Some(size) => self.job.pattern.size = Bytes(size),
            None => self.note("size: the default is the whole target"),
        }
        let bs = self.job.pattern.bs.0.max(1);
        for name in ["size", "io_size"] {
            if let Some(bytes) = self.size(name).filter(|bytes| !bytes.is_multiple_of(bs))
                && let Some(entry) = self.section.last(name)
            {
                let near = Bytes(bytes / bs * bs);
                let why = "is not a multiple of bs, so that fio's last IO exceeds it; the nearest is";
                self.refuse(entry, format!("it {why} {near}"));
            }
        }
        let several = self.section.last("filename").filter(|entry| entry.value.contains(':'));
        if let Some(entry) = several {
            self.refuse(entry, "a pattern has one target; measure them separately".into());
        }
        if let Some(entry) = self.section.last("filename").filter(|entry| entry.value.is_empty()) {
            self.refuse(entry, "it names no file; write its name, or leave the line out".into());
        }
    }

    fn parallel(&mut self) {
        let numjobs = self.value("numjobs", count).unwrap_or(1).clamp(1, 4096) as u32;
        let mut depth = self.value("iodepth", count).unwrap_or(1).clamp(1, 65_536) as u32;
        let engine = self.section.last("ioengine").map_or("psync", |entry| entry.value.as_str());
        match engine {
            "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" => {
                if depth > 1 {
                    self.note("iodepth: with a synchronous engine fio has one IO in flight, as here");
                }
                depth = 1;
            }
            "libaio" | "io_uring" | "posixaio" => {
                self.job.flags.push(("--engine", "io_uring".into()));
                if engine != "io_uring" {
                    self.note("ioengine: io_uring is used");
                }
            }
            _ => {
                let entry = self.section.last("ioengine");
                let why = "only the engines sync and io_uring are supported; use psync or libaio";
                entry.into_iter().for_each(|entry| self.refuse(entry, why.into()));
            }
        }
        let size = self.job.pattern.size.0;
        let step = self.size("offset_increment").unwrap_or(0);
        if numjobs > 1 && step == size && size > 0 {
            self.job.pattern.size = Bytes(size.saturating_mul(u64::from(numjobs)));
        } else if let (true, Some(entry)) = (step > 0 && numjobs > 1, self.section.last("offset_increment")) {
            self.refuse(entry, "processes have adjacent spaces: set offset_increment to size".into());
        } else if numjobs > 1 {
            self.note("numjobs: fio's processes share the space; here each has its own part");
        }
        self.job.pattern.numjobs = numjobs;
        self.job.pattern.iodepth = depth;
    }

    fn pacing(&mut self) {
        if let Some(think_ns) = self.value("thinktime", |text| nanos(text, 1_000)) {
            self.job.pattern.thinktime = Nanos(think_ns);
            if let Some(blocks) = self.value("thinktime_blocks", count).filter(|_| think_ns > 0) {
                self.job.pattern.thinktime_blocks = blocks.max(1);
            }
        }
        let Some(rate) = self.value("rate_iops", count) else { return };
        if let Some(entry) = self.section.last("thinktime").filter(|_| self.job.pattern.thinktime.0 > 0) {
            self.refuse(entry, "excludes rate_iops (arrivals do not wait); leave out one".into());
        }
        self.job.pattern.rate_iops = Some(rate as f64 * f64::from(self.job.pattern.numjobs));
        if self.section.last("rate_process").is_some_and(|entry| entry.value == "poisson") {
            self.job.pattern.arrivals = Arrivals::Poisson;
        }
        self.note(
            "rate_iops: response times count from the due time, arrivals do not wait for a slow target, and \
             the rate is the total of all processes",
        );
    }

    fn order(&mut self) {
        if !self.job.pattern.rw.is_random() {
            return;
        }
        let law = self.section.last("random_distribution");
        let text = law.map_or("random", |entry| entry.value.as_str());
        let location = match text.split_once(':') {
            None if text == "random" && self.section.has("norandommap") => Some(Location::Random),
            None if text == "random" => Some(Location::Permutation),
            Some(("zipf", theta)) => theta.parse().ok().map(|theta| Location::Zipf { theta }),
            Some(("zoned", zones)) => hot(zones),
            _ => None,
        };
        match (location, law) {
            (Some(location), _) => self.job.pattern.location = location,
            (None, Some(entry)) => {
                let why = "choose one of random, zipf:THETA, and zoned with two zones such as 90/10:10/90";
                self.refuse(entry, why.into());
            }
            (None, None) => {}
        }
        if let Some(seed) = self.value("randseed", count) {
            self.job.flags.push(("--seed", seed.to_string()));
            self.note("randseed: random addresses differ from fio's with the same seed");
        }
    }

    /// fio goes once through `size`, or for a time, or both.
    fn length(&mut self) {
        let Pattern { bs, size, numjobs, .. } = self.job.pattern;
        let runtime = self.value("runtime", |text| nanos(text, 1_000_000_000)).filter(|ns| *ns > 0);
        let limit = self.value("number_ios", count).filter(|ios| *ios > 0);
        let each =
            if self.size("offset_increment").unwrap_or(0) > 0 { size.0 / u64::from(numjobs) } else { size.0 };
        let once = self.size("io_size").unwrap_or(each) / bs.0.max(1);
        let loops = self.value("loops", count).unwrap_or(1).max(1);
        let once = Some(once.saturating_mul(loops)).filter(|ios| *ios > 0 && !self.section.has("time_based"));
        self.job.pattern.number_ios = match (once, limit) {
            (Some(once), Some(limit)) => Some(once.min(limit)),
            (once, limit) => once.or(limit),
        };
        self.flushes();
        if let Some(ns) = runtime {
            self.job.flags.push(("--runtime", Nanos(ns).to_string()));
        }
        if runtime.is_none() && self.job.pattern.number_ios.is_none() {
            self.note("length: without size and runtime the job runs until the mean has a precision of 5 %");
        }
    }

    /// A pattern counts its flushes as IOs, fio does not.
    fn flushes(&mut self) {
        let Some(every) = self.value("fsync", count).filter(|every| *every > 0) else { return };
        let pattern = &mut self.job.pattern;
        if pattern.write_share() == 0.0 || pattern.rw.is_trim() {
            self.note("fsync: fio does not flush without writes");
            return;
        }
        pattern.fsync = Some(every);
        pattern.number_ios = pattern.number_ios.map(|ios| ios.saturating_add(ios / every));
    }

    fn remarks(&mut self) {
        if !self.section.has("direct") {
            self.note("direct: fio without direct=1 uses the page cache; flashscope does not");
        }
        if self.section.has("ramp_time") {
            self.note("ramp_time: ignored; the warm-up is detected from the data");
        }
        if self.job.pattern.writes() {
            self.job.flags.push(("--write", String::new()));
        }
    }

    /// What no target could take is refused here, where the option has a line.
    fn fitness(&mut self) {
        let problem = match self.job.pattern.validate(&largest()) {
            Err(error) if self.refusals.is_empty() => error,
            _ => return,
        };
        let option = if problem.key == "random" { "random_distribution" } else { &problem.key };
        let entry =
            self.section.last(option).map(|entry| (entry.line, format!("{}={}", entry.name, entry.value)));
        let (line, option) = entry.unwrap_or((self.section.line, format!("[{}]", self.section.name)));
        let why = format!("{} {}", problem.key, problem.problem);
        self.refusals.push(Refusal { line, option, why });
    }
}

/// A target that no sound pattern is too large for.
fn largest() -> TargetInfo {
    TargetInfo {
        name: "any target".into(),
        size_bytes: 1 << 62,
        logical_block_bytes: 1,
        virtual_time: true,
        engine: String::new(),
        queue_depth_max: u32::MAX,
    }
}

/// Two zones, `ios/space:ios/space` in percent, that together are all.
fn hot(zones: &str) -> Option<Location> {
    let zone = |text: &str| -> Option<(f64, f64)> {
        let (ios, space) = text.split_once('/')?;
        Some((ios.parse().ok()?, space.parse().ok()?))
    };
    let (first, second) = zones.split_once(':')?;
    let ((ios, space), (other_ios, other_space)) = (zone(first)?, zone(second)?);
    let is_all = ios + other_ios == 100.0 && space + other_space == 100.0;
    let are_shares = [ios, space].iter().all(|percent| (0.0..=100.0).contains(percent));
    (is_all && are_shares)
        .then_some(Location::HotCold { hot_space: Share(space / 100.0), hot_ios: Share(ios / 100.0) })
}
