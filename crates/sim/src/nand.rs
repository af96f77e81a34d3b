//! NAND flash: what the chips hold, what they forbid, what they count and how long they take.
//!
//! [`Nand`] is the only place that knows page states. It enforces the rules of flash (erase before program,
//! the pages of a block in ascending order, no read of an erased page, nothing outside the device,
//! endurance), counts every operation by [`Cause`], and answers each with the [`Moment`] at which it is
//! done. What a page *means* is the FTL's business; here it only carries what its spare area says: the
//! logical page, and in token mode the number of the write that it holds.
//!
//! A *block* here is what the FTL erases as one: `nand.stripe` physical blocks in as many planes,
//! a superblock.

mod aged;
pub mod aging;
mod booking;
mod copies;
pub mod counts;
pub mod divide;
pub mod energy;
mod events;
pub mod fault;
pub mod geometry;
mod groups;
mod moment;
pub mod power;
mod scheduler;
mod second_pass;
mod times;
pub mod timing;

use serde::{Deserialize, Serialize};

pub use aging::{AgingSettings, AgingUse, ReserveUse};
pub use counts::{Cause, Counts, Operation};
pub use energy::{Energy, EnergySettings};
pub use fault::Fault;
pub use geometry::{Cell, Geometry, NandSettings};
pub use moment::Moment;
pub use power::Power;
pub use scheduler::SchedulerSettings;
pub use timing::{BackEnd, Timing};

use crate::prefetch::prefetch;
use aging::Aging;
use divide::Divisor;
use groups::Groups;

/// Number of a logical page.
pub type Lpn = u32;
/// Number of a physical page: `block * pages_per_block + page`.
pub type Ppn = u32;
/// Number of a block (of a superblock, where several are erased together).
pub type Block = u32;
/// What a page carries in token mode: the running number of the host write whose data it holds.
pub type Token = u64;

/// No page, no block.
pub const NONE: u32 = u32::MAX;
/// The token of a page that nobody wrote.
pub const NO_TOKEN: Token = 0;

/// What the spare area of a block's first page says of the block. FTLs choose the kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its role, as the FTL numbers them; 0 is "not said".
    pub kind: u32,
    /// What it belongs to, for example a logical block.
    pub owner: u32,
}

/// A read page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRead {
    /// What it carries; [`NO_TOKEN`] outside token mode.
    pub token: Token,
    /// When the data are there.
    pub done: Moment,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct BlockState {
    /// The lowest page that may be programmed next.
    next_page: u32,
    erases: u32,
    /// It is among those that [`groups::Groups`] looks at.
    is_listed: bool,
}

/// The flash of one device. Times are nanoseconds since it was switched on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Nand {
    geometry: Geometry,
    pages_per_block: u32,
    per_block: Divisor,
    timing: Timing,
    counts: Counts,
    blocks: Vec<BlockState>,
    /// Spare area: the logical page of each physical one.
    owners: Vec<Lpn>,
    /// Spare area of each block's first page.
    tags: Vec<Tag>,
    /// Spare area: what each page carries. Empty outside token mode.
    tokens: Vec<Token>,
    groups: Groups,
    /// None if it stays as it was when new.
    aging: Option<Box<Aging>>,
    power: Power,
    /// Once the device has no power: what the flash really holds. The calls that still come, from an FTL that
    /// does not know yet, work on a state that nobody will see.
    kept: Option<Box<Nand>>,
    /// Whether tokens, power, age or a second pass have to be looked at: one branch on the hot path.
    careful: bool,
    fault: Option<Fault>,
}

