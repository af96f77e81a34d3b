//! A claim held against the data as they are read.

use crate::error::TraceError;
use crate::reading::{
    Basis, Claim, Evidence, Judgement, Reading, Stage, StatedUnits, Trust, Uncertain, Units, judge,
};
use crate::record::Record;
use crate::records::BATCH;

/// Nothing is given before so many requests, or all, have been looked at.
const HEAD: u64 = BATCH as u64;
/// Where one program writes the format, no more than these are looked at.
const WRITTEN: u64 = 1 << 16;

/// A claim held against the data.
pub(crate) struct Check {
    claim: Claim,
    trust: Trust,
    certainty_min: f64,
    evidence: Evidence,
    /// When the evidence is judged next.
    next: u64,
    batch: Vec<Record>,
    is_begun: bool,
    /// Comes behind the first batch.
    pending: Option<TraceError>,
}

impl Check {
    pub(crate) fn new(claim: Claim, trust: Trust, certainty_min: f64) -> Check {
        Check {
            claim,
            trust,
            certainty_min,
            evidence: Evidence::new(claim.units),
            next: HEAD,
            batch: Vec::new(),
            is_begun: false,
            pending: None,
        }
    }

    /// A person has said how it is read: nothing is refused.
    pub(crate) fn stated(claim: Claim) -> Check {
        Check::new(claim, Trust::Stated, 0.0)
    }

    /// The units that a person has stated.
    pub(crate) fn stated_units(&self) -> StatedUnits {
        self.claim.stated
    }

    /// How it is read, after what was looked at.
    pub(crate) fn reading(&self, stage: Option<Stage>) -> Reading {
        let mut units = self.evidence.units();
        units.latency = units.latency.filter(|_| self.evidence.has_latencies());
        Reading::of(&self.claim, units, stage.unwrap_or(self.claim.stage), &self.judgement())
    }

    fn judgement(&self) -> Judgement {
        judge(&self.claim, &self.evidence, self.trust)
    }

    /// Whether it is never refused.
    fn is_stated(&self) -> bool {
        self.certainty_min <= 0.0
    }

    /// Whether what follows tells nothing new: one program writes one unit.
    fn has_seen_enough(&self) -> bool {
        let is_written = self.claim.time_basis == Basis::Written && self.claim.space_basis == Basis::Written;
        (is_written || self.is_stated()) && self.evidence.requests() >= WRITTEN
    }

    /// The next records as `decode` gives them; those of the first batch wait until enough is known. `decode`
    /// learns whether some wait: then it does not look for more behind a long stretch without a request.
    pub(crate) fn next(
        &mut self,
        records: &mut Vec<Record>,
        format: &'static str,
        mut decode: impl FnMut(&mut Vec<Record>, bool) -> (Result<(), TraceError>, Option<Units>),
    ) -> Result<(), TraceError> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        if self.is_stated() || std::mem::replace(&mut self.is_begun, true) {
            let (read, units) = decode(records, false);
            return self.take(records, units, format).and(read);
        }
        let mut batch = std::mem::take(&mut self.batch);
        loop {
            let (read, units) = decode(&mut batch, !records.is_empty());
            let is_end = batch.is_empty() && read.is_ok();
            // A trace that is cut or bad says so itself.
            let judged = if read.is_err() { Ok(()) } else { self.take(&mut batch, units, format) };
            if let Err(refused) = judged {
                records.clear();
                return Err(refused);
            }
            records.append(&mut batch);
            if read.is_err() || is_end || records.len() as u64 >= HEAD {
                let judged = if is_end && !records.is_empty() { self.refuse(format) } else { Ok(()) };
                if judged.is_err() {
                    records.clear();
                }
                // What was read before the input ended is a batch of its own.
                if let (Err(error @ TraceError::Read { .. }), false) = (&read, records.is_empty()) {
                    self.pending = Some(error.clone());
                    return judged;
                }
                return judged.and(read);
            }
        }
    }

    /// Looks at records; those behind where they are refused are left out.
    fn take(
        &mut self,
        records: &mut Vec<Record>,
        units: Option<Units>,
        format: &'static str,
    ) -> Result<(), TraceError> {
        if let Some(units) = units.filter(|_| self.evidence.requests() == 0) {
            self.evidence.in_units(units);
            self.claim.units = units;
        }
        if self.has_seen_enough() {
            return Ok(());
        }
        for at in 0..records.len() {
            self.evidence.add(&records[at]);
            if self.evidence.requests() == self.next {
                self.next *= 2;
                if let Err(refused) = self.refuse(format) {
                    records.truncate(at + 1);
                    return Err(refused);
                }
            }
        }
        Ok(())
    }

    fn refuse(&self, format: &'static str) -> Result<(), TraceError> {
        if self.is_stated() {
            return Ok(());
        }
        let Judgement { certainty, doubts, outcomes } = self.judgement();
        match outcomes {
            [Some(read), Some(other)] if certainty < self.certainty_min => {
                let columns = [&read, &other].map(|outcome| self.claim.columns_in(&outcome.units));
                Err(TraceError::Uncertain(Box::new(Uncertain {
                    format,
                    certainty,
                    doubts,
                    outcomes: [read, other],
                    columns,
                })))
            }
            _ => Ok(()),
        }
    }
}
