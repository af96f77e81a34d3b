//! Quotas of processor time that control groups set (cgroup v2, and v1's cpu).

use std::fs;

use flashscope_core::Nanos;

/// How long such quotas have kept this process and the others of its groups from running so far; none where
/// no group counts that.
pub fn throttled() -> Option<Nanos> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let of_group = |(controllers, path): (&str, &str)| {
        let folder = match controllers {
            "" => "/sys/fs/cgroup",
            _ if has(controllers, "cpu") => "/sys/fs/cgroup/cpu",
            _ => return None,
        };
        let stats = upwards(path).map(|group| fs::read_to_string(format!("{folder}{group}/cpu.stat")));
        let stopped = stats.filter_map(|text| throttled_of(&text.ok()?));
        stopped.reduce(|one, other| Nanos(one.0 + other.0))
    };
    memberships(&groups).filter_map(of_group).reduce(|one, other| Nanos(one.0 + other.0))
}

/// The lines of `/proc/self/cgroup`: controllers, none of version 2, and the group's path.
pub(crate) fn memberships(groups: &str) -> impl Iterator<Item = (&str, &str)> {
    groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'))
}

/// Whether a line is about a controller.
pub(crate) fn has(controllers: &str, name: &str) -> bool {
    controllers.split(',').any(|controller| controller == name)
}

/// A group and those it lies in; the last is the root, or what a container sees as such.
pub(crate) fn upwards(path: &str) -> impl Iterator<Item = &str> {
    let lowest = path.trim_end_matches('/');
    std::iter::successors(Some(lowest), |group| Some(group.rsplit_once('/')?.0))
}

/// The line of `cpu.stat`: `throttled_usec` of v2, `throttled_time` (ns) of v1.
fn throttled_of(stat: &str) -> Option<Nanos> {
    stat.lines().find_map(|line| match line.split_once(' ')? {
        ("throttled_usec", us) => Some(Nanos::from_us(us.trim().parse().ok()?)),
        ("throttled_time", ns) => Some(Nanos(ns.trim().parse().ok()?)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let v2 = "usage_usec 9\nuser_usec 7\nnr_periods 5\nnr_throttled 2\nthrottled_usec 1500\n";
        assert_eq!(throttled_of(v2), Some(Nanos::from_us(1500)));
        assert_eq!(throttled_of("nr_periods 5\nnr_throttled 2\nthrottled_time 77\n"), Some(Nanos(77)));
        assert_eq!(throttled_of("usage_usec 9\n"), None);
        assert_eq!(upwards("/a/b").collect::<Vec<_>>(), ["/a/b", "/a", ""]);
        assert_eq!(upwards("/").collect::<Vec<_>>(), [""]);
    }
}
