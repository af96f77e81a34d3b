//! Commands of a device with zones that are no [`Request`]s: Zone Management Send and Zone Append (NVMe Zoned
//! Namespace Command Set 1.1). Each is in flight until [`Target::reap`] returns its tag.

use flashscope_core::{ErrorKind, Op, Request, Target, TargetError};

use super::path::Path;
use super::{QUEUE_DEPTH_MAX, Ssd};
use crate::buffer::WriteBuffer;
use crate::ftl::Ftl;
use crate::ftl::zns::zones::{Admission, ZoneAction, ZoneError, Zones};
use crate::nand::{Lpn, Moment};

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// The zones of the device, as a report of zones gives them; none if it has none.
    pub fn zones(&self) -> Option<&Zones> {
        self.ftl.zones()
    }

    /// Opens, closes, finishes or resets a zone, or takes it offline. It is in flight with this tag, and its
    /// state is the new one at once.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] by the specification's name, and nothing is in flight, or the device failed.
    pub fn manage_zone(&mut self, tag: u32, zone: u32, action: ZoneAction) -> Result<(), TargetError> {
        let request = Request { tag, op: Op::Trim, ..self.start_of(zone) };
        self.check_depth(&request)?;
        let now = self.clock;
        self.path.advance(now, &mut self.flight);
        match self.path.manage_zone(&mut self.ftl, zone, action, now) {
            Ok(done) => self.path.expect(&request, now, done.into(), &mut self.flight),
            Err(error) => return Err(self.zone_error(&request, error)),
        }
        self.check(Some(&request))
    }

    /// Writes `length_bytes` at the write pointer of a zone; returns the address that they have there. A real
    /// device says it when the write is done. The device takes commands in the order in which they
    /// come, so that it is known at once; the write is in flight with this tag. Any number of them may be.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] by the specification's name, and nothing is in flight, or the device failed.
    pub fn append_to_zone(&mut self, tag: u32, zone: u32, length_bytes: u32) -> Result<u64, TargetError> {
        let request = Request { tag, op: Op::Write, length_bytes, ..self.start_of(zone) };
        let found = match self.ftl.zoned() {
            Some(zoned) => zoned.append_at(zone, length_bytes),
            None => Err(ZoneError::InvalidOpcode),
        };
        match found {
            Ok(offset_bytes) => {
                self.submit(&[Request { offset_bytes, ..request }])?;
                Ok(offset_bytes)
            }
            Err(error) => Err(self.zone_error(&request, error)),
        }
    }

    /// What a controller does that finds a zone's flash failing: it is read only from now on, or offline if
    /// it cannot be read either. False if there is no such zone.
    pub fn retire_zone(&mut self, zone: u32, is_readable: bool) -> bool {
        let is_there = self.zones().is_some_and(|zones| zone < zones.count());
        if is_there {
            let zoned = self.ftl.zoned();
            zoned.into_iter().for_each(|zoned| zoned.retire(&mut self.path.nand, zone, is_readable));
        }
        is_there
    }

    fn start_of(&self, zone: u32) -> Request {
        let zone_bytes = self
            .zones()
            .map_or(0, |zones| u64::from(zones.size_pages()) * u64::from(self.geometry().page_bytes));
        Request { offset_bytes: u64::from(zone) * zone_bytes, ..Request::default() }
    }

    fn check_depth(&self, request: &Request) -> Result<(), TargetError> {
        if self.flight.len() + self.path.pending.len() < QUEUE_DEPTH_MAX as usize {
            return Ok(());
        }
        let cause = format!("{QUEUE_DEPTH_MAX} commands are in flight");
        Err(self.error(request, ErrorKind::Invalid, cause, "wait for some of them"))
    }

    /// The device refused a request, and goes on.
    #[cold]
    pub(super) fn zone_error(&self, request: &Request, error: ZoneError) -> TargetError {
        let page_bytes = u64::from(self.geometry().page_bytes);
        let cause = match self.zones() {
            None => format!("{error}: the FTL {} has no zones", self.settings.ftl),
            Some(zones) => {
                let zone_bytes = u64::from(zones.size_pages()) * page_bytes;
                let zone = (request.offset_bytes / zone_bytes) as u32;
                match zones.get(zone) {
                    None => format!("{error}: there are {} zones", zones.count()),
                    Some(found) => {
                        let pointer =
                            u64::from(zone) * zone_bytes + u64::from(found.written_pages) * page_bytes;
                        format!("{error}: zone {zone} is {}, its write pointer at {pointer}", found.state)
                    }
                }
            }
        };
        TargetError {
            tag: Some(request.tag),
            ..self.error(request, ErrorKind::Invalid, cause, error.remedy())
        }
    }
}

impl<B: WriteBuffer> Path<B> {
    /// Whether the FTL takes the request; what the host does with zones before it is done.
    #[inline]
    pub(super) fn admits<F: Ftl>(&mut self, ftl: &mut F, request: &Request, at: u64) -> bool {
        if self.is_too_worn_for(request.op) {
            return false;
        }
        match ftl.admission(request) {
            Admission::Taken => true,
            Admission::Refused(_) => false,
            Admission::After { finish, reset } => {
                let before = [(finish, ZoneAction::Finish), (reset, ZoneAction::Reset)];
                let mut before = before.into_iter().filter_map(|(zone, action)| Some((zone?, action)));
                before.all(|(zone, action)| self.manage_zone(ftl, zone, action, at).is_ok())
            }
        }
    }

    fn manage_zone<F: Ftl>(
        &mut self,
        ftl: &mut F,
        zone: u32,
        action: ZoneAction,
        at: u64,
    ) -> Result<Moment, ZoneError> {
        let Some(zones) = ftl.zones() else { return Err(ZoneError::InvalidOpcode) };
        zones.check(zone, action)?;
        if action == ZoneAction::Reset {
            let first = zone * zones.size_pages();
            self.forget_pages(first..first + zones.capacity_pages());
        }
        let accepted = Moment::at(self.controller.accept(at));
        let Some(zoned) = ftl.zoned() else { return Err(ZoneError::InvalidOpcode) };
        zoned.manage(&mut self.nand, zone, action, accepted)
    }

    /// The journal has it that these pages hold nothing any more.
    fn forget_pages(&mut self, pages: std::ops::Range<Lpn>) {
        self.ahead.drop_all();
        if let Some(oracle) = &mut self.oracle
            && !self.nand.power().is_off()
        {
            for lpn in pages {
                self.token += 1;
                oracle.trimmed(lpn, self.token);
            }
        }
    }
}
