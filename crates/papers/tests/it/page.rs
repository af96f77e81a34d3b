//! What was judged, as a page, and the page of all claims that is kept.

use flashscope_papers::{markdown, markdown_pages, page};

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

#[test]
fn each_paper_has_a_page_and_the_first_leads_to_it() {
    let pages = markdown_pages(&run_on("bplru-techniques", None), "# Head");
    let names: Vec<_> = pages.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..2], ["papers.md", "papers/000.md"]);
    assert_eq!(names.len(), 6);
    let rows: Vec<_> = pages[0].1.lines().filter(|line| line.contains(" reproduced, ")).collect();
    assert!(pages[0].1.starts_with("# Head") && rows.len() == 1, "one paper was run: {}", pages[0].1);
    assert!(rows[0].ends_with("](papers/002.md) | – | 7 reproduced, 1 cannot be run here |"), "{}", rows[0]);
    let not_counted =
        "**no predictions. Not counted: 8 claims, 7 by construction, 1 that cannot be run here.**";
    assert!(pages[0].1.contains(not_counted), "{}", pages[0].1);
    assert!(pages[3].1.starts_with("# Paper 002: ") && pages[3].1.contains("\n## `bplru-techniques`"));
}

/// Of a claim that is reproduced there is nothing to explain; of every other there is.
#[test]
fn every_verdict_but_reproduced_has_a_reason() {
    let pages = [
        include_str!("../../../../docs/papers/000.md"),
        include_str!("../../../../docs/papers/001.md"),
        include_str!("../../../../docs/papers/002.md"),
        include_str!("../../../../docs/papers/003.md"),
        include_str!("../../../../docs/papers/004.md"),
    ];
    let rows = pages.into_iter().flat_map(str::lines).filter(|line| line.starts_with("| "));
    let verdicts = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | "));
    let mut seen = 0;
    for (claim, verdict) in verdicts {
        let (name, reason) = verdict.split_once(": ").unwrap_or((verdict, ""));
        let name = name.trim_end_matches(" (by construction)").trim_end_matches(" (computed)");
        let name = name.split(" in ").next().unwrap_or(name).split(" (agrees").next().unwrap_or(name);
        if ["reproduced", "qualitatively reproduced", "differs", "cannot be run here"].contains(&name) {
            seen += 1;
            assert_eq!(name == "reproduced", reason.is_empty(), "{claim}: {verdict}");
        }
    }
    assert!(seen > 500, "{seen} claims");
}
