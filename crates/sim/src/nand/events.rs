//! Time by events: operations wait in queues of their dies, and time is what comes of it.
//!
//! The FTL says at once what is to be done, in order; what it reads, programs and erases is settled then.
//! When each operation is done comes out later, as the clock of the device advances, by these rules:
//!
//! - A die works on one operation at a time, and is held through its transfer. When it is free, it takes the
//!   *oldest operation that is ready*. Ready is what waits for nothing more: its data have come from the
//!   host, the page that it copies has been read. So a read is not held up by a program whose data are still
//!   being read on another die. Programs and erases of a die stay in order, as flash asks for it.
//! - Where it takes the data of the next program beside the one at work, it is free for that once the one
//!   before is done; whatever else needs its cells keeps its turn and waits for them.
//! - A bus carries one page at a time, the first that is ready first, and is busy whenever one waits.
//! - A read of a page that is in the die's register takes the bus alone; the last page of a group that
//!   arrives starts the program of all.
//!
//! How it works. An operation has a running number, its [`Moment`] until its end is known. What waits for a
//! moment (an operation, the later of two moments, a request of the host) is a node in a list of that moment;
//! all nodes lie in one [`Ring`], so that nothing is allocated on the way. Each die has one next event, the
//! end of a sensing or the next time at which it can begin something, and an [`Agenda`] knows the first of
//! all. A bus has no events: it is booked when a page is ready for it, and that is in the order of time
//! already. Where nothing can come between any more, a die's next read begins without an event. A die with a
//! bus of its own needs none at all for what is ready before it is free: only older operations could go
//! first, and of those there are none.
//!
//! What is asked for at a time that has passed, as work in the background is, begins then if its die was
//! free, and does not overtake what used the bus since.

mod agenda;
mod die;
mod priority;
mod ring;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::booking::{Booking, EMPTY};
use super::moment::Moment;
use super::times::{Place, Times};
use agenda::{Agenda, NEVER};
use die::Die;
use ring::{Id, Kind, NO_LINK, Node, Ring, link_to};

/// No operation.
const NOTHING: Id = 0;

/// The queues of the flash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Events {
    /// What was before this is settled.
    now_ns: u64,
    /// Whether no die waits for the bus of another, and none is overtaken.
    is_each_alone: bool,
    dies: Vec<Die>,
    /// When each bus is free.
    bus_free_ns: Vec<u64>,
    agenda: Agenda,
    ring: Ring,
    /// Nodes that wait for nothing more and were not looked at.
    settled: Vec<Id>,
    /// Dies for which some of them wait.
    touched: Vec<u16>,
    /// Requests of which the end is known: their number, and when it is.
    told: VecDeque<(u32, u64)>,
}

impl Events {
    /// Goes on where everything was booked so far.
    pub(super) fn after(booking: &Booking, times: &Times) -> Events {
        let die = |number: usize| {
            let channel = times.channel(number) as u32;
            Die::idle_from(booking.die_busy[number], booking.register[number], channel)
        };
        let dies = times.dies as usize;
        Events {
            now_ns: 0,
            is_each_alone: times.has_bus_each() && !times.scheduler.reads_first,
            dies: (0..dies).map(die).collect(),
            bus_free_ns: booking.bus.iter().map(crate::line::Line::idle_from).collect(),
            agenda: Agenda::new(dies),
            ring: Ring::new(),
            settled: Vec::new(),
            touched: Vec::new(),
            told: VecDeque::new(),
        }
    }

    /// The time of a moment, if it is known by now.
    #[inline]
    pub(super) fn known_ns(&self, moment: Moment) -> Option<u64> {
        match moment.id() {
            None => moment.known_ns(),
            Some(id) => self.ring.end_of(id),
        }
    }

    /// Adds a node that waits for `at`, or for nothing. True in the second case.
    #[inline]
    fn push(&mut self, node: Node, at: Moment) -> (Id, bool) {
        let id = self.ring.push(node, self.now_ns);
        match self.known_ns(at) {
            Some(ns) => self.ring.get(id).ns = ns,
            None => self.ring.wait(id, 0, at.id().unwrap_or(id)),
        }
        (id, self.ring.get(id).ns != NEVER)
    }

    /// `is_urgent` if it goes first where reads have priority.
    pub(super) fn read(&mut self, times: &Times, place: Place, is_urgent: bool, at: Moment) -> Moment {
        let Place { block, group, die } = place;
        if self.is_each_alone
            && let Some(ns) = self.known_ns(at)
            && let Some(start_ns) = self.can_begin(die, ns)
        {
            let start_ns = self.dies[die].cells_free_ns(start_ns);
            let sensed_ns = start_ns + self.load_register(times, die, (block, group));
            return Moment::at(self.send(times, die, sensed_ns));
        }
        let kind = if is_urgent && times.scheduler.reads_first { Kind::UrgentRead } else { Kind::Read };
        let (id, is_ready) = self.push(Node::new(kind, die, block, group), at);
        if is_ready {
            self.read_is_ready(times, id, die);
        } else {
            self.dies[die].unready_reads += 1;
        }
        Moment::end_of(id)
    }

