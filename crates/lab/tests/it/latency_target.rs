//! The largest queue depth that meets a latency target, on devices whose answer follows from Little's law.

use std::fs;

use flashscope_lab::{
    Error, ErrorKind, Interrupt, LatencyTarget, MeasureRequest, MeasureResult, Nanos, Pattern, Remedy,
    TargetSpec, measure,
};

use crate::kernel::Scratch;

/// Each read takes 100 us, on one of so many channels.
fn device(scratch: &Scratch, channels: u32) -> TargetSpec {
    let text = format!(
        "size = \"64MiB\"\n[latency]\nsequential_read = [[\"0\", \"100us\"], [\"1MiB\", \"100us\"]]\n\
         random_read = [[\"0\", \"100us\"], [\"1MiB\", \"100us\"]]\n\
         sequential_write = [[\"0\", \"100us\"], [\"1MiB\", \"100us\"]]\n\
         [parallel]\nchannels = {channels}\n"
    );
    let path = scratch.path(&format!("rig-{channels}.toml"));
    fs::write(&path, text).expect("written");
    TargetSpec::Rig(path.display().to_string())
}

fn asked(target: TargetSpec, latency_us: u64, share: f64, most: u32) -> MeasureRequest {
    let pattern: Pattern = format!("rw=randread bs=4k iodepth={most}").parse().expect("a pattern");
    let (latency, window) = (Nanos::from_us(latency_us), Nanos::from_ms(200));
    MeasureRequest {
        seed: Some(3),
        latency_target: Some(LatencyTarget { latency, share, window }),
        ..MeasureRequest::new(target, pattern)
    }
}

fn measured(scratch: &Scratch, name: &str, request: &MeasureRequest) -> Result<MeasureResult, Error> {
    measure(request, Some(&scratch.path(name)), None, &mut |_| {}, &Interrupt::new())
}

/// With D in flight on C channels each IO waits for at most ceil(D / C) - 1 others.
#[test]
fn the_depth_is_the_one_at_which_the_queue_takes_as_long() {
    let scratch = Scratch::new();
    for (channels, latency_us, most, expected) in [
        (1, 450, 64, 4),
        (1, 700, 64, 7),
        (4, 450, 64, 16),
        (4, 450, 10, 10),
        (1, 100, 64, 1),
        (8, 399, 64, 24),
    ] {
        let name = format!("{channels}-{latency_us}-{most}");
        let request = asked(device(&scratch, channels), latency_us, 1.0, most);
        let result = measured(&scratch, &name, &request).expect("a result");
        assert!(result.error.is_none(), "{name}: {:?}", result.error);
        assert_eq!(result.chosen_iodepth, Some(expected), "{name}");
        let [finished] = &result.finished[..] else { panic!("{name}: one run is kept") };
        assert_eq!(finished.experiment.pattern.iodepth, expected, "{name}");
        // 200 ms of IOs of 100 us on each channel in use.
        let ios = 2_000.0 * f64::from(channels.min(expected));
        assert!((finished.run.ios as f64 / ios - 1.0).abs() < 0.05, "{name}: {}", finished.run.ios);
    }
}

#[test]
fn a_share_of_the_ios_may_take_longer() {
    let scratch = Scratch::new();
    // With 6 in flight on 4 channels half of the IOs wait for another.
    let of = |share: f64| {
        let request = asked(device(&scratch, 4), 150, share, 64);
        measured(&scratch, &format!("{share}"), &request).expect("a result").chosen_iodepth
    };
    assert_eq!(of(1.0), Some(4));
    let half = of(0.45).expect("a depth");
    assert!((5..=7).contains(&half), "{half}");
}

#[test]
fn a_target_that_no_depth_meets_is_an_error_and_others_ends_are_refused() {
    let scratch = Scratch::new();
    let result = measured(&scratch, "slow", &asked(device(&scratch, 1), 50, 0.999, 8)).expect("a folder");
    let error = result.error.expect("100 us is more than 50 us");
    assert!(error.to_string().contains("0.00 % of the IOs took at most 50us at queue depth 1"), "{error}");
    assert!(result.finished.is_empty() && result.chosen_iodepth.is_none());
    let request = asked(device(&scratch, 1), 450, 1.0, 8);
    let refused = |request: MeasureRequest, setting: &'static str| {
        let error = measured(&scratch, "refused", &request).expect_err(setting);
        assert_eq!((error.kind(), error.remedy()), (ErrorKind::Usage, Some(Remedy::LeaveOut(setting))));
    };
    let pattern = |text: &str| -> Pattern { text.parse().expect("a pattern") };
    refused(MeasureRequest { runtime: Some(Nanos::from_s(1)), ..request.clone() }, "runtime");
    refused(MeasureRequest { precision: Some(0.01), ..request.clone() }, "precision");
    refused(MeasureRequest { pattern: pattern("rw=read number_ios=5"), ..request.clone() }, "number_ios");
    refused(MeasureRequest { pattern: pattern("rw=read rate_iops=5"), ..request.clone() }, "rate_iops");
    for (share, setting) in [(0.0, "latency_percentile"), (1.5, "latency_percentile")] {
        let target = LatencyTarget { share, ..request.latency_target.expect("a target") };
        let error =
            measured(&scratch, "share", &MeasureRequest { latency_target: Some(target), ..request.clone() });
        assert_eq!(error.expect_err("a share").setting_name(), Some(setting));
    }
}
