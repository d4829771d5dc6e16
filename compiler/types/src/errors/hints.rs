//! What to do about types that do not fit: conversions, and what is meant in other languages.

use super::{Mismatch, Why};
use crate::infer::Quotient;
use crate::ty::{Base, Class, Type};
use base::{Diagnostic, Edit, Span};

/// Adds what helps, if there is something.
pub(super) fn add(error: Diagnostic, it: &Mismatch) -> Diagnostic {
    use Type::{Base as B, Fun};
    if let Some(quotient) = it.quotient.filter(|_| is_conversion(&it.found, &it.expected)) {
        return of_floats(error, it, quotient);
    }
    if let (Why::Operand("^", ..), B(Base::F64), B(Base::I64)) = (it.why, &it.found, &it.expected) {
        return power(error, it);
    }
    if let Some(help) = habit(it) {
        return error.help(help);
    }
    let wants = |base| match &it.expected {
        B(b) => *b == base,
        _ => false,
    };
    match &it.found {
        B(Base::I64) if wants(Base::F64) => match it.literal {
            Some(digits) => as_float(error, it.span, digits),
            None => error.help("`float` converts an int"),
        },
        B(Base::F64) if wants(Base::I64) => {
            error.help("`round`, `floor`, `ceil` or `trunc` converts a float")
        }
        B(Base::Bool) if wants(Base::I64) => error.help("`btoi` gives 1 for T and 0 for F"),
        B(Base::Char) if wants(Base::I64) => error.help("`char_code` gives the code of a char"),
        B(Base::I64) if wants(Base::Char) => error.help("`code_char` gives the char of a code"),
        B(Base::I64)
            if wants(Base::Bool) && !matches!(it.why, Why::Branches(_) | Why::Element(_)) =>
        {
            error.help("compare it, as in `x /= 0`")
        }
        found if is_string(found) && wants(Base::Char) => {
            error.help("a char is written with one backquote before it: `c")
        }
        B(Base::Char) if is_string(&it.expected) => {
            error.help("a char in brackets is a string: [`c]")
        }
        found if is_string(&it.expected) && !is_string(found) => error.help("`@` gives the text"),
        found if is_element(found, it) => {
            let advice = "brackets make a sequence of one element";
            if matches!(it.why, Why::Operand(..)) {
                return error.suggest_around(it.span, ["[", "]"], advice);
            }
            // Behind a name they would ask for an element.
            error.help("brackets make a sequence of one element: `[x]`")
        }
        Fun(_, result) if **result == it.expected => error.help("apply the function"),
        Type::Seq(_) if is_conversion(&it.found, &it.expected) => elements(error, it),
        found => match unordered(found, it) {
            Some(help) => error.help(help),
            None => error,
        },
    }
}

/// Returns true if one type is int and the other float, or both are sequences of these.
fn is_conversion(found: &Type, expected: &Type) -> bool {
    match (found, expected) {
        (Type::Seq(a), Type::Seq(b)) => is_conversion(a, b),
        (Type::Base(a), Type::Base(b)) => {
            [(Base::I64, Base::F64), (Base::F64, Base::I64)].contains(&(*a, *b))
        }
        _ => false,
    }
}

/// Returns true if a type is int, or a sequence of ints at any depth.
fn is_int(ty: &Type) -> bool {
    match ty {
        Type::Seq(element) => is_int(element),
        ty => *ty == Type::Base(Base::I64),
    }
}

/// Advises to divide floats instead of ints.
fn of_floats(error: Diagnostic, it: &Mismatch, operands: Quotient) -> Diagnostic {
    // A function of floats has to convert the operands that come from outside its argument.
    let takes_floats = matches!(it.why, Why::Argument(_)) && !is_int(&it.found);
    let operands = operands.into_iter().filter(|(_, int)| *int || !takes_floats);
    let put = |span: Span, place, text: &str| Edit {
        span: Span { start: place, end: place, ..span },
        text: text.to_owned(),
    };
    let around = |span: Span| [put(span, span.start, "float("), put(span, span.end, ")")];
    let edits: Vec<Edit> = operands.flat_map(|(span, _)| around(span)).collect();
    let advice = "an int divided by an int is an int; `float` makes the quotient a float";
    if edits.is_empty() {
        return error.help(advice);
    }
    error.suggest_edits(edits, advice)
}

