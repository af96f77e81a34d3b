//! The way of one request through controller, link, buffer, FTL and flash.

use std::ops::Range;

use flashscope_core::{Flags, Op, Request};
use serde::{Deserialize, Serialize};

use super::background::Background;
use super::host::{Controller, Link};
use super::oracle::{Corruption, Oracle};
use super::pending::{Pending, Served};
use super::placements::Placements;
use super::power::PowerLoss;
use super::read_ahead::ReadAhead;
use super::write_behind::WriteBehind;
use crate::buffer::{Evicted, Evictions, WriteBuffer};
use crate::ftl::{Ftl, Tombstone};
use crate::nand::{Cause, Lpn, Moment, NO_TOKEN, Nand, Token, geometry::PartialPage};
use crate::settings::Settings;

/// What the host asked for, and what the buffer did with it.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCounts {
    pub reads: u64,
    pub writes: u64,
    pub flushes: u64,
    pub trims: u64,
    /// Bytes read; reads that are ignored have none.
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Page accesses that the buffer answered, at most one for each page of a request.
    pub buffer_hits: u64,
}

/// Everything between the host and the FTL.
#[derive(Serialize, Deserialize)]
pub(super) struct Path<B> {
    pub(super) nand: Nand,
    pub(super) buffer: B,
    #[serde(skip)]
    pub(super) evictions: Evictions,
    pub(super) counts: HostCounts,
    pub(super) oracle: Option<Oracle>,
    /// Pages that left the buffer when the power was gone, saved by a capacitor.
    pub(super) rescued: Vec<Evicted>,
    /// Number of the last write.
    pub(super) token: Token,
    pub(super) controller: Controller,
    pub(super) link: Link,
    access_ns: u64,
    pub(super) behind: WriteBehind,
    background: Background,
    /// When the last command was done, where each waits for the one before; 0 otherwise.
    done_at: u64,
    command_queue: bool,
    pub(super) ahead: ReadAhead,
    placements: Placements,
    #[serde(skip)]
    pub(super) pending: Pending,
    logical_pages: u32,
    page_shift: u32,
    read_modify_write: bool,
    serve_reads: bool,
    cache_reads: bool,
    ignore_flush: bool,
    power_loss_protection: bool,
    ignore_reads: bool,
}

impl<B: WriteBuffer> Path<B> {
    pub(super) fn new(
        settings: &Settings,
        nand: Nand,
        buffer: B,
        logical_pages: u32,
        placements: u16,
    ) -> Path<B> {
        let host = &settings.host;
        Path {
            page_shift: nand.geometry().page_bytes.trailing_zeros(),
            oracle: settings.nand.data.then(|| Oracle::new(logical_pages)),
            rescued: Vec::new(),
            placements: Placements::new(placements, buffer.takes_writes(), logical_pages),
            nand,
            buffer,
            evictions: Evictions::default(),
            counts: HostCounts::default(),
            token: NO_TOKEN,
            controller: Controller::new(host),
            link: Link::new(host),
            behind: WriteBehind::new(settings),
            background: Background::new(settings),
            done_at: 0,
            command_queue: host.command_queue,
            ahead: ReadAhead::new(settings),
            pending: Pending::default(),
            logical_pages,
            access_ns: (settings.ram.access_us * 1e3).round() as u64,
            read_modify_write: settings.nand.partial_page == PartialPage::ReadModifyWrite,
            serve_reads: settings.ram.serve_reads,
            cache_reads: settings.ram.cache_reads,
            ignore_flush: host.ignore_flush,
            power_loss_protection: host.power_loss_protection,
            ignore_reads: host.ignore_reads,
        }
    }

    /// Whether the flash or the oracle has found something wrong, or the device has no power.
    #[inline]
    pub(super) fn has_failed(&self) -> bool {
        self.nand.fault().is_some() || self.nand.power().is_off() || self.corruption().is_some()
    }

    /// Whether an operation would change what a device holds that is read-only.
    #[inline]
    pub(super) fn is_too_worn_for(&self, op: Op) -> bool {
        self.nand.is_read_only() && matches!(op, Op::Write | Op::Trim)
    }

    pub(super) fn corruption(&self) -> Option<&Corruption> {
        self.oracle.as_ref().and_then(Oracle::corruption)
    }

    /// Counts and busy times begin anew; what the device holds stays.
    pub(super) fn restart(&mut self) {
        self.counts = HostCounts::default();
        self.evictions.victims = 0;
        self.controller.restart();
        self.link.restart();
        self.behind.restart();
        self.done_at = 0;
        self.ahead.drop_all();
        self.nand.restart();
    }

