//! What FTLs do with the flash beyond the capacity, and how their maps do.

use flashscope_core::number::count;
use flashscope_lab::sweep::SimReport;
use flashscope_sim::ftl::SpareUse;

/// FTLs with a line each; more of them are in the page and the JSON.
const LINES_MAX: usize = 12;

/// A line for each FTL and each amount of spare flash.
pub(super) fn uses(reports: &[&SimReport]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for report in reports.iter().filter(|report| report.device.spare.blocks > 0) {
        let line = format!("  {}: {}", report.device.ftl, said(report.device.spare));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.len() > LINES_MAX { Vec::new() } else { lines }
}

/// What became of placement handles, a line each.
pub(super) fn placed(reports: &[&SimReport]) -> Vec<String> {
    let line = |report: &&SimReport| {
        let used = report.device.placement.as_ref()?;
        let written = used.host_pages.iter().filter(|pages| **pages > 0).count() as u64;
        let (handles, moved) = (used.host_pages.len() as u64, count(used.relocations));
        let (ftl, written, handles) = (&report.device.ftl, count(written), count(handles));
        Some(format!(
            "  {ftl}: {written} of {handles} placement handles used; {moved} victims had pages to move"
        ))
    };
    let lines: Vec<String> = reports.iter().filter_map(line).collect();
    if lines.len() > LINES_MAX { Vec::new() } else { lines }
}

/// Settings that are larger than a device can use, a line each.
pub(super) fn clipped(reports: &[&SimReport]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for clipped in reports.iter().flat_map(|report| &report.device.clipped) {
        let line = format!("  {}: {} asked for, {} used", clipped.key, clipped.asked, clipped.used);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// `41 spare blocks: 7 log, 1 reserved, 33 unused`.
fn said(spare: SpareUse) -> String {
    let parts = [
        (spare.log_blocks, "log"),
        (spare.cache_blocks, "SLC cache"),
        (spare.map_blocks, "map"),
        (spare.reserve_blocks, "reserved"),
        (spare.room_blocks(), "for outdated pages"),
        (spare.unused_blocks, "unused"),
    ];
    let said = parts.iter().filter(|(blocks, _)| *blocks > 0);
    let said: Vec<String> =
        said.map(|(blocks, what)| format!("{} {what}", count((*blocks).into()))).collect();
    format!("{} spare blocks: {}", count(spare.blocks.into()), said.join(", "))
}

/// The share of the spare blocks that the FTL never has a use for, if there are any.
pub(super) fn unused(report: &SimReport) -> Option<f64> {
    let spare = report.device.spare;
    (spare.unused_blocks > 0).then(|| f64::from(spare.unused_blocks) / f64::from(spare.blocks))
}

/// Physical blocks that are bad, from the factory or since, where others replace them.
pub(super) fn bad_blocks(report: &SimReport) -> Option<u64> {
    let reserve = report.device.aging?.reserve?;
    Some(reserve.factory_bad + reserve.grown_bad)
}

/// The share of look-ups that a cached map had.
pub(super) fn map_hits(report: &SimReport) -> Option<f64> {
    let map = report.device.map?;
    map.lookups.filter(|lookups| *lookups > 0).map(|lookups| map.hits.unwrap_or(0) as f64 / lookups as f64)
}
