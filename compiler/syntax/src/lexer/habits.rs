//! Signs of other languages that begin no token, and what NESL writes instead.

/// A sign that is no token.
pub(super) struct Habit {
    /// Its length in bytes; at least one.
    pub(super) len: usize,
    /// What to write; empty if nothing is known.
    pub(super) help: String,
    /// What to put in the place of the sign.
    pub(super) change: Option<String>,
}

/// Signs that have one in NESL, and what it is for.
const SIGNS: [(&str, &str, &str); 15] = [
    ("!==", "/=", "unequal is written `/=`"),
    ("!=", "/=", "unequal is written `/=`"),
    ("&& ", "and ", "conjunction is written `and`"),
    ("&&", " and ", "conjunction is written `and`"),
    ("\u{201c}", "\"", "a string stands between straight quotes"),
    ("\u{201d}", "\"", "a string stands between straight quotes"),
    ("\u{ab}", "\"", "a string stands between straight quotes"),
    ("\u{201e}", "\"", "a string stands between straight quotes"),
    ("\u{2212}", "-", "minus is written `-`"),
    ("\u{2013}", "-", "minus is written `-`"),
    ("\u{d7}", "*", "a product is written `*`"),
    ("\u{2260}", "/=", "unequal is written `/=`"),
    ("\u{2264}", "<=", "at most is written `<=`"),
    ("\u{2265}", ">=", "at least is written `>=`"),
    ("\u{a0}", " ", "this is a space that is not an ordinary one"),
];

/// The habit behind the sign at the beginning of a text.  `begins_line` is true if the sign is the
/// first of its line.
pub(super) fn of_mark(text: &[u8], begins_line: bool) -> Habit {
    if let Some(habit) = typographic(text) {
        return habit;
    }
    if let Some((sign, by, help)) = SIGNS.iter().find(|row| text.starts_with(row.0.as_bytes())) {
        // A blank belongs to a row, but not to the sign.
        return match sign.strip_suffix(' ') {
            Some(sign) => known(sign.len(), help, Some(by.trim_end().to_owned())),
            None => known(sign.len(), help, Some((*by).to_owned())),
        };
    }
    match text.first() {
        Some(b'\'') => quoted(text),
        Some(b'.') => member(text),
        Some(b'!') => known(1, "the complement is written `not(x)`", None),
        Some(b'&') => known(1, "conjunction is written `and`", None),
        Some(b'~') => known(1, "the complement is written `not(x)`, a negative number `-x`", None),
        Some(b'\\') => known(1, "a function value is written `x => value`", None),
        Some(b'?') if begins_line => asked(text),
        Some(b'?') => known(1, "a conditional is written `if c then a else b`", None),
        Some(byte) if byte.is_ascii() => known(1, "", None),
        _ => {
            let len = text.iter().take_while(|byte| !byte.is_ascii()).count().max(1);
            let help = "names are made of ASCII letters, digits and `_`; \
                        other characters are legal in comments and strings";
            known(len, help, None)
        }
    }
}

fn known(len: usize, help: &str, change: Option<String>) -> Habit {
    Habit { len, help: help.to_owned(), change }
}

/// `?` and `? name` at a prompt.
fn asked(text: &[u8]) -> Habit {
    let line = text[1..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.trim_ascii() {
        b"" => known(1, "`help;` shows the commands", Some("help;".to_owned())),
        b";" => known(1, "`help;` shows the commands", Some("help".to_owned())),
        name => {
            let space = if line.starts_with(name) { " " } else { "" };
            let help = "`describe name;` tells what is known of a name";
            known(1, help, Some(format!("describe{space}")))
        }
    }
}

/// A string between typographic quotes, on one line.
fn typographic(text: &[u8]) -> Option<Habit> {
    const QUOTES: [&str; 5] = ["\u{201c}", "\u{201d}", "\u{201e}", "\u{ab}", "\u{bb}"];
    let quote = |text: &[u8]| QUOTES.into_iter().find(|sign| text.starts_with(sign.as_bytes()));
    let opening = quote(text)?.len();
    let line = text[opening..].split(|byte| *byte == b'\n').next()?;
    let len = (0..line.len()).find(|at| quote(&line[*at..]).is_some())?;
    let inside = std::str::from_utf8(&line[..len]).ok().filter(|it| !it.contains('"'))?;
    let whole = opening + len + quote(&line[len..])?.len();
    Some(known(whole, "a string stands between straight quotes", Some(format!("\"{inside}\""))))
}

/// `'c'` and `'text'`.
fn quoted(text: &[u8]) -> Habit {
    let inside = text[1..].iter().take_while(|byte| !b"'\n\"\\;$".contains(*byte)).count();
    let closed = text.get(inside + 1) == Some(&b'\'') && inside > 0;
    match std::str::from_utf8(&text[1..=inside]) {
        Ok(c) if closed && c.len() == 1 => {
            known(3, "a character is written with one backquote before it", Some(format!("`{c}")))
        }
        Ok(c) if closed => {
            known(inside + 2, "a string stands between double quotes", Some(format!("\"{c}\"")))
        }
        _ => known(
            1,
            "a character is written with one backquote before it, a string in double quotes",
            None,
        ),
    }
}

/// `a.length`, `p.x`, `a..b`
fn member(text: &[u8]) -> Habit {
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = text[1..].iter().take_while(word).count();
    match &text[1..=name] {
        b"length" | b"len" | b"size" | b"count" | b"shape" => {
            known(name + 1, "the length of a sequence is `#a`", None)
        }
        b"" if text.starts_with(b"..") => {
            known(2, "a range is written `[start:end]`, without its end", None)
        }
        b"" => known(1, "an element is written `a[i]`, a range `[0:n]`", None),
        _ => {
            let help = "functions are applied as in `g(x)`; the parts of a datatype are bound by \
                        a pattern, as in `point(x, y) = p`";
            known(name + 1, help, None)
        }
    }
}
