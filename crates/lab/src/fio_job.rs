//! Jobs of fio as measurements. Options with the same meaning are converted, those without an effect on IOs
//! are left out, differences of meaning are noted, and all else is refused with its line. docs/data.md has
//! the table. Nothing here runs a job.

mod draft;
mod ini;
mod job;
mod options;
mod together;
mod units;

pub use ini::Variable;
use ini::{Entry, Section, sections};
pub use job::{Job, Nearest, NumaMemory, Refusal, Remark, Starter};
pub use options::TAKEN;
use units::{bytes, count, directions, list, nanos};

/// Stands for a control character, which no option may hold.
const CONTROL: &str = "\u{fffd}";

/// The target that completes at once, as fio's engine of that name.
pub const NULL: &str = "null:";

/// Bytes of a file or device of this name; none if it is not there, or nobody knows.
pub type FileSize<'a> = &'a dyn Fn(&str) -> Option<u64>;

/// The jobs of a file, in order; `variable` gives the value of a variable, `file_size` what sizes in per cent
/// are of.
///
/// # Errors
/// All that cannot be taken over.
pub fn import(text: &str, variable: Variable<'_>, file_size: FileSize<'_>) -> Result<Vec<Job>, Vec<Refusal>> {
    let sections = merged(sections(text, variable).map_err(|refusal| vec![refusal])?);
    let mut refusals = Vec::new();
    let mut jobs = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let before = number.checked_sub(1).map(|number| &sections[number]);
        let beside = before.filter(|before| !section.follows(before));
        match draft::draft(section, beside.is_some(), file_size) {
            Ok(job) => jobs.push(job),
            Err(more) => refusals.extend(more),
        }
    }
    if refusals.is_empty() {
        refusals = together::arrange(&sections, &mut jobs);
    }
    refusals.sort_by_key(|refusal| refusal.line);
    refusals.dedup_by_key(|refusal| (refusal.line, refusal.option.clone()));
    if refusals.is_empty() { Ok(jobs) } else { Err(refusals) }
}

/// Jobs that run at once and do the same are processes of one job.
fn merged(sections: Vec<Section>) -> Vec<Section> {
    let mut jobs: Vec<Section> = Vec::new();
    for section in sections {
        match jobs.last_mut() {
            Some(before) if !section.follows(before) && section.does_the_same(before) => before.join(),
            _ => jobs.push(section),
        }
    }
    jobs
}
