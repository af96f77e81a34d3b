//! Two results side by side.

use flashscope_analysis::{Comparison, Estimate, Point, difference, points, ratio};

use super::Style;
use super::text::{Tone, item, table};
use crate::folder::Stored;
use crate::number::{count, digits, percent, span, span_range};

/// Both results, point by point: the baselines always, the others where they differ. B over A, so that more
/// than 1 means that B is slower.
pub fn compare_view(a: &Stored, b: &Stored, style: Style) -> String {
    let (of_a, of_b) = (points(&a.finished), points(&b.finished));
    let pairs = pairs(&of_a, &of_b);
    let mut out = String::new();
    for (letter, stored) in [("A", a), ("B", b)] {
        let state = stored.context.as_ref().map_or(&stored.manifest.state, |context| &context.state);
        let text = format!("{} · {} · state: {state}", stored.path.display(), stored.manifest.target.name);
        out.push_str(&item(style, letter, Tone::Bold, &text));
    }
    out.push('\n');
    if pairs.is_empty() {
        out.push_str("  No experiment was measured in both.\n");
        return out;
    }
    let is_shown = |pair: &&Pair<'_>| pair.a.experiment.micro == "baseline" || pair.differs();
    let shown: Vec<&Pair<'_>> = pairs.iter().filter(is_shown).collect();
    if !shown.is_empty() {
        let names = ["experiment", "A", "B", "B / A", ""].map(String::from).to_vec();
        let rows = shown.iter().map(|pair| (pair.tone(), pair.cells()));
        let rows: Vec<_> = std::iter::once((Tone::Bold, names)).chain(rows).collect();
        out.push_str(&table(style, &rows));
    }
    out.push_str(&summary(&pairs, shown.len(), of_a.len() + of_b.len() - 2 * pairs.len(), style));
    out
}

fn summary(pairs: &[Pair<'_>], shown: usize, alone: usize, style: Style) -> String {
    let mut out = String::from("\n");
    let faster = |a: bool| pairs.iter().filter(|pair| pair.a_is_faster() == Some(a)).count();
    let (a, b) = (faster(true), faster(false));
    let text = match (a, b) {
        (0, 0) => "No difference seen.".to_string(),
        _ => format!(
            "A is faster in {} of {} experiments, B in {}; in the other {} no difference was seen.",
            a,
            pairs.len(),
            b,
            pairs.len() - a - b
        ),
    };
    out.push_str(&item(style, "·", Tone::Good, &text));
    let hidden = pairs.len() - shown;
    if hidden > 0 {
        let text = format!("{} experiments without a difference are not listed.", count(hidden as u64));
        out.push_str(&item(style, "·", Tone::Faint, &text));
    }
    if alone > 0 {
        let text = format!("{} experiments were measured in only one of the two.", count(alone as u64));
        out.push_str(&item(style, "!", Tone::Alert, &text));
    }
    if pairs.iter().any(|pair| !pair.is_same_pattern()) {
        let text = "* The patterns are not the same (size, offset or depth): compare them with care.";
        out.push_str(&item(style, "!", Tone::Alert, text));
    }
    out
}

/// An experiment that both have a mean of.
struct Pair<'a> {
    a: &'a Point<'a>,
    b: &'a Point<'a>,
    means: [Estimate; 2],
    /// B over A; none if A cannot be told from zero.
    ratio: Option<Comparison>,
    difference: Option<Comparison>,
}

fn pairs<'a>(of_a: &'a [Point<'a>], of_b: &'a [Point<'a>]) -> Vec<Pair<'a>> {
    let pair = |a: &'a Point<'a>| {
        let b = of_b.iter().find(|b| b.experiment.id() == a.experiment.id())?;
        let means = [a.estimate?, b.estimate?];
        let (ratio, difference) = (ratio(&means[1], &means[0]).ok(), difference(&means[1], &means[0]).ok());
        Some(Pair { a, b, means, ratio, difference })
    };
    of_a.iter().filter_map(pair).collect()
}

impl Pair<'_> {
    /// None if no difference is seen.
    fn a_is_faster(&self) -> Option<bool> {
        let difference = self.difference.filter(|difference| difference.excludes(0.0))?;
        Some(difference.value > 0.0)
    }

    fn differs(&self) -> bool {
        self.a_is_faster().is_some()
    }

    fn is_same_pattern(&self) -> bool {
        self.a.experiment.pattern == self.b.experiment.pattern
    }

    fn tone(&self) -> Tone {
        if self.differs() { Tone::Plain } else { Tone::Faint }
    }

    fn cells(&self) -> Vec<String> {
        let mean = |estimate: &Estimate| {
            format!("{} ± {}", span(estimate.mean_ns), percent(estimate.relative_half_width()))
        };
        let mark = if self.is_same_pattern() { "" } else { " *" };
        let ratio = match (self.ratio, self.difference) {
            (Some(Comparison { value, ci_low, ci_high }), _) => {
                format!("x{} ({} to {})", digits(value), digits(ci_low), digits(ci_high))
            }
            (None, Some(Comparison { ci_low, ci_high, .. })) => {
                format!("differ by {}", span_range(ci_low, ci_high))
            }
            (None, None) => "not comparable".into(),
        };
        let verdict = match self.a_is_faster() {
            Some(true) => "A is faster",
            Some(false) => "B is faster",
            None => "no difference seen",
        };
        let [a, b] = [mean(&self.means[0]), mean(&self.means[1])];
        vec![format!("{}{mark}", self.a.experiment.id()), a, b, ratio, verdict.into()]
    }
}
