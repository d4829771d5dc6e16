//! Functions that are too large to be optimised.
//!
//! Several passes of C compilers take time that grows with the square of a function's size or of
//! the depth of its loops: a thousand loops in each other take half a minute.  Nobody writes such
//! functions by hand, and what writes them does not wait for minutes, so they are compiled as they
//! stand.

/// Text of more bytes than this is huge.
const BYTES: usize = 1 << 18;
/// Text with more blocks in each other than this is huge.
const DEPTH: usize = 150;

/// Before and after what is huge; Clang and GCC say it in different words.
const PLAIN: &str = "\
#ifdef __clang__
#pragma clang optimize off
#else
#pragma GCC push_options
#pragma GCC optimize(\"O0\")
#endif
";
const AGAIN: &str = "\
#ifdef __clang__
#pragma clang optimize on
#else
#pragma GCC pop_options
#endif
";

/// Appends functions to a text; each ends with a brace at the beginning of a line.
pub(super) fn push(text: &mut String, functions: &str) {
    for function in functions.split_inclusive("\n}\n") {
        if is_huge(function) {
            text.extend([PLAIN, function, AGAIN]);
        } else {
            text.push_str(function);
        }
    }
}

fn is_huge(function: &str) -> bool {
    function.len() > BYTES || depth(function) > DEPTH
}

/// How many blocks are open at the same time.
fn depth(function: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for byte in function.bytes() {
        match byte {
            b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_length_make_a_function_huge() {
        let nested =
            |depth| format!("void g(void) {{\n{}{}\n}}\n", "{".repeat(depth), "}".repeat(depth));
        let long = |lines| format!("void g(void) {{\n{}}}\n", "  x = x + 1;\n".repeat(lines));
        for (functions, huge) in [
            (nested(100), false),
            (nested(200), true),
            (nested(10).repeat(100), false),
            (long(1_000).repeat(100), false),
            (long(100_000), true),
        ] {
            let mut text = String::new();
            push(&mut text, &functions);
            assert_eq!(text.contains("optimize"), huge, "{functions:.60}");
            assert!(text.contains(&functions), "{functions:.60}");
        }
    }
}
