//! The program from outside: one module for each command or promise.

mod common;
#[path = "../../../store/tests/it/common.rs"]
mod results;

mod at_once;
mod capture;
mod cli;
mod compare;
mod counted;
mod data;
mod doctor;
mod export;
mod fail_if;
mod help;
mod hostile;
mod howto;
mod import;
mod inside;
mod interrupted;
mod io_errors;
mod pack;
mod pages;
mod replay;
mod report;
mod reproduce;
mod reproduce_on;
mod schemas;
mod sim;
mod sim_results;
mod site;
mod suite_words;
mod suites;
mod sweeps;
mod terminal;
mod trace_convert;
mod trace_cut;
mod trace_interrupted;
mod trace_stats;
mod words;