/// Advises what to write for a power that is no int.
fn power(error: Diagnostic, it: &Mismatch) -> Diagnostic {
    if let Some(digits) = it.literal {
        let advice = format!("the power of `^` is an int: write `{digits}`");
        return error.suggest(it.span, digits, advice);
    }
    let advice = "the power of `^` is an int; `expt(x, y)` is for floats";
    let (Why::Operand(_, _, Some((base, _))), Some(other)) = (it.why, it.other.as_deref()) else {
        return error.help(advice);
    };
    let (before, behind) = match other {
        "int" => ("expt(float(", "), "),
        _ => ("expt(", ", "),
    };
    let put = |start, end, text: &str| Edit {
        span: Span { start, end, ..it.span },
        text: text.to_owned(),
    };
    let edits = vec![
        put(base.start, base.start, before),
        put(base.end, it.span.start, behind),
        put(it.span.end, it.span.end, ")"),
    ];
    error.suggest_edits(edits, advice)
}

/// Advises how to convert the elements of a sequence.
fn elements(error: Diagnostic, it: &Mismatch) -> Diagnostic {
    let Type::Seq(element) = &it.found else { return error };
    match **element {
        Type::Base(Base::F64) => error.help("`{round(x) : x in a}` makes ints of floats"),
        _ if it.literals.is_empty() => error.help("`{float(x) : x in a}` makes floats of ints"),
        _ => {
            let point = |span: &Span| Edit {
                span: Span { start: span.end, ..*span },
                text: ".0".to_owned(),
            };
            let edits = it.literals.iter().map(point).collect();
            error.suggest_edits(edits, "a float literal has a point")
        }
    }
}

/// The advice if a type without an order stands for one of class ordinal.
fn unordered(found: &Type, it: &Mismatch) -> Option<&'static str> {
    let ordinal = it.classes.iter().any(|(_, class)| *class == Class::Ordinal);
    let wanted = match (&it.expected, found) {
        (Type::Var(_), found) => found,
        (Type::Seq(wanted), Type::Seq(found)) if matches!(**wanted, Type::Var(_)) => found,
        _ => return None,
    };
    match wanted {
        _ if !ordinal => None,
        wanted if is_string(wanted) => Some("strings have no order, but their chars have one"),
        Type::Pair(..) => Some(
            "tuples have no order; `permute(a, rank({k : (k, _) in a}))` sorts pairs by their \
             first parts",
        ),
        Type::Base(Base::Bool) => Some("truth values have no order; `btoi` gives 0 and 1"),
        Type::Seq(_) => Some("sequences have no order; `{g(x) : x in a}` applies `g` to each"),
        _ => None,
    }
}

