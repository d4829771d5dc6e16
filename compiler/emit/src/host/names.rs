//! Names of what stands in for a whole library: its functions, and those of its plans.

use base::Id;
use plan::{Func, Program};

/// The keywords of C and C++, names of the standard headers that a function or a parameter could be
/// taken for, and those that the text has itself.
const TAKEN: &[&str] = &[
    "abs",
    "alignas",
    "alignof",
    "and",
    "asm",
    "assert",
    "auto",
    "bool",
    "break",
    "call",
    "case",
    "catch",
    "char",
    "class",
    "code",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "errno",
    "exit",
    "exp",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "floor",
    "for",
    "free",
    "friend",
    "goto",
    "i386",
    "if",
    "index",
    "inline",
    "int",
    "int32_t",
    "int64_t",
    "int8_t",
    "isinf",
    "isnan",
    "linux",
    "log",
    "long",
    "main",
    "malloc",
    "mutable",
    "namespace",
    "new",
    "not",
    "offsetof",
    "operator",
    "or",
    "pow",
    "private",
    "protected",
    "public",
    "rand",
    "register",
    "remove",
    "rename",
    "restrict",
    "result",
    "return",
    "round",
    "seed",
    "short",
    "signbit",
    "signed",
    "sin",
    "sizeof",
    "sqrt",
    "static",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "tan",
    "template",
    "text",
    "this",
    "throw",
    "time",
    "true",
    "trunc",
    "try",
    "typedef",
    "typename",
    "uint8_t",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "write",
    "xor",
];

/// A text as an identifier.
pub fn identifier(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("n{name}"),
    }
}

/// The name of an entry: `library_function`, or the one name that both have.
pub(super) fn entry(library: &str, function: &str) -> String {
    let name = identifier(function);
    if name == library && !TAKEN.contains(&name.as_str()) {
        return name;
    }
    match name.as_str() {
        // What every library has.
        "message" | "free" => format!("{library}_{name}_"),
        _ => format!("{library}_{name}"),
    }
}

/// Names of parameters: identifiers that are no keywords and differ from each other.
pub(super) fn parameters<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let mut name = identifier(name.trim_start_matches('_'));
        while TAKEN.contains(&name.as_str()) || taken.contains(&name) {
            name.push('_');
        }
        taken.push(name);
    }
    taken
}

/// The function of a plan.
pub(super) fn plan_function(plan: &Program, func: Func) -> String {
    let name = identifier(&plan.funcs[func].name.replace('^', "_lanes"));
    format!("{name}_f{}", func.index())
}

/// Where a function puts a result.
pub(super) fn result(number: usize) -> String {
    format!("result{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_begin_with_the_library() {
        assert_eq!(entry("dotproduct", "dotproduct"), "dotproduct");
        assert_eq!(entry("linear", "dot"), "linear_dot");
        assert_eq!(entry("exp", "exp"), "exp_exp");
        assert_eq!(entry("linear", "free"), "linear_free_");
        assert_eq!(identifier("black-scholes"), "black_scholes");
        assert_eq!(identifier("3d"), "n3d");
    }

    #[test]
    fn parameters_differ() {
        let names = parameters(["a", "int", "_0", "a", "result"].into_iter());
        assert_eq!(names, ["a", "int_", "n0", "a_", "result_"]);
    }
}