    /// `program_ns` is 0 for a page that starts no program.
    pub(super) fn program(&mut self, times: &Times, die: usize, program_ns: u64, at: Moment) -> Moment {
        if Events::suspend_ns(times, Kind::Program, program_ns).is_none()
            && let Some(ns) = self.known_ns(at)
            && let Some(start_ns) = self.can_begin(die, ns)
        {
            self.dies[die].register = EMPTY;
            self.send(times, die, start_ns);
            return Moment::at(self.start_program(times, die, program_ns));
        }
        let (id, _) = self.push(Node::new(Kind::Program, die, program_ns as u32, 0), at);
        self.dies[die].programs.push_back(id);
        self.schedule(times, die);
        Moment::end_of(id)
    }

    /// All dies of the block erase, each when it is free.
    pub(super) fn erase(&mut self, times: &Times, block: u32, at: Moment) -> Moment {
        let dies = times.dies_of(block);
        if dies.len() == 1 {
            return self.occupy(times, (Kind::Erase, times.erasing_ns(block), NO_LINK), dies.start, at);
        }
        let mut whole = Node::new(Kind::Join, 0, 0, dies.len() as u32);
        whole.ns = 0;
        let whole = self.ring.push(whole, self.now_ns);
        for die in dies {
            let part = self.occupy(times, (Kind::Erase, times.erasing_ns(block), link_to(whole)), die, at);
            if let Some(ns) = part.known_ns() {
                self.part_ended(whole, ns);
            }
        }
        self.settle(times);
        Moment::end_of(whole)
    }

    /// Programs what is in the register of a die.
    pub(super) fn finish(&mut self, times: &Times, die: usize, program_ns: u64, at: Moment) -> Moment {
        self.occupy(times, (Kind::Finish, program_ns, NO_LINK), die, at)
    }

    /// A die works without its bus: at what, how long, and a link to what that is a part of.
    fn occupy(
        &mut self,
        times: &Times,
        (kind, ns, whole): (Kind, u64, u32),
        die: usize,
        at: Moment,
    ) -> Moment {
        if Events::suspend_ns(times, kind, ns).is_none()
            && let Some(at_ns) = self.known_ns(at)
            && let Some(start_ns) = self.can_begin(die, at_ns)
        {
            let state = &mut self.dies[die];
            state.free_ns = state.cells_free_ns(start_ns) + ns;
            state.register = EMPTY;
            return Moment::at(state.free_ns);
        }
        let (id, _) = self.push(Node::new(kind, die, whole, ns as u32), at);
        self.dies[die].programs.push_back(id);
        self.schedule(times, die);
        Moment::end_of(id)
    }

    fn part_ended(&mut self, whole: Id, ns: u64) {
        if self.ring.get(whole).one_ended(ns) {
            self.settled.push(whole);
        }
    }

    /// When both are over.
    pub(super) fn both(&mut self, one: Moment, other: Moment) -> Moment {
        let (one, other) = if self.known_ns(one).is_some() { (other, one) } else { (one, other) };
        match (self.known_ns(one), self.known_ns(other)) {
            (Some(a), Some(b)) => Moment::at(a.max(b)),
            // What has not ended ends later than that.
            (None, Some(b)) if b <= self.now_ns => one,
            (None, None) if one == other => one,
            (_, known) => {
                let mut join = Node::new(Kind::Join, 0, 0, 0);
                join.ns = known.unwrap_or(0);
                let id = self.ring.push(join, self.now_ns);
                for (place, moment) in (0..).zip([one, other]) {
                    if self.known_ns(moment).is_none() {
                        self.ring.wait(id, place, moment.id().unwrap_or(id));
                    }
                }
                Moment::end_of(id)
            }
        }
    }

    /// So many nanoseconds after `moment`.
    pub(super) fn later(&mut self, moment: Moment, ns: u64) -> Moment {
        match self.known_ns(moment) {
            _ if ns == 0 => moment,
            Some(at_ns) => Moment::at(at_ns + ns),
            None => Moment::end_of(self.push(Node::new(Kind::Later, 0, ns as u32, 0), moment).0),
        }
    }

