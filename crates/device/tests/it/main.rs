//! What the guard refuses and what engines do, on real files, loop devices and mounts.

mod common;
mod engines;
mod guard;
mod loss;
