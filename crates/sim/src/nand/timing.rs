//! How long flash operations take, and when they are done.
//!
//! There are two ways to the same times ([`BackEnd`]). By events is the model: queues of the dies, and a bus
//! that carries what is ready. Booking knows the end of an operation when it is asked for; where that is
//! exact, devices use it, since it is faster. FTLs and buffers do not see which is at work.
//!
//! Planes of a die work as one. The die is busy during its own transfers, so the time of a host write on the
//! bottleneck die is A tPROG + (A-1) tR + (A/b) tBERS + (2A-1) tXFER (reference: utilisation law of a closed
//! loop).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::booking::Booking;
use super::events::Events;
use super::geometry::NandSettings;
use super::moment::Moment;
use super::scheduler::{Scheduler, SchedulerSettings};
use super::times::{Place, Times};

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

/// Which way leads to the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BackEnd {
    /// Every operation takes its die and its bus when it is asked for.
    Booking,
    /// Operations wait in queues.
    Events,
}

/// Operation times and what is busy until when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    times: Times,
    back_end: BackEnd,
    booking: Booking,
    /// None while everything is booked.
    events: Option<Box<Events>>,
    /// Where one die with one time for each operation is booked: of a read and of a program, with the
    /// transfer.
    simple: Option<(u64, u64)>,
    /// When the pages that are being copied are read, or where they are if they do not leave their die; here
    /// so that no copy allocates.
    #[serde(skip)]
    reads: Vec<Result<Moment, (u32, u32)>>,
}

impl Timing {
    /// Idle flash with the times of these settings. It books until requests come.
    pub fn new(nand: &NandSettings) -> Timing {
        Timing::of(Times::new(nand), BackEnd::Booking)
    }

    fn of(times: Times, back_end: BackEnd) -> Timing {
        let booking = Booking::new(&times);
        let mut timing = Timing { times, back_end, booking, events: None, simple: None, reads: Vec::new() };
        timing.restart();
        timing
    }

    /// Blocks from `first` on are in SLC mode.
    pub(crate) fn with_slc(self, first: u32, read_us: f64, program_us: f64) -> Timing {
        Timing::of(self.times.with_slc(first, read_us, program_us), self.back_end)
    }

    /// What waits for a die goes in that order. Queues alone know orders.
    pub(crate) fn with_scheduler(mut self, scheduler: &SchedulerSettings) -> Timing {
        self.times.scheduler = Scheduler::new(scheduler);
        self
    }

    /// What requests begin with.
    pub(crate) fn with_back_end(self, back_end: BackEnd) -> Timing {
        Timing { back_end, ..self }
    }

    /// What is at work once the device serves requests.
    pub fn back_end(&self) -> BackEnd {
        self.back_end
    }

    /// What programs and erases of each block take, as factors of the times of a new one.
    pub(super) fn wear(&mut self, factors: Vec<(f64, f64)>) {
        self.times.wear = factors;
        self.restart();
    }

    /// The same of one block, where they depend on use.
    pub(super) fn wear_of(&mut self, block: u32, factors: (f64, f64)) {
        self.times.wear[block as usize] = factors;
    }

    /// All dies, as far as they work on their own.
    pub(super) fn dies(&self) -> u32 {
        self.times.dies
    }

    /// The dies of a block.
    pub(super) fn dies_of(&self, block: u32) -> std::ops::Range<usize> {
        self.times.dies_of(block)
    }

    /// Where a page lies, and with which others it is programmed.
    pub(super) fn die_and_group(&self, block: u32, page: u32) -> (usize, u32) {
        let Place { die, group, .. } = self.times.place(block, page);
        (die, group)
    }

    /// An erased block is in SLC mode from now on, or no more.
    pub(super) fn set_slc(&mut self, block: u32, is_slc: bool) {
        self.times.set_slc(block, is_slc);
    }

    /// Whether a block is never in another mode than SLC.
    pub(super) fn is_always_slc(&self, block: u32) -> bool {
        self.times.is_always_slc(block)
    }

    /// Whether a block is in SLC mode.
    pub fn is_slc(&self, block: u32) -> bool {
        self.times.is_slc(block)
    }

    /// Everything is idle, and it is time zero again. What is done now, before requests come, is booked.
    pub fn restart(&mut self) {
        self.booking.restart();
        self.events = None;
        let transfer_ns = self.times.transfer_ns;
        let simple = self.times.of_one_kind().filter(|_| self.times.dies == 1);
        self.simple = simple.map(|(read, program)| (read + transfer_ns, program + transfer_ns));
    }

    /// From here on requests come.
    pub(crate) fn begin(&mut self) {
        if self.back_end == BackEnd::Events {
            self.events = Some(Box::new(Events::after(&self.booking, &self.times)));
            self.simple = None;
        }
    }

