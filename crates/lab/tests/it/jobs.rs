//! Processes of a pattern on real targets: each on a thread of its own. In virtual time one loop has all.

use flashscope_analysis::Finished;
use flashscope_lab::{
    DataPattern, Engine, Error, Interrupt, MeasureRequest, MeasureResult, Pattern, TargetSpec, measure,
};

use crate::kernel::Scratch;

fn measured(scratch: &Scratch, name: &str, request: &MeasureRequest) -> Result<MeasureResult, Error> {
    measure(request, Some(&scratch.path(name)), None, &mut |_| {}, &Interrupt::new())
}

fn only(result: MeasureResult) -> Finished {
    assert!(result.error.is_none(), "{:?}", result.error);
    result.finished.into_iter().next().expect("one run")
}

fn file(scratch: &Scratch) -> TargetSpec {
    let path = scratch.path("file");
    std::fs::write(&path, vec![1; 4 << 20]).unwrap();
    path.to_str().unwrap().into()
}

fn pattern(text: &str) -> Pattern {
    format!("bs=4k size=4m {text}").parse().unwrap()
}

#[test]
fn each_process_on_a_real_target_has_a_thread() {
    let scratch = Scratch::new();
    let real = [file(&scratch), TargetSpec::Null];
    let patterns = [
        ("rw=randread numjobs=4 number_ios=500", Some(4), "sync"),
        ("rw=randread numjobs=3 iodepth=8 job_space=shared number_ios=500", Some(3), "io_uring"),
        ("rw=randread number_ios=500", None, "sync"),
        ("rw=randread iodepth=8 number_ios=500", None, "io_uring"),
    ];
    for (n, (text, threads, engine)) in patterns.into_iter().enumerate() {
        for (m, target) in real.iter().enumerate() {
            let request =
                MeasureRequest { seed: Some(1), ..MeasureRequest::new(target.clone(), pattern(text)) };
            let result = measured(&scratch, &format!("{n}-{m}"), &request).unwrap();
            let is_file = matches!(target, TargetSpec::Path(_));
            assert_eq!(result.context.target.engine, if is_file { engine } else { "null" }, "{text}");
            let finished = only(result);
            assert_eq!(finished.run.threads, threads, "{text} on {target}");
            assert_eq!(finished.run.ios, 500 * u64::from(threads.unwrap_or(1)));
        }
    }
}

/// What was written is of this run: no two jobs write the same, and all of it is there.
#[test]
fn jobs_that_write_fill_their_parts() {
    let scratch = Scratch::new();
    let target = file(&scratch);
    for text in ["rw=write numjobs=4 number_ios=256", "rw=write numjobs=2 iodepth=4 number_ios=512"] {
        let request = MeasureRequest {
            write: true,
            overwrite_existing_data: true,
            ..MeasureRequest::new(target.clone(), pattern(text))
        };
        let finished = only(measured(&scratch, &text.len().to_string(), &request).unwrap());
        assert_eq!(finished.run.written_bytes, 4 << 20);
        let bytes = std::fs::read(scratch.path("file")).unwrap();
        let mut pages: Vec<&[u8]> = bytes.chunks(4096).collect();
        pages.sort_unstable();
        pages.dedup();
        assert_eq!(pages.len(), 1024, "{text}: each page is written, and unlike all others");
    }
}

#[test]
fn writes_that_are_numbered_over_all_jobs_go_in_one_loop() {
    let scratch = Scratch::new();
    let request = MeasureRequest {
        write: true,
        overwrite_existing_data: true,
        data: DataPattern::Age,
        ..MeasureRequest::new(file(&scratch), pattern("rw=write numjobs=2 number_ios=512"))
    };
    let result = measured(&scratch, "age", &request).unwrap();
    assert_eq!(result.context.target.engine, "io_uring");
    assert_eq!(only(result).run.threads, None);
    let bytes = std::fs::read(scratch.path("file")).unwrap();
    let mut ages: Vec<_> =
        bytes.chunks(4096).map(|page| u64::from_le_bytes(page[..8].try_into().unwrap())).collect();
    ages.sort_unstable();
    assert_eq!(ages, (1..=1024).collect::<Vec<_>>());
}

#[test]
fn in_virtual_time_one_loop_has_all_processes_and_a_seed_is_one_run() {
    let scratch = Scratch::new();
    for target in ["rig:mtron", "sim:mtron-2009"] {
        let runs = ["a", "b"].map(|name| {
            let pattern = pattern("rw=randread numjobs=4 number_ios=200");
            let request = MeasureRequest { seed: Some(3), ..MeasureRequest::new(target.into(), pattern) };
            let name = format!("{name}-{}", target.replace(':', "-"));
            only(measured(&scratch, &name, &request).unwrap())
        });
        assert_eq!(runs[0].run.threads, None);
        let times = runs.each_ref().map(|finished| (finished.run.elapsed_ns, finished.run.outcome.estimate));
        assert_eq!(times[0], times[1], "{target}");
    }
}

/// One IO in flight is of each job.
#[test]
fn the_sync_engine_serves_jobs_but_no_queue() {
    let scratch = Scratch::new();
    let target = file(&scratch);
    let request = |text: &str| MeasureRequest {
        engine: Some(Engine::Sync),
        ..MeasureRequest::new(target.clone(), pattern(text))
    };
    let jobs = request("rw=randread numjobs=2 number_ios=100");
    assert_eq!(only(measured(&scratch, "jobs", &jobs).unwrap()).run.threads, Some(2));
    assert!(measured(&scratch, "deep", &request("rw=randread iodepth=2 number_ios=100")).is_err());
}
