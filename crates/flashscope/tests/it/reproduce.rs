//! What `flashscope reproduce` promises: a verdict is computed from what is measured, so that a wrong device
//! changes it; every claim is told with its source; what cannot be run says why.

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

#[track_caller]
fn verdict<'a>(claims: &'a [Value], id: &str) -> &'a str {
    let claim = claims.iter().find(|claim| claim["id"] == id);
    claim.unwrap_or_else(|| panic!("no claim {id}"))["verdict"].as_str().expect("a verdict")
}

#[test]
fn a_deliberately_wrong_device_turns_verdicts_to_differs() {
    let right = claims("almost-sequential");
    let permutation = "almost-sequential/permutation";
    assert_eq!(verdict(&right, permutation), "reproduced");
    assert_eq!(verdict(&right, "almost-sequential/random-gaps"), "reproduced");
    // On a full drive, one open block for all mixes survivors in, and a repeated order is lost.
    let wrong = claims("almost-sequential --on sim:x25m-2009?page.frontiers=1&initial=full");
    assert_eq!(verdict(&wrong, permutation), "differs");
    // Log blocks rewrite a whole block for each chunk out of order, repeated or not.
    let logs = claims("almost-sequential --on sim:usb-stick-2009");
    assert_eq!(verdict(&logs, permutation), "differs");
}

#[test]
fn a_device_without_startup_or_oscillation_shows_none_of_uflips_figures() {
    let right = claims("uflip-figure-3 uflip-figure-4");
    assert_eq!(verdict(&right, "uflip-figure-3/startup"), "reproduced");
    assert_eq!(verdict(&right, "uflip-figure-4/period"), "reproduced");
    let wrong = claims("uflip-figure-3 uflip-figure-4 uflip-alignment --on rig:plain");
    for id in ["uflip-figure-3/startup", "uflip-figure-3/period", "uflip-figure-4/period"] {
        assert_eq!(verdict(&wrong, id), "differs", "{id}");
    }
    assert_eq!(verdict(&wrong, "uflip-alignment/misaligned"), "differs");
}

#[test]
fn without_the_mechanism_its_claims_differ() {
    let line = "ajwani-spikes bplru-table-1 bplru-merges bplru-ftls bplru-techniques bplru-compensation";
    let ids = [
        "ajwani-spikes/every",
        "bplru-table-1/lru",
        "bplru-table-1/block-lru",
        "bplru-merges/full-writes",
        "bplru-ftls/logs",
        "bplru-techniques/figure-3-victim",
        "bplru-compensation/padded",
    ];
    let right = claims(line);
    ids.iter().for_each(|id| assert_eq!(verdict(&right, id), "reproduced", "{id}"));
    // No writes gather; every sector finds a log block; blocks are smaller than the paper's; and so on.
    for (on, id) in [
        ("ajwani-spikes --on sim:slc-sata-2009?buffer=lru", ids[0]),
        ("bplru-table-1 --on sim:bplru-board?log_block.log_blocks=5&over_provisioning=1.4", ids[1]),
        ("bplru-table-1 --on sim:bplru-board?ram.size=40KiB", ids[2]),
        ("bplru-merges --on sim:bplru-board?nand.pages_per_block=64", ids[3]),
        ("bplru-ftls --on sim:bplru-board?log_block.log_blocks=5", ids[4]),
        ("bplru-techniques --on sim:bplru-board?ram.size=40KiB", ids[5]),
        ("bplru-compensation --on sim:bplru-board?bplru.compensation=false", ids[6]),
    ] {
        assert_eq!(verdict(&claims(on), id), "differs", "{on}");
    }
}

#[test]
fn a_drive_with_as_much_spare_as_capacity_pays_no_rewrite_penalty() {
    let right = claims("rewrite-penalty");
    assert_ne!(verdict(&right, "rewrite-penalty/penalty"), "differs");
    let wrong = claims("rewrite-penalty --on sim:x25m-2009?over_provisioning=4");
    assert_eq!(verdict(&wrong, "rewrite-penalty/penalty"), "differs");
}

#[test]
fn the_same_seed_gives_the_same_numbers_however_many_run_at_a_time() {
    let one = claims("bplru-office-install bplru-padding --jobs 1");
    assert_eq!(one, claims("bplru-office-install bplru-padding --jobs 2"));
    assert_eq!(verdict(&one, "bplru-office-install/throughput"), "reproduced");
}

