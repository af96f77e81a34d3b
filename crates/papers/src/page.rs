//! The page of what was reproduced: a table of all claims, then each study with its pictures.

use flashscope_show::html::document::{Block, Cell, Column, Document, Item, Section, Table};

use crate::beside;
use crate::claim::Verdict;
use crate::judged::Judged;
use crate::judged::JudgedClaim;
use crate::run_on;
use crate::view::{measured, summary};

/// The document.
pub fn page(all: &[Judged], on: Option<&str>) -> Document {
    let mut sections = vec![Section::new("claims", "Published and measured", overview(all))];
    sections.extend(all.iter().map(section));
    Document::new(
        "studies",
        "The papers, reproduced",
        format!("on {} · {}", on.unwrap_or("simulated devices"), summary(all)),
        sections,
    )
}

fn overview(all: &[Judged]) -> Vec<Block> {
    let rows = all.iter().flat_map(|judged| judged.claims.iter().map(|claim| row(judged, claim)));
    let columns = ["paper", "place", "the paper says", "published", "here", "verdict"];
    vec![Block::Table(Table::new("all-claims", "All claims", "", columns.map(Column::words)).with_rows(rows))]
}

fn row(judged: &Judged, claim: &JudgedClaim) -> Vec<Cell> {
    let study = judged.study;
    let verdict =
        Cell { is_marked: claim.verdict == Verdict::Differs, ..Cell::words(claim.verdict_in_words()) };
    vec![
        Cell::words(study.paper.number),
        Cell::words(study.place_of(claim.claim)),
        Cell::words(claim.claim.words),
        Cell::words(claim.claim.published()),
        Cell::words(measured(claim)),
        verdict,
    ]
}

/// A study: its claims with what is accepted, and its pictures.
fn section(judged: &Judged) -> Section {
    let study = judged.study;
    let about = judged.about(run_on::plain).join(" ");
    let about = format!("Paper {}, {}. {about}", study.paper.number, study.place);
    let items = judged.claims.iter().map(item).collect();
    let mut blocks = vec![Block::Text { text: about }, Block::items(items)];
    if judged.blocks.is_empty() {
        blocks.extend(beside::charts(judged));
    }
    blocks.extend(judged.blocks.iter().cloned());
    Section::new(study.name, study.name, blocks)
}

fn item(judged: &JudgedClaim) -> Item {
    let claim = judged.claim;
    let text = format!(
        "{}: published {}, here {}; {}.",
        claim.sentence(),
        claim.published(),
        measured(judged),
        judged.verdict_in_words()
    );
    let detail = [claim.tolerance, &judged.reason].map(str::to_string);
    let detail = detail.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    match judged.verdict {
        Verdict::Differs => Item::alert(text, detail),
        _ => Item { detail, ..Item::plain(text) },
    }
}
