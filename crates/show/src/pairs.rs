//! Two results, experiment by experiment. How that is shown is in `view` and `json`.

use flashscope_analysis::{Comparison, Estimate, Point, difference, points, ratio};

use flashscope_store::Stored;

/// What both measured, and what only one of them did.
pub(crate) struct Pairs<'a> {
    /// In the order of A.
    pub(crate) both: Vec<Pair<'a>>,
    /// Experiments of A alone, by their ids.
    pub(crate) only_a: Vec<String>,
    /// Experiments of B alone.
    pub(crate) only_b: Vec<String>,
}

/// An experiment that both measured.
pub(crate) struct Pair<'a> {
    a: Point<'a>,
    b: Point<'a>,
    /// Of A and of B; none where a run was too short for a mean.
    pub(crate) means: [Option<Estimate>; 2],
    /// B over A, so that more than 1 means that B is slower; none if A is not significantly above 0.
    pub(crate) ratio: Option<Comparison>,
    /// B less A, in nanoseconds.
    pub(crate) difference: Option<Comparison>,
}

/// What the intervals say of B, beside A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Same,
    Faster,
    Slower,
    /// One of them has no mean.
    Unknown,
}

impl<'a> Pairs<'a> {
    pub(crate) fn of(a: &'a Stored, b: &'a Stored) -> Pairs<'a> {
        let of_a = points(&a.finished);
        let mut of_b = points(&b.finished);
        let (mut both, mut only_a) = (Vec::new(), Vec::new());
        for point in of_a {
            let id = point.experiment.id();
            match of_b.iter().position(|other| other.experiment.id() == id) {
                Some(at) => both.push(Pair::new(point, of_b.remove(at))),
                None => only_a.push(id),
            }
        }
        let only_b = of_b.iter().map(|point| point.experiment.id()).collect();
        Pairs { both, only_a, only_b }
    }

    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.both.iter().filter(|pair| pair.verdict() == verdict).count()
    }
}

impl<'a> Pair<'a> {
    fn new(a: Point<'a>, b: Point<'a>) -> Pair<'a> {
        let means = [a.estimate, b.estimate];
        let of = |compare: fn(&Estimate, &Estimate) -> Option<Comparison>| {
            means[1].as_ref().zip(means[0].as_ref()).and_then(|(b, a)| compare(b, a))
        };
        let ratio = of(|b, a| ratio(b, a).ok());
        let difference = of(|b, a| difference(b, a).ok());
        Pair { a, b, means, ratio, difference }
    }

    pub(crate) fn id(&self) -> String {
        self.a.experiment.id()
    }

    pub(crate) fn is_same_pattern(&self) -> bool {
        self.a.experiment.pattern == self.b.experiment.pattern
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self.difference {
            None => Verdict::Unknown,
            Some(difference) if !difference.excludes(0.0) => Verdict::Same,
            Some(difference) if difference.value > 0.0 => Verdict::Slower,
            Some(_) => Verdict::Faster,
        }
    }
}
