//! When a job's IOs go, and when it ends.

use super::super::{NULL, Nearest, count, nanos};
use super::Draft;
use flashscope_bench::LatencyTarget;
use flashscope_core::{Arrivals, JobSpace, Location, Nanos, Pattern, Rate, Share, Turns};

impl Draft<'_> {
    pub(super) fn pacing(&mut self) {
        if let Some(think_ns) = self.value("thinktime", |text| nanos(text, 1_000)) {
            self.job.pattern.thinktime = Nanos(think_ns);
            if let Some(blocks) = self.value("thinktime_blocks", count).filter(|_| think_ns > 0) {
                self.job.pattern.thinktime_blocks = blocks.max(1);
            }
        }
        let Some(rate) = self.rate() else { return };
        for name in ["rate", "rate_iops"] {
            if let Some(entry) = self.section.last(name).filter(|_| self.job.pattern.thinktime.0 > 0) {
                self.refuse(
                    entry,
                    format!("excludes thinktime ({name}: arrivals do not wait); leave out one"),
                );
            }
        }
        let processes = f64::from(self.job.pattern.numjobs);
        self.job.pattern.rate_iops = Some(match rate {
            Rate::Total(rate) => Rate::Total(rate * processes),
            Rate::Each { reads, writes } => {
                Rate::Each { reads: reads * processes, writes: writes * processes }
            }
        });
        if self.section.last("rate_process").is_some_and(|entry| entry.value == "poisson") {
            self.job.pattern.arrivals = Arrivals::Poisson;
        }
        self.note(
            "rate: response times count from the due time, arrivals do not wait for a slow target, and \
             the rate is the total of all processes",
        );
    }

    /// fio goes once through `size`, or for a time, or both.
    pub(super) fn length(&mut self) {
        let runtime = self.value("runtime", |text| nanos(text, 1_000_000_000)).filter(|ns| *ns > 0);
        let is_timed = self.section.has("time_based") && runtime.is_some();
        let limit = self.value("number_ios", count).filter(|ios| *ios > 0);
        let once = match (self.pass(), limit) {
            (Some(pass), Some(limit)) => Some(pass.min(limit)),
            (pass, limit) => pass.or(limit),
        };
        let loops = self.value("loops", count).unwrap_or(1).max(1);
        if loops > 1 && self.job.pattern.size.0 == 0 && self.section.last("io_size").is_some() && !is_timed {
            self.note(
                "loops: each process does so many times io_size, as in fio unless it comes to the end of the \
                 target before that: then fio ends it after so many passes, or when io_size is done",
            );
        }
        // Each block is discarded and written.
        let is_pair = self.job.pattern.mix.is_some_and(|mix| mix.turns == Turns::SameAddress);
        let times = loops.saturating_mul(if is_pair { 2 } else { 1 });
        self.job.pattern.number_ios =
            once.map(|ios| ios.saturating_mul(times)).filter(|ios| *ios > 0 && !is_timed);
        if !is_timed {
            self.gaps(limit, times);
        }
        self.strided_sequence(is_timed);
        self.flushes();
        if let Some(ns) = runtime {
            let is_steady = self.steady_state();
            *(if is_steady { &mut self.job.budget } else { &mut self.job.runtime }) = Some(Nanos(ns));
        }
        if runtime.is_some() && !is_timed && self.job.pattern.number_ios.is_none() {
            self.note(
                "runtime: the job ends after it; fio ends once it is through the target, if that is sooner",
            );
        }
        if runtime.is_none() && self.job.pattern.number_ios.is_none() {
            self.note("length: without size and runtime the job runs until the mean has a precision of 5 %");
        }
    }

    /// IOs of a pass over `size`.
    fn pass(&mut self) -> Option<u64> {
        let Pattern { size, numjobs, job_space, .. } = self.job.pattern;
        let each = match job_space {
            JobSpace::Parts => size.0 / u64::from(numjobs),
            JobSpace::Shared | JobSpace::Apart(_) | JobSpace::ApartToEnd(_) => size.0,
        };
        // Of a file smaller than `size`, fio goes over it again.
        let each = self.size("size").filter(|bytes| *bytes > 0).unwrap_or(each);
        let io_size = self.size("io_size").filter(|bytes| *bytes > 0);
        let ios = io_size.unwrap_or(each) as f64 / self.job.pattern.bs_mean().max(1.0);
        let is_one_size = self.job.pattern.sizes.as_ref().is_none_or(|sizes| sizes.least() == sizes.most());
        // Of a space that holds no whole number of IOs, each address is used once, or as many IOs as have
        // its bytes.
        let is_whole = !is_one_size || io_size.is_none() && self.has_map();
        Some(if is_whole { ios } else { ios.ceil() } as u64).filter(|ios| *ios > 0)
    }

    /// With a strided sequence fio ends for good where a slot is beyond the space.
    fn strided_sequence(&mut self, is_timed: bool) {
        let Location::Sequence(sequence) = self.job.pattern.location else { return };
        let (Some(entry), true) = (self.section.last("random_distribution"), sequence.is_strided()) else {
            return;
        };
        let Pattern { size, bs, number_ios, mix, .. } = self.job.pattern;
        if size.0 == 0 {
            return self.note(
                "random_distribution: where the target ends, fio ends too; here the sequence begins again",
            );
        }
        let within = sequence.ios_within(size.0 / bs.0.max(1)).unwrap_or(u64::MAX);
        if !is_timed && number_ios.is_some_and(|ios| ios <= within) {
            return;
        }
        if is_timed || mix.is_some() {
            let why = "fio does no more IOs once a strided sequence is through its space; give number_ios";
            return self.refuse(entry, why);
        }
        self.job.pattern.number_ios = Some(within).filter(|ios| *ios > 0);
    }

    /// With gaps fio goes round where the file ends, and ends where its space does.
    fn gaps(&mut self, limit: Option<u64>, times: u64) {
        let Location::RegularGaps { gap } = self.job.pattern.location else { return };
        let size = self.size("size").filter(|bytes| *bytes > 0 && self.section.last("io_size").is_none());
        let (Some(size), Some(rw)) = (size, self.section.last("rw")) else { return };
        let (bs, step) = (self.job.pattern.bs.0, self.job.pattern.bs.0.saturating_add(gap.0).max(1));
        // Behind the last gap there may be room for a part of an IO, or for an IO and no gap.
        let rest = size % step;
        let is_closed = (1..=bs).contains(&rest);
        let pass = size.saturating_add(gap.0) / step;
        let ios = limit.map_or(pass, |limit| pass.min(limit)).saturating_mul(times);
        let target = self.job.target.as_deref().filter(|target| *target != NULL);
        let is_device = target.is_some_and(|target| target.starts_with("/dev/"));
        // The spaces of other processes make the file larger.
        let is_apart = self.job.pattern.numjobs > 1 && self.section.has("offset_increment");
        let (is_part, is_named) = (self.job.pattern.offset.0 > 0 || is_device || is_apart, target.is_some());
        if self.job.pattern.mix.is_some() && (is_part || is_named || is_closed) {
            let why = "fio ends a mix with gaps where either direction is through; measure them separately";
            return self.refuse(rw, why);
        }
        if is_part || is_closed {
            self.job.pattern.number_ios = Some(ios);
        }
        if is_part {
            self.note("rw: as in fio where size is less than the target, it ends after one pass over size");
        } else if is_named && !is_closed && self.job.pattern.number_ios != Some(ios) {
            let what = "rw: as in fio in a file of this size; in a larger one fio ends after one pass";
            self.note_with(what, Nearest::NumberIos(ios));
        }
        if (is_part || is_named) && (1..bs).contains(&rest) {
            self.note("rw: in a larger target fio has one IO more in a pass, which exceeds size");
        }
    }

    /// fio looks for the queue depth first, and measures it for a window then.
    pub(super) fn latency_target(&mut self) {
        let target_ns = self.value("latency_target", |text| nanos(text, 1_000)).filter(|ns| *ns > 0);
        let window_ns = self.value("latency_window", |text| nanos(text, 1_000)).filter(|ns| *ns > 0);
        let percent = self.value("latency_percentile", percent).unwrap_or(100.0);
        let (Some(latency_ns), Some(entry)) = (target_ns, self.section.last("latency_target")) else {
            return;
        };
        let Some(window_ns) = window_ns else {
            return self.refuse(entry, "fio would look at each IO alone; add latency_window=5000000");
        };
        let job = &self.job;
        if job.runtime.is_some() || job.precision.is_some() || job.pattern.rate_iops.is_some() {
            let why = "it ends when the queue depth is found; leave out runtime, rate and steadystate";
            return self.refuse(entry, why);
        }
        self.job.pattern.number_ios = None;
        let share = percent / 100.0;
        let (latency, window) = (Nanos(latency_ns), Nanos(window_ns));
        self.job.latency_target = Some(LatencyTarget { latency, share, window });
        self.job.notes.retain(|note| !note.text.starts_with("length: "));
        if self.job.pattern.numjobs > 1 {
            self.note("latency_target: all processes have one queue depth; in fio each finds its own");
        }
        self.note(
            "latency_target: ends when the queue depth is found and measured, not with size; each depth is \
             tried for a whole window",
        );
    }

    /// fio ends a job early that is steady; a measurement ends when its mean is known as precisely.
    fn steady_state(&mut self) -> bool {
        let Some(entry) = self.section.last("steadystate") else { return false };
        let limit = entry.value.rsplit(':').next().filter(|text| text.ends_with('%'));
        let precision: Option<Share> = limit.and_then(|limit| limit.parse().ok());
        match precision {
            Some(_) => {
                self.job.precision = precision;
                self.job.pattern.number_ios = None;
                self.note("steadystate: ends when the mean has this precision; window and ramp are found");
            }
            None => self.refuse(entry, "a limit is a percentage, such as iops:5%"),
        }
        precision.is_some()
    }

    /// A pattern counts its flushes as IOs, and reads beside the writes too; fio counts writes.
    fn flushes(&mut self) {
        if self.section.last("sync").is_some_and(|entry| !["0", "none"].contains(&entry.value.as_str())) {
            self.job.pattern.is_dsync = true;
            if self.section.last("sync").is_some_and(|entry| entry.value != "dsync") {
                self.note("sync: as O_DSYNC, without the times of the file, which O_SYNC writes too");
            }
        }
        let found = ["fsync", "fdatasync"].map(|name| self.value(name, count).filter(|every| *every > 0));
        let Some(every) = found.into_iter().flatten().min() else { return };
        let pattern = &mut self.job.pattern;
        let share = pattern.write_share();
        if share == 0.0 || pattern.data_bytes() == 0 {
            self.note("fsync: fio does not flush without writes");
            return;
        }
        let every = (every as f64 / share).round() as u64;
        pattern.fsync = Some(every);
        pattern.number_ios = pattern.number_ios.map(|ios| ios.saturating_add(ios / every.max(1)));
        if share < 1.0 {
            self.note(format!(
                "fsync: after as many IOs as hold so many writes on average; fio flushes again after each \
                 read up to the next write, {:.1} times as often in all",
                1.0 / share
            ));
        }
    }
}

/// More than 0 to 100.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0);
    number.ok_or_else(|| "must be more than 0 and at most 100, such as 99.9".into())
}
