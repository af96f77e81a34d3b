//! Zoned namespaces (NVMe Zoned Namespace Command Set 1.1): the host writes each zone in order and resets it
//! as a whole, so that the device moves nothing. What zones are and what they answer is in [`zones`].
//!
//! Zone z has the erase blocks `z * k .. (z + 1) * k`, filled a group of pages in turn, so that a zone of
//! several blocks is striped over dies wherever one block is not. A reset erases those that were written, and
//! is done when they are erased. To finish a zone takes one page of padding, which says so after a loss of
//! power. A page that was torn then cannot be written again: its zone comes back full, and open ones closed.
//!
//! It is put into a device by [`crate::SsdBuilder::ftl`], and has settings of its own:
//!
//! ```
//! use flashscope_core::{Op, Request, Target, Time};
//! use flashscope_sim::ftl::zns::zones::{ZoneAction, ZoneState};
//! use flashscope_sim::ftl::zns::{ZnsFtl, ZnsSettings};
//! use flashscope_sim::settings::{Initial, Settings};
//! use flashscope_sim::Ssd;
//!
//! let settings = Settings { capacity: "64MiB".parse()?, initial: Initial::Empty, ..Settings::default() };
//! let zones = ZnsSettings { zone_size_bytes: 4 << 20, open_max: 2, ..ZnsSettings::default() };
//! let mut ssd = Ssd::builder("mine", settings).ftl::<ZnsFtl>(zones).build()?;
//! // Two appends in flight together: each has an address of its own.
//! assert_eq!(ssd.append_to_zone(0, 5, 4096)?, 5 << 22);
//! assert_eq!(ssd.append_to_zone(1, 5, 4096)?, (5 << 22) + 4096);
//! ssd.reap(2, Time::NEVER, &mut Vec::new())?;
//! // A write elsewhere than at the write pointer.
//! let ahead = Request { op: Op::Write, offset_bytes: 8192, length_bytes: 4096, ..Request::default() };
//! let error = ssd.serve(&ahead).expect_err("zone 0 is empty").to_string();
//! assert!(error.contains("Zone Invalid Write: zone 0 is empty, its write pointer at 0"), "{error}");
//! ssd.manage_zone(2, 5, ZoneAction::Finish)?;
//! ssd.reap(1, Time::NEVER, &mut Vec::new())?;
//! assert_eq!(ssd.zones().and_then(|zones| zones.get(5)).map(|zone| zone.state), Some(ZoneState::Full));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod zones;

use flashscope_core::{Bytes, Op, Request};
use serde::{Deserialize, Serialize};

use super::{Ftl, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Tag, Token};
use crate::settings::Initial;
use zones::{Admission, Zone, ZoneAction, ZoneError, ZoneState, Zones};

/// Commands to zones, as far as the flash has a part in them.
pub trait Zoned {
    /// Where an append to a zone would go, in bytes of the device.
    ///
    /// # Errors
    /// Why it cannot be.
    fn append_at(&self, zone: u32, length_bytes: u32) -> Result<u64, ZoneError>;

    /// Carries out an action as early as `at`; returns when it is done.
    ///
    /// # Errors
    /// Why it cannot be, and nothing has changed.
    fn manage(
        &mut self,
        nand: &mut Nand,
        zone: u32,
        action: ZoneAction,
        at: Moment,
    ) -> Result<Moment, ZoneError>;

    /// The flash of a zone that there is fails: it is read only, or offline, from now on.
    fn retire(&mut self, nand: &mut Nand, zone: u32, is_readable: bool);
}

/// What can be set about zones.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ZnsSettings {
    /// From the start of a zone to the start of the next. Divides the device's capacity.
    pub zone_size_bytes: u64,
    /// What of it can be written; 0 for all.
    pub zone_capacity_bytes: u64,
    /// Maximum open zones; 0 for no limit.
    pub open_max: u32,
    /// Maximum active zones, open or closed; 0 for no limit.
    pub active_max: u32,
    /// The largest append; 0 for no limit.
    pub append_max_bytes: u64,
    /// A write to the first page of a full zone resets it, as fio's `zonemode=zbd` does for its host.
    pub reset_full: bool,
}

