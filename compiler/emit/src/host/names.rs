//! Names of what stands in for a whole library: its functions, and those of its plans.

use super::shape::{Named, Part, Shape};
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

/// Functions of the standard headers of C, and of POSIX where these declare them, too.
const STANDARD: &str = "
    abort abs access acos asin atan atan2 atexit atof atoi atol bcmp bcopy bsearch bzero calloc cbrt
    ceil clearerr clock close copysign cos cosh ctime difftime div dup erf erfc exit exp exp2 expm1
    fabs fclose fdim feof ferror fflush ffs fgetc fgets floor fma fmax fmin fmod fopen fork fprintf
    fputc fputs fread free freopen frexp fscanf fseek ftell fwrite getc getchar getenv gets gmtime
    hypot ilogb index isalnum isalpha isdigit islower isspace isupper j0 j1 jn kill labs ldexp ldiv
    lgamma link localtime log log10 log1p log2 logb lrint lround lseek malloc memchr memcmp memcpy
    memmove memset mktime modf nan nearbyint open pause perror pipe pow printf putc putchar puts
    qsort raise rand random read realloc remainder remove rename rewind rindex rint round scanf
    select setbuf signal sin sinh sleep sprintf sqrt srand srandom sscanf strcat strchr strcmp
    strcoll strcpy strcspn strdup strerror strlen strncat strncmp strncpy strpbrk strrchr strspn
    strstr strtod strtok strtol system tan tanh tgamma time times tmpfile tmpnam tolower toupper
    trunc ungetc unlink usleep vprintf wait write y0 y1 yn";

/// Whether a name has a meaning in C already.
fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name) || STANDARD.split_ascii_whitespace().any(|taken| taken == name)
}

/// The names of entries: `library_function`, or the one name that both have; all differ.
pub(super) fn entries<'n>(library: &str, functions: impl Iterator<Item = &'n str>) -> Vec<String> {
    // What every library has.
    let mut taken = ["message", "free", "allocator", "threads"]
        .map(|name| format!("{library}_{name}"))
        .to_vec();
    let own = taken.len();
    for function in functions {
        let name = identifier(function);
        let alone = name == library && !is_taken(&name);
        let mut name = if alone { name } else { format!("{library}_{name}") };
        while taken.contains(&name) {
            name.push('_');
        }
        taken.push(name);
    }
    taken.split_off(own)
}

/// The name of a variant of a function.
pub(super) fn variant(function: &str, variant: &str, taken: &mut Vec<String>) -> String {
    let mut name = format!("{function}_{variant}");
    while taken.contains(&name) {
        name.push('_');
    }
    taken.push(name.clone());
    name
}

/// Parameters, whose parts have names that mean nothing else and differ from each other and from
/// those of the result.
pub(super) fn parameters<'n>(
    params: impl Iterator<Item = (&'n str, &'n Shape)>,
    result: &Named,
) -> Vec<Named> {
    let parts = |named: &Named| named.parts().into_iter().map(|part| part.name);
    let mut taken: Vec<String> = result.parts().iter().map(Part::room).collect();
    taken.extend(parts(result));
    let mut found = Vec::new();
    for (name, shape) in params {
        let mut name = identifier(name.trim_start_matches('_'));
        // What the text defines itself begins so.
        if name.starts_with("nesl_") {
            name.insert(0, 'n');
        }
        let named = loop {
            let named = Named::new(shape, &name);
            let meets = |part: String| is_taken(&part) || taken.contains(&part);
            if !is_taken(&name) && !parts(&named).any(meets) {
                break named;
            }
            name.push('_');
        };
        taken.extend(parts(&named));
        found.push(named);
    }
    found
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
        let entry = |library, function| entries(library, [function].into_iter()).concat();
        assert_eq!(entry("dotproduct", "dotproduct"), "dotproduct");
        assert_eq!(entry("linear", "dot"), "linear_dot");
        assert_eq!(entry("exp", "exp"), "exp_exp");
        assert_eq!(entry("qsort", "qsort"), "qsort_qsort");
        assert_eq!(entry("linear", "free"), "linear_free_");
        assert_eq!(entry("linear", "threads"), "linear_threads_");
        let mut taken = vec!["c_g_into".to_owned()];
        assert_eq!(variant("c_g", "into", &mut taken), "c_g_into_");
        let all = entries("c", ["message_", "message", "free", "c"].into_iter());
        assert_eq!(all, ["c_message_", "c_message__", "c_free_", "c"]);
        assert_eq!(identifier("black-scholes"), "black_scholes");
        assert_eq!(identifier("3d"), "n3d");
    }

    #[test]
    fn parameters_differ() {
        let int = Shape::Scalar(prim::Ty::I64);
        let ints = Shape::Seq(int.clone().into());
        let rows = Shape::Seq(ints.clone().into());
        let pair = Shape::Tuple(vec![int.clone(), int.clone()]);
        let check = |params: &[(&str, &Shape)], expected: &[&str]| {
            let params = params.iter().map(|(name, shape)| (*name, *shape));
            let named = parameters(params, &Named::new(&ints, "result"));
            let names = named.iter().flat_map(Named::parts).map(|part| part.name);
            assert_eq!(names.collect::<Vec<_>>(), expected);
        };
        let five = ["a", "int", "_0", "a", "result"].map(|name| (name, &int));
        check(&five, &["a", "int_", "n0", "a_", "result_"]);
        check(&[("x", &ints), ("x_length", &int)], &["x", "x_length", "x_length_"]);
        check(&[("x_length", &int), ("x", &ints)], &["x_length", "x_", "x__length"]);
        check(&[("x", &pair), ("x_0", &int)], &["x_0", "x_1", "x_0_"]);
        let offsets = ["x", "x_offsets", "x_length", "x_offsets_"];
        check(&[("x", &rows), ("x_offsets", &int)], &offsets);
        check(&[("result_length", &int)], &["result_length_"]);
        check(&[("result_room", &int)], &["result_room_"]);
        check(&[("nesl_call", &int), ("memcpy", &int)], &["nnesl_call", "memcpy_"]);
    }
}
