//! How long flash operations take: busy-until lines for each die and channel, or one for all.
//!
//! An operation starts when its die, and for the transfer its channel, is free. Planes of a die work as one.
//! The die is busy during its own transfers, so the time of a host write on the bottleneck die is
//! A tPROG + (A-1) tR + (A/b) tBERS + (2A-1) tXFER (reference: utilisation law of a closed loop).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::divide::Divisor;
use super::geometry::NandSettings;
use crate::line::Line;

/// Whether operations overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimingMode {
    /// Dies and channels work at the same time.
    #[default]
    Parallel,
    /// All times add up, as in paper 002.
    Serial,
}

/// Operation times and what is busy until when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    read_ns: Vec<u64>,
    program_ns: Vec<u64>,
    erase_ns: u64,
    transfer_ns: u64,
    /// Pages that one program operation takes, over all planes of a die.
    group: u32,
    per_group: Divisor,
    /// Dies that a block is spread over, and how many such sets there are.
    dies_per_block: Divisor,
    sets: Divisor,
    dies_in_set: u32,
    channels: Divisor,
    die_busy: Vec<u64>,
    bus: Vec<Line>,
    /// The page group in each die's register: reading its other pages takes the bus alone.
    register: Vec<(u32, u32)>,
    /// Blocks from this one on are in SLC mode, with times of their own.
    slc_from: u32,
    slc_read_ns: u64,
    slc_program_ns: u64,
    /// One die on one channel with one time for each operation: the lines are one line.
    simple: bool,
    /// When the pages that are being copied are read; here so that no copy allocates.
    #[serde(skip)]
    reads: Vec<u64>,
}

const EMPTY: (u32, u32) = (u32::MAX, u32::MAX);

impl Timing {
    /// Idle flash with the times of these settings.
    pub fn new(nand: &NandSettings) -> Timing {
        let serial = nand.timing == TimingMode::Serial;
        let ns = |us: f64| (us * 1e3).round() as u64;
        let all = |us: Vec<f64>| us.into_iter().map(ns).collect::<Vec<u64>>();
        let (read_ns, program_ns) = (all(nand.reads_us()), all(nand.programs_us()));
        let (channels, dies) = if serial { (1, 1) } else { (nand.channels, nand.channels * nand.dies) };
        let planes_in_block = nand.stripe_blocks().min(nand.planes);
        let dies_in_set = if serial { 1 } else { (nand.stripe_blocks() / nand.planes).clamp(1, dies) };
        let group = if serial { 1 } else { nand.pages_per_program * planes_in_block };
        Timing {
            simple: dies == 1 && group == 1 && read_ns.len() == 1 && program_ns.len() == 1,
            read_ns,
            program_ns,
            erase_ns: ns(nand.erases_us()),
            transfer_ns: ns(nand.transfer_us),
            group,
            per_group: Divisor::new(group),
            dies_per_block: Divisor::new(dies_in_set),
            sets: Divisor::new((dies / dies_in_set).max(1)),
            dies_in_set,
            channels: Divisor::new(channels),
            die_busy: vec![0; dies as usize],
            bus: vec![Line::default(); channels as usize],
            register: vec![EMPTY; dies as usize],
            slc_from: u32::MAX,
            slc_read_ns: 0,
            slc_program_ns: 0,
            reads: Vec::new(),
        }
    }

    /// Blocks from `first` on are in SLC mode.
    pub(crate) fn with_slc(self, first: u32, read_us: f64, program_us: f64) -> Timing {
        let ns = |us: f64| (us * 1e3).round() as u64;
        Timing {
            slc_from: first,
            slc_read_ns: ns(read_us),
            slc_program_ns: ns(program_us),
            simple: false,
            ..self
        }
    }

    /// Whether a block is in SLC mode.
    pub(super) fn is_slc(&self, block: u32) -> bool {
        block >= self.slc_from
    }

    /// Everything is idle, and it is time zero again.
    pub fn restart(&mut self) {
        self.die_busy.fill(0);
        self.bus.fill(Line::default());
        self.register.fill(EMPTY);
    }

    #[inline]
    fn sensing_ns(&self, block: u32, group: u32) -> u64 {
        if self.is_slc(block) {
            return self.slc_read_ns;
        }
        self.read_ns[group as usize % self.read_ns.len()]
    }

    #[inline]
    fn programming_ns(&self, block: u32, group: u32) -> u64 {
        if self.is_slc(block) {
            return self.slc_program_ns;
        }
        self.program_ns[group as usize % self.program_ns.len()]
    }

