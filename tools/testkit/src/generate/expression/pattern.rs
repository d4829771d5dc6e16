//! Patterns, and `let`.

use super::super::maker::{Maker, Var};
use super::super::tree::{Exp, Kind};
use super::super::ty::Ty;

impl Maker {
    /// `let`.
    pub(super) fn bound(&mut self, ty: &Ty, size: usize) -> Exp {
        let count = 1 + usize::from(self.random.chance(30));
        let sizes = self.share(size, count + 1);
        let before = self.scope.len();
        let mut bindings = Vec::new();
        for &size in &sizes[1..] {
            let row = if self.random.chance(20) { self.any_row(size) } else { None };
            let exp = match row {
                Some(row) => row,
                None if self.random.chance(10) => {
                    let bound = self.function_type(ty);
                    self.exp(&bound, size)
                }
                None => {
                    let depth = self.some_depth();
                    let bound = self.ty(depth);
                    self.exp(&bound, size)
                }
            };
            let bound = exp.ty.clone();
            let (pattern, vars) = match self.hiding(before) {
                Some(name) => (name.clone(), vec![Var { name, ty: bound }]),
                None => self.pattern(&bound),
            };
            self.scope.extend(vars);
            bindings.push((pattern, exp));
        }
        let body = self.exp(ty, sizes[0]);
        self.scope.truncate(before);
        Exp::new(ty.clone(), Kind::Let(bindings, Box::new(body)))
    }

    /// Now and then a name that is in scope already.  A parameter that is the only thing of its
    /// type is never hidden.
    fn hiding(&mut self, before: usize) -> Option<String> {
        if before == 0 || !self.random.chance(6) {
            return None;
        }
        let var = self.random.pick(&self.scope[..before]);
        (!matches!(var.ty, Ty::Var(_))).then(|| var.name.clone())
    }

    /// A pattern for values of a type, and what it binds.
    pub(in super::super) fn pattern(&mut self, ty: &Ty) -> (String, Vec<Var>) {
        match ty {
            Ty::Tuple(parts) if self.random.chance(60) => self.tuple_pattern(parts),
            Ty::Data(data) if self.random.chance(70) => {
                let (pattern, vars) = self.pattern(&data.fields);
                let text = match pattern.starts_with('(') {
                    true => format!("{}{pattern}", data.name),
                    false if self.random.chance(30) => format!("{} {pattern}", data.name),
                    false => format!("{}({pattern})", data.name),
                };
                (text, vars)
            }
            _ if self.random.chance(3) => ("_".to_owned(), Vec::new()),
            _ => {
                let var = self.fresh_var("v", ty);
                (var.name.clone(), vec![var])
            }
        }
    }

    /// A pattern for each part; the last parts may have one together.
    fn tuple_pattern(&mut self, parts: &[Ty]) -> (String, Vec<Var>) {
        let (mut patterns, mut vars) = (Vec::new(), Vec::new());
        for (i, part) in parts.iter().enumerate() {
            let rest = &parts[i..];
            if i > 0 && rest.len() > 1 && self.random.chance(15) {
                let var = self.fresh_var("v", &Ty::tuple(rest.to_vec()));
                patterns.push(var.name.clone());
                vars.push(var);
                break;
            }
            let (pattern, more) = self.pattern(part);
            patterns.push(pattern);
            vars.extend(more);
        }
        (format!("({})", patterns.join(", ")), vars)
    }
}
