//! One file a command.

pub mod check;
pub mod compare;
pub mod completions;
pub mod create;
pub mod doctor;
pub mod export;
pub mod import;
pub mod list;
pub mod man;
pub mod measure;
pub mod pack;
pub mod replay;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod show;
pub mod sim;
pub mod site;
pub mod trace;
