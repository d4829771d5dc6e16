//! Functions as values.

use super::super::maker::{Callable, Maker, Var};
use super::super::tree::{Exp, Kind};
use super::super::ty::{Ty, matches};

impl Maker {
    /// A type with functions in it, whose results may be of the type that is wanted.
    pub(in super::super) fn function_type(&mut self, wanted: &Ty) -> Ty {
        let holding: Vec<_> =
            self.datas.iter().filter(|data| data.fields.has_function()).cloned().collect();
        if !holding.is_empty() && self.random.chance(40) {
            let data = self.random.pick(&holding).clone();
            return self.instance(&data, 2);
        }
        if !self.datas.is_empty() && self.random.chance(10) {
            // The type of a constructor.
            let data = self.random.pick(&self.datas).clone();
            let ty = self.instance(&data, 2);
            let Ty::Data(data) = &ty else { unreachable!("{ty} is a datatype") };
            return data.fields.clone().fun(ty);
        }
        let from = self.ty(1);
        let to = if self.random.chance(50) { wanted.clone() } else { Ty::Int };
        let function = from.fun(to);
        match self.random.below(4) {
            0 => Ty::tuple(vec![self.ty(1), function]),
            1 => self.ty(1).fun(function),
            _ => function,
        }
    }

    /// A function value applied where it is made.
    pub(super) fn applied(&mut self, ty: &Ty, size: usize) -> Exp {
        let from = match ty {
            // So that a constructor may be the function.
            Ty::Data(data) if self.random.chance(50) => data.fields.clone(),
            _ => self.ty(2),
        };
        let sizes = self.share(size, 2);
        let function = self.function_value(&from, ty, sizes[0]);
        let arg = self.exp(&from, sizes[1]);
        let optional =
            |c: &Callable| !c.optional.is_empty() && function.kind == Kind::Name(c.name.clone());
        let template = if self.callables.iter().any(optional) {
            // Called by name, it would take optional arguments by name.
            "(let whole = $0 in whole($1))"
        } else {
            "($0)($1)"
        };
        Exp::new(ty.clone(), Kind::Template(template, vec![function, arg]))
    }

    /// A function value: one that has a name, what a function gives, one of two, or a new one.
    pub(in super::super) fn function_value(&mut self, from: &Ty, to: &Ty, size: usize) -> Exp {
        let ty = from.clone().fun(to.clone());
        if size > 6 {
            match self.random.below(9) {
                0 => return self.choice(&ty, size),
                1 => return self.bound(&ty, size),
                2 => return self.call(&ty, size),
                _ => {}
            }
        }
        match self.function_name(&ty) {
            Some(name) => name,
            None => self.lambda(from, to, size),
        }
    }

    /// The name of a function of this type: a bound one, one of the program, or a constructor.
    pub(in super::super) fn function_name(&mut self, ty: &Ty) -> Option<Exp> {
        let Ty::Fun(from, to) = ty else { unreachable!("{ty} is no function") };
        let bound = self.visible(|t| t == ty);
        if !bound.is_empty() && self.random.chance(50) {
            return Some(Exp::name(ty.clone(), &self.random.pick(&bound).name));
        }
        if let Ty::Data(data) = &**to
            && data.fields == **from
            && self.random.chance(50)
        {
            return Some(Exp::name(ty.clone(), &data.name));
        }
        let mut known = self.usable();
        known.retain(|callable| {
            let own = callable.whole().fun(callable.result.clone());
            callable.fuel.is_none() && matches(&own, ty, &mut Vec::new())
        });
        if known.is_empty() || !self.random.chance(50) {
            return None;
        }
        Some(Exp::name(ty.clone(), &self.random.pick(&known).name))
    }

    /// `p => e`.
    pub(in super::super) fn lambda(&mut self, from: &Ty, to: &Ty, size: usize) -> Exp {
        let (pattern, vars) = match from {
            Ty::Tuple(parts) if self.random.chance(60) => {
                let vars: Vec<Var> = parts.iter().map(|part| self.fresh_var("v", part)).collect();
                let names: Vec<&str> = vars.iter().map(|v| v.name.as_str()).collect();
                (format!("({})", names.join(", ")), vars)
            }
            _ => self.pattern(from),
        };
        let mut body = self.with(vars, |maker| maker.exp(to, size.saturating_sub(1).max(2)));
        write_element_types(&mut body);
        Exp::new(from.clone().fun(to.clone()), Kind::Lambda(pattern, Box::new(body)))
    }
}

/// Writes a type behind each `[]` without one: where a function value is not used, nothing else
/// determines it, and the program is refused (LANGUAGE 5.5).
fn write_element_types(exp: &mut Exp) {
    exp.parts_mut().into_iter().for_each(write_element_types);
    let empty = Exp::new(exp.ty.clone(), Kind::Seq(Vec::new()));
    exp.kind = match &exp.kind {
        Kind::Template("[] ++ $0", parts) => {
            Kind::Template("$0 ++ $1", vec![empty, parts[0].clone()])
        }
        Kind::Template("if $1 then [] else $0", parts) => {
            Kind::If(Box::new([parts[1].clone(), empty, parts[0].clone()]))
        }
        _ => return,
    };
}
