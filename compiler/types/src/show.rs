//! Types as the language shows them (LANGUAGE 13): variables named `a, b, c, ...` in the order of
//! their first appearance, tuples flattened, classes at the end.

use crate::tree::Program;
use crate::ty::{Base, Class, Scheme, TyVar, Type};
use base::Id;
use indexmap::IndexSet;

/// A type with the classes of its variables: `(a, b) -> a :: (a in number; b in any)`.
pub fn show_scheme(program: &Program, scheme: &Scheme) -> String {
    let order = variables([&scheme.ty]);
    let mut text = show_with(&data_names(program), &scheme.ty, &order);
    let bounds: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(i, v)| format!("{} in {}", variable_name(i), class_of(scheme, *v).name()))
        .collect();
    if !bounds.is_empty() {
        text.push_str(&format!(" :: ({})", bounds.join("; ")));
    }
    text
}

/// A type without the classes of its variables.
pub fn show_type(program: &Program, ty: &Type) -> String {
    show_with(&data_names(program), ty, &variables([ty]))
}

/// A type inside a definition, whose variables have the names that the definition's type shows.
pub fn show_type_within(program: &Program, scheme: &Scheme, ty: &Type) -> String {
    show_with(&data_names(program), ty, &variables([&scheme.ty, ty]))
}

/// The name of a base type.
pub fn base_name(base: Base) -> &'static str {
    match base {
        Base::I64 => "int",
        Base::F64 => "float",
        Base::Bool => "bool",
        Base::Char => "char",
    }
}

/// `a`, ..., `z`, `a1`, ...
pub(crate) fn variable_name(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// Whether a shown type has a variable of this name.
pub(crate) fn mentions(shown: &str, variable: &str) -> bool {
    shown.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == variable)
}

/// The variables of some types in the order of their first appearance.
pub(crate) fn variables<'t>(types: impl IntoIterator<Item = &'t Type>) -> IndexSet<TyVar> {
    let mut found = IndexSet::new();
    for ty in types {
        collect(ty, &mut found);
    }
    found
}

fn collect(ty: &Type, found: &mut IndexSet<TyVar>) {
    match ty {
        Type::Base(_) => {}
        Type::Seq(t) => collect(t, found),
        Type::Pair(a, b) | Type::Fun(a, b) => {
            collect(a, found);
            collect(b, found);
        }
        Type::Data(_, args) => args.iter().for_each(|t| collect(t, found)),
        Type::Var(v) => {
            found.insert(*v);
        }
    }
}

/// Gives the shown name of a datatype.
pub(crate) type DataNames<'a> = dyn Fn(crate::ty::Data) -> String + 'a;

fn data_names(program: &Program) -> impl Fn(crate::ty::Data) -> String + '_ {
    |d| program.datas[d].name.clone()
}

/// A type whose variables are named by their places in `order`, as it stands in a sentence: tuples
/// in parentheses.
pub(crate) fn show_inside(names: &DataNames, ty: &Type, order: &IndexSet<TyVar>) -> String {
    let mut writer = Writer { names, order, out: String::new() };
    writer.write(ty, Place::Inside);
    writer.out
}

/// The same as it stands alone.
fn show_with(names: &DataNames, ty: &Type, order: &IndexSet<TyVar>) -> String {
    let mut writer = Writer { names, order, out: String::new() };
    writer.write(ty, Place::Top);
    writer.out
}

fn class_of(scheme: &Scheme, var: TyVar) -> Class {
    scheme.classes.get(var.index()).copied().unwrap_or(Class::Any)
}

/// Where a type stands inside another: it decides about parentheses.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Outermost: tuples go without parentheses.
    Top,
    /// The whole argument of a function: functions take parentheses.
    Argument,
    /// Anywhere else.
    Inside,
}

struct Writer<'a> {
    names: &'a DataNames<'a>,
    order: &'a IndexSet<TyVar>,
    out: String,
}

impl Writer<'_> {
    fn write(&mut self, ty: &Type, place: Place) {
        match ty {
            Type::Base(b) => self.out.push_str(base_name(*b)),
            Type::Var(v) => {
                let index = self.order.get_index_of(v).unwrap_or(v.index());
                self.out.push_str(&variable_name(index));
            }
            Type::Seq(t) => self.between('[', ']', |w| w.write(t, Place::Inside)),
            Type::Pair(..) if place == Place::Top => self.components(ty),
            Type::Pair(..) => self.between('(', ')', |w| w.components(ty)),
            Type::Fun(..) if place == Place::Argument => {
                self.between('(', ')', |w| w.write(ty, Place::Inside));
            }
            Type::Fun(a, r) => {
                self.write(a, Place::Argument);
                self.out.push_str(" -> ");
                self.write(r, Place::Inside);
            }
            Type::Data(d, args) => {
                self.out.push_str(&(self.names)(*d));
                if !args.is_empty() {
                    self.between('(', ')', |w| w.list(args.iter()));
                }
            }
        }
    }

    fn components(&mut self, mut ty: &Type) {
        let mut parts = Vec::new();
        while let Type::Pair(a, b) = ty {
            parts.push(a.as_ref());
            ty = b;
        }
        parts.push(ty);
        self.list(parts.into_iter());
    }

    fn list<'t>(&mut self, parts: impl Iterator<Item = &'t Type>) {
        for (i, part) in parts.enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.write(part, Place::Inside);
        }
    }

    fn between(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.out.push(open);
        inside(self);
        self.out.push(close);
    }
}

/// The text of a pattern as shown before `=`: `(a, b)`, `point(_, y)`.
pub(crate) fn show_pattern(pattern: &syntax::ast::Pattern) -> String {
    use syntax::ast::PatternKind;
    match &pattern.kind {
        PatternKind::Name(name) => name.clone(),
        PatternKind::Wildcard => "_".to_string(),
        PatternKind::Pair(..) => format!("({})", pattern_parts(pattern)),
        PatternKind::Construct(name, fields) => {
            format!("{}({})", name.text, pattern_parts(fields))
        }
        PatternKind::Invalid(text) => text.clone(),
    }
}

fn pattern_parts(mut pattern: &syntax::ast::Pattern) -> String {
    let mut parts = Vec::new();
    while let syntax::ast::PatternKind::Pair(a, b) = &pattern.kind {
        parts.push(show_pattern(a));
        pattern = b;
    }
    parts.push(show_pattern(pattern));
    parts.join(", ")
}
