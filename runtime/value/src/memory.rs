//! The memory of the machine, and the use of it by values.
//!
//! [`budget`] bounds the use of all values, [`heap`] counts the bytes of a thread.  This file asks
//! the system.

pub mod budget;
mod group;
pub mod heap;

pub use budget::{Budget, Charge};

use std::fs;
use std::path::Path;

/// Assumed where the system does not tell.
const UNKNOWN: usize = 4 << 30;

/// The root of the file system, where all of this is read.
const ROOT: &str = "/";

/// Bytes that can be had without taking them from others: what the machine has available, or what
/// the control groups or the limit on addresses of this process still allow if that is less.
pub fn available() -> usize {
    available_at(Path::new(ROOT))
}

/// The same in another file system.
fn available_at(root: &Path) -> usize {
    let machine = meminfo(root, "MemAvailable:");
    let group = group::allowed(root).map(|group| group.free);
    let bounds = [machine, group, address_left_at(root)];
    bounds.into_iter().flatten().min().unwrap_or(UNKNOWN)
}

/// The bytes that a program may use unless an option allows more: three quarters of the memory of
/// the machine or of its control groups, and nearly all available memory if that is less.
pub fn default_cap() -> usize {
    default_cap_at(Path::new(ROOT))
}

/// The same in another file system.
fn default_cap_at(root: &Path) -> usize {
    let total = meminfo(root, "MemTotal:");
    let group = group::allowed(root).map(|group| group.limit);
    let machine = total.into_iter().chain(group).min().unwrap_or(UNKNOWN);
    (machine / 4 * 3).min(available_at(root) / 10 * 9)
}

/// Bytes that a limit on address space, such as that of `ulimit -v`, still allows; none without
/// one.
pub fn address_left() -> Option<usize> {
    address_left_at(Path::new(ROOT))
}

fn address_left_at(root: &Path) -> Option<usize> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: usize = limit.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    Some(limit.saturating_sub(field(&status, "VmSize:")?))
}

/// A field of `/proc/meminfo`.
fn meminfo(root: &Path, name: &str) -> Option<usize> {
    field(&fs::read_to_string(root.join("proc/meminfo")).ok()?, name)
}

/// A field such as `MemAvailable: 12 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<usize> {
    let field = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: usize = field.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
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
    }

    /// The files of a machine with 8 GB, on which a group has a limit of 2 GB and 1 GB free,
    /// counting inactive pages of files as free.
    #[test]
    fn the_cap_is_that_of_the_group() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         unlimited            unlimited            bytes\n";
        let root = group::mock(
            "cap",
            &[
                ("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n"),
                ("proc/self/limits", limits),
                ("proc/self/cgroup", "0::/\n"),
                ("proc/self/mountinfo", "1 1 0:1 / /groups rw - cgroup2 none rw\n"),
                ("groups/memory.max", "2048000000\n"),
                ("groups/memory.current", "2000000000\n"),
                ("groups/memory.stat", "inactive_file 976000000\n"),
            ],
        );
        assert_eq!(available_at(&root), 1_024_000_000);
        assert_eq!(default_cap_at(&root), 921_600_000);
        fs::write(root.join("groups/memory.current"), "976000000\n").unwrap();
        assert_eq!(default_cap_at(&root), 1_536_000_000);
        fs::write(root.join("proc/self/status"), "VmSize: 200000 kB\n").unwrap();
        fs::write(root.join("proc/self/limits"), limits.replacen("unlimited ", "409600000", 1))
            .unwrap();
        assert_eq!(available_at(&root), 409_600_000 - 204_800_000);
        fs::remove_dir_all(&root).unwrap();
    }
}
