//! Pictures of a result, as SVG that needs nothing else: light background, colours that colour-blind people
//! can tell apart (Okabe and Ito 2008), every axis with its unit.

mod axis;
mod curves;
mod plain;
mod response;
mod svg;
mod sweep;

pub use curves::micro_figure;
pub use plain::{Raster, Series, Unit, bars_figure, map_figure, spread_figure, time_figure};
pub use response::response_figure;
pub use sweep::{SweepPoint, sweep_figure};
