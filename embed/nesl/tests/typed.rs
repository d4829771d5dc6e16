//! Functions at Rust's types: what goes in and comes out, and what is refused.

use nesl::{Engine, Error, Nested, Options, Program, Session};

const TEXT: &str = "
    function scaled(k, a) = {k * x : x in a};
    function total(a) : [float] -> float = sum(a);
    function smxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};
    function halves(a) = ({x in a | x < 0.0}, {x in a | x >= 0.0}, #a);
    function chars(a) = {code_char(char_code(c) + 1) : c in a};
    function none(a) = {not(x) : x in a};
    function turned(a) = {(b, a) : (a, b) in a};
    function pieces(n) = {{[0:i] : i in [0:j]} : j in [0:n]};
    function depths(a) = {{sum(r) : r in rows} : rows in a};
    function chosen(a, b, c, d) = if a then d * float(b) else c[0];
    function late(a, i) = a[i];
    function groups(a) = {{(n, {-x : x in v}, b) : (v, n, b) in row} : row in a};
    function right(a, b) = (b, a, {x + 1 : x in a});
";

fn program(engine: Engine) -> Program {
    Session::new(&Options { engine, ..Options::default() }).unwrap().compile(TEXT).unwrap()
}

fn each(check: impl Fn(&Program) -> Result<(), Error>) {
    for engine in [Engine::Cpu, Engine::Interp] {
        check(&program(engine)).unwrap();
    }
}

#[test]
fn values_of_all_types_go_in_and_come_out() {
    each(|program| {
        let scaled = program.get::<fn(f64, &[f64]) -> Vec<f64>>("scaled")?;
        assert_eq!(scaled.call(2.0, &[1.0, -0.5])?, [2.0, -1.0]);
        let ints = program.get::<fn(i64, &Vec<i64>) -> Vec<i64>>("scaled")?;
        assert_eq!(ints.call(3, &vec![1, i64::MAX])?, [3, i64::MAX - 2]);
        let total = program.get::<fn(&[f64]) -> f64>("total")?;
        assert_eq!((total.call(&[])?, total.call(&[0.5; 1000])?), (0.0, 500.0));
        let halves = program.get::<fn(&[f64]) -> (Vec<f64>, Vec<f64>, i64)>("halves")?;
        assert_eq!(halves.call(&[1.0, -1.0, 2.0])?, (vec![-1.0], vec![1.0, 2.0], 3));
        let chars = program.get::<fn(&[u8]) -> Vec<u8>>("chars")?;
        assert_eq!(chars.call(b"HAL")?, b"IBM");
        let none = program.get::<fn(&[bool]) -> Vec<bool>>("none")?;
        assert_eq!(none.call(&[true, false])?, [false, true]);
        let turned = program.get::<fn(&[(i64, f64)]) -> Vec<(f64, i64)>>("turned")?;
        assert_eq!(turned.call(&[(1, 0.5), (2, 1.5)])?, [(0.5, 1), (1.5, 2)]);
        let chosen = program.get::<fn(bool, i64, &[f64], &f64) -> f64>("chosen")?;
        assert_eq!(
            (chosen.call(true, 3, &[7.0], &0.5)?, chosen.call(false, 3, &[7.0], &0.5)?),
            (1.5, 7.0)
        );
        Ok(())
    });
}

#[test]
fn nests_go_in_and_come_out() {
    each(|program| {
        let smxv = program.get::<fn(&Nested<(i64, f64)>, &[f64]) -> Vec<f64>>("smxv")?;
        let matrix = Nested::new(vec![0, 2, 2, 3], (vec![0, 1, 1], vec![2.0, 0.5, 4.0]))?;
        assert_eq!(smxv.call(&matrix, &[1.0, 10.0])?, [7.0, 0.0, 40.0]);
        let pieces = program.get::<fn(i64) -> Nested<Vec<i64>>>("pieces")?;
        let result = pieces.call(3)?;
        // [[], [[]], [[], [0]]]
        let inner = Nested::from_rows([vec![], vec![], vec![0]]);
        assert_eq!(result, Nested::new(vec![0, 0, 1, 3], inner)?);
        let depths = program.get::<fn(&Nested<Vec<i64>>) -> Nested<i64>>("depths")?;
        let sums = depths.call(&result)?;
        assert_eq!(sums.rows().collect::<Vec<_>>(), [&[][..], &[0], &[0, 0]]);
        assert_eq!((sums.len(), sums.row(2), sums.range(2)), (3, &[0, 0][..], 1..3));
        assert_eq!(depths.call(&Nested::default())?, Nested::default());
        Ok(())
    });
}

/// As in NESL, a tuple as the last part of a tuple is parts of it.
#[test]
fn tuples_have_parts_of_all_types() {
    each(|program| {
        type Group = (Vec<f64>, i64, bool);
        let groups =
            program.get::<fn(&Nested<Group>) -> Nested<(i64, (Vec<f64>, bool))>>("groups")?;
        let lists = Nested::from_rows([vec![0.5], vec![], vec![1.0, 2.0]]);
        let parts = (lists, vec![7, 8, 9], vec![true, false, true]);
        let result = groups.call(&Nested::new(vec![0, 1, 1, 3], parts)?)?;
        let lists = Nested::from_rows([vec![-0.5], vec![], vec![-1.0, -2.0]]);
        let parts = (vec![7, 8, 9], (lists, vec![true, false, true]));
        assert_eq!(result, Nested::new(vec![0, 1, 1, 3], parts)?);
        let right = program.get::<fn(&[i64], f64) -> (f64, (Vec<i64>, Vec<i64>))>("right")?;
        assert_eq!(right.call(&[1, 2], 0.5)?, (0.5, (vec![1, 2], vec![2, 3])));
        let flat = program.get::<fn(&[i64], f64) -> (f64, Vec<i64>, Vec<i64>)>("right")?;
        assert_eq!(flat.call(&[], 0.5)?, (0.5, vec![], vec![]));
        let uneven = Nested::<Group>::new(vec![0, 1], (Nested::default(), vec![1], vec![true]));
        assert_eq!(
            uneven.unwrap_err().message(),
            "the vectors of the elements have different lengths"
        );
        Ok(())
    });
}

/// Data are read where they are, and may change or go after the call.
#[test]
fn arguments_are_borrowed_for_the_call_alone() {
    let program = program(Engine::Cpu);
    let scaled = program.get::<fn(i64, &[i64]) -> Vec<i64>>("scaled").unwrap();
    let mut data: Vec<i64> = (0..100_000).collect();
    for round in 1..5 {
        let result = scaled.call(round, &data).unwrap();
        assert!(result.iter().zip(&data).all(|(&found, &x)| found == round * x));
        data.iter_mut().for_each(|x| *x += 1);
        data.truncate(data.len() - 7);
    }
    let late = program.get::<fn(&[i64], i64) -> i64>("late").unwrap();
    for _ in 0..3 {
        assert_eq!(late.call(&data, i64::MAX).unwrap_err().code(), "N0502");
        assert_eq!(late.call(&data, 2).unwrap(), 6);
    }
}

#[test]
fn types_are_checked_once() {
    let program = program(Engine::Interp);
    let message = |error: Error| error.message().to_owned();
    let result = program.get::<fn(&[f64]) -> i64>("total").unwrap_err();
    assert_eq!(message(result), "`total` gives float, and int is wanted of it");
    let argument = program.get::<fn(&[i64]) -> f64>("total").unwrap_err();
    assert_eq!(message(argument), "`a[i]`: int is given where float is needed");
    let count = program.get::<fn(&[f64], i64) -> f64>("total").unwrap_err();
    assert_eq!(message(count), "`total` takes 1 arguments, and is given 2");
    assert_eq!(program.get::<fn(i64) -> i64>("nothing").unwrap_err().code(), "N0204");
    let options = Options { engine: Engine::Interp, narrow_ints: true, ..Options::default() };
    let narrow = Session::new(&options).unwrap().compile(TEXT).unwrap();
    let error = narrow.get::<fn(&[f64]) -> f64>("total").unwrap_err();
    assert_eq!(message(error), "functions at Rust's types take numbers of 64 bits");
}

#[test]
fn offsets_are_checked() {
    let wrong = |offsets: &[i64], elements: (Vec<i64>, Vec<f64>)| {
        Nested::<(i64, f64)>::new(offsets.to_vec(), elements).unwrap_err().message().to_owned()
    };
    let two = || (vec![1, 2], vec![0.5, 1.5]);
    assert_eq!(wrong(&[], two()), "offsets begin with 0");
    assert_eq!(wrong(&[1, 2], two()), "offsets begin with 0");
    assert_eq!(wrong(&[0, 2, 1, 2], two()), "the offsets fall in row 1");
    assert_eq!(wrong(&[0, 3], two()), "the offsets end at 3, and there are 2 elements");
    let uneven = wrong(&[0, 2], (vec![1, 2], vec![0.5]));
    assert_eq!(uneven, "the vectors of the elements have different lengths");
}
