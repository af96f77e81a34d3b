//! A section as a pattern.

mod direction;
mod pace;
mod place;
mod priority;
mod start;
mod zone;

use flashscope_bench::{Company, OnError};
use flashscope_core::{Bytes, Location, Mix, Nanos, Pattern, Sizes, TargetInfo, Turns};
use flashscope_device::DataPattern;

use super::{Entry, FileSize, Job, NULL, Nearest, Refusal, Remark, Section, bytes, count, nanos, options};

/// The pattern at work.
struct Draft<'a> {
    section: &'a Section,
    file_size: FileSize<'a>,
    job: Job,
    refusals: Vec<Refusal>,
}

/// Takes over a job; `is_beside`: it runs at the same time as the one before it.
pub fn draft(section: &Section, is_beside: bool, file_size: FileSize<'_>) -> Result<Job, Vec<Refusal>> {
    let job = Job {
        name: section.name.clone(),
        target: None,
        pattern: Pattern { bs: Bytes(4096), ..Pattern::default() },
        engine: None,
        seed: None,
        latency_target: None,
        precision: None,
        runtime: None,
        budget: None,
        buffered: false,
        data: DataPattern::Random,
        on_error: OnError::Stop,
        notes: Vec::new(),
        is_beside,
        is_together: false,
        company: Company::default(),
        starters: Vec::new(),
    };
    let mut draft = Draft { section, file_size, job, refusals: Vec::new() };
    for entry in &section.entries {
        match options::judge(&entry.name, &entry.value) {
            Ok(Some(note)) => draft.note(note),
            Ok(None) => {}
            Err(why) => draft.refuse(entry, why),
        }
    }
    draft.operations();
    draft.place();
    draft.parallel();
    draft.pacing();
    draft.order();
    draft.length();
    draft.latency_target();
    draft.zones();
    draft.atomic();
    draft.priorities();
    draft.remarks();
    draft.company();
    draft.starters();
    draft.fitness();
    if draft.refusals.is_empty() { Ok(draft.job) } else { Err(draft.refusals) }
}

impl<'a> Draft<'a> {
    fn refuse(&mut self, entry: &Entry, why: impl Into<Remark>) {
        let option = format!("{}={}", entry.name, entry.value);
        self.refusals.push(Refusal { line: entry.line, option, why: why.into() });
    }

    fn note(&mut self, text: impl Into<Remark>) {
        self.job.notes.push(text.into());
    }

    fn note_with(&mut self, text: &str, nearest: Nearest) {
        self.note(Remark { text: text.into(), nearest: Some(nearest) });
    }

    /// The option's value as `read` has it; none if it is not there or wrong, which is noted.
    fn value<T>(&mut self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let entry: &'a Entry = self.section.last(name)?;
        read(&entry.value).map_err(|why| self.refuse(entry, why)).ok()
    }

    fn kb_base(&self) -> u64 {
        self.section.last("kb_base").and_then(|entry| entry.value.parse().ok()).unwrap_or(1024)
    }

    fn size(&mut self, name: &str) -> Option<u64> {
        let kb_base = self.kb_base();
        let part = self.part_of_file(name);
        self.value(name, |text| match text.contains('%') {
            // The whole target, whatever its size is.
            true if name == "size" && text == "100%" && part.is_err() => Ok(0),
            true => part.clone(),
            false if text.contains([',', ':', '-']) => {
                Err("a pattern has one value for reads and writes; measure them separately".into())
            }
            false => bytes(text, kb_base),
        })
    }

    fn operations(&mut self) {
        let text = self.section.last("rw").map_or("read", |entry| entry.value.as_str());
        let (mode, step) = text.split_once(':').map_or((text, None), |(mode, step)| (mode, Some(step)));
        // uFLIP's letters are no words of fio.
        let is_word = mode.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_known = is_word && self.job.pattern.set("rw", mode).is_ok();
        if let (false, Some(entry)) = (is_known, self.section.last("rw")) {
            let why = "choose one of read, write, randread, randwrite, trim, randtrim, rw, randrw, trimwrite";
            self.refuse(entry, why);
        }
        self.share();
        self.range();
        self.block_size();
        self.split();
        self.align();
        self.smaller_blocks();
        let sizes = self.job.pattern.sizes.as_ref().filter(|_| self.has_map());
        match sizes.map(Sizes::differ) {
            None => {}
            Some(false) => {
                self.note("bssplit: fio shortens an IO that meets used addresses; here it may overlap them");
            }
            Some(true) => self.note(
                "sizes: fio shortens an IO that meets used addresses, and ends early a job whose reads and \
                 writes differ in size; here they may overlap, and all IOs are done",
            ),
        }
        if let (Some(step), true, Some(entry)) = (step, is_known, self.section.last("rw"))
            && let Err(why) = self.step(step)
        {
            self.refuse(entry, why);
        }
    }

