//! Names of the devices of a trace, numbered in the order of their first request.

use std::collections::HashMap;

/// More are no block trace, and would make memory grow with its length.
const DEVICES_MAX: usize = 65_536;
const NAME_BYTES_MAX: usize = 255;
const TOO_LONG: &str = "the device's name is too long";

/// Device names and their numbers.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    names: Vec<String>,
    numbers: HashMap<Box<[u8]>, u32>,
    /// The name asked for last: mostly the next one too.
    last: (Vec<u8>, u32),
}

impl Devices {
    /// The number of the device of this name.
    #[inline]
    pub(crate) fn number(&mut self, name: &[u8]) -> Result<u32, &'static str> {
        if self.last.0 == name && !self.names.is_empty() {
            return Ok(self.last.1);
        }
        self.look_up(name)
    }

    /// The number of the device whose name is the two parts with `between` between them.
    #[inline]
    pub(crate) fn joined(&mut self, first: &[u8], between: u8, second: &[u8]) -> Result<u32, &'static str> {
        let length = first.len() + 1 + second.len();
        let last = &self.last.0[..];
        let is_last = last.len() == length
            && last[first.len()] == between
            && last.starts_with(first)
            && last.ends_with(second);
        if is_last && !self.names.is_empty() {
            Ok(self.last.1)
        } else {
            self.look_up_joined(first, between, second)
        }
    }

    fn look_up_joined(&mut self, first: &[u8], between: u8, second: &[u8]) -> Result<u32, &'static str> {
        let mut name = [0; NAME_BYTES_MAX];
        let length = first.len() + 1 + second.len();
        let name = name.get_mut(..length).ok_or(TOO_LONG)?;
        name[..first.len()].copy_from_slice(first);
        name[first.len()] = between;
        name[first.len() + 1..].copy_from_slice(second);
        self.look_up(name)
    }

    fn look_up(&mut self, name: &[u8]) -> Result<u32, &'static str> {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None if name.len() > NAME_BYTES_MAX => return Err(TOO_LONG),
            None if self.names.len() == DEVICES_MAX => return Err("there are more than 65536 devices"),
            None => {
                let number = self.names.len() as u32;
                self.names.push(String::from_utf8_lossy(name).into_owned());
                self.numbers.insert(name.into(), number);
                number
            }
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(name);
        self.last.1 = number;
        Ok(number)
    }

    /// All names so far.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