impl Nand {
    /// Erased flash of this geometry. `tokens` turns token mode on.
    pub fn new(geometry: Geometry, timing: Timing, tokens: bool) -> Nand {
        let pages = geometry.pages() as usize;
        Nand {
            pages_per_block: geometry.pages_per_block,
            per_block: Divisor::new(geometry.pages_per_block),
            counts: Counts::default(),
            blocks: vec![BlockState::default(); geometry.blocks as usize],
            owners: vec![NONE; pages],
            tags: vec![Tag::default(); geometry.blocks as usize],
            tokens: if tokens { vec![NO_TOKEN; pages] } else { Vec::new() },
            groups: Groups::of(&timing),
            aging: None,
            power: Power::default(),
            kept: None,
            careful: tokens || timing.has_second_pass(),
            fault: None,
            timing,
            geometry,
        }
    }

    /// Blocks and pages.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Pages of one block.
    #[inline]
    pub fn pages_per_block(&self) -> u32 {
        self.pages_per_block
    }

    /// All blocks.
    #[inline]
    pub fn blocks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The block of a physical page.
    #[inline]
    pub fn block_of(&self, ppn: Ppn) -> Block {
        self.per_block.quotient(ppn)
    }

    /// The place of a physical page in its block.
    #[inline]
    pub fn page_of(&self, ppn: Ppn) -> u32 {
        ppn - self.block_of(ppn) * self.pages_per_block
    }

    /// The first page of a block.
    #[inline]
    pub fn first_page(&self, block: Block) -> Ppn {
        block * self.pages_per_block
    }

    /// The lowest page of `block` that may be programmed next; `pages_per_block` if it is full.
    #[inline]
    pub fn next_page(&self, block: Block) -> u32 {
        self.blocks[block as usize].next_page
    }

    /// Whether nothing more can be programmed into `block`.
    #[inline]
    pub fn is_full(&self, block: Block) -> bool {
        self.next_page(block) == self.pages_per_block
    }

    /// How often `block` has been erased.
    #[inline]
    pub fn erases(&self, block: Block) -> u32 {
        self.blocks[block as usize].erases
    }

    /// The logical page in the spare area of `ppn`; [`NONE`] if it is erased or was skipped.
    #[inline]
    pub fn owner(&self, ppn: Ppn) -> Lpn {
        self.owners[ppn as usize]
    }

    /// The token in the spare area of `ppn`; [`NO_TOKEN`] outside token mode. Reading it costs no operation:
    /// for checkers, and for a rebuild that counts its scan by [`Nand::read`].
    pub fn token(&self, ppn: Ppn) -> Token {
        self.tokens.get(ppn as usize).copied().unwrap_or(NO_TOKEN)
    }

    /// What the first page of `block` says of it.
    pub fn tag(&self, block: Block) -> Tag {
        self.tags[block as usize]
    }

    /// Says what `block` is. Stored with the next program into it; it costs no operation of its own.
    pub fn set_tag(&mut self, block: Block, tag: Tag) {
        self.tags[block as usize] = tag;
    }

    /// Operations so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Busy times and operation times.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// When both are over.
    #[inline]
    pub fn both(&mut self, one: Moment, other: Moment) -> Moment {
        match one.later_of(other) {
            Some(later) => later,
            None => self.timing.both(one, other),
        }
    }

    /// So many nanoseconds after `moment`.
    #[inline]
    pub fn later(&mut self, moment: Moment, ns: u64) -> Moment {
        match moment.known_ns() {
            Some(at_ns) => Moment::at(at_ns + ns),
            None => self.timing.later(moment, ns),
        }
    }

    /// When `moment` is, in nanoseconds; the flash works on until that is known. For a decision that depends
    /// on time: what the host asks for meanwhile comes too late. Whoever only waits hands the moment on.
    #[inline]
    pub fn time_of(&mut self, moment: Moment) -> u64 {
        match moment.known_ns() {
            Some(ns) => ns,
            None => self.timing.run_until_known(moment),
        }
    }

