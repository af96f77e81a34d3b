//! A whole characterisation: state, baselines, pause, plan, repeats; every finished run is kept at once.

use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_analysis::{Experiment, Finished, Goal, Interference, IoErrors, Run, Stop};
use flashscope_core::seed::derive;
use flashscope_core::{Driven, Limits, Nanos, Target, TargetError, Time};

use crate::chain::{is_done, is_left_out, todo};
use crate::error::BenchError;
use crate::goal::Known;
use crate::interference::{Probe, WRITES, idle, pause_max};
use crate::journal::{Event, Journal, Recording};
use crate::lab::Lab;
use crate::measure::{MeasuredRun, Measurement, measure_on};
use crate::on_error::{OnError, Tally};
use crate::plan::{Plan, Settings};
use crate::prepare::prepare;
use crate::state::{State, StateSource, enforce};
use crate::step::{Length, Preparation, Step};
use crate::writes::Writes;

/// What an earlier, interrupted campaign of the same plan left behind.
#[derive(Clone, Debug, Default)]
pub struct Prior {
    /// Its runs.
    pub finished: Vec<Finished>,
    /// Pieces of the state that it had enforced.
    pub enforced_pieces: u64,
    /// The pause that it kept.
    pub interference: Option<Interference>,
    /// IOs that failed outside its runs.
    pub preparation_errors: IoErrors,
    /// Whether it came to its end: then a round that it left out, for want of bytes that might be written, is
    /// not added now.
    pub is_complete: bool,
}

/// A campaign's fixed facts.
pub struct Campaign<'a> {
    /// What was asked.
    pub settings: &'a Settings,
    /// What will be done.
    pub plan: &'a Plan,
    /// Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// How a campaign ended. What it measured is complete up to that point.
#[derive(Debug)]
pub struct Outcome {
    /// All runs, earlier ones included.
    pub finished: Vec<Finished>,
    /// The pause between runs, once it was measured.
    pub interference: Option<Interference>,
    /// IOs that failed outside the runs, earlier ones included.
    pub preparation_errors: IoErrors,
    /// Why it ended before its plan did.
    pub stopped: Option<Stop>,
    /// The error that ended it.
    pub error: Option<BenchError>,
}

/// Runs the plan.
pub fn run<L: Lab, J: Journal>(
    campaign: &Campaign<'_>,
    lab: &mut L,
    journal: &mut J,
    prior: Prior,
) -> Outcome {
    let Prior { finished, interference, enforced_pieces, preparation_errors, is_complete } = prior;
    let writes = Writes::new(campaign.plan);
    let mut work = Work {
        campaign,
        writes: &writes,
        todo: Vec::new(),
        number: 0,
        lab,
        journal,
        finished,
        interference,
        preparation_errors,
        start: Time::ZERO,
        preparations: 0,
        done: 0,
        errors: IoErrors::default(),
    };
    let ended = work.all(enforced_pieces, is_complete);
    let Work { finished, interference, preparation_errors, .. } = work;
    let (stopped, error) = match ended {
        Ok(stopped) => (stopped, None),
        Err(error) => (Some(Stop::Failed), Some(error)),
    };
    Outcome { finished, interference, preparation_errors, stopped, error }
}

struct Work<'a, L, J> {
    campaign: &'a Campaign<'a>,
    writes: &'a Writes<'a>,
    /// Which of the plan's steps are to be measured, and the number of the next.
    todo: Vec<bool>,
    number: usize,
    lab: &'a mut L,
    journal: &'a mut J,
    finished: Vec<Finished>,
    interference: Option<Interference>,
    preparation_errors: IoErrors,
    start: Time,
    /// Times that the device was prepared, each with a seed of its own.
    preparations: u64,
    /// IOs of this campaign that were done, and those that failed. Of earlier ones nothing is counted: else
    /// what they ended with would end each that goes on with it.
    done: u64,
    errors: IoErrors,
}

/// The end of the method's own IOs as the end of a campaign.
fn stop_of(driven: Driven) -> Stop {
    if driven == Driven::Interrupted { Stop::Interrupted } else { Stop::Budget }
}

/// Share of the budget that pauses may take; a longer one leaves too little to measure with.
const PAUSES_SHARE_MAX: f64 = 0.5;
/// uFLIP's pauses (paper 001, section 5.1): for the Mtron SSD, and for all others.
const PAUSE_LONGEST: Nanos = Nanos::from_s(5);
const PAUSE_USUAL: Nanos = Nanos::from_s(1);

