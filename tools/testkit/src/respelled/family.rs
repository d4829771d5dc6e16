//! Families: the files of the suite.

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
}

/// The file of a family that has the data, and a call at the end.
const DATA: &str = "data.nesl";
/// A line of a spelling for elements of another type: the data that stand in place of those of the
/// family, or the value that stands in place of the call.
const GIVEN: [&str; 2] = ["% given: ", "% call: "];

/// The families of the suite by name.
pub fn families() -> io::Result<Vec<Family>> {
    let mut folders: Vec<_> =
        fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().map(|folder| family(folder)).collect()
}

fn family(folder: &Path) -> io::Result<Family> {
    let data = fs::read_to_string(folder.join(DATA))?;
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
        spellings.push(Spelling { name: name(file), program: whole(&text, &data) });
    }
    Ok(Family { name: name(folder), spellings })
}

/// A program of the definitions of a spelling and of the data of its family.
fn whole(definitions: &str, data: &str) -> String {
    let found = |begin: &str| {
        let mut lines = definitions.lines().filter_map(|line| line.strip_prefix(begin));
        lines.next().and_then(|line| line.strip_suffix(" %"))
    };
    let [given, call] = GIVEN.map(found);
    let lines: Vec<&str> = data.trim_end().lines().collect();
    let (last, before) = lines.split_last().unwrap_or((&"", &[]));
    let (given, call) = (given.unwrap_or_default(), call.unwrap_or(last));
    format!("{definitions}\n{}\n{given}\n{call}\n", before.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::whole;

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
}
