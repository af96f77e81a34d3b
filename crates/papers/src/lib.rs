//! What the papers behind flashscope claim, run again: published and measured side by side, with a verdict
//! that is computed.
//!
//! ```text
//!   lab (targets, runs)     show (documents, text)
//!            \                  /
//!             papers: claims, studies, their stage
//!                     |
//!           the program, notebooks, tests
//! ```
//!
//! A [`Study`] runs what a table, a figure or a group of sentences is about, and finds a number for each of
//! its claims; [`judge`] holds these against what is published. On a [`Stage`] the studies run on the
//! simulated devices that stand for those of the papers, on another virtual device, or on a real one. What
//! was judged becomes text ([`view`]), JSON ([`json`]), Markdown ([`markdown`]) or a page with pictures
//! ([`page`]).
//!
//! ```
//! use flashscope_lab::Interrupt;
//! use flashscope_papers::{Stage, Verdict, judge, studies};
//!
//! let interrupt = Interrupt::new();
//! let study: Vec<_> = studies().filter(|study| study.name == "bplru-techniques").collect();
//! for judged in judge(&study, &Stage::new(1, &interrupt).with_seeds(1), 1, &|_| {})? {
//!     for claim in &judged.claims {
//!         let found = claim.found.measure().map(|measure| measure.value);
//!         println!("{}: {found:?} {}, {}", claim.claim.words, claim.claim.unit, claim.verdict_in_words());
//!         assert_ne!(claim.verdict, Verdict::Differs);
//!     }
//! }
//! # Ok::<(), flashscope_lab::Error>(())
//! ```
#![forbid(unsafe_code)]

mod ajwani;
mod almost_sequential;
mod beside;
mod bplru;
mod claim;
mod conclusion;
mod device;
mod devices;
mod error;
mod finding;
mod headline;
mod judged;
mod markdown;
mod measure;
mod page;
mod paper_time;
mod papers;
mod picture;
mod place;
mod rewrite_penalty;
mod run_on;
mod runs;
mod scaling;
mod sensitivity;
mod session;
mod stage;
mod study;
mod uflip;
mod view;
mod work;

pub use claim::{Basis, Claim, Published, Verdict};
pub use device::{RealDevice, Schedule};
pub use error::NotHere;
pub use finding::Finding;
pub use headline::{Headline, headline};
pub use judged::{Judged, JudgedClaim, judge};
pub use markdown::{markdown, pages as markdown_pages};
pub use measure::Measure;
pub use page::page;
pub use papers::{PAPERS, Paper, Part};
pub use sensitivity::{Change, Sensitivity, sensitivity, sensitivity_json, sensitivity_view};
pub use stage::{SEEDS, Stage};
pub use study::Study;
pub use view::{json, view};

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