#[test]
fn what_only_a_simulated_device_tells_is_not_run_on_another() {
    let claims = claims("bplru-mp3 --on rig:plain");
    assert_eq!(verdict(&claims, "bplru-mp3/harmless"), "not_here");
    assert!(claims[0]["reason"].as_str().unwrap().contains("simulated SSD"), "{claims:?}");
}

/// A disk has no spikes: that is none, and not a spike of 0 seconds.
#[test]
fn what_is_not_there_is_none_and_not_zero() {
    let spikes = claims("ajwani-spikes --on sim:hdd-7200");
    for name in ["ajwani-spikes/first", "ajwani-spikes/every", "ajwani-spikes/spike"] {
        let claim = spikes.iter().find(|claim| claim["id"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert!(claim["measured"].is_null() && claim["none"] == true, "{claim}");
        assert_eq!(claim["verdict"], "differs", "{claim}");
        assert!(claim["reason"].as_str().unwrap().contains("would agree"), "{claim}");
    }
    let rig = reproduce("uflip-figure-3 uflip-figure-4 --on rig:plain").well().out;
    assert!(rig.contains("published 125 IOs · here none · differs"), "{rig}");
    assert!(
        rig.contains("published 0 IOs · here 0 IOs · reproduced"),
        "no start-up is what is claimed: {rig}"
    );
}

#[test]
fn what_is_about_flash_is_not_run_on_a_disk_or_a_rig() {
    for on in ["sim:hdd-7200", "rig:mtron"] {
        for claim in claims(&format!("bplru-table-2 bplru-power-loss --on {on}")) {
            assert_eq!(claim["verdict"], "not_here", "{claim}");
            assert!(claim["measured"].is_null() && claim["reason"] != "", "{claim}");
        }
    }
}

#[test]
fn an_unknown_number_names_the_papers() {
    let words = ["no paper '005'", "000 (Characterizing", "001", "002", "003", "004"];
    reproduce("005").failed(2, &words);
}

#[test]
fn an_unknown_study_is_refused_with_those_most_like_it() {
    reproduce("bplru-mp4").failed(2, &["most like it are bplru-mp3", "000 to 004", "list studies"]);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_run() {
    reproduce("almost-sequential --on sim:nosuch").failed(2, &["unknown profile 'nosuch'"]);
    reproduce("almost-sequential --on rig:nosuch").failed(2, &["nosuch"]);
    reproduce("all -o not/there/page.html").failed(2, &["not/there/page.html", "its folder is not there"]);
}

#[test]
fn a_claim_tells_which_values_are_accepted() {
    for claim in claims("almost-sequential") {
        let [low, high] = [0, 1].map(|end| claim["accepted"][end].as_f64().unwrap_or(f64::INFINITY));
        let is_in = claim["measured"].as_f64().is_some_and(|value| low <= value && value <= high);
        assert_eq!(claim["verdict"] == "reproduced", is_in, "{claim}");
    }
}

#[test]
fn the_page_holds_the_pictures() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    call(&folder, &["reproduce", "bplru-mp3", "-o", "mp3.html"]).well();
    let page = std::fs::read_to_string(folder.join("mp3.html")).unwrap();
    assert!(page.contains("w5-throughput") && page.contains("reproduced"));
}

/// Of a claim that is reproduced there is nothing to explain; of every other there is.
#[test]
fn every_verdict_but_reproduced_has_a_reason() {
    // What the page says is what the program prints: see below.
    let rows = include_str!("../../../../docs/papers.md").lines().filter(|line| line.starts_with("| "));
    let verdicts = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | "));
    let mut seen = 0;
    for (claim, verdict) in verdicts {
        let (name, reason) = verdict.split_once(": ").unwrap_or((verdict, ""));
        let name = name.trim_end_matches(" (as set)").trim_end_matches(" (computed)");
        if ["reproduced", "reproduced in kind", "differs", "cannot be run here"].contains(&name) {
            seen += 1;
            assert_eq!(name == "reproduced", reason.is_empty(), "{claim}: {verdict}");
        }
    }
    assert!(seen > 500, "{seen} claims");
}

/// The page is printed by the program. That it is not older than the code is seen by `cargo xtask tidy`, from
/// a hash of what it depends on.
#[test]
#[ignore = "runs every study, 200 CPU seconds; .ci/nightly does"]
fn docs_papers_is_what_the_program_prints() {
    let printed = reproduce("all --markdown").well().out;
    let kept = include_str!("../../../../docs/papers.md");
    let differing = printed.lines().zip(kept.lines()).find(|(printed, kept)| printed != kept);
    assert!(printed == kept, "{differing:?}: make it again with `cargo xtask papers`");
}
