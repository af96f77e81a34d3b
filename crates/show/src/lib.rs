//! How results look: text for a terminal, JSON, pages for a browser, pictures.
//!
//! ```text
//!   store (folders, IOs)     lab (results, conclusions)
//!                \             /
//!                 show
//!                  |-- views: a terminal's text          result_view, measure_view, compare_view
//!                  |-- JSON: the same numbers            run_json, measure_json, compare_json
//!                  |-- documents: a browser's page       html, replay, sweep, trace, inside
//!                  |-- pictures: SVG                     figures
//!                  `-- a stored result of any kind       text_of, page_of, leave_page, site
//!                  |
//!          papers, the program, notebooks: print it
//! ```
//!
//! Functions from what is stored or measured to text; whoever calls them prints it. Nothing here measures or
//! knows a command: what is said of the ways out are its caller's [`Words`].
//!
//! The first screen of a characterisation:
//!
//! ```
//! use flashscope_lab::{Interrupt, RunRequest, Scope, characterise};
//! use flashscope_show::{Findings, Style, result_view};
//!
//! let folder = std::env::temp_dir().join(format!("flashscope-show-{}", std::process::id()));
//! let request = RunRequest { scope: Scope::Quick, seed: Some(1), ..RunRequest::default() };
//! let result = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new())?;
//! let conclusions = result.conclusions();
//! let findings = Findings::of(&result.context, &result.finished, &result.suite, &conclusions);
//! let text = result_view(&findings, Style { width: 100, colour: false });
//! println!("{text}");
//! # assert!(text.contains("rig:mtron") && text.contains("locality"), "{text}");
//! # std::fs::remove_dir_all(&folder).unwrap();
//! result.error.map_or(Ok(()), Err)?;
//! # Ok::<(), flashscope_lab::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod figure;
pub mod figures;
pub mod headline;
pub mod html;
pub mod inside;
mod json;
mod kinds;
pub mod known;
mod pairs;
mod readings;
pub mod replay;
mod site;
pub mod sweep;
pub mod trace;
mod varied;
mod view;

pub use figure::{Raster, SweepPoint, chart_figure, map_figure, response_figure, sweep_figure};
pub use json::{compare_json, measure_json, measurement_json, run_json, with_answers};
pub use kinds::{
    Form, Page, REPORT, RunToShow, Text, Words, comparison, leave_page, page_of, run_text, text_of,
    write_page,
};
pub use readings::Suites;
pub use site::{Found, Site, look_for, site};
pub use view::{
    Findings, LINES_MAX, OfSuite, Style, brief_view, columns, compare_view, measure_view, numbers_so_far,
    result_view, strip, wrap,
};
