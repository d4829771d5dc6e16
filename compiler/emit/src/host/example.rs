//! A program that calls an entry and prints the result as NESL does.

use super::Component;
use super::Library;
use super::entry::Call;
use super::shape::{Named, Role};
use crate::shared::Writer;
use crate::shared::types::constant;
use prim::{Const, Ty, Width, Widths};

/// The arguments of a call, column by column.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// Those of all parameters: scalars; of a sequence the length, then its elements.
    pub arguments: Vec<Component>,
}

/// The text of the program.
pub(super) fn main(library: &Library<'_>, call: &Call<'_>, example: &Example) -> String {
    let mut out = Writer::default();
    let name = library.name;
    out.line(format!("/* Calls `{}` and prints the result. */", call.name));
    out.line(format!("#include \"{name}.h\""));
    out.blank();
    out.line("#include <math.h>");
    out.line("#include <stdio.h>");
    out.line("#include <stdlib.h>");
    out.line("#include <string.h>");
    out.blank();
    let outputs = call.outputs();
    let uses = |ty: Ty| {
        let is = |role: Role| matches!(role, Role::Scalar(t) | Role::Elements(t) if t == ty);
        outputs.iter().any(|part| is(part.role))
    };
    if uses(Ty::F64) {
        print_float(&mut out, library.plan.widths.float);
    }
    if uses(Ty::Char) {
        out.line("/* A character as NESL writes it. */");
        out.open("static void print_char(char c)");
        for (code, text) in [("'\\n'", "n"), ("'\\t'", "t"), ("'\\r'", "r"), ("0", "0")] {
            out.line(format!("if (c == {code}) return (void)printf(\"\\\\{text}\");"));
        }
        out.line("if (c == '\\\\' || c == '\"') printf(\"\\\\%c\", c);");
        out.line("else putchar(c);");
        out.close("");
        out.blank();
    }
    out.open("int main(void)");
    let mut components = example.arguments.iter();
    call.params.iter().for_each(|param| argument(param, &mut components, &mut out));
    for part in &outputs {
        out.line(format!("{};", part.variable()));
    }
    let seed = call.entry.key.map(|_| "0".to_owned());
    let inputs = call.inputs().into_iter().map(|part| part.name);
    let results = outputs.iter().map(|part| format!("&{}", part.name));
    let list: Vec<String> = seed.into_iter().chain(inputs).chain(results).collect();
    out.line(format!("const int code = {}({});", call.name, list.join(", ")));
    out.open("if (code != 0)");
    out.line(format!("fprintf(stderr, \"%s\\n\", {name}_message());"));
    out.line("return code;");
    out.close("");
    let mut printer = Printer { out: &mut out, depth: 0 };
    printer.value(&call.result, None);
    out.line("printf(\"\\n\");");
    for part in outputs.iter().filter(|p| matches!(p.role, Role::Elements(_) | Role::Offsets)) {
        out.line(format!("{name}_free({});", part.name));
    }
    out.line("return 0;");
    out.close("");
    out.finish()
}

/// A function that prints a float as NESL does: as few digits as read back as the same float, with
/// an exponent where it is far from 1.
fn print_float(out: &mut Writer, width: Width) {
    let (ty, read, end) = match width {
        Width::W32 => ("float", "strtof", "f"),
        Width::W64 => ("double", "strtod", ""),
    };
    out.line("/* As few digits as read back as the same float. */");
    out.open("static void print_float(double x)");
    out.line("if (isnan(x)) return (void)printf(\"nan\");");
    out.line("if (isinf(x)) return (void)printf(x > 0 ? \"inf\" : \"-inf\");");
    out.line(format!("const {ty} size = ({ty})fabs(x);"));
    out.line("char text[40];");
    out.line("int more = 0; /* digits behind the first */");
    out.line("do snprintf(text, sizeof text, \"%.*e\", more, (double)size);");
    out.line(format!("while ({read}(text, NULL) != size && more++ < 16);"));
    out.line("const int exponent = atoi(strchr(text, 'e') + 1);");
    out.line("text[1] = text[0]; /* in place of the point, before the others */");
    out.line("const char *digits = text + 1;");
    out.line("if (signbit(x)) putchar('-');");
    out.open(format!("if (size != 0 && !(size >= 1e-5{end} && size < 1e16{end}))"));
    out.line("printf(\"%c.%.*s\", digits[0], more > 0 ? more : 1, more > 0 ? digits + 1 : \"0\");");
    out.line("return (void)printf(\"e%+d\", exponent);");
    out.close("");
    out.line("const int last = exponent - more < -1 ? exponent - more : -1;");
    out.open("for (int place = exponent > 0 ? exponent : 0; place >= last; place--)");
    out.line("if (place == -1) putchar('.');");
    out.line("const int n = exponent - place;");
    out.line("putchar(n >= 0 && n <= more ? digits[n] : '0');");
    out.close("");
    out.close("");
    out.blank();
}

