//! Parts of bodies in functions of their own, and function arguments.

use crate::respell::build::{
    apply, apply_to, bound, choice, each, function, generator, lambda, let_in, name, patterns,
    tuple, word,
};
use crate::respell::context::Context;
use crate::respell::names::{bound_by, free, uses};
use syntax::ast::{Exp, ExpKind, Function, Pattern, PatternKind, Type, TypeKind};

/// A call of a new function with this body, which is given the local names that it uses; nothing if
/// it uses none.
fn helper(like: &str, body: Exp, context: &mut Context) -> Option<(Exp, Function)> {
    let locals = context.local(&free(&body));
    if locals.is_empty() || has_type_variable(&body) {
        return None;
    }
    let called = context.fresh(like);
    let param = patterns(locals.iter().map(|it| bound(it)).collect());
    let argument = tuple(locals.iter().map(|it| name(it)).collect());
    Some((apply(&called, argument), function(&called, param, body)))
}

/// True if a type in an expression may name a variable of the function around.
pub(super) fn has_type_variable(exp: &Exp) -> bool {
    fn in_type(ty: &Type) -> bool {
        match &ty.kind {
            TypeKind::Name(name, _) => {
                !["int", "float", "bool", "char"].contains(&name.text.as_str())
            }
            TypeKind::Seq(part) => in_type(part),
            TypeKind::Pair(a, b) | TypeKind::Function(a, b) => in_type(a) || in_type(b),
        }
    }
    let mut found = matches!(&exp.kind, ExpKind::Empty(Some(ty), _) if in_type(ty));
    exp.parts(&mut |part| found |= has_type_variable(part));
    found
}

/// True if a part is worth a function: it makes a sequence or combines one.
fn is_large(exp: &Exp) -> bool {
    let mut found = matches!(exp.kind, ExpKind::Each { .. });
    exp.parts(&mut |part| found |= is_large(part));
    found
}

/// True if a part calls a function that is not defined before the current one.
fn recurs(exp: &Exp, context: &Context) -> bool {
    let later = |name: &String| *name == context.current || context.declared.contains(name);
    free(exp).iter().any(later)
}

pub(super) fn for_value(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let (mut all, mut changed, mark) = (Vec::new(), false, context.locals.len());
    for (pattern, value) in bindings {
        let mut new = value.clone();
        if is_large(value) && !recurs(value, context) {
            let like =
                format!("{}_of", bound_by(pattern).first().map_or("value", |it| it.as_str()));
            if let Some((call, function)) = helper(&like, value.clone(), context) {
                context.before.push(function);
                (new, changed) = (call, true);
            }
        }
        all.push((pattern.clone(), new));
        context.locals.extend(bound_by(pattern));
    }
    context.locals.truncate(mark);
    changed.then(|| let_in(all, (**body).clone()))
}

/// Neighbours in a `let` that make sequences are given back by one function.
pub(super) fn for_lets(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let may = |(pattern, value): &(Pattern, Exp)| {
        matches!(pattern.kind, PatternKind::Name(_))
            && !matches!(value.kind, ExpKind::Lambda(..))
            && !recurs(value, context)
    };
    let count = bindings.iter().take_while(|binding| may(binding)).count();
    let (inside, later) = bindings.split_at(count);
    let names: Vec<String> = inside.iter().flat_map(|(it, _)| bound_by(it)).collect();
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    let makes = inside.iter().any(|(_, value)| is_large(value));
    if count < 2 || distinct.len() < names.len() || !makes {
        return None;
    }
    let rest = let_in(later.to_vec(), (**body).clone());
    let needed: Vec<&String> = names.iter().filter(|it| uses(&rest, it)).collect();
    if needed.is_empty() {
        return None;
    }
    let result = tuple(needed.iter().map(|it| name(it)).collect());
    let whole = let_in(inside.to_vec(), result);
    let like = format!("{}_parts", context.current);
    let (call, function) = helper(&like, whole, context)?;
    context.before.push(function);
    let mut all = vec![(patterns(needed.iter().map(|it| bound(it)).collect()), call)];
    all.extend(later.iter().cloned());
    Some(let_in(all, (**body).clone()))
}

/// The arm of a body that goes on with the recursion, in a function that calls the first one: that
/// one is declared before it.
pub(super) fn for_arm(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::If(test, then, other) = &exp.kind else { return None };
    let current = context.current.clone();
    let own = context.functions.get(&current)?;
    let is_body = own.body.as_ref().is_some_and(|it| it.span == exp.span);
    if !is_body || context.declared.contains(&current) || !own.optional.is_empty() {
        return None;
    }
    let ty = context.types.get(&current)?.clone();
    let param = own.param.clone();
    let arms = [uses(then, &current), uses(other, &current)];
    let (arm, goes_on) = match arms {
        [true, false] => (&**then, true),
        [false, true] => (&**other, false),
        _ => return None,
    };
    let (call, step) = helper(&format!("{current}_step"), arm.clone(), context)?;
    let declared = Function {
        name: word(&current),
        param,
        optional: Vec::new(),
        ty: Some(ty),
        doc: None,
        body: None,
    };
    context.written.clone_from(&declared.ty);
    context.before.extend([declared, step]);
    let [then, other] = if goes_on { [call, (**other).clone()] } else { [(**then).clone(), call] };
    Some(choice((**test).clone(), then, other))
}

pub(super) fn kept_by(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Each { serial: false, body: None, generators, test: Some(test) } = &exp.kind
    else {
        return None;
    };
    let [only] = generators.as_slice() else { return None };
    let (new, called) = context.once("kept_by");
    if new {
        let [all, item, keeps] = ["all", "item", "keeps"].map(|it| context.fresh(it));
        let tested = apply(&keeps, name(&item));
        let kept = each(None, vec![generator(bound(&item), name(&all))], Some(tested));
        let param = patterns(vec![bound(&all), bound(&keeps)]);
        context.before.push(function(&called, param, kept));
    }
    let test = lambda(only.pattern.clone(), (**test).clone());
    Some(apply(&called, tuple(vec![only.source.clone(), test])))
}

/// Bodies that call the current function are left alone: it would become a function value.
pub(super) fn made_by(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Each { serial: false, body: Some(body), generators, test: None } = &exp.kind
    else {
        return None;
    };
    let [only] = generators.as_slice() else { return None };
    if recurs(body, context) {
        return None;
    }
    let (new, called) = context.once("made_by");
    if new {
        let [all, item, makes] = ["all", "item", "makes"].map(|it| context.fresh(it));
        let made = apply_to(name(&makes), name(&item));
        let lanes = each(Some(made), vec![generator(bound(&item), name(&all))], None);
        let param = patterns(vec![bound(&all), bound(&makes)]);
        context.before.push(function(&called, param, lanes));
    }
    let body = lambda(only.pattern.clone(), (**body).clone());
    Some(apply(&called, tuple(vec![only.source.clone(), body])))
}
