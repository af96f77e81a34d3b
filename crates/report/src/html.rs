//! The report that people look at: [`document`] says what is shown, [`dense`] holds every IO in little room.
//! Looks and interaction are in `report/`, built into `assets/`.

pub mod dense;
pub mod document;
