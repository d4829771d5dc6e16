//! Kernels of every shape give what they should on 1, 2 and 3 threads.

mod common;

use common::{Data, floats, int, ints, random, run};
use prim::Ty;

const DOT: &str = "
kernel k0 dot(a0: in f64, a1: in f64, a2: i64, a3: out f64) tiles of 100 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0.0 {
    x5: f64 = read a0 x3
    x6: f64 = read a1 x3
    x7 = mul x5 x6
    x8 = add x4 x7
    next x8 add
  } gives x9
  partial 0 x9
} finish x10: f64 = add {
  store a3 0 x10
}";

#[test]
fn dot() {
    for n in [0, 1, 99, 100, 101, 1000] {
        let v = floats((0..n).map(f64::from));
        let after = run(DOT, &[v.clone(), v, int(i64::from(n)), Data::room(Ty::F64, 1)]);
        let sum = (0..n).map(f64::from).fold(0.0, |sum, x| sum + x * x);
        assert_eq!(after[3], floats([sum]));
    }
}

#[test]
fn reductions_of_every_kind() {
    let text = "
kernel k0 stats(a0: in i64, a1: in f64, a2: i64, a3: out i64, a4: out f64, a5: out bool,
  a6: in char, a7: out char) tiles of 64 over a2 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x10 = 0, x11 = -9223372036854775808, x12 = inf, x13 = F,
    x14 = T, x15 = F, x16 = -1, x17 = 1.0 {
    x4 = read a0 x3
    x5: f64 = read a1 x3
    x6 = eq x4 77
    x20 = add x10 x4
    x21 = max x11 x4
    x22 = min x12 x5
    x23 = or x13 x6
    x24 = and x14 x6
    x25 = xor x15 x6
    x26 = and x16 x4
    x27 = mul x17 1.0
    next x20 add, x21 max, x22 min, x23 or, x24 and, x25 xor, x26 and, x27 mul
  } gives x30, x31, x32, x33, x34, x35, x36, x37
  for x40 in x1 .. x2 simd carry x41 = c0 {
    x42: char = read a6 x40
    x43 = max x41 x42
    next x43 max
  } gives x44
  partial 0 x30
  partial 1 x31
  partial 2 x32
  partial 3 x33
  partial 4 x34
  partial 5 x35
  partial 6 x36
  partial 7 x37
  partial 8 x44
} finish x50 = add, x51 = max, x52: f64 = min, x53: bool = or,
  x54: bool = and, x55: bool = xor, x56 = and, x57: f64 = mul, x58: char = max {
  store a3 0 x50
  store a3 1 x51
  store a3 2 x56
  store a4 0 x52
  store a4 1 x57
  store a5 0 x53
  store a5 1 x54
  store a5 2 x55
  store a7 0 x58
}";
    let n = 1000;
    let mut v: Vec<i64> = random(n).iter().map(|x| x >> 8 | 4).collect();
    v[10] = 77;
    v[500] = 77;
    v[999] = 77;
    let f: Vec<f64> = v.iter().map(|&x| if x % 3 == 0 { f64::NAN } else { x as f64 }).collect();
    let c: Vec<u8> = v.iter().map(|x| (x & 127) as u8).collect();
    let after = run(
        text,
        &[
            ints(v.clone()),
            floats(f.clone()),
            int(n as i64),
            Data::room(Ty::I64, 3),
            Data::room(Ty::F64, 2),
            Data::room(Ty::Bool, 3),
            Data::Bytes(c.clone()),
            Data::room(Ty::Char, 1),
        ],
    );
    let sum = v.iter().fold(0_i64, |a, &b| a.wrapping_add(b));
    let all = v.iter().fold(-1, |a, b| a & b);
    assert_eq!(after[3], ints([sum, *v.iter().max().unwrap(), all]));
    let least = f.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(after[4], floats([least, 1.0]));
    assert_eq!(after[5], Data::Bytes(vec![1, 0, 1]));
    assert_eq!(after[7], Data::Bytes(vec![*c.iter().max().unwrap()]));
}