    /// From when on one of `banks` parts of the flash is idle: see [`Timing::bank_idle_from`]. As
    /// [`Nand::time_of`], for decisions that depend on time.
    pub fn bank_idle_from(&mut self, bank: u32, banks: u32) -> u64 {
        loop {
            match self.timing.bank_idle_from(bank, banks) {
                Some(ns) => return ns,
                None => self.timing.step(),
            }
        }
    }

    pub(crate) fn timing_mut(&mut self) -> &mut Timing {
        &mut self.timing
    }

    /// Forgets counts and sets the clock back, after preconditioning. Erase counts stay: wear is wear.
    pub fn restart(&mut self) {
        self.counts = Counts::default();
        self.forget_groups();
        self.timing.restart();
        self.timing.begin();
        if let Some(aging) = &mut self.aging {
            aging.restart();
        }
    }

    /// The first rule that was broken, if one was.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// The power switch: see [`Power`].
    pub fn power(&self) -> &Power {
        &self.power
    }

    /// Cuts the power after `operations` more programs and erases.
    pub fn cut_power_after(&mut self, operations: u64) {
        self.power.cut_after(operations);
        self.careful = true;
    }

    /// Switches the power on again. What is in the flash stays; busy times end. A rebuild that follows is
    /// booked.
    pub fn restore_power(&mut self) {
        if let Some(kept) = self.kept.take() {
            *self = *kept;
        }
        self.power.restore();
        self.careful = !self.tokens.is_empty() || self.ages() || self.timing.has_second_pass();
        self.forget_groups();
        self.timing.restart();
    }

    /// Reads a page that was programmed since the last erase. No FTL has a reason to read another one: what
    /// holds nothing is not mapped. A page that was skipped says as little; that is checked in token mode,
    /// where a page is looked at anyway, and for all causes but [`Cause::Map`]: a scan meets such pages.
    #[inline]
    pub fn read(&mut self, ppn: Ppn, cause: Cause, at: Moment) -> PageRead {
        let block = self.block_of(ppn);
        let page = ppn - block * self.pages_per_block;
        if !self.is_readable((block, page), cause) {
            return PageRead { token: NO_TOKEN, done: at };
        }
        if self.careful && self.timing.is_between_passes(block, page, self.next_page(block)) {
            return PageRead { token: self.token(ppn), done: at };
        }
        self.counts.read(cause);
        let is_urgent = matches!(cause, Cause::Host | Cause::Map);
        if self.careful {
            let done = self.read_aged(block, page, is_urgent, at);
            return PageRead { token: self.token(ppn), done };
        }
        PageRead { token: NO_TOKEN, done: self.timing.read(block, page, is_urgent, at) }
    }

    /// Whether a page can be read; a fault if not.
    #[inline]
    fn is_readable(&mut self, (block, page): (Block, u32), cause: Cause) -> bool {
        let is_erased = self.blocks.get(block as usize).is_none_or(|state| page >= state.next_page);
        let is_skipped = || self.owner(self.first_page(block) + page) == NONE;
        if is_erased || (self.careful && cause != Cause::Map && is_skipped()) {
            self.violate(Operation::Read, block, page, cause);
            return false;
        }
        true
    }

    /// Programs the next page of `block`. Returns where, and when it is done.
    #[inline]
    pub fn append(
        &mut self,
        block: Block,
        lpn: Lpn,
        token: Token,
        cause: Cause,
        at: Moment,
    ) -> (Ppn, Moment) {
        let page = self.next_page(block);
        let ppn = self.first_page(block) + page;
        let time = |timing: &mut Timing| timing.program(block, page, at);
        (ppn, self.program_page(block, page, (lpn, token), cause, at, time))
    }

    /// Programs a page, which must not be below the block's next one; what is skipped stays empty until the
    /// next erase. Returns when it is done.
    #[inline]
    pub fn program(&mut self, ppn: Ppn, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let block = self.block_of(ppn);
        let page = ppn - block * self.pages_per_block;
        let time = |timing: &mut Timing| timing.program(block, page, at);
        self.program_page(block, page, (lpn, token), cause, at, time)
    }

