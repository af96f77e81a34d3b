//! What is done for a batch of requests: the FTL is looked up once for all of them, and the calls
//! within are direct.

use flashscope_core::{Completion, Request, TargetInfo, Time};

use super::path::Path;
use super::{QUEUE_DEPTH_MAX, Ssd, fits};
use crate::buffer::WriteBuffer;
use crate::flight::Flight;
use crate::ftl::{Ftl, FtlWork};

/// The first request that was refused, or failed.
pub(super) type Stuck<'r> = Option<&'r Request>;

/// Requests served one after the other, and what came of them.
type ServeInTurn<F, B> = for<'r> fn(&mut Ssd<F, B>, &'r [Request], &mut Vec<Completion>) -> Stuck<'r>;

/// The work of a batch, by pointers: it is compiled where a device is built, and not again by every crate
/// that uses one. `Ssd::new` and `Ssd::load` build in this crate, where all FTLs of the
/// registry are optimised.
pub(super) struct Calls<F: Ftl, B: WriteBuffer> {
    pub prepare: fn(&mut Ssd<F, B>, &[Request]),
    pub submit: for<'r> fn(&mut Ssd<F, B>, &'r [Request]) -> Stuck<'r>,
    pub serve: fn(&mut Ssd<F, B>, &Request) -> Option<u64>,
    pub serve_in_turn: ServeInTurn<F, B>,
    pub take: fn(&mut Ssd<F, B>, &Request, u64, u64) -> bool,
}

impl<F: Ftl, B: WriteBuffer> Calls<F, B> {
    pub(super) fn compiled() -> Calls<F, B> {
        Calls { prepare, submit, serve, serve_in_turn, take }
    }
}

fn prepare<F: Ftl, B: WriteBuffer>(ssd: &mut Ssd<F, B>, requests: &[Request]) {
    let Ssd { path, ftl, .. } = ssd;
    ftl.run(Prepare { path, requests });
}

fn submit<'r, F: Ftl, B: WriteBuffer>(ssd: &mut Ssd<F, B>, requests: &'r [Request]) -> Stuck<'r> {
    let Ssd { info, path, ftl, clock, flight, .. } = ssd;
    ftl.run(Submit { path, info, now: *clock, requests, flight })
}

/// The controller takes a request at `now` that came at `came_ns`. False if it was refused, or failed.
fn take<F: Ftl, B: WriteBuffer>(ssd: &mut Ssd<F, B>, request: &Request, came_ns: u64, now: u64) -> bool {
    let Ssd { path, ftl, flight, .. } = ssd;
    ftl.run(Take { path, request, came_ns, now, flight })
}

/// When the request is done that comes now; none if it failed.
fn serve<F: Ftl, B: WriteBuffer>(ssd: &mut Ssd<F, B>, request: &Request) -> Option<u64> {
    let Ssd { path, ftl, clock, .. } = ssd;
    ftl.run(Single { path, now: *clock, request })
}

fn serve_in_turn<'r, F: Ftl, B: WriteBuffer>(
    ssd: &mut Ssd<F, B>,
    requests: &'r [Request],
    out: &mut Vec<Completion>,
) -> Stuck<'r> {
    let Ssd { info, path, ftl, clock, .. } = ssd;
    ftl.run(InTurn { path, info, clock, requests, out })
}

/// Requests that come soon.
struct Prepare<'a, B> {
    path: &'a Path<B>,
    requests: &'a [Request],
}

impl<B: WriteBuffer> FtlWork for Prepare<'_, B> {
    type Output = ();

    #[inline]
    fn run<F: Ftl>(self, ftl: &mut F) {
        self.path.prepare(ftl, self.requests);
    }
}

/// Requests that come at the same time.
struct Submit<'a, 'r, B> {
    path: &'a mut Path<B>,
    info: &'a TargetInfo,
    now: u64,
    requests: &'r [Request],
    flight: &'a mut Flight,
}

impl<'r, B: WriteBuffer> FtlWork for Submit<'_, 'r, B> {
    type Output = Stuck<'r>;

    #[inline]
    fn run<F: Ftl>(self, ftl: &mut F) -> Stuck<'r> {
        let Submit { path, info, now, requests, flight } = self;
        let room = QUEUE_DEPTH_MAX as usize - flight.len() - path.pending.len();
        path.advance(now, flight);
        let taken = requests.len().min(room);
        for request in &requests[..taken] {
            if !fits(info, request) || !path.admits(ftl, request, now) {
                return Some(request);
            }
            let served = path.serve(ftl, request, now);
            path.expect(request, now, served, flight);
        }
        requests.get(taken)
    }
}

/// A request from a queue.
struct Take<'a, B> {
    path: &'a mut Path<B>,
    request: &'a Request,
    came_ns: u64,
    now: u64,
    flight: &'a mut Flight,
}

impl<B: WriteBuffer> FtlWork for Take<'_, B> {
    type Output = bool;

    fn run<F: Ftl>(self, ftl: &mut F) -> bool {
        let Take { path, request, came_ns, now, flight } = self;
        path.advance(now, flight);
        if !path.admits(ftl, request, now) {
            return false;
        }
        let served = path.serve(ftl, request, now);
        path.expect(request, came_ns, served, flight);
        true
    }
}

/// A request that comes alone.
struct Single<'a, B> {
    path: &'a mut Path<B>,
    now: u64,
    request: &'a Request,
}

impl<B: WriteBuffer> FtlWork for Single<'_, B> {
    type Output = Option<u64>;

    #[inline]
    fn run<F: Ftl>(self, ftl: &mut F) -> Option<u64> {
        self.path.nand.timing_mut().run_until(self.now);
        if !self.path.admits(ftl, self.request, self.now) {
            return None;
        }
        let served = self.path.serve(ftl, self.request, self.now);
        let done = self.path.finish(served);
        (!self.path.has_failed()).then_some(done)
    }
}

/// Requests of which each comes when the one before is done.
struct InTurn<'a, 'r, B> {
    path: &'a mut Path<B>,
    info: &'a TargetInfo,
    clock: &'a mut u64,
    requests: &'r [Request],
    out: &'a mut Vec<Completion>,
}

impl<'r, B: WriteBuffer> FtlWork for InTurn<'_, 'r, B> {
    type Output = Stuck<'r>;

    #[inline]
    fn run<F: Ftl>(self, ftl: &mut F) -> Stuck<'r> {
        let InTurn { path, info, clock, requests, out } = self;
        requests.iter().find(|request| {
            if !fits(info, request) || !path.admits(ftl, request, *clock) {
                return true;
            }
            let submitted = Time(*clock);
            path.nand.timing_mut().run_until(*clock);
            let served = path.serve(ftl, request, *clock);
            let done = path.finish(served);
            if path.has_failed() {
                return true;
            }
            *clock = done;
            out.push(Completion { tag: request.tag, submitted, completed: Time(done) });
            false
        })
    }
}