#[test]
fn scan_by_chain() {
    // Exclusive prefix sums and running maxima of one vector, in one pass over tiles.
    let text = "
kernel k0 scan(a0: in i64, a1: i64, a2: out i64, a3: out i64, a4: out i64)
  tiles of 32 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd carry x4 = 0, x5 = -9223372036854775808 {
    x6 = read a0 x3
    x7 = add x4 x6
    x8 = max x5 x6
    next x7 add, x8 max
  } gives x9, x10
  partial 0 x9
  chain x11 = add x9, x12 = max x10
  for x13 in x1 .. x2 carry x14 = x11, x15 = x12 {
    x16 = read a0 x13
    store a2 x13 x14
    store a3 x13 x15
    x17 = add x14 x16
    x18 = max x15 x16
    next x17 add, x18 max
  } gives x19, x20
} finish x21 = add {
  store a4 0 x21
}";
    for n in [0, 1, 31, 32, 33, 1000, 5003] {
        let v = random(n);
        let (mut sums, mut maxima, mut sum, mut max) = (Vec::new(), Vec::new(), 0_i64, i64::MIN);
        for &x in &v {
            sums.push(sum);
            maxima.push(max);
            sum = sum.wrapping_add(x);
            max = max.max(x);
        }
        let room = Data::room(Ty::I64, n);
        let args = [ints(v), int(n as i64), room.clone(), room, Data::room(Ty::I64, 1)];
        let after = run(text, &args);
        assert_eq!((&after[2], &after[3], &after[4]), (&ints(sums), &ints(maxima), &ints([sum])));
    }
}

/// Keeps even elements, and their positions as chars.
fn filter(kept: &str) -> String {
    format!(
        "
kernel k0 filter(a0: in i64, a1: i64, a2: out i64, a3: out char, a4: out i64, a5: out i64)
  tiles of 700 over a1 as x0 x1 x2 {{
  for x3 in x1 .. x2 simd carry x4 = 0 {{
    x5 = read a0 x3
    x6 = and x5 1
    x7 = eq x6 0
    x8 = btoi x7
    x9 = add x4 x8
    next x9 add
  }} gives x10
  partial 0 x10
  chain x11 = add x10
  pack x12 in x1 .. x2 {{
    x13 = read a0 x12
    x14 = and x13 1
    x15 = eq x14 0
    x16 = and x12 255
    x17 = codechar x16
  }} keep x15 at x18 = x11 {{
{kept}
  }} store a2 x13, a3 x17 gives x19
}} finish x20 = add {{
  store a4 0 x20
}}"
    )
}

#[test]
fn pack() {
    for kept in ["", "    store a5 x18 x18"] {
        for n in [0, 1, 699, 700, 701, 5000] {
            let v = random(n);
            let indices: Vec<usize> = (0..n).filter(|&i| v[i] % 2 == 0).collect();
            let mut values: Vec<i64> = indices.iter().map(|&i| v[i]).collect();
            let mut bytes: Vec<u8> = indices.iter().map(|&i| (i & 255) as u8).collect();
            let mut stored: Vec<i64> = (0..indices.len() as i64).collect();
            if kept.is_empty() {
                stored.clear();
            }
            values.resize(n.max(1), 0);
            bytes.resize(n.max(1), 0);
            stored.resize(n.max(1), 0);
            let room = [Ty::I64, Ty::Char, Ty::I64, Ty::I64].map(|ty| Data::room(ty, n.max(1)));
            let [out, chars, count, cursors] = room;
            let after = run(&filter(kept), &[ints(v), int(n as i64), out, chars, count, cursors]);
            assert_eq!(after[2], ints(values), "{n}");
            assert_eq!(after[3], Data::Bytes(bytes), "{n}");
            let Data::Ints(count) = &after[4] else { unreachable!() };
            assert_eq!(count[0], indices.len() as i64);
            assert_eq!(after[5], ints(stored), "{n}");
        }
    }
}

/// Words, which are packed in vectors, and their positions: with tiles that end inside of one.
#[test]
fn pack_words() {
    let text = filter("").replace("a3: out char", "a3: out i64").replace("a3 x17", "a3 x12");
    for n in [0, 1, 7, 8, 9, 16, 699, 700, 701, 5000] {
        let v = random(n);
        let indices: Vec<usize> = (0..n).filter(|&i| v[i] % 2 == 0).collect();
        let mut values: Vec<i64> = indices.iter().map(|&i| v[i]).collect();
        let mut positions: Vec<i64> = indices.iter().map(|&i| i as i64).collect();
        values.resize(n.max(1), 0);
        positions.resize(n.max(1), 0);
        let room = || Data::room(Ty::I64, n.max(1));
        let after = run(&text, &[ints(v), int(n as i64), room(), room(), room(), room()]);
        let Data::Ints(count) = &after[4] else { unreachable!() };
        assert_eq!(count[0], indices.len() as i64);
        assert_eq!((&after[2], &after[3]), (&ints(values), &ints(positions)), "{n}");
    }
}

