//! fio's options: those that are taken over, those that no IO depends on, and those that a pattern cannot
//! express, with the nearest way.

use super::{Nearest, Remark};

/// Options that change nothing in what is done, or only in how fio shows it.
const WITHOUT_EFFECT: &str = "
    stonewall wait_for_previous group_reporting new_group name description thread fallocate
    create_on_open create_serialize file_service_type randrepeat allrandrepeat random_generator
    write_bw_log write_lat_log write_iops_log write_hist_log write_iolog log_avg_msec log_offset
    log_max_value per_job_logs percentile_list clat_percentiles lat_percentiles slat_percentiles
    disable_lat disable_clat disable_slat disable_bw_measurement gtod_reduce clocksource
    unified_rw_reporting bwavgtime iopsavgtime exitall_on_error eta overwrite unlink refill_buffers
    scramble_buffers dedupe_mode dedupe_global dedupe_working_set_percentage mem iomem iomem_align
    unit_base softrandommap wait_for io_submit_mode error_dump steadystate_duration
    steadystate_ramp_time steadystate_check_interval log_prio log_entries log_hist_msec
    log_hist_coarseness log_unix_epoch log_compression log_store_compressed status_interval
    significant_figures disk_util openfiles do_verify verify_pattern verify_interval verify_offset
    verify_fatal verify_dump verify_async verify_async_cpus verify_backlog verify_backlog_batch
    verify_state_save verify_write_sequence allow_file_create allow_mounted_write block_error_percentiles
    create_fsync disable_bw gtod_cpu hugepage-size lockmem log_alternate_epoch
    log_alternate_epoch_clock_id log_compression_cpus log_issue_time log_window_value
    rate_cycle rate_ignore_thinktime stats unique_filename
";

/// Options that are left out with a word: what is not done, and no IO of the job depends on.
const LEFT_OUT: &[(&str, &str)] = &[
    ("end_fsync", "ignored; nothing is flushed after the last IO"),
    ("fsync_on_close", "ignored; nothing is flushed after the last IO"),
    ("fadvise_hint", "ignored; the page cache gets no hint"),
    ("hipri", "ignored; completions come by interrupt, where fio asks the drive for them"),
    ("hipri_percentage", "ignored; completions come by interrupt, where fio asks the drive for them"),
    ("fixedbufs", "ignored; the engine handles its buffers in its own way"),
    ("registerfiles", "ignored; the engine handles its files in its own way"),
    ("nonvectored", "ignored; the engine chooses its system calls itself"),
    ("userspace_reap", "ignored; the engine chooses its system calls itself"),
    ("unlink_each_loop", "ignored; the file stays"),
    ("rate_iops_min", "ignored; the job does not end when it is slower; compare the measured rate"),
];

/// Options that `draft` takes over.
pub const TAKEN: &str = "
    rw bs size io_size offset offset_increment iodepth numjobs runtime time_based ioengine direct
    filename rate_iops rate_process thinktime thinktime_blocks rwmixread rwmixwrite random_distribution
    norandommap randseed number_ios loops kb_base ramp_time fsync fdatasync sync rate rate_min directory
    filesize buffered bsrange bssplit blockalign steadystate continue_on_error dedupe_percentage
    buffer_compress_percentage nrfiles verify fill_device zonemode zonesize zonerange zoneskip
    startdelay exitall exit_what numa_cpu_nodes numa_mem_policy prio prioclass cpus_allowed
    cpus_allowed_policy nice zero_buffers buffer_pattern invalidate atomic random_sequence_stride
    cmdprio_percentage cmdprio_class cmdprio cmdprio_hint cmdprio_bssplit
    latency_target latency_window latency_percentile flow flow_sleep
";

/// Why others cannot be expressed, the value with which they change nothing, and what is nearest.
const REFUSED: &[(&str, &str, &str, Option<Nearest>)] = &[
    ("bs_unaligned", "0", "addresses are multiples of bs", Some(Nearest::Shift)),
    ("rwmixcycle", "", "each IO is a read or a write by chance", None),
    ("verify_only", "0", "measurements do not verify data", Some(Nearest::ReplayVerified)),
    ("verify_state_load", "0", "measurements do not verify data", Some(Nearest::ReplayVerified)),
    ("read_iolog", "", "it is a trace", Some(Nearest::Replay)),
    ("thinktime_spin", "0", "pauses are always idle; use thinktime only", None),
    ("thinktime_blocks_type", "complete", "pauses start after completion; leave it out", None),
    ("thinktime_iotime", "0", "pauses come after a number of IOs; use thinktime_blocks", None),
    ("iodepth_batch", "1", "IOs are submitted one by one", None),
    ("iodepth_batch_submit", "1", "IOs are submitted one by one", None),
    ("iodepth_batch_complete", "1", "each IO is taken as it completes", None),
    ("iodepth_batch_complete_min", "1", "each IO is taken as it completes", None),
    ("iodepth_batch_complete_max", "1", "each IO is taken as it completes", None),
    ("iodepth_low", "", "IOs are submitted one by one", None),
    ("percentage_random", "", "a pattern is either sequential or random", Some(Nearest::Mix)),
    ("latency_run", "0", "it ends when the queue depth is found; leave it out", None),
    ("flow_id", "0", "all jobs with a flow share one; leave it out", None),
    ("cpuload", "0", "it is no IO; load the processors with another program", None),
    ("opendir", "", "name the file with filename", None),
    ("pre_read", "0", "what the page cache holds is dropped first; leave it out", None),
    ("lockfile", "none", "jobs lock no files; leave it out", None),
    ("file_append", "0", "name the place with offset", None),
    ("sqthread_poll", "0", "IOs are submitted by the process itself; leave it out", None),
    ("force_async", "0", "IOs are submitted by the process itself; leave it out", None),
    ("ioscheduler", "", "it changes the machine; write it to the device's queue/scheduler in /sys", None),
    ("max_latency", "0", "a slow IO ends no job; set a condition on the result", None),
    ("exec_prerun", "", "nothing is run from a job file; run it yourself before", None),
    ("exec_postrun", "", "nothing is run from a job file; run it yourself behind", None),
];

/// What to do with an option that is not taken over: nothing, perhaps with a word, or say why not.
pub fn judge(name: &str, value: &str) -> Result<Option<Remark>, Remark> {
    if [TAKEN, WITHOUT_EFFECT].iter().any(|names| names.split_whitespace().any(|known| known == name)) {
        return Ok(None);
    }
    if let Some((_, word)) = LEFT_OUT.iter().find(|(known, _)| *known == name) {
        return Ok((value != "0").then(|| format!("{name}: {word}").into()));
    }
    match REFUSED.iter().find(|(known, ..)| *known == name) {
        Some((_, default, ..)) if value == *default => Ok(None),
        Some((_, _, why, nearest)) => Err(Remark { text: (*why).into(), nearest: *nearest }),
        None => Err("unknown option; leave it out if the job does not depend on it".into()),
    }
}
