//! The forms of the language, one row for each word or sign, as `describe` shows them.

/// A word or a sign of the language.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// The words and signs that stand in it.
    pub names: &'static [&'static str],
    /// The way it is written.
    pub form: &'static str,
    /// Its meaning; code in backquotes.
    pub meaning: &'static str,
    /// Forms, the last of which has a value, and that value as it is printed.
    pub example: (&'static str, &'static str),
}

/// All of them.
pub const SYNTAX: &[Syntax] = &[
    Syntax {
        names: &["if", "then", "else"],
        form: "if condition then value else value",
        meaning: "one of two values of one type; only that one is evaluated",
        example: ("if 2 > 1 then \"more\" else \"less\";", "\"more\""),
    },
    Syntax {
        names: &["let"],
        form: "let pattern = value; pattern = value in value",
        meaning: "names for values, each known to those behind it and to the value behind `in`",
        example: ("let a = 3; b = a + 1 in a * b;", "12"),
    },
    Syntax {
        names: &["in"],
        form: "let pattern = value in value, and {value : pattern in sequence}",
        meaning: "ends the bindings of a `let`, or stands before the sequence of a generator",
        example: ("let a = [1, 2] in {x + 1 : x in a};", "[2, 3]"),
    },
    Syntax {
        names: &["{", "}"],
        form: "{value : name in sequence; name in sequence | test}",
        meaning: "apply-to-each: the value for each element that passes the test, in parallel; \
                  several generators go through their sequences together; `{* ... }` takes one \
                  element after the other and allows effects",
        example: ("{x * x : x in [1, 2, 3] | x > 1};", "[4, 9]"),
    },
    Syntax {
        names: &["|"],
        form: "{value : name in sequence | test}",
        meaning: "chooses the elements of an apply-to-each for which the test is true",
        example: ("{x in [1, 2, 3] | x /= 2};", "[1, 3]"),
    },
    Syntax {
        names: &["[", "]"],
        form: "[value, value, ...], [start:end:step], sequence[index], [] type",
        meaning: "a sequence, a range, an element of a sequence, or a sequence without elements",
        example: ("a = [5, 6, 7];  a[2];", "7"),
    },
    Syntax {
        names: &[":"],
        form: "[start:end:step], {value : generators}, function f(x) : type, and : value;",
        meaning: "makes a range without its end, or stands before generators or the type of a \
                  function; at the beginning of a form it asks for the type of a value",
        example: ("[0:10:3];", "[0, 3, 6, 9]"),
    },
    Syntax {
        names: &["(", ")", ","],
        form: "(value, value), function(value, value)",
        meaning: "a tuple, the arguments of a function, or the order of operations",
        example: ("max(1 + 2, 2) * (3 + 4);", "21"),
    },
    Syntax {
        names: &["=>"],
        form: "pattern => value",
        meaning: "a function as a value",
        example: ("reduce((x, y) => x + y, 0, [1, 2, 3]);", "6"),
    },
    Syntax {
        names: &["function"],
        form: "function name(parameters) : type -> type = value;",
        meaning: "defines a function; its type, which may be left out, stands behind `:`, and a \
                  string before `=` is its documentation",
        example: ("function twice(x) : int -> int = 2 * x;  twice(21);", "42"),
    },
    Syntax {
        names: &["datatype"],
        form: "datatype name(type, type);",
        meaning: "a type with parts, which a pattern `name(x, y)` takes apart",
        example: ("datatype point(int, int);  let point(x, y) = point(3, 4) in x + y;", "7"),
    },
    Syntax {
        names: &["="],
        form: "pattern = value;",
        meaning: "names a value; equality is `==`",
        example: ("(a, b) = (1, 2);  a + b;", "3"),
    },
    Syntax {
        names: &[":="],
        form: "function f(x, name := default) = value; f(value, name := value)",
        meaning: "an optional parameter, and its argument",
        example: ("function more(x, by := 1) = x + by;  more(3, by := 4);", "7"),
    },
    Syntax {
        names: &["_"],
        form: "_ in a pattern",
        meaning: "takes the place of a part that gets no name",
        example: ("let (_, b) = (1, 2) in b;", "2"),
    },
    Syntax {
        names: &[";", "$"],
        form: "form; form;",
        meaning: "ends a form; `;` also separates the bindings of a `let`, and generators",
        example: ("1; 2;", "2"),
    },
    Syntax {
        names: &["%"],
        form: "% words %",
        meaning: "a comment, from one sign to the next",
        example: ("1 + % one more % 1;", "2"),
    },
    Syntax {
        names: &["\""],
        form: "\"text\"",
        meaning: "a string: a sequence of chars; `\\\"` in it is a quote, `\\n` a new line",
        example: ("#\"abc\";", "3"),
    },
    Syntax { names: &["`"], form: "`c", meaning: "a char", example: ("char_code(`a);", "97") },
    Syntax {
        names: &["t", "f"],
        form: "t, f",
        meaning: "the truth values, printed as T and F",
        example: ("t and not(f);", "T"),
    },
    Syntax {
        names: &["int", "float", "bool", "char"],
        form: "int, float, bool, char, [type], (type, type), type -> type",
        meaning: "the types of scalars; `[int]` is a sequence of ints, `(int, bool)` a pair",
        example: ("function half(x) : int -> float = float(x) / 2.0;  half(3);", "1.5"),
    },
    Syntax {
        names: &["::", "any", "number", "ordinal", "logical", "scalar"],
        form: "function f(x) : a -> a :: (a in number) = value;",
        meaning: "the class of a type variable: any, number (int, float), ordinal (int, float, \
                  char), logical (int, bool) or scalar (int, float, bool, char)",
        example: ("function double(x) : a -> a :: (a in number) = x + x;  double(1.5);", "3.0"),
    },
];

/// The row of a word or a sign.
pub fn syntax_of(name: &str) -> Option<&'static Syntax> {
    SYNTAX.iter().find(|row| row.names.contains(&name))
}

impl Syntax {
    /// The lines that `describe` shows: form, meaning, example.
    pub fn lines(&self) -> Vec<String> {
        let (input, value) = self.example;
        vec![
            self.form.to_owned(),
            self.meaning.to_owned(),
            format!("example: {input}  ==> {value}"),
        ]
    }
}
