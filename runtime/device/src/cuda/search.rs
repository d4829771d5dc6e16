//! Where NVRTC, NVIDIA's compiler for text in memory, may be.
//!
//! Installers put it on the loader's path under its plain name.  Python's wheels ship it under a
//! versioned name in a folder that no loader knows, and often are the only CUDA on a machine.  So
//! folders are looked through for `libnvrtc.so.13` and its like, those that the user names first.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Names that the system's loader may know.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
/// Folders of an installation that may hold its libraries.
const LIBRARIES: [&str; 4] = ["", "lib64", "lib", "targets/*/lib"];
/// The same of all installations in a folder.
const INSTALLED: [&str; 2] = ["cuda*/lib64", "cuda*/targets/*/lib"];
/// The same of an environment of Python.
const ENVIRONMENT: [&str; 3] = [
    "lib/python*/site-packages/nvidia/cu13/lib",
    "lib/python*/site-packages/nvidia/cuda_nvrtc/lib",
    "lib",
];
/// The same of the packages of a Python.
const PACKAGES: [&str; 2] = ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"];

/// What the search depends on.
pub(super) struct World<'a> {
    /// Variables of the environment.
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Where installers put CUDA.
    pub(super) installed: &'a Path,
    /// The packages of the Python on the path; asked last, since starting it takes time.
    pub(super) python: &'a dyn Fn() -> Vec<PathBuf>,
}

/// A library to be tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A file that is there.
    File(PathBuf),
    /// A name for the system's loader.
    Name(&'static str),
}

/// A step of the search.
enum Step {
    /// Folders below a root, as patterns.
    Below(String, PathBuf, &'static [&'static str]),
    /// The system's loader.
    Loader,
    /// Python's packages.
    Python,
}

/// Tries places in order until one gives something; if none does, says where it looked.
pub(super) fn search<T>(
    world: &World<'_>,
    mut attempt: impl FnMut(&Place) -> Option<T>,
) -> Result<T, Vec<String>> {
    let mut looked = Vec::new();
    for step in steps(world) {
        let places: Vec<Place> = match step {
            Step::Below(what, root, below) => {
                looked.push(what);
                files(&root, below)
            }
            Step::Loader => {
                looked.push("the system's libraries, LD_LIBRARY_PATH included".to_owned());
                NAMES.map(Place::Name).into()
            }
            Step::Python => {
                looked.push("the packages of `python3`".to_owned());
                (world.python)().iter().flat_map(|root| files(root, &PACKAGES)).collect()
            }
        };
        if let Some(found) = places.iter().find_map(&mut attempt) {
            return Ok(found);
        }
    }
    Err(looked)
}

fn steps(world: &World<'_>) -> Vec<Step> {
    let named = |name: &'static str, below: &'static [&'static str]| {
        let root = PathBuf::from((world.variable)(name).filter(|value| !value.is_empty())?);
        Some(Step::Below(format!("{name}, which is {}", root.display()), root, below))
    };
    let installed = world.installed.to_owned();
    let what = format!("{}/cuda*", installed.display());
    [
        named("NESL_CUDA_PATH", &LIBRARIES),
        named("CUDA_HOME", &LIBRARIES),
        named("CUDA_PATH", &LIBRARIES),
        Some(Step::Loader),
        Some(Step::Below(what, installed, &INSTALLED)),
        named("VIRTUAL_ENV", &ENVIRONMENT),
        named("CONDA_PREFIX", &ENVIRONMENT),
        Some(Step::Python),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// All of NVRTC in the folders that patterns below a root name, the newest first in each.
fn files(root: &Path, below: &[&str]) -> Vec<Place> {
    let folders = below.iter().flat_map(|pattern| expand(root, pattern));
    folders.flat_map(|folder| libraries(&folder)).map(Place::File).collect()
}

/// The folders that a pattern below a root names.  A part of it may end in `*`.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    pattern.split('/').filter(|part| !part.is_empty()).fold(vec![root.to_owned()], |found, part| {
        match part.strip_suffix('*') {
            None => found.into_iter().map(|folder| folder.join(part)).collect(),
            Some(start) => found.iter().flat_map(|folder| entries(folder, start)).collect(),
        }
    })
}

fn libraries(folder: &Path) -> Vec<PathBuf> {
    entries(folder, "libnvrtc.so")
}

/// What is in the folder of a file under names that begin so, highest numbers first.
pub(super) fn beside(file: &Path, start: &str) -> Vec<PathBuf> {
    file.parent().map_or_else(Vec::new, |folder| entries(folder, start))
}