    /// Reports when `moment` is, as the end of request number `request`.
    pub(super) fn tell(&mut self, request: u32, moment: Moment) {
        match self.known_ns(moment) {
            Some(ns) => self.told.push_back((request, ns)),
            None if moment.id().is_some_and(|id| self.ring.tell(id, request)) => {}
            None => _ = self.push(Node::new(Kind::Request, 0, request, 0), moment),
        }
    }

    /// The next request of which the end is known, and when it is.
    #[inline]
    pub(super) fn next_told(&mut self) -> Option<(u32, u64)> {
        self.told.pop_front()
    }

    /// When the next event is.
    #[inline]
    pub(super) fn next_ns(&self) -> u64 {
        self.agenda.first().0
    }

    /// Everything up to `until_ns` happens.
    pub(super) fn run_until(&mut self, times: &Times, until_ns: u64) {
        while self.agenda.first().0 <= until_ns {
            self.step(times);
        }
        self.now_ns = self.now_ns.max(until_ns);
    }

    /// Everything happens that comes before the time of `moment` is known.
    pub(super) fn run_until_known(&mut self, times: &Times, moment: Moment) -> u64 {
        loop {
            match self.known_ns(moment) {
                Some(ns) => return ns,
                None if self.next_ns() == NEVER => {
                    debug_assert!(false, "nothing happens any more, and {moment:?} has not come");
                    return self.now_ns;
                }
                None => self.step(times),
            }
        }
    }

    /// From when on these dies are idle; none if they are not. All dies, and the buses, if none are named.
    pub(super) fn idle_from(&self, dies: Option<impl Iterator<Item = usize>>) -> Option<u64> {
        let idle_from = |die: &Die| die.is_quiet().then_some(die.cells_free_ns(die.free_ns));
        match dies {
            Some(mut dies) => dies.try_fold(0, |last: u64, die| Some(last.max(idle_from(&self.dies[die])?))),
            None => {
                let bus = self.bus_free_ns.iter().copied().max().unwrap_or(0);
                self.dies.iter().try_fold(bus, |last, die| Some(last.max(idle_from(die)?)))
            }
        }
    }

    /// The next event happens.
    pub(super) fn step(&mut self, times: &Times) {
        let (ns, die) = self.agenda.first();
        self.now_ns = self.now_ns.max(ns);
        if self.dies[die].sensing == NOTHING {
            self.begin(times, die, ns);
        } else {
            let read = std::mem::replace(&mut self.dies[die].sensing, NOTHING);
            let end_ns = self.send(times, die, ns);
            self.end(read, end_ns);
            self.schedule(times, die);
        }
        self.settle(times);
    }

    /// The bus of a die that is ready at `ready_ns` carries a page. Returns when it has; the die is free
    /// then.
    #[inline]
    fn send(&mut self, times: &Times, die: usize, ready_ns: u64) -> u64 {
        let state = &mut self.dies[die];
        let bus = &mut self.bus_free_ns[state.channel as usize];
        *bus = ready_ns.max(*bus) + times.transfer_ns;
        state.free_ns = *bus;
        *bus
    }

    /// All data of a program have come. Returns when it is done; what can take more data meanwhile is free
    /// once the one before is.
    #[inline]
    fn start_program(&mut self, times: &Times, die: usize, program_ns: u64) -> u64 {
        let state = &mut self.dies[die];
        if times.cache_program && program_ns > 0 {
            state.free_ns = state.cells_free_ns(state.free_ns);
            state.array_ns = state.free_ns + program_ns;
            return state.array_ns;
        }
        state.free_ns += program_ns;
        state.free_ns
    }

    /// When something that nobody is before begins if it is ready at `ns`; none if that is not known, since
    /// it is not now.
    #[inline]
    fn can_begin(&self, die: usize, ns: u64) -> Option<u64> {
        let state = &self.dies[die];
        let start_ns = state.free_ns.max(ns);
        let is_now = start_ns <= self.now_ns;
        let is_next = self.is_each_alone && ns <= state.free_ns && state.unready_reads == 0;
        ((is_now || is_next) && state.is_waiting()).then_some(start_ns)
    }

    fn read_is_ready(&mut self, times: &Times, id: Id, die: usize) {
        let ns = self.ring.get(id).ns;
        if let Some(start_ns) = self.can_begin(die, ns) {
            self.sense(times, id, die, start_ns);
            return;
        }
        self.enqueue(times, id, die);
        self.schedule(times, die);
    }

    /// A read begins: nothing of its page is on the bus yet.
    #[inline]
    fn sense(&mut self, times: &Times, id: Id, die: usize, start_ns: u64) {
        let Node { a: block, b: group, .. } = *self.ring.get(id);
        let start_ns = self.dies[die].cells_free_ns(start_ns);
        let ns = self.load_register(times, die, (block, group));
        self.dies[die].sensing = id;
        self.agenda.set(die, start_ns + ns);
    }

