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
    verify_state_save verify_write_sequence
";

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

/// Why others cannot be expressed, and what is nearest.
const REFUSED: &[(&str, &str, Option<Nearest>)] = &[
    ("bs_unaligned", "addresses are multiples of bs", Some(Nearest::Shift)),
    ("rwmixcycle", "each IO is a read or a write by chance", None),
    ("verify_only", "measurements do not verify data", Some(Nearest::ReplayVerified)),
    ("verify_state_load", "measurements do not verify data", Some(Nearest::ReplayVerified)),
    ("read_iolog", "it is a trace", Some(Nearest::Replay)),
    ("thinktime_spin", "pauses are always idle; use thinktime only", None),
    ("thinktime_blocks_type", "pauses start after completion; leave it out", None),
    ("thinktime_iotime", "pauses come after a number of IOs; use thinktime_blocks", None),
    ("iodepth_batch", "IOs are submitted one by one", None),
    ("iodepth_batch_submit", "IOs are submitted one by one", None),
    ("iodepth_low", "IOs are submitted one by one", None),
    ("percentage_random", "a pattern is either sequential or random", Some(Nearest::Mix)),
    ("latency_run", "it ends when the queue depth is found; leave it out", None),
    ("flow_id", "all jobs with a flow share one; leave it out", None),
    ("cpuload", "it is no IO; load the processors with another program", None),
    ("opendir", "name the file with filename", None),
];

/// What to do with an option that is not taken over: nothing, or say why not.
pub fn judge(name: &str) -> Result<(), Remark> {
    if [TAKEN, WITHOUT_EFFECT].iter().any(|names| names.split_whitespace().any(|known| known == name)) {
        return Ok(());
    }
    let known = REFUSED.iter().find(|(refused, ..)| *refused == name);
    let known = known.map(|(_, why, nearest)| Remark { text: (*why).into(), nearest: *nearest });
    Err(known.unwrap_or_else(|| "unknown option; leave it out if the job does not depend on it".into()))
}
