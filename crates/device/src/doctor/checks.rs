//! The registry of checks: one line each, in the order of the report.

mod cgroup;
mod clock;
mod direct_io;
mod filesystem;
mod governor;
mod idle;
mod io_uring;
mod layers;
mod link;
mod load;
mod media;
mod neighbours;
mod power;
mod queue;
mod room;
mod scheduler;
mod sectors;
pub(super) mod smart;
mod steal;
mod temperature;
mod throttling;
mod usage;
mod virtualisation;
mod write_cache;

use super::Check;

/// All checks: first the target, then what it stands on, then the machine.
pub const CHECKS: &[Check] = &[
    direct_io::CHECK,
    usage::CHECK,
    filesystem::CHECK,
    room::CHECK,
    layers::CHECK,
    media::CHECK,
    sectors::CHECK,
    scheduler::CHECK,
    queue::CHECK,
    write_cache::CHECK,
    temperature::CHECK,
    smart::CHECK,
    link::CHECK,
    power::CHECK,
    neighbours::CHECK,
    load::CHECK,
    governor::CHECK,
    idle::CHECK,
    throttling::CHECK,
    clock::CHECK,
    io_uring::CHECK,
    cgroup::CHECK,
    steal::CHECK,
    virtualisation::CHECK,
];

/// Those that cost no time and see what the guard does not: looked at before every measurement.
pub(super) const GLANCE: &[Check] = &[
    layers::CHECK,
    scheduler::CHECK,
    queue::CHECK,
    write_cache::CHECK,
    temperature::CHECK,
    link::CHECK,
    power::CHECK,
    load::CHECK,
    governor::CHECK,
    idle::CHECK,
    clock::CHECK,
    cgroup::CHECK,
    virtualisation::CHECK,
];
