//! The tests of `flashscope-bench`, in one binary.
#![allow(missing_docs)]

mod campaign;
mod campaign_truth;
mod common;
mod coverage;
mod economy;
mod from_outside;
mod hostile_files;
mod hostile_settings;
mod lanes;
mod modern_drives;
mod on_error;
mod pause;
mod plans;
mod profiles;
mod rivals;
mod statistics;
mod suite_ajwani;
mod suite_almost_sequential;
mod suite_load;
mod suite_modern;
mod suite_rewrite;
mod suite_snia_pts;
mod table3;
mod table3_profiles;
mod write_bound;
