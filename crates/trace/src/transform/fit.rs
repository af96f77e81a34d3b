//! A trace fitted to a device of another size.
//!
//! - **Modulo** takes the address modulo the size. Neighbours stay neighbours; what lay a multiple of the
//!   size apart comes to lie on one another.
//! - **Compact** squeezes out what is never read or written, in chunks. Nothing comes to lie on anything
//!   else; the order of addresses stays. It needs a look at the whole trace first ([`Layout`]).
//! - **Linear** multiplies each request's first address with size / span, in whole blocks, and keeps its
//!   length. Requests that followed each other come to overlap if the device is smaller, and to leave gaps
//!   if it is larger; a block reached by requests that begin in different places is found in several. It
//!   keeps the distribution of first addresses, and not the data. It needs the span of the trace first
//!   ([`Layout`]).
//!
//! Each device of the trace is fitted by itself, or all are laid one behind the other first (joined).

mod collisions;
mod layout;

use std::sync::Arc;

use flashscope_core::{Op, number::exact_size};

use self::collisions::Collisions;
pub use self::layout::{CHUNK_BYTES, Layout};
use super::{Note, Refusal, Step, Transform};
use crate::error::TraceError;
use crate::record::Record;

/// The blocks of a linear fit: what a request's place in its block is kept of.
const BLOCK_BYTES: u64 = 4096;
/// The name of the devices of a trace that are joined.
const JOINED: &str = "all";

/// How addresses are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitMode {
    /// Modulo the size.
    Modulo,
    /// What is never read or written is squeezed out.
    Compact,
    /// Multiplied with size / span.
    Linear,
}

/// Fits each request to a device of so many bytes.
pub struct Fit {
    mode: FitMode,
    size_bytes: u64,
    layout: Option<Arc<Layout>>,
    /// The name of all devices, if they are laid one behind the other.
    joined: Option<[String; 1]>,
    collisions: Collisions,
    elsewhere: u64,
    wrapped: u64,
    moved_back: u64,
    cut: u64,
    trims_shorter: u64,
    trims_left_out: u64,
}

impl Fit {
    /// To a device of `size_bytes`, at least 1 (and at least 4096 for a linear fit). The `layout` of the same
    /// records is needed to join devices, for a compact and for a linear fit.
    ///
    /// # Errors
    /// A compact fit of more than the device holds; joined devices that are longer than addresses reach.
    pub fn new(
        mode: FitMode,
        size_bytes: u64,
        layout: Option<Arc<Layout>>,
        joined: bool,
    ) -> Result<Fit, TraceError> {
        assert!(size_bytes > 0 && (mode != FitMode::Linear || size_bytes >= BLOCK_BYTES), "{size_bytes}");
        assert!(layout.is_some() || (mode == FitMode::Modulo && !joined), "the fit needs a layout");
        if let (true, Some(layout)) = (joined, &layout) {
            layout.check_joined()?;
        }
        if let (FitMode::Compact, Some(layout)) = (mode, &layout) {
            let footprint_bytes = layout.footprint_bytes(joined);
            if footprint_bytes > size_bytes {
                let problem = format!(
                    "the footprint is {} in chunks of {}, but the device has {}",
                    exact_size(footprint_bytes),
                    exact_size(layout.chunk_bytes()),
                    exact_size(size_bytes)
                );
                return Err(TraceError::Fit { problem, remedy: "use a larger device, or fit modulo".into() });
            }
        }
        Ok(Fit {
            mode,
            size_bytes,
            layout,
            joined: joined.then(|| [JOINED.into()]),
            collisions: Collisions::new(size_bytes),
            elsewhere: 0,
            wrapped: 0,
            moved_back: 0,
            cut: 0,
            trims_shorter: 0,
            trims_left_out: 0,
        })
    }

    /// Where the record's first byte lies once devices are joined.
    #[inline]
    fn position(&self, record: &Record) -> Result<u64, Refusal> {
        match &self.layout {
            Some(layout) if self.joined.is_some() => layout
                .base_bytes(record)
                .map(|base_bytes| base_bytes + record.offset_bytes)
                .ok_or_else(changed),
            _ => Ok(record.offset_bytes),
        }
    }

