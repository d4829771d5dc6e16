//! Every scalar operation in C gives what `prim::eval` says, on operands where things are special.
//!
//! One kernel per operation and operand type runs over a table of all combinations of operands,
//! once vectorised and once with a scalar function call.  Elementary functions may differ in the
//! last place.

mod common;

use common::{Data, cpu, int, launch, load};
use device::Failure;
use prim::{Const, ScalarOp, Ty, Width, Widths, eval};
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// Operations whose last bits are not fixed.
const ELEMENTARY: [ScalarOp; 14] = [
    ScalarOp::Exp,
    ScalarOp::Ln,
    ScalarOp::Pow,
    ScalarOp::Sin,
    ScalarOp::Cos,
    ScalarOp::Tan,
    ScalarOp::Asin,
    ScalarOp::Acos,
    ScalarOp::Atan,
    ScalarOp::Atan2,
    ScalarOp::Sinh,
    ScalarOp::Cosh,
    ScalarOp::Tanh,
    ScalarOp::Sqrt,
];

fn values(ty: Ty) -> Vec<Const> {
    match ty {
        Ty::I64 => {
            let mut values = vec![0, 1, 2, 3, 7, 10, 31, 62, 63, 64, 65, 100, 255, 256, 1 << 52];
            values.extend([3_037_000_499, 3_037_000_500, 1 << 31, 1 << 32, (1 << 53) + 1]);
            values.extend([0x9e37_79b9_7f4a_7c15_u64.cast_signed(), 9_223_372_030_926_249_001]);
            let negative: Vec<i64> = values.iter().map(|v| -v).collect();
            values.extend(negative);
            values.extend([i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1]);
            values.extend([i64::from(i32::MAX), i64::from(i32::MIN) + 1, 46_340, 46_341, 0xffff]);
            values.into_iter().map(Const::I64).collect()
        }
        Ty::F64 => {
            let mut values = vec![0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 1e-5, 1e15, 123.456, 1e100];
            values.extend([0.499_999_999_999_999_94, 4_503_599_627_370_495.5, 1e16, 9.5e18, 700.0]);
            values.extend([f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::EPSILON, 710.0, 745.0, 746.0]);
            values.extend([709.782_712_893_384, 708.5, 1e300, 9_007_199_254_740_993.0, 2.2e-308]);
            values.extend([9_223_372_036_854_775_807.0, PI, 0.3, 2e-44, 1000.0]);
            values.extend([f64::INFINITY, FRAC_1_SQRT_2, SQRT_2]);
            values.extend([f64::from(f32::MAX), 2_147_483_520.0, 2_147_483_648.0, 8_388_607.5]);
            values.extend([16_777_217.0, 1.17e-38, 1e-45, 88.7, 88.8, 103.9, 0.499_999_97]);
            values.extend((0..60).map(|i| 2.0_f64.powi(17 * i - 500)));
            values.extend([1e23, 5e-310, 8.41e21, 9e15, 1.797_693_134_862_315_7e308, 0.999_999]);
            let negative: Vec<f64> = values.iter().map(|v| -v).collect();
            values.extend(negative);
            values.push(f64::NAN);
            values.into_iter().map(Const::F64).collect()
        }
        Ty::Bool => [false, true].map(Const::Bool).to_vec(),
        Ty::Char => [0, 1, 10, 65, 97, 127, 128, 200, 255].map(Const::Char).to_vec(),
    }
}

/// All lists of operand types on which an operation is defined.
fn signatures(op: ScalarOp) -> Vec<Vec<Ty>> {
    let mut lists = vec![vec![]];
    for _ in 0..op.arity() {
        lists = lists
            .into_iter()
            .flat_map(|list: Vec<Ty>| Ty::ALL.map(|ty| [list.clone(), vec![ty]].concat()))
            .collect();
    }
    lists.retain(|list| op.result(list).is_some());
    lists
}

/// All combinations of operands.
fn table(widths: Widths, tys: &[Ty]) -> Vec<Vec<Const>> {
    let mut rows = vec![vec![]];
    for &ty in tys {
        rows = rows
            .into_iter()
            .flat_map(|row: Vec<Const>| {
                let values = values(ty).into_iter().map(move |v| widths.fit(v));
                values.map(move |v| [row.clone(), vec![v]].concat())
            })
            .collect();
    }
    rows
}

/// The two kernels of a case: `out[i] = op(in0[i], in1[i], ...)`, vectorised, and by a function.
fn kernels(number: usize, op: ScalarOp, tys: &[Ty]) -> String {
    let result = op.result(tys).unwrap();
    let n = tys.len();
    let ins: String = tys.iter().enumerate().map(|(i, ty)| format!("a{i}: in {ty}, ")).collect();
    let reads: String = tys
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("    x{}: {ty} = read a{i} x3\n", 4 + i))
        .collect();
    let operands =
        |separator: &str| (4..4 + n).map(|i| format!("x{i}")).collect::<Vec<_>>().join(separator);
    let kernel = |number: usize, simd: &str, value: String| {
        let out = n + 1;
        format!(
            "kernel k{number} {op}({ins}a{n}: i64, a{out}: out {result}) \
             tiles of 100 over a{n} as x0 x1 x2 {{\n  \
             for x3 in x1 .. x2 {simd} {{\n{reads}    x9: {result} = {value}\n    \
             store a{out} x3 x9\n  }}\n}}\n",
        )
    };
    kernel(2 * number, "simd", format!("{op} {}", operands(" ")))
        + &kernel(2 * number + 1, "", format!("call h{number}({})", operands(", ")))
}

