//! Comparison of printed values, token by token.
//!
//! Floats are equal up to a relative 1e-9; everything else must be the same text.  A float is a
//! number with a point or an exponent outside strings and character literals.

/// How far floats may differ, relative to the larger.
const TOLERANCE: f64 = 1e-9;

/// Whether two printed values are the same.
pub fn same_value(found: &str, expected: &str) -> bool {
    similar_value(TOLERANCE, found, expected)
}

/// The same where floats may differ by so much, relative to the larger.
pub fn similar_value(far: f64, found: &str, expected: &str) -> bool {
    let (found, expected) = (tokens(found), tokens(expected));
    found.len() == expected.len()
        && found.iter().zip(&expected).all(|(a, b)| a == b || same_float(far, a, b))
}

fn same_float(far: f64, a: &str, b: &str) -> bool {
    match (float(a), float(b)) {
        (Some(x), Some(y)) => (x - y).abs() <= far * x.abs().max(y.abs()),
        _ => false,
    }
}

fn float(token: &str) -> Option<f64> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let is_float = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.contains(['.', 'e', 'E'])
        && !digits.contains("inf");
    if is_float { token.parse().ok() } else { None }
}

/// The tokens of a printed value.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => string(rest),
            '`' => character(rest),
            c if is_word(c) || c == '-' => word(rest),
            c => c.len_utf8(),
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The length of a string literal.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal.
fn character(text: &str) -> usize {
    let count = if text[1..].starts_with('\\') { 3 } else { 2 };
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// The length of a name or number, with the sign of an exponent.
fn word(text: &str) -> usize {
    let mut before = ' ';
    let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    for (at, c) in text.char_indices() {
        let exponent = number && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
        if at > 0 && !is_word(c) && !exponent {
            return at;
        }
        before = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_compared_by_value() {
        assert!(same_value("[0.1, 1.0e+20]", "[0.10000000000000001, 1e+20]"));
        assert!(same_value("0.0", "-0.0"));
        assert!(same_value("(inf, -inf, nan)", "(inf, -inf, nan)"));
        assert!(!same_value("0.1", "0.2"));
        assert!(!same_value("1", "1.0"));
        assert!(!same_value("inf", "1.0e+300"));
        assert!(!same_value("\"0.1\"", "\"0.10\""));
        assert!(!same_value("[1, 2]", "[1, 2, 3]"));
    }

    #[test]
    fn tokens_of_all_kinds() {
        let text = r#"point(-1.5e-7, `", "a\"b", [T,...])"#;
        let expected = [
            "point",
            "(",
            "-1.5e-7",
            ",",
            "`\"",
            ",",
            r#""a\"b""#,
            ",",
            "[",
            "T",
            ",",
            "...",
            "]",
            ")",
        ];
        assert_eq!(tokens(text), expected);
    }
}
