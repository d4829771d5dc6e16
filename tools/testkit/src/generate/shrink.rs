//! Smaller programs that still fail.
//!
//! A step replaces an expression by a literal or by an expression inside it of the same type, or
//! leaves out a part of the program.  What a step does to names and types is not looked at:
//! programs that are no longer well-typed do not fail in the same way.

use super::maker::construct;
use super::tree::{Exp, Form, Kind, Program};
use super::ty::Ty;

/// The smallest program found for which `fails` holds, as it does for the program given.  Asks at
/// most `most` times.
pub fn shrink(
    mut program: Program,
    mut most: usize,
    fails: &mut dyn FnMut(&Program) -> bool,
) -> Program {
    loop {
        let (mut step, mut shrunk) = (0, false);
        while let Some(candidate) = smaller(&program, step) {
            let candidate = candidate.filter(|candidate| *candidate != program);
            if candidate.is_some() && most == 0 {
                return program;
            }
            most -= usize::from(candidate.is_some());
            match candidate.filter(|candidate| fails(candidate)) {
                // The same step may apply again to what is left.
                Some(smaller) => (program, shrunk) = (smaller, true),
                None => step += 1,
            }
        }
        if !shrunk {
            return program;
        }
    }
}

/// The program after a step: none beyond the last step, and nothing where a step does not apply.
#[expect(clippy::option_option, reason = "the end of the steps, and a step that does not apply")]
fn smaller(program: &Program, mut step: usize) -> Option<Option<Program>> {
    let mut copy = program.clone();
    let forms = copy.forms.len();
    if step < forms {
        copy.forms.remove(step);
        return Some(Some(copy));
    }
    step -= forms;
    if step < forms {
        // What fails may fail there: the value takes the place of the result.
        let Form::Value(_, exp) = copy.forms.swap_remove(step) else { return Some(None) };
        copy.forms.truncate(step);
        copy.result = exp;
        return Some(Some(copy));
    }
    step -= forms;
    if step < copy.datas.len() {
        copy.datas.remove(step);
        return Some(Some(copy));
    }
    step -= copy.datas.len();
    for (i, form) in program.forms.iter().enumerate() {
        let Form::Function(function) = form else { continue };
        if step < function.params.len() {
            return Some(Some(without_parameter(copy, i, step)));
        }
        step -= function.params.len();
    }
    for exp in copy.exps_mut() {
        match edit(exp, &mut step) {
            Edit::Passed => {}
            Edit::Done(changed) => return Some(changed.then_some(copy)),
        }
    }
    None
}

/// Without a parameter of a function, and without its arguments.
fn without_parameter(mut program: Program, form: usize, param: usize) -> Program {
    let Form::Function(function) = &mut program.forms[form] else {
        unreachable!("a form with parameters")
    };
    let callee = function.name.clone();
    let removed = function.params.remove(param);
    for exp in program.exps_mut() {
        drop_argument(exp, &callee, param, &removed.pattern);
    }
    program
}

/// Drops an argument by its place, or by its name if it is given by name.
fn drop_argument(exp: &mut Exp, callee: &str, place: usize, name: &str) {
    if let Kind::Call(called, args, named) = &mut exp.kind
        && called == callee
    {
        if place < args.len() {
            args.remove(place);
        }
        named.retain(|arg| arg.0 != name);
    }
    for part in exp.parts_mut() {
        drop_argument(part, callee, place, name);
    }
}

/// What became of a step in an expression.
enum Edit {
    /// It lies behind it.
    Passed,
    /// It was here, and whether it changed anything.
    Done(bool),
}

/// Does the step of this number; outer expressions come first.
fn edit(exp: &mut Exp, step: &mut usize) -> Edit {
    let mut choices = replacements(exp);
    if *step < choices.len() {
        let choice = choices.swap_remove(*step);
        let changed = choice != *exp;
        *exp = choice;
        return Edit::Done(changed);
    }
    *step -= choices.len();
    for part in exp.parts_mut() {
        if let done @ Edit::Done(_) = edit(part, step) {
            return done;
        }
    }
    Edit::Passed
}

/// What may stand in place of an expression.
fn replacements(exp: &Exp) -> Vec<Exp> {
    let mut found: Vec<Exp> = least(&exp.ty).into_iter().collect();
    inside(&mut exp.clone(), &exp.ty, &mut found);
    match &exp.kind {
        Kind::Tuple(_) | Kind::Literal(_) | Kind::Name(_) | Kind::If(_) | Kind::Lambda(..) => {}
        Kind::Template(..) => {}
        Kind::Call(name, args, named) => found.extend((0..named.len()).map(|i| {
            let mut fewer = named.clone();
            fewer.remove(i);
            Exp::new(exp.ty.clone(), Kind::Call(name.clone(), args.clone(), fewer))
        })),
        Kind::Seq(parts) => {
            found.extend((0..parts.len()).map(|i| {
                let mut fewer = parts.clone();
                fewer.remove(i);
                Exp::new(exp.ty.clone(), Kind::Seq(fewer))
            }));
        }
        Kind::Let(bindings, body) => found.extend((0..bindings.len()).map(|i| {
            let mut fewer = bindings.clone();
            fewer.remove(i);
            if fewer.is_empty() {
                return Exp::clone(body);
            }
            Exp::new(exp.ty.clone(), Kind::Let(fewer, body.clone()))
        })),
        Kind::Each(each) => {
            let with = |each| Exp::new(exp.ty.clone(), Kind::Each(Box::new(each)));
            if each.test.is_some() {
                let mut simpler = each.clone();
                simpler.test = None;
                found.push(with(*simpler));
            }
            for i in 0..each.generators.len() {
                let mut simpler = each.clone();
                simpler.generators.remove(i);
                if !simpler.generators.is_empty() {
                    found.push(with(*simpler));
                }
            }
        }
    }
    found
}

/// The smallest value of a type, if it can be written.
fn least(ty: &Ty) -> Option<Exp> {
    let text = match ty {
        Ty::Int => "0",
        Ty::Float => "0.0",
        Ty::Bool => "f",
        Ty::Char => "`a",
        Ty::Seq(_) => return Some(Exp::new(ty.clone(), Kind::Seq(Vec::new()))),
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(least).collect::<Option<Vec<Exp>>>()?;
            return Some(Exp::new(ty.clone(), Kind::Tuple(parts)));
        }
        Ty::Data(data) => return Some(construct(ty, least(&data.fields)?)),
        Ty::Fun(_, to) => {
            let body = Box::new(least(to)?);
            return Some(Exp::new(ty.clone(), Kind::Lambda("_".to_owned(), body)));
        }
        Ty::Table(of) => {
            let pairs = Ty::tuple(vec![of.0.clone(), of.1.clone()]).seq();
            let none = Exp::new(pairs, Kind::Seq(Vec::new()));
            return Some(Exp::new(ty.clone(), Kind::Template("create_table($0)", vec![none])));
        }
        Ty::Var(_) => return None,
    };
    Some(Exp::literal(ty.clone(), text))
}

/// Expressions inside that have this type; those nearest to the outside come first.
fn inside(exp: &mut Exp, ty: &Ty, found: &mut Vec<Exp>) {
    for part in exp.parts_mut() {
        if part.ty == *ty {
            found.push(part.clone());
        } else {
            inside(part, ty, found);
        }
    }
}
