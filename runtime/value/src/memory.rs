//! How much memory there is.

use std::fs;

/// Assumed where the system does not tell.
const UNKNOWN: usize = 4 << 30;

/// Bytes that can be had without taking them from others: what the machine has available, or what
/// the control group of this process still allows if that is less.
pub fn available() -> usize {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_available(&text));
    let group = group_limit();
    match (machine, group) {
        (Some(machine), Some(group)) => machine.min(group),
        (machine, group) => machine.or(group).unwrap_or(UNKNOWN),
    }
}

/// The field `MemAvailable` of `/proc/meminfo`.
fn mem_available(text: &str) -> Option<usize> {
    let field = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = field.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What the control group (version 2) still allows; none if it sets no limit.
fn group_limit() -> Option<usize> {
    let number = |name: &str| -> Option<usize> {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo() {
        let text = "MemTotal:       24689212 kB\nMemAvailable:   12 kB\n";
        assert_eq!(mem_available(text), Some(12 * 1024));
        assert_eq!(mem_available("MemTotal: 1 kB\n"), None);
        assert!(available() > 0);
    }
}
