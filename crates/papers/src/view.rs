//! Published and measured values side by side: for a terminal, and as JSON.

use flashscope_core::number::{counted, digits};
use flashscope_show::{Style, wrap};
use serde_json::{Value, json};

use crate::Verdict::NotHere;
use crate::claim::Verdict;
use crate::claim::with_unit;
use crate::finding::Finding;
use crate::headline::headline;
use crate::judged::Judged;
use crate::judged::JudgedClaim;
use crate::run_on;

/// The mark that opens a line.
fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "✓",
        Verdict::InKind => "~",
        Verdict::Differs => "✗",
        Verdict::NotHere => "–",
    }
}

/// A measured value with its unit and interval.
pub fn measured(judged: &JudgedClaim) -> String {
    let measure = match &judged.found {
        Finding::Measured(measure) => measure,
        Finding::Absent => return "none".into(),
        Finding::Unknown => return "–".into(),
    };
    let value = with_unit(measure.value, judged.claim.unit);
    match measure.interval {
        Some([low, high]) => format!("{value} ({}–{})", digits(low), digits(high)),
        None => value,
    }
}

/// How many claims have each verdict.
fn counts(all: &[Judged]) -> [(Verdict, usize); 4] {
    let of = |verdict| {
        let claims = all.iter().flat_map(|judged| &judged.claims);
        claims.filter(|claim| claim.verdict == verdict).count()
    };
    Verdict::ALL.map(|verdict| (verdict, of(verdict)))
}

/// All of them in few words: what became of the predictions, or, where the devices are not those of the
/// studies and nothing was predicted of them, of all claims.
pub fn summary(all: &[Judged]) -> String {
    if all.iter().any(|judged| judged.is_elsewhere) {
        let claims = all.iter().map(|judged| judged.claims.len() as u64).sum();
        let counts = counts(all).map(|(verdict, count)| verdict.of(count));
        return format!("{}: {}", counted(claims, "claim"), counts.join(", "));
    }
    headline(all).sentence()
}

/// For a terminal.
pub fn view(all: &[Judged], style: Style) -> String {
    let mut text = String::new();
    for judged in all {
        let Judged { study, claims, .. } = judged;
        text += &format!("{} · paper {}, {}\n", study.name, study.paper.number, study.place);
        judged.about(run_on::plain).iter().for_each(|part| text += &indented(part, "  ", style));
        match unknown(claims) {
            Some(reason) => {
                let all = counted(claims.len() as u64, "claim");
                text +=
                    &indented(&format!("{} {all} cannot be run here: {reason}", mark(NotHere)), "  ", style);
            }
            None => text.extend(claims.iter().map(|judged| claim(judged, style))),
        }
        text.push('\n');
    }
    text + &summary(all) + "\n"
}

/// Why none of several claims was run, if it is the same for all.
fn unknown(claims: &[JudgedClaim]) -> Option<&str> {
    let [first, others @ ..] = claims else { return None };
    let is_alike = |other: &JudgedClaim| other.found == Finding::Unknown && other.reason == first.reason;
    let is_unknown = first.verdict == NotHere && !others.is_empty() && claims.iter().all(is_alike);
    is_unknown.then_some(&first.reason)
}

fn claim(judged: &JudgedClaim, style: Style) -> String {
    let JudgedClaim { claim, verdict, reason, .. } = judged;
    let said = judged.verdict_in_words();
    let mut text = indented(&format!("{} {}", mark(*verdict), claim.sentence()), "  ", style);
    let found = format!("published {} · here {} · {said}", claim.published(), measured(judged));
    text += &indented(&found, "      ", style);
    if !reason.is_empty() {
        text += &indented(reason, "      ", style);
    }
    text
}

fn indented(text: &str, indent: &str, style: Style) -> String {
    let lines = wrap(text, style.width.saturating_sub(indent.len()).max(40));
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// For programs: one entry and one conclusion for each claim; `complete` says whether all studies were done.
pub fn json(all: &[Judged], on: Option<&str>, seed: u64, complete: bool) -> Value {
    let claims: Vec<Value> =
        all.iter().flat_map(|judged| judged.claims.iter().map(|claim| entry(judged, claim))).collect();
    let summary: serde_json::Map<String, Value> =
        counts(all).into_iter().map(|(verdict, count)| (key(verdict), count.into())).collect();
    let is_elsewhere = all.iter().any(|judged| judged.is_elsewhere);
    json!({
        "schema_version": 1,
        "complete": complete,
        "on": on,
        "seed": seed,
        "summary": summary,
        "headline": (!is_elsewhere).then(|| headline(all)),
        "claims": claims,
        "conclusions": all.iter().flat_map(|judged| judged.conclusions(seed)).collect::<Vec<_>>(),
    })
}

/// The verdict as JSON names it.
fn key(verdict: Verdict) -> String {
    serde_json::to_value(verdict).ok().and_then(|name| name.as_str().map(Into::into)).unwrap_or_default()
}

fn entry(judged: &Judged, claimed: &JudgedClaim) -> Value {
    let (study, claim) = (judged.study, claimed.claim);
    let [near, kind] = claim.accepted();
    json!({
        "id": format!("{}/{}", study.name, claim.name),
        "study": study.name,
        "paper": study.paper,
        "place": study.place_of(claim),
        "says": claim.words,
        "published": claim.published(),
        "devices": judged.devices,
        "basis": claimed.basis,
        "unit": claim.unit,
        "measured": claimed.found.measure().map(|measure| measure.value),
        // Looked for, and not there.
        "none": claimed.found == Finding::Absent,
        "interval": claimed.found.measure().and_then(|measure| measure.interval),
        "repeats": judged.repeats,
        "verdict": claimed.verdict,
        "runs": claimed.runs,
        "agreeing": claimed.agreeing,
        "prediction": claim.is_prediction(),
        "uncertain": claimed.straddles,
        // An end that is null is open.
        "accepted": near.map(|(low, high)| [low, high]),
        "accepted_in_kind": kind.map(|(low, high)| [low, high]),
        "tolerance": claim.tolerance,
        "reason": claimed.reason,
    })
}
