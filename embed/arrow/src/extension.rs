//! Extension types: what metadata says of a field beyond its format.

use std::ffi::c_char;

/// Bools of one byte each, in place of a bit.
pub(crate) const BOOL8: &str = "arrow.bool8";
/// The key under which the name of an extension type is.
const NAME: &str = "ARROW:extension:name";

/// Metadata with the name of an extension type: a count of pairs, and each text with its length.
pub(crate) fn metadata(name: &str) -> Vec<u8> {
    let texts = [NAME, name].into_iter().flat_map(|text| {
        let length = i32::try_from(text.len()).unwrap_or(0).to_ne_bytes();
        length.into_iter().chain(text.bytes()).collect::<Vec<u8>>()
    });
    1_i32.to_ne_bytes().into_iter().chain(texts).collect()
}

/// True if metadata says that a field is of this extension type.
///
/// # Safety
///
/// It is null or as the interface says.
pub(crate) unsafe fn is_named(metadata: *const c_char, name: &str) -> bool {
    if metadata.is_null() {
        return false;
    }
    let mut at = metadata.cast::<u8>();
    // SAFETY: as the caller says.
    let pairs = unsafe { length(&mut at) };
    for _ in 0..pairs {
        // SAFETY: as above.
        let [key, value] = unsafe { [text(&mut at), text(&mut at)] };
        if key == NAME.as_bytes() && value == name.as_bytes() {
            return true;
        }
    }
    false
}

/// # Safety
///
/// There is an int.
unsafe fn length(at: &mut *const u8) -> usize {
    // SAFETY: as the caller says.
    let int = unsafe { at.cast::<i32>().read_unaligned() };
    *at = at.wrapping_add(size_of::<i32>());
    usize::try_from(int).unwrap_or(0)
}

/// # Safety
///
/// There is a text behind its length.
unsafe fn text<'a>(at: &mut *const u8) -> &'a [u8] {
    // SAFETY: as the caller says.
    let length = unsafe { length(at) };
    // SAFETY: as above.
    let text = unsafe { std::slice::from_raw_parts(*at, length) };
    *at = at.wrapping_add(length);
    text
}
