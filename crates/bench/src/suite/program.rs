//! From the acts of a suite to a plan.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use flashscope_analysis::{Cut, Experiment};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Location, Nanos, Pattern, Rw, TargetInfo};

use super::{Part, Suite};
use crate::error::{BenchError, SuiteError};
use crate::micro::{Frame, Scope};
use crate::offered::Offered;
use crate::plan::{Note, Plan, Settings, frame};
use crate::state::State;
use crate::step::{Condition, Length, Preparation, Step};

/// Everything written once in order: "sequentially writing the entire device using a 1 MB buffer" (paper 000,
/// appendix A).
pub(super) const FILL: Preparation = Preparation::Fill { bs: Bytes(1 << 20), times: 1 };

/// All parts of a suite.
pub(super) const ALL_PARTS: &str = "all";
/// A run that is shorter says nothing.
pub(super) const TIME_MIN: Nanos = Nanos::from_ms(1);
/// The longest time that a setting takes.
const TIME_MAX: Nanos = Nanos::from_s(24 * 3600);

/// One thing that a suite does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Something is done to the device before the next run.
    Prepare(Preparation),
    /// A run, or several of the same.
    Run(Box<Probe>),
    /// Round after round, each of these runs once in each: what drifts while they last is in none of them
    /// alone.
    Rounds {
        /// Rounds.
        rounds: u32,
        /// The runs of a round, in order.
        probes: Vec<Probe>,
    },
}

/// A run before it has a seed.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The group of experiments that it belongs to.
    pub micro: String,
    /// The curve in that group.
    pub curve: String,
    /// Value of what varies along the curve.
    pub parameter: f64,
    /// That value for a person.
    pub label: String,
    /// What is done.
    pub pattern: Pattern,
    /// What runs at the same time and is not measured.
    pub beside: Option<Pattern>,
    /// When a run is over.
    pub length: Length,
    /// Of a length in time, it goes on until it has so many IOs.
    pub ios_min: u64,
    /// Into which windows a run is cut, and how many of them there are at most.
    pub windows: Option<(Cut, usize)>,
    /// Runs of it.
    pub repeats: u32,
    /// What is prepared before the first run is prepared before each.
    pub afresh: bool,
    /// Skipped if earlier runs show that it would add no information.
    pub only_if: Option<Condition>,
    /// Its single IOs are kept.
    pub keeps_ios: bool,
    /// What decides the arrivals of its pattern.
    pub offered: Option<Offered>,
    /// What decides those of its load.
    pub offered_beside: Option<Offered>,
}

impl Probe {
    /// A single run of a pattern whose single IOs are not kept.
    pub fn new(micro: &str, curve: &str, pattern: Pattern, length: Length) -> Probe {
        Probe {
            micro: micro.into(),
            curve: curve.into(),
            parameter: pattern.bs.0 as f64,
            label: pattern.bs.to_string(),
            pattern,
            beside: None,
            length,
            ios_min: 0,
            windows: None,
            repeats: 1,
            afresh: false,
            only_if: None,
            keeps_ios: false,
            offered: None,
            offered_beside: None,
        }
    }

    /// Along the curve it stands here.
    #[must_use]
    pub fn at(self, parameter: f64, label: impl Display) -> Probe {
        Probe { parameter, label: label.to_string(), ..self }
    }

    /// Measured while this runs too, so that its length is a time.
    #[must_use]
    pub fn beside(self, load: Pattern) -> Probe {
        Probe { beside: Some(load), ..self }
    }

    /// Its IOs arrive at a share of what earlier runs reached.
    #[must_use]
    pub fn offered(self, offered: Offered) -> Probe {
        Probe { offered: Some(offered), ..self }
    }

    /// Those of its load do.
    #[must_use]
    pub fn offered_beside(self, offered: Offered) -> Probe {
        Probe { offered_beside: Some(offered), ..self }
    }

