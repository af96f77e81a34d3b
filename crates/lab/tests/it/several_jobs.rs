//! Several patterns at the same time on one target: one start, shares of the IOs, one end, a result each.

use std::fs;

use flashscope_analysis::Stop;
use flashscope_lab::{
    Error, ErrorKind, Interrupt, JobRequest, JobSpec, MeasureRequest, MeasureResult, OpenJobs, Pattern,
    TargetSpec,
};

use crate::kernel::Scratch;

fn asked(target: TargetSpec, jobs: &[&str]) -> Vec<JobRequest> {
    let common =
        MeasureRequest { write: true, seed: Some(3), ..MeasureRequest::new(target, Pattern::default()) };
    let job = |text: &&str| JobRequest::new(&text.parse::<JobSpec>().expect("a job"), &common);
    jobs.iter().map(job).collect()
}

fn measured(scratch: &Scratch, jobs: &[JobRequest]) -> Result<Vec<MeasureResult>, Error> {
    let opened = OpenJobs::new(jobs, &Interrupt::new())?;
    let begun = opened.begin(Some(&scratch.path("out")))?;
    Ok(begun.measure(&mut |_| {}, &Interrupt::new()))
}

fn elapsed_s(result: &MeasureResult) -> f64 {
    result.finished[0].run.elapsed_ns as f64 / 1e9
}

/// Alone the first needs an eighth of the others' time, for it has an eighth of their IOs.
#[test]
fn jobs_with_a_flow_go_on_in_the_ratio_of_their_weights() {
    let scratch = Scratch::new();
    let texts = [
        "one: rw=write bs=4k size=1g number_ios=10000 flow=1",
        "eight: rw=randread bs=8k size=1g number_ios=80000 iodepth=16 flow=8",
    ];
    let results = measured(&scratch, &asked(TargetSpec::Null, &texts)).expect("results");
    for (result, ios) in results.iter().zip([10_000, 80_000]) {
        assert!(result.error.is_none(), "{:?}", result.error);
        assert_eq!(result.finished[0].run.ios, ios);
        // Its rate is what it was, not what its response times would allow.
        let rate = ios as f64 / elapsed_s(result);
        assert!((result.finished[0].iops().expect("a rate") / rate - 1.0).abs() < 0.01);
    }
    let [one, eight] = [elapsed_s(&results[0]), elapsed_s(&results[1])];
    assert!((one / eight - 1.0).abs() < 0.25, "{one} s and {eight} s");
    assert_eq!(results[1].folder, scratch.path("out-eight"));
}

#[test]
fn processes_have_the_weight_of_their_job_each() {
    let scratch = Scratch::new();
    let texts = [
        "one: rw=write bs=4k size=1g number_ios=10000 flow=1",
        "two: rw=read bs=4k size=1g number_ios=30000 numjobs=2 job_space=shared flow=3",
    ];
    let results = measured(&scratch, &asked(TargetSpec::Null, &texts)).expect("results");
    assert_eq!(results[1].finished[0].run.ios, 60_000, "30,000 of each process");
    let [one, two] = [elapsed_s(&results[0]), elapsed_s(&results[1])];
    assert!((one / two - 1.0).abs() < 0.25, "{one} s and {two} s");
}

#[test]
fn the_end_of_one_is_that_of_all_if_it_says_so() {
    let scratch = Scratch::new();
    let slow = "slow: rw=read bs=4k size=1g number_ios=50 thinktime=2ms exitall=1";
    let fast = "fast: rw=randread bs=4k size=1g runtime=1min";
    let results = measured(&scratch, &asked(TargetSpec::Null, &[slow, fast])).expect("results");
    assert_eq!(results[0].finished[0].run.ios, 50);
    let run = &results[1].finished[0].run;
    assert_eq!(run.outcome.stopped_because, Stop::Ended);
    assert!((0.08..20.0).contains(&elapsed_s(&results[1])) && run.ios > 50, "{}", elapsed_s(&results[1]));
    assert!(results.iter().all(|result| result.context.complete && result.error.is_none()));
}

/// fio says the same of such a job: no IOs.
#[test]
fn a_job_that_was_ended_before_its_start_has_no_ios_and_no_rate() {
    let scratch = Scratch::new();
    let texts = [
        "first: rw=read bs=4k size=1g number_ios=50 exitall=1",
        "late: rw=read bs=4k size=1g number_ios=5 startdelay=1min",
        "lanes: rw=read bs=4k size=1g number_ios=5 numjobs=2 startdelay=1min",
        // Its second IO is due in a minute.
        "rare: rw=read bs=4k size=1g rate_iops=0.016 numjobs=1",
    ];
    let results = measured(&scratch, &asked(TargetSpec::Null, &texts)).expect("results");
    for (result, most) in results.iter().zip([50, 0, 0, 1]) {
        let done = &result.finished[0];
        assert!(done.run.ios <= most && result.error.is_none() && result.context.complete, "{done:?}");
        let has_rate = done.iops().is_some();
        assert_eq!(
            (has_rate, done.run.outcome.stopped_because),
            match most {
                50 => (true, Stop::Ios),
                _ => (false, Stop::Ended),
            }
        );
    }
}

