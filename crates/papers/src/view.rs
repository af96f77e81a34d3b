//! Published and measured values side by side: for a terminal, and as JSON.

use flashscope_core::number::{counted, digits};
use flashscope_show::{Style, wrap};
use serde_json::{Value, json};

use crate::Verdict::NotHere;
use crate::claim::Verdict;
use crate::claim::{Basis, with_unit};
use crate::judged::Judged;
use crate::judged::{Finding, JudgedClaim};
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

/// One sentence on all of them.
pub fn summary(all: &[Judged]) -> String {
    let claims = all.iter().map(|judged| judged.claims.len() as u64).sum();
    let counts = counts(all).map(|(verdict, count)| verdict.of(count));
    let of = |basis| {
        let judged = all.iter().flat_map(|judged| &judged.claims);
        judged.filter(|judged| judged.basis == basis).count()
    };
    let bases = [(of(Basis::Set), "by construction"), (of(Basis::Computed), "computed without a device")];
    let bases = bases.iter().filter(|(count, _)| *count > 0).map(|(count, how)| format!("{count} {how}"));
    let bases = bases.collect::<Vec<_>>().join(", ");
    let bases = if bases.is_empty() { bases } else { format!("; of these {bases}") };
    format!("{}: {}{bases}{}", counted(claims, "claim"), counts.join(", "), found_alone(all))
}

/// How many of the emergent claims agree, if there are others.
fn found_alone(all: &[Judged]) -> String {
    let claims = all.iter().flat_map(|judged| &judged.claims);
    let (found, others): (Vec<&JudgedClaim>, Vec<_>) =
        claims.partition(|claim| claim.basis == Basis::Found && claim.verdict != NotHere);
    let agree = |claim: &&&JudgedClaim| [Verdict::Reproduced, Verdict::InKind].contains(&claim.verdict);
    let agreeing = found.iter().filter(agree).count();
    if found.is_empty() || others.iter().all(|claim| claim.basis == Basis::Found) {
        return String::new();
    }
    format!("; {agreeing} of {} emergent claims agree", found.len())
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

/// For programs: one entry for each claim; `complete` says whether all studies were done.
pub fn json(all: &[Judged], on: Option<&str>, seed: u64, complete: bool) -> Value {
    let claims: Vec<Value> =
        all.iter().flat_map(|judged| judged.claims.iter().map(|claim| entry(judged, claim))).collect();
    let summary: serde_json::Map<String, Value> =
        counts(all).into_iter().map(|(verdict, count)| (key(verdict), count.into())).collect();
    json!({
        "schema_version": 1,
        "complete": complete,
        "on": on,
        "seed": seed,
        "summary": summary,
        "claims": claims,
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
        "uncertain": claimed.straddles,
        // An end that is null is open.
        "accepted": near.map(|(low, high)| [low, high]),
        "accepted_in_kind": kind.map(|(low, high)| [low, high]),
        "tolerance": claim.tolerance,
        "reason": claimed.reason,
    })
}
