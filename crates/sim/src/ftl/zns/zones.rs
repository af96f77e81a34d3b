//! The zone state machine (NVMe Zoned Namespace Command Set 1.1): states, write pointers, what
//! each command does in each state, and the limits of open and active zones. It knows nothing of flash.
//!
//! Where the specification leaves a choice: the zone that is closed to make room for another is the one that
//! was implicitly opened first, and a closed zone stays closed whether anything was written to it or not.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// State of a zone.
#[allow(missing_docs)] // the specification's names
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ZoneState {
    #[default]
    Empty,
    ImplicitlyOpen,
    ExplicitlyOpen,
    Closed,
    Full,
    ReadOnly,
    Offline,
}

impl ZoneState {
    /// Whether it takes one of the open resources.
    pub fn is_open(self) -> bool {
        matches!(self, ZoneState::ImplicitlyOpen | ZoneState::ExplicitlyOpen)
    }

    /// Whether it takes one of the active resources.
    pub fn is_active(self) -> bool {
        self.is_open() || self == ZoneState::Closed
    }
}

impl fmt::Display for ZoneState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ZoneState::Empty => "empty",
            ZoneState::ImplicitlyOpen => "implicitly open",
            ZoneState::ExplicitlyOpen => "explicitly open",
            ZoneState::Closed => "closed",
            ZoneState::Full => "full",
            ZoneState::ReadOnly => "read only",
            ZoneState::Offline => "offline",
        })
    }
}

/// What the command Zone Management Send asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneAction {
    /// Opens a zone explicitly: nothing but the host closes it.
    Open,
    /// Gives back its open resource.
    Close,
    /// Nothing more is written to it.
    Finish,
    /// It holds nothing any more.
    Reset,
    /// A zone that is read only cannot be read any more either.
    Offline,
}

/// Why a command was refused, by the specification's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ZoneError {
    /// The namespace does not know such commands.
    #[error("Invalid Command Opcode")]
    InvalidOpcode,
    /// No such zone, not whole logical blocks, or an append of more than the device takes.
    #[error("Invalid Field in Command")]
    InvalidField,
    /// It goes beyond the zone's capacity, or into the next zone.
    #[error("Zone Boundary Error")]
    Boundary,
    /// A write to a full zone.
    #[error("Zone Is Full")]
    Full,
    /// A write to a zone that is read only.
    #[error("Zone Is Read Only")]
    ReadOnly,
    /// A write to a zone that is offline, or a read of it.
    #[error("Zone Is Offline")]
    Offline,
    /// A write elsewhere than at the write pointer.
    #[error("Zone Invalid Write")]
    InvalidWrite,
    /// No active resource is left.
    #[error("Too Many Active Zones")]
    TooManyActive,
    /// No open resource is left, and none can be freed.
    #[error("Too Many Open Zones")]
    TooManyOpen,
    /// The zone's state does not allow it.
    #[error("Invalid Zone State Transition")]
    InvalidTransition,
}

impl ZoneError {
    /// What a host can do.
    pub fn remedy(self) -> &'static str {
        match self {
            ZoneError::InvalidOpcode => "use a device with zones, and a reset in place of a trim",
            ZoneError::InvalidField => "use zones that there are, whole logical blocks, and smaller appends",
            ZoneError::Boundary => "end the IO at the zone's capacity",
            ZoneError::Full => "reset the zone first",
            ZoneError::ReadOnly | ZoneError::Offline => "use another zone",
            ZoneError::InvalidWrite => "write at the zone's write pointer, or append",
            ZoneError::TooManyActive => "finish or reset another zone first",
            ZoneError::TooManyOpen => "close another zone first",
            ZoneError::InvalidTransition => "look at the zone's state first",
        }
    }
}

/// Whether a device takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// As it is.
    Taken,
    /// Once the host has finished one zone and reset another.
    #[allow(missing_docs)] // names that say it need no more
    After { finish: Option<u32>, reset: Option<u32> },
    /// Not now; nothing has changed.
    Refused(ZoneError),
}

