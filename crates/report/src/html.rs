//! The report that people look at: [`document`] says what is shown, [`dense`] holds every IO in little room,
//! [`page`] makes one file of it. Looks and interaction are in `report/`, built into `assets/`.

mod bundle;
mod comparison;
pub mod dense;
pub mod document;
mod make;
mod page;
mod remains;
mod run;

pub use bundle::Bundle;
pub use comparison::comparison_page;
pub use page::{GENERATOR, is_report, page};
pub use remains::remains;
pub use run::{Beside, Known, MicroDoc, is_measure, measure_page, run_page};
