//! A document together with the IOs of its traces.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use flashscope_analysis::Warning;
use flashscope_store::ResultFile;
use serde::Serialize;

use super::dense::{self, Trace};
use super::document::{Block, Document, Item};
use super::page::frame_bytes;

/// What to do about a file of IOs that cannot be read.
const REMEDY: &str = "everything else is shown; measure that experiment again if you need its IOs";

/// All that the front end needs to show one result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bundle {
    /// What is said.
    pub document: Document,
    /// By their keys, in base64.
    pub blobs: BTreeMap<String, String>,
}

impl Bundle {
    /// The most bytes of a page, however many IOs it shows.
    pub const PAGE_BYTES_MAX: usize = 6_000_000;

    /// Bytes that each of so many results on one page may have.
    pub fn room_bytes(results: usize) -> usize {
        (Bundle::PAGE_BYTES_MAX - frame_bytes()) / results.max(1)
    }

    /// A document that shows no IOs.
    pub fn plain(document: Document) -> Bundle {
        Bundle { document, blobs: BTreeMap::new() }
    }

    /// Reads the IOs of every trace of the document from its file in `folder`, in no more than `room_bytes`
    /// for all: every IO while they fit, else columns. A trace whose file cannot be read gives way to a
    /// remark, and is listed in the warnings.
    pub fn fill(mut document: Document, folder: &Path, room_bytes: usize) -> (Bundle, Vec<Warning>) {
        let words = serde_json::to_string(&document).expect("plain data").len();
        let mut blobs = BTreeMap::new();
        let mut warnings = Vec::new();
        let blocks = document.sections.iter_mut().flat_map(|section| &mut section.blocks);
        let traces = blocks.filter_map(|block| {
            block.trace().map(|trace| ResultFile::new(folder, &trace.file)).zip(Some(block))
        });
        let (files, places): (Vec<ResultFile>, Vec<&mut Block>) = traces.unzip();
        let packed = dense::pack(&files, room_bytes.saturating_sub(words));
        for (block, packed) in places.into_iter().zip(packed) {
            let Block::Trace(trace) = block else { continue };
            match packed {
                Ok(packed) => {
                    trace.blob.clone_from(&trace.id);
                    blobs.insert(trace.id.clone(), packed.into_trace(trace));
                }
                Err(error) => {
                    let seen = format!("{}: its IOs cannot be shown: {error}", trace.title);
                    *block = Block::items(vec![Item::alert(seen.clone(), "")]);
                    warnings.push(Warning { seen, remedy: REMEDY.into() });
                }
            }
        }
        document.unlink();
        (Bundle { document, blobs }, warnings)
    }

    /// IOs of all traces, and those of them that are there one by one.
    pub fn ios(&self) -> (u64, u64) {
        let sum = |(all, exact), trace: &Trace| {
            (all + trace.ios, exact + if trace.column_ios == 1 { trace.ios } else { 0 })
        };
        self.document.blocks().filter_map(Block::trace).fold((0, 0), sum)
    }
}

impl Block {
    fn trace(&self) -> Option<&Trace> {
        if let Block::Trace(trace) = self { Some(trace) } else { None }
    }

    fn id(&self) -> Option<&str> {
        match self {
            Block::Table(table) => Some(&table.id),
            Block::Chart(chart) => Some(&chart.id),
            Block::Trace(trace) => Some(&trace.id),
            Block::Heat(heat) => Some(&heat.id),
            Block::Text { .. }
            | Block::Facts { .. }
            | Block::Tiles { .. }
            | Block::Items { .. }
            | Block::Listed { .. } => None,
        }
    }
}

impl Document {
    /// Takes away the ways to blocks that are not there.
    fn unlink(&mut self) {
        let ids: BTreeSet<String> = self.blocks().filter_map(Block::id).map(String::from).collect();
        let unlink = |link: &mut Option<String>| drop(link.take_if(|to| !ids.contains(to)));
        for block in self.sections.iter_mut().flat_map(|section| &mut section.blocks) {
            match block {
                Block::Items { items } | Block::Listed { items, .. } => {
                    items.iter_mut().for_each(|item| item.links.retain(|link| ids.contains(&link.to)));
                }
                Block::Table(table) => {
                    table.rows.iter_mut().flatten().for_each(|cell| unlink(&mut cell.link));
                }
                Block::Chart(chart) => {
                    let points = chart.series.iter_mut().flat_map(|series| &mut series.points);
                    points.for_each(|point| unlink(&mut point.link));
                }
                Block::Text { .. }
                | Block::Facts { .. }
                | Block::Tiles { .. }
                | Block::Trace(_)
                | Block::Heat(_) => {}
            }
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections.iter().flat_map(|section| &section.blocks)
    }
}
