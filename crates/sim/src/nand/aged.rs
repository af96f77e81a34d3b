//! How the age of the flash is felt by its operations.

use super::aging::{Aging, AgingSettings, AgingUse, Shape};
use super::geometry::SLC_ENDURANCE_ERASES;
use super::{Block, Moment, Nand};
use crate::error::SimError;

impl Nand {
    /// This flash, nothing of which was written, with its age.
    ///
    /// # Errors
    /// [`SimError::Setting`] if more blocks are bad than can be replaced.
    pub(crate) fn aged(mut self, settings: &AgingSettings, planes: u32, seed: u64) -> Result<Nand, SimError> {
        let (dies, group_pages) = (self.timing.dies(), self.timing.group_pages());
        self.aging = Aging::new(settings, &self.geometry, Shape { dies, planes, group_pages }, seed)?;
        let Some(aging) = &self.aging else { return Ok(self) };
        self.careful = true;
        let erases = aging.erases_before();
        self.blocks.iter_mut().for_each(|state| state.erases = erases);
        if aging.has_factors() {
            let factors = vec![aging.factors(erases); self.blocks.len()];
            self.timing.wear(factors);
        }
        Ok(self)
    }

    /// What of its age was felt since the last restart; none if it does not age.
    pub fn aging_use(&self) -> Option<AgingUse> {
        self.aging.as_ref().map(|aging| aging.used())
    }

    /// An erased block is in SLC mode from now on, or no more: its pages are read and programmed in the times
    /// of that mode. Erases count as those of the cells' own kind.
    pub(crate) fn set_slc(&mut self, block: Block, is_slc: bool) {
        assert!(!is_slc || self.next_page(block) == 0, "a block changes its mode when it is erased");
        self.timing.set_slc(block, is_slc);
    }

    /// Whether the device takes no more writes, since the blocks that replace bad ones are used up.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.careful && self.aging.as_ref().is_some_and(|aging| aging.is_read_only())
    }

    /// So many days go by without power: what is written is older then.
    pub fn rest(&mut self, days: f64) {
        if let Some(aging) = &mut self.aging {
            aging.rest(days);
        }
    }

    /// A block that was read as often as it may be, once: its data should be moved.
    #[inline]
    pub fn take_disturbed(&mut self) -> Option<Block> {
        self.aging.as_mut()?.take_disturbed()
    }

    /// The data of a block were moved since it had been read often.
    pub(crate) fn note_refresh(&mut self) {
        if let Some(aging) = &mut self.aging {
            aging.note_refresh();
        }
    }

    /// Whether use and time change anything.
    #[inline]
    pub(super) fn ages(&self) -> bool {
        self.aging.is_some()
    }

    /// A read and its retries. Each retry is a read of its own, which begins when the one before has been
    /// sent. The pages of a group are sensed together: while no other operation came to the die, they wait
    /// for the retries of the first one and need none.
    #[inline(never)] // out of the way of flash that does not age
    pub(super) fn read_aged(&mut self, block: Block, page: u32, is_urgent: bool, at: Moment) -> Moment {
        let (die, group) = self.timing.die_and_group(block, page);
        let (is_slc, erases) = (self.timing.is_slc(block), self.erases(block));
        let Some(aging) = &mut self.aging else { return self.timing.read(block, page, is_urgent, at) };
        aging.note_read(block);
        if let Some(end) = aging.being_read(die, block, group) {
            let at = self.both(at, end);
            return self.timing.read(block, page, is_urgent, at);
        }
        let retries = if is_slc { 0 } else { aging.read(block, group, erases) };
        let mut done = self.timing.read(block, page, is_urgent, at);
        for _ in 0..retries {
            done = self.timing.read_again(block, page, is_urgent, done);
        }
        if let Some(aging) = &mut self.aging {
            aging.note_group(die, block, group, done);
        }
        done
    }

    /// A page of this block was read.
    pub(super) fn note_read(&mut self, block: Block) {
        if let Some(aging) = &mut self.aging {
            aging.note_read(block);
        }
    }

    #[inline(never)] // out of the way of flash that does not age
    pub(super) fn note_program(&mut self, block: Block, page: u32) {
        let is_first = self.next_page(block) == 0;
        let Some(aging) = &mut self.aging else { return };
        let (die, _) = self.timing.die_and_group(block, page);
        aging.note_change(die);
        if is_first {
            aging.note_first_page(block);
        }
    }

    /// One erase more. True if the block is worn out, and nothing replaces it.
    pub(super) fn wears_out(&mut self, block: Block) -> bool {
        // Cells that hold one bit last as long as those made for it.
        let endurance_erases = match self.timing.is_always_slc(block) {
            true => SLC_ENDURANCE_ERASES.max(self.geometry.endurance_erases),
            false => self.geometry.endurance_erases,
        };
        let state = &mut self.blocks[block as usize];
        state.erases += 1;
        let erases = state.erases;
        let Some(aging) = &mut self.aging else { return erases > endurance_erases };
        let is_worn_out = aging.erased(block, erases, endurance_erases);
        self.timing.dies_of(block).for_each(|die| aging.note_change(die));
        if aging.has_factors() {
            self.timing.wear_of(block, aging.factors(erases));
        }
        is_worn_out
    }
}
