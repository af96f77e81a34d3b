//! The kinds of results: one list of what a folder may hold, and how it is known.

use std::path::Path;

use crate::folder::{MANIFEST, Manifest};
use crate::result_file::ResultFile;

/// What a result folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// Experiments of a suite.
    Run,
    /// A single pattern, or the sizes that were tried for it.
    Measurement,
    /// Simulations side by side.
    Sweep,
    /// A trace that was replayed.
    Replay,
    /// A trace that was described.
    TraceDescription,
}

struct Row {
    kind: ResultKind,
    name: &'static str,
    in_words: &'static str,
    /// The document that only this kind has.
    document: Option<&'static str>,
}

/// In the order in which a folder is asked.
static ROWS: [Row; 5] = [
    row(ResultKind::Sweep, "sweep", "simulations", Some("sim.json")),
    row(ResultKind::TraceDescription, "trace", "the description of a trace", Some("stats.json")),
    row(ResultKind::Replay, "replay", "a replay", Some("replay.json")),
    row(ResultKind::Measurement, "measurement", "a measurement", None),
    row(ResultKind::Run, "run", "a run", None),
];

const fn row(
    kind: ResultKind,
    name: &'static str,
    in_words: &'static str,
    document: Option<&'static str>,
) -> Row {
    Row { kind, name, in_words, document }
}

impl ResultKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = ResultKind> {
        ROWS.iter().map(|row| row.kind)
    }

    /// The kind of the result in a folder: by the document that only one kind has, and then by what its
    /// manifest says. Where the manifest cannot be read it is taken for a run.
    pub fn of(folder: &Path) -> ResultKind {
        let has = |row: &&Row| row.document.is_some_and(|name| ResultFile::new(folder, name).is_there());
        let by_document = ROWS.iter().find(has).map(|row| row.kind);
        by_document.unwrap_or_else(|| {
            let text = ResultFile::new(folder, MANIFEST).json().unwrap_or_default();
            serde_json::from_str::<Manifest>(&text)
                .map_or(ResultKind::Run, |manifest| manifest.measured_kind())
        })
    }

    /// In a word: `sweep`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// With its article: `a replay`.
    pub fn in_words(self) -> &'static str {
        self.row().in_words
    }

    /// The document in the folder that only this kind has; none where runs are all there is.
    pub const fn document(self) -> Option<&'static str> {
        self.row().document
    }

    const fn row(self) -> &'static Row {
        let mut place = 0;
        while ROWS[place].kind as u8 != self as u8 {
            place += 1;
        }
        &ROWS[place]
    }
}

impl Manifest {
    /// Of a folder that holds measured runs: whether they are a run's or a single measurement's.
    pub(crate) fn measured_kind(&self) -> ResultKind {
        match self.options["pattern"].is_null() {
            true => ResultKind::Run,
            false => ResultKind::Measurement,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_once_with_a_name_of_its_own() {
        for kind in ResultKind::all() {
            assert_eq!(kind.row().kind, kind);
            assert_eq!(ROWS.iter().filter(|row| row.name == kind.name()).count(), 1);
            let document = kind.document();
            assert!(document.is_none() || ROWS.iter().filter(|row| row.document == document).count() == 1);
        }
    }
}
