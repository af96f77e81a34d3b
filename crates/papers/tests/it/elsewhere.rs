//! Studies on virtual devices that they were not written for.

use flashscope_papers::Verdict::{Differs, NotHere as CannotBeRun, Reproduced};
use flashscope_papers::{Finding, NotHere};

use crate::common::{claim, claims, reason_of, run_on, value};

#[test]
fn what_only_a_simulated_device_tells_is_not_run_on_another() {
    let judged = run_on("bplru-mp3", Some("rig:plain"));
    assert_eq!(claim(&judged, "bplru-mp3/harmless").verdict, CannotBeRun);
    assert!(judged[0].claims[0].reason.contains("simulated SSD"), "{}", judged[0].claims[0].reason);
}

#[test]
fn what_compares_devices_is_not_run_on_one() {
    let judged = run_on("uflip-figure-5", Some("rig:plain"));
    assert_eq!(reason_of(&judged[0]), Some(NotHere::ComparesDevices));
    assert!(claims(&judged).all(|claim| claim.verdict == CannotBeRun));
}

#[test]
fn why_it_cannot_be_run_is_said_in_the_callers_words() {
    let mut judged = run_on("uflip-figure-5", Some("rig:plain"));
    judged[0].reword(|error| format!("sorry: {error}"));
    assert!(judged[0].claims.iter().all(|claim| claim.reason.starts_with("sorry: it compares")));
    let mut judged = run_on("bplru-techniques", None);
    let before: Vec<String> = judged[0].claims.iter().map(|claim| claim.reason.clone()).collect();
    judged[0].reword(|_| panic!("it was run"));
    assert!(judged[0].claims.iter().map(|claim| &claim.reason).eq(&before));
}

/// A disk has no spikes: that is none, and not a spike of 0 seconds.
#[test]
fn what_is_not_there_is_none_and_not_zero() {
    let spikes = run_on("ajwani-spikes", Some("sim:hdd-7200"));
    for name in ["ajwani-spikes/first", "ajwani-spikes/every", "ajwani-spikes/spike"] {
        let claim = claim(&spikes, name);
        assert_eq!((&claim.found, claim.verdict), (&Finding::Absent, Differs), "{name}");
        assert!(claim.reason.contains("accepted:"), "{name}: {}", claim.reason);
    }
    // No start-up is what is claimed there.
    let rig = run_on("uflip-figure-4", Some("rig:plain"));
    assert!(claims(&rig).any(|claim| value(claim) == Some(0.0) && claim.verdict == Reproduced));
}

#[test]
fn what_is_about_flash_is_not_run_on_a_disk_or_a_rig() {
    for device in ["sim:hdd-7200", "rig:mtron"] {
        for claim in claims(&run_on("bplru-table-2 bplru-power-loss", Some(device))) {
            assert_eq!((&claim.found, claim.verdict), (&Finding::Unknown, CannotBeRun));
            assert!(!claim.reason.is_empty(), "{}", claim.claim.name);
        }
    }
}
