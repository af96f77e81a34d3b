//! What `flashscope reproduce` prints and refuses. What the studies promise is asked of `flashscope-papers`.

use std::path::Path;

use crate::common::kernel::Scratch;
use crate::common::{Ended, call};
use serde_json::Value;

fn reproduce(line: &str) -> Ended {
    let scratch = Scratch::new();
    let arguments: Vec<&str> = ["reproduce"].into_iter().chain(line.split_whitespace()).collect();
    call(&scratch.path(""), &arguments)
}

/// The claims of a call by their ids.
fn claims(line: &str) -> Vec<Value> {
    let document = reproduce(&format!("{line} --json")).well().json();
    document["claims"].as_array().expect("a list of claims").clone()
}

#[test]
fn a_claim_in_json_has_its_number_and_what_is_accepted() {
    for claim in claims("bplru-techniques --seed 1 --jobs 1") {
        let [low, high] = [0, 1].map(|end| claim["accepted"][end].as_f64().unwrap_or(f64::INFINITY));
        let is_in = claim["measured"].as_f64().is_some_and(|value| low <= value && value <= high);
        assert_eq!(claim["verdict"] == "reproduced", is_in, "{claim}");
    }
}

#[test]
fn each_claim_says_in_how_many_runs_it_holds_and_is_a_conclusion() {
    let document = reproduce("uflip-figure-3 --seeds 3 --json").well().json();
    let (claims, conclusions) = (document["claims"].as_array().unwrap(), document["conclusions"].as_array());
    for (claim, conclusion) in claims.iter().zip(conclusions.unwrap()) {
        assert_eq!((&claim["runs"], &conclusion["name"]), (&Value::from(3), &claim["id"]), "{claim}");
        let is_supported = conclusion["state"] == "supported";
        let is_found =
            claim["basis"] == "found" && claim["verdict"] == "reproduced" && claim["agreeing"] == 3;
        assert_eq!(is_supported, is_found, "{claim} {conclusion}");
        assert_eq!(conclusion["runs"].as_array().map(Vec::len), Some(3));
    }
    let text = reproduce("uflip-figure-3 --seeds 3").well().out;
    assert!(text.contains("(agrees in 2 of 3 runs)") && text.contains("it depends on the seed"), "{text}");
}

#[test]
fn sensitivity_names_the_verdicts_that_rest_on_a_setting() {
    let text = reproduce("ajwani-spikes --sensitivity --seeds 1").well().out;
    assert!(text.contains("ram.size doubled: first differs, was reproduced"), "{text}");
    let document = reproduce("ajwani-spikes --sensitivity --seeds 1 --json").well().json();
    let settings = document["studies"][0]["settings"].as_array().unwrap().clone();
    let of = |key: &str| settings.iter().find(|of| of["key"] == key).unwrap_or_else(|| panic!("no {key}"));
    assert_eq!(of("ram.size")["values"][0], "12000KiB");
    assert!(of("nand.channels")["halved"]["impossible"].is_string(), "half a channel");
}

/// A disk has no spikes: that is none, and not a spike of 0 seconds.
#[test]
fn what_is_not_there_is_none() {
    let spikes = claims("ajwani-spikes --on sim:hdd-7200");
    let first = spikes.iter().find(|claim| claim["id"] == "ajwani-spikes/first").expect("the claim");
    assert!(first["measured"].is_null() && first["none"] == true, "{first}");
    let rig = reproduce("uflip-figure-3 --on rig:plain").well().out;
    assert!(rig.contains("published 125 IOs · here none · differs"), "{rig}");
}

#[test]
fn why_a_study_cannot_be_run_names_the_flag() {
    for claim in claims("uflip-figure-5 --on rig:plain") {
        assert_eq!(claim["reason"], "it compares several devices, and --on names one", "{claim}");
    }
}

#[test]
fn an_unknown_number_names_the_papers() {
    let words = ["unknown paper '005'", "000 (Characterizing", "001", "002", "003", "004"];
    reproduce("005").failed(2, &words);
}

#[test]
fn an_unknown_study_is_refused_with_those_most_like_it() {
    reproduce("bplru-mp4").failed(2, &["did you mean bplru-mp3", "000 to 004", "list studies"]);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_run() {
    reproduce("almost-sequential --on sim:nosuch").failed(2, &["unknown profile 'nosuch'"]);
    reproduce("almost-sequential --on rig:nosuch").failed(2, &["nosuch"]);
    reproduce("all -o not/there/page.html").failed(2, &["not/there/page.html", "its folder does not exist"]);
}

#[test]
fn the_page_holds_the_pictures() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    call(&folder, &["reproduce", "bplru-mp3", "-o", "mp3.html"]).well();
    let page = std::fs::read_to_string(folder.join("mp3.html")).unwrap();
    assert!(page.contains("w5-throughput") && page.contains("reproduced"));
}

/// The pages are written by the program. That they are not older than the code is seen by `cargo xtask tidy`,
/// from a hash of what they depend on.
#[test]
#[ignore = "runs every study, 330 CPU seconds; .ci/nightly does"]
fn docs_papers_is_what_the_program_prints() {
    let scratch = Scratch::new();
    call(&scratch.path(""), &["reproduce", "all", "--book", "book"]).well();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for name in
        ["papers.md", "papers/000.md", "papers/001.md", "papers/002.md", "papers/003.md", "papers/004.md"]
    {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(name)).unwrap();
        let (written, kept) = (read(&scratch.path("book")), read(&docs));
        let differing = written.lines().zip(kept.lines()).find(|(written, kept)| written != kept);
        assert!(written == kept, "{name}: {differing:?}: make it again with `cargo xtask papers`");
    }
}
