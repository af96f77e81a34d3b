//! What was judged, as a page, and the page of all claims that is kept.

use flashscope_papers::{markdown, page};

use crate::common::run_on;

#[test]
fn the_page_holds_the_pictures() {
    let judged = run_on("bplru-mp3", None);
    let document = serde_json::to_string(&page(&judged, None)).unwrap();
    assert!(document.contains("w5-throughput") && document.contains("reproduced"));
}

#[test]
fn a_part_of_a_papers_studies_has_no_index() {
    let text = markdown(&run_on("bplru-techniques", None));
    assert!(text.contains("### `bplru-techniques`") && !text.contains("| in the paper | study |"), "{text}");
}

/// Of a claim that is reproduced there is nothing to explain; of every other there is.
#[test]
fn every_verdict_but_reproduced_has_a_reason() {
    let rows = include_str!("../../../../docs/papers.md").lines().filter(|line| line.starts_with("| "));
    let verdicts = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | "));
    let mut seen = 0;
    for (claim, verdict) in verdicts {
        let (name, reason) = verdict.split_once(": ").unwrap_or((verdict, ""));
        let name = name.trim_end_matches(" (by construction)").trim_end_matches(" (computed)");
        if ["reproduced", "qualitatively reproduced", "differs", "cannot be run here"].contains(&name) {
            seen += 1;
            assert_eq!(name == "reproduced", reason.is_empty(), "{claim}: {verdict}");
        }
    }
    assert!(seen > 500, "{seen} claims");
}
