//! Some devices of a trace.

use super::{Note, Refusal, Step, Transform};
use crate::error::TraceError;
use crate::record::Record;

/// Keeps the requests of the devices of these names. They are numbered anew, as they come.
#[derive(Clone, Debug)]
pub struct SelectDevices {
    wanted: Vec<String>,
    /// For each device of the input: its new number, if it is wanted.
    numbers: Vec<Option<u32>>,
    found: Vec<String>,
    left_out: u64,
}

impl SelectDevices {
    /// The devices of these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> SelectDevices {
        let wanted = names.into_iter().collect();
        SelectDevices { wanted, numbers: Vec::new(), found: Vec::new(), left_out: 0 }
    }

    #[cold]
    fn learn(&mut self, devices: &[String]) {
        for name in &devices[self.numbers.len()..] {
            let number = self.wanted.contains(name).then_some(self.found.len() as u32);
            if number.is_some() {
                self.found.push(name.clone());
            }
            self.numbers.push(number);
        }
    }
}

impl Transform for SelectDevices {
    #[inline]
    fn step(&mut self, record: &mut Record, devices: &[String]) -> Result<Step, Refusal> {
        if self.numbers.len() < devices.len() {
            self.learn(devices);
        }
        match self.numbers[record.device as usize] {
            Some(number) => {
                record.device = number;
                Ok(Step::Keep)
            }
            None => {
                self.left_out += 1;
                Ok(Step::Drop)
            }
        }
    }

    fn end(&self, devices: &[String]) -> Result<(), TraceError> {
        match self.wanted.iter().find(|name| !self.found.contains(name)) {
            Some(name) => Err(TraceError::NoSuchDevice { device: name.clone(), known: devices.join(" ") }),
            None => Ok(()),
        }
    }

    fn devices(&self) -> Option<&[String]> {
        Some(&self.found)
    }

    fn notes(&self) -> Vec<Note> {
        Note::some(self.left_out, "requests dropped: other devices").into_iter().collect()
    }
}