    /// From when on the flash is idle; none if it is not, and when it will be is not known yet.
    pub fn idle_from(&self) -> Option<u64> {
        self.bank_idle_from(0, 1)
    }

    /// From when on one of `banks` equal parts of the dies is idle: part `bank` has every set of dies whose
    /// number leaves that rest. All dies, where they cannot be parted so. None as in [`Timing::idle_from`].
    pub fn bank_idle_from(&self, bank: u32, banks: u32) -> Option<u64> {
        let dies = self.times.dies_of_bank(bank, banks);
        match (&self.events, dies) {
            (Some(events), dies) => events.idle_from(dies),
            (None, None) => Some(self.booking.idle_from()),
            (None, Some(dies)) => dies.map(|die| self.booking.die_busy[die]).max().or(Some(0)),
        }
    }

    /// Sets of dies that work on blocks of their own: block `b` lies on set `b % die_sets`. One if each block
    /// is spread over all dies.
    pub fn die_sets(&self) -> u32 {
        self.times.die_sets()
    }

    /// `is_urgent` if it goes first where reads have priority.
    #[inline]
    pub(super) fn read(&mut self, block: u32, page: u32, is_urgent: bool, at: Moment) -> Moment {
        if let Some((read_ns, _)) = self.simple {
            return self.take_the_die(read_ns, at);
        }
        self.read_on_its_die(block, page, is_urgent, at)
    }

    /// One die, one time: the end of the last operation is all there is to know.
    #[inline]
    fn take_the_die(&mut self, ns: u64, at: Moment) -> Moment {
        let busy_ns = &mut self.booking.die_busy[0];
        *busy_ns = (*busy_ns).max(at.ns()) + ns;
        Moment::at(*busy_ns)
    }

    /// Reads a page once more, with other voltages: what the die holds of it is of no use.
    pub(super) fn read_again(&mut self, block: u32, page: u32, is_urgent: bool, at: Moment) -> Moment {
        self.read_at(self.times.place(block, page).again(), is_urgent, at)
    }

    #[inline(never)] // out of the way of one simple die
    fn read_on_its_die(&mut self, block: u32, page: u32, is_urgent: bool, at: Moment) -> Moment {
        self.read_at(self.times.place(block, page), is_urgent, at)
    }

    #[inline]
    fn read_at(&mut self, place: Place, is_urgent: bool, at: Moment) -> Moment {
        let Timing { times, booking, events, .. } = self;
        match events {
            Some(events) => events.read(times, place, is_urgent, at),
            None => Moment::at(booking.read(times, place, at.ns())),
        }
    }

    /// The data of a group travel page by page; its last page starts the program. Until then a page is done
    /// when it is in the register.
    #[inline]
    pub(super) fn program(&mut self, block: u32, page: u32, at: Moment) -> Moment {
        if let Some((_, program_ns)) = self.simple {
            return self.take_the_die(program_ns, at);
        }
        self.program_on_its_die(block, page, at)
    }

    #[inline(never)] // out of the way of one simple die
    fn program_on_its_die(&mut self, block: u32, page: u32, at: Moment) -> Moment {
        let (die, ns) = (self.times.place(block, page).die, self.times.programming_ns(block, page));
        let done = self.load(die, ns, at);
        if self.times.second.is_some() {
            self.program_again(die, block, page, at);
        }
        done
    }

    /// A page travels to the register of a die, and if `program_ns` is not 0 what is there is programmed.
    #[inline]
    fn load(&mut self, die: usize, program_ns: u64, at: Moment) -> Moment {
        let Timing { times, booking, events, .. } = self;
        match events {
            Some(events) => events.program(times, die, program_ns, at),
            None => Moment::at(booking.program(times, die, program_ns, at.ns())),
        }
    }

    /// The second passes that become possible: all pages of each group travel once more.
    #[cold]
    #[inline(never)]
    fn program_again(&mut self, die: usize, block: u32, page: u32, at: Moment) {
        let (passes, ns) = self.times.second_passes(block, page);
        for _ in 0..passes {
            for _ in 1..self.times.group {
                self.load(die, 0, at);
            }
            self.load(die, ns, at);
        }
    }

    /// Whether pages are programmed in two passes.
    pub(super) fn has_second_pass(&self) -> bool {
        self.times.second.is_some()
    }

    /// Whether the controller still has a page for its second pass.
    pub(super) fn is_between_passes(&self, block: u32, page: u32, next_page: u32) -> bool {
        self.times.is_between_passes(block, page, next_page)
    }

    /// Pages that one program operation takes.
    pub fn group_pages(&self) -> u32 {
        self.times.group
    }

    /// Programs what the register holds of the group of a page, without the rest of it.
    pub(super) fn finish(&mut self, block: u32, page: u32, at: Moment) -> Moment {
        let Place { group, die, .. } = self.times.place(block, page);
        self.work(die, self.times.group_program_ns(block, group), at)
    }

