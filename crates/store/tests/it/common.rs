//! Made-up devices whose results the tests look at, and folders that clean up after themselves.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use flashscope_analysis::{
    Context, Experiment, Finished, Goal, Indicator, Indicators, Judge, Options, Run, Series, Stop,
};
use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Pattern, Rw, TargetInfo};
use flashscope_store::{Manifest, SCHEMA_VERSION};
use serde_json::{Value, json};

/// Says why a test cannot run here; in CI (`CI=true`) that is a failure, for there nothing may be skipped.
pub fn skip(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "skipped in CI: {why}");
    say(&format!("skipped: {why}"));
}

/// Past the harness, which would keep it to itself.
pub fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// A folder of its own, gone at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("flashscope-store-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a scratch folder can be made");
        Scratch(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A filesystem in memory that holds no more than `size`; where it cannot be mounted, none, and why is said.
pub struct Tiny(PathBuf);

impl Tiny {
    pub fn mount(size: &str, place: PathBuf) -> Option<Tiny> {
        if !rustix::process::geteuid().is_root() {
            skip("root is needed to mount a small filesystem");
            return None;
        }
        fs::create_dir_all(&place).expect("a mount point can be made");
        let options = format!("size={size}");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&place).status();
        if !mounted.is_ok_and(|status| status.success()) {
            skip("a filesystem in memory cannot be mounted here");
            return None;
        }
        Some(Tiny(place))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

pub fn manifest() -> Manifest {
    Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: "0.1.0".into(),
        created: "2026-11-20T12:00:00Z".into(),
        device: Value::Null,
        target: target(),
        state: "random, enforced".into(),
        kernel: "6.12.0".into(),
        scheduler: None,
        clock: json!({"source": "virtual"}),
        engine: "rig".into(),
        data_pattern: "random".into(),
        seed: 7,
        plan: json!([]),
        options: json!({"quick": true}),
        warnings: Vec::new(),
    }
}

fn target() -> TargetInfo {
    TargetInfo {
        name: "rig:mtron".into(),
        size_bytes: 16 << 30,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: "rig".into(),
        queue_depth_max: 1,
        placements: 1,
        zones: None,
    }
}

pub fn context() -> Context {
    Context {
        target: target(),
        state: "random, enforced".into(),
        generator_iops_max: Some(9.1e6),
        interference: None,
        complete: true,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: Default::default(),
    }
}

/// Random writes as a device with 128 cheap first IOs and a dear one in three has them, in nanoseconds.
pub fn random_writes(ios: u64, scale: f64, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut value = |i: u64| {
        let ms = if i < 128 || i % 3 != 128 % 3 { 0.4 } else { 27.0 };
        (ms * scale * (0.98 + 0.04 * random.unit()) * 1e6).round()
    };
    (0..ios).map(&mut value).collect()
}

/// A finished run of `micro/curve/label` with these response times, judged as a real one is.
pub fn finished(micro: &str, curve: &str, label: &str, parameter: f64, values_ns: &[f64]) -> Finished {
    let rw = Rw::ALL.into_iter().find(|rw| rw.short_name() == curve).unwrap_or(Rw::Read);
    let pattern = Pattern::baseline(rw, Bytes(0), Bytes(1 << 30));
    let mut series = Series::new();
    let written = if rw.is_write() { 32768 } else { 0 };
    values_ns.iter().for_each(|ns| series.push(*ns as u64, written));
    let outcome = Judge::new(Goal::exploring(512), Options::default()).finish(&series, Stop::Precision);
    let experiment = Experiment {
        micro: micro.into(),
        curve: curve.into(),
        parameter,
        label: label.into(),
        pattern,
        beside: None,
    };
    let ios = values_ns.len() as u64;
    let (read_bytes, written_bytes) = (ios * u64::from(32768 - written), ios * u64::from(written));
    let elapsed_ns = series.total_ns();
    Finished {
        experiment,
        repeat: 0,
        run: Run {
            ios,
            read_bytes,
            written_bytes,
            elapsed_ns,
            outcome,
            records: None,
            kinds: Vec::new(),
            gaps: None,
            windows: Vec::new(),
            summary_only: false,
            cpu_ns: None,
            disturbance: None,
            began_s: None,
            threads: None,
            standstills: None,
            takes_turns: false,
            errors: Default::default(),
        },
    }
}

/// The baselines of the made-up device, `scale` times as slow.
pub fn baselines(scale: f64, seed: u64) -> Vec<Finished> {
    let flat = |ms: f64, seed: u64| {
        let mut random = Random::new(seed);
        (0..1024).map(|_| (ms * scale * (0.95 + 0.1 * random.unit()) * 1e6).round()).collect::<Vec<f64>>()
    };
    vec![
        finished("baseline", "SR", "32KiB", 32768.0, &flat(0.4, seed)),
        finished("baseline", "RR", "32KiB", 32768.0, &flat(0.5, seed + 1)),
        finished("baseline", "SW", "32KiB", 32768.0, &flat(0.4, seed + 2)),
        finished("baseline", "RW", "32KiB", 32768.0, &random_writes(2304, scale, seed + 3)),
    ]
}

/// The same baselines in three rounds.
pub fn rounds(scale: f64, seed: u64) -> Vec<Finished> {
    let round = |repeat: u32| {
        let of_round = baselines(scale, seed + 10 * u64::from(repeat));
        of_round.into_iter().map(move |done| Finished { repeat, ..done })
    };
    (0..3).flat_map(round).collect()
}

/// Paper 001's row for the Mtron.
pub fn indicators() -> Indicators {
    let about = |value: f64| Some(Indicator { value, ci_low: value * 0.97, ci_high: value * 1.03 });
    let exactly = |value: f64| Some(Indicator { value, ci_low: value, ci_high: value });
    Indicators {
        sr_ms: about(0.4),
        rr_ms: about(0.5),
        sw_ms: about(0.4),
        rw_ms: about(9.27),
        pause_ms: about(9.0),
        locality_mib: exactly(8.0),
        locality_factor: about(2.04),
        partitions: exactly(4.0),
        partitions_factor: about(1.52),
        reverse_factor: about(1.02),
        in_place_factor: about(0.99),
        large_increment_factor: about(2.1),
        granularity_bytes: exactly(32768.0),
        ..Indicators::default()
    }
}

/// Whether a PNG of the picture is wanted, to look at: `FLASHSCOPE_PICTURES=folder`.
pub fn keep_picture(name: &str, svg: &str) {
    if let Some(folder) = std::env::var_os("FLASHSCOPE_PICTURES") {
        fs::write(Path::new(&folder).join(name), svg).expect("it can be written");
    }
}
