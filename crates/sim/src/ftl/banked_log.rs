//! Log blocks in banks, with merges that are put off: log blocks as on the better drives of paper 001.
//!
//! The logical space is dealt out to banks in small pieces (`interleave`), and each bank has dies, data
//! blocks and log blocks of its own. Within a bank all is as in `log-block`: blocks are mapped as wholes,
//! each is written through a log block. But a log block that is full or must make room for another is not
//! merged at once: it waits with up to `put_off` others, and a write waits for a merge only when more would
//! wait. Its logical block may have another log meanwhile; the older one is merged first. In idle time merges
//! go on in units of one page for each plane of the bank ([`Ftl::tend`]); what is to be erased waits like the
//! merges. With `together` the other banks merge too while a write waits for one. With `sharers` several
//! logical blocks share a log block when there are more of them than log blocks; each has its own merge when
//! that is closed.
//!
//! So a drive has a reserve of cheap random writes, and then costs one merge a write, divided by the banks
//! that merge at the same time.

mod logs;
mod rules;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::copies::merge_in_place;
use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::recover::{Recovered, normal_form};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Tag, Token};
use logs::{Log, Logs};
pub use rules::BankedLogSettings;
use rules::{Deal, Rules};

/// Role of a block in its spare area: a data block, or what a merge makes one of.
pub const DATA: u32 = 1;
/// Role of a block in its spare area: a log block.
pub const LOG: u32 = 2;

/// A merge on its way: everything below page `next` is in `fresh` too.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Merging {
    log: u32,
    fresh: Block,
    next: Lpn,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bank {
    free: FreeBlocks,
    /// Log blocks that can be written, the oldest first.
    open: VecDeque<Block>,
    /// Logs whose merges wait, the next one first.
    closed: VecDeque<u32>,
    merging: Option<Merging>,
    /// Blocks that hold nothing newest and wait to be erased.
    stale: VecDeque<Block>,
}

/// The FTL of banks with log blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BankedLogFtl {
    rules: Rules,
    deal: Deal,
    logical_pages: u32,
    per_block: Divisor,
    per_bank: Divisor,
    /// The data block of each logical block.
    data: Vec<Block>,
    /// Where in its data block each page is. Empty where that is its own place.
    places: Vec<u32>,
    mapped: PageSet,
    logs: Logs,
    banks: Vec<Bank>,
    /// The page after the last one written.
    next: Lpn,
    /// The last write ended a logical block in order: a stream may begin anew.
    switched: bool,
    merges: Merges,
}

impl BankedLogFtl {
    fn empty(setup: &Setup<'_>) -> Result<BankedLogFtl, SimError> {
        let rules = Rules::new(setup)?;
        let Rules { banks, any_order, .. } = rules;
        let pages_per_block = setup.geometry.pages_per_block;
        let blocks = setup.logical_blocks();
        let bank = Bank {
            free: FreeBlocks::none(setup.settings.wear.levelling),
            open: VecDeque::new(),
            closed: VecDeque::new(),
            merging: None,
            stale: VecDeque::new(),
        };
        Ok(BankedLogFtl {
            deal: Deal::new(setup),
            logical_pages: setup.logical_pages,
            per_block: Divisor::new(pages_per_block),
            per_bank: Divisor::new(banks),
            data: vec![NONE; blocks as usize],
            places: if any_order { own_places(blocks, pages_per_block) } else { Vec::new() },
            mapped: PageSet::none(setup.logical_pages),
            logs: Logs::none(rules.logs_max(), blocks, setup.geometry.blocks, pages_per_block),
            banks: vec![bank; banks as usize],
            next: NONE,
            switched: false,
            merges: Merges::default(),
            rules,
        })
    }

    fn pages_per_block(&self) -> u32 {
        self.deal.pages_per_block
    }

    fn bank_of(&self, lbn: u32) -> usize {
        self.per_bank.remainder(lbn) as usize
    }

    /// Where the newest copy of a page is; [`NONE`] if the page holds nothing.
    #[inline]
    fn find(&self, nand: &Nand, lpn: Lpn) -> Ppn {
        if !self.mapped.has(lpn) {
            return NONE;
        }
        let lbn = self.per_block.quotient(lpn);
        let offset = self.per_block.remainder(lpn);
        if let Some((block, slot)) = self.logs.find(lbn, offset) {
            return nand.first_page(block) + slot;
        }
        let place = self.places.get(lpn as usize).copied().unwrap_or(offset);
        nand.first_page(self.data[lbn as usize]) + place
    }

