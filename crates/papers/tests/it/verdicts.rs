//! A verdict is computed from what is measured, so that a wrong device changes it.

use flashscope_lab::Interrupt;
use flashscope_papers::Verdict::{self, Differs, Reproduced};
use flashscope_papers::{Change, Stage, json, judge, sensitivity, sensitivity_json, sensitivity_view};

use crate::common::{claim, claims, failed, named, run_on, value};

fn verdict(names: &str, device: Option<&str>, id: &str) -> Verdict {
    claim(&run_on(names, device), id).verdict
}

#[test]
fn a_deliberately_wrong_device_turns_verdicts_to_differs() {
    let right = run_on("almost-sequential", None);
    let permutation = "almost-sequential/permutation";
    assert_eq!(claim(&right, permutation).verdict, Reproduced);
    assert_eq!(claim(&right, "almost-sequential/random-gaps").verdict, Reproduced);
    // On a full drive, one open block for all mixes survivors in, and a repeated order is lost. Log blocks
    // rewrite a whole block for each chunk out of order, repeated or not.
    for wrong in ["sim:x25m-2009?page.frontiers=1&initial=full", "sim:usb-stick-2009"] {
        assert_eq!(verdict("almost-sequential", Some(wrong), permutation), Differs, "{wrong}");
    }
}

/// What the study's words say of the drive's second open block.
#[test]
fn a_repeated_permutation_needs_a_second_open_block_on_a_full_drive_alone() {
    let of = |frontiers: u32, initial: &str| {
        let device = format!("sim:x25m-2009?page.frontiers={frontiers}&initial={initial}");
        let judged = run_on("almost-sequential", Some(&device));
        ["permutation", "little"]
            .map(|name| value(claim(&judged, &format!("almost-sequential/{name}"))).unwrap())
    };
    let ([fresh_one, little_one], [fresh_two, little_two]) = (of(1, "empty"), of(2, "empty"));
    assert!(fresh_one < 1.0 && fresh_two < 1.0, "{fresh_one} and {fresh_two} % lost");
    assert_eq!((little_one, little_two), (20.0, 50.0));
    let ([full_one, _], [full_two, _]) = (of(1, "full"), of(2, "full"));
    assert!((40.0..50.0).contains(&full_one) && full_two < 1.0, "{full_one} and {full_two} % lost");
}

/// What the words of `ajwani-recovery/healed` say of it.
#[test]
fn with_a_second_open_block_one_rewrite_heals_and_a_burst_costs_little() {
    let judged = run_on("ajwani-recovery", Some("sim:usb-stick-2009?page.frontiers=2"));
    let of = |name: &str| value(claim(&judged, &format!("ajwani-recovery/{name}"))).unwrap();
    assert_eq!(of("healed"), 1.0);
    assert!((1.6..1.8).contains(&of("rewrite")), "{}", of("rewrite"));
}

/// Chance decides what a start-up hides: one run would have said either.
#[test]
fn what_some_seeds_show_is_not_reproduced() {
    let interrupt = Interrupt::new();
    let of =
        |seeds| judge(&named("uflip-figure-3"), &Stage::new(1, &interrupt).with_seeds(seeds), 2, &|_| {});
    let (all, alone) = (of(3).unwrap(), of(1).unwrap());
    for (all, alone) in claims(&all).zip(claims(&alone)) {
        let name = all.claim.name;
        assert_eq!((all.runs, alone.runs), (3, 1), "{name}");
        assert!(all.verdict >= alone.verdict, "{name}: more runs never make it better");
        assert_eq!(all.verdict.agrees(), all.agreeing == 3, "{name}");
    }
    let sooner = claim(&all, "uflip-figure-3/sooner");
    assert_eq!((sooner.verdict, sooner.agreeing), (Differs, 2));
    assert_eq!(claim(&alone, "uflip-figure-3/sooner").verdict, Reproduced);
}

