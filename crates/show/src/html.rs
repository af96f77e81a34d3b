//! The report that people look at: [`document`] says what is shown, [`dense`] holds every IO in little room,
//! [`page`] makes one file of it. Looks and interaction are in `report/`, built into `assets/`.

mod bundle;
mod comparison;
pub mod dense;
pub mod document;
mod page;
mod remains;
pub(crate) mod run;
mod site;

pub use bundle::Bundle;
pub use comparison::comparison_page;
pub use page::{GENERATOR, SITE, SITE_ASSETS, SitePage, is_report, page, site_page};
pub use remains::remains;
pub use run::{Beside, Known, MicroDoc, is_measure, measure_page, run_page};
pub use site::{Listed, site_data, site_index, uncompared};
