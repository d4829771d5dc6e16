//! `.npy` files: no bytes make the reader fail otherwise than by a message, and what is read prints
//! as a literal of the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nesl_fuzz_targets::{WIDTHS, check_literal, file, shapes};

fuzz_target!(|content: &[u8]| {
    let path = file(content, "npy");
    for shape in shapes() {
        for widths in WIDTHS {
            if let Ok(columns) = value::input::read(&path, &shape, widths, "v", &value::Budget::default()) {
                check_literal(&columns, &shape, widths);
            }
        }
    }
});
