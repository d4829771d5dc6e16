//! Arrays of the crate `ndarray`.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, ArrayView1, arr1, arr2, s};
use nesl::{Engine, Error, Options, Program, Session};

const TEXT: &str = "
    function scaled(k, a) = {k * x : x in a};
    function product(m, v) = {sum({x * y : x in row; y in v}) : row in m};
    function transposed(m) = transpose(m);
    function triangle(n) = {{i : i in [0:j]} : j in [0:n]};
    function both(m) = ({sum(row) : row in m}, {{-x : x in row} : row in m});
    function shown(m) = {#row : row in m};
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
fn arrays_of_one_dimension() {
    each(|program| {
        let scaled = program.get::<fn(f64, &Array1<f64>) -> Array1<f64>>("scaled")?;
        assert_eq!(scaled.call(2.0, &arr1(&[1.0, -0.5]))?, arr1(&[2.0, -1.0]));
        // The type by which several kinds of arrays and views are taken.
        let scaled = program.get::<fn(i64, &ArrayRef1<i64>) -> Array1<i64>>("scaled")?;
        let array = Array1::from_iter(0..10);
        assert_eq!(scaled.call(2, &array)?, &array * 2);
        assert_eq!(scaled.call(2, &array.view())?, &array * 2);
        assert_eq!(scaled.call(3, &array.slice(s![2..5]))?, arr1(&[6, 9, 12]));
        assert_eq!(scaled.call(3, &array.slice(s![1..8;3]))?, arr1(&[3, 12, 21]));
        assert_eq!(scaled.call(1, &array.slice(s![7..;-2]))?, arr1(&[9, 7]));
        assert_eq!(scaled.call(1, &array.slice(s![3..3]))?, Array1::zeros(0));
        assert_eq!(scaled.call(1, &array.to_shared())?, array);
        Ok(())
    });
}

/// A view as a parameter has the lifetime of its data.
fn with_view<'a>(program: &Program, view: &ArrayView1<'a, i64>) -> Result<Vec<i64>, Error> {
    program.get::<fn(i64, &ArrayView1<'a, i64>) -> Vec<i64>>("scaled")?.call(5, view)
}

#[test]
fn views_as_parameters() {
    let program = program(Engine::Interp);
    let array = arr2(&[[1, 2], [3, 4]]);
    assert_eq!(with_view(&program, &array.column(1)).unwrap(), [10, 20]);
    assert_eq!(with_view(&program, &array.row(1)).unwrap(), [15, 20]);
}

#[test]
fn arrays_of_two_dimensions() {
    each(|program| {
        let product =
            program.get::<fn(&ArrayRef2<f64>, &ArrayRef1<f64>) -> Array1<f64>>("product")?;
        let m = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let v = arr1(&[1.0, 0.5, -1.0]);
        assert_eq!(product.call(&m, &v)?, m.dot(&v));
        // Columns lie next to each other, rows are apart, or everything is read backwards.
        let turned = m.t().to_owned();
        assert_eq!(product.call(&turned.t(), &v)?, m.dot(&v));
        assert_eq!(product.call(&m.slice(s![.., 1..]), &arr1(&[1.0, 1.0]))?, arr1(&[5.0, 11.0]));
        assert_eq!(product.call(&m.slice(s![..;-1, ..]), &v)?, arr1(&[0.5, -1.0]));
        let transposed = program.get::<fn(&Array2<f64>) -> Array2<f64>>("transposed")?;
        assert_eq!(transposed.call(&m)?, turned);
        let (sums, negated) =
            program.get::<fn(&Array2<f64>) -> (Array1<f64>, Array2<f64>)>("both")?.call(&m)?;
        assert_eq!((sums, negated), (arr1(&[6.0, 15.0]), -m));
        Ok(())
    });
}

#[test]
fn rows_without_elements_are_counted() {
    each(|program| {
        let shown = program.get::<fn(&Array2<f64>) -> Vec<i64>>("shown")?;
        assert_eq!(shown.call(&Array2::zeros((3, 0)))?, [0, 0, 0]);
        assert_eq!(shown.call(&Array2::zeros((0, 3)))?, []);
        let both = program.get::<fn(&Array2<f64>) -> (Vec<f64>, Array2<f64>)>("both")?;
        assert_eq!(both.call(&Array2::zeros((2, 0)))?, (vec![0.0; 2], Array2::zeros((2, 0))));
        assert_eq!(both.call(&Array2::zeros((0, 7)))?.1.dim(), (0, 0));
        Ok(())
    });
}

#[test]
fn uneven_rows_are_no_array() {
    each(|program| {
        let triangle = program.get::<fn(i64) -> Array2<i64>>("triangle")?;
        assert_eq!(triangle.call(1)?.dim(), (1, 0));
        let error = triangle.call(5).unwrap_err();
        assert_eq!(
            error.message(),
            "row 1 of the result has length 1, and row 0 has length 0: only rows of one length are \
             an array of two dimensions"
        );
        assert_eq!(error.code(), "N0504");
        Ok(())
    });
}

/// An array that lies as a slice does is read where it is; any other is copied once.
#[test]
fn arrays_are_borrowed() {
    let program = program(Engine::Cpu);
    let scaled = program.get::<fn(i64, &ArrayRef1<i64>) -> Array1<i64>>("scaled").unwrap();
    let mut array = Array1::from_iter(0..100_000);
    for round in 1..5 {
        let result = scaled.call(round, &array).unwrap();
        assert_eq!(result, &array * round);
        array.mapv_inplace(|x| x + 1);
    }
}