    /// An erased block of the bank. After a loss of power data may lie in the blocks of another bank; then
    /// one of those is taken.
    fn take(&mut self, nand: &mut Nand, bank: usize, tag: Tag) -> Block {
        if self.banks[bank].free.is_empty() {
            let richest = (0..self.banks.len()).max_by_key(|&other| self.banks[other].free.len());
            let richest = richest.filter(|&other| !self.banks[other].free.is_empty());
            let from = richest.unwrap_or_else(|| self.erase_any(nand));
            let block = self.banks[from].free.take();
            self.banks[bank].free.give(nand, block);
        }
        let block = self.banks[bank].free.take();
        nand.set_tag(block, tag);
        block
    }

    /// Erases a block that waits for it in any bank, and says in which.
    #[cold]
    fn erase_any(&mut self, nand: &mut Nand) -> usize {
        let with = self.banks.iter().position(|bank| !bank.stale.is_empty()).unwrap_or(0);
        self.erase_stale(nand, with, Moment::START);
        with
    }

    fn erase_stale(&mut self, nand: &mut Nand, bank: usize, at: Moment) -> Option<Moment> {
        let block = self.banks[bank].stale.pop_front()?;
        let done = nand.erase(block, Cause::Merge, at);
        self.banks[bank].free.give(nand, block);
        Some(done)
    }

    /// Gives a logical block a log. The one that it has is closed. One that `begins` where a stream goes on,
    /// or where one has just ended a block, has a log block of its own, and so have others as long as there
    /// are log blocks; then they share those that are open, and the oldest is closed if there is no room.
    /// Returns the log's number, and when it can be written.
    #[inline(never)]
    fn open(&mut self, nand: &mut Nand, lbn: u32, begins: bool, at: Moment) -> (u32, Moment) {
        let bank = self.bank_of(lbn);
        let older = self.logs.newest(lbn);
        if older != NONE && !self.logs.get(older).closed {
            self.close(bank, self.logs.get(older).block);
        }
        let shared = if begins { None } else { self.with_room(nand, bank) };
        while shared.is_none() && self.banks[bank].open.len() as u32 >= self.rules.log_blocks {
            self.close(bank, self.banks[bank].open[0]);
        }
        let more = if begins { 0 } else { self.rules.sharers - 1 };
        let ready = self.make_room(nand, bank, more, at);
        let block = shared.unwrap_or_else(|| {
            let block = self.take(nand, bank, Tag { kind: LOG, owner: lbn });
            self.banks[bank].open.push_back(block);
            block
        });
        (self.logs.open(block, lbn), ready)
    }

    /// The oldest open log block that another logical block may share, once no more can be opened. None if
    /// the oldest of all was not written during a block's worth of writes: that one must go.
    fn with_room(&self, nand: &Nand, bank: usize) -> Option<Block> {
        let open = &self.banks[bank].open;
        let may_share = self.rules.sharers > 1 && open.len() as u32 >= self.rules.log_blocks;
        if !may_share || self.logs.writes_since(open[0]) > self.pages_per_block() {
            return None;
        }
        let has_room = |block: &Block| {
            self.logs.sharers(*block) < self.rules.sharers && nand.next_page(*block) < self.pages_per_block()
        };
        open.iter().copied().find(has_room)
    }

    /// The logs in a log block wait for their merges from now on.
    fn close(&mut self, bank: usize, block: Block) {
        let Bank { open, closed, .. } = &mut self.banks[bank];
        open.retain(|&other| other != block);
        self.logs.close(block, |log| closed.push_back(log));
    }

    /// Does what can be put off no longer, before another log is opened: one merge, or all but `more` if logs
    /// were closed together. Returns when.
    fn make_room(&mut self, nand: &mut Nand, bank: usize, more: u32, at: Moment) -> Moment {
        let mut ready = at;
        let merges = self.merges.full_merges;
        while (self.is_short(bank, more) || (self.must_merge(bank, 0) && self.merges.full_merges == merges))
            && let Some(done) = self.unit(nand, bank, ready)
        {
            ready = done;
        }
        let banks = self.rules.banks;
        let together = self.rules.together;
        for other in (0..banks).filter(|&other| together && other as usize != bank) {
            self.merge_until(nand, other, ready, at);
        }
        ready
    }

    /// Does what waits in a bank as long as another bank has to be waited for.
    fn merge_until(&mut self, nand: &mut Nand, bank: u32, ready: Moment, at: Moment) {
        let (ready_ns, at_ns) = (nand.time_of(ready), nand.time_of(at));
        let mut idle_from_ns = nand.bank_idle_from(bank, self.rules.banks).max(at_ns);
        while idle_from_ns < ready_ns
            && let Some(done) = self.unit(nand, bank as usize, Moment::at(idle_from_ns))
        {
            idle_from_ns = nand.time_of(done).max(idle_from_ns + 1);
        }
    }