#[test]
fn balanced_tiles() {
    // The sum of each segment; segments are empty, short or huge.
    let text = "
kernel k0 sums(a0: in i64, a1: in i64, a2: i64, a3: out i64) tiles of 50 over a2 by a0 of 0 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4 = add x3 1
    x5 = read a0 x3
    x6 = read a0 x4
    for x7 in x5 .. x6 simd carry x8 = 0 {
      x9 = read a1 x7
      x10 = add x8 x9
      next x10 add
    } gives x11
    store a3 x3 x11
  }
}";
    for first in [0, 7] {
        for lengths in [vec![], vec![0; 200], vec![1000], vec![0, 3, 0, 0, 500, 1, 49, 50, 51, 0]] {
            let mut offsets = vec![first];
            for length in &lengths {
                offsets.push(offsets[offsets.len() - 1] + length);
            }
            let end = offsets[offsets.len() - 1] as usize;
            let v = random(end);
            let sums: Vec<i64> = offsets
                .windows(2)
                .map(|w| {
                    v[w[0] as usize..w[1] as usize].iter().fold(0, |a: i64, &b| a.wrapping_add(b))
                })
                .collect();
            let n = lengths.len();
            let after = run(text, &[ints(offsets), ints(v), int(n as i64), Data::room(Ty::I64, n)]);
            assert_eq!(after[3], ints(sums));
        }
    }
}

#[test]
fn owners_split_the_range() {
    let text = "
kernel k0 own(a0: i64, a1: out i64, a2: out i64) owners over a0 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    store a1 x3 1
  }
  x4 = sub x2 x1
  partial 0 x4
} finish x5 = add {
  store a2 0 x5
}";
    for n in [0, 1, 2, 1000] {
        let after = run(text, &[int(n), Data::room(Ty::I64, n as usize), Data::room(Ty::I64, 1)]);
        assert_eq!((&after[1], &after[2]), (&ints(vec![1; n as usize]), &ints([n])));
    }
}

#[test]
fn carried_values_change_all_at_once() {
    // Fibonacci numbers, and a rotation of three.
    let text = "
kernel k0 fib(a0: i64, a1: out i64) once as x0 x1 x2 {
  for x3 in 0 .. a0 carry x4 = 0, x5 = 1, x6 = 10, x7 = 20, x8 = 30 {
    x9 = add x4 x5
    next x5, x9, x7, x8, x6
  } gives x10, x11, x12, x13, x14
  store a1 0 x10
  store a1 1 x12
  store a1 2 x13
  store a1 3 x14
  x15, x16 = loop x17 = 48, x18 = 36 {
    x19 = rem x17 x18
    x20 = ne x19 0
    yield x20 x18 x19 x18 x17
  }
  store a1 4 x15
  store a1 5 x16
}";
    let after = run(text, &[int(10), Data::room(Ty::I64, 6)]);
    assert_eq!(after[1], ints([55, 20, 30, 10, 12, 36]));
}

#[test]
fn in_place() {
    // An output that is also an input, read through both names.
    let text = "
kernel k0 double(a0: inout i64, a1: i64) tiles of 64 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 simd {
    x4 = read a0 x3
    x5 = add x4 x4
    store a0 x3 x5
    x6 = add x4 1
    x7 = gt x6 50
    when x7 {
      store a0 x3 0
    }
  }
}";
    let after = run(text, &[ints(0..100), int(100)]);
    assert_eq!(after[0], ints((0..100).map(|x| if x + 1 > 50 { 0 } else { 2 * x })));
}