/// A zone: what a report of zones says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zone {
    /// Its state.
    pub state: ZoneState,
    /// Pages from its start to its write pointer. Of a full zone, those that were written: the rest, if it
    /// was finished, reads as never written.
    pub written_pages: u32,
}

/// All zones of a device. Sizes are in pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Zones {
    size_pages: u32,
    capacity_pages: u32,
    open_max: u32,
    active_max: u32,
    zones: Vec<Zone>,
    /// Those that are implicitly open, the first one first.
    implicit: Vec<u32>,
    explicit: u32,
    closed: u32,
}

impl Zones {
    /// Empty zones. `capacity_pages` is at most `size_pages`; a maximum of 0 is no limit.
    pub fn new(
        zones: u32,
        size_pages: u32,
        capacity_pages: u32,
        (open_max, active_max): (u32, u32),
    ) -> Zones {
        Zones {
            size_pages,
            capacity_pages,
            open_max,
            active_max,
            zones: vec![Zone::default(); zones as usize],
            implicit: Vec::new(),
            explicit: 0,
            closed: 0,
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.zones.len() as u32
    }

    /// Pages from the start of one to the start of the next.
    pub fn size_pages(&self) -> u32 {
        self.size_pages
    }

    /// Pages of each that can be written.
    pub fn capacity_pages(&self) -> u32 {
        self.capacity_pages
    }

    /// One of them; none if there is no such zone.
    pub fn get(&self, zone: u32) -> Option<Zone> {
        self.zones.get(zone as usize).copied()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Zone> + '_ {
        self.zones.iter().copied()
    }

    /// Zones that are open, implicitly or explicitly.
    pub fn open(&self) -> u32 {
        self.implicit.len() as u32 + self.explicit
    }

    /// Zones that are open or closed.
    pub fn active(&self) -> u32 {
        self.open() + self.closed
    }

    /// Whether `pages` may be written now from page `first` of a zone.
    ///
    /// # Errors
    /// What the device answers, in this order: the zone's state, the write pointer, the boundary, resources.
    #[inline]
    pub fn check_write(&self, zone: u32, first: u32, pages: u32) -> Result<(), ZoneError> {
        let Zone { state, written_pages } = self.writable(zone)?;
        if first != written_pages {
            return Err(ZoneError::InvalidWrite);
        }
        self.check_room(state, first, pages)
    }

    /// Whether `pages` may be appended to a zone now; returns the page of it to which they go.
    ///
    /// # Errors
    /// As [`Zones::check_write`], but for the write pointer.
    pub fn check_append(&self, zone: u32, pages: u32) -> Result<u32, ZoneError> {
        let Zone { state, written_pages } = self.writable(zone)?;
        self.check_room(state, written_pages, pages)?;
        Ok(written_pages)
    }

    /// Whether a zone that holds data may be reset and `pages` of it be written from its start. One that is
    /// active gives its resource to itself.
    ///
    /// # Errors
    /// As [`Zones::check_write`] of an empty zone.
    pub fn check_rewrite(&self, zone: u32, pages: u32) -> Result<(), ZoneError> {
        let state = self.get(zone).map(|zone| zone.state).filter(|state| state.is_active());
        self.check_room(state.unwrap_or(ZoneState::Empty), 0, pages)
    }

    fn writable(&self, zone: u32) -> Result<Zone, ZoneError> {
        let zone = self.get(zone).ok_or(ZoneError::InvalidField)?;
        match zone.state {
            ZoneState::Full => Err(ZoneError::Full),
            ZoneState::ReadOnly => Err(ZoneError::ReadOnly),
            ZoneState::Offline => Err(ZoneError::Offline),
            _ => Ok(zone),
        }
    }

    fn check_room(&self, state: ZoneState, first: u32, pages: u32) -> Result<(), ZoneError> {
        if pages > self.capacity_pages - first {
            return Err(ZoneError::Boundary);
        }
        self.check_resources(state)
    }

    /// Whether a zone in this state may become open.
    fn check_resources(&self, state: ZoneState) -> Result<(), ZoneError> {
        if state.is_open() {
            return Ok(());
        }
        if state == ZoneState::Empty && self.active_max > 0 && self.active() >= self.active_max {
            return Err(ZoneError::TooManyActive);
        }
        if self.open_max > 0 && self.open() >= self.open_max && self.implicit.is_empty() {
            return Err(ZoneError::TooManyOpen);
        }
        Ok(())
    }

    /// A page was written at the write pointer, which [`Zones::check_write`] allowed.
    #[inline]
    pub fn wrote(&mut self, zone: u32) {
        if !self.zones[zone as usize].state.is_open() {
            self.make_room();
            self.enter(zone, ZoneState::ImplicitlyOpen);
        }
        let written_pages = &mut self.zones[zone as usize].written_pages;
        *written_pages += 1;
        if *written_pages == self.capacity_pages {
            self.enter(zone, ZoneState::Full);
        }
    }

    /// Closes an implicitly open zone if no other can be opened.
    fn make_room(&mut self) {
        if self.open_max > 0 && self.open() >= self.open_max && !self.implicit.is_empty() {
            self.enter(self.implicit[0], ZoneState::Closed);
        }
    }

    /// The state to which an action leads.
    ///
    /// # Errors
    /// What the device answers; nothing has changed then.
    pub fn check(&self, zone: u32, action: ZoneAction) -> Result<ZoneState, ZoneError> {
        use ZoneState::{Closed, Empty, ExplicitlyOpen, Full, ImplicitlyOpen, Offline, ReadOnly};
        let Zone { state, .. } = self.get(zone).ok_or(ZoneError::InvalidField)?;
        match (action, state) {
            (ZoneAction::Open, Empty | ImplicitlyOpen | ExplicitlyOpen | Closed) => {
                self.check_resources(state)?;
                Ok(ExplicitlyOpen)
            }
            (ZoneAction::Close, ImplicitlyOpen | ExplicitlyOpen | Closed) => Ok(Closed),
            (ZoneAction::Finish, Empty | ImplicitlyOpen | ExplicitlyOpen | Closed | Full) => Ok(Full),
            (ZoneAction::Reset, Empty | ImplicitlyOpen | ExplicitlyOpen | Closed | Full) => Ok(Empty),
            (ZoneAction::Offline, ReadOnly | Offline) => Ok(Offline),
            _ => Err(ZoneError::InvalidTransition),
        }
    }

    /// Carries out an action; returns what the zone was before.
    ///
    /// # Errors
    /// As [`Zones::check`].
    pub fn act(&mut self, zone: u32, action: ZoneAction) -> Result<Zone, ZoneError> {
        let state = self.check(zone, action)?;
        let before = self.zones[zone as usize];
        if state == ZoneState::ExplicitlyOpen && !before.state.is_open() {
            self.make_room();
        }
        self.enter(zone, state);
        if state == ZoneState::Empty {
            self.zones[zone as usize].written_pages = 0;
        }
        Ok(before)
    }

    /// The device found flash of it that fails: it is read only, or offline, from now on.
    pub(super) fn retire(&mut self, zone: u32, is_readable: bool) {
        self.enter(zone, if is_readable { ZoneState::ReadOnly } else { ZoneState::Offline });
    }

    /// After a loss of power: what was open is closed.
    pub(super) fn found(&mut self, zone: u32, state: ZoneState, written_pages: u32) {
        self.zones[zone as usize].written_pages = written_pages;
        self.enter(zone, state);
    }

    fn enter(&mut self, zone: u32, state: ZoneState) {
        let before = std::mem::replace(&mut self.zones[zone as usize].state, state);
        match before {
            ZoneState::ImplicitlyOpen => self.implicit.retain(|other| *other != zone),
            ZoneState::ExplicitlyOpen => self.explicit -= 1,
            ZoneState::Closed => self.closed -= 1,
            _ => {}
        }
        match state {
            ZoneState::ImplicitlyOpen => self.implicit.push(zone),
            ZoneState::ExplicitlyOpen => self.explicit += 1,
            ZoneState::Closed => self.closed += 1,
            _ => {}
        }
    }
}
