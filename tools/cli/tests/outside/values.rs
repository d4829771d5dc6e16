//! Values that the command prints, and libraries that it builds.

use crate::{check, folder};
use expect_test::expect;

#[test]
fn narrow_ints_are_counted() {
    let folder = folder("narrow", &[("p.nesl", b"function count(n) = #index(n);\n")]);
    check(
        &folder,
        "run p.nesl --int 32 --entry count -- 3",
        &expect![[r#"
            it = 3 : int
            -- exit 0
        "#]],
    );
}
