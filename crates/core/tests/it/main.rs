//! What core promises, each claim against an oracle of its own.

mod broken;
mod drive;
mod forms;
mod ordered;
mod pacing;
mod patterns;
mod properties;
