//! What the data say about the units of addresses and lengths.

use flashscope_core::number::{count, size};

use super::SpaceUnit::{self, Block, Byte, Sector};
use super::claim::Claim;
use super::evidence::{Evidence, RATIOS};
use super::judge::{Against, Possible, Trust, Weighed, against, step, sum, weigh};

/// The most that one request can tell, as a power of ten.
const REQUEST: f64 = 1.0;
/// What a request that goes on where one ended says of the units, as a power of ten.
const GOES_ON: f64 = 2.5;
/// The same of requests that all follow at one distance, which is longer than they are.
const STRIDE: f64 = 1.5;
/// Fewer addresses that follow no stride may be a pattern that somebody made.
const ADDRESSES_MIN: u64 = 256;

/// The share of other blocks in what a count of blocks may be else.
const BLOCKS: f64 = 0.85;

const KIB: f64 = 1024.0;
const TIB: f64 = 1_099_511_627_776.0;

/// Probabilities of the units of addresses and lengths.
pub(super) fn spaces(
    claim: &Claim,
    evidence: &Evidence,
    trust: Trust,
) -> Vec<Weighed<(SpaceUnit, SpaceUnit)>> {
    let own = (evidence.units.address, evidence.units.length);
    let all = candidates(claim, own);
    let doubt = claim.space_basis.doubt(trust);
    let others = (all.len() - 1).max(1) as f64;
    // What counts blocks counts other blocks rather than bytes.
    let is_count = claim.in_blocks && own.1 != Byte;
    let before = |units: (SpaceUnit, SpaceUnit)| match units {
        _ if units == own => 1.0 - doubt,
        _ if !is_count => doubt / others,
        (Byte, _) | (_, Byte) => doubt * (1.0 - BLOCKS) / 3.0,
        _ => doubt * BLOCKS,
    };
    // That one request begins where another ended is no accident; that all are far apart alike may be.
    let goes_on = |place: usize| {
        let weight = GOES_ON * evidence.goes_on[place].min(2) as f64;
        if RATIOS[place] < 0 && evidence.is_stride() { weight.min(STRIDE) } else { weight }
    };
    let most = (0..RATIOS.len()).map(goes_on).fold(0.0, f64::max);
    let against = |units: (SpaceUnit, SpaceUnit)| {
        let weights = against_space(claim, evidence, units.0, units.1);
        sum(&weights) + most - ratio(units.0, units.1).map_or(0.0, goes_on)
    };
    let possible = |units| Possible { units, before: before(units), against: against(units) };
    weigh(all.into_iter().map(possible).collect(), REQUEST * evidence.accesses as f64)
}

/// All that the units may be.
fn candidates(claim: &Claim, own: (SpaceUnit, SpaceUnit)) -> Vec<(SpaceUnit, SpaceUnit)> {
    let mut all = vec![(Byte, Byte), (Sector, Byte), (Sector, Sector), (Byte, Sector)];
    if claim.in_blocks {
        all.push((Block, if own.1 == Byte { Byte } else { Block }));
    }
    if !all.contains(&own) {
        all.push(own);
    }
    let is_stated = |stated: Option<SpaceUnit>, unit| stated.is_none_or(|stated| stated == unit);
    all.retain(|(address, length)| {
        is_stated(claim.stated.address, *address) && is_stated(claim.stated.length, *length)
    });
    all
}

/// The place in [`Evidence::goes_on`].
fn ratio(address: SpaceUnit, length: SpaceUnit) -> Option<usize> {
    let shift = address.bytes().ilog2() as i32 - length.bytes().ilog2() as i32;
    RATIOS.iter().position(|ratio| *ratio == shift)
}

/// What speaks against these units of addresses and lengths.
pub(super) fn against_space(
    claim: &Claim,
    evidence: &Evidence,
    address: SpaceUnit,
    length: SpaceUnit,
) -> Vec<Against> {
    if evidence.accesses == 0 {
        return Vec::new();
    }
    let sized = against_sizes(evidence, address, length).into_iter();
    let aligned = against_addresses(evidence, address, length).into_iter();
    sized
        .chain(aligned)
        .chain(against_lengths(evidence, address, length))
        .chain(against_blocks(claim, evidence, address))
        .collect()
}

