//! Scalar functions in the languages of C's family: compilers may inline them.

use super::names;
use super::stmt::{Body, Shared};
use crate::shared::{Uses, Writer};
use scalar::{Func, Function};

/// Functions of at most so many statements become part of their callers.
const SMALL: usize = 200;

/// The struct of the results, if there are several, and the declaration of the function.
pub(crate) fn declaration(shared: &Shared<'_>, id: Func) -> String {
    let function = &shared.program.scalars[id];
    let mut text = String::new();
    if function.results.len() > 1 {
        let fields: Vec<String> = function
            .results
            .iter()
            .enumerate()
            .map(|(i, &ty)| format!("{} r{i};", shared.local(ty)))
            .collect();
        text = format!("typedef struct {{ {} }} {};\n", fields.join(" "), names::results(id));
    }
    text + &format!("{};\n", head(shared, id, function))
}

/// The function.
pub(crate) fn definition(shared: &mut Shared<'_>, id: Func) -> String {
    let function = &shared.program.scalars[id];
    let uses = Uses::of_code(&function.code);
    let lane = shared.facts.functions[id].lane;
    let mut out = Writer::default();
    out.line(format!("/* {id} {} */", names::comment(&function.name)));
    out.open(head(shared, id, function));
    let mut body = Body::of_code(shared, out, (&function.code.vars, &uses), lane);
    body.stmts(&function.code.body);
    let yields: Vec<String> = function.code.body.yields.iter().map(|&a| body.text(a)).collect();
    match yields.as_slice() {
        [] => {}
        [value] => body.out.line(format!("return {value};")),
        values => {
            let list = values.join(", ");
            body.out.line(format!("const {} all = {{ {list} }};", names::results(id)));
            body.out.line("return all;");
        }
    }
    body.out.close("");
    body.out.finish()
}

fn head(shared: &Shared<'_>, id: Func, function: &Function) -> String {
    let result = match function.results.as_slice() {
        [] => "void".to_owned(),
        [ty] => shared.local(*ty).to_owned(),
        _ => names::results(id),
    };
    let mut params = Vec::new();
    if shared.facts.functions[id].lane {
        params.push("nesl_state *state".to_owned());
    }
    for (i, &ty) in function.vectors.iter().enumerate() {
        params.push(format!("const {} *p{i}", shared.element(ty)));
    }
    for &var in &function.code.params {
        params.push(format!("{} {var}", shared.local(function.code.vars[var])));
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    // A loop vectorises only if it contains what it calls.
    let small = shared.facts.functions[id].size <= SMALL;
    let linkage = if small { "NESL_SCALAR" } else { "NESL_FUNCTION" };
    format!("{linkage} {result} {}({params})", names::function(id))
}
