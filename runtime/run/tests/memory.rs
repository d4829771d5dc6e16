//! Calls with values in memory: no file and no text, no copy on the cores, and owners that are let
//! go exactly once.

#![expect(unsafe_code, reason = "columns over memory of an owner, and pages that cannot be read")]

use expect_test::{Expect, expect};
use prim::{Ty, Widths};
use run::Session;
use run::session::{Answer, Callable, EngineKind, Event, Given, Options, Source};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use types::Type;
use value::{Column, Columns, Typed};

const ENGINES: [EngineKind; 2] = [EngineKind::Interp, EngineKind::Cpu];
const INT: Type = Type::Base(Ty::I64);
const FLOAT: Type = Type::Base(Ty::F64);
const BOOL: Type = Type::Base(Ty::Bool);
const CHAR: Type = Type::Base(Ty::Char);

fn session(engine: EngineKind, text: &str) -> Session {
    let mut options = Options::new(engine);
    options.cpu.threads = Some(2);
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", text.as_bytes(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}", errors[0].short(files));
        }
    });
    session
}

fn list(ty: Type) -> Type {
    Type::Seq(ty.into())
}
fn pair(first: Type, second: Type) -> Type {
    Type::Pair(first.into(), second.into())
}
fn ints(values: &[i64]) -> Columns {
    Columns::Scalar(Column::from_ints(values.to_vec()).unwrap())
}
fn floats(values: &[f64]) -> Columns {
    Columns::Scalar(Column::from_floats(values.to_vec()).unwrap())
}
fn bytes(ty: Ty, values: &[u8]) -> Columns {
    Columns::Scalar(Column::of_bytes(ty, Widths::WIDE, values).unwrap())
}
fn seq(offsets: &[i64], elements: Columns) -> Columns {
    let offsets = Column::from_ints(offsets.to_vec()).unwrap();
    Columns::Seq { offsets, elements: Box::new(elements) }
}
fn rows(ty: Type, columns: Columns) -> Typed {
    Typed::rows(ty, columns).unwrap()
}

/// The result as text, or the message; of the last call, too.
fn called(session: &mut Session, function: &str, given: &[Given]) -> String {
    let done = session.prepare_call(function, given).and_then(|mut call| {
        let answer = session.call(&call).map_err(|error| vec![error])?;
        let shown = session.show(&answer, &call.shape);
        let last = session.call_last(&mut call)?;
        assert_eq!(session.show(&last, &call.shape), shown);
        Ok(format!("{} : {}", String::from_utf8(shown).unwrap(), call.ty))
    });
    done.unwrap_or_else(|errors| {
        let notes = errors.iter().flat_map(|error| error.notes.clone());
        let lines = errors.iter().map(|error| error.short(&session.files));
        lines.chain(notes).collect::<Vec<String>>().join("\n")
    })
}

#[track_caller]
fn check(text: &str, function: &str, given: &[Given], expected: &Expect) {
    let [first, second] = ENGINES.map(|engine| called(&mut session(engine, text), function, given));
    expected.assert_eq(&first);
    assert_eq!(first, second);
}

#[test]
fn nested_twice() {
    // [[[1, 2], []], [], [[3]]]
    let values = seq(&[0, 2, 2, 3], seq(&[0, 2, 2, 3], ints(&[1, 2, 3])));
    let values = rows(list(list(INT)), values);
    let text = "function sums(v) = {{sum(b) : b in a} : a in v};";
    check(text, "sums", &[Given::rows("v", values)], &expect!["[[3, 0], [], [3]] : [[int]]"]);
}

