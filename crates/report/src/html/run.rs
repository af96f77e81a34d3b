//! The page of a characterisation.

use super::dense::Trace;
use super::document::{Block, DOCUMENT_VERSION, Document, Section};
use crate::folder::Stored;
use crate::number::size;

/// What a run says.
pub fn run_page(stored: &Stored) -> Document {
    let traces = stored.finished.iter().filter_map(|done| {
        let file = done.run.records.clone()?;
        let id = done.experiment.id();
        Some(Block::Trace(Trace::unread(trace_id(&id, done.repeat), id, file)))
    });
    Document {
        version: DOCUMENT_VERSION,
        kind: "run",
        title: stored.manifest.target.name.clone(),
        subtitle: size(stored.manifest.target.size_bytes as f64),
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        sections: vec![Section::new("traces", "Every IO of every experiment", traces.collect())],
    }
}

fn trace_id(experiment: &str, repeat: u32) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("trace-{}-{repeat}", experiment.chars().map(plain).collect::<String>())
}