/// The variables of one argument.
fn argument(param: &Named, components: &mut dyn Iterator<Item = &Component>, out: &mut Writer) {
    match param {
        Named::Scalar(ty, name) => {
            let value = match components.next() {
                Some(Component::Scalar(c)) => constant(Widths::WIDE, *c, false),
                other => unreachable!("`{name}` is a scalar, not {other:?}"),
            };
            out.line(format!("const {} {name} = {value};", super::shape::public(*ty)));
        }
        Named::Tuple(parts) => {
            parts.iter().for_each(|part| argument(part, components, out));
        }
        Named::Data(_, fields) => argument(fields, components, out),
        Named::Seq(element, length) => {
            let value = match components.next() {
                Some(Component::Scalar(c)) => constant(Widths::WIDE, *c, false),
                other => unreachable!("`{length}` is a scalar, not {other:?}"),
            };
            out.line(format!("const int64_t {length} = {value};"));
            pool(element, components, out);
        }
    }
}

fn pool(elements: &Named, components: &mut dyn Iterator<Item = &Component>, out: &mut Writer) {
    let mut array = |ty: Ty, name: &str, out: &mut Writer| {
        let consts: &[Const] = match components.next() {
            Some(Component::Vector(_, consts)) => consts,
            other => unreachable!("`{name}` is a vector, not {other:?}"),
        };
        let list: Vec<String> = consts.iter().map(|&c| constant(Widths::WIDE, c, false)).collect();
        let list = if list.is_empty() { "0".to_owned() } else { list.join(", ") };
        let ty = super::shape::public(ty);
        out.line(format!("static const {ty} {name}[] = {{{list}}};"));
    };
    match elements {
        Named::Scalar(ty, name) => array(*ty, name, out),
        Named::Tuple(parts) => parts.iter().for_each(|part| pool(part, components, out)),
        Named::Data(_, fields) => pool(fields, components, out),
        Named::Seq(element, offsets) => {
            array(Ty::I64, offsets, out);
            pool(element, components, out);
        }
    }
}

/// Prints statements that print a value.
struct Printer<'o> {
    out: &'o mut Writer,
    depth: usize,
}

impl Printer<'_> {
    fn say(&mut self, text: &str) {
        self.out.line(format!("printf(\"{text}\");"));
    }
    /// A value; inside sequences, the element with this index.
    fn value(&mut self, named: &Named, index: Option<&str>) {
        match named {
            Named::Scalar(ty, name) => {
                let place = index.map_or_else(|| name.clone(), |i| format!("{name}[{i}]"));
                match ty {
                    Ty::I64 => self.out.line(format!("printf(\"%lld\", (long long){place});")),
                    Ty::F64 => self.out.line(format!("print_float({place});")),
                    Ty::Bool => self.out.line(format!("printf({place} ? \"T\" : \"F\");")),
                    Ty::Char => {
                        self.say("`");
                        // After a backquote a quotation mark needs no backslash.
                        let plain = format!("if ({place} == '\"') putchar({place});");
                        self.out.line(plain);
                        self.out.line(format!("else print_char({place});"));
                    }
                }
            }
            Named::Tuple(parts) => {
                self.say("(");
                for (n, part) in parts.iter().enumerate() {
                    if n > 0 {
                        self.say(", ");
                    }
                    self.value(part, index);
                }
                self.say(")");
            }
            Named::Data(name, fields) => {
                self.say(name);
                let tuple = matches!(**fields, Named::Tuple(_));
                if !tuple {
                    self.say("(");
                }
                self.value(fields, index);
                if !tuple {
                    self.say(")");
                }
            }
            Named::Seq(element, measure) => {
                let i = format!("i{}", self.depth);
                let (first, end) = match index {
                    None => ("0".to_owned(), measure.clone()),
                    Some(at) => (format!("{measure}[{at}]"), format!("{measure}[{at} + 1]")),
                };
                self.depth += 1;
                if let Named::Scalar(Ty::Char, name) = &**element {
                    self.say("\\\"");
                    let head = format!("for (int64_t {i} = {first}; {i} < {end}; {i}++)");
                    self.out.line(format!("{head} print_char({name}[{i}]);"));
                    self.say("\\\"");
                } else {
                    self.say("[");
                    self.out.open(format!("for (int64_t {i} = {first}; {i} < {end}; {i}++)"));
                    self.out.line(format!("if ({i} > {first}) printf(\", \");"));
                    self.value(element, Some(&i));
                    self.out.close("");
                    self.say("]");
                }
                self.depth -= 1;
            }
        }
    }
}
