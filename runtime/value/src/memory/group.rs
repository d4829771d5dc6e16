//! The memory limits of the control groups of this process, versions 1 and 2.
//!
//! `/proc/self/cgroup` names the group of the process, and `/proc/self/mountinfo` the folder at
//! which its hierarchy is mounted. A group is bounded by its own limit and by those of all groups
//! around it. Inactive pages of files (`inactive_file`) count as free: the kernel drops them before
//! it ends a process.
//!
//! ```text
//! 0::/user.slice/build     a group of version 2
//! 7:memory:/docker/0a1b    a group of version 1
//! ```

use std::fs;
use std::path::Path;

/// The bounds that the groups of the process set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The least limit, in bytes.
    pub(super) limit: usize,
    /// The least number of bytes that a limit still leaves.
    pub(super) free: usize,
}

/// The names of the files of a version.
struct Version {
    /// The type of its mounts.
    mount: &'static str,
    /// The limits; a group keeps within all of them.
    limits: &'static [&'static str],
    /// The bytes in use, files included.
    used: &'static str,
    /// The row of `memory.stat` for files of the group and of those inside it.
    inactive: &'static str,
}

const FIRST: Version = Version {
    mount: "cgroup",
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    inactive: "total_inactive_file",
};
const SECOND: Version = Version {
    mount: "cgroup2",
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    inactive: "inactive_file",
};

/// Version 1 says so, rounded down to pages, where there is no limit.
const UNLIMITED: usize = (1 << 63) - (1 << 16);

/// The bounds that the groups of the process set, in the file system at `root`; none without a
/// limit.
pub(super) fn allowed(root: &Path) -> Option<Group> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).ok()?;
    let bounds = groups.lines().filter_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let version = match controllers {
            "" => &SECOND,
            _ if controllers.split(',').any(|one| one == "memory") => &FIRST,
            _ => return None,
        };
        mounts.lines().filter_map(|mount| bound(root, version, path, mount)).reduce(least)
    });
    bounds.reduce(least)
}

fn least(a: Group, b: Group) -> Group {
    Group { limit: a.limit.min(b.limit), free: a.free.min(b.free) }
}

/// The bounds of the group with this path and of those around it up to the mount; none if the line
/// of `mountinfo` is about another kind of mount.
fn bound(root: &Path, version: &Version, path: &str, mount: &str) -> Option<Group> {
    // `36 35 0:31 ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE OPTIONS`
    let (place, kind) = mount.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let (ty, options) = (kind.next()?, kind.nth(1).unwrap_or(""));
    // Version 1 mounts each controller by itself.
    let has_memory = ty == SECOND.mount || options.split(',').any(|one| one == "memory");
    let mut place = place.split(' ').skip(3);
    let (top, point) = (place.next()?, place.next()?);
    if ty != version.mount || !has_memory {
        return None;
    }
    let point = root.join(point.trim_start_matches('/'));
    // In a container the mount may begin inside the hierarchy, at the container's own group.
    let path = Path::new(path);
    let inside = path.strip_prefix(top).unwrap_or(Path::new(""));
    let around = inside.ancestors().map(|inside| of_folder(&point.join(inside), version));
    around.flatten().reduce(least)
}

/// The bounds of one group.
fn of_folder(folder: &Path, version: &Version) -> Option<Group> {
    let number = |name: &str| -> Option<usize> {
        fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()
    };
    let limits = version.limits.iter().filter_map(|name| number(name));
    let limit = limits.min().filter(|&limit| limit < UNLIMITED)?;
    let inactive = || -> Option<usize> {
        let stat = fs::read_to_string(folder.join("memory.stat")).ok()?;
        let row = stat.lines().find_map(|row| row.strip_prefix(version.inactive))?;
        row.trim().parse().ok()
    };
    let used = number(version.used)?.saturating_sub(inactive().unwrap_or(0));
    Some(Group { limit, free: limit.saturating_sub(used) })
}

/// The folders of a mocked system.
#[cfg(test)]
pub(super) fn mock(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let root = std::env::temp_dir().join(format!("nesl-groups-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
    const V1: &str = "33 32 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      34 32 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";

    #[track_caller]
    fn check(name: &str, files: &[(&str, &str)], expected: Option<(usize, usize)>) {
        let root = mock(name, files);
        let found = allowed(&root);
        // A system without files has no folder.
        let _ = fs::remove_dir_all(&root);
        assert_eq!(found.map(|group| (group.limit, group.free)), expected);
    }

    #[test]
    fn a_group_of_version_2() {
        check(
            "v2",
            &[
                ("proc/self/cgroup", "0::/job\n"),
                ("proc/self/mountinfo", V2),
                ("sys/fs/cgroup/job/memory.max", "1000\n"),
                ("sys/fs/cgroup/job/memory.current", "700\n"),
                ("sys/fs/cgroup/job/memory.stat", "anon 400\nfile 300\ninactive_file 250\n"),
            ],
            Some((1000, 550)),
        );
    }

    #[test]
    fn the_groups_around_it_bound_it_too() {
        check(
            "nested",
            &[
                ("proc/self/cgroup", "0::/outer/middle/job\n"),
                ("proc/self/mountinfo", V2),
                ("sys/fs/cgroup/outer/memory.max", "5000\n"),
                ("sys/fs/cgroup/outer/memory.current", "4900\n"),
                ("sys/fs/cgroup/outer/middle/memory.max", "max\n"),
                ("sys/fs/cgroup/outer/middle/memory.high", "900\n"),
                ("sys/fs/cgroup/outer/middle/memory.current", "200\n"),
                ("sys/fs/cgroup/outer/middle/job/memory.max", "max\n"),
                ("sys/fs/cgroup/outer/middle/job/memory.current", "200\n"),
            ],
            Some((900, 100)),
        );
    }

    #[test]
    fn a_group_of_version_1_and_its_parent() {
        check(
            "v1",
            &[
                ("proc/self/cgroup", "9:cpu,cpuacct:/other\n7:memory:/a/b\n1:name=systemd:/x\n"),
                ("proc/self/mountinfo", V1),
                ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000\n"),
                ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1500\n"),
                (
                    "sys/fs/cgroup/memory/a/memory.stat",
                    "inactive_file 1\ntotal_inactive_file 500\n",
                ),
                ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
                ("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1500\n"),
                ("sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1\n"),
                ("sys/fs/cgroup/cpu/other/memory.usage_in_bytes", "0\n"),
            ],
            Some((2000, 1000)),
        );
    }

    /// The mount of a container begins at its group, whose path the host sees from the top.
    #[test]
    fn a_container_sees_only_its_own_group() {
        let mount = "33 32 0:29 /docker/0a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        for (path, folder) in [("/docker/0a", ""), ("/docker/0a/in", "in/"), ("/elsewhere", "")] {
            let limit = format!("sys/fs/cgroup/memory/{folder}memory.limit_in_bytes");
            let usage = format!("sys/fs/cgroup/memory/{folder}memory.usage_in_bytes");
            check(
                "container",
                &[
                    ("proc/self/cgroup", &format!("4:memory:{path}\n")),
                    ("proc/self/mountinfo", mount),
                    (&limit, "800\n"),
                    (&usage, "900\n"),
                ],
                Some((800, 0)),
            );
        }
    }

    #[test]
    fn no_limit() {
        check("none", &[], None);
        let max = ("sys/fs/cgroup/memory.max", "max\n");
        let files = [("proc/self/cgroup", "0::/\n"), ("proc/self/mountinfo", V2), max];
        check("unlimited", &files, None);
    }
}
