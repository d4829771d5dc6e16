//! Arrays of each layout as values, with what is wrong with wrong ones; and released exactly once.

#![expect(unsafe_code, reason = "arrays are made of pointers")]

mod made;

use arrow::{ArrowArray, Fill, Nulls, Options, export, import};
use made::{Made, bits, bytes, f64s, i32s, i64s};
use prim::{Ty, Widths};
use std::sync::atomic::Ordering;
use types::Type;
use value::print::Style;
use value::{Columns, Shape, Typed};

/// The rows as text, and their type; or what is wrong.  The array is released by then.
fn taken_at(made: &Made, options: impl Into<Options>) -> String {
    let (schema, array, [of_schema, of_array]) = made.hand();
    // SAFETY: the array is as the interface says, or wrong in a way that is to be found.
    let text = match unsafe { import(&schema, array, options) } {
        Ok(rows) => {
            assert!(Typed::rows(rows.ty().clone(), rows.columns().clone()).is_ok());
            shown(&rows)
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(of_array.load(Ordering::SeqCst), 1, "{made:?}");
    assert_eq!(of_schema.load(Ordering::SeqCst), 0);
    drop(schema);
    assert_eq!(of_schema.load(Ordering::SeqCst), 1);
    text
}

fn shown(rows: &Typed) -> String {
    let value = rows.sequence().unwrap();
    let shape = shape(value.ty());
    let style = Style::FULL.of_widths(rows.columns().widths());
    let text = value.columns().show(&shape, 0, style);
    format!("{} : {shape}", String::from_utf8_lossy(&text))
}

fn shape(ty: &Type) -> Shape {
    Shape::of(ty, &[], &base::IdMap::default())
}

#[track_caller]
fn check(made: &Made, expected: &str) {
    assert_eq!(taken_at(made, Widths::WIDE), expected);
}

fn ints(values: &[i64]) -> Made {
    Made::new("l", values.len() as i64, vec![i64s(values)])
}
fn list(offsets: &[i32], child: Made) -> Made {
    Made::new("+l", offsets.len() as i64 - 1, vec![i32s(offsets)]).with(vec![child])
}
fn large(offsets: &[i64], child: Made) -> Made {
    Made::new("+L", offsets.len() as i64 - 1, vec![i64s(offsets)]).with(vec![child])
}
fn text(format: &'static str, offsets: Vec<u8>, rows: i64, data: &str) -> Made {
    Made::new(format, rows, vec![offsets, data.as_bytes().to_vec()])
}
fn fields(rows: i64, children: Vec<Made>) -> Made {
    Made::new("+s", rows, vec![]).with(children)
}
/// The same with nulls where bits are false.
fn with_nulls(mut made: Made, valid: &[bool], count: i64) -> Made {
    made.buffers[0] = Some(bits(made.offset as usize, valid));
    made.null_count = count;
    made
}

#[test]
fn ints_and_floats() {
    check(&ints(&[1, -2]), "[1, -2] : [int]");
    let of = |format, data| Made::new(format, 2, vec![data]);
    check(&of("c", vec![1, 0xff]), "[1, -1] : [int]");
    check(&of("C", vec![1, 0xff]), "[1, 255] : [int]");
    check(&of("s", bytes(&[1, -1], i16::to_ne_bytes)), "[1, -1] : [int]");
    check(&of("S", bytes(&[1, 65535], u16::to_ne_bytes)), "[1, 65535] : [int]");
    check(&of("i", i32s(&[1, -1])), "[1, -1] : [int]");
    check(&of("I", bytes(&[1, u32::MAX], u32::to_ne_bytes)), "[1, 4294967295] : [int]");
    check(&of("L", bytes(&[1, 7], u64::to_ne_bytes)), "[1, 7] : [int]");
    check(
        &of("L", bytes(&[1, 1 << 63], u64::to_ne_bytes)),
        "row 1: 9223372036854775808 is too large for an int of 64 bits",
    );
    check(&of("g", f64s(&[0.5, -1.0])), "[0.5, -1.0] : [float]");
    check(&of("f", bytes(&[0.5, -1.0], f32::to_ne_bytes)), "[0.5, -1.0] : [float]");
    check(&ints(&[1, 2, 3, 4]).slice(1, 2), "[2, 3] : [int]");
}

#[test]
fn narrow_numbers() {
    let narrow = |made: &Made| taken_at(made, Widths::NARROW);
    assert_eq!(narrow(&ints(&[1, -2])), "[1, -2] : [int]");
    let large_int = ints(&[1, 1 << 31]);
    assert_eq!(narrow(&large_int), "row 1: 2147483648 is too large for an int of 32 bits");
    let floats = Made::new("g", 1, vec![f64s(&[0.1])]);
    assert_eq!(narrow(&floats), "[0.1] : [float]");
    let lists = list(&[0, 1, 2], Made::new("i", 2, vec![i32s(&[3, 4])]));
    assert_eq!(narrow(&lists), "[[3], [4]] : [[int]]");
    assert_eq!(narrow(&large(&[0, 0, 1], ints(&[3]))), "[[], [3]] : [[int]]");
}

#[test]
fn bools_are_bits() {
    let pattern = |n: usize| n.is_multiple_of(3);
    for offset in [0, 1, 3, 8, 9] {
        for length in [0, 1, 7, 8, 17] {
            let values: Vec<bool> = (0..length).map(pattern).collect();
            let made = Made::new("b", length as i64, vec![bits(offset, &values)])
                .slice(offset as i64, length as i64);
            let (schema, array, _) = made.hand();
            // SAFETY: the array is as the interface says.
            let rows = unsafe { import(&schema, array, Widths::WIDE) }.unwrap();
            let Columns::Scalar(column) = rows.columns() else { panic!("{rows:?}") };
            let found: Vec<bool> = column.bytes().iter().map(|&byte| byte == 1).collect();
            assert_eq!(found, values, "{offset} {length}");
        }
    }
}

#[test]
fn lists() {
    check(&list(&[0, 2, 2, 3], ints(&[1, 2, 3])), "[[1, 2], [], [3]] : [[int]]");
    check(&large(&[0, 2, 2, 3], ints(&[1, 2, 3])), "[[1, 2], [], [3]] : [[int]]");
    // Offsets that begin later, by themselves or as a slice.
    check(&large(&[1, 2, 3], ints(&[1, 2, 3])), "[[2], [3]] : [[int]]");
    check(&large(&[0, 1, 3, 3], ints(&[1, 2, 3])).slice(1, 2), "[[2, 3], []] : [[int]]");
    check(&list(&[0, 1, 3, 3], ints(&[1, 2, 3]).slice(1, 2)).slice(0, 1), "[[2]] : [[int]]");
    let deep = list(&[0, 1, 3], large(&[0, 2, 2, 3], ints(&[1, 2, 3])));
    check(&deep, "[[[1, 2]], [[], [3]]] : [[[int]]]");
    check(&deep.clone().slice(1, 1), "[[[], [3]]] : [[[int]]]");
}

#[test]
fn views() {
    let view = |format, starts: Vec<u8>, sizes: Vec<u8>| {
        Made::new(format, 3, vec![starts, sizes]).with(vec![ints(&[1, 2, 3, 4])])
    };
    let made = view("+vl", i32s(&[2, 0, 1]), i32s(&[2, 0, 3]));
    check(&made, "[[3, 4], [], [2, 3, 4]] : [[int]]");
    check(&made.clone().slice(2, 1), "[[2, 3, 4]] : [[int]]");
    check(&view("+vL", i64s(&[0, 1, 3]), i64s(&[1, 2, 1])), "[[1], [2, 3], [4]] : [[int]]");
    // A list of nothing may begin anywhere.
    check(&view("+vL", i64s(&[9, 0, 0]), i64s(&[0, 1, 1])), "[[], [1], [1]] : [[int]]");
    for (start, size) in [(2, 3), (-1, 1), (0, -1), (i64::MAX, 1)] {
        let made = view("+vL", i64s(&[0, start, 0]), i64s(&[0, size, 0]));
        check(&made, &format!("row 1: a view of {size} elements from {start} on, of 4 in all"));
    }
    // Lists of views of lists.
    let inner = Made::new("+vl", 2, vec![i32s(&[1, 0]), i32s(&[1, 2])])
        .with(vec![list(&[0, 1, 3], ints(&[7, 8, 9]))]);
    check(&inner, "[[[8, 9]], [[7], [8, 9]]] : [[[int]]]");
}

#[test]
fn lists_of_one_length() {
    let of = |rows, size, child| Made::new(size, rows, vec![]).with(vec![child]);
    check(&of(2, "+w:2", ints(&[1, 2, 3, 4])), "[[1, 2], [3, 4]] : [[int]]");
    check(&of(3, "+w:2", ints(&[1, 2, 3, 4, 5, 6])).slice(1, 2), "[[3, 4], [5, 6]] : [[int]]");
    check(&of(2, "+w:0", ints(&[])), "[[], []] : [[int]]");
    check(&of(3, "+w:2", ints(&[1, 2])), "3 lists of 2 elements, of which there are 2");
    check(&of(1, "+w:x", ints(&[])), "`+w:x` is no Arrow type");
    check(
        &of(2, "+w:9223372036854775807", ints(&[1])),
        "2 lists of 9223372036854775807 elements, of which there are 1",
    );
    check(&Made::new("w:2", 2, vec![b"abcd".to_vec()]), "[\"ab\", \"cd\"] : [[char]]");
    check(
        &Made::new("w:2", 2, vec![b"abcdef".to_vec()]).slice(1, 2),
        "[\"cd\", \"ef\"] : [[char]]",
    );
}

#[test]
fn structs_are_tuples() {
    let floats = Made::new("g", 3, vec![f64s(&[0.5, 1.5, 2.5])]);
    let pairs = fields(3, vec![ints(&[1, 2, 3]), floats.clone()]);
    check(&pairs, "[(1, 0.5), (2, 1.5), (3, 2.5)] : [(int, float)]");
    // A slice of a struct is one of its fields, which may be slices, too.
    check(&pairs.clone().slice(1, 1), "[(2, 1.5)] : [(int, float)]");
    let sliced = fields(3, vec![ints(&[9, 1, 2, 3]).slice(1, 3), floats.clone()]).slice(2, 1);
    check(&sliced, "[(3, 2.5)] : [(int, float)]");
    check(
        &list(&[0, 2, 3], pairs.clone()),
        "[[(1, 0.5), (2, 1.5)], [(3, 2.5)]] : [[(int, float)]]",
    );
    let three = fields(3, vec![ints(&[1, 2, 3]), pairs.clone()]);
    check(&three.slice(0, 1), "[(1, 1, 0.5)] : [(int, int, float)]");
    let left = fields(3, vec![pairs, ints(&[1, 2, 3])]);
    check(&left.slice(0, 1), "[((1, 0.5), 1)] : [((int, float), int)]");
    check(&fields(1, vec![ints(&[4])]), "[4] : [int]");
    check(&fields(1, vec![]), "a struct without fields is no tuple");
    check(&fields(3, vec![ints(&[1, 2]), floats]), ".1: 2 rows where 3 are needed");
}

#[test]
fn strings_are_chars() {
    let words = "[\"hi\", \"\", \"you\"] : [[char]]";
    check(&text("u", i32s(&[0, 2, 2, 5]), 3, "hiyou"), words);
    check(&text("U", i64s(&[0, 2, 2, 5]), 3, "hiyou"), words);
    check(&text("z", i32s(&[1, 3, 3, 6]), 3, " hiyou"), words);
    check(&text("Z", i64s(&[0, 0, 2, 2, 5]), 4, "hiyou").slice(1, 3), words);
    check(
        &text("u", i32s(&[0, 2, 4]), 2, "hié"),
        "row 1: the text is not ASCII: a char of NESL is one byte, and this one takes several; as \
         binary it is taken byte by byte",
    );
    let listed = list(&[0, 2, 3], text("u", i32s(&[0, 1, 2, 4]), 3, "hié"));
    let error = taken_at(&listed, Widths::WIDE);
    assert!(error.starts_with("[i] in row 1: the text is not ASCII"), "{error}");
    // Elements outside of all lists may be anything.
    check(&text("u", i32s(&[0, 2, 4]), 2, "hié").slice(0, 1), "[\"hi\"] : [[char]]");
}

#[test]
fn string_views() {
    let long = "a text of more than twelve bytes";
    let view = |len: i32, rest: [u8; 12]| [&len.to_ne_bytes()[..], &rest].concat();
    let elsewhere = |len: i32, buffer: i32, from: i32| {
        let place = [[0; 4], buffer.to_ne_bytes(), from.to_ne_bytes()].concat();
        view(len, place.try_into().unwrap())
    };
    let short = view(2, *b"hi          ");
    let of = |views: Vec<u8>| {
        let data = [b"..".to_vec(), [b"--", long.as_bytes()].concat()];
        let sizes = i64s(&[2, 2 + long.len() as i64]);
        let [first, second] = data;
        Made::new("vu", views.len() as i64 / 16, vec![views, first, second, sizes])
    };
    let len = long.len() as i32;
    let good = [short.clone(), elsewhere(len, 1, 2), elsewhere(13, 1, 2)].concat();
    check(&of(good), &format!("[\"hi\", \"{long}\", \"a text of mor\"] : [[char]]"));
    for (buffer, from) in [(2, 0), (-1, 0), (1, 3), (1, -1), (0, 0)] {
        let message = format!(
            "row 1: a view of {len} bytes from {from} on in buffer {buffer}, which are not there"
        );
        check(&of([short.clone(), elsewhere(len, buffer, from)].concat()), &message);
    }
}

#[test]
fn dictionaries() {
    let words = text("u", i32s(&[0, 1, 3]), 2, "abb");
    let of = |format, data: Vec<u8>| {
        let mut made = Made::new(format, 3, vec![data]);
        made.dictionary = Some(Box::new(words.clone()));
        made
    };
    check(&of("c", vec![1, 0, 1]), "[\"bb\", \"a\", \"bb\"] : [[char]]");
    check(&of("i", i32s(&[1, 0, 1])).slice(1, 2), "[\"a\", \"bb\"] : [[char]]");
    check(&of("l", i64s(&[0, 1, 2])), "row 2: index 2 is outside a dictionary of 2 values");
    check(&of("c", vec![0, 0xff, 0]), "row 1: index -1 is outside a dictionary of 2 values");
    let listed = list(&[0, 1, 3], of("c", vec![1, 0, 5]));
    check(&listed, "[i] in row 1: index 5 is outside a dictionary of 2 values");
}

#[test]
fn nulls_are_named() {
    let null = "it is null, and NESL has no nulls";
    let valid = [true, true, false, true];
    for offset in [0, 1, 3, 8, 9] {
        let values: Vec<i64> = (0..offset + 4).collect();
        for count in [1, -1] {
            let made = with_nulls(ints(&values).slice(offset, 4), &valid, count);
            check(&made, &format!("row 2: {null}"));
        }
        let whole = with_nulls(ints(&values).slice(offset, 4), &[true; 4], -1);
        let values: Vec<String> = (offset..offset + 4).map(|n| n.to_string()).collect();
        check(&whole, &format!("[{}] : [int]", values.join(", ")));
    }
    let child = with_nulls(ints(&[1, 2, 3, 4]), &valid, 1);
    check(&list(&[0, 1, 2, 4], child.clone()), &format!("[i] in row 2: {null}"));
    check(&list(&[0, 1, 2, 2], child.clone()), "[[1], [2], []] : [[int]]");
    let pairs = fields(4, vec![ints(&[1, 2, 3, 4]), child]);
    check(&list(&[0, 0, 4], pairs.clone()), &format!("[i].2 in row 1: {null}"));
    check(&with_nulls(pairs, &[false, true, true, true], 1), &format!("row 0: {null}"));
    let mut untold = ints(&[1]);
    untold.null_count = 1;
    check(&untold, "the array has 1 nulls, and does not tell which");
}

#[test]
fn nulls_are_filled() {
    let fill = Fill { int: -1, float: 0.5, bool: true };
    let with = |widths| Options { widths, nulls: Nulls::Fill(fill) };
    let check = |made: &Made, expected: &str| {
        assert_eq!(taken_at(made, with(Widths::WIDE)), expected);
        assert_eq!(taken_at(made, with(Widths::NARROW)), expected);
    };
    let valid = [true, false, false, true];
    let null = |made: Made| with_nulls(made, &valid, 2);
    for offset in [0, 1, 3, 8, 9, 15] {
        let values: Vec<i64> = (0..offset + 4).collect();
        let (first, last) = (offset, offset + 3);
        let sliced = null(ints(&values).slice(offset, 4));
        check(&sliced, &format!("[{first}, -1, -1, {last}] : [int]"));
        // Many of one kind, over the bytes of the bitmap.
        let mut long = vec![false; 40];
        (long[0], long[39]) = (true, true);
        let values: Vec<i64> = vec![7; offset as usize + 40];
        let long = with_nulls(ints(&values).slice(offset, 40), &long, -1);
        check(&long, &format!("[7{}, 7] : [int]", ", -1".repeat(38)));
    }
    let of = |format, data: Vec<u8>| null(Made::new(format, 4, vec![data]));
    check(&of("c", vec![1, 2, 3, 4]), "[1, -1, -1, 4] : [int]");
    check(&of("i", i32s(&[1, 2, 3, 4])), "[1, -1, -1, 4] : [int]");
    check(&of("g", f64s(&[1.0, 2.0, 3.0, 4.0])), "[1.0, 0.5, 0.5, 4.0] : [float]");
    let floats = bytes(&[1.0, 2.0, 3.0, 4.0], f32::to_ne_bytes);
    check(&of("f", floats), "[1.0, 0.5, 0.5, 4.0] : [float]");
    check(&of("b", bits(0, &[false; 4])), "[F, T, T, F] : [bool]");
    // Whatever lies behind a null is not looked at.
    let wild = Made::new("+vl", 4, vec![i32s(&[1, -9, 99, 0]), i32s(&[1, 9, -9, 2])]);
    check(&null(wild.with(vec![ints(&[1, 2])])), "[[2], [], [], [1, 2]] : [[int]]");
    check(&null(list(&[0, 1, 2, 2, 3], ints(&[1, 2, 3]))), "[[1], [], [], [3]] : [[int]]");
    check(&null(large(&[0, 1, 2, 2, 3], ints(&[1, 2, 3]))), "[[1], [], [], [3]] : [[int]]");
    let regular = Made::new("+w:1", 4, vec![]).with(vec![ints(&[1, 2, 3, 4])]);
    check(&null(regular), "[[1], [], [], [4]] : [[int]]");
    let words = text("u", i32s(&[0, 1, 2, 3, 4]), 4, "a\u{e9}d");
    check(&null(words), "[\"a\", \"\", \"\", \"d\"] : [[char]]");
    let fixed = Made::new("w:1", 4, vec![b"abcd".to_vec()]);
    check(&null(fixed), "[\"a\", \"\", \"\", \"d\"] : [[char]]");
    let mut views = vec![0; 64];
    (views[0], views[4], views[16], views[48], views[52]) = (1, b'a', 99, 1, b'd');
    let views = Made::new("vu", 4, vec![views, vec![]]);
    check(&null(views), "[\"a\", \"\", \"\", \"d\"] : [[char]]");
    let mut codes = Made::new("c", 4, vec![vec![1, 9, 0xff, 0]]);
    codes.dictionary = Some(Box::new(with_nulls(ints(&[5, 6]), &[false, true], 1)));
    check(&null(codes), "[6, -1, -1, -1] : [int]");
    // A struct that is null has its fields filled, and fields may be null by themselves.
    let child = with_nulls(ints(&[9, 1, 2, 3, 4]), &[true, false, true, true, true], 1);
    let lists = large(&[0, 0, 1, 1, 1, 1], ints(&[8]));
    let pairs = fields(5, vec![child, lists]).slice(1, 4);
    check(&null(pairs), "[(-1, [8]), (-1, []), (-1, []), (4, [])] : [(int, [int])]");
    let all = with_nulls(list(&[0, 2], null(ints(&[1, 2, 3, 4]))), &[true], 0);
    check(&all, "[[1, -1]] : [[int]]");
    let mut none = with_nulls(Made::new("+L", 2, vec![]).with(vec![ints(&[])]), &[false; 2], 2);
    none.buffers.push(None);
    check(&none, "[[], []] : [[int]]");
}

#[test]
fn what_takes_the_place_of_nulls_has_room() {
    let nulls = Nulls::Fill(Fill { int: 1 << 40, ..Fill::default() });
    let message = "1099511627776, in place of nulls, is too large for an int of 32 bits";
    for made in [ints(&[1, 2]), Made::new("i", 2, vec![i32s(&[1, 2])])] {
        let made = with_nulls(made, &[true, false], 1);
        assert_eq!(taken_at(&made, Options { widths: Widths::NARROW, nulls }), message);
        let wide = Options { widths: Widths::WIDE, nulls };
        assert_eq!(taken_at(&made, wide), "[1, 1099511627776] : [int]");
    }
}

#[test]
fn floats_of_16_bits() {
    let halves = [0x3c00, 0xc000, 0x3555, 0x0001, 0x83ff, 0x0400, 0x7bff, 0x8000, 0x7c00_u16];
    let values = [
        1.0,
        -2.0,
        1365.0 / 4096.0,
        f64::powi(2.0, -24),
        -1023.0 * f64::powi(2.0, -24),
        f64::powi(2.0, -14),
        65504.0,
        -0.0,
        f64::INFINITY,
    ];
    let made = Made::new("e", 9, vec![bytes(&halves, u16::to_ne_bytes)]);
    for widths in [Widths::WIDE, Widths::NARROW] {
        for from in 0..9 {
            let (schema, array, _) = made.clone().slice(from, 9 - from).hand();
            // SAFETY: the array is as the interface says.
            let rows = unsafe { import(&schema, array, widths) }.unwrap();
            let Columns::Scalar(column) = rows.columns() else { panic!("{rows:?}") };
            let found: Vec<u64> =
                column.floats_of(0..column.len).iter().map(|x| x.to_bits()).collect();
            let wanted: Vec<u64> = values[from as usize..].iter().map(|x| x.to_bits()).collect();
            assert_eq!(found, wanted);
        }
    }
    let nan = Made::new("e", 1, vec![bytes(&[0x7e00_u16], u16::to_ne_bytes)]);
    check(&nan, "[nan] : [float]");
}

#[test]
fn types_are_refused_where_they_stand() {
    let inside = |made: Made| list(&[0], fields(0, vec![ints(&[]), list(&[0], made)]));
    for (format, name) in [("+m", "map"), ("+us:0,1", "union"), ("+ud:", "union"), ("+r", "run")] {
        let error = taken_at(&inside(Made::new(format, 0, vec![])), Widths::WIDE);
        let wanted = format!("[i].2[j]: NESL has no type for Arrow's {name}");
        assert!(error.starts_with(&wanted), "{error}");
    }
    // Nothing of them is read: children and offsets may be anything.
    let entries = fields(2, vec![ints(&[1, 2]), ints(&[3, 4])]);
    let map = Made::new("+m", 1, vec![i32s(&[9, -9])]).with(vec![entries]);
    check(&map, "NESL has no type for Arrow's map");
    let ends = Made::new("i", 2, vec![i32s(&[7, 3])]);
    let runs = Made::new("+r", 9, vec![]).with(vec![ends, ints(&[1, 2])]);
    check(&runs, "NESL has no type for Arrow's run-end encoding");
    let union = Made::new("+ud:0", 2, vec![vec![0, 5], i32s(&[9, -9])]).with(vec![ints(&[1])]);
    check(&union, "NESL has no type for Arrow's union");
}

#[test]
fn offsets_that_are_wrong() {
    let of = |offsets: &[i64]| large(offsets, ints(&[1, 2, 3]));
    check(&of(&[0, 2, 1, 3]), "row 1: offsets fall from 2 to 1");
    check(&of(&[1, 2, 1, 3]), "row 1: offsets fall from 2 to 1");
    check(&of(&[-1, 2]), "row 0: its first offset is -1");
    check(&of(&[0, -2]), "row 0: offsets fall from 0 to -2");
    check(&of(&[0, 2, 4, 5]), "row 1: a list ends behind 3 elements");
    check(&of(&[1, 2, 4, 5]), "row 1: a list ends behind 3 elements");
    check(&of(&[0, i64::MAX]), "row 0: a list ends behind 3 elements");
    check(&list(&[0, 2, 1], ints(&[1, 2])), "row 1: offsets fall from 2 to 1");
    let deep = list(&[0, 1, 3], of(&[0, 2, 2, 9]));
    check(&deep, "[i] in row 1: a list ends behind 3 elements");
    check(&text("u", i32s(&[0, 2, 1]), 2, "hi"), "row 1: offsets fall from 2 to 1");
}

#[test]
fn arrays_that_are_wrong() {
    check(&ints(&[1]).slice(0, -1), "the array has -1 rows");
    check(&ints(&[1]).slice(-1, 1), "the array has -1 rows before the first");
    check(&ints(&[1]).slice(i64::MAX, 1), "the array has 1 rows after 9223372036854775807");
    let mut few = ints(&[1]);
    few.buffers.pop();
    check(&few, "the array has 1 buffers instead of 2");
    let mut none = ints(&[1]);
    none.buffers[1] = None;
    check(&none, "the array lacks buffer 1");
    check(&Made::new("+l", 0, vec![i32s(&[0])]), "the schema of format `+l` has 0 children");
    for (format, name) in [
        ("n", "null"),
        ("tss:UTC", "timestamp"),
        ("+us:0,1", "union"),
        ("?", "`?`"),
        ("d:10,2", "decimal"),
        ("+ud:0,1", "union"),
        ("+r", "run-end encoding"),
        ("+m", "map"),
    ] {
        check(&Made::new(format, 0, vec![]), &format!("NESL has no type for Arrow's {name}"));
    }
    let deep = (0..100).fold(ints(&[]), |made, _| list(&[0], made));
    let error = taken_at(&deep, Widths::WIDE);
    assert!(error.ends_with("the schema has more than 64 levels"), "{error}");
}

#[test]
fn arrays_that_were_released() {
    let (schema, mut array, [_, count]) = ints(&[1]).hand();
    drop(array.take());
    assert_eq!(count.load(Ordering::SeqCst), 1);
    // SAFETY: it has been released, which is to be found.
    let error = unsafe { import(&schema, array, Widths::WIDE) }.unwrap_err();
    assert_eq!(error.to_string(), "the array has been released");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn no_rows() {
    check(&ints(&[]), "[] : [int]");
    for buffer in [None, Some(vec![])] {
        let mut made = list(&[0], ints(&[]));
        made.buffers[1] = buffer.clone();
        made.children[0].buffers[1] = buffer.clone();
        check(&made, "[] : [[int]]");
        let mut made = text("U", vec![], 0, "");
        made.buffers[1..].fill(buffer);
        check(&made, "[] : [[char]]");
    }
    check(&large(&[0, 0, 0], ints(&[])), "[[], []] : [[int]]");
    check(&Made::new("b", 0, vec![vec![]]), "[] : [bool]");
    let mut bare = ints(&[]);
    bare.buffers.clear();
    check(&bare, "[] : [int]");
}

/// The address of the elements of rows.
fn places(columns: &Columns) -> Vec<*const u8> {
    match columns {
        Columns::Scalar(column) => vec![column.bytes().as_ptr()],
        Columns::Tuple(parts) => parts.iter().flat_map(places).collect(),
        Columns::Seq { offsets, elements } => {
            [vec![offsets.bytes().as_ptr()], places(elements)].concat()
        }
    }
}

#[test]
fn what_lies_as_columns_do_is_not_copied() {
    let floats = Made::new("g", 3, vec![f64s(&[0.5, 1.5, 2.5])]);
    let made = large(&[0, 2, 3], fields(3, vec![ints(&[1, 2, 3]), floats]));
    let (schema, array, [_, count]) = made.hand();
    // SAFETY: the array has these parts.
    let theirs = unsafe {
        let buffer = |array: *const ArrowArray| (*array).buffers.add(1).read().cast::<u8>();
        let child = |array: *const ArrowArray, n| (*array).children.add(n).read().cast_const();
        let rows = child(&raw const array, 0);
        vec![buffer(&raw const array), buffer(child(rows, 0)), buffer(child(rows, 1))]
    };
    // SAFETY: the array is as the interface says.
    let rows = unsafe { import(&schema, array, Widths::WIDE) }.unwrap();
    assert_eq!(places(rows.columns()), theirs);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    // And out again: the memory is let go with the array that was made of it.
    let value = rows.sequence().unwrap();
    let (_, array) = export(&shape(value.ty()), value.columns()).unwrap();
    drop((rows, value));
    assert_eq!(count.load(Ordering::SeqCst), 0);
    drop(array);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn arrays_that_are_given_have_all_buffers() {
    let empty = Typed::rows(
        Type::Seq(Type::Base(Ty::Bool).into()),
        Columns::Seq {
            offsets: value::Column::of_ints(Widths::WIDE, &[0]).unwrap(),
            elements: Box::new(Columns::Scalar(
                value::Column::of_bytes(Ty::Bool, Widths::WIDE, &[]).unwrap(),
            )),
        },
    );
    let value = empty.unwrap().sequence().unwrap();
    let (schema, array) = export(&shape(value.ty()), value.columns()).unwrap();
    assert_eq!((array.length, array.offset, array.null_count), (0, 0, 0));
    // SAFETY: the array has these parts.
    unsafe {
        assert!(!array.buffers.add(1).read().is_null());
        let child = &**array.children;
        assert!(child.n_buffers == 2 && !child.buffers.add(1).read().is_null());
        let [format, item] = [&schema, &**schema.children]
            .map(|schema| std::ffi::CStr::from_ptr(schema.format).to_str().unwrap());
        assert_eq!([format, item], ["+L", "b"]);
    }
}

#[test]
fn chars_beyond_ascii_are_given_as_binary() {
    for (bytes, format) in [(&b"hi"[..], "U"), (&[b'h', 0xe9][..], "Z")] {
        let made = Made::new("Z", 1, vec![i64s(&[0, 2]), bytes.to_vec()]);
        let (schema, array, _) = made.hand();
        // SAFETY: the array is as the interface says.
        let rows = unsafe { import(&schema, array, Widths::WIDE) }.unwrap().sequence().unwrap();
        let (schema, _array) = export(&shape(rows.ty()), rows.columns()).unwrap();
        // SAFETY: a schema has a format.
        let found = unsafe { std::ffi::CStr::from_ptr(schema.format) };
        assert_eq!(found.to_str().unwrap(), format);
    }
}
