//! Types of generated expressions.

use std::fmt;

/// A type.  Variables are those of a row of the library's table, of a datatype's fields, or of a
/// polymorphic function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// 64-bit ints.
    Int,
    /// Doubles.
    Float,
    /// Truth values.
    Bool,
    /// Characters.
    Char,
    /// A sequence.
    Seq(Box<Ty>),
    /// At least two parts, of which the last is no tuple.
    Tuple(Vec<Ty>),
    /// A function.
    Fun(Box<Ty>, Box<Ty>),
    /// A datatype of the program.
    Data(Box<Instance>),
    /// The library's `hashtable`: keys and values.
    Table(Box<(Ty, Ty)>),
    /// A variable; its letter says for which types it stands.
    Var(char),
}

/// A datatype at some types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its name, which is also that of the constructor.
    pub name: String,
    /// What its variables stand for, in order.
    pub args: Vec<Ty>,
    /// The fields at these types.
    pub fields: Ty,
}

impl Ty {
    /// `[self]`.
    pub fn seq(&self) -> Ty {
        Ty::Seq(Box::new(self.clone()))
    }

    /// `(parts...)`; the part itself if there is one.
    pub fn tuple(mut parts: Vec<Ty>) -> Ty {
        match parts.pop() {
            Some(last) if parts.is_empty() => last,
            Some(Ty::Tuple(more)) => {
                parts.extend(more);
                Ty::Tuple(parts)
            }
            Some(last) => {
                parts.push(last);
                Ty::Tuple(parts)
            }
            None => unreachable!("a tuple without parts"),
        }
    }

    /// `self -> result`.
    pub fn fun(self, result: Ty) -> Ty {
        Ty::Fun(Box::new(self), Box::new(result))
    }

    /// `hashtable(keys, values)`.
    pub fn table(keys: Ty, values: Ty) -> Ty {
        Ty::Table(Box::new((keys, values)))
    }

    /// Whether it contains the datatype of this name.
    pub fn has_data(&self, name: &str) -> bool {
        match self {
            Ty::Seq(element) => element.has_data(name),
            Ty::Tuple(parts) => parts.iter().any(|part| part.has_data(name)),
            Ty::Fun(from, to) => from.has_data(name) || to.has_data(name),
            Ty::Data(data) => {
                data.name == name
                    || data.args.iter().any(|arg| arg.has_data(name))
                    || data.fields.has_data(name)
            }
            Ty::Table(of) => of.0.has_data(name) || of.1.has_data(name),
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Var(_) => false,
        }
    }

    /// The parts of a pair, of which the second may be a tuple.
    pub fn pair(&self) -> Option<(Ty, Ty)> {
        match self {
            Ty::Tuple(parts) => Some((parts[0].clone(), Ty::tuple(parts[1..].to_vec()))),
            _ => None,
        }
    }

    /// The type of elements.
    pub fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Seq(element) => Some(element),
            _ => None,
        }
    }

    /// How deeply sequences nest.
    pub fn depth(&self) -> usize {
        match self {
            Ty::Seq(element) => 1 + element.depth(),
            Ty::Tuple(parts) => parts.iter().map(Ty::depth).max().unwrap_or(0),
            Ty::Data(data) => data.fields.depth(),
            Ty::Table(of) => 1 + of.0.depth().max(of.1.depth()),
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Fun(..) | Ty::Var(_) => 0,
        }
    }

    /// Whether it contains a function.
    pub fn has_function(&self) -> bool {
        match self {
            Ty::Fun(..) => true,
            Ty::Seq(element) => element.has_function(),
            Ty::Tuple(parts) => parts.iter().any(Ty::has_function),
            Ty::Data(data) => data.fields.has_function(),
            Ty::Table(of) => of.0.has_function() || of.1.has_function(),
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Var(_) => false,
        }
    }

    /// Whether the variable named by the letter may stand for it: `n`umber, `o`rdinal, lo`g`ical,
    /// `s`calar, and any type for other letters.
    pub fn in_class(&self, letter: char) -> bool {
        match (self, letter) {
            (Ty::Var('n'), 'n' | 'o') | (Ty::Var('o'), 'o') | (Ty::Var('g'), 'g') => return true,
            (Ty::Var('n' | 'o' | 'g' | 's'), 's') => return true,
            _ => {}
        }
        match letter {
            'n' => matches!(self, Ty::Int | Ty::Float),
            'o' => matches!(self, Ty::Int | Ty::Float | Ty::Char),
            'g' => matches!(self, Ty::Int | Ty::Bool),
            's' => matches!(self, Ty::Int | Ty::Float | Ty::Bool | Ty::Char),
            _ => !self.has_function(),
        }
    }
}

