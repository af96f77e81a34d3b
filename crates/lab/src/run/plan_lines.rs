//! What a run will do and cost, in a few lines, before anything is written.

use std::time::Duration;

use flashscope_bench::plan::RATED_DRIVE_WRITES;
use flashscope_bench::{ASSUMED_RATE, ASSUMED_READ, ASSUMED_WRITE, Length, Plan, Settings, State};
use flashscope_core::number::{count, counted, percent, size};
use flashscope_core::{Nanos, TargetInfo};

/// The plan and its cost. Runs end when they know enough, and nobody knows before when that is: so the bound
/// that the run keeps stands beside the estimate. `is_drive`: a whole one, whose size tells
/// how much it may be written; a file says nothing of that.
pub fn plan_lines(plan: &Plan, settings: &Settings, info: &TargetInfo, is_drive: bool) -> Vec<String> {
    let again = if plan.enforcements > 1 { format!(", {} times", plan.enforcements) } else { String::new() };
    let prepared = plan.steps.iter().filter(|step| !step.before.is_empty()).count() as u64;
    let state = match plan.keeps_pause {
        true if plan.state == State::AsIs => ", not preconditioned".into(),
        true => format!(", preconditioning: {} writes{again}", plan.state.name()),
        false if prepared == 0 => String::new(),
        false => format!(", {} of them after a preparation", count(prepared)),
    };
    let may_end_early = plan.steps.iter().any(|step| step.only_if.is_some());
    let mut lines = vec![format!(
        "{}{} over {} of {} ({}){state}",
        if may_end_early { "up to " } else { "" },
        counted(plan.steps.len() as u64, "run"),
        size(plan.frame.span.0 as f64),
        info.name,
        size(info.size_bytes as f64),
    )];
    if plan.written_bytes_max > 0 {
        let share = |bytes: u64| percent(bytes as f64 / (info.size_bytes as f64 * RATED_DRIVE_WRITES));
        let part = |bytes: u64| match is_drive {
            true => format!("{} ({})", size(bytes as f64), share(bytes)),
            false => size(bytes as f64),
        };
        let about = plan.written_bytes;
        let of_endurance = match is_drive {
            true => format!(" ({} of the rated endurance of a typical drive of this size)", share(about)),
            false => String::new(),
        };
        // Of a virtual device nobody minds, unless it was asked for.
        let is_bound = plan.write_bound.is_some() || !info.virtual_time;
        let most =
            if is_bound { format!(", at most {}", part(plan.written_bytes_max)) } else { String::new() };
        lines.push(format!("about {} written{of_endurance}{most}", size(about as f64)));
        lines.extend(too_small(plan));
    }
    if !info.virtual_time {
        let about = whole(plan.duration);
        let (read, write) = (nanos(ASSUMED_READ), nanos(ASSUMED_WRITE));
        let rate = size(ASSUMED_RATE as f64);
        let more = if may_end_early { "for all of them" } else { "or more" };
        lines.push(format!(
            "about {about} {more}, assuming {read} a read, {write} a write and at most {rate} a second"
        ));
        let has_open_end = plan.steps.iter().any(|step| step.length == Length::Precise);
        let settings = &Settings { run_max: settings.run_max.filter(|_| has_open_end), ..settings.clone() };
        lines.extend(latest_end(plan, settings));
    }
    lines
}

/// A write budget that is not enough for all runs.
fn too_small(plan: &Plan) -> Option<String> {
    let bound = plan.write_bound?.0;
    let least = plan.written_bytes_min;
    (bound < least).then(|| {
        let [bound, least] = [bound, least].map(|bytes| size(bytes as f64));
        format!("the write budget of {bound} is too little for the whole plan, which writes at least {least}")
    })
}

/// What ends a run, or all of them, at the latest.
fn latest_end(plan: &Plan, settings: &Settings) -> Option<String> {
    match (settings.budget, settings.run_max) {
        (Some(budget), _) if plan.duration >= budget => {
            Some(format!("time limit {} (budget), perhaps too little for the whole plan", whole(budget)))
        }
        (Some(budget), _) => Some(format!("time limit {} (budget)", whole(budget))),
        (None, Some(most)) => {
            Some(format!("at most {} for each run; a budget limits the total", whole(most)))
        }
        (None, None) => None,
    }
}

/// A time without fractions that nobody needs.
fn whole(span: Nanos) -> String {
    let s = span.as_s() as u64;
    let tenths = (span.as_s() * 10.0) as u64;
    let time = if s >= 10 { Duration::from_secs(s) } else { Duration::from_millis(tenths * 100) };
    humantime::format_duration(time).to_string()
}

fn nanos(span: Nanos) -> String {
    flashscope_core::number::span(span.0 as f64)
}
