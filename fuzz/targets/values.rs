//! Inputs of programs as text: NESL literals, Matrix Market files and plain text, read as values of
//! several shapes.  No text makes a reader fail otherwise than by a message, and what is read
//! prints as a literal of the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nesl_fuzz_targets::{WIDTHS, check_literal, file, shapes};

fuzz_target!(|input: &[u8]| {
    // The first byte says how the rest is read, so that one run is one reading.
    let Some((&choice, content)) = input.split_first() else { return };
    let ending = ["nesl", "mtx", "txt"][usize::from(choice) % 3];
    let widths = WIDTHS[usize::from(choice) / 3 % 2];
    let path = file(content, ending);
    for shape in shapes() {
        if let Ok(columns) = value::input::read(&path, &shape, widths, "v", &value::Budget::default()) {
            check_literal(&columns, &shape, widths);
        }
    }
});