#[test]
fn functions() {
    // Several results, vectors as arguments, recursion, choices.
    let text = "
fn h0 divmod(x0, x1) -> i64, i64 {
  x2 = div x0 x1
  x3 = rem x0 x1
  yield x2 x3
}

fn h1 search(p0: vec i64, x0, x1, x2) -> i64 {
  x3 = sub x1 x0
  x4 = le x3 1
  x5 = if x4 {
    yield x0
  } else {
    x6 = add x0 x1
    x7 = div x6 2
    x8 = read p0 x7
    x9 = gt x8 x2
    x10 = select x9 x0 x7
    x11 = select x9 x7 x1
    x12 = call h1(x10, x11, x2; p0)
    yield x12
  }
  yield x5
}

fn h2 even(x0) -> bool {
  x1 = eq x0 0
  x2 = if x1 {
    yield T
  } else {
    x3 = sub x0 1
    x4: bool = call h3(x3)
    yield x4
  }
  yield x2
}

fn h3 odd(x0) -> bool {
  x1 = eq x0 0
  x2 = if x1 {
    yield F
  } else {
    x3 = sub x0 1
    x4: bool = call h2(x3)
    yield x4
  }
  yield x2
}

kernel k0 use(a0: in i64, a1: i64, a2: out i64, a3: out bool) tiles of 10 over a1 as x0 x1 x2 {
  for x3 in x1 .. x2 {
    x4, x5 = call h0(x3, 7)
    x6 = call h1(0, a1, x4; a0)
    x7 = add x5 x6
    store a2 x3 x7
    x8: bool = call h2(x3)
    store a3 x3 x8
  }
}";
    let n = 100;
    let after = run(
        text,
        &[
            ints((0..n).map(|x| 2 * x)),
            int(n),
            Data::room(Ty::I64, n as usize),
            Data::room(Ty::Bool, n as usize),
        ],
    );
    assert_eq!(after[2], ints((0..n).map(|i| i % 7 + i / 7 / 2)));
    assert_eq!(after[3], Data::Bytes((0..n).map(|i| u8::from(i % 2 == 0)).collect()));
}

#[test]
fn sorting() {
    let text = |what: &str, ty: &str, out: &str, by: &str| {
        format!(
            "kernel k0 s(a0: in {ty}, a1: i64, a2: out {out}, a3: in i64, a4: i64)
  {what} a0 of a1 in a4{by} to a2"
        )
    };
    for n in [0, 1, 5, 300, 40_000_usize] {
        let v: Vec<i64> = random(n).iter().map(|x| x >> 50).collect();
        let cuts: Vec<i64> = [0, 0, n / 3, n / 2, n / 2, n].map(|x| x as i64).to_vec();
        for by in ["", " by a3"] {
            let segments: Vec<std::ops::Range<usize>> = if by.is_empty() {
                std::iter::once(0..n).collect()
            } else {
                cuts.windows(2).map(|w| w[0] as usize..w[1] as usize).collect()
            };
            let (mut sorted, mut rank, mut down) = (v.clone(), vec![0; n], vec![0; n]);
            for segment in &segments {
                sorted[segment.clone()].sort_unstable();
                let mut order: Vec<usize> = segment.clone().collect();
                order.sort_by_key(|&i| v[i]);
                for (place, &i) in order.iter().enumerate() {
                    rank[i] = place as i64;
                }
                order = segment.clone().collect();
                order.sort_by_key(|&i| std::cmp::Reverse(v[i]));
                for (place, &i) in order.iter().enumerate() {
                    down[i] = place as i64;
                }
            }
            let count = if by.is_empty() { 1 } else { cuts.len() as i64 - 1 };
            let args = |keys: &Data, room: Ty| {
                [keys.clone(), int(n as i64), Data::room(room, n), ints(cuts.clone()), int(count)]
            };
            let keys = ints(v.clone());
            let after = run(&text("sort", "i64", "i64", by), &args(&keys, Ty::I64));
            assert_eq!(after[2], ints(sorted.clone()));
            let keys = floats(v.iter().map(|&x| x as f64));
            let after = run(&text("rank", "f64", "i64", by), &args(&keys, Ty::I64));
            assert_eq!(after[2], ints(rank));
            let after = run(&text("rank_down", "f64", "i64", by), &args(&keys, Ty::I64));
            assert_eq!(after[2], ints(down));
            let byte = |x: &i64| (x.rem_euclid(256)) as u8;
            let keys: Vec<u8> = v.iter().map(byte).collect();
            let mut sorted = keys.clone();
            segments.iter().for_each(|s| sorted[s.clone()].sort_unstable());
            let after = run(&text("sort", "char", "char", by), &args(&Data::Bytes(keys), Ty::Char));
            assert_eq!(after[2], Data::Bytes(sorted));
        }
    }
}