/// What is in a folder under names that begin so, highest numbers first.
fn entries(folder: &Path, start: &str) -> Vec<PathBuf> {
    let Ok(all) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(Vec<u32>, PathBuf)> = all
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
        .map(|entry| (numbers(&entry.file_name().to_string_lossy()), entry.path()))
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// The numbers in a name: `cuda-12.10` is newer than `cuda-12.9`.
fn numbers(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// The world as it is.
pub(super) fn in_this_world<T>(attempt: impl FnMut(&Place) -> Option<T>) -> Result<T, Vec<String>> {
    let world = World {
        variable: &|name| env::var_os(name),
        installed: Path::new("/usr/local"),
        python: &packages_of_python,
    };
    search(&world, attempt)
}

/// The folders in which `python3` finds packages.
fn packages_of_python() -> Vec<PathBuf> {
    const ASK: &str = "import sys; print('\\n'.join(p for p in sys.path if p))";
    let asked = Command::new("python3").args(["-c", ASK]).stdin(Stdio::null()).output();
    let Ok(output) = asked else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of empty files, and what the search tries there in order.
    fn tried(name: &str, tree: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
        let root = env::temp_dir().join(format!("nesl-search-{}-{name}", std::process::id()));
        for file in tree {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, folder)| root.join(folder).into_os_string())
        };
        let world = World {
            variable: &value,
            installed: &root.join("usr"),
            python: &|| vec![root.join("py")],
        };
        let mut tried = Vec::new();
        let none: Result<(), _> = search(&world, |place| {
            tried.push(match place {
                Place::File(path) => path.strip_prefix(&root).unwrap().display().to_string(),
                Place::Name(name) => format!("<{name}>"),
            });
            None
        });
        assert!(none.is_err());
        let _ = fs::remove_dir_all(root);
        tried
    }

    const LOADER: [&str; 3] = ["<libnvrtc.so.13>", "<libnvrtc.so.12>", "<libnvrtc.so>"];

    #[test]
    fn what_the_user_names_comes_first() {
        let tree = [
            "own/lib/libnvrtc.so.12",
            "own/lib/libnvrtc.so.13",
            "own/lib/libnvrtc-builtins.so.13.0",
            "home/targets/x86_64-linux/lib/libnvrtc.so",
            "flat/libnvrtc.so.13",
        ];
        let named = [("CUDA_HOME", "home"), ("CUDA_PATH", "flat"), ("NESL_CUDA_PATH", "own")];
        let mut expected = vec![
            "own/lib/libnvrtc.so.13",
            "own/lib/libnvrtc.so.12",
            "home/targets/x86_64-linux/lib/libnvrtc.so",
            "flat/libnvrtc.so.13",
        ];
        expected.extend(LOADER);
        assert_eq!(tried("named", &tree, &named), expected);
    }

    #[test]
    fn the_newest_installation_comes_before_python() {
        let wheel = "lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13";
        let tree = [
            "usr/cuda-12.9/lib64/libnvrtc.so.12",
            "usr/cuda-12.10/lib64/libnvrtc.so.12",
            "usr/other/lib64/libnvrtc.so.12",
            &format!("venv/{wheel}"),
            "conda/lib/libnvrtc.so.12",
            "py/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        ];
        let named = [("CONDA_PREFIX", "conda"), ("VIRTUAL_ENV", "venv")];
        let mut expected = LOADER.map(str::to_owned).to_vec();
        expected.extend(
            [
                "usr/cuda-12.10/lib64/libnvrtc.so.12",
                "usr/cuda-12.9/lib64/libnvrtc.so.12",
                &format!("venv/{wheel}"),
                "conda/lib/libnvrtc.so.12",
                "py/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            ]
            .map(str::to_owned),
        );
        assert_eq!(tried("python", &tree, &named), expected);
    }

    #[test]
    fn where_it_looked_is_told() {
        let world = World {
            variable: &|name| (name == "CUDA_HOME").then(|| "there".into()),
            installed: Path::new("/nowhere"),
            python: &Vec::new,
        };
        let looked = search(&world, |_| None::<()>).unwrap_err();
        assert_eq!(
            looked,
            [
                "CUDA_HOME, which is there",
                "the system's libraries, LD_LIBRARY_PATH included",
                "/nowhere/cuda*",
                "the packages of `python3`",
            ]
        );
    }
}