#[test]
fn a_setting_that_decides_a_verdict_is_seen_when_it_is_doubled() {
    let interrupt = Interrupt::new();
    let study = named("ajwani-spikes")[0];
    let found = sensitivity(study, &Stage::new(1, &interrupt).with_seeds(1), &|| ()).unwrap();
    let of = |key: &str| found.iter().find(|of| of.key == key).unwrap_or_else(|| panic!("no {key}"));
    let changed = |change: &Change| match change {
        Change::Verdicts(changed) => changed.iter().map(|(claim, ..)| *claim).collect::<Vec<_>>(),
        Change::Impossible(reason) => panic!("{reason}"),
    };
    // The buffer is made for the first spike and the period; a command's link hardly matters to them.
    assert!(changed(&of("ram.size").doubled).contains(&"first"));
    assert!(!changed(&of("host.mb_s").doubled).contains(&"first"));
    let text = sensitivity_view(study, &found);
    assert!(text.contains("ram.size doubled: first differs, was reproduced"), "{text}");
    let entries = sensitivity_json(study, &found);
    assert_eq!(entries["settings"].as_array().unwrap().len(), found.len());
}

#[test]
fn a_device_without_startup_or_oscillation_shows_none_of_uflips_figures() {
    let right = run_on("uflip-figure-3 uflip-figure-4", None);
    assert_eq!(claim(&right, "uflip-figure-3/startup").verdict, Reproduced);
    assert_eq!(claim(&right, "uflip-figure-4/period").verdict, Reproduced);
    let wrong = run_on("uflip-figure-3 uflip-figure-4 uflip-alignment", Some("rig:plain"));
    for id in ["uflip-figure-3/startup", "uflip-figure-3/period", "uflip-figure-4/period"] {
        assert_eq!(claim(&wrong, id).verdict, Differs, "{id}");
    }
    assert_eq!(claim(&wrong, "uflip-alignment/misaligned").verdict, Differs);
}

#[test]
fn without_the_mechanism_its_claims_differ() {
    // No writes gather; every sector finds a log block; blocks are smaller than the paper's; and so on.
    for (study, wrong, claim) in [
        ("ajwani-spikes", "sim:slc-sata-2009?buffer=lru", "every"),
        ("bplru-table-1", "sim:bplru-board?log_block.log_blocks=5&over_provisioning=1.4", "lru"),
        ("bplru-table-1", "sim:bplru-board?ram.size=40KiB", "block-lru"),
        ("bplru-merges", "sim:bplru-board?nand.pages_per_block=64", "full-writes"),
        ("bplru-ftls", "sim:bplru-board?log_block.log_blocks=5", "logs"),
        ("bplru-techniques", "sim:bplru-board?ram.size=40KiB", "figure-3-victim"),
        ("bplru-compensation", "sim:bplru-board?bplru.compensation=false", "padded"),
    ] {
        let id = format!("{study}/{claim}");
        assert_eq!(verdict(study, None, &id), Reproduced, "{id}");
        assert_eq!(verdict(study, Some(wrong), &id), Differs, "{id} on {wrong}");
    }
}

#[test]
fn a_drive_with_as_much_spare_as_capacity_pays_no_rewrite_penalty() {
    let id = "rewrite-penalty/penalty";
    assert_ne!(verdict("rewrite-penalty", None, id), Differs);
    let wrong = Some("sim:x25m-2009?over_provisioning=4");
    assert_eq!(verdict("rewrite-penalty", wrong, id), Differs);
}

#[test]
fn the_same_seed_gives_the_same_numbers_however_many_run_at_a_time() {
    let interrupt = Interrupt::new();
    let run = |jobs| {
        let studies = named("bplru-office-install bplru-padding");
        let stage = Stage::new(1, &interrupt).with_seeds(2);
        json(&judge(&studies, &stage, jobs, &|_| {}).unwrap(), None, 1, true)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one["summary"]["differs"], 0, "{one}");
}

#[test]
fn a_claim_tells_which_values_are_accepted() {
    for claim in claims(&run_on("almost-sequential", None)) {
        let [near, _] = claim.claim.accepted();
        let is_in = near.zip(value(claim)).is_some_and(|((low, high), value)| low <= value && value <= high);
        assert_eq!(claim.verdict == Reproduced, is_in, "{}", claim.claim.name);
    }
}

#[test]
fn a_stage_that_is_interrupted_has_no_result() {
    let interrupt = Interrupt::new();
    interrupt.set();
    assert!(failed(judge(&named("bplru-mp3"), &Stage::new(1, &interrupt), 1, &|_| {})).is_interruption());
}