/// Requests and devices have sizes.
fn against_sizes(evidence: &Evidence, address: SpaceUnit, length: SpaceUnit) -> Vec<Against> {
    let [half, tenth] = [0.5, 0.9].map(|share| evidence.length_above(share) * length.bytes() as f64);
    let end = evidence.end(address, length);
    let all = [
        against(
            if half < 512.0 { 4.0 } else { 0.0 },
            format!("half of the requests would be of {} or less", size(half)),
        ),
        against(step(half / KIB, &[(1024.5, 1.0), (4096.5, 2.0), (16_385.0, 3.0), (65_537.0, 5.0)]), {
            format!("half of the requests would be of {} or more", size(half))
        }),
        against(step(tenth / KIB, &[(16_385.0, 1.5), (65_537.0, 3.0)]), {
            format!("a tenth of the requests would be of {} or more", size(tenth))
        }),
        against(step(end / TIB, &[(32.0, 0.5), (128.0, 1.5), (1024.0, 3.0), (1024.0 * 1024.0, 6.0)]), {
            format!("addresses would reach up to {}", size(end))
        }),
    ];
    all.into_iter().flatten().collect()
}

/// Devices take whole sectors, page caches work in 4 KiB, and what is smaller than its alignment would fit in
/// between.
fn against_addresses(evidence: &Evidence, address: SpaceUnit, length: SpaceUnit) -> Option<Against> {
    let Evidence { addresses, addresses_of_512, address_bits, .. } = *evidence;
    if address == Byte {
        return against_odd(addresses_of_512, addresses, "addresses");
    }
    let zeros = address_bits.trailing_zeros().min(32);
    let aligned = address.bytes() << zeros;
    let is_small = evidence.length_p50() * length.bytes() as f64 * 4.0 <= aligned as f64;
    let is_many = evidence.scattered >= ADDRESSES_MIN;
    let weight = match zeros {
        _ if addresses == 0 => 0.0,
        // Bytes come in whole pages; what comes in less is a pattern of sectors that somebody made.
        12.. if is_small && is_many => 4.0,
        9.. if is_small && is_many => 2.5,
        9.. if is_small || length == Byte => 1.5,
        _ => 0.0,
    };
    against(weight, format!("all addresses would be multiples of {}", size(aligned as f64)))
}

/// Few workloads have requests of whole 512 sectors only, and fewer several sizes of them; few have none of
/// whole 4 KiB.
fn against_lengths(evidence: &Evidence, address: SpaceUnit, length: SpaceUnit) -> Option<Against> {
    let Evidence { addresses, addresses_of_512, lengths_of_512, lengths_of_4096, accesses, .. } = *evidence;
    let is_whole = lengths_of_512 == accesses;
    match length {
        Byte if is_whole && lengths_of_4096 == 0 => {
            let weight = if evidence.has_many_lengths() { 2.0 } else { 1.0 };
            against(weight, "no length would be whole 4 KiB")
        }
        Byte => against_odd(lengths_of_512, accesses, "lengths"),
        _ if !is_whole => None,
        // Both are one oddity: a program that writes large aligned blocks.
        _ => {
            let is_one = address != Byte && addresses_of_512 == addresses && !evidence.has_many_lengths();
            let all = format!("all lengths would be multiples of {}", size(512.0 * length.bytes() as f64));
            against(if is_one { 1.0 } else { 3.0 }, all)
        }
    }
}

/// Some are no whole sectors.
fn against_odd(whole: u64, all: u64, what: &str) -> Option<Against> {
    let weight = match all - whole {
        0 => 0.0,
        few if few * 100 <= all => 1.0,
        many => many.min(4) as f64,
    };
    against(weight, format!("{} of {} {what} would be no whole sectors", count(all - whole), count(all)))
}

/// Page caches work in 4 KiB, and no workload in 32 KiB alone.
fn against_blocks(claim: &Claim, evidence: &Evidence, address: SpaceUnit) -> Option<Against> {
    let Evidence { addresses, addresses_of_8, lengths_of_8, lengths_of_4096, accesses, .. } = *evidence;
    if !claim.in_blocks {
        return None;
    }
    let are_pages = match evidence.units.length {
        Byte => lengths_of_4096 == accesses,
        _ => lengths_of_8 == accesses,
    };
    let are_whole = addresses_of_8 == addresses;
    let is_anywhere = evidence.remainders_of_8.count_ones() > 4;
    let in_bytes = evidence.units.length == Byte;
    match address {
        Block if in_bytes && !are_pages => against(4.0, "some lengths would be no whole blocks of 4 KiB"),
        Block if are_whole && (in_bytes || are_pages) => {
            let weight = if evidence.has_many_lengths() { 2.5 } else { 1.5 };
            against(weight, "everything would be multiples of 32 KiB")
        }
        Sector if in_bytes && are_pages && is_anywhere => {
            against(2.0, "requests of whole 4 KiB would begin at any sector")
        }
        Sector if !(in_bytes || are_whole && are_pages) => {
            against(1.0, "some requests would be no whole blocks of 4 KiB")
        }
        _ => None,
    }
}