/// As in source text; tuples always in parentheses.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("int"),
            Ty::Float => f.write_str("float"),
            Ty::Bool => f.write_str("bool"),
            Ty::Char => f.write_str("char"),
            Ty::Seq(element) => write!(f, "[{element}]"),
            Ty::Tuple(parts) => write!(f, "({})", base::print::join(parts, ", ")),
            Ty::Fun(from, to) if matches!(**from, Ty::Fun(..)) => write!(f, "({from}) -> {to}"),
            Ty::Fun(from, to) => write!(f, "{from} -> {to}"),
            Ty::Data(data) if data.args.is_empty() => f.write_str(&data.name),
            Ty::Data(data) => write!(f, "{}({})", data.name, base::print::join(&data.args, ", ")),
            Ty::Table(of) => write!(f, "hashtable({}, {})", of.0, of.1),
            Ty::Var(letter) => write!(f, "{letter}"),
        }
    }
}

/// ` :: (a in any; n in number)`, as behind a type that is written; nothing without variables.
pub(super) fn classes(letters: &[char]) -> String {
    if letters.is_empty() {
        return String::new();
    }
    let class = |letter: &char| match letter {
        'n' => "n in number".to_owned(),
        'o' => "o in ordinal".to_owned(),
        'g' => "g in logical".to_owned(),
        's' => "s in scalar".to_owned(),
        any => format!("{any} in any"),
    };
    format!(" :: ({})", base::print::join(letters.iter().map(class), "; "))
}

/// Whether a type fits one with variables; tells what these stand for.
pub(super) fn matches(row: &Ty, ty: &Ty, known: &mut Vec<(char, Ty)>) -> bool {
    match (row, ty) {
        (Ty::Var(letter), _) => match known.iter().find(|k| k.0 == *letter) {
            Some((_, before)) => before == ty,
            None => {
                known.push((*letter, ty.clone()));
                ty.in_class(*letter)
            }
        },
        (Ty::Seq(row), Ty::Seq(ty)) => matches(row, ty, known),
        (Ty::Tuple(_), Ty::Tuple(_)) => match (row.pair(), ty.pair()) {
            (Some((a, b)), Some((c, d))) => matches(&a, &c, known) && matches(&b, &d, known),
            _ => false,
        },
        (Ty::Fun(a, b), Ty::Fun(c, d)) => matches(a, c, known) && matches(b, d, known),
        (Ty::Data(row), Ty::Data(ty)) => {
            let mut args = row.args.iter().zip(&ty.args);
            row.name == ty.name && args.all(|(row, ty)| matches(row, ty, known))
        }
        (Ty::Table(row), Ty::Table(ty)) => {
            matches(&row.0, &ty.0, known) && matches(&row.1, &ty.1, known)
        }
        _ => row == ty,
    }
}

/// The variables of a type, in order; some more than once.
pub(super) fn letters(ty: &Ty) -> Vec<char> {
    match ty {
        Ty::Var(letter) => vec![*letter],
        Ty::Seq(element) => letters(element),
        Ty::Tuple(parts) => parts.iter().flat_map(letters).collect(),
        Ty::Fun(from, to) => [letters(from), letters(to)].concat(),
        Ty::Data(data) => data.args.iter().flat_map(letters).collect(),
        Ty::Table(of) => [letters(&of.0), letters(&of.1)].concat(),
        Ty::Int | Ty::Float | Ty::Bool | Ty::Char => Vec::new(),
    }
}

/// A type with its variables replaced.
pub(super) fn substitute(ty: &Ty, known: &[(char, Ty)]) -> Ty {
    match ty {
        Ty::Var(letter) => {
            let found = known.iter().find(|k| k.0 == *letter);
            found.map(|k| k.1.clone()).unwrap_or_else(|| unreachable!("variable {letter}"))
        }
        Ty::Seq(element) => substitute(element, known).seq(),
        Ty::Tuple(parts) => Ty::tuple(parts.iter().map(|p| substitute(p, known)).collect()),
        Ty::Fun(from, to) => substitute(from, known).fun(substitute(to, known)),
        Ty::Data(data) => Ty::Data(Box::new(Instance {
            name: data.name.clone(),
            args: data.args.iter().map(|arg| substitute(arg, known)).collect(),
            fields: substitute(&data.fields, known),
        })),
        Ty::Table(of) => Ty::table(substitute(&of.0, known), substitute(&of.1, known)),
        Ty::Int | Ty::Float | Ty::Bool | Ty::Char => ty.clone(),
    }
}
