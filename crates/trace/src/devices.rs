//! Names of the devices of a trace, numbered in the order of their first request.

use std::collections::HashMap;

/// More are no block trace, and would make memory grow with its length.
const DEVICES_MAX: usize = 65_536;
const NAME_BYTES_MAX: usize = 255;
const TOO_LONG: &str = "the device's name is too long";

/// Names of the devices of a trace, numbered in the order of their first request.
#[derive(Debug, Default)]
pub struct Devices {
    names: Vec<String>,
    numbers: HashMap<Box<[u8]>, u32>,
    /// The name asked for last: mostly the next one too.
    last: (Vec<u8>, u32),
    /// Numbers of names asked for lately, each in the slot of its name.
    recent: Recent,
}

/// By slot, one more than the number of a device; 0 where there is none.
#[derive(Debug)]
struct Recent([u32; SLOTS]);

const SLOTS: usize = 256;

impl Default for Recent {
    fn default() -> Self {
        Recent([0; SLOTS])
    }
}

/// Where a name is looked for first: names of disks differ in their last letters.
#[inline]
fn slot(name: &[u8]) -> usize {
    let last = name.iter().rev().take(4).fold(name.len(), |slot, &c| slot * 31 + usize::from(c));
    last % SLOTS
}

impl Devices {
    /// The number of the device of this name: [`crate::Record::device`].
    ///
    /// # Errors
    /// Names of more than 255 bytes, and more than 65,536 of them: that is no trace of block devices.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> Result<u32, &'static str> {
        let number = self.recent.0[slot(name)];
        match self.names.get((number as usize).wrapping_sub(1)) {
            Some(known) if known.as_bytes() == name => Ok(number - 1),
            _ => self.look_up(name),
        }
    }

    /// The number of the device of this name, if there was a request for it.
    #[inline]
    pub(crate) fn known(&self, name: &[u8]) -> Option<u32> {
        if self.last.0 == name && !self.names.is_empty() {
            return Some(self.last.1);
        }
        self.numbers.get(name).copied()
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
        self.number(name)
    }

    fn look_up(&mut self, name: &[u8]) -> Result<u32, &'static str> {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None if name.len() > NAME_BYTES_MAX => return Err(TOO_LONG),
            None if self.names.len() == DEVICES_MAX => return Err("more than 65536 devices"),
            None => {
                let number = self.names.len() as u32;
                self.names.push(String::from_utf8_lossy(name).into_owned());
                self.numbers.insert(name.into(), number);
                number
            }
        };
        // Not if the name had to be mended to be text: it might be another's.
        if self.names[number as usize].as_bytes() == name {
            self.recent.0[slot(name)] = number + 1;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_whatever_was_asked_between() {
        let mut devices = Devices::default();
        let names: Vec<Vec<u8>> = (0..2000).map(|number| format!("{number}").into_bytes()).collect();
        for round in 0..3 {
            for (number, name) in names.iter().enumerate() {
                assert_eq!(devices.number(name), Ok(number as u32), "round {round}");
            }
        }
        for number in [0, 1999, 0, 0, 7, 263, 7] {
            assert_eq!(devices.number(&names[number]), Ok(number as u32));
        }
        assert_eq!(devices.joined(b"1", b'9', b"99"), Ok(1999));
    }

    #[test]
    fn names_that_look_the_same_are_still_two() {
        let mut devices = Devices::default();
        let (no_text, text) = (&b"\xff"[..], "\u{fffd}".as_bytes());
        for _ in 0..3 {
            assert_eq!((devices.number(no_text), devices.number(text)), (Ok(0), Ok(1)));
        }
        assert_eq!(devices.names(), ["\u{fffd}", "\u{fffd}"]);
        assert_eq!(devices.number(b""), Ok(2));
    }
}
