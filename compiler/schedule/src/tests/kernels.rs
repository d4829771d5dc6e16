//! Kernels as text.

use super::check;
use super::programs::{
    CHECKED_FILTER, CUT, CUT_EVEN, EPILOGUE, FILTER_MAP, KEPT_ROWS, KEPT_SCAN, LAST_WRITES,
    OFFSETS, ROWS_EVEN, SCAN, SHIFTED, SIEVE, SQUARES, THROUGH,
};
use expect_test::expect;

#[test]
fn squares() {
    check(
        SQUARES,
        &expect![[r#"
        kernel k0 squares(a0: in i64, a1: i64, a2: out i64) tiles of 16384 over a1 as x0 x1 x2 {
          for x3 in x1 .. x2 simd carry x6 = 0 {
            x4 = read a0 x3
            x5 = mul x4 x4
            x8 = add x6 x5
            next x8 add
          } gives x7
          partial 0 x7
        } finish x9 = add {
          store a2 0 x9
        }
    "#]],
    );
}

#[test]
fn scan() {
    check(
        SCAN,
        &expect![[r#"
            kernel k0 scans(a0: in i64, a1: i64, a2: out i64 over a0) tiles of 16384 over a1 as x0 x1 x2 {
              for x3 in x1 .. x2 simd carry x6 = 0 {
                x4 = read a0 x3
                x5 = abs x4
                x8 = add x6 x5
                next x8 add
              } gives x7
              chain x9 = add x7
              for x10 in x1 .. x2 simd carry x13 = x9 {
                x11 = read a0 x10
                x12 = abs x11
                x15 = add x13 x12
                x16 = add x13 x12
                store a2 x10 x16
                next x15 add
              } gives x14
            }
        "#]],
    );
}

#[test]
fn filter_map() {
    check(
        FILTER_MAP,
        &expect![[r#"
        kernel k0 keep(a0: in i64, a1: i64, a2: out i64, a3: out i64) tiles of 16384 over a1 as x0 x1 x2 {
          for x3 in x1 .. x2 simd carry x4 = 0 {
            x6 = read a0 x3
            x7 = gt x6 2
            x8 = btoi x7
            x9 = add x4 x8
            next x9 add
          } gives x5
          chain x10 = add x5
          pack x11 in x1 .. x2 {
            x14 = read a0 x11
            x15 = gt x14 2
            x16 = read a0 x11
            x17 = mul x16 x16
          } keep x15 at x12 = x10 {
            x18 = add x17 x12
          } store a3 x18 gives x13
          partial 0 x5
        } finish x19 = add {
          store a2 0 x19
        }
    "#]],
    );
}

#[test]
fn epilogue() {
    check(
        EPILOGUE,
        &expect![[r#"
            kernel k0 center(a0: in f64, a1: i64, a2: in i64, a3: i64, a4: out f64 over a0) tiles of 16384 over a1 by a2 of a3 as x0 x1 x2 {
              for x3 in x1 .. x2 {
                x4 = add x3 1
                x5 = read a2 x3
                x6 = read a2 x4
                for x7 in x5 .. x6 simd carry x9 = 0.0, x12 = 0.0 {
                  x8: f64 = read a0 x7
                  x11 = add x9 x8
                  x14 = add x12 1.0
                  next x11 add, x14 add
                } gives x10, x13
                x15 = add x3 1
                x16 = read a2 x3
                x17 = read a2 x15
                x19 = div x10 x13
                for x18 in x16 .. x17 simd {
                  x20: f64 = read a0 x18
                  x21 = sub x20 x19
                  store a4 x18 x21
                }
              }
            }
        "#]],
    );
}

#[test]
fn kept_scan() {
    check(
        KEPT_SCAN,
        &expect![[r#"
            kernel k0 kept(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: out i64, a6: out i64) tiles of 16384 over a1 by a2 of a3 as x0 x1 x2 {
              for x3 in x1 .. x2 carry x4 = 0 {
                x6 = add x3 1
                x7 = read a2 x3
                x8 = read a2 x6
                for x9 in x7 .. x8 simd carry x11 = -9223372036854775808 {
                  x10 = read a0 x9
                  x13 = max x11 x10
                  next x13 max
                } gives x12
                x14 = add x3 1
                x15 = read a2 x3
                x16 = read a2 x14
                for x17 in x15 .. x16 carry x21 = 0, x18 = x4 {
                  x20 = read a0 x17
                  x23 = add x21 x20
                  x24 = lt x21 x12
                  x25 = btoi x24
                  x26 = add x18 x25
                  next x23, x26 add
                } gives x22, x19
                next x19 add
              } gives x5
              chain x27 = add x5
              for x28 in x1 .. x2 carry x29 = x27 {
                x31 = add x28 1
                x32 = read a2 x28
                x33 = read a2 x31
                for x34 in x32 .. x33 simd carry x36 = -9223372036854775808 {
                  x35 = read a0 x34
                  x38 = max x36 x35
                  next x38 max
                } gives x37
                x39 = add x28 1
                x40 = read a2 x28
                x41 = read a2 x39
                store a5 x28 x29
                for x42 in x40 .. x41 carry x46 = 0, x43 = x29 {
                  x45 = read a0 x42
                  x48 = add x46 x45
                  x49 = lt x46 x37
                  when x49 {
                    x50 = sub x43 x29
                    x51 = add x46 x50
                    x52 = mul x51 x37
                    store a4 x43 x42
                    store a6 x43 x52
                  }
                  x53 = btoi x49
                  x54 = add x43 x53
                  next x48, x54
                } gives x47, x44
                next x44
              } gives x30
              partial 0 x5
            } finish x55 = add {
              store a5 a1 x55
            }
        "#]],
    );
}

#[test]
fn lanes_are_counted_without_checks() {
    check(
        CHECKED_FILTER,
        &expect![[r#"
        kernel k0 checked(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: out i64) tiles of 16384 over a3 as x0 x1 x2 {
          for x3 in x1 .. x2 simd carry x4 = 0 {
            x6 = read a0 x3
            x7 = ge x6 0
            x8 = lt x6 a1
            x9 = and x7 x8
            x10 = select x9 x6 0
            x11 = read a2 x10
            x12 = gt x11 2
            x13 = btoi x12
            x14 = add x4 x13
            next x14 add
          } gives x5
          chain x15 = add x5
          pack x16 in x1 .. x2 {
            positions x16
            x19 = read a0 x16
            x20 = ge x19 0
            x21 = lt x19 a1
            x22 = and x20 x21
            require index x22 x19 a1 @0:3:4
            x23 = select x22 x19 0
            x24 = read a2 x23
            x25 = gt x24 2
            x26 = read a0 x16
          } keep x25 at x17 = x15 {
          } store a5 x26 gives x18
          partial 0 x5
        } finish x27 = add {
          store a4 0 x27
        }
    "#]],
    );
}

#[test]
fn offsets() {
    check(
        OFFSETS,
        &expect![[r#"
            kernel k0 triangle(a0: i64, a1: out i64) tiles of 16384 over a0 as x0 x1 x2 {
              for x3 in x1 .. x2 simd carry x4 = 0 {
                x6 = sub x3 1
                x7 = max x6 0
                x8 = add x4 x7
                next x8 add
              } gives x5
              chain x9 = add x5
              for x10 in x1 .. x2 carry x11 = x9 {
                x13 = sub x10 1
                store a1 x10 x11
                x14 = max x13 0
                x15 = sub 140737488355328 x11
                x16 = le x14 x15
                require memory x16 x14 -1
                x17 = add x11 x14
                next x17
              } gives x12
              partial 0 x5
            } finish x18 = add {
              store a1 a0 x18
            }

            kernel k1 triangle(a0: i64, a1: in i64, a2: i64, a3: out i64, a4: out bool) tiles of 16384 over a0 by a1 of a2 as x0 x1 x2 {
              for x3 in x1 .. x2 carry x13 = -9223372036854775808 {
                x4 = add x3 1
                x5 = read a1 x3
                x6 = read a1 x4
                for x7 in x5 .. x6 simd carry x10 = 0 {
                  x8 = sub x7 x5
                  x9 = add x7 x8
                  x12 = add x10 x9
                  next x12 add
                } gives x11
                x15 = max x13 x11
                next x15 max
              } gives x14
              chain x16 = max x14
              for x17 in x1 .. x2 carry x31 = x16 {
                x18 = add x17 1
                x19 = read a1 x17
                x20 = read a1 x18
                for x21 in x19 .. x20 simd carry x24 = 0, x28 = F {
                  x22 = sub x21 x19
                  x23 = add x21 x22
                  x26 = add x24 x23
                  x27 = eq x22 3
                  x30 = or x28 x27
                  next x26 add, x30 or
                } gives x25, x29
                store a4 x17 x29
                x33 = max x31 x25
                store a3 x17 x31
                next x33 max
              } gives x32
            }
        "#]],
    );
}

#[test]
fn sieve() {
    check(
        SIEVE,
        &expect![[r#"
            kernel k0 sieve(a0: i64, a1: out bool) tiles of 16384 over a0 as x0 x1 x2 {
              for x3 in x1 .. x2 simd {
                store a1 x3 T
              }
            }

            kernel k1 sieve(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: i64, a5: inout bool) tiles of 16384 over a1 cut by a2 of a3 as x0 x1 x2 x3 x4 x5 {
              for x6 in x1 .. x2 {
                x7 = add x6 1
                x8 = read a2 x6
                x9 = read a2 x7
                x10 = max x8 x4
                x11 = min x9 x5
                x24 = lt x10 x11
                x14 = if x24 {
                  x25 = read a0 x6
                  yield x25
                } else {
                  yield 0
                }
                for x12 in x10 .. x11 {
                  x13 = sub x12 x8
                  x15 = add x13 1
                  x16 = mul x14 x15
                  positions x6 x13
                  x17 = ge x16 0
                  x18 = lt x16 a4
                  x19 = and x17 x18
                  require index x19 x16 a4 @0:3:4
                  x20 = select x19 x16 -1
                  x21 = ge x20 0
                  x22 = lt x20 a4
                  x23 = and x21 x22
                  when x23 {
                    store a5 x20 F
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn last_writes() {
    check(
        LAST_WRITES,
        &expect![[r#"
            kernel k0 last(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: inout i64) owners over a3 as x0 x1 x2 {
              for x3 in 0 .. a1 {
                x4 = read a0 x3
                x5 = mul x4 x4
                x6 = read a2 x3
                x7 = ge x6 x1
                x8 = lt x6 x2
                x9 = and x7 x8
                when x9 {
                  store a4 x6 x5
                }
              }
            }

            kernel k1 last(a0: in i64, a1: i64, a2: out i64 over a0, a3: out i64) tiles of 16384 over a1 as x0 x1 x2 {
              for x3 in x1 .. x2 simd carry x6 = 0 {
                x4 = read a0 x3
                x5 = add x4 1
                store a2 x3 x5
                x8 = add x6 x5
                next x8 add
              } gives x7
              partial 0 x7
            } finish x9 = add {
              store a3 0 x9
            }

            kernel k2 last(a0: in i64, a1: in i64, a2: i64, a3: i64, a4: inout i64) owners over a3 as x0 x1 x2 {
              for x3 in 0 .. a2 {
                x4 = read a0 x3
                x5 = read a1 x3
                x6 = ge x4 x1
                x7 = lt x4 x2
                x8 = and x6 x7
                when x8 {
                  store a4 x4 x5
                }
              }
            }
        "#]],
    );
}

#[test]
fn cut() {
    check(
        CUT,
        &expect![[r#"
            kernel k0 cut(a0: i64, a1: out i64, a2: in i64, a3: in i64, a4: i64, a5: out i64, a6: out i64) tiles of 16384 over a0 cut by a3 of a4 as x0 x1 x2 x3 x4 x5 {
              for x6 in x1 .. x2 carry x7 = 0 {
                x9 = add x6 1
                x10 = read a3 x6
                x11 = read a3 x9
                x12 = max x10 x4
                x13 = min x11 x5
                for x14 in x12 .. x13 simd carry x15 = x7 {
                  x17 = sub x14 x10
                  x18 = read a2 x14
                  x19 = gt x18 x17
                  x20 = btoi x19
                  x21 = add x15 x20
                  next x21 add
                } gives x16
                next x16 add
              } gives x8
              chain x22 = add x8
              for x23 in x1 .. x2 carry x24 = x22 {
                x26 = mul x23 10
                x27 = ge x23 x3
                when x27 {
                  store a1 x23 x26
                }
                x28 = add x23 1
                x29 = read a3 x23
                x30 = read a3 x28
                x31 = max x29 x4
                x32 = min x30 x5
                x33 = ge x23 x3
                when x33 {
                  store a5 x23 x24
                }
                pack x34 in x31 .. x32 {
                  x37 = sub x34 x29
                  x38 = read a2 x34
                  x39 = gt x38 x37
                  x40 = read a2 x34
                  x41 = mul x40 x26
                } keep x39 at x35 = x24 {
                } store a6 x41 gives x36
                next x36
              } gives x25
              partial 0 x8
            } finish x42 = add {
              store a5 a0 x42
            }
        "#]],
    );
    check(
        CUT_EVEN,
        &expect![[r#"
        kernel k0 even(a0: i64, a1: out i64, a2: in i64, a3: i64, a4: i64, a5: out i64) tiles of 16384 over a0 cut every a3 as x0 x1 x2 x3 x4 x5 {
          for x6 in x1 .. x2 {
            x7 = add x6 x6
            x8 = ge x6 x3
            when x8 {
              store a1 x6 x7
            }
            x9 = mul x6 a3
            x10 = add x9 a3
            x11 = max x9 x4
            x12 = min x10 x5
            for x13 in x11 .. x12 simd {
              x14 = sub x13 x9
              x15 = read a2 x14
              x16 = mul x15 x7
              x17 = add x16 x13
              store a5 x13 x17
            }
          }
        }
    "#]],
    );
}

#[test]
fn long_rows_of_one_length() {
    check(
        ROWS_EVEN,
        &expect![[r#"
        kernel k0 rows(a0: in i64, a1: i64, a2: i64, a3: i64, a4: out i64) tiles of 16384 over a1 every a2 as x0 x1 x2 {
          for x3 in x1 .. x2 {
            x4 = mul x3 a2
            x5 = add x4 a2
            for x6 in x4 .. x5 simd carry x8 = 0 {
              x7 = read a0 x6
              x10 = add x8 x7
              next x10 add
            } gives x9
            store a4 x3 x9
          }
        }
    "#]],
    );
    check(
        THROUGH,
        &expect![[r#"
        kernel k0 through(a0: in i64, a1: i64, a2: in i64, a3: i64, a4: out i64, a5: out i64) tiles of 16384 over a1 cut by a2 of a3 as x0 x1 x2 x3 x4 x5 {
          for x6 in x1 .. x2 carry x23 = -9223372036854775808, x26 = 0 {
            x7 = add x6 1
            x8 = read a2 x6
            x9 = read a2 x7
            x10 = max x8 x4
            x11 = min x9 x5
            for x12 in x10 .. x11 simd carry x15 = 0, x20 = -9223372036854775808 {
              x13 = read a0 x12
              x14 = mul x13 x6
              x17 = add x15 x14
              x18 = sub x12 x8
              x19 = sub x14 x18
              x22 = max x20 x19
              next x17 add, x22 max
            } gives x16, x21
            x25 = max x23 x21
            x28 = add x26 x16
            next x25 max, x28 add
          } gives x24, x27
          partial 0 x24
          partial 1 x27
        } finish x29 = max, x30 = add {
          store a4 0 x29
          store a5 0 x30
        }
    "#]],
    );
    let long = CUT_EVEN.replace("s2 = [s1 > v1]", "s2 = [s1 > 100000]");
    let short = CUT_EVEN.replace("s2 = [s1 > v1]", "s2 = [s1 > 100]");
    let tiles = |text: &str| {
        let kernels = super::compile(text, fuse::Fusion::Greedy).kernels.to_string();
        let tiles = kernels.lines().next().and_then(|line| line.split_once("tiles of "));
        tiles.map(|(_, tiles)| tiles.to_owned()).unwrap_or_default()
    };
    expect!["16384 over a0 cut every 100000 as x0 x1 x2 x3 x4 x5 {"].assert_eq(&tiles(&long));
    expect!["163 over a0 as x0 x1 x2 {"].assert_eq(&tiles(&short));
}

#[test]
fn what_a_row_shares_is_read_before_it() {
    check(
        SHIFTED,
        &expect![[r#"
        kernel k0 shifted(a0: in i64, a1: in i64, a2: in i64, a3: i64, a4: in i64, a5: i64, a6: out i64 over a0) tiles of 16384 over a3 by a4 of a5 as x0 x1 x2 {
          for x3 in x1 .. x2 {
            x4 = add x3 1
            x5 = read a4 x3
            x6 = read a4 x4
            x18 = lt x5 x6
            x10, x13 = if x18 {
              x19 = read a0 x3
              x20 = abs x19
              x21 = read a2 x3
              yield x20 x21
            } else {
              yield 0 0
            }
            for x7 in x5 .. x6 simd carry x15 = 0 {
              x8 = sub x7 x5
              x11 = add x10 x8
              x12 = read a1 x11
              x14 = mul x12 x13
              x17 = add x15 x14
              next x17 add
            } gives x16
            store a6 x3 x16
          }
        }
    "#]],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one kernel")]
fn offsets_of_kept_lanes() {
    check(
        KEPT_ROWS,
        &expect![[r#"
            kernel k0 rows(a0: in i64, a1: i64, a2: out i64, a3: out i64, a4: out i64, a5: out i64, a6: in i64, a7: in i64, a8: out i64, a9: out i64) tiles of 16384 over a1 as x0 x1 x2 {
              for x3 in x1 .. x2 simd carry x4 = 0, x6 = 0, x8 = 0, x10 = 0 {
                x12 = read a0 x3
                x13 = gt x12 1
                x14 = read a0 x3
                x15 = select x13 x14 0
                x16 = btoi x13
                x17 = add x4 x16
                x18 = max x15 0
                x19 = add x8 x18
                x20 = read a0 x3
                x21 = eq x20 1
                x24 = if x21 {
                  x22 = read a6 x3
                  x23 = read a7 x22
                  yield x23
                } else {
                  yield 0
                }
                x25 = btoi x21
                x26 = add x6 x25
                x27 = max x24 0
                x28 = add x10 x27
                next x17 add, x26 add, x19 add, x28 add
              } gives x5, x7, x9, x11
              chain x29 = add x5, x30 = add x7, x31 = add x9, x32 = add x11
              for x33 in x1 .. x2 carry x36 = x31, x34 = x29 {
                x38 = read a0 x33
                x39 = gt x38 1
                x40 = read a0 x33
                x41 = select x39 x40 0
                x42 = max x41 0
                x43 = sub 140737488355328 x36
                x44 = le x42 x43
                require memory x44 x42 -1
                x45 = add x36 x42
                when x39 {
                  positions x34
                  x46 = read a6 x33
                  x47 = read a0 x33
                  x48 = sub x47 2
                  x49 = ge x48 0
                  require index x49 x48 x47
                  x50 = select x49 x48 0
                  x51 = add x46 x50
                  x52 = read a7 x51
                  store a2 x34 x33
                  store a5 x34 x36
                  store a9 x34 x52
                }
                x53 = btoi x39
                x54 = add x34 x53
                next x45, x54
              } gives x37, x35
              for x55 in x1 .. x2 carry x58 = x32, x56 = x30 {
                x60 = read a0 x55
                x61 = eq x60 1
                x64 = if x61 {
                  x62 = read a6 x55
                  x63 = read a7 x62
                  yield x63
                } else {
                  yield 0
                }
                x65 = max x64 0
                x66 = sub 140737488355328 x58
                x67 = le x65 x66
                require memory x67 x65 -1
                x68 = add x58 x65
                when x61 {
                  store a8 x56 x58
                }
                x69 = btoi x61
                x70 = add x56 x69
                next x68, x70
              } gives x59, x57
              partial 0 x5
              partial 1 x7
              partial 2 x9
              partial 3 x11
            } finish x71 = add, x72 = add, x73 = add, x74 = add {
              store a3 0 x71
              store a4 0 x72
              store a5 x71 x73
              store a8 x72 x74
            }
        "#]],
    );
}