    /// When the last operation so far is done.
    pub fn idle_from(&self) -> u64 {
        let dies = self.die_busy.iter().copied().max().unwrap_or(0);
        dies.max(self.bus.iter().map(Line::idle_from).max().unwrap_or(0))
    }

    /// When one of `banks` equal parts of the dies is idle: part `bank` has every set of dies whose number
    /// leaves that rest. All dies, where they cannot be parted so.
    pub fn bank_idle_from(&self, bank: u32, banks: u32) -> u64 {
        let in_set = self.dies_in_set as usize;
        if banks == 1 || !self.die_sets().is_multiple_of(banks) {
            return self.idle_from();
        }
        let sets = self.die_busy.chunks(in_set).skip(bank as usize).step_by(banks as usize);
        sets.flatten().copied().max().unwrap_or(0)
    }

    /// Sets of dies that work on blocks of their own: block `b` lies on set `b % die_sets`. One if each block
    /// is spread over all dies.
    pub fn die_sets(&self) -> u32 {
        (self.die_busy.len() as u32 / self.dies_in_set).max(1)
    }

    /// Group of a page in its block, and the die that holds it.
    #[inline]
    fn place(&self, block: u32, page: u32) -> (u32, usize) {
        let group = self.per_group.quotient(page);
        let die = self.sets.remainder(block) * self.dies_in_set + self.dies_per_block.remainder(group);
        (group, die as usize)
    }

    #[inline]
    fn channel(&self, die: usize) -> usize {
        self.channels.remainder(die as u32) as usize
    }

    #[inline]
    pub(super) fn read(&mut self, block: u32, page: u32, at: u64) -> u64 {
        if self.simple {
            let done = self.die_busy[0].max(at) + self.read_ns[0] + self.transfer_ns;
            self.die_busy[0] = done;
            return done;
        }
        self.read_on_its_die(block, page, at)
    }

    #[inline(never)] // out of the way of one simple die
    fn read_on_its_die(&mut self, block: u32, page: u32, at: u64) -> u64 {
        let (group, die) = self.place(block, page);
        let channel = self.channel(die);
        let start = self.die_busy[die].max(at);
        let held = self.group > 1 && self.register[die] == (block, group);
        let sensed = if held { start } else { start + self.sensing_ns(block, group) };
        self.register[die] = (block, group);
        let done = self.bus[channel].take(sensed, self.transfer_ns);
        self.die_busy[die] = done;
        done
    }

    /// The data of a group travel page by page; its last page starts the program. Until then a page is done
    /// when it is in the register.
    #[inline]
    pub(super) fn program(&mut self, block: u32, page: u32, at: u64) -> u64 {
        if self.simple {
            let done = self.die_busy[0].max(at) + self.program_ns[0] + self.transfer_ns;
            self.die_busy[0] = done;
            return done;
        }
        self.program_on_its_die(block, page, at)
    }

    #[inline(never)] // out of the way of one simple die
    fn program_on_its_die(&mut self, block: u32, page: u32, at: u64) -> u64 {
        let (group, die) = self.place(block, page);
        let channel = self.channel(die);
        let sent = self.bus[channel].take(self.die_busy[die].max(at), self.transfer_ns);
        self.register[die] = EMPTY;
        let last = page - group * self.group == self.group - 1;
        let done = if last { sent + self.programming_ns(block, group) } else { sent };
        self.die_busy[die] = done;
        done
    }

    /// Reads `sources`, blocks and pages, each as early as `at`, and then programs them to the pages from
    /// `target` on: no read waits for a program. On one simple die the times just add up.
    pub(super) fn copies(
        &mut self,
        sources: impl ExactSizeIterator<Item = (u32, u32)>,
        (block, page): (u32, u32),
        at: u64,
    ) {
        if self.simple {
            let copy_ns = self.read_ns[0] + self.program_ns[0] + 2 * self.transfer_ns;
            if sources.len() > 0 {
                self.die_busy[0] = self.die_busy[0].max(at) + sources.len() as u64 * copy_ns;
            }
            return;
        }
        let mut reads = std::mem::take(&mut self.reads);
        reads.extend(sources.map(|(block, page)| self.read(block, page, at)));
        for (to, read) in (page..).zip(reads.drain(..)) {
            self.program(block, to, read);
        }
        self.reads = reads;
    }

    /// All dies of the block erase at the same time.
    pub(super) fn erase(&mut self, block: u32, at: u64) -> u64 {
        let first = (self.sets.remainder(block) * self.dies_in_set) as usize;
        let mut done = at;
        for die in first..first + self.dies_in_set as usize {
            self.die_busy[die] = self.die_busy[die].max(at) + self.erase_ns;
            self.register[die] = EMPTY;
            done = done.max(self.die_busy[die]);
        }
        done
    }
}
