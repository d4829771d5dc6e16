//! The arguments that a caller gives to a function, and the source of each.

use base::Id;
use std::fmt;
use std::path::PathBuf;
use types::tree::Program;
use types::{Class, Scheme, Type};
use value::Typed;
use value::shape::substitute;
use value::typed::{Misfit, Path, parts};

/// An argument: by the name of its parameter, or alone.
#[derive(Clone, Debug)]
pub struct Given {
    /// The name of the parameter; empty for a value alone, which is that of the first parameter
    /// that is neither optional nor given by name.
    pub name: String,
    /// The source of its value.
    pub source: Source,
}

/// The source of a value.  There will be more sources, such as files that are read by ranges.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// A file that is read when the call is made ready.
    File(PathBuf),
    /// The text of a NESL literal.
    Literal(String),
    /// A value in memory.  It is taken as it is, on the cores without a copy.
    Memory(Typed),
    /// Rows in memory, one in each lane: the sequence of them or, for a parameter that is no
    /// sequence, the only one.  A parameter of any type is given the sequence.
    Rows(Typed),
}

impl Given {
    /// A literal for the parameter of this name.
    pub fn literal(name: impl Into<String>, text: impl Into<String>) -> Given {
        Given { name: name.into(), source: Source::Literal(text.into()) }
    }
    /// A file for the parameter of this name.
    pub fn file(name: impl Into<String>, path: impl Into<PathBuf>) -> Given {
        Given { name: name.into(), source: Source::File(path.into()) }
    }
    /// A value in memory for the parameter of this name.
    pub fn memory(name: impl Into<String>, value: Typed) -> Given {
        Given { name: name.into(), source: Source::Memory(value) }
    }
    /// Rows in memory for the parameter of this name.
    pub fn rows(name: impl Into<String>, rows: Typed) -> Given {
        Given { name: name.into(), source: Source::Rows(rows) }
    }
}

impl Source {
    /// True if it can be read again: a pipe is empty after it has been read.
    pub(super) fn can_be_read_again(&self) -> bool {
        match self {
            Source::File(path) => path.is_file(),
            Source::Literal(_) | Source::Memory(_) | Source::Rows(_) => true,
        }
    }
}

/// As messages tell it apart from others.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => write!(f, "`{}`", path.display()),
            Source::Literal(text) => write!(f, "`{text}`"),
            Source::Memory(_) | Source::Rows(_) => f.write_str("in memory"),
        }
    }
}

/// The first part at which the type of a value differs from that of a parameter, some of whose
/// variables stand for types.  In memory a datatype is its fields.
pub(super) fn misfit(
    program: &Program,
    scheme: &Scheme,
    stands_for: &[Option<Type>],
    ty: &Type,
    given: &Type,
) -> Option<Misfit> {
    let comparison = Comparison { program, scheme, stands_for };
    comparison.differ(ty, given, &Path::default())
}

struct Comparison<'a> {
    program: &'a Program,
    scheme: &'a Scheme,
    /// The instances of variables; those without a type can be none that was given.
    stands_for: &'a [Option<Type>],
}

impl Comparison<'_> {
    fn differ(&self, ty: &Type, given: &Type, path: &Path) -> Option<Misfit> {
        match (ty, given) {
            (Type::Var(var), _) => match &self.stands_for[var.index()] {
                Some(ty) => self.differ(ty, given, path),
                None => Some(self.outside(self.scheme.classes[var.index()], given, path)),
            },
            (Type::Data(data, args), _) => {
                let fields = substitute(&self.program.datas[*data].fields, args);
                self.differ(&fields, given, path)
            }
            (Type::Seq(ty), Type::Seq(given)) => self.differ(ty, given, &path.element()),
            (Type::Pair(..), Type::Pair(..)) => {
                let (types, given_types) = (parts(ty), parts(given));
                if types.len() != given_types.len() {
                    return Some(self.other(ty, given, path));
                }
                let mut pairs = types.into_iter().zip(given_types).enumerate();
                pairs.find_map(|(n, (ty, given))| self.differ(ty, given, &path.part(n + 1)))
            }
            (Type::Base(ty), Type::Base(given)) if ty == given => None,
            _ => Some(self.other(ty, given, path)),
        }
    }

    fn other(&self, ty: &Type, given: &Type, path: &Path) -> Misfit {
        let known: Vec<Type> = self
            .stands_for
            .iter()
            .enumerate()
            .map(|(n, ty)| ty.clone().unwrap_or(Type::Var(Id::new(n))))
            .collect();
        let wanted = types::show_type_within(self.program, self.scheme, &substitute(ty, &known));
        let given = types::show_type(self.program, given);
        path.misfit(format!("{given} is given where {wanted} is needed"))
    }

    fn outside(&self, class: Class, given: &Type, path: &Path) -> Misfit {
        let given = types::show_type(self.program, given);
        path.misfit(format!("{given} is given where a type of class `{}` is needed", class.name()))
    }
}
