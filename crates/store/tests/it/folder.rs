//! A result folder keeps every finished run, whatever happens, and says what is wrong with it.

use std::fs::{self, OpenOptions};
use std::io::Write;

use crate::common::{Scratch, Tiny, baselines, context, manifest};
use flashscope_analysis::{Finished, Outcome, Run, Stop};
use flashscope_store::{ResultFolder, Stored};

#[test]
fn what_was_stored_is_read_back() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    let done = baselines(1.0, 1);
    done.iter().for_each(|run| folder.append(run).unwrap());
    folder.write_context(&context()).unwrap();
    assert_eq!(folder.finished().unwrap(), done);
    let stored = Stored::read(&path).unwrap();
    assert_eq!((stored.manifest, stored.context), (manifest(), Some(context())));
    assert_eq!(stored.finished, done);
    assert!(stored.warnings.is_empty());
}

#[test]
fn a_line_torn_by_a_kill_is_ignored_and_gone_with_the_next_append() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let done = baselines(1.0, 1);
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    folder.append(&done[0]).unwrap();
    drop(folder);
    let line = serde_json::to_vec(&done[1]).unwrap();
    for torn in [1, 100, line.len()] {
        let mut runs = OpenOptions::new().append(true).open(path.join("runs.jsonl")).unwrap();
        runs.write_all(&line[..torn]).unwrap();
        assert_eq!(Stored::read(&path).unwrap().finished, done[..1], "{torn} bytes of a line");
        let folder = ResultFolder::open(&path).unwrap();
        assert_eq!(folder.finished().unwrap(), done[..1]);
    }
    let mut folder = ResultFolder::open(&path).unwrap();
    folder.append(&done[2]).unwrap();
    assert_eq!(Stored::read(&path).unwrap().finished, [done[0].clone(), done[2].clone()]);
}

#[test]
fn a_damaged_line_is_an_error_with_file_and_line() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    baselines(1.0, 1).iter().for_each(|run| folder.append(run).unwrap());
    let runs = path.join("runs.jsonl");
    let text = fs::read_to_string(&runs).unwrap().replacen("\"RR\"", "RR", 1);
    fs::write(&runs, text).unwrap();
    let error = Stored::read(&path).unwrap_err().to_string();
    assert!(error.contains("runs.jsonl:2: ") && error.contains("restore it"), "{error}");
    fs::write(path.join("manifest.json"), "{\"schema_version\": 99}").unwrap();
    let error = Stored::read(&path).unwrap_err().to_string();
    assert!(error.contains("schema version 99") && error.contains("newer"), "{error}");
}

#[test]
fn a_folder_with_other_things_in_it_or_with_a_result_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.path("photos");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("cat.jpg"), "meow").unwrap();
    let error = ResultFolder::create(&path, &manifest()).err().unwrap().to_string();
    assert!(
        error.contains("photos") && error.contains("not empty") && error.contains("new folder"),
        "{error}"
    );
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "nothing was added");
    assert!(Stored::read(&path).unwrap_err().to_string().contains("not a flashscope result"));
    let path = scratch.path("result");
    drop(ResultFolder::create(&path, &manifest()).unwrap());
    let error = ResultFolder::create(&path, &manifest()).err().unwrap();
    assert!(error.is_occupied() && error.holds_result(), "{error}");
    assert!(error.to_string().contains("already holds a result"), "{error}");
}

#[test]
fn two_processes_do_not_write_one_folder() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let folder = ResultFolder::create(&path, &manifest()).unwrap();
    let error = ResultFolder::open(&path).err().unwrap().to_string();
    assert!(error.contains("another flashscope"), "{error}");
    assert!(Stored::read(&path).is_ok(), "reading is free");
    drop(folder);
    assert!(ResultFolder::open(&path).is_ok());
}

#[test]
fn a_run_without_its_single_ios_still_counts_with_a_warning() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    for (i, mut run) in baselines(1.0, 1).into_iter().take(2).enumerate() {
        let records = folder.records(&run.experiment, run.repeat);
        assert_eq!(records.relative, format!("ios/000{i}-baseline-{}-32KiB-0.parquet", ["SR", "RR"][i]));
        if i == 1 {
            fs::write(&records.path, "PAR1 but cut off").unwrap();
        }
        run.run.records = Some(records.relative);
        folder.append(&run).unwrap();
    }
    fs::write(path.join("ios/0002-x.parquet.partial"), "half").unwrap();
    drop(folder);
    let stored = Stored::read(&path).unwrap();
    assert_eq!((stored.finished.len(), stored.warnings.len()), (2, 2));
    assert!(stored.warnings[0].seen.contains("cannot be read"), "{:?}", stored.warnings);
    assert!(stored.warnings[1].seen.contains("incomplete"), "{:?}", stored.warnings);
    ResultFolder::open(&path).unwrap();
    assert!(!path.join("ios/0002-x.parquet.partial").exists(), "what a kill left is tidied up");
}

#[test]
fn a_curve_of_a_mix_gives_a_plain_file_name() {
    let scratch = Scratch::new();
    let folder = ResultFolder::create(&scratch.path("result"), &manifest()).unwrap();
    let mut experiment = baselines(1.0, 1)[0].experiment.clone();
    (experiment.curve, experiment.label) = ("SR/RW".into(), "../../1 of 2".into());
    let relative = folder.records(&experiment, 2).relative;
    assert_eq!(relative, "ios/0000-baseline-SR-RW-..-..-1-of-2-2.parquet");
}

#[test]
fn a_run_that_was_measured_again_counts_once() {
    let scratch = Scratch::new();
    let path = scratch.path("result");
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    let whole = &baselines(1.0, 1)[0];
    let timed = |elapsed_ns, stopped_because| {
        let outcome = Outcome { stopped_because, ..whole.run.outcome.clone() };
        Finished { run: Run { elapsed_ns, outcome, ..whole.run.clone() }, ..whole.clone() }
    };
    // Cut short and done again; again, for the sake of a run that rests on it; and cut short then.
    let lines = [(1, Stop::Interrupted), (2, Stop::Precision), (3, Stop::Precision), (4, Stop::Interrupted)];
    for (elapsed_ns, stop) in lines {
        folder.append(&timed(elapsed_ns, stop)).unwrap();
    }
    let counted: Vec<u64> = folder.finished().unwrap().iter().map(|done| done.run.elapsed_ns).collect();
    assert_eq!(counted, [3], "the last whole one");
}

#[test]
fn a_full_disk_loses_no_run_that_was_finished() {
    let scratch = Scratch::new();
    let Some(tiny) = Tiny::mount("64k", scratch.path("tiny")) else { return };
    let path = tiny.path("result");
    let mut folder = ResultFolder::create(&path, &manifest()).unwrap();
    folder.write_context(&context()).unwrap();
    let run = &baselines(1.0, 1)[0];
    let mut kept = 0;
    let error = loop {
        match folder.append(&Finished { repeat: kept as u32, ..run.clone() }) {
            Ok(()) => kept += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(kept > 3 && error.contains("runs.jsonl") && error.contains("No space left"), "{kept}: {error}");
    assert!(folder.write_context(&context()).is_err(), "there is no room for a second one");
    assert_eq!(folder.finished().unwrap().len(), kept);
    let stored = Stored::read(&path).unwrap();
    assert_eq!((stored.finished.len(), stored.context), (kept, Some(context())));
}