    pub(super) fn prepare<F: Ftl>(&self, ftl: &F, requests: &[Request]) {
        let first_page = |request: &Request| (request.offset_bytes >> self.page_shift) as Lpn;
        for lpn in requests.iter().map(first_page) {
            self.buffer.prepare(lpn);
            ftl.prepare(&self.nand, lpn);
        }
        for lpn in requests.iter().map(first_page) {
            ftl.prepare_mapped(&self.nand, lpn);
        }
    }

    /// When the request that comes at `at` is done. The flash has worked until then.
    #[inline]
    pub(super) fn serve<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Served {
        if self.background.is_on() || !self.command_queue {
            return self.serve_in_turn(ftl, request, at);
        }
        self.serve_now(ftl, request, at)
    }

    #[inline(never)] // out of the way of devices that do nothing in the background and take many commands
    fn serve_in_turn<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Served {
        let at = at.max(self.done_at);
        self.nand.timing_mut().run_until(at);
        if self.background.is_on() && !self.nand.is_read_only() {
            self.background.catch_up(ftl, &mut self.nand, request.op == Op::Read, at);
        }
        let served = self.serve_now(ftl, request, at);
        if self.command_queue {
            return served;
        }
        // No other is at work, and none comes before it is done.
        self.done_at = self.finish(served);
        Moment::at(self.done_at).into()
    }

    #[inline(always)] // it is the hot path of every device
    fn serve_now<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Served {
        match request.op {
            Op::Write => self.write(ftl, request, at).into(),
            Op::Read => self.read(ftl, request, at),
            Op::Flush => self.flush_command(ftl, at).into(),
            Op::Trim => self.trim(ftl, request, at).into(),
        }
    }

    #[inline(always)]
    fn write<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Moment {
        let Request { offset_bytes, length_bytes, flags, placement, .. } = *request;
        let accepted = self.controller.accept(at);
        let arrived = Moment::at(self.link.carry_in(length_bytes, accepted));
        let end = offset_bytes + u64::from(length_bytes);
        let (first, last) = (offset_bytes >> self.page_shift, (end - 1) >> self.page_shift);
        let whole = (offset_bytes | end) & ((1 << self.page_shift) - 1) == 0;
        self.counts.writes += 1;
        self.counts.written_bytes += u64::from(length_bytes);
        let through = flags.0 & Flags::FUA.0 != 0 && !self.power_loss_protection;
        let written = if whole && first == last {
            self.write_page(ftl, first as Lpn, placement, through, arrived)
        } else {
            self.write_pages(ftl, offset_bytes..end, placement, through, arrived)
        };
        if through { ftl.flush(&mut self.nand, written) } else { written }
    }

    #[inline(never)] // out of the way of single pages
    fn write_pages<F: Ftl>(
        &mut self,
        ftl: &mut F,
        bytes: Range<u64>,
        placement: u16,
        through: bool,
        at: Moment,
    ) -> Moment {
        let mut done = at;
        for page in bytes.start >> self.page_shift..=(bytes.end - 1) >> self.page_shift {
            let mut ready = at;
            if self.read_modify_write && self.is_partial(page, bytes.start, bytes.end) {
                ready = self.read_rest(ftl, page as Lpn, at);
            }
            let written = self.write_page(ftl, page as Lpn, placement, through, ready);
            done = self.nand.both(done, written);
        }
        done
    }

    fn is_partial(&self, page: u64, offset_bytes: u64, end_bytes: u64) -> bool {
        page << self.page_shift < offset_bytes || (page + 1) << self.page_shift > end_bytes
    }

    #[inline]
    pub(super) fn write_through<F: Ftl>(&mut self, ftl: &mut F, lpn: Lpn) {
        self.write_page(ftl, lpn, 0, true, Moment::START);
    }

    #[inline]
    fn write_page<F: Ftl>(
        &mut self,
        ftl: &mut F,
        lpn: Lpn,
        placement: u16,
        through: bool,
        at: Moment,
    ) -> Moment {
        self.token += 1;
        let token = self.token;
        self.ahead.drop_all();
        let done = if through || !self.buffer.takes_writes() {
            let done = ftl.write_placed(&mut self.nand, lpn, placement, token, Cause::Host, at);
            if self.buffer.takes_writes() {
                self.placements.note(lpn, placement);
                self.discard(lpn);
            }
            done
        } else {
            self.placements.note(lpn, placement);
            self.write_buffered(ftl, lpn, token, at)
        };
        if self.oracle.is_some() {
            self.acknowledge(lpn, token, through);
        }
        done
    }

