//! What core promises, each claim against an oracle of its own.

mod broken;
mod chance;
mod drive;
mod failing;
mod fio_words;
mod forms;
mod levels;
mod ordered;
mod pacing;
mod patterns;
mod placement;
mod properties;
mod rates;
mod write_budget;
