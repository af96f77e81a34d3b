//! What fio has for each direction, `READ,WRITE,TRIM`: sizes, alignments and rates.

use super::super::{Entry, bytes, count, directions};
use super::Draft;
use flashscope_core::{Bytes, Mix, Op, Pattern, Rate, Sizes, Turns};

/// fio's size of a direction that has none.
const BS: u64 = 4096;

impl Draft<'_> {
    /// The option's values for reads, writes and trims; a direction that is left out has `default`.
    pub(super) fn directions<T: Copy>(
        &mut self,
        name: &str,
        default: T,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<[T; 3]> {
        self.value(name, |text| directions(text, default, &read))
    }

    /// Whether it reads, writes and trims at all.
    pub(super) fn used(&self) -> [bool; 3] {
        let Pattern { rw, mix, .. } = self.job.pattern;
        let second_share = self.job.pattern.mix_share();
        let (first, second) = (second_share < 1.0, mix.filter(|_| second_share > 0.0));
        [Op::Read, Op::Write, Op::Trim]
            .map(|op| first && rw.op() == op || second.is_some_and(|mix| mix.rw.op() == op))
    }

    pub(super) fn reads(&self) -> bool {
        self.used()[0]
    }

    /// The value of all directions in use; none if they differ.
    fn common<T: PartialEq + Copy>(&self, values: [T; 3]) -> Option<T> {
        let used = self.used();
        let mut found = values.into_iter().zip(used).filter(|(_, is_used)| *is_used).map(|(value, _)| value);
        let first = found.next();
        first.filter(|first| found.all(|other| other == *first))
    }

    pub(super) fn block_size(&mut self) {
        let Some(entry) = self.section.last("bs") else { return };
        let Some(sizes) = self.block_sizes() else { return };
        match self.common(sizes) {
            Some(0) => self.refuse(entry, "must be more than 0; write bs=4k"),
            Some(bs) => self.job.pattern.bs = Bytes(bs),
            None => {
                let used = sizes.into_iter().zip(self.used()).filter(|(_, is_used)| *is_used);
                let used: Vec<String> = used.map(|(size, _)| format!("{size}/100")).collect();
                let text = self.sizes_of_directions(&used);
                let set =
                    |text: String| self.job.pattern.set("bssplit", &text).map_err(|error| error.problem);
                if let Err(why) = text.and_then(set) {
                    self.refuse(entry, why);
                }
            }
        }
    }

    fn block_sizes(&mut self) -> Option<[u64; 3]> {
        let kb_base = self.kb_base();
        self.directions("bs", BS, |text| bytes(text, kb_base))
    }

    /// fio marks used addresses in units of the smallest size of any direction, and gives up where it finds
    /// none that is free for a larger one.
    pub(super) fn smaller_blocks(&mut self) {
        let bs = self.job.pattern.bs;
        if let Some(entry) = self.section.last("bs")
            && self.job.pattern.sizes.is_none()
            && self.has_map()
            && self.block_sizes().is_some_and(|sizes| sizes.iter().any(|size| *size < bs.0))
        {
            let why = "fio ends such a job early, because another direction has smaller blocks; write";
            self.refuse(entry, format!("{why} bs={}", bs.0));
        }
    }

    /// Random addresses are multiples of `blockalign`; sequential ones follow each other in fio too.
    pub(super) fn align(&mut self) {
        let Some(entry) = self.section.last("blockalign").filter(|_| self.job.pattern.rw.is_random()) else {
            return;
        };
        let kb_base = self.kb_base();
        let Some(aligns) = self.directions("blockalign", 0, |text| bytes(text, kb_base)) else { return };
        let pattern = &self.job.pattern;
        if pattern.sizes.as_ref().is_some_and(Sizes::differ) {
            let why =
                "reads and writes with sizes of their own are aligned to the smallest of each; leave it out";
            return self.refuse(entry, why);
        }
        let least = pattern.sizes.as_ref().map_or(pattern.bs, |sizes| sizes.least());
        match self.common(aligns) {
            None => {
                self.refuse(entry, "reads and writes have the same alignment; measure them separately");
            }
            Some(0) => {}
            Some(align) if align < least.0 => {
                let why = "random addresses are multiples of the IO's size, or of more; leave it out";
                self.refuse(entry, why);
            }
            Some(align) if align > least.0 => {
                if self.job.pattern.sizes.is_none()
                    && let Err(error) = self.job.pattern.set("bssplit", &format!("{least}/100"))
                {
                    return self.refuse(entry, error.problem);
                }
                self.job.pattern.bs = Bytes(align);
            }
            Some(_) => {}
        }
    }

    /// Whether fio uses no address again before all were used. An alignment of more than the size turns it
    /// off.
    pub(super) fn has_map(&self) -> bool {
        let pattern = &self.job.pattern;
        let is_aligned = pattern.sizes.as_ref().is_some_and(|sizes| sizes.least() < pattern.bs);
        let law = self.section.last("random_distribution").map_or("random", |entry| entry.value.as_str());
        pattern.rw.is_random() && !is_aligned && law == "random" && !self.section.has("norandommap")
    }

    /// Mean sizes of reads, writes and trims, at least 1.
    fn mean_bytes(&self) -> [f64; 3] {
        let pattern = &self.job.pattern;
        let of = |op| pattern.sizes.as_ref().map_or(pattern.bs.0 as f64, |sizes| sizes.mean_bytes(op));
        [Op::Read, Op::Write, Op::Trim].map(|op| of(op).max(1.0))
    }

    /// IOs a second of a process.
    pub(super) fn rate(&mut self) -> Option<Rate> {
        let sizes = self.mean_bytes();
        let of_bytes = self.directions("rate", 0, |text| bytes(text, 1024));
        let of_ios = self.directions("rate_iops", 0, count);
        let entry = self.section.last(if of_ios.is_some() { "rate_iops" } else { "rate" })?;
        let [reads, writes, trims] = match (of_bytes, of_ios) {
            (Some(_), Some(_)) => {
                self.refuse(entry, "fio takes rate or rate_iops, not both; leave out one");
                return None;
            }
            (Some(rates), None) => [0, 1, 2].map(|of| rates[of] as f64 / sizes[of]),
            (None, rates) => rates?.map(|rate| rate as f64),
        };
        let total = match (self.job.pattern.mix, self.used()) {
            // Trims follow the pace of their writes.
            (Some(Mix { turns: Turns::SameAddress, .. }), _) => 2.0 * writes,
            (Some(_), [true, true, _]) => return self.rate_of_each(entry, reads, writes),
            (_, [true, ..]) => reads,
            (_, [_, true, _]) => writes,
            _ => trims,
        };
        Some(Rate::Total(total)).filter(|_| total > 0.0)
    }

    /// Each direction keeps its own rate, which decides whose turn it is.
    fn rate_of_each(&mut self, entry: &Entry, reads: f64, writes: f64) -> Option<Rate> {
        if reads == 0.0 && writes == 0.0 {
            return None;
        }
        if reads == 0.0 || writes == 0.0 {
            let why = "fio's other direction goes as fast as it can; give both a rate, or measure them \
                       separately";
            self.refuse(entry, why);
            return None;
        }
        if let Some(Mix { turns: Turns::Chance(percent), .. }) = &mut self.job.pattern.mix
            && *percent != 50
        {
            *percent = 50;
            self.note("rwmixread: ignored; the rates of reads and writes decide, as in fio");
        }
        Some(Rate::Each { reads, writes })
    }
}
