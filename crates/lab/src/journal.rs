//! Joins the method to the result folder: every run is stored before anybody hears of it.

use std::path::{Path, PathBuf};

use flashscope_analysis::{Experiment, Finished};
use flashscope_bench::{Cause, Event, Journal, Recording};
use flashscope_core::{PatternSource, Record, RequestSource};
use flashscope_store::{Origin, Recorder, ResultFile, ResultFolder};

use crate::target::TargetSpec;
use crate::time::now_text;

/// The folder asked for, or a new name of today: `flashscope-mtron-2026-11-20`.
pub fn folder_path(asked: Option<&Path>, kind: &str, target: &TargetSpec) -> PathBuf {
    if let Some(path) = asked {
        return path.to_path_buf();
    }
    let today = &now_text()[..10];
    let stem = format!("flashscope-{kind}{}-{today}", target.short_name());
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !PathBuf::from(name).exists());
    PathBuf::from(free.unwrap_or(stem))
}

/// The file with the number of pieces of the state that are enforced.
const ENFORCED: &str = "enforced-pieces";

/// Pieces that an interrupted run had enforced.
pub fn enforced_pieces(folder: &ResultFolder) -> u64 {
    let text = ResultFile::new(folder.path(), ENFORCED).json().unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

/// Hears what happens in a run, for whoever shows it.
pub type Listener<'a> = &'a mut (dyn FnMut(&Event<'_>) + Send);

/// A journal that stores each run in a result folder, and passes events on.
pub struct FolderJournal<'a> {
    /// Where results go.
    pub folder: &'a mut ResultFolder,
    /// Who hears of events.
    pub listener: Listener<'a>,
    /// The target's name, for the files' origin.
    pub target: String,
    /// Seed of the whole run, for the files' origin.
    pub seed: u64,
}

/// A recorder and the name that its file will be found under; none where only the summary is asked for.
pub struct Kept(Option<(Recorder, String)>);

impl Recording for Kept {
    #[inline]
    fn push(&mut self, record: Record) {
        if let Some((recorder, _)) = &mut self.0 {
            recorder.push(record);
        }
    }

    #[inline]
    fn has_failed(&self) -> bool {
        self.0.as_ref().is_some_and(|(recorder, _)| recorder.has_failed())
    }
}

impl Journal for FolderJournal<'_> {
    type Recording = Kept;

    fn begin(
        &mut self,
        experiment: &Experiment,
        repeat: u32,
        sources: Vec<PatternSource>,
    ) -> Result<Kept, Cause> {
        if sources.is_empty() {
            return Ok(Kept(None));
        }
        let sources =
            sources.into_iter().map(|source| Box::new(source) as Box<dyn RequestSource + Send>).collect();
        let origin = Origin {
            experiment: experiment.id(),
            repeat,
            pattern: experiment.pattern.to_string(),
            seed: self.seed,
            target: self.target.clone(),
            has_due: false,
        };
        let records = self.folder.records(experiment, repeat);
        let recorder = Recorder::create(&records.path, sources, &origin)?;
        Ok(Kept(Some((recorder, records.relative))))
    }

    fn finish(&mut self, recording: Kept, mut finished: Finished) -> Result<Finished, Cause> {
        let Kept(Some((recorder, file))) = recording else {
            self.folder.append(&finished)?;
            return Ok(finished);
        };
        let written = recorder.finish();
        finished.run.records = written.is_ok().then_some(file);
        // The summary is worth keeping even where the single IOs could not be.
        self.folder.append(&finished)?;
        written?;
        Ok(finished)
    }

    fn enforced(&mut self, done_pieces: u64) -> Result<(), Cause> {
        Ok(self.folder.write_text(ENFORCED, &done_pieces.to_string())?)
    }

    fn hear(&mut self, event: &Event<'_>) {
        (self.listener)(event);
    }
}
