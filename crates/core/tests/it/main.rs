//! What core promises, each claim against an oracle of its own.

mod drive;
mod forms;
mod ordered;
mod patterns;
