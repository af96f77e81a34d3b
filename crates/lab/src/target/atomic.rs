//! Writes that a target stores as a whole or not at all.

use flashscope_core::{Bytes, Op, Pattern};

use super::OpenTarget;
use crate::error::{Error, Remedy, Result};

impl OpenTarget {
    /// Whether the target stores writes of this size as a whole or not at all. A simulated one does, for
    /// nothing interrupts it.
    pub(crate) fn check_atomic(&self, pattern: &Pattern) -> Result<()> {
        if !pattern.is_atomic || self.info().virtual_time {
            return Ok(());
        }
        let name = &self.info().name;
        let refuse =
            |problem: String| Err(Error::setting("atomic", problem).with(Remedy::LeaveOut("atomic")));
        let Some(handle) = self.handle() else {
            return refuse(format!("has no effect on {name}, which is not a real device"));
        };
        let size = pattern.sizes.as_ref().map_or(pattern.bs, |sizes| sizes.least_of(Op::Write));
        match handle.atomic_write_bytes() {
            None => refuse(format!(
                "cannot be: device, filesystem or kernel do not say that writes to {name} are"
            )),
            Some(sizes) if (u64::from(*sizes.start())..=u64::from(*sizes.end())).contains(&size.0) => Ok(()),
            Some(sizes) => {
                let (least, most) = (Bytes((*sizes.start()).into()), Bytes((*sizes.end()).into()));
                refuse(format!(
                    "cannot be for writes of {size} to {name}, but for those of {least} to {most}"
                ))
            }
        }
    }
}
