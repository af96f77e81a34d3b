//! fio's zones on drives without any: a zone is used, then some space is left out.

use flashscope_core::{Bytes, Location};

use super::Draft;

impl Draft<'_> {
    pub(super) fn zones(&mut self) {
        let Some(mode) = self.section.last("zonemode") else {
            for name in ["zonesize", "zonerange", "zoneskip"] {
                if let Some(entry) = self.section.last(name) {
                    self.refuse(entry, "has no meaning without zonemode; add zonemode=strided");
                }
            }
            return;
        };
        match mode.value.as_str() {
            "none" => return,
            "strided" => {}
            _ => {
                let why = "zoned devices are not supported; use offset and size on one without zones";
                return self.refuse(mode, why);
            }
        }
        let zone = self.size("zonesize").unwrap_or(0);
        let range = self.size("zonerange").filter(|range| *range > 0).unwrap_or(zone);
        let skip = self.size("zoneskip").unwrap_or(0);
        let pattern = &mut self.job.pattern;
        if zone == 0 || !zone.is_multiple_of(pattern.bs.0.max(1)) {
            return self.refuse(mode, "its zonesize must be a multiple of bs");
        }
        if range < zone {
            let why = "a zone is used once before the next; leave out zonerange, or make it larger";
            return self.refuse(mode, why);
        }
        if pattern.location != Location::Sequential || pattern.mix.is_some() || pattern.numjobs > 1 {
            let why = "zones are supported for one sequential job; use offset and size for one zone";
            return self.refuse(mode, why);
        }
        pattern.location = Location::ZoneGaps { gap: Bytes(range - zone + skip), zone: Bytes(zone) };
        // `size` counts what is read and written; the zones go on to the end of the target.
        pattern.size = Bytes(0);
    }
}
