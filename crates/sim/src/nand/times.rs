//! How long operations take, and on which die and channel a page lies.

use serde::{Deserialize, Serialize};

use super::divide::Divisor;
use super::geometry::NandSettings;
use super::scheduler::Scheduler;
use super::second_pass::SecondPass;
use super::timing::TimingMode;

/// Operation times and the shape of the flash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Times {
    read_ns: Vec<u64>,
    program_ns: Vec<u64>,
    erase_ns: u64,
    pub(super) transfer_ns: u64,
    /// Pages that one program operation takes, over all planes of a die.
    pub(super) group: u32,
    per_group: Divisor,
    /// Dies that a block is spread over, and how many such sets there are.
    dies_per_block: Divisor,
    sets: Divisor,
    dies_in_set: u32,
    channels: Divisor,
    pub(super) channels_count: u32,
    /// Dies, or planes that work on their own: everything below calls both a die.
    pub(super) dies: u32,
    /// Blocks from this one on are in SLC mode, with times of their own.
    slc_from: u32,
    slc_read_ns: u64,
    slc_program_ns: u64,
    /// The blocks before it that are in SLC mode now; empty where none ever is.
    slc_mode: Vec<bool>,
    pub(super) scheduler: Scheduler,
    pub(super) cache_program: bool,
    copy_back: bool,
    pub(super) second: Option<SecondPass>,
    /// Factors of the program and erase times of each block; empty where use changes nothing.
    pub(super) wear: Vec<(f64, f64)>,
}

/// A page group of a block, and the die that holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub block: u32,
    pub group: u32,
    pub die: usize,
}

/// Marks the group of a page that is read once more.
const AGAIN: u32 = 1 << 31;
/// Marks the group of a page that lies in a block in SLC mode: the block may not be when the page is sensed.
const SLC: u32 = 1 << 30;

impl Place {
    /// The same, to be sensed even if the die holds it.
    pub(super) fn again(self) -> Place {
        Place { group: self.group | AGAIN, ..self }
    }

    /// What the die holds after a read.
    #[inline]
    pub(super) fn held((block, group): (u32, u32)) -> (u32, u32) {
        (block, group & !AGAIN)
    }
}

impl Times {
    pub(super) fn new(nand: &NandSettings) -> Times {
        let serial = nand.timing == TimingMode::Serial;
        let ns = |us: f64| (us * 1e3).round() as u64;
        let all = |us: Vec<f64>| us.into_iter().map(ns).collect::<Vec<u64>>();
        let (channels, dies) = if serial { (1, 1) } else { (nand.channels, nand.units()) };
        let (_, planes) = nand.planes_of_unit();
        let planes_in_block = nand.stripe_blocks().min(planes);
        let dies_in_set = if serial { 1 } else { (nand.stripe_blocks() / planes).clamp(1, dies) };
        let group = if serial { 1 } else { nand.pages_per_program * planes_in_block };
        Times {
            read_ns: all(nand.reads_us()),
            program_ns: all(nand.programs_us()),
            erase_ns: ns(nand.erases_us()),
            transfer_ns: ns(nand.transfer_us),
            group,
            per_group: Divisor::new(group),
            dies_per_block: Divisor::new(dies_in_set),
            sets: Divisor::new((dies / dies_in_set).max(1)),
            dies_in_set,
            channels: Divisor::new(channels),
            channels_count: channels,
            dies,
            slc_from: u32::MAX,
            slc_read_ns: 0,
            slc_program_ns: 0,
            slc_mode: Vec::new(),
            scheduler: Scheduler::default(),
            cache_program: nand.cache_program && !serial,
            copy_back: nand.copy_back,
            second: SecondPass::new(nand, group, dies_in_set),
            wear: Vec::new(),
        }
    }

    /// Blocks from `first` on are in SLC mode.
    pub(super) fn with_slc(self, first: u32, read_us: f64, program_us: f64) -> Times {
        let ns = |us: f64| (us * 1e3).round() as u64;
        Times { slc_from: first, slc_read_ns: ns(read_us), slc_program_ns: ns(program_us), ..self }
    }

    pub(super) fn is_always_slc(&self, block: u32) -> bool {
        block >= self.slc_from
    }

    #[inline]
    pub(super) fn is_slc(&self, block: u32) -> bool {
        self.is_always_slc(block) || self.slc_mode.get(block as usize).is_some_and(|is_slc| *is_slc)
    }

    /// An erased block is in SLC mode from now on, or no more.
    pub(super) fn set_slc(&mut self, block: u32, is_slc: bool) {
        let least = self.slc_mode.len().max(block as usize + 1);
        self.slc_mode.resize(least, false);
        self.slc_mode[block as usize] = is_slc;
    }