    /// Whether merges or erases must be done before another log is opened, though `more` than may wait are
    /// allowed to. One block is kept for the merge.
    fn is_short(&self, bank: usize, more: u32) -> bool {
        let Bank { free, merging, stale, .. } = &self.banks[bank];
        free.len() < 2 - u32::from(merging.is_some())
            || stale.len() as u32 > self.rules.put_off
            || self.must_merge(bank, more)
    }

    /// Whether more logs wait than may, or hold more.
    fn must_merge(&self, bank: usize, more: u32) -> bool {
        let closed = &self.banks[bank].closed;
        let pages = || closed.iter().map(|&log| self.logs.get(log).pages).sum::<u32>();
        closed.len() as u32 > self.rules.put_off + more || pages() > self.rules.put_off_pages
    }

    /// A part of a merge, or an erase. None if nothing waits.
    fn unit(&mut self, nand: &mut Nand, bank: usize, at: Moment) -> Option<Moment> {
        if let Some(done) = self.erase_stale(nand, bank, at) {
            return Some(done);
        }
        let merging = match self.banks[bank].merging {
            Some(merging) => merging,
            None => self.begin(nand, bank)?,
        };
        Some(self.advance(nand, bank, merging, at))
    }

    fn begin(&mut self, nand: &mut Nand, bank: usize) -> Option<Merging> {
        let log = *self.banks[bank].closed.front()?;
        let lbn = self.logs.get(log).lbn;
        let fresh = self.take(nand, bank, Tag { kind: DATA, owner: lbn });
        Some(Merging { log, fresh, next: lbn * self.pages_per_block() })
    }

    /// Copies the next pages of a merge, and ends it after the last.
    fn advance(&mut self, nand: &mut Nand, bank: usize, merging: Merging, at: Moment) -> Moment {
        let Merging { log, fresh, mut next } = merging;
        let lbn = self.logs.get(log).lbn;
        let end = self.logical_pages.min((lbn + 1) * self.pages_per_block());
        let mut done = at;
        while done == at && next < end {
            let pages = next..end.min(next + self.rules.copy_pages);
            next = pages.end;
            done = merge_in_place(nand, pages, fresh, at, |nand, lpn| self.find(nand, lpn));
        }
        self.banks[bank].merging = Some(Merging { log, fresh, next });
        if next == end {
            self.finish(nand, bank, log, fresh);
        }
        done
    }

    /// The merged block takes the data block's place; that one and the log block wait to be erased.
    fn finish(&mut self, nand: &mut Nand, bank: usize, log: u32, fresh: Block) {
        self.merges.full_merges += 1;
        let Log { lbn, .. } = self.logs.get(log);
        self.banks[bank].merging = None;
        self.banks[bank].closed.retain(|&other| other != log);
        let emptied = self.logs.forget(log);
        let is_empty = nand.next_page(fresh) == 0;
        if is_empty {
            // All of it was trimmed.
            nand.set_tag(fresh, Tag::default());
            self.give(nand, fresh);
        }
        let base = (lbn * self.pages_per_block()) as usize;
        for (offset, place) in
            (0..).zip(self.places.iter_mut().skip(base).take(self.deal.pages_per_block as usize))
        {
            *place = offset;
        }
        self.replace_data(lbn, if is_empty { NONE } else { fresh });
        emptied.into_iter().for_each(|block| self.discard(block));
    }

    /// The log block is the data block from now on.
    fn switch(&mut self, log: u32) {
        self.merges.switch_merges += 1;
        let Log { block, lbn, .. } = self.logs.get(log);
        if !self.places.is_empty() {
            let per_block = self.pages_per_block() as usize;
            let base = lbn as usize * per_block;
            self.places[base..base + per_block].copy_from_slice(self.logs.slots(log));
        }
        let bank = self.bank_of(lbn);
        self.banks[bank].open.retain(|&other| other != block);
        self.drop_older(bank, log);
        self.logs.forget(log);
        self.replace_data(lbn, block);
    }

    /// Closed logs of a logical block whose newest log holds all of it: nothing of them is needed.
    fn drop_older(&mut self, bank: usize, newest: u32) {
        while let Some(older) = self.logs.oldest_behind(newest) {
            self.banks[bank].closed.retain(|&other| other != older);
            if let Some(merging) = self.banks[bank].merging.take_if(|merging| merging.log == older) {
                self.discard(merging.fresh);
            }
            let emptied = self.logs.forget(older);
            emptied.into_iter().for_each(|block| self.discard(block));
        }
    }

