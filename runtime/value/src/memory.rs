//! How much memory there is.

use std::fs;

/// Assumed where the system does not tell.
const UNKNOWN: usize = 4 << 30;

/// Bytes that can be had without taking them from others: what the machine has available, or what
/// the control group of this process still allows if that is less.
pub fn available() -> usize {
    let machine = fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.and_then(|text| field(&text, "MemAvailable:"));
    let limits = [machine, group_limit(), address_limit()];
    limits.into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// How much a program may use if nobody says more: three quarters of the machine, and nearly all
/// that is available if that is less.
pub fn default_cap() -> usize {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal:"));
    let group = group_file("memory.max");
    let machine = total.into_iter().chain(group).min().unwrap_or(UNKNOWN);
    (machine / 4 * 3).min(available() / 10 * 9)
}

/// The memory that this process has in use; none where the system does not tell.
pub fn resident() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    field(&text, "VmRSS:")
}

/// A field such as `MemAvailable: 12 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<usize> {
    let field = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: usize = field.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// What the control group (version 2) still allows; none if it sets no limit.
fn group_limit() -> Option<usize> {
    Some(group_file("memory.max")?.saturating_sub(group_file("memory.current")?))
}

/// What a limit on addresses still allows, such as that of `ulimit -v`; none if there is none.
fn address_limit() -> Option<usize> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: usize = limit.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(field(&status, "VmSize:")?))
}

/// The number in a file of the control group.
fn group_file(name: &str) -> Option<usize> {
    fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo() {
        let text = "MemTotal:       24689212 kB\nMemAvailable:   12 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(12 * 1024));
        assert_eq!(field("MemTotal: 1 kB\n", "MemAvailable:"), None);
        assert!(available() > 0);
        assert!(default_cap() > 0);
        assert!(resident().is_none_or(|bytes| bytes > 0));
    }
}