    /// Not over before so many IOs, however long they take: fewer say nothing.
    #[must_use]
    pub fn at_least(self, ios_min: u64) -> Probe {
        Probe { ios_min, ..self }
    }

    /// Its runs are cut into windows.
    #[must_use]
    pub fn windows(self, cut: Cut, most: usize) -> Probe {
        Probe { windows: Some((cut, most)), ..self }
    }

    /// So many runs, one after the other.
    #[must_use]
    pub fn repeated(self, repeats: u32) -> Probe {
        Probe { repeats, ..self }
    }

    /// So many runs, and before each what is prepared before the first.
    #[must_use]
    pub fn afresh(self, repeats: u32) -> Probe {
        Probe { repeats, afresh: true, ..self }
    }

    /// Only under a condition.
    #[must_use]
    pub fn only_if(self, condition: Option<Condition>) -> Probe {
        Probe { only_if: condition, ..self }
    }

    /// As an act.
    pub fn act(self) -> Act {
        Act::Run(Box::new(self))
    }

    fn writes(&self) -> bool {
        std::iter::once(&self.pattern).chain(&self.beside).any(Pattern::writes)
    }

    /// The run of round `repeat`, after `before`.
    fn step(&self, repeat: u32, seed: u64, before: Vec<Preparation>, follows: bool) -> Step {
        Step {
            experiment: self.experiment(),
            repeat,
            seed,
            before,
            follows,
            length: self.length,
            ios_min: self.ios_min,
            windows: self.windows,
            only_if: self.only_if.clone(),
            keeps_ios: self.keeps_ios,
            offered: self.offered.clone(),
            offered_beside: self.offered_beside.clone(),
        }
    }

    pub(super) fn experiment(&self) -> Experiment {
        Experiment {
            micro: self.micro.clone(),
            curve: self.curve.clone(),
            parameter: self.parameter,
            label: self.label.clone(),
            pattern: self.length.counted(self.pattern.clone()),
            beside: self.beside.clone(),
        }
    }
}

/// A number of a setting, refused in our words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(pub f64);

impl FromStr for Number {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Number, &'static str> {
        text.parse().map(Number).map_err(|_| "not a number")
    }
}

/// What a program is made for: the part of a target, and the suite's settings.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The part of the target that is measured, and the block size.
    pub frame: Frame,
    /// Runs of every experiment.
    pub repeats: u32,
    /// Writing is allowed.
    pub write: bool,
    /// The target can discard what it holds.
    pub can_trim: bool,
    /// Seed of what the program itself draws.
    pub seed: u64,
    suite: &'a Suite,
    values: &'a [(String, String)],
}