/// One process holds the file, so that both may write to it; the second begins later.
#[test]
fn two_write_to_one_file_each_with_a_result() {
    let scratch = Scratch::new();
    let file = scratch.path("file");
    fs::write(&file, vec![0; 4 << 20]).expect("written");
    let texts = [
        "a/b: rw=write bs=4k size=1m number_ios=256",
        "a.b: rw=randwrite bs=64k offset=2m size=1m random=permutation number_ios=16 startdelay=100ms",
    ];
    let mut jobs = asked(TargetSpec::Path(file.clone()), &texts);
    jobs.iter_mut().for_each(|job| job.measure.overwrite_existing_data = true);
    let results = measured(&scratch, &jobs).expect("results");
    let ios: Vec<u64> = results.iter().map(|result| result.finished[0].run.ios).collect();
    assert_eq!(ios, [256, 16]);
    assert_eq!(
        (&results[0].folder, &results[1].folder),
        (&scratch.path("out-a-b"), &scratch.path("out-a-b-2"))
    );
    let held = fs::read(&file).expect("read");
    let is_written = |mib: usize| {
        let part = &held[mib << 20..(mib + 1) << 20];
        part.chunks(4096).filter(|block| block.iter().any(|byte| *byte != 0)).count()
    };
    assert_eq!([0, 1, 2, 3].map(is_written), [256, 0, 256, 0]);
}

#[test]
fn an_occupied_folder_of_one_job_leaves_no_folder_of_another() {
    let scratch = Scratch::new();
    let texts = ["one: rw=read bs=4k size=1m number_ios=5", "two: rw=read bs=4k size=1m number_ios=5"];
    let jobs = asked(TargetSpec::Null, &texts);
    fs::create_dir(scratch.path("out-two")).expect("a folder");
    fs::write(scratch.path("out-two/note"), "mine").expect("written");
    let error = measured(&scratch, &jobs).expect_err("a folder is occupied");
    assert!(error.to_string().contains("out-two"), "{error}");
    assert!(!scratch.path("out-one").exists());
    fs::remove_file(scratch.path("out-two/note")).expect("removed");
    measured(&scratch, &jobs).expect("the same again");
}

#[test]
fn a_job_is_text_and_back() {
    for text in [
        "a: rw=read bs=4KiB size=1MiB",
        "b c: rw=randwrite bs=4KiB number_ios=5 runtime=10s engine=io_uring flow=3 startdelay=5ms exitall=1",
    ] {
        let job: JobSpec = text.parse().expect("a job");
        assert_eq!(job.to_string().parse::<JobSpec>().expect("a job again"), job, "{text}");
    }
    for (text, words) in [
        ("rw=read bs=4k", "no name"),
        ("a: rw=read flow=0", "flow"),
        ("a: rw=read runtime=5", "runtime"),
        ("a: rw=sideways", "sideways"),
        ("a: blocksize=4k", "runtime, engine, flow, startdelay, exitall, rw, "),
    ] {
        let error = text.parse::<JobSpec>().expect_err(text);
        assert!(error.kind() == ErrorKind::Usage && error.to_string().contains(words), "{text}: {error}");
    }
}

#[test]
fn jobs_that_cannot_go_on_together_are_refused() {
    let scratch = Scratch::new();
    let refused = |jobs: &[JobRequest], words: &str| {
        let error = measured(&scratch, jobs).expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.message().contains(words), "{words}: {}", error.message());
    };
    let two = ["a: rw=read bs=4k number_ios=5", "b: rw=read bs=4k number_ios=5"];
    refused(&asked("rig:mtron".into(), &two), "a thread each");
    let mut other = asked(TargetSpec::Null, &two);
    other[1].measure.target = "rig:mtron".into();
    refused(&other, "'b' has another target");
    let mut scaling = asked(TargetSpec::Null, &two);
    scaling[1].measure.scales_bs = true;
    refused(&scaling, "'b' looks for a block size");
    refused(&asked(TargetSpec::Null, &["a: rw=read bs=4k size=2k"]), "job 'a'");
    refused(&[], "no jobs");
}