    /// A die programs for so long what is in its register.
    fn work(&mut self, die: usize, ns: u64, at: Moment) -> Moment {
        let Timing { times, booking, events, .. } = self;
        match events {
            Some(events) => events.finish(times, die, ns, at),
            None => Moment::at(booking.occupy(die, ns, at.ns())),
        }
    }

    /// Whether a page that goes from one place to the other does not leave its die.
    #[inline]
    pub(super) fn copies_back(&self, from: (u32, u32), to: (u32, u32)) -> bool {
        self.times.copies_back(from, to)
    }

    /// A die reads a page of its own and programs it to another, without its bus.
    pub(super) fn copy_back(&mut self, from: (u32, u32), to: (u32, u32), at: Moment) -> Moment {
        let source = self.times.place(from.0, from.1);
        let ns = self.times.sensing_ns(source.group) + self.times.programming_ns(to.0, to.1);
        self.work(source.die, ns, at)
    }

    /// Reads `sources`, blocks and pages, each as early as `at`, and then programs them to the pages from
    /// `target` on: no read waits for a program. What does not leave its die is read when it is programmed.
    /// On one simple die the times just add up.
    pub(super) fn copies(
        &mut self,
        sources: impl ExactSizeIterator<Item = (u32, u32)>,
        (block, page): (u32, u32),
        at: Moment,
    ) {
        if let Some((read_ns, program_ns)) = self.simple {
            if sources.len() > 0 {
                self.take_the_die(sources.len() as u64 * (read_ns + program_ns), at);
            }
            return;
        }
        let mut reads = std::mem::take(&mut self.reads);
        reads.extend(sources.zip(page..).map(|(from, to)| match self.copies_back(from, (block, to)) {
            true => Err(from),
            false => Ok(self.read(from.0, from.1, false, at)),
        }));
        for (to, read) in (page..).zip(reads.drain(..)) {
            match read {
                Ok(read) => self.program(block, to, read),
                Err(from) => self.copy_back(from, (block, to), at),
            };
        }
        self.reads = reads;
    }

    /// All dies of the block erase, each when it is free.
    pub(super) fn erase(&mut self, block: u32, at: Moment) -> Moment {
        let Timing { times, booking, events, .. } = self;
        match events {
            Some(events) => events.erase(times, block, at),
            None => Moment::at(booking.erase(times, block, at.ns())),
        }
    }

    /// The later of two moments of which one is not known.
    #[cold]
    #[inline(never)]
    pub(super) fn both(&mut self, one: Moment, other: Moment) -> Moment {
        match &mut self.events {
            Some(events) => events.both(one, other),
            None => one,
        }
    }

    /// So long after a moment that is not known.
    #[cold]
    #[inline(never)]
    pub(super) fn later(&mut self, moment: Moment, ns: u64) -> Moment {
        match &mut self.events {
            Some(events) => events.later(moment, ns),
            None => moment,
        }
    }

    /// Time of a moment that may have to come first.
    #[cold]
    #[inline(never)]
    pub(super) fn run_until_known(&mut self, moment: Moment) -> u64 {
        match &mut self.events {
            Some(events) => events.run_until_known(&self.times, moment),
            None => 0,
        }
    }

    /// The time of a moment, if it is known by now.
    pub(crate) fn known_ns(&self, moment: Moment) -> Option<u64> {
        match &self.events {
            Some(events) => events.known_ns(moment),
            None => moment.known_ns(),
        }
    }

    /// Whether the end of everything is known when it is asked for.
    #[inline]
    pub(crate) fn books(&self) -> bool {
        self.events.is_none()
    }

    /// Everything up to `ns` happens.
    #[inline]
    pub(crate) fn run_until(&mut self, ns: u64) {
        if let Some(events) = &mut self.events {
            events.run_until(&self.times, ns);
        }
    }

    /// When the next event is; never if nothing waits.
    #[inline]
    pub(crate) fn next_event_ns(&self) -> u64 {
        self.events.as_ref().map_or(u64::MAX, |events| events.next_ns())
    }

    /// The next event happens.
    #[inline]
    pub(crate) fn step(&mut self) {
        if let Some(events) = &mut self.events {
            events.step(&self.times);
        }
    }

    /// Reports when `moment` is, as the end of request number `request`.
    #[inline]
    pub(crate) fn tell(&mut self, request: u32, moment: Moment) {
        if let Some(events) = &mut self.events {
            events.tell(request, moment);
        }
    }

    /// The next request of which the end is known, and when it is.
    #[inline]
    pub(crate) fn next_told(&mut self) -> Option<(u32, u64)> {
        self.events.as_mut()?.next_told()
    }
}