impl Default for ZnsSettings {
    /// Chosen: small zones, the limits of a Western Digital ZN540.
    fn default() -> ZnsSettings {
        ZnsSettings {
            zone_size_bytes: 64 << 20,
            zone_capacity_bytes: 0,
            open_max: 14,
            active_max: 14,
            append_max_bytes: 0,
            reset_full: false,
        }
    }
}

/// What the spare area of a zone's first page says once its flash has failed.
const READ_ONLY: u32 = 1;
const OFFLINE: u32 = 2;

/// The FTL of a drive with zones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ZnsFtl {
    zones: Zones,
    /// Erase blocks of a zone.
    blocks_per_zone: u32,
    /// Pages that go to one block before the next one has its turn.
    unit_pages: u32,
    pages_per_block: u32,
    page_bytes: u32,
    append_max_bytes: u64,
    reset_full: bool,
    blocks: u32,
}

impl ZnsFtl {
    fn empty(setup: &Setup<'_>, settings: &ZnsSettings) -> Result<ZnsFtl, SimError> {
        let Setup { geometry, logical_pages, .. } = *setup;
        let page_bytes = u64::from(geometry.page_bytes);
        let size = settings.zone_size_bytes;
        let capacity = if settings.zone_capacity_bytes == 0 { size } else { settings.zone_capacity_bytes };
        let device = u64::from(logical_pages) * page_bytes;
        if size == 0 || !size.is_multiple_of(page_bytes) || !device.is_multiple_of(size) {
            let problem =
                format!("is {}, which does not divide {} into whole pages", Bytes(size), Bytes(device));
            return Err(SimError::setting("zns.zone_size_bytes", &problem, "use a divisor of capacity"));
        }
        if !capacity.is_multiple_of(page_bytes) || capacity > size {
            let problem = format!("is {}, not whole pages up to {}", Bytes(capacity), Bytes(size));
            return Err(SimError::setting("zns.zone_capacity_bytes", &problem, "use 0 for all of the zone"));
        }
        if settings.active_max > 0 && !(1..=settings.active_max).contains(&settings.open_max) {
            let problem = format!("is {}, and {} may be active", settings.open_max, settings.active_max);
            return Err(SimError::setting("zns.open_max", &problem, "use at most as many, but not 0"));
        }
        let (size_pages, capacity_pages) = ((size / page_bytes) as u32, (capacity / page_bytes) as u32);
        let (count, blocks_per_zone) =
            ((device / size) as u32, capacity_pages.div_ceil(geometry.pages_per_block));
        check_device(setup, u64::from(count) * u64::from(blocks_per_zone), size == capacity)?;
        let limits = (settings.open_max, settings.active_max);
        Ok(ZnsFtl {
            zones: Zones::new(count, size_pages, capacity_pages, limits),
            blocks_per_zone,
            unit_pages: setup.settings.nand.pages_per_program * geometry.stripe,
            pages_per_block: geometry.pages_per_block,
            page_bytes: geometry.page_bytes,
            append_max_bytes: settings.append_max_bytes,
            reset_full: settings.reset_full,
            blocks: geometry.blocks,
        })
    }

    /// Zone and page of it.
    #[inline]
    fn place(&self, lpn: Lpn) -> (u32, u32) {
        (lpn / self.zones.size_pages(), lpn % self.zones.size_pages())
    }

    /// Where a page of a zone has its place.
    #[inline]
    fn ppn(&self, zone: u32, page: u32) -> Ppn {
        let (group, rest) = (page / self.unit_pages, page % self.unit_pages);
        let block = zone * self.blocks_per_zone + group % self.blocks_per_zone;
        block * self.pages_per_block + group / self.blocks_per_zone * self.unit_pages + rest
    }

    fn blocks_of(&self, zone: u32) -> std::ops::Range<Block> {
        zone * self.blocks_per_zone..(zone + 1) * self.blocks_per_zone
    }

    fn erase(&self, nand: &mut Nand, zone: u32, at: Moment) -> Moment {
        let mut done = at;
        for block in self.blocks_of(zone) {
            if nand.next_page(block) > 0 {
                let erased = nand.erase(block, Cause::Host, at);
                done = nand.both(done, erased);
            }
        }
        done
    }

