//! Two results, experiment by experiment. How that is shown is in `view` and `json`.

use flashscope_analysis::{
    Comparison, Conclusion, Effect, Estimate, Evidence, Indicator, LEAST_RATIO, Point, Support, chance,
    difference, discoveries, points, ratio,
};
use flashscope_core::Pattern;
use flashscope_core::number::{counted, percent};

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
    effect: Effect,
    /// How well the runs carry the verdict.
    pub(crate) support: Support,
}

/// What is known of B, beside A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The same within the least difference worth telling.
    Same,
    Faster,
    Slower,
    /// The runs do not tell.
    Unknown,
}

/// The share of the differences told that may be expected to be false.
const FALSE_MAX: f64 = 0.05;

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
        // Many are compared at once: what stands out among them must do so as a family.
        let chances: Vec<f64> = both.iter().map(Pair::chance).collect();
        for (pair, is_discovery) in both.iter_mut().zip(discoveries(&chances, FALSE_MAX)) {
            pair.weigh(is_discovery);
        }
        Pairs { both, only_a, only_b }
    }

    /// So many of them: what is reported first, the greatest ratios first.
    pub(crate) fn differing_most(&self, count: usize) -> Vec<&Pair<'a>> {
        let mut all: Vec<_> = self.both.iter().collect();
        all.sort_by(|a, b| b.is_told().cmp(&a.is_told()).then(b.distance().total_cmp(&a.distance())));
        all.truncate(count);
        all
    }

    fn count(&self, verdict: Verdict, support: Support) -> usize {
        self.both.iter().filter(|pair| (pair.verdict(), pair.support) == (verdict, support)).count()
    }

    /// All of them in a sentence; `a` and `b` name the two results.
    pub(crate) fn sentence(&self, a: &str, b: &str) -> String {
        if self.both.is_empty() {
            return format!("{a} and {b} have no experiment in common.");
        }
        let of = counted(self.both.len() as u64, "experiment");
        let sure = |verdict| self.count(verdict, Support::Supported);
        let weak = |verdict| self.count(verdict, Support::Weak);
        let [faster, slower, same] = [Verdict::Faster, Verdict::Slower, Verdict::Same].map(sure);
        let within = percent(LEAST_RATIO);
        let unsure = weak(Verdict::Faster) + weak(Verdict::Slower) + weak(Verdict::Same);
        let unknown: Vec<_> = self.both.iter().filter(|pair| pair.verdict() == Verdict::Unknown).collect();
        let told = if faster + slower == 0 {
            format!("Of {of}, no supported difference")
        } else {
            format!("Of {of}, {b} is faster in {faster}, slower in {slower}")
        };
        let mut out = format!("{told}; the same within {within} in {same}");
        if unsure > 0 {
            out.push_str(&format!("; weak evidence in {unsure}"));
            if self.both.iter().any(Pair::is_of_one_moment) {
                out.push_str(", for rounds within a minute hold nothing of what varies over longer");
            }
        }
        if !unknown.is_empty() {
            out.push_str(&format!("; cannot tell in {}", unknown.len()));
            if let Some(width) = median_half_width(&unknown) {
                out.push_str(&format!(
                    ", where half of the ratios are uncertain by more than {}",
                    percent(width)
                ));
            }
        }
        out + "."
    }
}

/// Of the intervals of their ratios; none if there are no ratios.
fn median_half_width(pairs: &[&Pair<'_>]) -> Option<f64> {
    let widths = pairs.iter().filter_map(|pair| pair.ratio).map(|ratio| (ratio.ci_high - ratio.ci_low) / 2.0);
    let mut widths: Vec<f64> = widths.collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

impl<'a> Pair<'a> {
    fn new(a: Point<'a>, b: Point<'a>) -> Pair<'a> {
        let means = [a.estimate, b.estimate];
        let of = |compare: fn(&Estimate, &Estimate) -> Option<Comparison>| {
            means[1].as_ref().zip(means[0].as_ref()).and_then(|(b, a)| compare(b, a))
        };
        let ratio = of(|b, a| ratio(b, a).ok());
        let difference = of(|b, a| difference(b, a).ok());
        let (effect, support) = (Effect::Undecided, Support::Unknown);
        Pair { a, b, means, ratio, difference, effect, support }
    }

    pub(crate) fn id(&self) -> String {
        self.a.experiment.id()
    }

    /// But for its place: a plan draws that anew for each run.
    pub(crate) fn is_same_pattern(&self) -> bool {
        let [a, b] = [&self.a, &self.b].map(|point| &point.experiment.pattern);
        *a == Pattern { offset: a.offset, ..b.clone() }
    }

    fn is_of_one_moment(&self) -> bool {
        self.a.is_of_one_moment() || self.b.is_of_one_moment()
    }

    /// Of a difference as large as this without any.
    fn chance(&self) -> f64 {
        self.means[1].zip(self.means[0]).map_or(1.0, |(b, a)| chance(&b, &a))
    }

    fn weigh(&mut self, is_discovery: bool) {
        let effect =
            self.ratio.map(|Comparison { value, ci_low, ci_high }| Indicator { value, ci_low, ci_high });
        let evidence = Evidence {
            rounds: self.a.rounds().min(self.b.rounds()),
            is_sound: self.a.is_sound() && self.b.is_sound() && !self.is_of_one_moment(),
            is_discovery,
            ..Evidence::of_ratio(effect)
        };
        (self.effect, self.support) = evidence.weigh();
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match (self.effect, self.ratio) {
            (Effect::Absent, _) => Verdict::Same,
            (Effect::Present, Some(ratio)) if ratio.value > 1.0 => Verdict::Slower,
            (Effect::Present, Some(_)) => Verdict::Faster,
            _ => Verdict::Unknown,
        }
    }

    /// Whether they are reported to differ, and how surely.
    fn is_told(&self) -> Option<Support> {
        matches!(self.verdict(), Verdict::Faster | Verdict::Slower).then_some(self.support)
    }

    /// How far the ratio is from 1, either way.
    fn distance(&self) -> f64 {
        self.ratio.map_or(0.0, |ratio| ratio.value.max(f64::MIN_POSITIVE).ln().abs())
    }

    /// Of B, in a cell: `slower`, and how sure that is where it is not.
    pub(crate) fn verdict_text(&self) -> String {
        let verdict = match self.verdict() {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "the same",
            Verdict::Unknown => return "cannot tell".into(),
        };
        if self.support == Support::Supported {
            verdict.into()
        } else {
            format!("{verdict} ({})", self.support)
        }
    }

    /// What is concluded of B, for programs.
    pub(crate) fn conclusion(&self) -> Conclusion {
        let claim = match self.verdict() {
            Verdict::Faster => "B is faster",
            Verdict::Slower => "B is slower",
            Verdict::Same => "A and B are the same",
            Verdict::Unknown => "the runs do not tell A from B",
        };
        let ratio =
            self.ratio.map(|Comparison { value, ci_low, ci_high }| Indicator { value, ci_low, ci_high });
        Conclusion::of(self.id(), claim, self.support, ratio, "x", vec![self.id()])
    }
}