    /// One time for each operation, if all pages are alike and travel alone: that of a read, of a program.
    pub(super) fn of_one_kind(&self) -> Option<(u64, u64)> {
        let is_plain = !self.cache_program && !self.copy_back && self.second.is_none();
        let are_alike = is_plain && self.group == 1 && self.slc_from == u32::MAX && self.wear.is_empty();
        match (&self.read_ns[..], &self.program_ns[..]) {
            (&[read], &[program]) if are_alike => Some((read, program)),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn sensing_ns(&self, group: u32) -> u64 {
        if group & SLC != 0 {
            return self.slc_read_ns;
        }
        self.read_ns[group as usize % self.read_ns.len()]
    }

    /// How long the program takes that a page starts: none if it is not the last of its group.
    #[inline]
    pub(super) fn programming_ns(&self, block: u32, page: u32) -> u64 {
        let group = self.per_group.quotient(page);
        if page - group * self.group == self.group - 1 { self.group_program_ns(block, group) } else { 0 }
    }

    /// How long a group takes to program.
    #[inline]
    pub(super) fn group_program_ns(&self, block: u32, group: u32) -> u64 {
        let ns = match self.is_slc(block) {
            true => self.slc_program_ns,
            false => self.program_ns[(group & !SLC) as usize % self.program_ns.len()],
        };
        self.worn_ns(block, ns)
    }

    /// How long a program of a block takes that would take so long on a new one.
    #[inline]
    fn worn_ns(&self, block: u32, ns: u64) -> u64 {
        match self.wear.get(block as usize) {
            None => ns,
            Some((factor, _)) => (ns as f64 * factor).round() as u64,
        }
    }

    /// How many groups are programmed for the second time after this page, and how long each takes.
    pub(super) fn second_passes(&self, block: u32, page: u32) -> (u32, u64) {
        match &self.second {
            Some(second) if !self.is_slc(block) => {
                let group = self.per_group.quotient(page);
                let is_last = page - group * self.group == self.group - 1;
                (if is_last { second.passes_after(group) } else { 0 }, self.worn_ns(block, second.ns))
            }
            _ => (0, 0),
        }
    }

    /// Whether a page has not had its second pass, while a block is written up to `next_page`.
    pub(super) fn is_between_passes(&self, block: u32, page: u32, next_page: u32) -> bool {
        self.second.as_ref().is_some_and(|second| {
            let last = second.finishes(self.per_group.quotient(page));
            next_page < (last + 1) * self.group && !self.is_slc(block)
        })
    }

    /// How long a block takes to erase.
    #[inline]
    pub(super) fn erasing_ns(&self, block: u32) -> u64 {
        match self.wear.get(block as usize) {
            None => self.erase_ns,
            Some((_, factor)) => (self.erase_ns as f64 * factor).round() as u64,
        }
    }

    #[inline]
    pub(super) fn place(&self, block: u32, page: u32) -> Place {
        let group = self.per_group.quotient(page);
        let die = self.sets.remainder(block) * self.dies_in_set + self.dies_per_block.remainder(group);
        let mode = if self.is_slc(block) { SLC } else { 0 };
        Place { block, group: group | mode, die: die as usize }
    }

    /// Whether a page that goes from one place to the other stays on its die.
    #[inline]
    pub(super) fn copies_back(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        self.copy_back && self.place(from.0, from.1).die == self.place(to.0, to.1).die
    }

    #[inline]
    pub(super) fn channel(&self, die: usize) -> usize {
        self.channels.remainder(die as u32) as usize
    }

    /// Whether no two dies share a bus; one that costs nothing would leave open which of two events at the
    /// same time comes first.
    pub(super) fn has_bus_each(&self) -> bool {
        self.dies == self.channels_count && self.transfer_ns > 0
    }

    /// The dies of a block.
    pub(super) fn dies_of(&self, block: u32) -> std::ops::Range<usize> {
        let first = (self.sets.remainder(block) * self.dies_in_set) as usize;
        first..first + self.dies_in_set as usize
    }

    /// Sets of dies that work on blocks of their own.
    pub(super) fn die_sets(&self) -> u32 {
        (self.dies / self.dies_in_set).max(1)
    }

    /// The dies of one of `banks` equal parts, which has every set of dies whose number leaves that rest.
    /// None where they cannot be parted so: then all are meant.
    pub(super) fn dies_of_bank(&self, bank: u32, banks: u32) -> Option<impl Iterator<Item = usize> + use<>> {
        if banks == 1 || !self.die_sets().is_multiple_of(banks) {
            return None;
        }
        let in_set = self.dies_in_set as usize;
        let sets = (bank as usize..self.die_sets() as usize).step_by(banks as usize);
        Some(sets.flat_map(move |set| set * in_set..(set + 1) * in_set))
    }
}