    /// A page is programmed, in the time that comes of `time`; `at` if it must not be.
    #[inline(always)] // it is the hot path of every FTL
    fn program_page(
        &mut self,
        block: Block,
        page: u32,
        (lpn, token): (Lpn, Token),
        cause: Cause,
        at: Moment,
        time: impl FnOnce(&mut Timing) -> Moment,
    ) -> Moment {
        let allowed = |state: &BlockState| (state.next_page..self.pages_per_block).contains(&page);
        if !self.blocks.get(block as usize).is_some_and(allowed) {
            self.violate(Operation::Program, block, page, cause);
            return at;
        }
        let ppn = self.first_page(block) + page;
        if self.careful {
            self.program_carefully(ppn, token);
        }
        self.blocks[block as usize].next_page = page + 1;
        self.owners[ppn as usize] = lpn;
        self.counts.program(cause);
        let done = time(&mut self.timing);
        if self.groups.are_large() && matches!(cause, Cause::Host | Cause::Padding) {
            self.note_group(block, page, done);
        }
        done
    }

    /// A hint that the spare areas of `block` will be read soon.
    #[inline]
    pub fn prepare_block(&self, block: Block) {
        let first = self.first_page(block) as usize;
        for page in (0..self.pages_per_block as usize).step_by(16) {
            prefetch(&self.owners, first + page);
        }
    }

    /// Erases a block. Returns when it is done.
    pub fn erase(&mut self, block: Block, cause: Cause, at: Moment) -> Moment {
        if block >= self.blocks() {
            self.violate(Operation::Erase, block, 0, cause);
            return at;
        }
        if self.careful && self.power.strikes() {
            // An erase that was cut short leaves nothing that can be read.
            self.keep(|nand| nand.wipe(block));
        }
        self.wipe(block);
        if self.wears_out(block) {
            self.violate(Operation::Erase, block, 0, cause);
        }
        self.counts.erase(cause, self.geometry.stripe);
        self.timing.erase(block, at)
    }

    fn wipe(&mut self, block: Block) {
        let first = self.first_page(block) as usize;
        let written = self.next_page(block) as usize;
        self.owners[first..first + written].fill(NONE);
        if !self.tokens.is_empty() {
            self.tokens[first..first + written].fill(NO_TOKEN);
        }
        self.tags[block as usize] = Tag::default();
        self.blocks[block as usize].next_page = 0;
    }

    /// Token, power and age.
    #[cold]
    #[inline(never)]
    fn program_carefully(&mut self, ppn: Ppn, token: Token) {
        if self.power.strikes() {
            // A torn page: it is used up and says nothing.
            let (block, page) = (self.block_of(ppn), self.page_of(ppn));
            self.keep(|nand| nand.blocks[block as usize].next_page = page + 1);
        }
        if let Some(slot) = self.tokens.get_mut(ppn as usize) {
            *slot = token;
        }
        self.note_program(self.block_of(ppn), self.page_of(ppn));
    }

    /// The power goes, and leaves the flash as it is now after `last_effect`.
    fn keep(&mut self, last_effect: impl FnOnce(&mut Nand)) {
        let mut kept = self.clone();
        last_effect(&mut kept);
        self.kept = Some(Box::new(kept));
    }

    #[cold]
    #[inline(never)]
    fn violate(&mut self, operation: Operation, block: Block, page: u32, cause: Cause) {
        if self.power.is_off() {
            // Nothing is tried: an FTL may believe in an erase that did not happen.
            return;
        }
        let state = self.blocks.get(block as usize).copied().unwrap_or_default();
        let fault = Fault {
            operation,
            block,
            page,
            cause,
            next_page: state.next_page,
            erases: state.erases,
            blocks: self.blocks(),
            endurance_erases: self.geometry.endurance_erases,
        };
        self.fault.get_or_insert(fault);
    }
}
