//! One type for whatever serves requests.

use flashscope_core::{Completion, Request, Target, TargetError, TargetInfo, Time};
use flashscope_device::DeviceTarget;
use flashscope_sim::ssd::inside::Inside;
use flashscope_sim::{Disk, Rig, Ssd};

/// Any target. The choice costs a branch that is always predicted.
pub enum AnyTarget {
    /// A virtual device of known truth.
    Rig(Box<Rig>),
    /// A simulated SSD.
    Ssd(Box<Ssd>),
    /// A simulated hard disk.
    Disk(Box<Disk>),
    /// A real device or file, or none at all.
    Device(Box<DeviceTarget>),
}

impl AnyTarget {
    /// What a simulated SSD did inside since it is watched.
    pub fn seen(&mut self) -> Option<Inside> {
        if let AnyTarget::Ssd(ssd) = self { ssd.seen() } else { None }
    }

    /// As [`DeviceTarget::read_contents`]; virtual targets have no contents.
    pub fn read_contents(&self, tag: u32, length: usize) -> Option<&[u8]> {
        if let AnyTarget::Device(device) = self { device.read_contents(tag, length) } else { None }
    }
}

macro_rules! each {
    ($served:expr, $target:ident => $call:expr) => {
        match $served {
            AnyTarget::Rig($target) => $call,
            AnyTarget::Ssd($target) => $call,
            AnyTarget::Disk($target) => $call,
            AnyTarget::Device($target) => $call,
        }
    };
}

impl Target for AnyTarget {
    fn info(&self) -> &TargetInfo {
        each!(self, target => target.info())
    }
    #[inline]
    fn now(&mut self) -> Time {
        each!(self, target => target.now())
    }
    #[inline]
    fn prepare(&mut self, requests: &[Request]) {
        each!(self, target => target.prepare(requests));
    }
    fn give_way(&mut self) {
        each!(self, target => target.give_way());
    }
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        each!(self, target => target.submit(requests))
    }
    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        each!(self, target => target.reap(min, until, out))
    }
    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        each!(self, target => target.serve(request))
    }
    fn wait_until(&mut self, time: Time) {
        each!(self, target => target.wait_until(time));
    }
}