    /// A page of padding at the write pointer, and the end of the groups that were begun.
    fn close_off(&self, nand: &mut Nand, zone: u32, page: u32, at: Moment) -> Moment {
        let padded = nand.program(self.ppn(zone, page), NONE, NO_TOKEN, Cause::Padding, at);
        nand.program_groups(padded)
    }

    fn admission_of_write(&self, zone: u32, page: u32, pages: u32) -> Result<Admission, ZoneError> {
        let is_full = self.zones.get(zone).is_some_and(|zone| zone.state == ZoneState::Full);
        if self.reset_full && is_full && page == 0 {
            return self.zones.check_rewrite(pages).map(|()| Admission::ResetFirst(zone));
        }
        self.zones.check_write(zone, page, pages).map(|()| Admission::Taken)
    }

    fn admission_of_read(&self, first: Lpn, pages: u32) -> Result<Admission, ZoneError> {
        let (first_zone, last_zone) = (self.place(first).0, self.place(first + pages - 1).0);
        let is_offline =
            |zone| self.zones.get(zone).is_some_and(|zone: Zone| zone.state == ZoneState::Offline);
        if (first_zone..=last_zone).any(is_offline) { Err(ZoneError::Offline) } else { Ok(Admission::Taken) }
    }

    /// What the flash says of a zone after a loss of power. A reset begins with the block of the first page:
    /// one that was cut short has left a zone without it.
    fn find(&mut self, nand: &mut Nand, zone: u32) {
        let first_lpn = zone * self.zones.size_pages();
        let is_used = |nand: &Nand, ppn: Ppn| nand.page_of(ppn) < nand.next_page(nand.block_of(ppn));
        let mut written = 0;
        while written < self.zones.capacity_pages() {
            let (ppn, lpn) = (self.ppn(zone, written), first_lpn + written);
            if !is_used(nand, ppn) || nand.owner(ppn) != lpn {
                break;
            }
            nand.read(ppn, Cause::Map, Moment::START);
            written += 1;
        }
        let is_whole = written == self.zones.capacity_pages();
        let is_closed_off = !is_whole && is_used(nand, self.ppn(zone, written));
        if written == 0 && !is_closed_off {
            // The rest of such a reset.
            self.erase(nand, zone, Moment::START);
            self.zones.found(zone, ZoneState::Empty, 0);
        } else if is_whole || is_closed_off {
            self.zones.found(zone, ZoneState::Full, written);
        } else {
            self.zones.found(zone, ZoneState::Closed, written);
        }
        match nand.tag(self.blocks_of(zone).start).kind {
            0 => {}
            kind => self.zones.retire(zone, kind == READ_ONLY),
        }
    }
}

/// What of the device must be so that it can have zones.
fn check_device(setup: &Setup<'_>, zone_blocks: u64, is_dense: bool) -> Result<(), SimError> {
    let Setup { settings, geometry, .. } = setup;
    if zone_blocks > u64::from(geometry.blocks) {
        let problem =
            format!("takes {zone_blocks} erase blocks in whole zones, of {} that there are", geometry.blocks);
        return Err(SimError::setting(
            "zns.zone_capacity_bytes",
            &problem,
            "use a multiple of the erase block",
        ));
    }
    if settings.buffer != "none" {
        let problem = format!("is {}, which would write a zone's pages out of order", settings.buffer);
        return Err(SimError::setting("buffer", &problem, "use none"));
    }
    if settings.initial == Initial::Random || (settings.initial == Initial::Full && !is_dense) {
        let problem = "writes pages that are not at a write pointer";
        return Err(SimError::setting("initial", problem, "use empty"));
    }
    if !settings.host.command_queue {
        return Err(SimError::setting("host.command_queue", "is off, and NVMe has queues", "set it to true"));
    }
    Ok(())
}

impl Ftl for ZnsFtl {
    const NAME: &'static str = "zns";
    type Options = ZnsSettings;

    fn new(setup: &Setup<'_>, options: &ZnsSettings) -> Result<ZnsFtl, SimError> {
        ZnsFtl::empty(setup, options)
    }