    #[inline(never)] // out of the way of devices without a buffer
    fn write_buffered<F: Ftl>(&mut self, ftl: &mut F, lpn: Lpn, token: Token, at: Moment) -> Moment {
        let hit = self.buffer.write(lpn, token, &mut self.evictions);
        self.counts.buffer_hits += u64::from(hit);
        let pages = self.evictions.pages.len() as u32;
        let written = self.write_back(ftl, at);
        // What is written again has its room already.
        let ready =
            if hit && pages == 0 { at } else { self.behind.room_at(&mut self.nand, pages, at, written) };
        self.nand.later(ready, self.access_ns)
    }

    /// A write is done, unless the power went in its course.
    #[cold]
    #[inline(never)]
    fn acknowledge(&mut self, lpn: Lpn, token: Token, through: bool) {
        if let Some(oracle) = &mut self.oracle
            && !self.nand.power().is_off()
        {
            oracle.wrote(lpn, token, through);
        }
    }

    /// Writes what the buffer evicted. Returns when it is in the flash.
    #[inline]
    fn write_back<F: Ftl>(&mut self, ftl: &mut F, at: Moment) -> Moment {
        let mut done = at;
        for i in 0..self.evictions.pages.len() {
            let page = self.evictions.pages[i];
            let written = if page.missing {
                let read = ftl.read(&mut self.nand, page.lpn, Cause::Padding, at);
                let placement = self.placements.of(page.lpn);
                ftl.write_placed(&mut self.nand, page.lpn, placement, read.token, Cause::Padding, read.done)
            } else {
                self.write_evicted(ftl, page.lpn, page.token, at)
            };
            done = self.nand.both(done, written);
        }
        if self.nand.power().is_off() {
            self.rescued.extend(self.evictions.pages.iter().filter(|page| !page.missing));
        }
        self.evictions.pages.clear();
        done
    }

    fn read<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Served {
        let Request { offset_bytes, length_bytes, .. } = *request;
        self.counts.reads += 1;
        if self.ignore_reads {
            return Moment::at(at).into();
        }
        self.counts.read_bytes += u64::from(length_bytes);
        let end = offset_bytes + u64::from(length_bytes);
        let (first, last) = (offset_bytes >> self.page_shift, (end - 1) >> self.page_shift);
        let accepted = Moment::at(self.controller.accept(at));
        let mut ready = accepted;
        for page in first..=last {
            let read = self.read_page(ftl, page as Lpn, accepted);
            ready = self.nand.both(ready, read);
        }
        if self.ahead.is_on() {
            self.read_ahead(ftl, first as Lpn, last as Lpn, ready);
        }
        if let Some(block) = self.nand.take_disturbed() {
            ftl.refresh(&mut self.nand, block, ready);
        }
        if self.nand.timing().books() {
            return Moment::at(self.link.carry_out(length_bytes, ready.known_ns().unwrap_or(0))).into();
        }
        Served { done: ready, carry_bytes: if self.link.is_free() { 0 } else { length_bytes } }
    }

    #[inline(never)]
    fn read_ahead<F: Ftl>(&mut self, ftl: &mut F, first: Lpn, last: Lpn, at: Moment) {
        for lpn in self.ahead.after(first, last, self.logical_pages) {
            // What the buffer holds may be newer than the flash.
            if self.buffer.read(lpn).is_some() {
                return;
            }
            let read = ftl.read(&mut self.nand, lpn, Cause::Host, at);
            self.ahead.push(read);
        }
    }

    fn read_page<F: Ftl>(&mut self, ftl: &mut F, lpn: Lpn, at: Moment) -> Moment {
        if self.serve_reads
            && let Some(token) = self.buffer.read(lpn)
        {
            self.counts.buffer_hits += 1;
            self.check(lpn, token);
            return self.nand.later(at, self.access_ns);
        }
        if self.ahead.is_on()
            && let Some(read) = self.ahead.take(lpn)
        {
            self.check(lpn, read.token);
            let there = self.nand.both(at, read.done);
            return self.nand.later(there, self.access_ns);
        }
        // A page that the buffer holds and may not serve must be in flash first.
        let at = if self.serve_reads { at } else { self.make_durable(ftl, lpn, at) };
        let read = ftl.read(&mut self.nand, lpn, Cause::Host, at);
        self.check(lpn, read.token);
        if self.cache_reads {
            self.buffer.offer(lpn, read.token, &mut self.evictions);
            self.write_back(ftl, read.done);
        }
        read.done
    }

