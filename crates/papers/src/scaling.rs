//! A setting of a device, scaled wherever a study gives it: what a study's choice decides is seen when it
//! chooses otherwise.

/// A key of a TARGET's settings, and what its numbers are multiplied by.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The key, such as `nand.channels`.
    pub key: String,
    /// Above 0.
    pub factor: f64,
}

impl Scaling {
    /// A TARGET with each value of the key scaled; as it is where it has none.
    pub fn apply(&self, target: &str) -> String {
        let Some((name, settings)) = target.split_once('?') else { return target.into() };
        let scaled = settings.split('&').map(|setting| match setting.split_once('=') {
            Some((key, value)) if key == self.key => format!("{key}={}", self.scaled(value)),
            _ => setting.into(),
        });
        format!("{name}?{}", scaled.collect::<Vec<_>>().join("&"))
    }

    /// A value, or a list of values in brackets.
    fn scaled(&self, value: &str) -> String {
        let list = value.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
        let Some(list) = list else { return self.one(value) };
        let scaled = list.split(',').map(|one| self.one(one.trim()));
        format!("[{}]", scaled.collect::<Vec<_>>().join(", "))
    }

    /// A number with its unit; words stay as they are.
    fn one(&self, value: &str) -> String {
        let Some((number, unit)) = number(value) else { return value.into() };
        let scaled = number * self.factor;
        // A count stays one, unless nothing would be left of it.
        let is_count = unit.is_empty() && number.fract() == 0.0 && scaled >= 1.0;
        format!("{}{unit}", if is_count { scaled.floor() } else { scaled })
    }
}

/// The keys of TARGETs whose values are numbers above 0, each once, with these values.
pub fn numeric_keys(targets: &[String]) -> Vec<(String, Vec<String>)> {
    let settings = targets.iter().filter_map(|target| target.split_once('?'));
    let pairs = settings.flat_map(|(_, settings)| settings.split('&').filter_map(|s| s.split_once('=')));
    let mut keys: Vec<(String, Vec<String>)> = Vec::new();
    for (key, value) in pairs.filter(|(_, value)| is_numeric(value)) {
        let known = keys.iter().position(|(known, _)| known == key);
        let place = known.unwrap_or_else(|| {
            keys.push((key.into(), Vec::new()));
            keys.len() - 1
        });
        let values = &mut keys[place].1;
        if !values.iter().any(|known| known == value) {
            values.push(value.into());
        }
    }
    keys
}

fn is_numeric(value: &str) -> bool {
    let list = value.trim_start_matches('[').trim_end_matches(']');
    list.split(',').all(|one| number(one.trim()).is_some_and(|(number, _)| number > 0.0))
}

/// The number that a value begins with, and its unit, which is letters.
fn number(value: &str) -> Option<(f64, &str)> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let is_unit = unit.chars().all(char::is_alphabetic);
    number.parse().ok().filter(|_| is_unit).map(|number| (number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_key_is_scaled() {
        let half = |key: &str, target: &str| Scaling { key: key.into(), factor: 0.5 }.apply(target);
        assert_eq!(half("capacity", "sim:a?capacity=1GiB&gc=fifo"), "sim:a?capacity=0.5GiB&gc=fifo");
        assert_eq!(half("us", "sim:a?us=[60, 25]"), "sim:a?us=[30, 12]");
        assert_eq!(half("n", "sim:a?n=1&n=5"), "sim:a?n=0.5&n=2", "each time it is given");
        assert_eq!(half("gc", "sim:a?gc=fifo"), "sim:a?gc=fifo");
        assert_eq!(half("n", "rig:plain"), "rig:plain");
    }

    #[test]
    fn only_numbers_above_0_can_be_scaled() {
        let targets = ["sim:a?n=1&ftl=page&mb_s=0&ok=true".to_string(), "sim:b?n=[2, 3]".into()];
        assert_eq!(numeric_keys(&targets), [("n".to_string(), vec!["1".to_string(), "[2, 3]".into()])]);
    }
}
