//! Writes arrays in NumPy's format: a magic word, a header that is a Python dictionary, and the
//! elements, little-endian.

use std::io::{self, Write};

/// An element type of eight bytes.
pub(crate) trait Element {
    /// NumPy's name for it.
    const DESCR: &'static str;

    /// The element, little-endian.
    fn bytes(self) -> [u8; 8];
}

impl Element for f64 {
    const DESCR: &'static str = "<f8";

    fn bytes(self) -> [u8; 8] {
        self.to_le_bytes()
    }
}

impl Element for i64 {
    const DESCR: &'static str = "<i8";

    fn bytes(self) -> [u8; 8] {
        self.to_le_bytes()
    }
}

/// Writes an array in C order.
pub(crate) fn write<T: Element>(
    file: &mut impl Write,
    shape: &[u64],
    elements: impl Iterator<Item = T>,
) -> io::Result<()> {
    file.write_all(&header(T::DESCR, shape))?;
    for element in elements {
        file.write_all(&element.bytes())?;
    }
    Ok(())
}

/// Everything before the elements, padded to a multiple of 64 bytes.
fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let dictionary =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let before = 10;
    let total = (before + dictionary.len() + 1).next_multiple_of(64);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((total - before) as u16).to_le_bytes());
    bytes.extend(dictionary.bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_aligned() {
        let bytes = header("<f8", &[5, 2]);
        assert_eq!(bytes.len(), 128);
        assert_eq!(u16::from_le_bytes([bytes[8], bytes[9]]), 118);
        let text = String::from_utf8_lossy(&bytes[10..]);
        let wanted = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2, ), }";
        assert_eq!(text.trim_end(), wanted);
    }
}