    /// What a write in part leaves of a page. The host did not ask for it: it is no hit, and no reason to
    /// keep the page.
    fn read_rest<F: Ftl>(&mut self, ftl: &mut F, lpn: Lpn, at: Moment) -> Moment {
        let (token, done) = match self.buffer.read(lpn) {
            Some(token) => (token, self.nand.later(at, self.access_ns)),
            None => {
                let read = ftl.read(&mut self.nand, lpn, Cause::Host, at);
                (read.token, read.done)
            }
        };
        self.check(lpn, token);
        done
    }

    fn make_durable<F: Ftl>(&mut self, ftl: &mut F, lpn: Lpn, at: Moment) -> Moment {
        let Some(token) = self.buffer.read(lpn) else { return at };
        let done = self.write_evicted(ftl, lpn, token, at);
        self.discard(lpn);
        done
    }

    /// A page that was in the buffer, with the handle that the host gave it.
    #[inline]
    pub(super) fn write_evicted<F: Ftl>(
        &mut self,
        ftl: &mut F,
        lpn: Lpn,
        token: Token,
        at: Moment,
    ) -> Moment {
        let placement = self.placements.of(lpn);
        ftl.write_placed(&mut self.nand, lpn, placement, token, Cause::Host, at)
    }

    /// The page is in flash now, or nowhere; not if the power went on the way.
    fn discard(&mut self, lpn: Lpn) {
        if !self.nand.power().is_off() {
            self.buffer.discard(lpn);
        }
    }

    fn check(&mut self, lpn: Lpn, token: Token) {
        if let Some(oracle) = &mut self.oracle
            && !self.nand.power().is_off()
        {
            oracle.read(lpn, token);
        }
    }

    fn flush_command<F: Ftl>(&mut self, ftl: &mut F, at: u64) -> Moment {
        self.counts.flushes += 1;
        if self.ignore_flush {
            return Moment::at(at);
        }
        let accepted = Moment::at(self.controller.accept(at));
        if self.power_loss_protection {
            self.note_flush();
            return accepted;
        }
        self.flush(ftl, accepted)
    }

    /// What was acknowledged must be found again from now on.
    fn note_flush(&mut self) {
        if let Some(oracle) = &mut self.oracle
            && !self.nand.power().is_off()
        {
            oracle.flushed();
        }
    }

    /// Everything that was acknowledged is in flash when it is done.
    pub(super) fn flush<F: Ftl>(&mut self, ftl: &mut F, at: Moment) -> Moment {
        self.buffer.flush(&mut self.evictions);
        let written = self.write_back(ftl, at);
        let empty = self.behind.empty_at(&mut self.nand);
        let written = self.nand.both(written, empty);
        let done = ftl.flush(&mut self.nand, written);
        self.note_flush();
        done
    }

    /// The journal of trims; none outside token mode.
    pub(super) fn trims(&self) -> Option<Vec<Tombstone>> {
        self.oracle.as_ref().map(Oracle::trims)
    }

    /// After a loss of power nothing waits for a flush.
    pub(super) fn forget_pending(&mut self) {
        if let Some(oracle) = &mut self.oracle {
            oracle.recovered_all();
        }
    }

    /// The page that a rebuild found, against what it may be.
    pub(super) fn judge(&mut self, lpn: Lpn, found: Token, loss: &mut PowerLoss) {
        if let Some(oracle) = &mut self.oracle {
            oracle.recovered(lpn, found, loss);
        }
    }

    /// Pages that the range covers whole.
    fn trim<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> Moment {
        let accepted = Moment::at(self.controller.accept(at));
        self.counts.trims += 1;
        let end = request.offset_bytes + u64::from(request.length_bytes);
        let first = request.offset_bytes.div_ceil(1 << self.page_shift);
        for page in first..end >> self.page_shift {
            let lpn = page as Lpn;
            self.token += 1;
            self.ahead.drop_all();
            if let Some(oracle) = &mut self.oracle
                && !self.nand.power().is_off()
            {
                oracle.trimmed(lpn, self.token);
            }
            self.discard(lpn);
            ftl.trim(&mut self.nand, lpn, accepted);
        }
        accepted
    }
}
