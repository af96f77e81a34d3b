//! Pages that are read again until they can be corrected, the oftener the more a block was erased and the
//! longer ago it was written.

use flashscope_core::seed::derive;
use serde::{Deserialize, Serialize};

use super::super::{Block, Moment};
use super::curve::{Curve, between};
use super::{AgingSettings, Shape};

/// The group that a die read last, and when it is there.
type LastRead = Option<(Block, u32, Moment)>;

/// How often pages are read again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Retries {
    /// By erases, one for each of `days`.
    rows: Vec<Curve>,
    days: Vec<f64>,
    seed: u64,
    /// Days that went by since the device was made.
    today: f64,
    /// The day on which the first page of each block was programmed.
    written: Vec<f64>,
    /// What each die read last; empty where each page is read alone.
    last: Vec<LastRead>,
}

impl Retries {
    pub(super) fn new(settings: &AgingSettings, blocks: usize, shape: Shape, seed: u64) -> Retries {
        let erases: Vec<f64> = settings.at_erases.iter().map(|erases| f64::from(*erases)).collect();
        Retries {
            rows: settings.retries.iter().map(|row| Curve::new(&erases, row, 0.0)).collect(),
            days: settings.at_days.clone(),
            seed: derive(seed, 0x7265_7472),
            today: 0.0,
            written: vec![0.0; blocks],
            last: if shape.group_pages > 1 { vec![None; shape.dies as usize] } else { Vec::new() },
        }
    }

    /// How often a page of this group is read again. The same until its block is erased, and from group to
    /// group such that the mean is that of the table.
    pub(super) fn of(&self, block: Block, group: u32, erases: u32) -> u32 {
        let mean = self.mean(f64::from(erases), self.today - self.written[block as usize]);
        let place = u64::from(block) << 32 | u64::from(group);
        let draw = derive(derive(self.seed, place), u64::from(erases)) >> 11;
        (mean + draw as f64 / (1_u64 << 53) as f64).floor() as u32
    }

    fn mean(&self, erases: f64, days: f64) -> f64 {
        // One row may stand for any time.
        let point = |i: usize| self.days.get(i).copied().unwrap_or(0.0);
        between(self.rows.len(), point, |i| self.rows[i].at(erases), days)
    }

    pub(super) fn being_read(&self, die: usize, block: Block, group: u32) -> Option<Moment> {
        let (last_block, last_group, end) = (*self.last.get(die)?)?;
        ((last_block, last_group) == (block, group)).then_some(end)
    }

    pub(super) fn note_group(&mut self, die: usize, block: Block, group: u32, end: Moment) {
        if let Some(last) = self.last.get_mut(die) {
            *last = Some((block, group, end));
        }
    }

    pub(super) fn forget(&mut self, die: usize) {
        if let Some(last) = self.last.get_mut(die) {
            *last = None;
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.last.fill(None);
    }

    pub(super) fn note_first_page(&mut self, block: Block) {
        self.written[block as usize] = self.today;
    }

    pub(super) fn rest(&mut self, days: f64) {
        self.today += days;
    }
}