    fn modulo(&mut self, record: &mut Record) -> Result<Step, Refusal> {
        let position = self.position(record)?;
        if position.checked_add(record.length_bytes).is_none() {
            return Err(Refusal::new("it ends beyond the largest offset", "leave it out"));
        }
        if record.length_bytes > self.size_bytes {
            self.cut += 1;
            record.length_bytes = self.size_bytes;
        }
        let offset_bytes = position % self.size_bytes;
        let room = self.size_bytes - offset_bytes;
        let mut rest = *record;
        let is_wrapped = record.length_bytes > room;
        if is_wrapped {
            self.wrapped += 1;
            rest.offset_bytes += room;
            rest.length_bytes -= room;
            record.length_bytes = room;
        }
        self.put(record, position, offset_bytes);
        Ok(if is_wrapped { Step::KeepAnd(rest) } else { Step::Keep })
    }

    fn linear(&mut self, record: &mut Record) -> Result<Step, Refusal> {
        let position = self.position(record)?;
        let layout = self.layout.as_ref().ok_or_else(changed)?;
        let span_bytes = layout.span_bytes(record, self.joined.is_some()).ok_or_else(changed)?;
        let span_blocks = u128::from(span_bytes.div_ceil(BLOCK_BYTES).max(1));
        let block =
            u128::from(position / BLOCK_BYTES) * u128::from(self.size_bytes / BLOCK_BYTES) / span_blocks;
        let in_block = position % BLOCK_BYTES;
        // Less than the size, as the position is less than the span.
        let mut offset_bytes = block as u64 * BLOCK_BYTES + in_block;
        if record.length_bytes > self.size_bytes {
            self.cut += 1;
            record.length_bytes = self.size_bytes;
        }
        let last_bytes = self.size_bytes - record.length_bytes;
        if offset_bytes > last_bytes {
            self.moved_back += 1;
            let back = (last_bytes % BLOCK_BYTES + BLOCK_BYTES - in_block) % BLOCK_BYTES;
            offset_bytes = last_bytes.checked_sub(back).unwrap_or(last_bytes);
        }
        self.put(record, position, offset_bytes);
        Ok(Step::Keep)
    }

    fn compact(&mut self, record: &mut Record) -> Result<Step, Refusal> {
        let layout = self.layout.as_ref().ok_or_else(changed)?;
        let end_bytes = record.offset_bytes + record.length_bytes;
        let joined = self.joined.is_some();
        let place = |offset_bytes| layout.place(record.device, offset_bytes, joined).ok_or_else(changed);
        let (start, end) = (place(record.offset_bytes)?, place(end_bytes)?);
        let length_bytes = end - start;
        if length_bytes != record.length_bytes {
            if record.op != Op::Trim {
                return Err(changed());
            }
            if length_bytes == 0 {
                self.trims_left_out += 1;
                return Ok(Step::Drop);
            }
            self.trims_shorter += 1;
            record.length_bytes = length_bytes;
        }
        self.put(record, record.offset_bytes, start);
        Ok(Step::Keep)
    }

    /// Puts the record there.
    fn put(&mut self, record: &mut Record, position: u64, offset_bytes: u64) {
        self.elsewhere += u64::from(record.offset_bytes != offset_bytes);
        record.offset_bytes = offset_bytes;
        if self.joined.is_some() {
            record.device = 0;
        }
        // What is trimmed holds no data that could collide; a compact fit cannot.
        if matches!(record.op, Op::Read | Op::Write) && self.mode != FitMode::Compact {
            self.collisions.add(record, position.wrapping_sub(offset_bytes));
        }
    }
}

#[cold]
fn changed() -> Refusal {
    Refusal::new("it was not in the first pass over the trace", "use a file that no program is writing to")
}

impl Transform for Fit {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        if record.op == Op::Flush {
            record.device = if self.joined.is_some() { 0 } else { record.device };
            return Ok(Step::Keep);
        }
        match self.mode {
            FitMode::Modulo => self.modulo(record),
            FitMode::Compact => self.compact(record),
            FitMode::Linear => self.linear(record),
        }
    }

    fn devices(&self) -> Option<&[String]> {
        self.joined.as_ref().map(|names| &names[..])
    }

    fn notes(&self) -> Vec<Note> {
        let size = exact_size(self.size_bytes);
        let how = match self.mode {
            FitMode::Modulo => "modulo",
            FitMode::Compact => "compact",
            FitMode::Linear => "linear",
        };
        let notes = [
            Note::some(self.elsewhere, format!("requests moved, fitted ({how}) to {size}")),
            Note::some(self.wrapped, "requests split at the end of the device, continued at its start"),
            Note::some(self.moved_back, "requests moved back from beyond the end of the device"),
            Note::some(self.cut, "requests longer than the device, clipped to it"),
            Note::some(self.trims_shorter, "trims shortened to addresses that are read or written"),
            Note::some(self.trims_left_out, "trims dropped: addresses never read or written"),
        ];
        notes.into_iter().flatten().chain(self.collisions.note()).collect()
    }
}
