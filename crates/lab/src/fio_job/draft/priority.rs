//! What fio asks of the kernel for single IOs: that they are atomic, and their priorities.

use flashscope_core::{Bytes, Op, Priorities, PriorityRule};

use super::super::{Entry, NULL, bytes, count};
use super::Draft;

/// fio's class of priorities that have none: real time.
const CLASS: u64 = 1;

/// Class, level and hint of one direction.
#[derive(Clone, Copy)]
struct Level {
    class: u64,
    level: u64,
    hint: u64,
}

impl Draft<'_> {
    pub(super) fn atomic(&mut self) {
        let Some(entry) = self.section.last("atomic").filter(|entry| entry.value != "0") else { return };
        // As fio, which forgets it.
        if !self.used()[1] {
            return;
        }
        let engine = self.section.last("ioengine").map_or("psync", |entry| entry.value.as_str());
        let is_null = self.job.target.as_deref() == Some(NULL);
        if is_null || !["pvsync2", "libaio", "io_uring"].contains(&engine) {
            let why =
                "fio has atomic writes with pvsync2, libaio and io_uring, to a file or device; choose one";
            return self.refuse(entry, why);
        }
        if self.is_buffered() {
            return self.refuse(entry, "the page cache has no atomic writes; add direct=1");
        }
        self.job.pattern.is_atomic = true;
    }

    pub(super) fn priorities(&mut self) {
        let percents = self.directions("cmdprio_percentage", 0, |text| within(text, 100));
        let percentage = percents.and_then(|_| self.section.last("cmdprio_percentage"));
        let split = self.section.last("cmdprio_bssplit");
        let Some(entry) = percentage.filter(|_| percents != Some([0; 3])).or(split) else { return };
        if percentage.is_some() && split.is_some() {
            return self.refuse(entry, "fio takes cmdprio_percentage or cmdprio_bssplit; leave out one");
        }
        let engine = self.section.last("ioengine").map_or("psync", |entry| entry.value.as_str());
        if self.job.target.as_deref() == Some(NULL) || !["libaio", "io_uring"].contains(&engine) {
            let why =
                "fio has priorities of single IOs with libaio and io_uring, to a file or device; choose one";
            return self.refuse(entry, why);
        }
        let (Some(classes), Some(levels), Some(hints)) = (
            self.optional("cmdprio_class", CLASS, 3),
            self.optional("cmdprio", 0, 7),
            self.optional("cmdprio_hint", 0, 1023),
        ) else {
            return;
        };
        let level = |of: usize| Level { class: classes[of].max(CLASS), level: levels[of], hint: hints[of] };
        let rules = match (percents, split) {
            (Some(percents), None) => Ok(self.rules_of_shares(percents, level)),
            (_, Some(split)) => self.rules_of_sizes(split, level),
            (None, None) => return,
        };
        match rules.and_then(|rules| match rules.is_empty() {
            true => Ok(None),
            false => Priorities::new(rules).map(Some).map_err(|error| error.to_string()),
        }) {
            Err(why) => self.refuse(entry, why),
            Ok(None) => {}
            Ok(priorities) => {
                self.job.pattern.priorities = priorities;
                self.note("cmdprio: response times of all priorities are reported together");
            }
        }
    }

    /// Values of reads and writes up to `most`; `default` where the option is not there, none if it is wrong.
    fn optional(&mut self, name: &str, default: u64, most: u64) -> Option<[u64; 3]> {
        if self.section.last(name).is_none() {
            return Some([default; 3]);
        }
        self.directions(name, default, |text| within(text, most))
    }

    /// Reads and writes in use, with their places among directions.
    fn read_and_written(&self) -> impl Iterator<Item = (usize, Op)> + use<> {
        let used = self.used();
        [Op::Read, Op::Write].into_iter().enumerate().filter(move |(of, _)| used[*of])
    }

    fn rules_of_shares(&self, percents: [u64; 3], level: impl Fn(usize) -> Level) -> Vec<PriorityRule> {
        let kinds = self.read_and_written().filter(|(of, _)| percents[*of] > 0);
        let mut rules: Vec<_> = kinds.map(|(of, op)| rule(Some(op), None, percents[of], level(of))).collect();
        let of_all = rules.first().map(|first| PriorityRule { op: None, ..*first });
        let are_same = rules.iter().all(|rule| Some(PriorityRule { op: None, ..*rule }) == of_all);
        if are_same && rules.len() == self.read_and_written().count() {
            rules = of_all.into_iter().collect();
        }
        rules
    }

    /// `SIZE/PERCENT[/CLASS/LEVEL[/HINT]]`, for both or `READ,WRITE`.
    fn rules_of_sizes(
        &self,
        entry: &Entry,
        level: impl Fn(usize) -> Level,
    ) -> Result<Vec<PriorityRule>, String> {
        let (reads, writes) = entry.value.split_once(',').unwrap_or((&entry.value, &entry.value));
        let mut rules = Vec::new();
        for (of, op) in self.read_and_written() {
            for part in [reads, writes][of].split(':') {
                let (size, numbers) = part.split_once('/').ok_or(NO_SPLIT)?;
                let numbers: Result<Vec<u64>, _> = numbers.split('/').map(count).collect();
                let (percent, own) = match numbers?[..] {
                    [percent] => (percent, level(of)),
                    [percent, class, level] => (percent, Level { class, level, hint: 0 }),
                    [percent, class, level, hint] => (percent, Level { class, level, hint }),
                    _ => return Err(NO_SPLIT.into()),
                };
                let is_known = percent <= 100 && (1..=3).contains(&own.class) && own.level <= 7;
                if !is_known || own.hint > 1023 {
                    return Err(NO_SPLIT.into());
                }
                if percent > 0 {
                    rules.push(rule(Some(op), Some(Bytes(bytes(size, 1024)?)), percent, own));
                }
            }
        }
        Ok(rules)
    }
}

const NO_SPLIT: &str =
    "write SIZE/PERCENT or SIZE/PERCENT/CLASS/LEVEL, with a class of 1 to 3 and a level of 0 to 7";

/// Of numbers that are in their ranges.
fn rule(op: Option<Op>, size: Option<Bytes>, percent: u64, of: Level) -> PriorityRule {
    let Level { class, level, hint } = of;
    PriorityRule {
        op,
        size,
        percent: percent as u8,
        class: class as u8,
        level: level as u8,
        hint: hint as u16,
    }
}

fn within(text: &str, most: u64) -> Result<u64, String> {
    let number = count(text)?;
    if number <= most { Ok(number) } else { Err(format!("must be 0 to {most}")) }
}
