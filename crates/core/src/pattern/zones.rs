//! Random addresses whose share of the IOs differs from part to part of the space (fio's `zoned`).

use std::fmt;
use std::str::FromStr;

use crate::ParseError;
use crate::seed::Random;

/// The most zones.
const ZONES_MAX: usize = 16;

/// Zones one behind the other: each with its percentage of the IOs and of the space. Both sums are 100, and
/// each zone has space. Within a zone IOs are uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zones {
    /// IOs and space in percent; those behind the last have no space.
    shares: [(u8, u8); ZONES_MAX],
}

impl Zones {
    /// Zones with these percentages of the IOs and of the space.
    ///
    /// # Errors
    /// There are none or more than 16, one has no space, or a sum is not 100.
    pub fn new(shares: &[(u8, u8)]) -> Result<Zones, ParseError> {
        let sum = |of: fn(&(u8, u8)) -> u8| shares.iter().map(|zone| u32::from(of(zone))).sum::<u32>();
        let are_all = sum(|(ios, _)| *ios) == 100 && sum(|(_, space)| *space) == 100;
        let have_space = shares.iter().all(|(_, space)| *space > 0);
        if !are_all || !have_space || shares.len() > ZONES_MAX {
            let text: Vec<_> = shares.iter().map(|(ios, space)| format!("{ios}/{space}")).collect();
            return Err(no_zones(&text.join(":")));
        }
        let mut zones = Zones { shares: [(0, 0); ZONES_MAX] };
        zones.shares[..shares.len()].copy_from_slice(shares);
        Ok(zones)
    }

    /// Percentages of the IOs and of the space, in the order of addresses.
    pub fn shares(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.shares.iter().copied().take_while(|(_, space)| *space > 0)
    }

    /// The first slots of the zones but the first one, of `slots`.
    pub(super) fn borders(&self, slots: u64) -> impl Iterator<Item = u64> + '_ {
        let before = self.shares().scan(0, |before, (_, space)| {
            *before += u64::from(space);
            Some(*before)
        });
        before.map(move |percent| border(slots, percent).min(slots - 1)).take(self.shares().count() - 1)
    }

    /// One of `slots`.
    #[inline]
    pub(super) fn draw(&self, slots: u64, random: &mut Random) -> u64 {
        let of_ios = random.below(100) as u32;
        let (mut ios, mut before) = (0, 0);
        for (zone_ios, zone_space) in self.shares() {
            ios += u32::from(zone_ios);
            let behind = before + u64::from(zone_space);
            if of_ios < ios {
                // A zone smaller than an IO has one all the same.
                let first = border(slots, before).min(slots - 1);
                return first + random.below(border(slots, behind).max(first + 1) - first);
            }
            before = behind;
        }
        slots - 1
    }
}

/// The slot behind so many percent of them.
fn border(slots: u64, percent: u64) -> u64 {
    (u128::from(slots) * u128::from(percent) / 100) as u64
}

impl fmt::Display for Zones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (ios, space)) in self.shares().enumerate() {
            write!(f, "{}{ios}/{space}", if place > 0 { ":" } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Zones {
    type Err = ParseError;

    /// `IOS/SPACE:IOS/SPACE`; the last zone has what is left of the space if none is given.
    fn from_str(text: &str) -> Result<Zones, ParseError> {
        let mut shares: Vec<(u8, u8)> = Vec::new();
        for zone in text.split(':') {
            let (ios, space) = zone.split_once('/').unwrap_or((zone, ""));
            let taken: u32 = shares.iter().map(|(_, space)| u32::from(*space)).sum();
            let space = match space {
                "" => u8::try_from(100u32.saturating_sub(taken)).ok(),
                given => given.parse().ok(),
            };
            shares.push(ios.parse().ok().zip(space).ok_or_else(|| no_zones(text))?);
        }
        Zones::new(&shares)
    }
}

fn no_zones(text: &str) -> ParseError {
    let allowed = "percentages IOS/SPACE of 1 to 16 zones, 100 in sum each, such as 50/5:30/15:20/80";
    ParseError::invalid(text, "not zones", allowed)
}
