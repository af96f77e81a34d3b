//! The facts about target, machine and program that every stored result carries.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use flashscope_analysis::{Context, Warning};
use flashscope_device::doctor::Remark;
use flashscope_device::{Clock, DataPattern, Finding, Kind, overhead};
use flashscope_store::{Manifest, SCHEMA_VERSION};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::target::OpenTarget;
use crate::time::now_text;

/// What is known before the first IO.
pub struct Facts {
    /// IOs a second that flashscope itself could do, measured on `null:`.
    pub overhead_iops_max: f64,
    /// What the guard and the doctor noticed.
    pub warnings: Vec<Warning>,
    target: flashscope_core::TargetInfo,
    identity: Value,
    kernel: String,
    scheduler: Option<String>,
    physical_block_bytes: Option<u32>,
    clock: Value,
    data: String,
    seed: u64,
}

impl Facts {
    /// Looks once; takes some ten milliseconds.
    pub fn of(target: &OpenTarget, data: &DataPattern, seed: u64) -> Facts {
        let clock = Clock::info();
        let handle = target.handle();
        let found = handle.map_or(&[][..], |handle| handle.findings()).iter().map(as_warning);
        let seen = target.remarks().iter().take(WARNINGS_MAX).map(remarked);
        let warnings = found.chain(seen).collect();
        Facts {
            overhead_iops_max: overhead().iops_max,
            warnings,
            target: target.info().clone(),
            identity: handle.map_or(Value::Null, |handle| json!(handle.identity())),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().into(),
            scheduler: handle.and_then(|h| h.identity().hardware.as_ref()?.scheduler.clone()),
            physical_block_bytes: handle.map(|handle| handle.identity().physical_block_bytes),
            clock: json!(clock),
            data: data.to_string(),
            seed,
        }
    }

    /// Warns where the results go to the file system that holds the target: writing them is IO beside the IO
    /// that is measured.
    pub(crate) fn look_at_place(&mut self, target: &OpenTarget, folder: &Path) {
        let of_file = target.handle().filter(|handle| handle.identity().kind == Kind::File);
        let device = |path: &Path| std::fs::metadata(path).ok().map(|it| it.dev());
        let of_target = of_file.and_then(|handle| device(&handle.identity().canonical_path));
        if of_target.is_some() && of_target == device(folder) {
            self.warnings.push(Warning {
                seen: "results are written to the file system that is measured, and disturb it".into(),
                remedy: "write them to another drive".into(),
            });
        }
    }

    /// The target's name.
    pub fn target_name(&self) -> &str {
        &self.target.name
    }

    /// What is stored of a run in this state before its first IO.
    pub(crate) fn context(&self, state: String) -> Context {
        Context {
            target: self.target.clone(),
            state,
            generator_iops_max: Some(self.overhead_iops_max),
            interference: None,
            complete: false,
            physical_block_bytes: self.physical_block_bytes,
            precision: None,
            preparation_errors: Default::default(),
        }
    }

    /// Checks that an interrupted run goes on where it began.
    ///
    /// # Errors
    /// The target has another size, serial or inode.
    pub fn must_match(&self, begun: &Manifest) -> Result<()> {
        let sizes = (self.target.size_bytes, self.target.logical_block_bytes);
        let same_size = sizes == (begun.target.size_bytes, begun.target.logical_block_bytes);
        let keys = ["/kind", "/inode", "/hardware/serial", "/hardware/wwid"];
        let is_file = self.identity["kind"] == "file";
        // A device node's inode changes with every start of the system.
        let mut keys = keys.iter().filter(|key| is_file || **key != "/inode");
        if same_size && keys.all(|key| self.identity.pointer(key) == begun.device.pointer(key)) {
            return Ok(());
        }
        let name = &self.target.name;
        Err(Error::usage(format!(
            "{name} is not the target of the interrupted run: size, serial or inode differ from \
             manifest.json; start a new run"
        )))
    }
}

/// What the doctor says is the same each time: a few lines, and where to find the others.
const WARNINGS_MAX: usize = 3;

/// A remark in one line: what to do, or what it does to the numbers.
fn remarked(remark: &Remark) -> Warning {
    let Remark { check, found, matters, mend, .. } = remark;
    Warning {
        seen: format!("{check}: {found}"),
        remedy: mend.as_ref().map_or(matters.clone(), |mend| mend.to_string()).into(),
    }
}

fn as_warning(finding: &Finding) -> Warning {
    let nothing = || "consider it when reading the results".into();
    let remedy = finding.remedy().map_or_else(nothing, |remedy| remedy.to_string());
    Warning { seen: finding.found(), remedy: remedy.into() }
}

/// The manifest of a new result folder.
pub fn manifest(facts: &Facts, state: &str, plan: &[String], options: Value) -> Manifest {
    Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        created: now_text(),
        device: facts.identity.clone(),
        target: facts.target.clone(),
        state: state.into(),
        kernel: facts.kernel.clone(),
        scheduler: facts.scheduler.clone(),
        clock: facts.clock.clone(),
        engine: facts.target.engine.clone(),
        data_pattern: facts.data.clone(),
        seed: facts.seed,
        plan: json!(plan),
        options,
        warnings: facts.warnings.clone(),
    }
}