#[test]
fn pairs_strings_and_bools() {
    let row = seq(&[0, 2, 2, 3], Columns::Tuple(vec![ints(&[0, 1, 1]), floats(&[2.0, 0.5, 4.0])]));
    let given = [
        Given::rows("m", rows(list(pair(INT, FLOAT)), row)),
        Given::rows("v", rows(FLOAT, floats(&[1.0, 10.0]))),
    ];
    let text = "function smxv(m, v) = {sum({x * v[i] : i, x in row}) : row in m};";
    check(text, "smxv", &given, &expect!["[7.0, 0.0, 40.0] : [float]"]);
    let words = rows(list(CHAR), seq(&[0, 2, 2, 5], bytes(Ty::Char, b"hithe")));
    let kept = rows(BOOL, bytes(Ty::Bool, &[1, 1, 0]));
    let given = [Given::rows("w", words), Given::rows("k", kept)];
    let text = "function kept(w, k) = {a ++ \"!\" : a in w; b in k | b};";
    check(text, "kept", &given, &expect![[r#"["hi!", "!"] : [[char]]"#]]);
}

#[test]
fn empty_ones() {
    let text = "function go(v) = ({#r : r in v}, flatten(v));";
    let none = rows(list(FLOAT), seq(&[0], floats(&[])));
    check(text, "go", &[Given::rows("v", none)], &expect!["([], []) : [int], [float]"]);
    let empty = rows(list(FLOAT), seq(&[0, 0, 0], floats(&[])));
    check(text, "go", &[Given::rows("v", empty)], &expect!["([0, 0], []) : [int], [float]"]);
}

#[test]
fn scalars_tuples_and_datatypes() {
    let text = "datatype point(float, float);
                function go(n, (a, s), p) = (n + 1, {x + a : x in s}, width(p));
                function width(p) = let point(x, y) = p in x - y;";
    let tuple = Columns::Tuple(vec![floats(&[0.5]), seq(&[0, 2], floats(&[1.0, 2.0]))]);
    let given = [
        Given::rows("n", rows(INT, ints(&[41]))),
        Given::memory("", Typed::value(pair(FLOAT, list(FLOAT)), tuple).unwrap()),
        Given::rows(
            "p",
            rows(pair(FLOAT, FLOAT), Columns::Tuple(vec![floats(&[3.0]), floats(&[1.0])])),
        ),
    ];
    check(text, "go", &given, &expect!["(42, [1.5, 2.5], 2.0) : int, [float], float"]);
}

#[test]
fn variables_stand_for_what_is_given() {
    let text = "function twice(v) = {(x, x) : x in v}; function id(x) = x;";
    let words = || rows(list(CHAR), seq(&[0, 1, 2], bytes(Ty::Char, b"ab")));
    let expected = expect![[r#"[("a", "a"), ("b", "b")] : [([char], [char])]"#]];
    check(text, "twice", &[Given::rows("v", words())], &expected);
    check(text, "id", &[Given::rows("x", words())], &expect![[r#"["a", "b"] : [[char]]"#]]);
    // Literals beside values in memory.
    let text = "function scaled(v, by) = {x * by : x in v};";
    let given = [Given::rows("v", rows(FLOAT, floats(&[1.5]))), Given::literal("by", "2.0")];
    check(text, "scaled", &given, &expect!["[3.0] : [float]"]);
}

#[test]
fn what_does_not_fit_is_named() {
    let text = "function go(m, v) : ([[(int, float)]], [float]) -> int = #m;
                function g(v) = {x + 1 : x in v}; function h(v) = sum(v); function n(i) = i + 1;";
    let pairs = |x: Columns, ty| {
        let row = seq(&[0, 1], Columns::Tuple(vec![ints(&[0]), x]));
        Given::rows("m", rows(list(pair(INT, ty)), row))
    };
    let v = || Given::rows("v", rows(FLOAT, floats(&[1.0])));
    let expected = expect![[r#"
        nesl: input: `m[i][j].2`: int is given where float is needed
        `m` has type [[(int, float)]], and is given as [[(int, int)]]"#]];
    check(text, "go", &[pairs(ints(&[1]), INT), v()], &expected);
    let expected = expect![[r#"
        nesl: input: the parameter `v` is given twice
        nesl: input: the parameter `m` is not given: write m=VALUE
        the parameters of `go` are: m, v
        the parameters of `go` are: m, v"#]];
    check(text, "go", &[v(), v()], &expected);
    let bools = || Given::rows("v", rows(BOOL, bytes(Ty::Bool, &[1])));
    let expected = expect![[r#"
        nesl: input: `v[i]`: bool is given where int is needed
        `v` has type [int], and is given as [bool]"#]];
    check(text, "g", &[bools()], &expected);
    let expected = expect![[r#"
        nesl: input: `v[i]`: bool is given where a type of class `number` is needed
        `v` has type [a], and is given as [bool]"#]];
    check(text, "h", &[bools()], &expected);
    let expected = expect![[r#"
        nesl: input: `i`: there are 2 rows, and one is needed
        `i` has type int, and is given as int"#]];
    check(text, "n", &[Given::rows("i", rows(INT, ints(&[1, 2])))], &expected);
    let expected = expect![[r#"
        nesl: input: `v`: ints of 32 and floats of 32 bits are given where the session has ints of 64 and floats of 64 bits
        `v` has type [int], and is given as [int]"#]];
    let narrow = Column::of_ints(Widths::NARROW, &[1]).unwrap();
    check(text, "g", &[Given::rows("v", rows(INT, Columns::Scalar(narrow)))], &expected);
}

/// Floats whose owner counts how often it is let go.
struct Counted {
    floats: Vec<f64>,
    released: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.released.fetch_add(1, Ordering::SeqCst);
    }
}

/// Floats from the second on, as one row after the other; where they are, and how often their owner
/// was let go.
fn counted(count: usize) -> (Typed, *const f64, Arc<AtomicUsize>) {
    let released = Arc::new(AtomicUsize::new(0));
    let floats = (0..=count).map(|x| x as f64).collect();
    let owner = Arc::new(Counted { floats, released: Arc::clone(&released) });
    let at = owner.floats[1..].as_ptr();
    // SAFETY: the vector is not changed, and lives as long as its owner.
    let column =
        unsafe { Column::foreign(Ty::F64, Widths::WIDE, at.cast(), count, owner) }.unwrap();
    (rows(FLOAT, Columns::Scalar(column)), at, released)
}

fn address(answer: &Answer) -> *const f64 {
    let Answer::Columns(Columns::Seq { elements, .. }) = answer else {
        panic!("no sequence: {answer:?}")
    };
    let Columns::Scalar(column) = &**elements else { panic!("no floats: {elements:?}") };
    column.bytes().as_ptr().cast()
}

#[test]
fn aligned_memory_is_not_copied() {
    let mut session = session(EngineKind::Cpu, "function id(v) : [float] -> [float] = v;");
    let (floats, at, released) = counted(100);
    let call = session.prepare_call("id", &[Given::rows("v", floats)]).unwrap();
    let answer = session.call(&call).unwrap();
    assert_eq!(address(&answer), at);
    drop((call, session));
    assert_eq!(released.load(Ordering::SeqCst), 0, "the result is still there");
    drop(answer);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn the_last_call_overwrites_no_memory_of_others() {
    let text = "function next(v) = {x + 1.0 : x in v};
                function more(v, n) : ([float], int) -> [float] =
                  if n == 0 then v else more({x * 2.0 : x in v}, n - 1);
                function set(v) = v <- [(0, 7.0)];";
    for (function, rest) in [("next", None), ("more", Some(3)), ("set", None)] {
        let mut session = session(EngineKind::Cpu, text);
        let (floats, at, _released) = counted(1000);
        let mut given = vec![Given::rows("v", floats.clone())];
        given.extend(rest.map(|n: i64| Given::literal("n", n.to_string())));
        let mut call = session.prepare_call(function, &given).unwrap();
        // Nobody else refers to the memory while the call runs, as far as the session knows.
        drop(given);
        let answer = session.call_last(&mut call).unwrap();
        assert_ne!(address(&answer), at, "{function}");
        let Columns::Scalar(column) = floats.columns() else { panic!("floats") };
        assert!(column.floats_of(0..1000).iter().zip(1..).all(|(&x, n)| x == f64::from(n)));
    }
}

#[test]
fn owners_are_let_go_once() {
    let text = "function total(v) = sum(v); function bad(v) = v[#v];
                function whole(v) : [int] -> int = #v;";
    for engine in ENGINES {
        let mut session = session(engine, text);
        for (function, works) in [("total", true), ("bad", false)] {
            let (floats, _, released) = counted(10);
            let call = session.prepare_call(function, &[Given::rows("v", floats)]).unwrap();
            assert_eq!(session.call(&call).is_ok(), works);
            assert_eq!(released.load(Ordering::SeqCst), 0);
            let mut call = call;
            assert_eq!(session.call_last(&mut call).is_ok(), works);
            drop(call);
            assert_eq!(released.load(Ordering::SeqCst), 1, "{function} on {engine:?}");
        }
        // A call that is refused, and one that is not made.
        let (floats, _, released) = counted(10);
        assert!(session.prepare_call("whole", &[Given::rows("v", floats)]).is_err());
        assert_eq!(released.load(Ordering::SeqCst), 1);
        let (floats, _, released) = counted(10);
        drop(session.prepare_call("total", &[Given::rows("v", floats)]).unwrap());
        drop(session);
        assert_eq!(released.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn memory_that_is_not_aligned_is_copied() {
    let owner: Arc<Vec<u8>> = Arc::new([0_u8; 4].into_iter().chain(7_i64.to_ne_bytes()).collect());
    let odd = owner.as_ptr().addr() % 8 + 4;
    let at = owner[4..].as_ptr();
    assert_ne!(at.addr() % 8, 0, "{odd}");
    let watch = Arc::downgrade(&owner);
    // SAFETY: the vector is not changed, and lives as long as its `Arc`.
    let column = unsafe { Column::foreign(Ty::I64, Widths::WIDE, at, 1, owner) }.unwrap();
    assert_eq!((column.int(0), watch.strong_count()), (7, 0));
}

/// Memory whose last byte is the last that can be read.
struct Guarded {
    start: *mut libc::c_void,
    size: usize,
}

// SAFETY: the pages are only read once they are filled.
unsafe impl Send for Guarded {}
// SAFETY: as above.
unsafe impl Sync for Guarded {}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: mapped with this size, and nothing refers to it.
        unsafe { libc::munmap(self.start, self.size) };
    }
}

/// A column right before a page that cannot be read.
fn guarded(ty: Ty, values: &[u8], len: usize) -> Column {
    const PAGE: usize = 4096;
    let size = values.len().next_multiple_of(PAGE) + PAGE;
    // SAFETY: fresh pages, of which the last is then closed.
    let owner = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(std::ptr::null_mut(), size, access, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(start.byte_add(size - PAGE), PAGE, libc::PROT_NONE), 0);
        Guarded { start, size }
    };
    let at = owner.start.cast::<u8>().wrapping_add(size - PAGE - values.len());
    // SAFETY: inside the pages, which their owner keeps.
    unsafe {
        at.copy_from_nonoverlapping(values.as_ptr(), values.len());
        Column::foreign(ty, Widths::WIDE, at, len, Arc::new(owner)).unwrap()
    }
}

fn guarded_ints(values: &[i64]) -> Column {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
    guarded(Ty::I64, &bytes, values.len())
}

/// Compiled code reads elements alone: not a byte behind the last, at whatever length and address.
#[test]
fn nothing_is_read_behind_the_end() {
    let text = "function go(v, m, s) =
          let odd = {x in v | rem(x, 2) == 1}; places = {rem(x, #v) : x in v} in
          (sum(v), max_val(v ++ [0]), odd, sort(v), plus_scan(v), {v[i] : i in places},
           reverse(v), v -> places, {sum({x * v[rem(x, #v)] : x in r}) : r in m},
           {take(r, 1) : r in m}, {quicksort(r) : r in m}, flatten(m), {c == `a : c in s}, s ++ s,
           {max_val(r ++ [0]) : r in m}, v <- [(0, 5)], m);
        function quicksort(a) = if #a < 2 then a else
          let p = a[#a / 2]; less = {x in a | x < p}; same = {x in a | x == p};
              more = {x in a | x > p}; parts = {quicksort(b) : b in [less, more]}
          in parts[0] ++ same ++ parts[1];";
    let given = |column: fn(&[i64]) -> Column, len: usize| {
        let values: Vec<i64> = (0..len).map(|i| (i as i64 * 7919 + 3) % 1000).collect();
        let mut offsets: Vec<i64> = (0..=len / 3).map(|i| i as i64 * 3).collect();
        offsets.extend([len as i64, len as i64]);
        let scalar = |c| Columns::Scalar(c);
        let m =
            Columns::Seq { offsets: column(&offsets), elements: Box::new(scalar(column(&values))) };
        let s = Columns::Scalar(guarded(Ty::Char, &vec![b'a'; len], len));
        [
            Given::rows("v", rows(INT, scalar(column(&values)))),
            Given::rows("m", rows(list(INT), m)),
            Given::rows("s", rows(CHAR, s)),
        ]
    };
    let mut session = session(EngineKind::Cpu, text);
    let copied = |values: &[i64]| Column::of_ints(Widths::WIDE, values).unwrap();
    for len in [1, 2, 7, 8, 9, 31, 64, 513, 20_001] {
        let expected = called(&mut session, "go", &given(copied, len));
        assert_eq!(called(&mut session, "go", &given(guarded_ints, len)), expected, "{len}");
    }
}

/// The rows of a result, or the first message.
fn invoked(session: &mut Session, function: &Callable, arguments: Vec<Source>) -> String {
    match session.invoke(function, arguments) {
        Ok(returned) => {
            let shown = session.show(&returned.answer, &returned.shape);
            format!("{} : {}", String::from_utf8(shown).unwrap(), returned.ty)
        }
        Err(errors) => errors[0].message.clone(),
    }
}

#[test]
fn definitions_are_apart() {
    for engine in ENGINES {
        let mut options = Options::new(engine);
        options.cpu.threads = Some(2);
        options.keep_calls = true;
        let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
        let first = "base = 10; function by(x, n := 2) = x * n + base;
                     function go(v) = {by(x) : x in v};";
        let first = session.define("first", first.as_bytes()).unwrap();
        let second = "function by(x) = x - 1; function go(v) = {by(x) : x in v};";
        let second = session.define("second", second.as_bytes()).unwrap();
        let errors = session.define("third", b"function go(v) = by(v);").unwrap_err();
        assert_eq!(errors[0].message, "`by` is not defined");
        let ints = || Source::Rows(rows(INT, ints(&[1, 2])));
        let floats = || Source::Rows(rows(FLOAT, floats(&[1.0])));
        let [go, other] = [&first, &second].map(|it| it.function("GO").unwrap());
        for _ in 0..2 {
            assert_eq!(invoked(&mut session, go, vec![ints()]), "[12, 14] : [int]");
            assert_eq!(invoked(&mut session, other, vec![ints()]), "[0, 1] : [int]");
            assert_eq!(
                invoked(&mut session, other, vec![floats()]),
                "`v[i]`: float is given where int is needed"
            );
        }
        let by = first.function("by").unwrap();
        let one = || Source::Literal("1".to_owned());
        assert_eq!(by.parameters(), ["x", "n"]);
        assert_eq!(invoked(&mut session, by, vec![one()]), "12 : int");
        assert_eq!(invoked(&mut session, by, vec![one(), one()]), "11 : int");
        let message = "`by` takes 1 arguments, or 2 with optional ones, and is given 0";
        assert_eq!(invoked(&mut session, by, vec![]), message);
    }
}

#[test]
fn calls_at_the_same_types_are_compiled_once() {
    let mut options = Options::new(EngineKind::Cpu);
    options.keep_calls = true;
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let text = "function twice(v) = {x + x : x in v};";
    let twice = session.define("twice", text.as_bytes()).unwrap();
    let twice = twice.function("twice").unwrap();
    let of_ints = || vec![Source::Rows(rows(INT, ints(&[1])))];
    let of_floats = || vec![Source::Rows(rows(FLOAT, floats(&[0.5])))];
    for round in 0..3 {
        assert_eq!(invoked(&mut session, twice, of_ints()), "[2] : [int]");
        assert_eq!(invoked(&mut session, twice, of_floats()), "[1.0] : [float]");
        // The form at the end of each round has a kernel of its own.
        assert_eq!(session.report().kernels, 2 + round);
        // Forms between calls take nothing from them.
        let _ = session.run("form", b"sum([1:4]);", &mut |_, _| {});
        session.define("other", b"function other(x) = x;").unwrap();
    }
    let (floats, _, released) = counted(10);
    invoked(&mut session, twice, vec![Source::Rows(floats)]);
    assert_eq!(released.load(Ordering::SeqCst), 1, "let go before the call returns");
}
