//! Abstract syntax back to text, which the formatter then lays out.
//!
//! Literals are printed as they were written.  Parentheses stand where the table of operators
//! (LANGUAGE 3.1) needs them.

use base::Span;
use std::fmt::Write;
use syntax::ast::*;

/// The text of definitions whose literals stand in `source`.
pub(super) fn functions(functions: &[Function], source: &str) -> String {
    let mut printer = Printer { out: String::new(), source };
    for function in functions {
        printer.function(function);
        printer.put("\n\n");
    }
    printer.out
}

/// The level of what extends to the right as far as possible.
const OPEN: u8 = 3;
const PAIR: u8 = 4;
const LAMBDA: u8 = 5;
const PREFIX: u8 = 25;
const ATOM: u8 = 30;

/// The level of an operator with two operands.
fn level(operator: &str) -> u8 {
    match operator {
        "or" | "nor" | "xor" => 7,
        "and" | "nand" => 8,
        "==" | "/=" | "<" | ">" | "<=" | ">=" => 10,
        "+" | "-" | "++" => 20,
        "*" | "/" | "||" => 21,
        "^" => 22,
        "<-" => 23,
        "->" => 24,
        _ => unreachable!("`{operator}` stands between no operands"),
    }
}

struct Printer<'a> {
    out: String,
    source: &'a str,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn function(&mut self, it: &Function) {
        self.put("function ");
        self.put(&it.name.text);
        self.put("(");
        self.pattern(&it.param);
        self.optional(&it.optional);
        self.put(")");
        if let Some((ty, classes)) = &it.ty {
            self.put(" : ");
            self.ty(ty);
            let shown = |bound: &ClassBound| format!("{} in {}", bound.var.text, bound.class.text);
            let classes: Vec<String> = classes.iter().map(shown).collect();
            if !classes.is_empty() {
                let _ = write!(self.out, " :: ({})", classes.join("; "));
            }
        }
        if let Some(body) = &it.body {
            self.put(" = ");
            self.whole(body);
        }
        self.put(";");
    }

    fn optional(&mut self, optional: &[(Name, Exp)]) {
        for (name, value) in optional {
            let _ = write!(self.out, ", {} := ", name.text);
            self.exp(value, LAMBDA);
        }
    }

    fn pattern(&mut self, it: &Pattern) {
        match &it.kind {
            PatternKind::Name(name) => self.put(name),
            PatternKind::Wildcard | PatternKind::Invalid(_) => self.put("_"),
            PatternKind::Pair(first, rest) => {
                self.part(first);
                self.put(", ");
                self.pattern(rest);
            }
            PatternKind::Construct(name, inner) => {
                self.put(&name.text);
                self.put("(");
                self.pattern(inner);
                self.put(")");
            }
        }
    }

    /// A pattern, in parentheses if it is a pair.
    fn part(&mut self, it: &Pattern) {
        let pair = matches!(it.kind, PatternKind::Pair(..));
        self.put(if pair { "(" } else { "" });
        self.pattern(it);
        self.put(if pair { ")" } else { "" });
    }

    fn ty(&mut self, it: &Type) {
        match &it.kind {
            TypeKind::Name(name, None) => self.put(&name.text),
            TypeKind::Name(name, Some(arguments)) => {
                self.put(&name.text);
                self.put("(");
                self.pairs(arguments);
                self.put(")");
            }
            TypeKind::Seq(element) => {
                self.put("[");
                self.ty(element);
                self.put("]");
            }
            TypeKind::Pair(..) => {
                self.put("(");
                self.pairs(it);
                self.put(")");
            }
            TypeKind::Function(argument, result) => {
                let function = matches!(argument.kind, TypeKind::Function(..));
                self.put(if function { "(" } else { "" });
                self.ty(argument);
                self.put(if function { ")" } else { "" });
                self.put(" -> ");
                self.ty(result);
            }
        }
    }

    fn pairs(&mut self, it: &Type) {
        let TypeKind::Pair(first, rest) = &it.kind else { return self.ty(it) };
        self.ty(first);
        self.put(", ");
        self.pairs(rest);
    }

    /// An expression where one of at least this level stands.
    fn exp(&mut self, it: &Exp, least: u8) {
        let own = own_level(&it.kind);
        if own < least {
            self.put("(");
            self.bare(it);
            self.put(")");
        } else {
            self.bare(it);
        }
    }

    /// An expression with nothing behind it; tuples are in parentheses, as they are mostly written.
    fn whole(&mut self, it: &Exp) {
        let pair = matches!(it.kind, ExpKind::Pair(..));
        self.exp(it, if pair { LAMBDA } else { OPEN });
    }

    fn bare(&mut self, it: &Exp) {
        match &it.kind {
            ExpKind::Int(value) => self.literal(it.span, &value.to_string()),
            ExpKind::Float(value) => self.literal(it.span, &format!("{value:?}")),
            ExpKind::Bool(value) => self.put(if *value { "t" } else { "f" }),
            ExpKind::Char(code) => self.literal(it.span, &format!("code_char({code})")),
            ExpKind::Str(text) => self.literal(it.span, &base::text::quote(text)),
            ExpKind::Name(name) => self.put(&name.text),
            ExpKind::Wildcard => self.put("_"),
            ExpKind::Pair(first, rest) => {
                self.exp(first, LAMBDA);
                self.put(", ");
                self.exp(rest, PAIR);
            }
            ExpKind::Operator(operator, operands) => self.operator(operator.name, operands),
            ExpKind::Apply { function, argument, optional } => {
                self.exp(function, ATOM);
                self.put("(");
                self.exp(argument, if optional.is_empty() { OPEN } else { PAIR });
                self.optional(optional);
                self.put(")");
            }
            ExpKind::Subscript(sequence, index) => {
                self.exp(sequence, ATOM);
                self.put("[");
                self.exp(index, OPEN);
                self.put("]");
            }
            ExpKind::Seq(elements) => {
                self.put("[");
                for (n, element) in elements.iter().enumerate() {
                    self.put(if n > 0 { ", " } else { "" });
                    self.exp(element, LAMBDA);
                }
                self.put("]");
            }
            ExpKind::Empty(ty, _) => {
                self.put("[]");
                if let Some(ty) = ty {
                    self.put(" ");
                    self.ty(ty);
                }
            }
            ExpKind::Range { start, end, step } => {
                self.put("[");
                self.exp(start, LAMBDA);
                for part in [Some(end), step.as_ref()].into_iter().flatten() {
                    self.put(" : ");
                    self.exp(part, LAMBDA);
                }
                self.put("]");
            }
            ExpKind::If(..) | ExpKind::Let(..) | ExpKind::Lambda(..) | ExpKind::Each { .. } => {
                self.construct(&it.kind);
            }
        }
    }

    /// An expression that has bodies.
    fn construct(&mut self, it: &ExpKind) {
        match it {
            ExpKind::If(test, then, other) => {
                self.put("if ");
                self.exp(test, LAMBDA);
                self.put(" then ");
                self.exp(then, LAMBDA);
                self.put(" else ");
                self.whole(other);
            }
            ExpKind::Let(bindings, body) => {
                self.put("let ");
                for (n, (bound, value)) in bindings.iter().enumerate() {
                    self.put(if n > 0 { "; " } else { "" });
                    self.part(bound);
                    self.put(" = ");
                    self.whole(value);
                }
                self.put(" in ");
                self.whole(body);
            }
            ExpKind::Lambda(parameter, body) => {
                self.part(parameter);
                self.put(" => ");
                self.exp(body, LAMBDA);
            }
            ExpKind::Each { serial, body, generators, test } => {
                self.put(if *serial { "{* " } else { "{" });
                if let Some(body) = body {
                    self.exp(body, LAMBDA);
                    self.put(" : ");
                }
                for (n, generator) in generators.iter().enumerate() {
                    self.put(if n > 0 { "; " } else { "" });
                    self.generator(generator);
                }
                if let Some(test) = test {
                    self.put(" | ");
                    self.exp(test, LAMBDA);
                }
                self.put("}");
            }
            _ => unreachable!("an expression without bodies"),
        }
    }

    fn generator(&mut self, it: &Generator) {
        self.part(&it.pattern);
        self.put(" in ");
        self.exp(&it.source, LAMBDA);
    }

    fn operator(&mut self, operator: &str, operands: &[Exp]) {
        let [left, right] = operands else {
            self.put(if operator == "negate" { "-" } else { operator });
            // Two signs in a row would be another sign.
            return operands.iter().for_each(|it| self.exp(it, PREFIX + 1));
        };
        let own = level(operator);
        let [before, after] = if operator == "->" { [own + 1, own] } else { [own, own + 1] };
        self.exp(left, before);
        self.put(" ");
        self.put(operator);
        self.put(" ");
        self.exp(right, after);
    }

    /// A literal as it was written, or a new one.
    fn literal(&mut self, span: Span, new: &str) {
        let written = self.source.get(span.start as usize..span.end as usize);
        self.put(written.filter(|_| span != Span::none()).unwrap_or(new));
    }
}

fn own_level(it: &ExpKind) -> u8 {
    match it {
        ExpKind::If(..) | ExpKind::Let(..) => OPEN,
        ExpKind::Pair(..) => PAIR,
        ExpKind::Lambda(..) => LAMBDA,
        ExpKind::Operator(_, operands) if operands.len() == 1 => PREFIX,
        ExpKind::Operator(operator, _) => level(operator.name),
        // A type may follow, which another bracket would belong to.
        ExpKind::Empty(..) => PREFIX,
        ExpKind::Int(value) if *value < 0 => PREFIX,
        _ => ATOM,
    }
}
