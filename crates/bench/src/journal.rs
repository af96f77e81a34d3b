//! Where measurements go: the seam between the method and whoever stores and shows results.

use flashscope_analysis::{Estimate, Experiment, Finished, Interference, Why};
use flashscope_core::{PatternSource, Record};

use crate::error::Cause;
use crate::plan::Plan;
use crate::step::Preparation;

/// Takes every IO of one run. Called on the IO path.
pub trait Recording {
    /// Keeps one IO, or the number of one that failed ([`Record::is_failed`]).
    fn push(&mut self, record: Record);
    /// Whether keeping has failed, so that the run had better stop.
    fn has_failed(&self) -> bool;
}

/// Keeps nothing: for the inner runs of the method, such as enforcing a state.
#[derive(Debug, Default)]
pub struct Unrecorded;

impl Recording for Unrecorded {
    #[inline]
    fn push(&mut self, _record: Record) {}
    #[inline]
    fn has_failed(&self) -> bool {
        false
    }
}

/// What happens, for a display.
#[derive(Debug)]
pub enum Event<'a> {
    /// The plan is made; nothing has been written.
    Planned(&'a Plan),
    /// The state is being enforced.
    Enforcing {
        /// Bytes written.
        done_bytes: u64,
        /// Bytes to write.
        total_bytes: u64,
    },
    /// Something is done to the device before a run.
    Preparing(&'a Preparation),
    /// Two batches of reads with writes between them, to learn the pause.
    Interference,
    /// The pause is known.
    PauseKept(&'a Interference),
    /// A run begins.
    Started {
        /// Which of the plan's runs, from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// What.
        experiment: &'a Experiment,
        /// Which repeat.
        repeat: u32,
    },
    /// A look at a run in progress.
    Look {
        /// IOs so far.
        ios: u64,
        /// The mean so far.
        estimate: Option<Estimate>,
        /// Why it still runs.
        why: Option<Why>,
    },
    /// A run is done and kept.
    Done(&'a Finished),
}

/// Keeps what is measured, and hears what happens.
pub trait Journal: Send {
    /// What takes the IOs of one run.
    type Recording: Recording;

    /// Makes ready for a run; `sources` yield its requests again, one source a stream. Without any, its
    /// single IOs are not asked for.
    ///
    /// # Errors
    /// What keeps it from storing.
    fn begin(
        &mut self,
        experiment: &Experiment,
        repeat: u32,
        sources: Vec<PatternSource>,
    ) -> Result<Self::Recording, Cause>;

    /// Stores a finished run durably, and returns it with `run.records` set to the file of its IOs.
    ///
    /// # Errors
    /// What keeps it from storing.
    fn finish(&mut self, recording: Self::Recording, finished: Finished) -> Result<Finished, Cause>;

    /// Pieces of state enforcement that need not be done again after an interruption.
    ///
    /// # Errors
    /// What keeps it from storing.
    fn enforced(&mut self, done_pieces: u64) -> Result<(), Cause>;

    /// Hears what happens.
    fn hear(&mut self, event: &Event<'_>);
}

/// A journal that keeps nothing: what was measured is in the [`crate::Outcome`] alone.
#[derive(Debug, Default)]
pub struct Unkept;

impl Journal for Unkept {
    type Recording = Unrecorded;

    fn begin(&mut self, _: &Experiment, _: u32, _: Vec<PatternSource>) -> Result<Unrecorded, Cause> {
        Ok(Unrecorded)
    }

    fn finish(&mut self, _: Unrecorded, finished: Finished) -> Result<Finished, Cause> {
        Ok(finished)
    }

    fn enforced(&mut self, _: u64) -> Result<(), Cause> {
        Ok(())
    }

    fn hear(&mut self, _: &Event<'_>) {}
}
