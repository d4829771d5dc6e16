//! Families: the files of the suite.

use super::figures::{Measured, measure};
use super::folder;
use std::path::Path;
use std::{fs, io};

/// Programs that compute the same.
#[derive(Clone, Debug)]
pub struct Family {
    /// The name of its folder.
    pub name: String,
    /// Each by name, in order.
    pub spellings: Vec<Spelling>,
}

/// A way to write a program.
#[derive(Clone, Debug)]
pub struct Spelling {
    /// The name of its file.
    pub name: String,
    /// Definitions, then data, then the call.
    pub program: String,
    /// The same with as many data as are worth a time.
    pub large: String,
    /// How many elements of the family one element of its data is.
    pub width: u64,
}

impl Spelling {
    /// Measures it on plans for a machine; elements and bytes are those of a family's element.
    pub fn measure(&self, machine: &str) -> Result<Measured, String> {
        let mut measured = measure(machine, &self.program)?;
        measured.figures.touched /= self.width;
        measured.figures.peak /= self.width;
        Ok(measured)
    }
}

/// The file of a family that has the data, and a call at the end.
const DATA: &str = "data.nesl";
/// The file of the suite with the definitions that all data may use.
const NOISE: &str = "noise.nesl";
/// Lines of a spelling for elements of another type: the data that stand in place of those of the
/// family, and the value that stands in place of the call.
const GIVEN: [&str; 2] = ["% given: ", "% call: "];
/// How many elements of the family an element of such data is, if not one.
const WIDTH: &str = "% width: ";
/// The line of the data that says how many there are, and, in a comment behind it, how many for
/// times.
const SIZE: &str = "size = ";

/// The families of the suite by name.
pub fn families() -> io::Result<Vec<Family>> {
    let mut folders: Vec<_> =
        fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().map(|folder| family(folder)).collect()
}

fn family(folder: &Path) -> io::Result<Family> {
    let data =
        fs::read_to_string(super::folder().join(NOISE))? + &fs::read_to_string(folder.join(DATA))?;
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|it| it == "nesl") && !path.ends_with(DATA));
    files.sort();
    let name = |path: &Path| {
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    };
    let mut spellings = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let width = header(&text, WIDTH).and_then(|width| width.parse().ok()).unwrap_or(1);
        let [program, large] = [&data, &enlarged(&data)].map(|data| whole(&text, data));
        spellings.push(Spelling { name: name(file), program, large, width });
    }
    Ok(Family { name: name(folder), spellings })
}

/// The rest of the line of a spelling that begins so.
fn header<'a>(definitions: &'a str, begin: &str) -> Option<&'a str> {
    let mut lines = definitions.lines().filter_map(|line| line.strip_prefix(begin));
    lines.next()?.strip_suffix(" %")
}

/// The data in the size for times.
fn enlarged(data: &str) -> String {
    let line = |line: &str| {
        let rest = line.strip_prefix(SIZE);
        let large = rest.and_then(|rest| rest.split_once("% ")?.1.strip_suffix(" %"));
        large.map_or_else(|| line.to_owned(), |large| format!("{SIZE}{large};"))
    };
    data.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A program of the definitions of a spelling and of the data of its family.
fn whole(definitions: &str, data: &str) -> String {
    let [given, call] = GIVEN.map(|begin| header(definitions, begin));
    let lines: Vec<&str> = data.trim_end().lines().collect();
    let (last, before) = lines.split_last().unwrap_or((&"", &[]));
    let (given, call) = (given.unwrap_or_default(), call.unwrap_or(last));
    format!("{definitions}\n{}\n{given}\n{call}\n", before.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{enlarged, whole};

    #[test]
    fn data_of_another_type_follow_those_of_the_family() {
        let data = "keys = [2, 1];\nsorted(keys);\n";
        let plain = "function sorted(v) = sort(v);\n";
        assert_eq!(whole(plain, data), format!("{plain}\nkeys = [2, 1];\n\nsorted(keys);\n"));
        let floats = "% given: keys = {float(k) : k in keys}; %\n% call: sorted(keys)[0]; %\n";
        let wanted = format!(
            "{floats}\nkeys = [2, 1];\nkeys = {{float(k) : k in keys}};\nsorted(keys)[0];\n"
        );
        assert_eq!(whole(floats, data), wanted);
    }

    #[test]
    fn data_for_times_are_larger() {
        let data = "size = 60; % 5000 %\nkeys = [0:size];\n";
        assert_eq!(enlarged(data), "size = 5000;\nkeys = [0:size];");
    }
}
