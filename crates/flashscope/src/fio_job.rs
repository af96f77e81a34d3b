//! fio's job files as patterns: options with the same meaning are converted, others are reported, those with
//! none is refused with its line. docs/data.md has the table. Nothing here runs a job.

mod draft;
mod ini;
mod options;
mod units;

use flashscope_core::Pattern;

/// A job that can be run.
#[derive(Debug)]
pub struct Imported {
    /// Its section's name.
    pub name: String,
    /// `filename`, if there is one.
    pub target: Option<String>,
    /// What it does.
    pub pattern: Pattern,
    /// More of `measure`: its flags and their values.
    pub flags: Vec<(&'static str, String)>,
    /// What means something else here, a line each.
    pub notes: Vec<String>,
}

/// Something that cannot be taken over: where, what, why and what to do.
#[derive(Debug)]
pub struct Refusal {
    /// Line of the file, from 1.
    pub line: usize,
    /// The option, `name=value`.
    pub option: String,
    /// Why not, and the nearest way.
    pub why: String,
}

/// Stands for a control character, which no option may hold.
const CONTROL: &str = "\u{fffd}";

/// The jobs of a file, in order.
///
/// # Errors
/// All that cannot be taken over.
pub fn import(text: &str) -> Result<Vec<Imported>, Vec<Refusal>> {
    // What it calls things must not steer the terminal that shows it.
    let is_control = |c: char| c.is_control() && !"\n\r\t".contains(c);
    let sections = ini::sections(&text.replace(is_control, CONTROL)).map_err(|refusal| vec![refusal])?;
    let mut refusals = Vec::new();
    let mut jobs = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        if number > 0 && !section.has("stonewall") && !section.has("wait_for_previous") {
            let why = format!(
                "fio runs it in parallel with [{}]; add stonewall to run them one after the other, or use \
                 numjobs for identical jobs",
                sections[0].name
            );
            refusals.push(Refusal { line: section.line, option: format!("[{}]", section.name), why });
        }
        match draft::draft(section) {
            Ok(job) => jobs.push(job),
            Err(more) => refusals.extend(more),
        }
    }
    refusals.sort_by_key(|refusal| refusal.line);
    refusals.dedup_by_key(|refusal| (refusal.line, refusal.option.clone()));
    if refusals.is_empty() { Ok(jobs) } else { Err(refusals) }
}
