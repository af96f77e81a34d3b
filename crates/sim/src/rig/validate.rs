//! Reads a rig's text and refuses values that cannot be, each with its key, the cause and the fix.

use flashscope_core::{Bytes, Nanos};

use super::curve::Curve;
use super::spec::{Cycle, Order, RigSpec};
use crate::error::{SimError, toml_message};

/// Key, problem, remedy.
type Fault = (String, String, String);

fn fault(key: &str, problem: impl Into<String>, remedy: impl Into<String>) -> Result<(), Fault> {
    Err((key.into(), problem.into(), remedy.into()))
}

/// The largest device: offsets and sums of them stay far from overflow.
const SIZE_MAX: Bytes = Bytes(1 << 50);
/// The longest time anywhere.
const TIME_MAX: Nanos = Nanos::from_s(3600);

impl RigSpec {
    /// Reads a rig from TOML. `name` is what it is called in results and messages.
    ///
    /// # Errors
    /// [`SimError::Syntax`] with line and column, or [`SimError::Value`] with the key.
    pub fn parse(name: &str, text: &str) -> Result<RigSpec, SimError> {
        let spec: RigSpec = toml::from_str(text)
            .map_err(|error| SimError::Syntax { name: name.into(), message: toml_message(&error) })?;
        let spec = RigSpec { name: name.into(), ..spec };
        spec.validate()?;
        Ok(spec)
    }

    /// Checks every value, alone and with the others.
    ///
    /// # Errors
    /// [`SimError::Value`]: the first that cannot be.
    pub fn validate(&self) -> Result<(), SimError> {
        let checks =
            [check_sizes, check_latency, check_streams, check_order, check_places, check_time, check_noise];
        checks.iter().try_for_each(|check| check(self)).map_err(|(key, problem, remedy)| SimError::Value {
            name: self.name.clone(),
            key,
            problem,
            remedy,
        })
    }
}

fn check_sizes(spec: &RigSpec) -> Result<(), Fault> {
    let (sector, size) = (spec.sector, spec.size);
    if !sector.0.is_power_of_two() || !(512..=65_536).contains(&sector.0) {
        let problem = format!("is {sector}, not a power of two from 512 to 64KiB");
        return fault("sector", problem, "write 512 or 4KiB");
    }
    if size.0 < sector.0 || size > SIZE_MAX || !size.0.is_multiple_of(sector.0) {
        let problem = format!("is {size}, not a whole number of sectors of {sector} up to {SIZE_MAX}");
        return fault("size", problem, "write 4GiB, for example");
    }
    if spec.forget_after.0 == 0 || spec.forget_after > TIME_MAX {
        return fault("forget_after", "must be more than 0 and at most 1h", "write 500ms, or leave it out");
    }
    Ok(())
}

fn check_latency(spec: &RigSpec) -> Result<(), Fault> {
    let latency = &spec.latency;
    let curves = [
        ("latency.sequential_read", Some(&latency.sequential_read)),
        ("latency.random_read", latency.random_read.as_ref()),
        ("latency.sequential_write", Some(&latency.sequential_write)),
        ("latency.random_write", latency.random_write.as_ref()),
    ];
    for (key, curve) in curves {
        curve.map_or(Ok(()), |curve| check_curve(key, curve, spec.sector))?;
    }
    Ok(())
}

fn check_curve(key: &str, curve: &Curve, sector: Bytes) -> Result<(), Fault> {
    let points = &curve.0;
    let example = "write points such as [[\"0\", \"70us\"], [\"32KiB\", \"300us\"]]";
    if points.is_empty() {
        return fault(key, "has no points", example);
    }
    if let Some(pair) = points.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        let problem = format!("has sizes that do not increase: {} is followed by {}", pair[0].0, pair[1].0);
        return fault(key, problem, "order the points by size");
    }
    if let Some((_, time)) = points.iter().find(|(_, time)| *time > TIME_MAX) {
        return fault(key, format!("has a time of {time}, more than {TIME_MAX}"), "write a shorter one");
    }
    if curve.at(sector.0) == 0 {
        return fault(
            key,
            format!("gives an IO of {sector} a response time of 0"),
            "raise the first point or add one",
        );
    }
    if let [.., before, last] = points.as_slice()
        && last.1 < before.1
    {
        let problem =
            format!("falls from {} to {} at its end, so large IOs would take no time", before.0, last.0);
        return fault(key, problem, "add a point with a larger size and a longer time");
    }
    Ok(())
}

