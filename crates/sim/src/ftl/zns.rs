//! Zoned namespaces (NVMe Zoned Namespace Command Set 1.1): the host writes each zone in order and resets it
//! as a whole, so that the device moves nothing. What zones are and what they answer is in [`zones`].
//!
//! Zone z has the erase blocks `z * k .. (z + 1) * k`, filled a group of pages in turn, so that a zone of
//! several blocks is striped over dies wherever one block is not. A reset erases those that were written, and
//! is done when they are erased. To finish a zone takes one page of padding, which says so after a loss of
//! power. A page that was torn then cannot be written again: its zone comes back full, and open ones closed.
//!
//! The host that runs a pattern resets a zone before it writes it again, as f2fs and ZenFS do, and finishes
//! the one that it left longest ago if it may begin no other (`zns.reset_on_rewrite`). Without that
//! nothing is done but the specification's commands:
//!
//! ```
//! use flashscope_core::{Op, Request, Target, Time};
//! use flashscope_sim::ftl::zns::zones::{ZoneAction, ZoneState};
//! use flashscope_sim::ftl::zns::ZnsSettings;
//! use flashscope_sim::settings::{Initial, Settings};
//! use flashscope_sim::Ssd;
//!
//! let zns = ZnsSettings {
//!     zone_size: "4MiB".parse()?,
//!     open_max: 2,
//!     reset_on_rewrite: false,
//!     ..ZnsSettings::default()
//! };
//! let settings = Settings { ftl: "zns".into(), zns, initial: Initial::Empty, ..Settings::default() };
//! let mut ssd = Ssd::new("mine", settings, 1)?;
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

use flashscope_core::{Bytes, Op, Request, ZoneLayout};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ftl, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Tag, Token};
use crate::settings::{Initial, Settings};
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

/// The table `[zns]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ZnsSettings {
    /// From the start of a zone to the start of the next. Divides the device's capacity.
    #[schemars(with = "String")]
    pub zone_size: Bytes,
    /// What of a zone can be written, from its start on; 0 for all.
    #[schemars(with = "String")]
    pub zone_capacity: Bytes,
    /// Maximum open zones; 0 for no limit.
    pub open_max: u32,
    /// Maximum active zones, open or closed; 0 for no limit.
    pub active_max: u32,
    /// The largest append; 0 for no limit.
    #[schemars(with = "String")]
    pub append_max: Bytes,
    /// The host resets a zone before it writes its first page again. If not, patterns that write are refused.
    pub reset_on_rewrite: bool,
}

impl Default for ZnsSettings {
    /// Chosen: small zones, the limits of a Western Digital ZN540.
    fn default() -> ZnsSettings {
        ZnsSettings {
            zone_size: Bytes(64 << 20),
            zone_capacity: Bytes(0),
            open_max: 14,
            active_max: 14,
            append_max: Bytes(0),
            reset_on_rewrite: true,
        }
    }
}

impl ZnsSettings {
    fn layout(&self) -> ZoneLayout {
        let all = self.zone_capacity.0 == 0;
        ZoneLayout {
            size_bytes: self.zone_size.0,
            capacity_bytes: if all { self.zone_size.0 } else { self.zone_capacity.0 },
            active_max: self.active_max,
            resets_on_rewrite: self.reset_on_rewrite,
        }
    }

    /// An error unless a device of so many bytes can have such zones.
    pub(crate) fn check(&self, device: u64, page_bytes: u64) -> Result<(), SimError> {
        let ZoneLayout { size_bytes: size, capacity_bytes: capacity, .. } = self.layout();
        if size == 0 || !size.is_multiple_of(page_bytes) || !device.is_multiple_of(size) {
            let problem =
                format!("is {}, which does not divide {} into whole pages", Bytes(size), Bytes(device));
            return Err(SimError::setting("zns.zone_size", &problem, "use a divisor of capacity"));
        }
        if !capacity.is_multiple_of(page_bytes) || capacity > size {
            let problem = format!("is {}, not whole pages up to {}", Bytes(capacity), Bytes(size));
            return Err(SimError::setting("zns.zone_capacity", &problem, "use 0 for all of the zone"));
        }
        if self.active_max > 0 && !(1..=self.active_max).contains(&self.open_max) {
            let problem = format!("is {}, and {} may be active", self.open_max, self.active_max);
            return Err(SimError::setting("zns.open_max", &problem, "use at most as many, but not 0"));
        }
        Ok(())
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
    resets_on_rewrite: bool,
    /// Pages written so far, and as many as that when each zone was written last.
    clock: u64,
    last_write: Vec<u64>,
    blocks: u32,
}

impl ZnsFtl {
    fn empty(setup: &Setup<'_>) -> Result<ZnsFtl, SimError> {
        let settings = &setup.settings.zns;
        let Setup { geometry, logical_pages, .. } = *setup;
        let page_bytes = u64::from(geometry.page_bytes);
        let device = u64::from(logical_pages) * page_bytes;
        settings.check(device, page_bytes)?;
        let ZoneLayout { size_bytes: size, capacity_bytes: capacity, .. } = settings.layout();
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
            append_max_bytes: settings.append_max.0,
            resets_on_rewrite: settings.reset_on_rewrite,
            clock: 0,
            last_write: vec![0; count as usize],
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
        if self.resets_on_rewrite && page == 0 {
            return self.admission_of_start(zone, pages);
        }
        self.zones.check_write(zone, page, pages).map(|()| Admission::Taken)
    }

    /// A host that begins a zone has reset it, and finished the one that it left longest ago if no other may
    /// be active.
    fn admission_of_start(&self, zone: u32, pages: u32) -> Result<Admission, ZoneError> {
        let is_used = |zone: Zone| zone.written_pages > 0 || zone.state == ZoneState::Full;
        let is_sound = |zone: Zone| !matches!(zone.state, ZoneState::ReadOnly | ZoneState::Offline);
        let is_rewritten = self.zones.get(zone).is_some_and(|zone| is_used(zone) && is_sound(zone));
        let checked = match is_rewritten {
            true => self.zones.check_rewrite(zone, pages),
            false => self.zones.check_write(zone, 0, pages),
        };
        let finish = match checked {
            Ok(()) => None,
            Err(ZoneError::TooManyActive) => self.left_longest_ago(),
            Err(error) => return Err(error),
        };
        let reset = is_rewritten.then_some(zone);
        match (finish, reset) {
            (None, None) => Ok(Admission::Taken),
            _ => Ok(Admission::After { finish, reset }),
        }
    }

    fn left_longest_ago(&self) -> Option<u32> {
        let active = (0..).zip(self.zones.iter()).filter(|(_, zone)| zone.state.is_active());
        active.map(|(zone, _)| zone).min_by_key(|zone| self.last_write[*zone as usize])
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
        return Err(SimError::setting("zns.zone_capacity", &problem, "use a multiple of the erase block"));
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
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<ZnsFtl, SimError> {
        ZnsFtl::empty(setup)
    }

    fn zone_layout(settings: &Settings, _: &()) -> Option<ZoneLayout> {
        Some(settings.zns.layout())
    }

    /// Write pointers from spare areas.
    fn rebuild(setup: &Setup<'_>, _: &(), nand: &mut Nand, _: &[Tombstone]) -> Result<ZnsFtl, SimError> {
        let mut ftl = ZnsFtl::empty(setup)?;
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
        self.clock += 1;
        self.last_write[zone as usize] = self.clock;
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