    /// Write pointers from spare areas.
    fn rebuild(
        setup: &Setup<'_>,
        options: &ZnsSettings,
        nand: &mut Nand,
        _: &[Tombstone],
    ) -> Result<ZnsFtl, SimError> {
        let mut ftl = ZnsFtl::empty(setup, options)?;
        (0..ftl.zones.count()).for_each(|zone| ftl.find(nand, zone));
        Ok(ftl)
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        let (zone, page) = self.place(lpn);
        let is_written = self.zones.get(zone).is_some_and(|zone| page < zone.written_pages);
        if is_written {
            return nand.read(self.ppn(zone, page), cause, at);
        }
        PageRead { token: NO_TOKEN, done: at }
    }

    /// At the write pointer: [`Ftl::admission`] refused what is not.
    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let (zone, page) = self.place(lpn);
        let done = nand.program(self.ppn(zone, page), lpn, token, cause, at);
        self.zones.wrote(zone);
        done
    }

    /// A reset is what makes a zone's pages hold nothing; a trim of some is refused.
    fn trim(&mut self, _nand: &mut Nand, _lpn: Lpn, _at: Moment) {}

    fn zones(&self) -> Option<&Zones> {
        Some(&self.zones)
    }

    #[inline]
    fn admission(&self, request: &Request) -> Admission {
        let Request { offset_bytes, length_bytes, op, .. } = *request;
        let bytes = u64::from(self.page_bytes);
        let is_whole = (offset_bytes | u64::from(length_bytes)).is_multiple_of(bytes);
        let (lpn, pages) = ((offset_bytes / bytes) as Lpn, length_bytes / self.page_bytes);
        let (zone, page) = self.place(lpn);
        let admitted = match op {
            Op::Flush => Ok(Admission::Taken),
            Op::Trim => Err(ZoneError::InvalidOpcode),
            _ if !is_whole => Err(ZoneError::InvalidField),
            Op::Write => self.admission_of_write(zone, page, pages),
            Op::Read => self.admission_of_read(lpn, pages),
        };
        admitted.unwrap_or_else(Admission::Refused)
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        Some(self)
    }

    /// None: nothing is ever moved.
    fn reserve_blocks(&self) -> u32 {
        0
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, 0, 0)
    }

    fn free_blocks(&self) -> u32 {
        let touched = |zone: Zone| {
            let is_padded = zone.state == ZoneState::Full && zone.written_pages < self.zones.capacity_pages();
            let pages = zone.written_pages + u32::from(is_padded);
            pages.div_ceil(self.unit_pages).min(self.blocks_per_zone)
        };
        self.blocks - self.zones.iter().map(touched).sum::<u32>()
    }
}

impl Zoned for ZnsFtl {
    fn append_at(&self, zone: u32, length_bytes: u32) -> Result<u64, ZoneError> {
        let is_too_large = self.append_max_bytes > 0 && u64::from(length_bytes) > self.append_max_bytes;
        if length_bytes == 0 || !length_bytes.is_multiple_of(self.page_bytes) || is_too_large {
            return Err(ZoneError::InvalidField);
        }
        let page = self.zones.check_append(zone, length_bytes / self.page_bytes)?;
        let lpn = u64::from(zone) * u64::from(self.zones.size_pages()) + u64::from(page);
        Ok(lpn * u64::from(self.page_bytes))
    }

    fn manage(
        &mut self,
        nand: &mut Nand,
        zone: u32,
        action: ZoneAction,
        at: Moment,
    ) -> Result<Moment, ZoneError> {
        let Zone { state, written_pages } = self.zones.act(zone, action)?;
        Ok(match action {
            ZoneAction::Reset => self.erase(nand, zone, at),
            ZoneAction::Finish if state != ZoneState::Full => self.close_off(nand, zone, written_pages, at),
            ZoneAction::Offline => {
                nand.set_tag(self.blocks_of(zone).start, Tag { kind: OFFLINE, owner: zone });
                at
            }
            _ => at,
        })
    }

    fn retire(&mut self, nand: &mut Nand, zone: u32, is_readable: bool) {
        self.zones.retire(zone, is_readable);
        let kind = if is_readable { READ_ONLY } else { OFFLINE };
        nand.set_tag(self.blocks_of(zone).start, Tag { kind, owner: zone });
    }
}