    /// A range of one size is a size; fio draws the multiples of the least one up to the most evenly.
    fn range(&mut self) {
        let Some(entry) = self.section.last("bsrange") else { return };
        let both = entry.value.split_once('-').map(|(least, most)| (bytes(least, 1024), bytes(most, 1024)));
        let Some((Ok(least @ 1..), Ok(most))) = both else {
            return self.refuse(entry, "is no range; write 4k-16k");
        };
        let sizes = most / least;
        match sizes {
            1 if least == most => self.job.pattern.bs = Bytes(least),
            2..=100 if 100 % sizes == 0 && most % least == 0 && least.is_power_of_two() => {
                let share = |n: u64| format!("{}/{}", Bytes(n * least), 100 / sizes);
                let split = (1..=sizes).map(share).collect::<Vec<_>>().join(":");
                if let Err(error) = self.job.pattern.set("bssplit", &split) {
                    self.refuse(entry, error.problem);
                }
            }
            _ if most > least => {
                let why = format!(
                    "its sizes have no whole percentages; write bssplit={least}/50:{most}/50, for example"
                );
                self.refuse(entry, why);
            }
            _ => self.refuse(entry, "is no range; write 4k-16k"),
        }
    }

    /// Several sizes; addresses are multiples of the smallest, those of each direction that has its own.
    fn split(&mut self) {
        let Some(entry) = self.section.last("bssplit") else { return };
        let parts: Vec<&str> = entry.value.split(',').collect();
        let [reads, writes, trims] = match parts[..] {
            [all] => [all; 3],
            [reads, writes] => [reads, writes, writes],
            [reads, writes, trims] => [reads, writes, trims],
            _ => return self.refuse(entry, "has more than three values; write READ,WRITE,TRIM"),
        };
        let part = |part: &str| {
            let (size, percent) = part.split_once('/').unwrap_or((part, ""));
            bytes(size, 1024).map(|size| format!("{size}/{percent}"))
        };
        let of = |text: &str| {
            let parts: Result<Vec<String>, String> = text.split(':').map(part).collect();
            parts.map(|parts| parts.join(":"))
        };
        let used = [reads, writes, trims].into_iter().zip(self.used()).filter(|(_, is_used)| *is_used);
        let used: Result<Vec<String>, String> = used.map(|(text, _)| of(text)).collect();
        let text = match used {
            Ok(used) => self.sizes_of_directions(&used),
            Err(why) => Err(why),
        };
        let set = |text: String| self.job.pattern.set("bssplit", &text).map_err(|error| error.problem);
        if let Err(why) = text.and_then(set) {
            self.refuse(entry, why);
        }
    }

    /// A split for all, or for reads and writes, from those of the directions in use.
    pub(super) fn sizes_of_directions(&self, used: &[String]) -> Result<String, String> {
        let turns = self.job.pattern.mix.map(|mix| mix.turns);
        match used {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok(first.clone()),
            [reads, writes] if matches!(turns, Some(Turns::Chance(_))) && self.reads() => {
                Ok(format!("{reads},{writes}"))
            }
            _ => Err("what is discarded is written with the same size; give both one".into()),
        }
    }

    /// What fio adds to each sequential address: a gap, or a way back.
    fn step(&mut self, text: &str) -> Result<(), String> {
        if self.job.pattern.rw.is_random() {
            return Err("a random pattern draws each address anew; leave out the number".into());
        }
        let bs = self.job.pattern.bs.0 as i64;
        let (sign, size) = text.strip_prefix('-').map_or((1, text), |size| (-1, size));
        let step = bytes(size, 1024)?.min(i64::MAX as u64 / 2) as i64 * sign;
        self.job.pattern.location = match step {
            0 => return Ok(()),
            1.. => Location::RegularGaps { gap: Bytes(step as u64) },
            _ if (bs + step) % bs == 0 => {
                self.note("rw: fio's way back begins one IO further down");
                Location::Ordered { stride: (bs + step) / bs }
            }
            _ => return Err("a step back must be a multiple of bs".into()),
        };
        Ok(())
    }

    /// The share of reads; the last line that says it holds.
    fn share(&mut self) {
        let Some(Mix { turns: Turns::Chance(writes), .. }) = &mut self.job.pattern.mix else { return };
        let says = |entry: &&Entry| ["rwmixread", "rwmixwrite"].contains(&entry.name.as_str());
        let Some(entry) = self.section.entries.iter().rev().find(says) else { return };
        match count(&entry.value) {
            Ok(percent @ 0..=100) if entry.name == "rwmixread" => *writes = 100 - percent as u8,
            Ok(percent @ 0..=100) => *writes = percent as u8,
            Ok(_) => self.refuse(entry, "must be 0 to 100"),
            Err(why) => self.refuse(entry, why),
        }
    }