    fn replace_data(&mut self, lbn: u32, block: Block) {
        let old = std::mem::replace(&mut self.data[lbn as usize], block);
        if old != NONE {
            self.discard(old);
        }
    }

    /// A block that will be erased when there is time, in the bank whose dies it lies on.
    fn discard(&mut self, block: Block) {
        let bank = self.bank_of(block);
        self.banks[bank].stale.push_back(block);
    }

    fn give(&mut self, nand: &Nand, block: Block) {
        let bank = self.bank_of(block);
        self.banks[bank].free.give(nand, block);
    }

    /// Whether a page can be appended to the log of its logical block.
    #[inline]
    fn has_room(&self, nand: &Nand, lbn: u32, offset: u32) -> bool {
        let log = self.logs.newest(lbn);
        if log == NONE {
            return false;
        }
        let Log { block, next, closed, .. } = self.logs.get(log);
        let room = if next == offset { self.pages_per_block() } else { self.rules.random_pages };
        !closed && nand.next_page(block) < room
    }
}

fn own_places(blocks: u32, pages_per_block: u32) -> Vec<u32> {
    (0..blocks).flat_map(|_| 0..pages_per_block).collect()
}

impl Ftl for BankedLogFtl {
    const NAME: &'static str = "banked-log";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<BankedLogFtl, SimError> {
        let mut ftl = BankedLogFtl::empty(setup)?;
        let levelling = setup.settings.wear.levelling;
        for (first, bank) in (0..).zip(&mut ftl.banks) {
            let blocks = (first..setup.geometry.blocks).step_by(ftl.rules.banks as usize);
            bank.free = FreeBlocks::of(blocks, levelling);
        }
        Ok(ftl)
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<BankedLogFtl, SimError> {
        let mut ftl = BankedLogFtl::empty(setup)?;
        let inner = |trim: &Tombstone| Tombstone { lpn: ftl.deal.inner(trim.lpn), ..*trim };
        let trims: Vec<Tombstone> = trims.iter().map(inner).collect();
        let Recovered { data, mapped, mut free } = normal_form(setup, nand, &trims, DATA);
        (ftl.data, ftl.mapped) = (data, mapped);
        while !free.is_empty() {
            ftl.give(nand, free.take());
        }
        Ok(ftl)
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.find(nand, self.deal.inner(lpn)) {
            NONE => PageRead { token: NO_TOKEN, done: at },
            ppn => nand.read(ppn, cause, at),
        }
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let follows = std::mem::replace(&mut self.next, lpn + 1) == lpn;
        let lpn = self.deal.inner(lpn);
        let lbn = self.per_block.quotient(lpn);
        let offset = self.per_block.remainder(lpn);
        let restarts = offset == 0 && self.switched;
        let (log, ready) = if restarts || !self.has_room(nand, lbn, offset) {
            self.open(nand, lbn, restarts || (offset == 0 && follows), at)
        } else {
            (self.logs.newest(lbn), at)
        };
        let Log { block, .. } = self.logs.get(log);
        let slot = nand.next_page(block);
        let (_, done) = nand.append(block, lpn, token, cause, ready);
        let state = self.logs.wrote(log, offset, slot);
        let complete = state.pages == self.deal.pages_per_block;
        self.switched = complete && state.in_order;
        if complete && (state.in_order || self.rules.any_order) {
            self.switch(log);
        } else if slot + 1 == self.deal.pages_per_block {
            self.close(self.bank_of(lbn), block);
        }
        self.mapped.insert(lpn);
        done
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.mapped.remove(self.deal.inner(lpn));
    }

    fn banks(&self) -> u32 {
        self.rules.banks
    }

    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        self.unit(nand, bank as usize, at)
    }

    fn merges(&self) -> Merges {
        self.merges
    }

    fn reserve_blocks(&self) -> u32 {
        (self.rules.log_blocks + self.rules.put_off + 2) * self.rules.banks
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        let Rules { banks, log_blocks, put_off, .. } = self.rules;
        SpareUse::limited(spare_blocks, (log_blocks + put_off) * banks, 2 * banks)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.data.len() + self.places.len() + self.logs.places()))
    }

    fn free_blocks(&self) -> u32 {
        self.banks.iter().map(|bank| bank.free.len()).sum()
    }

    fn restart(&mut self) {
        self.merges = Merges::default();
    }
}

#[cfg(test)]
mod tests;
