//! The table of docs/papers.md: from a sentence of a paper to the command that shows it.

use super::judged::JudgedClaim;
use super::run_on::described;
use super::view::{measured, summary};
use super::{Judged, PAPERS, Paper, Verdict, studies};

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

Made by `flashscope reproduce all --markdown`; do not edit. For each paper an index of its sections, tables
and figures, then its studies. A study is one thing that is run; each row of its table is a sentence, table or
figure of the paper: what it says, the figure that is published, and what is found on a simulated device.

From a sentence to its picture: look up its section or figure in the paper's index, follow the link, and type
the study's name after `flashscope reproduce`:

```sh
flashscope reproduce bplru-office-install                    # published and measured, with the verdicts
flashscope reproduce bplru-office-install --json             # and which values are accepted, and why
flashscope reproduce bplru-office-install -o page.html       # with the pictures, where it draws any
flashscope reproduce ajwani-steady --on test.bin --write     # the same on a file or drive of one's own
```

A simulated device takes seconds. On a real one the study does the same IOs and compares shapes; the times
that the papers give runs are shortened (`--runtime`), and `--size` keeps to the first part of a large drive.
Each study runs three times there (`--repeats`), and its numbers are means with an interval at 95 %; a verdict
is *uncertain* where that holds values which would be judged otherwise. What only a simulated SSD can tell
says so; *none* is what was looked for and is not there.

*Reproduced*: the figure, or the order that the words give, within what is *accepted*; `--json` tells the
reason of that. *In kind*: the order and shape, not the figure. *As set*: the device was given this figure,
or one from which it follows: the simulator does as it is told, and no more. *Computed*: a model's arithmetic,
or a fact of a workload or a plan; a device gives it times at most. A *rig* is a device that is told how to
behave, to try the method. The seed is fixed: every machine finds the same.
";

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

fn section(paper: &Paper, all: &[Judged]) -> String {
    let of_paper: Vec<&Judged> =
        all.iter().filter(|judged| judged.study.paper.number == paper.number).collect();
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
            claim.claim.told(),
            claim.claim.published(),
            claim.claim.accepted_in_words(),
            measured(claim),
            claim.verdict_in_words(),
        ];
        text += &format!("| {}{} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "), reason);
    }
    text
}
