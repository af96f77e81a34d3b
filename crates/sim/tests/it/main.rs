//! What this crate promises, as one program: `cargo test -p flashscope-sim --test it [-- WORD]` runs the
//! tests whose module or name contains WORD.

mod aging;
mod background;
mod bplru_table1;
mod buffers;
mod closed_forms;
mod conformance;
mod data_sheets;
mod drive_rig;
mod flash_rules;
mod flush;
mod host_queues;
mod hostile;
mod inside;
mod kit;
mod listed;
mod mapping;
mod page_reference;
mod paper_004;
mod partial_pages;
mod placement;
mod power_loss;
mod rig_toml;
mod serve;
mod spare;
mod table3;
mod target;
mod truth;
mod under_load;
mod zns;
