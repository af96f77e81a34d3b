//! Claims in Markdown: for each paper an index of its parts, and a table for each study.

use crate::claim::Verdict;
use crate::headline::Headline;
use crate::judged::Judged;
use crate::judged::JudgedClaim;
use crate::papers::{PAPERS, Paper};
use crate::run_on::described;
use crate::studies;
use crate::view::{measured, summary};

/// A summary in one sentence, then each paper: an index of its sections, tables and figures, and a table of
/// claims for each study. A title and what the words mean are the caller's to set above it.
pub fn markdown(all: &[Judged]) -> String {
    let mut text = format!("**{}.**\n", summary(all));
    for paper in PAPERS {
        text += &section(paper, all);
    }
    text
}

/// The studies of each section, table and figure, and what became of their claims of it.
fn index(paper: &Paper, of_paper: &[&Judged]) -> String {
    let mut text = String::from("\n| in the paper | study | |\n|---|---|---|\n");
    for (part, note) in paper.parts {
        let there = of_paper.iter().filter(|judged| judged.claims_of(part).next().is_some());
        let links = there.map(|judged| format!("[`{0}`](#{0})", judged.study.name)).collect::<Vec<_>>();
        let claims: Vec<_> = of_paper.iter().flat_map(|judged| judged.claims_of(part)).collect();
        let said = if claims.is_empty() { (*note).into() } else { verdicts(&claims) };
        text += &format!("| {part} | {} | {said} |\n", links.join(", "));
    }
    text
}

/// How many claims have each verdict, in few words.
fn verdicts(claims: &[&JudgedClaim]) -> String {
    let of = |verdict: Verdict| (verdict, claims.iter().filter(|claim| claim.verdict == verdict).count());
    let counts = Verdict::ALL.map(of).into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(verdict, count)| verdict.of(count)).collect::<Vec<_>>().join(", ")
}

/// A page to begin with, `papers.md`, which has `head` above a table of the papers, and a page for each,
/// `papers/000.md`: name and text of all.
pub fn pages(all: &[Judged], head: &str) -> Vec<(String, String)> {
    let mut first = format!("{head}\n**{}.**\n\n", summary(all));
    first += "| paper | predictions met | all claims |\n|---|---|---|\n";
    let mut pages = Vec::new();
    for paper in PAPERS {
        let of_paper = of_paper(paper, all);
        let claims: Vec<_> = of_paper.iter().flat_map(|judged| &judged.claims).collect();
        let Paper { number, title, .. } = paper;
        let met = Headline::of(claims.iter().copied()).share();
        first += &format!("| [{number}: {title}](papers/{number}.md) | {met} | {} |\n", verdicts(&claims));
        let text = section(paper, all);
        let text = text.trim_start().strip_prefix("##").map_or(String::new(), |text| format!("#{text}"));
        pages.push((format!("papers/{number}.md"), text.replace("\n### ", "\n## ")));
    }
    pages.insert(0, ("papers.md".into(), first));
    pages
}

fn of_paper<'a>(paper: &Paper, all: &'a [Judged]) -> Vec<&'a Judged> {
    all.iter().filter(|judged| judged.study.paper.number == paper.number).collect()
}

fn section(paper: &Paper, all: &[Judged]) -> String {
    let of_paper = of_paper(paper, all);
    if of_paper.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## Paper {}: {}\n\n", paper.number, paper.title);
    text += &format!("{}. {}.\n", paper.authors, paper.published);
    // Of a part of the studies it would leave holes.
    let is_whole = of_paper.len() == studies().filter(|s| s.paper.number == paper.number).count();
    if is_whole {
        text += &index(paper, &of_paper);
    }
    for judged in of_paper {
        text += &study(judged);
    }
    text
}

fn study(judged: &Judged) -> String {
    let study = judged.study;
    // An anchor of its own: how headings become anchors differs between those who render them.
    let about = judged.about(described).join("\n\n");
    let mut text = format!("\n<a id=\"{0}\"></a>\n### `{0}`: {1}\n\n{about}", study.name, study.place);
    text += "\n\n| the paper says | published | accepted | here | |\n|---|---|---|---|---|\n";
    for claim in &judged.claims {
        let reason = if claim.reason.is_empty() { String::new() } else { format!(": {}", claim.reason) };
        let row = [
            claim.claim.sentence(),
            claim.claim.published(),
            claim.claim.accepted_in_words(),
            measured(claim),
            claim.verdict_in_words(),
        ];
        text += &format!("| {}{} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "), reason);
    }
    text
}
