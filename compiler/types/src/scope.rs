//! Top-level names: what each means at each moment (LANGUAGE 4).
//!
//! Every definition advances a *version*.  A function that waits for later ones (9.2) is checked
//! long after it was written, but sees the names as they were at its own version; so the table
//! keeps the history of each name.

use crate::tree::Global;
use crate::ty::Data;
use indexmap::IndexMap;

/// A moment in the sequence of definitions.
pub(crate) type Version = u32;

/// A function that waits for others; numbered from 0.
pub(crate) type Waiting = usize;

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// This.
    Global(Global),
    /// A function that is not complete yet.
    Waiting(Waiting),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    version: Version,
    meaning: Meaning,
    /// Visible only while the library is read.
    internal: bool,
}

#[derive(Clone, Copy, Debug)]
struct DataEntry {
    version: Version,
    data: Data,
    /// Outside the library the type can be named, but not taken apart.
    opaque: bool,
}

/// The top-level names.
#[derive(Default)]
pub(crate) struct Scope {
    names: IndexMap<String, Vec<Entry>>,
    datas: IndexMap<String, Vec<DataEntry>>,
    version: Version,
    /// What was added, in the order of versions, for [`Scope::back`].
    added: Vec<Added>,
    /// The last version of the library, once it is complete; internal names are hidden then.
    library: Option<Version>,
    /// Functions that no longer wait, in the order in which that happened, for [`Scope::back`].
    ended: Vec<Ended>,
}

/// A meaning or a datatype that was added: its version, and the place of its name.
#[derive(Clone, Copy)]
enum Added {
    Name(Version, usize),
    Data(Version, usize),
}

/// A function that was waiting, complete or forgotten now.
struct Ended {
    name: String,
    entry: Entry,
}

impl Scope {
    /// The present version.
    pub(crate) fn version(&self) -> Version {
        self.version
    }
    /// The library ends here.
    pub(crate) fn close_library(&mut self) {
        self.library = Some(self.version);
    }
    /// Whether the library is being read.
    pub(crate) fn in_library(&self) -> bool {
        self.library.is_none()
    }

    /// Adds a meaning.
    pub(crate) fn add(&mut self, name: &str, meaning: Meaning, internal: bool) {
        self.version += 1;
        let entry = Entry { version: self.version, meaning, internal };
        let place = self.names.entry(name.to_string());
        self.added.push(Added::Name(self.version, place.index()));
        place.or_default().push(entry);
    }
    /// Adds a datatype; its constructor is added apart.
    pub(crate) fn add_data(&mut self, name: &str, data: Data, opaque: bool) {
        self.version += 1;
        let entry = DataEntry { version: self.version, data, opaque };
        let place = self.datas.entry(name.to_string());
        self.added.push(Added::Data(self.version, place.index()));
        place.or_default().push(entry);
    }
    /// How many functions no longer wait.
    pub(crate) fn ended(&self) -> usize {
        self.ended.len()
    }
    /// Goes back to a version at which so many functions had ended to wait.
    pub(crate) fn back(&mut self, version: Version, ended: usize) {
        for Ended { name, entry } in self.ended.drain(ended..).rev() {
            let entries = self.names.entry(name).or_default();
            let at = entries.partition_point(|e| e.version < entry.version);
            match entries.get_mut(at) {
                Some(present) if present.version == entry.version => *present = entry,
                _ => entries.insert(at, entry),
            }
        }
        self.truncate(version);
    }
    /// Forgets everything added after a version, at the cost of what that is.
    fn truncate(&mut self, version: Version) {
        let later = |added: &mut Added| {
            let (Added::Name(at, _) | Added::Data(at, _)) = *added;
            at > version
        };
        while let Some(added) = self.added.pop_if(later) {
            match added {
                Added::Name(_, place) => {
                    while self.names[place].pop_if(|e| e.version > version).is_some() {}
                }
                Added::Data(_, place) => {
                    while self.datas[place].pop_if(|e| e.version > version).is_some() {}
                }
            }
        }
    }
    /// Turns a waiting function into a defined one.
    pub(crate) fn complete(&mut self, name: &str, id: Waiting, global: Global) {
        for entry in self.names.get_mut(name).into_iter().flatten() {
            if entry.meaning == Meaning::Waiting(id) {
                self.ended.push(Ended { name: name.to_string(), entry: *entry });
                entry.meaning = Meaning::Global(global);
            }
        }
    }
    /// Lets a name mean another global wherever it means this one.
    pub(crate) fn exchange(&mut self, name: &str, from: Global, to: Global) {
        for entry in self.names.get_mut(name).into_iter().flatten() {
            if entry.meaning == Meaning::Global(from) {
                entry.meaning = Meaning::Global(to);
            }
        }
    }
    /// What a name meant before it became this global, latest first.
    pub(crate) fn before(&self, name: &str, global: Global) -> impl Iterator<Item = Global> {
        let entries = self.names.get(name).into_iter().flatten();
        let before =
            entries.rev().skip_while(move |e| e.meaning != Meaning::Global(global)).skip(1);
        before.filter_map(|entry| match entry.meaning {
            Meaning::Global(old) => Some(old),
            Meaning::Waiting(_) => None,
        })
    }
    /// Forgets a waiting function.
    pub(crate) fn abandon(&mut self, name: &str, id: Waiting) {
        let Some(entries) = self.names.get_mut(name) else { return };
        if let Some(at) = entries.iter().position(|e| e.meaning == Meaning::Waiting(id)) {
            let entry = entries.remove(at);
            self.ended.push(Ended { name: name.to_string(), entry });
        }
    }

