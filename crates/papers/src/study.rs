//! What a study is, and what it finds.

use flashscope_lab::Result;
use flashscope_show::html::document::Block;

use crate::claim::Claim;
use crate::finding::Finding;
use crate::measure::Measure;
use crate::papers::Paper;
use crate::place;
use crate::stage::Stage;

/// What a paper shows in one place, and how to see it again.
#[derive(Debug)]
pub struct Study {
    /// Its name: lower case, digits and `-`.
    pub name: &'static str,
    /// Where it is from.
    pub paper: &'static Paper,
    /// Table, figure, section.
    pub place: &'static str,
    /// What is run.
    pub about: &'static str,
    /// What the paper says there.
    pub claims: &'static [Claim],
    pub(crate) run: fn(&Stage<'_>) -> Result<Found>,
}

impl Study {
    /// Where in the paper a claim is.
    pub(crate) fn place_of(&self, claim: &Claim) -> &'static str {
        claim.place.unwrap_or(self.place)
    }

    /// Whether a claim is of a section, table or figure of the paper.
    pub(crate) fn is_of(&self, claim: &Claim, part: &str) -> bool {
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
    /// Why the rest cannot be determined on another device.
    pub unknown: Option<&'static str>,
}

impl Found {
    /// What it is of a claim.
    pub(crate) fn of(&self, claim: &str) -> Finding {
        match self.measures.iter().find(|(name, _)| *name == claim) {
            Some((_, Some(measure))) => Finding::Measured(measure.clone()),
            Some((_, None)) => Finding::Absent,
            None => Finding::Unknown,
        }
    }

    /// Notes the number for a claim.
    pub(crate) fn measured(&mut self, claim: &'static str, measure: impl Into<Measure>) {
        self.measures.push((claim, Some(measure.into())));
    }

    /// The same of what may not be there at all, such as the time between spikes on a device without any.
    pub(crate) fn measured_if(&mut self, claim: &'static str, measure: Option<impl Into<Measure>>) {
        self.measures.push((claim, measure.map(Into::into)));
    }
}
