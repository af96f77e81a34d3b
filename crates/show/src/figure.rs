//! Pictures of a result, as SVG that needs nothing else: light background, colours that colour-blind people
//! can tell apart (Okabe and Ito 2008), every axis with its unit.

mod axis;
mod chart;
mod map;
mod response;
mod svg;
mod sweep;

pub use chart::chart_figure;
pub use map::{Raster, map_figure};
pub use response::response_figure;
pub use sweep::{SweepPoint, sweep_figure};