    fn visible(&self, entry: &Entry) -> bool {
        !entry.internal || self.in_library()
    }
    /// What a name meant at a version.
    pub(crate) fn lookup(&self, name: &str, version: Version) -> Option<Meaning> {
        let entries = self.names.get(name)?;
        let found = entries.iter().rev().find(|e| e.version <= version && self.visible(e));
        found.map(|e| e.meaning)
    }
    /// The first meaning that a name got after a version.
    pub(crate) fn later(&self, name: &str, version: Version) -> Option<Meaning> {
        let entries = self.names.get(name)?;
        entries.iter().find(|e| e.version > version && self.visible(e)).map(|e| e.meaning)
    }
    /// A function of the library behind an operator, whatever users have defined since.
    pub(crate) fn library_function(&self, name: &str) -> Option<Meaning> {
        let last = self.library.unwrap_or(Version::MAX);
        let entries = self.names.get(name)?;
        entries.iter().rev().find(|e| e.version <= last).map(|e| e.meaning)
    }
    /// The datatype of a name at a version.
    pub(crate) fn data(&self, name: &str, version: Version) -> Option<Data> {
        self.data_entry(name, version).map(|e| e.data)
    }
    /// The datatype that a pattern with this constructor takes apart.
    pub(crate) fn constructor(&self, name: &str, version: Version) -> Option<Data> {
        let entry = self.data_entry(name, version)?;
        (!entry.opaque || self.in_library()).then_some(entry.data)
    }
    fn data_entry(&self, name: &str, version: Version) -> Option<&DataEntry> {
        self.datas.get(name)?.iter().rev().find(|e| e.version <= version)
    }
    /// The names that can be written at a version, for advice.
    pub(crate) fn names(&self, version: Version) -> impl Iterator<Item = &str> {
        let written = |n: &str| n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        self.names
            .iter()
            .filter(move |(name, entries)| {
                written(name)
                    && !name.contains('.')
                    && entries.iter().any(|e| e.version <= version && self.visible(e))
            })
            .map(|(name, _)| name.as_str())
    }
    /// The datatypes known at a version.
    pub(crate) fn data_names(&self, version: Version) -> impl Iterator<Item = &str> {
        self.datas
            .iter()
            .filter(move |(_, entries)| entries.iter().any(|e| e.version <= version))
            .map(|(name, _)| name.as_str())
    }
}