impl<'a> Parameters<'a> {
    pub(super) fn new(
        suite: &'a Suite,
        values: &'a [(String, String)],
        frame: Frame,
        settings: &Settings,
    ) -> Parameters<'a> {
        let Settings { repeats, write, can_trim, seed, .. } = *settings;
        Parameters { frame, repeats, write, can_trim, seed, suite, values }
    }

    /// Whether it is to be short.
    pub fn is_quick(&self) -> bool {
        self.frame.scope == Scope::Quick
    }

    /// A setting of the suite: as it was given, else its default.
    ///
    /// # Errors
    /// A value that it cannot take, or a setting that the suite does not have.
    pub fn value<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, BenchError> {
        let given = self.values.iter().find(|(given, _)| given == name);
        let text = match given {
            Some((_, value)) => value.as_str(),
            None => self.default(name).ok_or_else(|| unknown(self.suite, name))?,
        };
        Ok(self.parsed(name, text)?)
    }

    /// A setting that is a count between two ends.
    ///
    /// # Errors
    /// As [`Parameters::value`], and a count beyond them.
    pub fn count(&self, name: &str, allowed: RangeInclusive<u64>) -> Result<u64, BenchError> {
        let text: String = self.value(name)?;
        match text.parse() {
            Ok(count) if allowed.contains(&count) => Ok(count),
            _ => {
                let (least, most) = allowed.into_inner();
                Err(refused(name, &text, format!("write a number from {least} to {most}")))
            }
        }
    }

    /// A setting that is a time.
    ///
    /// # Errors
    /// As [`Parameters::value`], and one that is shorter than `least` or longer than a day.
    pub fn time(&self, name: &str, least: Nanos) -> Result<Nanos, BenchError> {
        within(name, self.value(name)?, least)
    }

    /// The values of a setting that has several with commas between them, each once.
    ///
    /// # Errors
    /// As [`Parameters::value`].
    pub fn list<T: FromStr<Err: Display> + PartialEq>(&self, name: &str) -> Result<Vec<T>, BenchError> {
        let all: String = self.value(name)?;
        let mut values = Vec::new();
        for word in all.split(',') {
            let value = self.parsed(name, word)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// The parts that a setting takes, in its order.
    ///
    /// # Errors
    /// A word that is none of them.
    pub(super) fn parts(&self, setting: &str) -> Result<Vec<&'static Part>, BenchError> {
        let parts = self.suite.parts;
        let names: Vec<String> = self.list(setting)?;
        if names == [ALL_PARTS] {
            return Ok(parts.iter().collect());
        }
        let find = |name: &String| {
            parts.iter().find(|part| part.name == name).ok_or_else(|| {
                let known: Vec<&str> = parts.iter().map(|part| part.name).collect();
                refused(setting, name, format!("write {ALL_PARTS}, or choose from {}", known.join(", ")))
            })
        };
        names.iter().map(find).collect()
    }

    fn parsed<T: FromStr<Err: Display>>(&self, name: &str, text: &str) -> Result<T, SuiteError> {
        let like = self.default(name).unwrap_or_default();
        let problem = |error: T::Err| format!("{error}; write a value such as {like}");
        text.trim().parse().map_err(|error| SuiteError::Setting {
            name: name.into(),
            value: text.into(),
            problem: problem(error),
        })
    }

    /// What a setting of the suite is if it is not given.
    fn default(&self, name: &str) -> Option<&'static str> {
        let setting = self.suite.settings.iter().find(|setting| setting.name == name)?;
        Some(if self.is_quick() { setting.quick } else { setting.default })
    }

    /// The span in whole IOs of `bs`.
    pub fn whole(&self, bs: Bytes) -> Bytes {
        Bytes(self.frame.span.0 / bs.0 * bs.0)
    }

    /// A baseline over the whole span.
    pub fn baseline(&self, rw: Rw, bs: Bytes) -> Pattern {
        Pattern { bs, ..Pattern::baseline(rw, Bytes(0), self.whole(bs)) }
    }

    /// Random IOs that come to no address again before they were at all of them (paper 000, appendix A).
    pub fn permuted(&self, rw: Rw, bs: Bytes) -> Pattern {
        Pattern { location: Location::Permutation, ..self.baseline(rw, bs) }
    }

    /// The nearest to a device that was never written: everything discarded, else everything written in
    /// order.
    pub fn fresh(&self) -> Preparation {
        if self.can_trim { Preparation::Trim } else { FILL }
    }
}

/// The refusal of a setting's value: what is wrong with it, or what is allowed.
pub(super) fn refused(name: &str, value: impl Display, problem: impl Into<String>) -> BenchError {
    SuiteError::Setting { name: name.into(), value: value.to_string(), problem: problem.into() }.into()
}

/// A time of a setting that is neither too short nor longer than a day.
pub(super) fn within(name: &str, time: Nanos, least: Nanos) -> Result<Nanos, BenchError> {
    if (least..=TIME_MAX).contains(&time) {
        return Ok(time);
    }
    Err(refused(name, time, format!("write a time from {least} to {TIME_MAX}")))
}

fn unknown(suite: &Suite, name: &str) -> SuiteError {
    let known = suite.settings.iter().map(|setting| setting.name).collect();
    SuiteError::UnknownSetting { suite: suite.name.to_string(), name: name.into(), known }
}