impl<L: Lab, J: Journal> Work<'_, L, J> {
    /// Everything in order. Returns why it stopped early, if it did.
    fn all(&mut self, enforced_pieces: u64, was_complete: bool) -> Result<Option<Stop>, BenchError> {
        let plan = self.campaign.plan;
        self.start = self.lab.target(1)?.now();
        self.journal.hear(&Event::Planned(plan));
        self.todo = todo(&plan.steps, &self.finished);
        let is_left = |(step, is_todo): (&Step, &bool)| *is_todo && !(was_complete && step.is_added());
        if !plan.steps.iter().zip(&self.todo).any(is_left) {
            return Ok(None);
        }
        if let Some(stop) = self.enforce(plan.state, enforced_pieces, false)? {
            return Ok(Some(stop));
        }
        // What was to be done before a step that is left out is done before the next that rests on it.
        let mut owed: Vec<&Preparation> = Vec::new();
        for (number, step) in plan.steps.iter().enumerate() {
            if !self.todo[number] {
                continue;
            }
            self.number = number;
            if !step.follows {
                owed.clear();
            }
            owed.extend(&step.before);
            // Of closed loops that all failed there is no share.
            let Some(step) = step.with_arrivals(&self.finished) else { continue };
            let step = &*step;
            let is_too_much = step.is_added() && !self.writes.affords(&owed, step);
            if is_too_much || is_left_out(step, &self.finished) {
                continue;
            }
            if let Some(stop) = self.before(step, &mut owed)? {
                return Ok(Some(stop));
            }
            if let Some(stop) = self.must_stop()? {
                return Ok(Some(stop));
            }
            if let Some(stop) = self.step(number, step)? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    /// What there is to do before a run.
    fn before(&mut self, step: &Step, owed: &mut Vec<&Preparation>) -> Result<Option<Stop>, BenchError> {
        let is_first = self.interference.is_none() && step.experiment.micro != "baseline";
        if self.campaign.plan.keeps_pause
            && is_first
            && let Some(stop) = self.learn_pause()?
        {
            return Ok(Some(stop));
        }
        for preparation in owed.drain(..) {
            if let Some(stop) = self.prepare(preparation)? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    /// Ctrl-C, or the budget spent.
    fn must_stop(&mut self) -> Result<Option<Stop>, BenchError> {
        if self.campaign.interrupted.load(Ordering::Relaxed) {
            return Ok(Some(Stop::Interrupted));
        }
        let is_spent = self.budget_left()?.is_some_and(|left| left == Nanos::ZERO);
        Ok(is_spent.then_some(Stop::Budget))
    }

    /// Whether the interference experiment is still to come.
    fn is_learning_left(&self) -> bool {
        self.interference.is_none() && self.campaign.plan.keeps_pause
    }

    fn budget_left(&mut self) -> Result<Option<Nanos>, BenchError> {
        let Some(budget) = self.campaign.settings.budget else { return Ok(None) };
        let now = self.lab.target(1)?.now();
        Ok(Some(budget - now.since(self.start)))
    }

    /// Does one thing to the device.
    fn prepare(&mut self, preparation: &Preparation) -> Result<Option<Stop>, BenchError> {
        if let Preparation::Enforce(state) = preparation {
            return self.enforce(*state, 0, true);
        }
        let runtime = self.budget_left()?;
        let seed = self.preparation_seed();
        self.writes.before(preparation, self.number + 1, &self.todo, self.is_learning_left());
        let Work { lab, journal, campaign, writes, .. } = self;
        journal.hear(&Event::Preparing(preparation));
        let limits = Limits {
            runtime,
            writes: writes.budget(),
            interrupted: campaign.interrupted,
            ..Limits::default()
        };
        let mut note = |done_bytes, total_bytes| journal.hear(&Event::Enforcing { done_bytes, total_bytes });
        let depth = match preparation {
            Preparation::Burst { pattern, .. } => pattern.in_flight(),
            _ => 1,
        };
        let span = campaign.plan.frame.span.0;
        let mut tally = Tally::new(campaign.settings.on_error);
        let ended = prepare(lab.target(depth)?, preparation, span, seed, limits, &mut tally, &mut note);
        self.count_preparation(tally)?;
        Ok(ended?.map(stop_of))
    }

    /// Counts the IOs of something that is no experiment.
    fn count_preparation(&mut self, tally: Tally) -> Result<(), BenchError> {
        self.preparation_errors.append(&tally.errors);
        self.count(tally.done(), &tally.errors)
    }

    /// Counts IOs.
    ///
    /// # Errors
    /// Too many of them failed so far.
    fn count(&mut self, done: u64, errors: &IoErrors) -> Result<(), BenchError> {
        self.done += done;
        self.errors.append(errors);
        let on_error = self.campaign.settings.on_error;
        match self.errors.first.first() {
            Some(first) if on_error.ends_run(self.errors.count, self.done) => Err(BenchError::IoErrors {
                errors: self.errors.count,
                ios: self.done + self.errors.count,
                share_max: on_error.share_max(),
                first: Box::new(first.clone()),
            }),
            _ => Ok(()),
        }
    }

    /// A seed of its own for each preparation.
    fn preparation_seed(&mut self) -> u64 {
        self.preparations += 1;
        derive(self.campaign.settings.seed, u64::MAX - (self.preparations - 1))
    }

    /// Brings the span into a state, from piece `from` on.
    fn enforce(&mut self, state: State, from: u64, again: bool) -> Result<Option<Stop>, BenchError> {
        let plan = self.campaign.plan;
        if state == State::AsIs {
            return Ok(None);
        }
        let total_bytes = plan.frame.span.0;
        let seed = self.preparation_seed();
        let source = StateSource::new(state, (0, total_bytes), plan.frame.sector.0, seed, from);
        let runtime = self.budget_left()?;
        let next = if again { self.number + 1 } else { 0 };
        self.writes.before(&Preparation::Enforce(state), next, &self.todo, self.is_learning_left());
        let Work { lab, journal, campaign, writes, .. } = self;
        let limits = Limits {
            runtime,
            writes: writes.budget(),
            interrupted: campaign.interrupted,
            ..Limits::default()
        };
        let mut note = |done_bytes, pieces| {
            journal.hear(&Event::Enforcing { done_bytes, total_bytes });
            if again { Ok(()) } else { journal.enforced(pieces).map_err(BenchError::Journal) }
        };
        let mut tally = Tally::new(campaign.settings.on_error);
        let ended = enforce(lab.target(1)?, source, limits, &mut tally, &mut note);
        self.count_preparation(tally)?;
        let ended = ended?;
        self.rest()?;
        Ok(ended.map(stop_of))
    }

    /// Measures how long to wait between runs.
    fn learn_pause(&mut self) -> Result<Option<Stop>, BenchError> {
        self.journal.hear(&Event::Interference);
        let runtime = self.budget_left()?;
        let Campaign { settings, plan, interrupted } = self.campaign;
        self.writes.before_interference(self.number, &self.todo);
        let limits = Limits { runtime, writes: self.writes.budget(), interrupted, ..Limits::default() };
        let random_writes = Known::from(&self.finished).random_write_startup_ios() + WRITES;
        let mut tally = Tally::new(settings.on_error);
        let probe = Probe {
            frame: &plan.frame,
            writes: settings.write.then_some(random_writes),
            pause_max: self.affordable_pause(runtime).min(pause_max(settings.patience)),
            seed: derive(settings.seed, u64::MAX / 2),
            limits,
            tally: &mut tally,
            target: self.lab.target(1)?,
        };
        let found = probe.pause();
        self.count_preparation(tally)?;
        let Some(found) = found? else {
            return Ok(Some(self.must_stop()?.unwrap_or(Stop::Budget)));
        };
        self.journal.hear(&Event::PauseKept(&found));
        self.interference = Some(found);
        self.rest()?;
        Ok(None)
    }

    /// The longest pause for which there is time between the runs still to come.
    fn affordable_pause(&self, left: Option<Nanos>) -> Nanos {
        let runs = self.campaign.plan.steps.iter().filter(|step| !is_done(step, &self.finished)).count();
        left.map_or(Nanos(u64::MAX), |left| {
            Nanos((PAUSES_SHARE_MAX * left.0 as f64) as u64 / runs.max(1) as u64)
        })
    }

    /// Lets the device finish what earlier writes left behind.
    fn rest(&mut self) -> Result<(), BenchError> {
        if !self.campaign.plan.keeps_pause {
            return Ok(());
        }
        let target = self.lab.target(1)?;
        let pause = match &self.interference {
            Some(interference) => Nanos(interference.pause_ns),
            None if !self.campaign.settings.write => Nanos::ZERO,
            // Not measured yet: uFLIP's longest pause where waiting costs nothing, else its usual one.
            None => {
                if target.info().virtual_time {
                    PAUSE_LONGEST
                } else {
                    PAUSE_USUAL
                }
            }
        };
        Ok(idle(target, pause, Limits { interrupted: self.campaign.interrupted, ..Limits::default() })?)
    }

    /// One run: begin, measure, keep, rest.
    fn step(&mut self, number: usize, step: &Step) -> Result<Option<Stop>, BenchError> {
        // Rounds that are added count only once they begin.
        let is_planned = |step: &&Step| !step.is_added();
        let planned = self.campaign.plan.steps.iter().filter(is_planned).count();
        let of = planned.max(number + 1);
        let (experiment, repeat) = (&step.experiment, step.repeat);
        self.journal.hear(&Event::Started { number: number + 1, of, experiment, repeat });
        if !self.writes.before_run(number, step, &self.todo, self.is_learning_left()) {
            return Ok(Some(Stop::Budget));
        }
        let is_precise = step.length == Length::Precise;
        // What has to have a number of IOs is not cut short by its length.
        let enough = step.length.runtime().filter(|_| step.ios_min > 0).map(|after| (after, step.ios_min));
        let runtime = self.runtime(step.length, enough.is_some())?;
        let request = Measurement {
            pattern: &experiment.pattern,
            beside: experiment.beside.as_ref(),
            goal: is_precise.then(|| self.goal(experiment)),
            runtime,
            enough,
            patience: self.patience().filter(|_| is_precise),
            windows: step.windows,
            writes: self.writes.budget(),
            place: None,
            on_error: self.campaign.settings.on_error,
            seed: step.seed,
            interrupted: self.campaign.interrupted,
        };
        let sources = if step.keeps_ios { request.sources() } else { Vec::new() };
        let mut recording = self.journal.begin(experiment, repeat, sources).map_err(BenchError::Journal)?;
        self.lab.begin();
        let journal = &mut *self.journal;
        let mut look = |ios, estimate, why| journal.hear(&Event::Look { ios, estimate, why });
        let MeasuredRun { run, error } = measure_on(self.lab, &request, &mut recording, &mut look)?;
        let run = Run { summary_only: !step.keeps_ios, ..run };
        let failed = recording.has_failed();
        let finished = Finished { experiment: experiment.clone(), repeat, run };
        let finished = self.journal.finish(recording, finished).map_err(BenchError::Journal)?;
        let is_same = finished.experiment == *experiment && finished.repeat == repeat;
        assert!(is_same, "a journal gives back the run that it was handed: {}", experiment.id());
        self.journal.hear(&Event::Done(&finished));
        let because = finished.run.outcome.stopped_because;
        let (done, errors) = (finished.run.ios, finished.run.errors.clone());
        let kept = self.lab.end(&finished);
        // What was measured before, cut short or without what it rests on, gives way.
        let is_other = |of: &Finished| of.repeat != repeat || !of.experiment.is_round_of(experiment);
        self.finished.retain(is_other);
        self.finished.push(finished);
        kept.map_err(BenchError::Journal)?;
        let mut stops = failed || because.is_early();
        if let Some(error) = error {
            if !self.goes_on_after(&error) {
                return Err(error.into());
            }
            stops = false;
        }
        self.count(done, &errors)?;
        self.rest()?;
        Ok(stops.then_some(because))
    }

    /// How long one round may go on only to narrow its interval.
    fn patience(&self) -> Option<Nanos> {
        let Settings { patience, repeats, .. } = self.campaign.settings;
        patience.map(|patience| Nanos(patience.0 / u64::from(*repeats).max(1)))
    }

    /// Whether an experiment that an error ended is the only one that it ends: too many of its IOs failed.
    fn goes_on_after(&self, error: &TargetError) -> bool {
        error.tag.is_some() && self.campaign.settings.on_error != OnError::Stop
    }

    /// What is asked of an experiment: the baselines explore, the others build on them.
    fn goal(&self, experiment: &Experiment) -> Goal {
        let Settings { effort, repeats, .. } = self.campaign.settings;
        let effort = effort.of_a_round(*repeats);
        match experiment.micro.as_str() {
            "baseline" => effort.exploring(&experiment.pattern),
            _ => effort.knowing(&experiment.pattern, &Known::from(&self.finished)),
        }
    }

    /// The longest that the next run may take. `may_be_longer` than its own length.
    fn runtime(&mut self, length: Length, may_be_longer: bool) -> Result<Option<(Nanos, Stop)>, BenchError> {
        let run_max = match length {
            Length::Precise => self.campaign.settings.run_max,
            _ => length.runtime().filter(|_| !may_be_longer),
        };
        Ok(match (self.budget_left()?, run_max) {
            (Some(left), Some(most)) if most < left => Some((most, Stop::Runtime)),
            (Some(left), _) => Some((left, Stop::Budget)),
            (None, most) => most.map(|most| (most, Stop::Runtime)),
        })
    }
}
