//! What literals denote: escapes, numbers, characters and strings.
//!
//! The lexer asks whether there is a value, the builder of the abstract syntax asks for the value.

/// The code of an escape letter: the one after the backslash.
pub(crate) fn escape(letter: u8) -> Option<u8> {
    match letter {
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'0' => Some(0),
        b'\\' => Some(b'\\'),
        b'"' => Some(b'"'),
        _ => None,
    }
}

/// The value of decimal digits, if it fits.
pub(crate) fn int(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The nearest double, if it is finite.
pub(crate) fn float(text: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// The code of a character literal, backquote included.
pub(crate) fn char(text: &[u8]) -> Option<u8> {
    match *text {
        [b'`', b'\\', letter] => escape(letter),
        [b'`', code] if code != b'\\' => Some(code),
        _ => None,
    }
}

/// The bytes of a string literal, quotes included.
pub(crate) fn string(text: &[u8]) -> Option<Vec<u8>> {
    let inner = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(if byte == b'\\' { escape(*rest.next()?)? } else { byte });
    }
    Some(bytes)
}
