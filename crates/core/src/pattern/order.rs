//! The orders of addresses as text: the values of `gap` and `random`.

use super::{Location, Pattern};
use crate::ParseError;
use crate::units::{Bytes, Share};

/// `64KiB` after each IO, `random:64KiB` by chance, `2GiB/256MiB` after every 256 MiB.
pub(super) fn set_gap(p: &mut Pattern, text: &str) -> Result<(), ParseError> {
    p.location = match (text.strip_prefix("random:"), text.split_once('/')) {
        (Some(gap), _) => Location::RandomGaps { gap: gap.parse()? },
        (None, Some((gap, zone))) => Location::ZoneGaps { gap: gap.parse()?, zone: zone.parse()? },
        (None, None) => Location::RegularGaps { gap: text.parse()? },
    };
    Ok(())
}

pub(super) fn gap_of(p: &Pattern) -> Option<String> {
    match p.location {
        Location::RegularGaps { gap } => Some(gap.to_string()),
        Location::RandomGaps { gap } => Some(format!("random:{gap}")),
        Location::ZoneGaps { gap, zone } => Some(format!("{gap}/{zone}")),
        _ => None,
    }
}

pub(super) fn set_random(p: &mut Pattern, text: &str) -> Result<(), ParseError> {
    let unknown = || {
        let choices = [
            "draws",
            "permutation",
            "repeated",
            "zipf:1.1",
            "hot:10%:90%",
            "zones:50/5:30/15:20/80",
            "streams:8",
            "levels:4:8:4MiB",
            "sequence:2,0,1",
        ];
        ParseError::unknown("kind of random", text, choices)
    };
    p.location = match text.split_once(':') {
        None => match text {
            "draws" => Location::Random,
            "permutation" => Location::Permutation,
            "repeated" => Location::RepeatedPermutation,
            _ => return Err(unknown()),
        },
        Some(("zipf", theta)) => Location::Zipf { theta: theta.parse().map_err(|_| unknown())? },
        Some(("hot", shares)) => {
            let (space, ios) = shares.split_once(':').ok_or_else(unknown)?;
            Location::HotCold { hot_space: space.parse::<Share>()?, hot_ios: ios.parse::<Share>()? }
        }
        Some(("zones", zones)) => Location::Zones(zones.parse()?),
        Some(("streams", streams)) => Location::Streams(streams.parse()?),
        Some(("levels", levels)) => Location::Levels(levels.parse()?),
        Some(("sequence", slots)) => Location::Sequence(slots.parse()?),
        Some(_) => return Err(unknown()),
    };
    Ok(())
}

pub(super) fn random_of(p: &Pattern) -> Option<String> {
    match p.location {
        Location::Random if !p.rw.is_random() => Some("draws".into()),
        Location::Permutation => Some("permutation".into()),
        Location::RepeatedPermutation => Some("repeated".into()),
        Location::Zipf { theta } => Some(format!("zipf:{theta}")),
        Location::HotCold { hot_space, hot_ios } => Some(format!("hot:{hot_space}:{hot_ios}")),
        Location::Zones(zones) => Some(format!("zones:{zones}")),
        Location::Streams(streams) => Some(format!("streams:{streams}")),
        Location::Levels(levels) => Some(format!("levels:{levels}")),
        Location::Sequence(sequence) => Some(format!("sequence:{sequence}")),
        _ => None,
    }
}

/// IOs from one gap to the next.
pub(super) fn ios_between_gaps(zone: Bytes, bs_bytes: u64) -> u64 {
    (zone.0 / bs_bytes).max(1)
}
