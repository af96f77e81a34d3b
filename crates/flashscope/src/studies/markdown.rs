//! The table of docs/papers.md: from a sentence of a paper to the command that shows it.

use super::view::{measured, summary};
use super::{Judged, PAPERS, Paper};

/// The whole page.
pub fn markdown(all: &[Judged]) -> String {
    let mut text = String::from(HEAD);
    text += &format!("\n**{}.**\n", summary(all));
    for paper in PAPERS {
        text += &section(paper, all);
    }
    text
}

const HEAD: &str = "\
# The five papers, claim by claim

Made by `flashscope reproduce all --markdown`; do not edit. Each row is a table, figure or sentence with a
number in it, the figure that is published, and what the study finds on a simulated device. The study's name
is the command: `flashscope reproduce NAME`, with pictures by `-o page.html`, elsewhere by `--on TARGET`.

*Reproduced*: the figure, within the tolerance that `flashscope reproduce NAME --json` gives with its reason.
*In kind*: the order and shape, not the figure. The seed is fixed: every machine finds the same numbers.
";

fn section(paper: &Paper, all: &[Judged]) -> String {
    let of_paper: Vec<&Judged> =
        all.iter().filter(|judged| judged.study.paper.number == paper.number).collect();
    if of_paper.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## Paper {}: {}\n\n", paper.number, paper.title);
    text += &format!("{}. {}.\n", paper.authors, paper.published);
    for judged in of_paper {
        text += &study(judged);
    }
    text
}

fn study(judged: &Judged) -> String {
    let study = judged.study;
    let mut text = format!("\n### `{}`: {}\n\n{}", study.name, study.place, study.about);
    if !study.devices.is_empty() {
        text +=
            &format!(" ({})", study.devices.iter().map(|d| format!("`{d}`")).collect::<Vec<_>>().join(", "));
    }
    text += "\n\n| the paper says | published | here | |\n|---|---|---|---|\n";
    for claim in &judged.claims {
        let reason = if claim.reason.is_empty() { String::new() } else { format!(": {}", claim.reason) };
        let row = [claim.claim.words, &claim.claim.published(), &measured(claim), claim.verdict.name()];
        text += &format!("| {}{} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "), reason);
    }
    text
}