fn check_factor(key: &str, factor: f64) -> Result<(), Fault> {
    if factor.is_finite() && factor > 0.0 && factor <= 1e6 {
        return Ok(());
    }
    fault(
        key,
        format!("is {factor}, not a valid factor"),
        "write a number above 0, at most a million, such as 2 or 1.5",
    )
}

fn check_streams(spec: &RigSpec) -> Result<(), Fault> {
    if !(1..=64).contains(&spec.streams.limit) {
        let problem = format!("is {}, not from 1 to 64", spec.streams.limit);
        return fault(
            "streams.limit",
            problem,
            "write the number of sequential streams that the device keeps apart",
        );
    }
    if !(1..=256).contains(&spec.parallel.channels) {
        let problem = format!("is {}, not from 1 to 256", spec.parallel.channels);
        return fault("parallel.channels", problem, "write 1 if IOs are served one after the other");
    }
    check_factor("streams.factor", spec.streams.factor)
}

fn check_order(spec: &RigSpec) -> Result<(), Fault> {
    let Order { in_place, reverse, large_increment, large_increment_from, large_increment_to } = spec.order;
    check_factor("order.in_place", in_place)?;
    check_factor("order.reverse", reverse)?;
    check_factor("order.large_increment", large_increment)?;
    if large_increment_from.0 == 0 || large_increment_from > large_increment_to {
        let problem = format!("is {large_increment_from}, but large_increment_to is {large_increment_to}");
        return fault("order.large_increment_from", problem, "write a smaller size above 0");
    }
    Ok(())
}

fn check_places(spec: &RigSpec) -> Result<(), Fault> {
    if let Some(locality) = spec.locality {
        check_factor("locality.factor", locality.factor)?;
        if locality.area < spec.sector || locality.area > spec.size {
            let problem = format!("is {}, not between a sector and the size of the rig", locality.area);
            return fault("locality.area", problem, "write 8MiB, for example");
        }
    }
    if let Some(alignment) = &spec.alignment {
        check_factor("alignment.factor", alignment.factor)?;
        if !alignment.unit.0.is_power_of_two() || alignment.unit <= spec.sector {
            let problem =
                format!("is {}, not a power of two above the sector of {}", alignment.unit, spec.sector);
            return fault("alignment.unit", problem, "write 4KiB, for example");
        }
        if alignment.concerns.is_empty() {
            return fault("alignment.concerns", "is empty", "name a baseline, or leave it out to mean all");
        }
    }
    Ok(())
}

fn check_time(spec: &RigSpec) -> Result<(), Fault> {
    check_cycles(spec)?;
    check_background(spec)?;
    if let Some(regimes) = &spec.regimes {
        if regimes.steps.is_empty() {
            return fault("regimes.steps", "is empty", "write { from = \"24MiB\", factor = 4 }, for example");
        }
        for step in &regimes.steps {
            check_factor("regimes.steps.factor", step.factor)?;
        }
        if let Some(pair) = regimes.steps.windows(2).find(|pair| pair[0].from >= pair[1].from) {
            let problem = format!("does not increase: {} is followed by {}", pair[0].from, pair[1].from);
            return fault("regimes.steps.from", problem, "order the steps by bytes written");
        }
        if regimes.reset_after_idle.is_some_and(|reset| reset.0 == 0) {
            return fault("regimes.reset_after_idle", "is 0", "write a time, or leave it out to mean never");
        }
    }
    if let Some(lingering) = spec.lingering {
        check_factor("lingering.factor", lingering.factor)?;
        if lingering.reads == 0 || lingering.time.0 == 0 {
            return fault("lingering.reads", "or lingering.time is 0", "write both, or leave out the table");
        }
    }
    Ok(())
}