/// Refuses settings that the suite does not have, and those that are given twice.
pub(super) fn check(suite: &Suite, values: &[(String, String)]) -> Result<(), SuiteError> {
    let is_known = |name: &str| suite.settings.iter().any(|setting| setting.name == name);
    for (at, (name, value)) in values.iter().enumerate() {
        if !is_known(name) {
            return Err(unknown(suite, name));
        }
        if let Some((_, first)) = values[..at].iter().find(|(given, _)| given == name) {
            let (name, first, second) = (name.clone(), first.clone(), value.clone());
            return Err(SuiteError::SettingTwice { name, first, second });
        }
    }
    Ok(())
}

/// The acts of a program in order, each run with what comes before it.
pub(super) fn plan(
    target: &TargetInfo,
    settings: &Settings,
    program: impl FnOnce(Frame) -> Result<Vec<Act>, BenchError>,
) -> Result<Plan, BenchError> {
    let mut notes = Vec::new();
    // All of it, unless a part was asked for: caches and reclamation are kinder to a part.
    let scope = if settings.scope == Scope::Quick { Scope::Quick } else { Scope::Full };
    let frame = frame(target, &Settings { scope, ..settings.clone() }, &mut notes)?;
    let acts = program(Frame { scope: settings.scope, ..frame })?;
    let (acts, left_out) = permitted(acts, settings.write);
    if left_out > 0 {
        notes.push(Note::OnlyReads);
    }
    let steps = steps(acts, settings.seed)?;
    if steps.is_empty() {
        let only_writes = SuiteError::OnlyWrites { except: None };
        return Err(if left_out > 0 { only_writes } else { SuiteError::Empty }.into());
    }
    Plan { notes, ..Plan::bare(frame, State::AsIs, steps) }.priced(target, settings)
}

/// What may be done, and how much may not.
fn permitted(acts: Vec<Act>, write: bool) -> (Vec<Act>, usize) {
    let before = acts.len();
    let writes = |act: &Act| match act {
        Act::Prepare(preparation) => preparation.writes(),
        Act::Run(probe) => probe.writes(),
        Act::Rounds { probes, .. } => probes.iter().any(Probe::writes),
    };
    let acts: Vec<Act> = acts.into_iter().filter(|act| write || !writes(act)).collect();
    let left_out = before - acts.len();
    (acts, left_out)
}

fn steps(acts: Vec<Act>, seed: u64) -> Result<Vec<Step>, SuiteError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut seen = BTreeSet::new();
    let (mut before, mut has_reset) = (Vec::new(), false);
    for act in acts {
        let (rounds, probes) = match act {
            Act::Prepare(preparation) => {
                before.push(preparation);
                continue;
            }
            Act::Run(probe) => (probe.repeats, vec![*probe]),
            Act::Rounds { rounds, probes } => (rounds, probes),
        };
        for probe in &probes {
            let id = probe.experiment().id();
            if !seen.insert(id.clone()) {
                return Err(SuiteError::SameName { id });
            }
        }
        let prepared = before.clone();
        for (repeat, probe) in (0..rounds).flat_map(|repeat| probes.iter().map(move |probe| (repeat, probe)))
        {
            let before = match repeat {
                1.. if probe.afresh => prepared.clone(),
                _ => std::mem::take(&mut before),
            };
            let is_fresh = before.iter().any(Preparation::resets);
            let seed = derive(seed, steps.len() as u64);
            // Before anything was reset there is nothing to rest on.
            steps.push(probe.step(repeat, seed, before, has_reset && !is_fresh));
            has_reset |= is_fresh;
        }
    }
    Ok(steps)
}

/// A number of windows that holds a run of that time.
pub(super) fn windows_within(time: Nanos, window: Nanos) -> usize {
    (time.0 / window.0.max(1)) as usize + 2
}