/// The function of a case.
fn function(number: usize, op: ScalarOp, tys: &[Ty]) -> String {
    let result = op.result(tys).unwrap();
    let params: Vec<String> = tys.iter().enumerate().map(|(i, ty)| format!("x{i}: {ty}")).collect();
    let operands: Vec<String> = (0..tys.len()).map(|i| format!("x{i}")).collect();
    let (params, operands) = (params.join(", "), operands.join(" "));
    format!("fn h{number} f({params}) -> {result} {{ x9: {result} = {op} {operands} yield x9 }}\n")
}

/// The program with the kernels of all cases.
fn program(widths: Widths, cases: &[(ScalarOp, Vec<Ty>)]) -> String {
    let functions = cases.iter().enumerate().map(|(i, (op, tys))| function(i, *op, tys));
    let kernels = cases.iter().enumerate().map(|(i, (op, tys))| kernels(i, *op, tys));
    let head = format!("widths {widths}\n");
    std::iter::once(head).chain(functions).chain(kernels).collect()
}

fn close(widths: Widths, op: ScalarOp, a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::F64(x), Const::F64(y)) if ELEMENTARY.contains(&op) => {
            let [x, y] = [x, y].map(|v| widths.fit(Const::F64(v)).float());
            let ulps = match widths.float {
                Width::W64 => x.to_bits().cast_signed().wrapping_sub(y.to_bits().cast_signed()),
                Width::W32 => {
                    let [x, y] = [x, y].map(|v| i64::from((v as f32).to_bits().cast_signed()));
                    x - y
                }
            };
            (x.is_nan() && y.is_nan()) || ulps.unsigned_abs() <= 2
        }
        (Const::F64(x), Const::F64(y)) if x.is_nan() && y.is_nan() => true,
        _ => a == b,
    }
}

#[test]
fn every_operation_on_special_operands() {
    for widths in Widths::ALL {
        operations_on_special_operands(widths);
    }
}

fn operations_on_special_operands(widths: Widths) {
    let cpu = cpu(2);
    let cases: Vec<(ScalarOp, Vec<Ty>)> = ScalarOp::ALL
        .iter()
        .flat_map(|&op| signatures(op).into_iter().map(move |tys| (op, tys)))
        .collect();
    let module = load(&cpu, &program(widths, &cases));
    for (number, (op, tys)) in cases.iter().enumerate() {
        let result = op.result(tys).unwrap();
        let rows = table(widths, tys);
        let good = rows.iter().filter_map(|row| Some((row, eval(widths, *op, row).ok()?)));
        let (good, expected): (Vec<&Vec<Const>>, Vec<Const>) = good.unzip();
        let column = |i: usize| good.iter().map(|row| row[i]).collect::<Vec<_>>();
        let mut args: Vec<Data> =
            tys.iter().enumerate().map(|(i, &ty)| Data::of(ty, &column(i)).fit(widths)).collect();
        args.extend([int(good.len() as i64), Data::room(result, good.len()).fit(widths)]);
        for kernel in [2 * number, 2 * number + 1] {
            let after = launch(&cpu, &module, kernel, &args).unwrap();
            for (i, (row, &e)) in good.iter().zip(&expected).enumerate() {
                let got = after[tys.len() + 1].get(result, i);
                assert!(
                    close(widths, *op, got, e),
                    "{widths}: {op} {row:?} = {e:?}, found {got:?}"
                );
            }
        }
    }
}

#[test]
fn operations_that_fail() {
    for widths in [Widths::WIDE, Widths::NARROW] {
        failing_operations(widths);
    }
}

fn failing_operations(widths: Widths) {
    let cpu = cpu(2);
    let cases: Vec<(ScalarOp, Vec<Ty>)> = ScalarOp::ALL
        .iter()
        .flat_map(|&op| signatures(op).into_iter().map(move |tys| (op, tys)))
        .filter(|(op, tys)| op.site(tys[0]).is_some())
        .collect();
    let module = load(&cpu, &program(widths, &cases));
    for (number, (op, tys)) in cases.iter().enumerate() {
        let bad = table(widths, tys).into_iter().filter(|row| eval(widths, *op, row).is_err());
        for row in bad.step_by(7) {
            let mut args: Vec<Data> =
                row.iter().map(|c| Data::of(c.ty(), &[*c]).fit(widths)).collect();
            args.extend([int(1), Data::room(op.result(tys).unwrap(), 1).fit(widths)]);
            for kernel in [2 * number, 2 * number + 1] {
                let Err(Failure::Fault(fault)) = launch(&cpu, &module, kernel, &args) else {
                    panic!("{op} {row:?} does not fail");
                };
                let site = eval(widths, *op, &row).err().map(|e| e.0);
                assert_eq!(Some(fault.site), site, "{op} {row:?}");
            }
        }
    }
}