/// What someone who knows another language may have meant.
fn habit(it: &Mismatch) -> Option<String> {
    use Type::{Base as B, Fun, Pair, Seq};
    if let (Why::Argument(_), Some(name)) = (it.why, &it.optional)
        && parts(&it.found) > parts(&it.expected)
    {
        return Some(format!("optional arguments are given by name: `{name} := value`"));
    }
    let text = match (it.why, &it.found, &it.expected) {
        (Why::Operand("<" | ">" | "<=" | ">=", ..), B(Base::Bool), _) => {
            "comparisons do not chain: write `a < b and b < c`"
        }
        (Why::Operand("||", ..), B(_), Seq(_) | B(_)) => {
            "`||` pads a string to a length; disjunction is written `or`"
        }
        (Why::Operand("+", ..), Seq(_), _) if is_string(&it.found) => "`++` joins strings",
        (Why::Operand("+", ..), Seq(_), _) => {
            "`++` joins sequences; `{x + y : x in a; y in b}` adds their elements"
        }
        (Why::Operand("-" | "*" | "/", ..), Seq(_), _) => {
            "an operator on each element is `{x * y : x in a; y in b}`"
        }
        (Why::Operand("-", ..), Fun(..), _) => {
            "an argument that begins with a sign stands in parentheses: `g(-1)`"
        }
        (Why::Operand("#", ..), B(Base::I64), _) => {
            "`#a` is the length of the sequence `a`; the ints below n are `[0:n]`"
        }
        (Why::Operand("++", _, None), B(Base::I64), _) if it.length => {
            "`#` takes no more than its operand: the length of both is `#(a ++ b)`"
        }
        (Why::Operand(..), B(Base::F64), B(Base::I64)) => {
            "`float` converts an int; a literal with a point is a float, as in `1.0`"
        }
        (Why::Subscripted, Fun(..), _) => {
            "behind a name brackets ask for an element; to apply a function, write `g([1, 2])`"
        }
        (Why::Index, Pair(..), _) => "an element of an inner sequence is `a[i][j]`",
        (Why::Element(_), B(Base::F64), B(Base::I64)) => "write the ints as floats, as in `1.0`",
        (Why::Source, Pair(..), _) => "the elements of a sequence stand in brackets: `[x, y]`",
        (Why::Source, B(Base::I64), _) => "the ints below n are `[0:n]`",
        (Why::Subscripted, Pair(..), _) => {
            "the parts of a tuple are bound by a pattern, as in `let (a, b) = p in a`"
        }
        (Why::Argument(_), Seq(_), Pair(..)) if it.calls("max") => {
            "the largest element of a sequence is `max_val(a)`"
        }
        (Why::Argument(_), Seq(_), Pair(..)) if it.calls("min") => {
            "the smallest element of a sequence is `min_val(a)`"
        }
        (Why::Argument(_), Seq(_), Pair(..)) if it.calls("first") => {
            "it takes a pair; the first element of a sequence is `a[0]`"
        }
        (Why::Argument(_), Seq(_), Pair(..)) if it.calls("second") => {
            "it takes a pair; the second element of a sequence is `a[1]`"
        }
        (Why::Argument(_), Pair(first, _), Seq(_)) if matches!(**first, Seq(_)) => {
            return Some(too_many(parts(&it.found) - 1));
        }
        (Why::Argument(_), B(_), Pair(..)) if it.calls("log") => {
            "it takes a base, too: `log(x, b)`; the natural logarithm is `ln(x)`"
        }
        (Why::Argument(_), Pair(..), Seq(_)) => {
            "the elements of a sequence stand in brackets: `g([x, y])`"
        }
        (Why::Argument(_), found, expected) => return count(found, expected),
        _ => return None,
    };
    Some(text.to_owned())
}

/// Says how many arguments lack or are too many.
fn count(found: &Type, expected: &Type) -> Option<String> {
    let (given, wanted) = (parts(found), parts(expected));
    if given < wanted {
        let missing = match wanted - given {
            1 => "an argument is missing".to_owned(),
            n => format!("{n} arguments are missing"),
        };
        return Some(format!("{missing}; arguments stand in parentheses, as in `g(x, y)`"));
    }
    (given > wanted && wanted == 1).then(|| too_many(given - wanted))
}

fn too_many(arguments: usize) -> String {
    match arguments {
        1 => "there is an argument too many".to_owned(),
        n => format!("there are {n} arguments too many"),
    }
}

/// How many parts a tuple has; 1 for anything else.
fn parts(ty: &Type) -> usize {
    let (mut ty, mut parts) = (ty, 1);
    while let Type::Pair(_, rest) = ty {
        ty = rest;
        parts += 1;
    }
    parts
}

/// Advises to write a literal as a float.
fn as_float(error: Diagnostic, span: Span, digits: &str) -> Diagnostic {
    let advice = format!("write `{digits}.0`");
    // Beside the digits there may be brackets.
    let bare = (span.end - span.start) as usize == digits.len();
    let text = if bare { format!("{digits}.0") } else { format!("({digits}.0)") };
    error.suggest(span, text, advice)
}

/// Whether brackets around what was found would make it what is expected.
fn is_element(found: &Type, it: &Mismatch) -> bool {
    let Type::Seq(element) = &it.expected else { return false };
    // Of the first operand it is not known yet what it is joined to.
    let joined = matches!(it.why, Why::Operand("++", _, None));
    **element == *found || joined && matches!((&**element, found), (Type::Var(_), Type::Base(_)))
}

fn is_string(ty: &Type) -> bool {
    matches!(ty, Type::Seq(t) if **t == Type::Base(Base::Char))
}