    /// Puts a group into the register of a die. Returns how long that takes: none if it is there already.
    #[inline]
    fn load_register(&mut self, times: &Times, die: usize, group: (u32, u32)) -> u64 {
        let sensed = Place::held(group);
        let before = std::mem::replace(&mut self.dies[die].register, sensed);
        let is_held = times.group > 1 && before == group;
        if is_held { 0 } else { times.sensing_ns(sensed.1) }
    }

    /// Sets the next event of a die whose queues have changed.
    #[inline]
    fn schedule(&mut self, times: &Times, die: usize) {
        let state = &mut self.dies[die];
        if state.sensing != NOTHING {
            return;
        }
        if times.scheduler.reads_first {
            self.schedule_by_priority(times, die);
            return;
        }
        let program = state.programs.front().copied();
        if let Some(&oldest) = state.ready.front()
            && state.unready_reads == 0
            && state.later.is_empty()
            && program.is_none_or(|program| program > oldest)
        {
            // Nothing that is older can be ready before the die is free.
            state.ready.pop_front();
            let start_ns = state.free_ns.max(self.ring.get(oldest).ns);
            self.sense(times, oldest, die, start_ns);
            return;
        }
        let program_ns = program.map_or(NEVER, |program| self.ring.get(program).ns);
        let state = &self.dies[die];
        let later_ns = state.later.front().map_or(NEVER, |(ns, _)| *ns);
        let ready_ns = state.ready.front().map_or(NEVER, |ready| self.ring.get(*ready).ns);
        let first_ns = program_ns.min(later_ns).min(ready_ns).max(state.free_ns);
        if first_ns != self.agenda.of(die) {
            self.agenda.set(die, first_ns);
        }
    }

    /// The die is free, and takes the oldest operation that is ready, or what has priority.
    fn begin(&mut self, times: &Times, die: usize, now_ns: u64) {
        while let Some(&(ns, id)) = self.dies[die].later.front()
            && ns <= now_ns
        {
            self.dies[die].later.pop_front();
            self.enqueue_ready(die, id);
        }
        if times.scheduler.reads_first {
            self.begin_by_priority(times, die, now_ns);
            return;
        }
        match self.oldest_ready(die, now_ns) {
            Some(id) => self.take(times, die, id, now_ns),
            None => self.schedule(times, die),
        }
    }

    /// The oldest operation that is ready, but for reads that have priority.
    #[inline]
    fn oldest_ready(&mut self, die: usize, now_ns: u64) -> Option<Id> {
        let state = &self.dies[die];
        let (read, program) = (state.ready.front().copied(), state.programs.front().copied());
        let program = program.filter(|program| self.ring.get(*program).ns <= now_ns);
        program.filter(|program| read.is_none_or(|read| *program < read)).or(read)
    }

    /// That operation begins.
    #[inline]
    fn take(&mut self, times: &Times, die: usize, id: Id, now_ns: u64) {
        let state = &mut self.dies[die];
        if state.programs.front() == Some(&id) {
            state.programs.pop_front();
            self.alter(times, die, id, now_ns);
            self.schedule(times, die);
        } else {
            state.ready.pop_front();
            state.overtaking = 0;
            self.sense(times, id, die, now_ns);
        }
    }

    /// A program or an erase begins. Its end is known, unless it can be suspended.
    fn alter(&mut self, times: &Times, die: usize, id: Id, now_ns: u64) {
        let Node { kind, a, b, .. } = *self.ring.get(id);
        self.dies[die].register = EMPTY;
        let (from_ns, end_ns, ns) = match kind {
            Kind::Program => {
                let (from_ns, ns) = (self.send(times, die, now_ns), u64::from(a));
                (from_ns, self.start_program(times, die, ns), ns)
            }
            _ => {
                let (from_ns, ns) = (self.dies[die].cells_free_ns(now_ns), u64::from(b));
                self.dies[die].free_ns = from_ns + ns;
                (from_ns, from_ns + ns, ns)
            }
        };
        match Events::suspend_ns(times, kind, ns) {
            Some(suspend_ns) => self.work(die, id, from_ns, suspend_ns),
            None => {
                self.dies[die].overtaking = 0;
                self.altered(id, end_ns);
            }
        }
    }

    /// The end of a program or an erase is known.
    #[inline]
    fn altered(&mut self, id: Id, end_ns: u64) {
        let Node { kind, a, .. } = *self.ring.get(id);
        self.end(id, end_ns);
        if kind == Kind::Erase && a != NO_LINK {
            let (whole, _) = self.ring.at(a);
            self.part_ended(whole, end_ns);
        }
    }
}
