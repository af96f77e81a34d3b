//! A site has every result that was found, what each two are beside one another, and what could not be read;
//! nothing that is no site is replaced by one.

use std::fs;
use std::path::Path;

use crate::common::kernel::Scratch;
use crate::common::{call, interrupt, start, wait_for};
use serde_json::Value;

fn words(folder: &Path, line: &str) -> crate::common::Ended {
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

/// What a script of the site adds.
fn added(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let text = text.strip_prefix("flashscope.add(").and_then(|text| text.strip_suffix(");\n"));
    serde_json::from_str(text.expect("one call")).unwrap()
}

/// The document that stands in a page.
fn document(path: &Path) -> Value {
    let html = fs::read_to_string(path).unwrap();
    let begin = "data-flashscope=\"document\" data-result=\"0\">";
    let from = html.find(begin).expect("it holds a document") + begin.len();
    serde_json::from_str(&html[from..from + html[from..].find("</script>").unwrap()]).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Two runs, a pack below, and two things that cannot be read.
fn made(folder: &Path) {
    fs::create_dir_all(folder.join("all/2026")).unwrap();
    words(folder, "run rig:mtron --quick --only granularity --seed 3 -q -o all/mtron").well();
    words(folder, "run rig:plain --quick --only granularity --seed 3 -q -o all/plain").well();
    words(folder, "measure rig:mtron --rw randread --number-ios 100 --seed 3 -q -o m").well();
    words(folder, "pack m -o all/2026/sent.flashscope").well();
    fs::create_dir(folder.join("all/newer")).unwrap();
    fs::write(folder.join("all/newer/manifest.json"), r#"{ "schema_version": 9 }"#).unwrap();
    fs::write(folder.join("all/text.flashscope"), "no pack").unwrap();
}

#[test]
fn a_site_has_all_results_with_their_figures_and_says_what_it_could_not_read() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    made(&folder);
    let told = words(&folder, "site all").well();
    assert!(told.out.contains("4 results, 6 comparisons"), "{}", told.out);
    assert!(told.err.contains("text.flashscope") && told.err.contains("schema version 9"), "{}", told.err);
    let site = folder.join("site");
    assert_eq!(names(&site.join("results")), ["mtron.html", "newer.html", "plain.html", "sent.html"]);
    let index = document(&site.join("index.html"));
    let table = &index["sections"][0]["blocks"][0];
    let labels: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["label"].as_str().unwrap()).collect();
    assert_eq!(labels[..6], ["device", "result", "kind", "headline", "about", "seq read"]);
    assert_eq!(labels[17..], ["date (UTC)", "state"]);
    let shown = words(&folder, "show all/mtron --json").well().json();
    let row = &table["rows"][0];
    assert_eq!(row[0]["link"], "results/mtron.html");
    let rw_ms = shown.pointer("/indicators/rw_ms/value").expect("the run has it");
    assert_eq!(row[8]["value"], *rw_ms);
    assert!(!row[8]["text"].as_str().unwrap().is_empty());
    assert!(row[3]["text"].as_str().unwrap().contains("random write 111 IOPS"), "{row}");
    for row in table["rows"].as_array().unwrap() {
        assert!(!row[3]["text"].as_str().unwrap().is_empty(), "each says what came of it: {row}");
    }
    let problems = index["sections"][1]["blocks"][0]["items"].to_string();
    assert!(problems.contains("all/text.flashscope") && problems.contains("schema version 9"), "{problems}");
}

#[test]
fn every_two_results_come_with_what_report_says_of_them() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    made(&folder);
    words(&folder, "site all -o pages").well();
    let pairs = folder.join("pages/pairs");
    assert_eq!(names(&pairs).len(), 6);
    let pair = added(&pairs.join("mtron--plain.js"));
    words(&folder, "report all/mtron all/plain -o both.html").well();
    let page = fs::read_to_string(folder.join("both.html")).unwrap();
    let begin = "data-flashscope=\"document\" data-result=\"2\">";
    let from = page.find(begin).unwrap() + begin.len();
    let expected: Value =
        serde_json::from_str(&page[from..from + page[from..].find("</script>").unwrap()]).unwrap();
    assert_eq!(pair["document"], expected);
    assert_eq!(expected["kind"], "comparison");
    // Of what is no measurement nothing is tested.
    let other = added(&pairs.join("mtron--newer.js"));
    assert!(other["document"].to_string().contains("between measurements only"), "{other}");
    let data = added(&folder.join("pages/data/sent.js"));
    assert!(!data["blobs"].as_object().unwrap().is_empty());
    assert!(!data.to_string().contains("/flashscope-"), "no folder that is gone");
}

#[test]
fn nothing_of_a_site_is_fetched_from_elsewhere() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    made(&folder);
    words(&folder, "site all").well();
    for name in ["index.html", "compare.html", "results/mtron.html"] {
        let page = fs::read_to_string(folder.join("site").join(name)).unwrap();
        for part in page.split(" src=\"").skip(1).chain(page.split(" href=\"").skip(1)) {
            let address = &part[..part.find('"').unwrap()];
            let below = folder.join("site").join(name).parent().unwrap().join(address);
            assert!(below.exists(), "{name} wants {address}");
        }
        assert!(page.contains("default-src 'none'"), "{name}");
    }
}

#[test]
fn an_old_site_is_replaced_and_nothing_else_is() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    made(&folder);
    words(&folder, "site all").well();
    fs::remove_dir_all(folder.join("all/plain")).unwrap();
    assert!(words(&folder, "site all").well().out.contains("3 results"));
    assert!(!folder.join("site/results/plain.html").exists(), "what was there before is gone");
    fs::write(folder.join("site/CNAME"), "mine").unwrap();
    words(&folder, "site all").failed(2, &["site", "-o"]);
    assert!(folder.join("site/results/mtron.html").exists() && folder.join("site/CNAME").exists());
    fs::create_dir(folder.join("mine")).unwrap();
    fs::write(folder.join("mine/index.html"), "mine").unwrap();
    words(&folder, "site all -o mine").failed(2, &["mine", "-o"]);
    words(&folder, "site nowhere").failed(2, &["nowhere"]);
    words(&folder, "site mine").failed(2, &["no results in"]);
    assert_eq!(names(&folder), ["all", "m", "mine", "site"], "no part is left");
}

#[test]
fn an_interruption_leaves_no_part_and_the_old_site() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, "measure rig:mtron --rw randread --number-ios 100 --seed 3 -q -o all/m").well();
    words(&folder, "site all").well();
    let before = fs::read(folder.join("site/index.html")).unwrap();
    words(&folder, "pack all/m -o all/m.flashscope").well();
    for number in 0..200 {
        fs::hard_link(folder.join("all/m.flashscope"), folder.join(format!("all/{number}.flashscope")))
            .unwrap();
    }
    let child = start(&folder, &["site", "all"]);
    let is_part = |name: &String| name.ends_with(".part");
    let pages = |name: &String| fs::read_dir(folder.join(name).join("results")).map_or(0, Iterator::count);
    wait_for("the first pages", || {
        names(&folder).iter().filter(|name| is_part(name)).any(|name| pages(name) > 1)
    });
    interrupt(child).failed(130, &["interrupted: site was not written"]);
    assert_eq!(names(&folder), ["all", "site"], "no part is left");
    assert!(fs::read(folder.join("site/index.html")).unwrap() == before, "the old one is as it was");
}
