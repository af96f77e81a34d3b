//! A drive with zones as a target: each command works, or refuses before the first IO with a reason.

use std::fs;

use flashscope_lab::replay::{PlannedReplay, replay};
use flashscope_lab::{
    Error, Interrupt, MeasureRequest, OpenMeasurement, PlannedRun, ReplayRequest, RunRequest, TraceInput,
    measure,
};

use crate::kernel::Scratch;

const DRIVE: &str = "sim:zns-2024?capacity=1GiB";

fn request(words: &str) -> MeasureRequest {
    let pattern = words.parse().unwrap_or_else(|error| panic!("{words}: {error}"));
    MeasureRequest { seed: Some(3), ..MeasureRequest::new(DRIVE.into(), pattern) }
}

fn refusal<T>(answer: Result<T, Error>, what: &str) -> String {
    let error = answer.err().unwrap_or_else(|| panic!("{what} is refused"));
    assert!(error.to_string().contains("has zones"), "{what}: {error}");
    error.to_string()
}

#[test]
fn patterns_in_the_order_of_zones_are_measured_and_others_refused() {
    for words in
        ["rw=write bs=64KiB", "rw=randread bs=4KiB", "rw=randwrite bs=64KiB size=896MiB random=streams:14"]
    {
        let scratch = Scratch::new();
        let folder = scratch.path("result");
        let result = measure(&request(words), Some(&folder), None, &mut |_| {}, &Interrupt::new());
        let result = result.unwrap_or_else(|error| panic!("{words}: {error}"));
        assert!(result.error.is_none(), "{words}: {:?}", result.error);
    }
    let refused = request("rw=randwrite bs=4KiB");
    let refused = refusal(OpenMeasurement::new(&refused, &Interrupt::new()), "randwrite");
    assert!(refused.contains("random=streams:K"), "{refused}");
}

#[test]
fn runs_and_traces_that_write_are_refused_and_the_reads_of_a_trace_replayed() {
    let run = RunRequest { target: DRIVE.into(), ..RunRequest::default() };
    let refused = refusal(PlannedRun::new(&run, None, true, &Interrupt::new()), "run");
    assert!(refused.contains("measure single patterns"), "{refused}");
    let scratch = Scratch::new();
    let trace = scratch.path("trace");
    fs::write(&trace, "0.0 ; 0 ; 8 ; W ; 0.0 ; 0.001\n0.1 ; 64 ; 16 ; R ; 0.0 ; 0.001\n")
        .expect("a small file");
    let mut request = ReplayRequest::new(TraceInput::new(&trace), DRIVE.into());
    refusal(PlannedReplay::new(&request, &Interrupt::new()), "replay");
    request.read_only = true;
    let result = replay(&request, None, None, &mut |_| {}, &Interrupt::new()).expect("a read is in place");
    assert!(result.error.is_none(), "{:?}", result.error);
}
