//! Sizes as people write them: `10M`, `500K`, `17`.

/// Writes a size, with K for thousands and M for millions when they are whole.
pub(crate) fn name(n: u64) -> String {
    match n {
        0 => "0".to_owned(),
        _ if n.is_multiple_of(1_000_000) => format!("{}M", n / 1_000_000),
        _ if n.is_multiple_of(1000) => format!("{}K", n / 1000),
        _ => n.to_string(),
    }
}

/// Reads a size.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'K' => (&text[..text.len() - 1], 1000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_back() {
        for (n, text) in [(10_000_000, "10M"), (500_000, "500K"), (17, "17"), (1500, "1500")] {
            assert_eq!(name(n), text);
            assert_eq!(parse(text), Some(n));
        }
        assert_eq!(parse("M"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse("99999999999999999999K"), None);
    }
}