fn check_background(spec: &RigSpec) -> Result<(), Fault> {
    let Some(background) = spec.background else { return Ok(()) };
    if background.period == 0 {
        return fault("background.period", "is 0", "write 1 if every write does its own work");
    }
    if super::background::work_ns(spec, super::background::REFERENCE_BYTES) == 0 {
        let problem = "defers nothing: random writes of 32KiB are not slower than sequential ones";
        return fault("background", problem, "raise latency.random_write or leave out the table");
    }
    if spec.cycle.random_write.is_some() {
        let problem = "and background both set how random writes oscillate";
        return fault("cycle.random_write", problem, "leave out one of them");
    }
    Ok(())
}

fn check_cycles(spec: &RigSpec) -> Result<(), Fault> {
    let cycles = &spec.cycle;
    let named = [
        ("cycle.sequential_read", cycles.sequential_read),
        ("cycle.random_read", cycles.random_read),
        ("cycle.sequential_write", cycles.sequential_write),
        ("cycle.random_write", cycles.random_write),
    ];
    named.iter().try_for_each(|(key, cycle)| cycle.map_or(Ok(()), |cycle| check_cycle(key, cycle)))
}

fn check_cycle(key: &str, cycle: Cycle) -> Result<(), Fault> {
    let Cycle { period, dear, cheap_factor, sawtooth } = cycle;
    if !(2..=1_000_000).contains(&period) {
        let problem = format!("is {period}, not from 2 to 1000000");
        return fault(&format!("{key}.period"), problem, "write the period in IOs");
    }
    match (dear, cheap_factor, sawtooth) {
        (None, None, Some(share)) if share.0 > 0.0 && share.0 < 1.0 => Ok(()),
        (None, None, Some(share)) => {
            fault(&format!("{key}.sawtooth"), format!("is {share}"), "write more than 0% and less than 100%")
        }
        (Some(dear), Some(_), None) if dear == 0 || dear >= period => {
            let problem = format!("is {dear}, not from 1 to {}", period - 1);
            fault(&format!("{key}.dear"), problem, "write the number of slow IOs in a period")
        }
        (Some(_), Some(cheap), None) if (0.0..1.0).contains(&cheap) => Ok(()),
        (Some(_), Some(cheap), None) => {
            let problem = format!("is {cheap}, not from 0 to below 1");
            fault(&format!("{key}.cheap_factor"), problem, "write the time of a fast IO relative to the mean")
        }
        _ => fault(key, "needs exactly one shape", "write dear and cheap_factor, or sawtooth alone"),
    }
}

fn check_noise(spec: &RigSpec) -> Result<(), Fault> {
    let noise = spec.noise;
    if !(0.0..=0.25).contains(&noise.spread.0) {
        let problem = format!("is {}, not from 0% to 25%", noise.spread);
        return fault("noise.spread", problem, "write a smaller one: times must stay above 0");
    }
    if !(0.0..=0.99).contains(&noise.correlation) {
        let problem = format!("is {}, not from 0 to 0.99", noise.correlation);
        return fault("noise.correlation", problem, "write 0 for independent noise");
    }
    match noise.spikes {
        Some(spikes) if spikes.one_in == 0 => {
            fault("noise.spikes.one_in", "is 0", "write 1000 for one IO in a thousand")
        }
        Some(spikes) if spikes.cost > TIME_MAX => {
            fault("noise.spikes.cost", format!("is more than {TIME_MAX}"), "write a shorter one")
        }
        _ => Ok(()),
    }
}