    fn remarks(&mut self) {
        if self.is_buffered() {
            self.job.buffered = true;
            if let Some(entry) =
                self.section.last("invalidate").filter(|entry| entry.value == "0" && self.reads())
            {
                let why = "what the page cache holds of the target is always dropped first; leave it out";
                self.refuse(entry, why);
            }
        }
        if self.section.is_joined {
            self.note("jobs that do the same at the same time are processes of one");
        }
        if self.section.has("ramp_time") {
            self.note("ramp_time: ignored; the warm-up is detected from the data");
        }
        if self.section.has("rate_min") {
            self.note("rate_min: the job does not end when it is slower; compare the measured rate");
        }
        self.contents();
        if self.section.has("verify") && self.job.pattern.writes() {
            let what = "verify: the writes alone are done, and not as fio marks them; fio reads them back \
                        and checks them";
            self.note_with(what, Nearest::ReplayVerified);
        } else if self.section.has("verify") {
            self.note("verify: what is read is not checked, only measured");
        }
        if self.section.has("fill_device") {
            self.note("fill_device: the job ends as without it, not when no space is left");
        }
        if let Some(entry) = self.section.last("nrfiles").filter(|entry| entry.value != "1") {
            self.refuse(entry, "a pattern has one target; measure the files separately");
        }
        if self.section.has("continue_on_error") {
            // No more can fail of what is called measured.
            self.job.on_error = OnError::Continue { share_max: 0.5 };
        }
        if self.job.pattern.writes() {
            let target = self.job.target.as_deref().unwrap_or_default();
            if target != NULL && !target.starts_with("/dev/") {
                let what = "write: a file that flashscope did not create is refused";
                self.note_with(what, Nearest::OverwriteExistingData);
            }
        }
    }

    /// What the writes write: fio looks at these options in this order. A target without data has none.
    fn contents(&mut self) {
        if self.job.target.as_deref() == Some(NULL) {
            return;
        }
        if self.section.has("dedupe_percentage") || self.section.has("buffer_compress_percentage") {
            return self.note_with("dedupe, compression: contents are random", Nearest::Contents);
        }
        let pattern = self.section.last("buffer_pattern");
        let is_zero = pattern.map_or(self.section.has("zero_buffers"), |entry| {
            let digits = entry.value.strip_prefix("0x").unwrap_or(&entry.value);
            !digits.is_empty() && digits.bytes().all(|digit| digit == b'0')
        });
        match self.job.pattern.writes() {
            true if is_zero => self.job.data = DataPattern::Zeros,
            true if pattern.is_some() => {
                self.note_with("buffer_pattern: contents are random", Nearest::Contents);
            }
            _ => {}
        }
    }

    /// What matters only beside other jobs.
    fn company(&mut self) {
        let delay = |text: &str| match text.contains('-') {
            true => Err("is a range, from which fio draws; write one time, such as 2s".into()),
            false => nanos(text, 1_000_000_000),
        };
        if let Some(delay_ns) = self.value("startdelay", delay) {
            self.job.company.delay = Nanos(delay_ns);
        }
        let weight =
            self.value("flow", |text| count(text)?.try_into().map_err(|_| "is too large".to_string()));
        self.job.company.flow = weight.filter(|weight| *weight > 0);
        if self.job.company.flow.is_some() && self.section.has("flow_sleep") {
            self.note(
                "flow_sleep: ignored; a job that has had its share waits for the others with IOs in flight",
            );
        }
    }

    /// The page cache is fio's default; its own engine without a device has none.
    fn is_buffered(&self) -> bool {
        let (direct, buffered) = (self.section.last("direct"), self.section.last("buffered"));
        let is_direct = match (direct, buffered) {
            (Some(direct), _) => direct.value != "0",
            (None, Some(buffered)) => buffered.value == "0",
            (None, None) => false,
        };
        !is_direct && self.job.target.as_deref() != Some(NULL)
    }

    /// What no target could take is refused here, where the option has a line.
    fn fitness(&mut self) {
        let mut fitted = self.job.pattern.clone();
        if fitted.size.0 == 0 {
            // The whole target.
            fitted.size = Bytes(1 << 60);
        }
        let problem = match fitted.validate(&largest()) {
            Err(error) if self.refusals.is_empty() => error,
            _ => return,
        };
        let option = if problem.key == "random" { "random_distribution" } else { &problem.key };
        let entry =
            self.section.last(option).map(|entry| (entry.line, format!("{}={}", entry.name, entry.value)));
        let (line, option) = entry.unwrap_or((self.section.line, format!("[{}]", self.section.name)));
        let why = format!("{} {}", problem.key, problem.problem).into();
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
        placements: u16::MAX,
        zones: None,
    }
}
