//! What the data say about the unit of times.

use flashscope_core::number::{digits, span};

use super::TimeUnit;
use super::claim::{Claim, Clock};
use super::evidence::Evidence;
use super::judge::{Against, Possible, Trust, Weighed, against, step, sum, weigh};

/// The most weight of one request for rates and gaps, as a power of ten.
const REQUEST: f64 = 0.25;

const DAY_S: f64 = 86_400.0;
const YEAR_S: f64 = 366.0 * DAY_S;
/// The years 2003 and 2045, in seconds since 1970.
const YEARS_S: std::ops::Range<f64> = 1_041_379_200.0..2_366_841_600.0;

/// Probabilities of the unit of times.
pub(super) fn times(claim: &Claim, evidence: &Evidence, trust: Trust) -> Vec<Weighed<TimeUnit>> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let own = evidence.units.time;
    let mut units = vec![Nanosecond, Microsecond, Millisecond, Second];
    if !units.contains(&own) {
        units.push(own);
    }
    units.retain(|unit| claim.stated.time.is_none_or(|stated| stated == *unit));
    let doubt = claim.time_basis.doubt(trust);
    let other = doubt / units.len() as f64;
    let possible = |units, before, clock| Possible {
        units,
        before,
        against: sum(&against_time(claim, evidence, units, clock)),
    };
    let before = |unit| if unit == own { 1.0 - doubt } else { other };
    let mut all: Vec<_> = units.iter().map(|unit| possible(*unit, before(*unit), claim.clock)).collect();
    if claim.clock != Clock::Relative {
        // A copy may have another zero as well.
        all.extend(units.iter().map(|unit| possible(*unit, other, Clock::Relative)));
    }
    weigh(all, f64::INFINITY)
}

/// What speaks against this unit of times.
pub(super) fn against_time(claim: &Claim, evidence: &Evidence, unit: TimeUnit, clock: Clock) -> Vec<Against> {
    let duration_s = evidence.duration_s(unit);
    let gap_s = duration_s / (evidence.requests.max(2) - 1) as f64;
    let rate = if gap_s > 0.0 { 1.0 / gap_s } else { 0.0 };
    let most = REQUEST * evidence.requests as f64;
    let all = [
        against(step(rate, &[(3e6, 1.5), (3e7, 3.0), (2e9, 6.0)]).min(most), {
            format!("there would be {} requests a second", digits(rate))
        }),
        against(step(gap_s, &[(60.0, 1.0), (3600.0, 2.0), (DAY_S, 4.0)]).min(most), {
            format!("a request would come every {}", span(gap_s * 1e9))
        }),
        against(step(duration_s / DAY_S, &[(366.0, 2.0), (3660.0, 4.0)]), {
            format!("it would last for {}", span(duration_s * 1e9))
        }),
        against_clock(claim, evidence, unit, clock),
        against_digits(claim, evidence, unit),
    ];
    all.into_iter().flatten().collect()
}

/// A date that makes sense in one unit makes none in another.
fn against_clock(claim: &Claim, evidence: &Evidence, unit: TimeUnit, clock: Clock) -> Option<Against> {
    // A few may be dates by chance, where nothing says that they are.
    let most = match claim.clock {
        Clock::Relative => 2.0_f64.min(REQUEST * evidence.requests as f64),
        _ => 2.0,
    };
    let is_date = |unit: TimeUnit, epoch_s: f64| YEARS_S.contains(&(evidence.first_s(unit) - epoch_s));
    match clock.unix_epoch_s() {
        Some(epoch_s) if is_date(unit, epoch_s) => None,
        Some(_) => against(4.0, "its times would be no dates of this age"),
        None if is_date(unit, 0.0) => None,
        None if evidence.first_s(unit) > YEAR_S => {
            let years = evidence.first_s(unit) / YEAR_S;
            let weight = if years > 10.0 { 3.0 } else { 2.0 };
            against(weight, format!("it would begin {} years after its clock", digits(years)))
        }
        None if TimeUnit::ALL.into_iter().any(|other| other != TimeUnit::Tick && is_date(other, 0.0)) => {
            against(most, "in another unit, its times are dates")
        }
        None => None,
    }
}

/// Nothing measures less than a nanosecond; a column with fractions has some.
fn against_digits(claim: &Claim, evidence: &Evidence, unit: TimeUnit) -> Option<Against> {
    let fraction = evidence.units.time.places().saturating_sub(evidence.time_zeros);
    if fraction > unit.places() {
        return against(4.0, "its times would be finer than a nanosecond");
    }
    let is_whole = fraction == 0 && claim.has_fraction && unit == claim.units.time;
    against(if is_whole { 1.0 } else { 0.0 }, "its times have no fraction")
}
