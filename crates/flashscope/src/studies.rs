//! The papers' claims, as programs: one study for each table, figure or group of sentences, one file and one
//! line each. A study says what is done and returns numbers; what they mean is decided by its claims.
//!
//! Here live the registry and what runs it. What is simulated or measured, and how, is in [`stage`]; what
//! counts as the same is in [`claim`].

mod beside;
mod claim;
mod devices;
mod judged;
mod markdown;
mod measure;
mod page;
mod paper_time;
mod papers;
mod picture;
mod place;
mod run_on;
mod session;
mod stage;
mod subject;
mod view;
mod work;

mod ajwani;
mod almost_sequential;
mod bplru;
mod rewrite_penalty;
mod uflip;

use anyhow::Result;
use flashscope_show::html::document::Block;

pub use claim::{Claim, Verdict};
pub use judged::{Judged, judge};
pub use markdown::markdown;
pub use measure::Measure;
pub use page::page;
pub use paper_time::PaperTime;
pub use papers::{PAPERS, Paper};
pub use stage::{Held, Stage};
pub use view::{json, view};

/// What a paper shows in one place, and how to see it again.
#[derive(Debug)]
pub struct Study {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where it is from.
    pub paper: &'static Paper,
    /// Table, figure, section.
    pub place: &'static str,
    /// What is run.
    pub about: &'static str,
    /// What the paper says there.
    pub claims: &'static [Claim],
    run: fn(&Stage<'_>) -> Result<Found>,
}

impl Study {
    /// Where in the paper a claim is.
    fn place_of(&self, claim: &Claim) -> &'static str {
        claim.place.unwrap_or(self.place)
    }

    /// Whether a claim is of a section, table or figure of the paper.
    fn is_of(&self, claim: &Claim, part: &str) -> bool {
        place::names(self.place_of(claim), part)
    }
}

/// What a study found.
#[derive(Default)]
pub struct Found {
    /// A number for each of its claims; none where what it is about was looked for, and is not there.
    pub measures: Vec<(&'static str, Option<Measure>)>,
    /// What it looks like.
    pub blocks: Vec<Block>,
    /// Why a device that a person named does not tell the rest.
    pub untold: Option<&'static str>,
}

impl Found {
    /// Notes the number for a claim.
    fn measured(&mut self, claim: &'static str, measure: impl Into<Measure>) {
        self.measures.push((claim, Some(measure.into())));
    }

    /// The same of what may not be there at all, such as the time between spikes on a device without any.
    fn measured_if(&mut self, claim: &'static str, measure: Option<impl Into<Measure>>) {
        self.measures.push((claim, measure.map(Into::into)));
    }
}

/// All studies: for each paper a list for each file.
const FILES: [&[&[Study]]; 5] =
    [ajwani::FILES, uflip::FILES, bplru::FILES, &[rewrite_penalty::STUDIES], &[almost_sequential::STUDIES]];

/// All studies, in the order of the papers.
pub fn studies() -> impl Iterator<Item = &'static Study> {
    FILES.into_iter().flatten().copied().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_study_and_claim_has_a_name_of_its_own_a_source_and_a_reason() {
        let mut names = HashSet::new();
        for study in studies() {
            assert!(names.insert(study.name), "two studies are named {}", study.name);
            assert!(!study.place.is_empty() && !study.about.is_empty(), "{}", study.name);
            assert!(PAPERS.iter().any(|paper| paper.number == study.paper.number));
            let mut claims = HashSet::new();
            for claim in study.claims {
                let id = format!("{}/{}", study.name, claim.name);
                assert!(claims.insert(claim.name), "two claims are named {id}");
                assert!(!claim.words.is_empty() && !claim.published().is_empty(), "{id}");
                assert!(claim.can_be_run() || !claim.reason.is_empty(), "{id} says not why it cannot be run");
                assert!(!claim.can_be_run() || !claim.tolerance.is_empty(), "{id} gives no tolerance");
            }
        }
    }

    /// A claim's place is one of its study's, so that the head of the study tells of it.
    #[test]
    fn every_claim_is_where_its_study_says() {
        for study in studies() {
            for place in study.claims.iter().filter_map(|claim| claim.place) {
                let mut parts = study.paper.parts.iter().filter(|(part, _)| place::names(place, part));
                let is_known =
                    parts.clone().count() > 0 && parts.all(|(part, _)| place::names(study.place, part));
                assert!(is_known, "{}: '{place}' is not of '{}'", study.name, study.place);
            }
        }
    }

    /// The index of docs/papers.md leaves nothing out.
    #[test]
    fn every_section_table_and_figure_has_a_study_or_says_why_not() {
        for paper in PAPERS {
            for (part, note) in paper.parts {
                let mut of_paper = studies().filter(|study| study.paper.number == paper.number);
                let is_studied =
                    of_paper.any(|study| study.claims.iter().any(|claim| study.is_of(claim, part)));
                let said = if note.is_empty() { "has no study" } else { "has a study and a note" };
                assert_eq!(is_studied, note.is_empty(), "paper {}: {part} {said}", paper.number);
            }
        }
    }
}
