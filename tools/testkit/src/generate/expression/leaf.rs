//! The smallest expressions: names, what names are made into, literals.

use super::super::ends;
use super::super::library::{Taken, conversions};
use super::super::maker::{Maker, Var, construct};
use super::super::tree::{Exp, Kind};
use super::super::ty::Ty;

const FLOATS: &[&str] = &["0.0", "1.0", "2.0", "0.5", "-1.0", "3.25", "10.0", ".5", "2.", "1e2"];
const CHARS: &[&str] = &[
    "`a", "`b", "`z", "` ", "`0", "`7", "`\\n", "`\\t", "`\\\\", "`\"", "`%", "newline", "space",
    "tab",
];
const STRINGS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"hello world\"",
    "\"ab ab\"",
    "\"12 -7 x\"",
    "\"l1\\n\\nl2\"",
    "\"%\\t\\\\ \\\"q\\\" \\0\\r\"",
];

impl Maker {
    /// A name in scope or the smallest expression that there is.
    pub(in super::super) fn leaf(&mut self, ty: &Ty) -> Exp {
        if let Ty::Fun(from, to) = ty {
            return self.function_value(from, to, 2);
        }
        if self.random.chance(80)
            && let Some(name) = self.name_of(ty)
        {
            return name;
        }
        let made = if self.random.chance(70) { self.converted(ty) } else { None };
        made.unwrap_or_else(|| self.literal(ty))
    }

    /// A name of this type, if there is one that is not hidden.
    fn name_of(&mut self, ty: &Ty) -> Option<Exp> {
        let names = self.visible(|t| t == ty);
        if names.is_empty() {
            return None;
        }
        // Inner names more often than those that have been there for long.
        let from = self.random.below(names.len());
        let at = from + self.random.below(names.len() - from);
        Some(Exp::name(ty.clone(), &names[at].name))
    }

    /// What a name in scope of another type can be made into: so that little is constant.
    fn converted(&mut self, ty: &Ty) -> Option<Exp> {
        let mut ways = conversions(ty);
        let scalar = |from: &Taken| matches!(from, Taken::One(from) if from.depth() == 0);
        ways.retain(|(from, _)| !self.scalar || (scalar(from) && ty.depth() == 0));
        while !ways.is_empty() {
            let (from, text) = ways.swap_remove(self.random.below(ways.len()));
            let names = self.visible(|t| match &from {
                Taken::One(from) => t == from,
                Taken::Sequence => t.element().is_some(),
            });
            if !names.is_empty() {
                let Var { name, ty: from } = self.random.pick(&names).clone();
                let parts = vec![Exp::name(from, name), self.literal(&Ty::Int)];
                return Some(Exp::new(ty.clone(), Kind::Template(text, parts)));
            }
        }
        None
    }

    pub(in super::super) fn literal(&mut self, ty: &Ty) -> Exp {
        let text = match ty {
            Ty::Int if self.ends && self.random.chance(70) => {
                (*self.random.pick(ends::INTS)).to_owned()
            }
            Ty::Int => {
                let edges = ["max_int", "min_int", "1000000007", "-1000", "007"];
                if self.random.chance(4) {
                    (*self.random.pick(&edges)).to_owned()
                } else {
                    (self.random.below(12) as i64 - 3).to_string()
                }
            }
            Ty::Float if self.random.chance(4) => {
                (*self.random.pick(&["infinity", "nan", "-0.0", "-infinity", "pi"])).to_owned()
            }
            Ty::Float => (*self.random.pick(FLOATS)).to_owned(),
            Ty::Bool if self.random.chance(4) => (*self.random.pick(&["true", "false"])).to_owned(),
            Ty::Bool => (*self.random.pick(&["t", "f"])).to_owned(),
            Ty::Char => (*self.random.pick(CHARS)).to_owned(),
            Ty::Seq(element) if **element == Ty::Char && self.random.chance(50) => {
                (*self.random.pick(STRINGS)).to_owned()
            }
            Ty::Seq(element) => {
                let counts =
                    if element.depth() > 0 { [0, 1, 2, 2, 3, 4] } else { [0, 1, 2, 3, 4, 9] };
                let count = *self.random.pick(&counts);
                let parts = (0..count).map(|_| self.leaf(element)).collect();
                return Exp::new(ty.clone(), Kind::Seq(parts));
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.leaf(part)).collect();
                return Exp::new(ty.clone(), Kind::Tuple(parts));
            }
            Ty::Data(data) => return construct(ty, self.leaf(&data.fields)),
            Ty::Table(of) => {
                let pairs = Ty::tuple(vec![of.0.clone(), of.1.clone()]).seq();
                let parts = vec![self.leaf(&pairs)];
                return Exp::new(ty.clone(), Kind::Template("create_table($0)", parts));
            }
            Ty::Var(_) => {
                let name = self.name_of(ty);
                return name.unwrap_or_else(|| unreachable!("no parameter of type {ty}"));
            }
            Ty::Fun(..) => unreachable!("a literal of type {ty}"),
        };
        Exp::literal(ty.clone(), text)
    }
}
