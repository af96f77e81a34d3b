//! fio's logs: `time ms, value, direction, block size bytes, priority`, a line each at the IO's completion.
//! Latencies have every IO; rates have windows, as `iopsavgtime` and `bwavgtime` of the job say.

use flashscope_core::Op;

use super::super::{OutFile, Outlet};
use super::summary::Summary;
use crate::error::StoreError;
use crate::ios::Io;

/// The logs of one job.
pub(super) struct Logs {
    lat: OutFile,
    clat: OutFile,
    iops: OutFile,
    bw: OutFile,
}

/// fio's number of a direction; none of a flush, which its logs leave out.
pub(super) fn direction(op: Op) -> Option<usize> {
    match op {
        Op::Read => Some(0),
        Op::Write => Some(1),
        Op::Trim => Some(2),
        Op::Flush => None,
    }
}

impl Logs {
    /// Begins them. One job has a number in their names, several jobs together have none.
    pub(super) fn create(outlet: &mut Outlet<'_>, stem: &str, numjobs: u32) -> Result<Logs, StoreError> {
        let end = if numjobs == 1 { ".1.log" } else { ".log" };
        let mut create = |kind: &str| outlet.create(&format!("{stem}_{kind}{end}"));
        Ok(Logs { lat: create("lat")?, clat: create("clat")?, iops: create("iops")?, bw: create("bw")? })
    }

    /// One IO.
    pub(super) fn add(&mut self, io: &Io) -> Result<(), StoreError> {
        let Some(direction) = direction(io.op) else { return Ok(()) };
        let (time_ms, bytes) = (io.completed_ns() / 1_000_000, io.length_bytes);
        // Submitting is a part of the response time, so both latencies are the same.
        for log in [&mut self.lat, &mut self.clat] {
            log.line(format_args!("{time_ms}, {}, {direction}, {bytes}, 0", io.response_ns))?;
        }
        Ok(())
    }

    /// The rates, and the end.
    pub(super) fn finish(mut self, summary: &Summary) -> Result<(), StoreError> {
        for (window, direction, rate) in summary.rates() {
            let time_ms = (window + 1) * summary.window_ms();
            let (iops, kib_s) = (rate.iops.round(), (rate.bytes_s / 1024.0).round());
            self.iops.line(format_args!("{time_ms}, {iops}, {direction}, {}, 0", rate.block_bytes))?;
            self.bw.line(format_args!("{time_ms}, {kib_s}, {direction}, {}, 0", rate.block_bytes))?;
        }
        [self.lat, self.clat, self.iops, self.bw].into_iter().try_for_each(OutFile::finish)
    }
}
