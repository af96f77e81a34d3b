//! The report that people look at: [`document`] says what is shown, [`dense`] holds every IO in little room,
//! [`page`] makes one file of it. Looks and interaction are in `report/`, built into `assets/`.

mod bundle;
pub mod dense;
pub mod document;
mod make;
mod page;
mod remains;
mod run;

pub use bundle::Bundle;
pub use page::{GENERATOR, is_report, page};
pub use remains::remains;
pub use run::run_page;
