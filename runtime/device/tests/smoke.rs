//! A kernel built by hand runs.
#![allow(unsafe_code, reason = "kernels are launched")]
use base::{Id, IdMap, Span};
use device::{Argument, Cpu, CpuOptions, Device};
use kernel::*;
use prim::{Const, Monoid, ScalarOp, Ty};
use scalar::{Atom, Op, Var};

#[test]
fn dot() {
    let arg = |ty, kind| ArgInfo { ty, kind };
    let mut args = IdMap::new();
    let a0 = args.push(arg(Ty::F64, ArgKind::In));
    let a1 = args.push(arg(Ty::F64, ArgKind::In));
    let a2 = args.push(arg(Ty::I64, ArgKind::Scalar));
    let a3 = args.push(arg(Ty::F64, ArgKind::Out));
    let tys = [
        Ty::I64,
        Ty::I64,
        Ty::I64,
        Ty::I64,
        Ty::F64,
        Ty::F64,
        Ty::F64,
        Ty::F64,
        Ty::F64,
        Ty::F64,
        Ty::F64,
    ];
    let vars: IdMap<Var, Ty> = tys.into_iter().collect();
    let x = |n: usize| Var::new(n);
    let v = |n: usize| Atom::Var(x(n));
    let s = |n, op| Stmt::Scalar(scalar::Stmt::Let(x(n), op));
    let body = vec![
        Stmt::For {
            index: x(3),
            from: v(1),
            to: v(2),
            carried: vec![Carry {
                var: x(4),
                init: Atom::Const(Const::F64(0.0)),
                next: v(8),
                result: x(9),
                monoid: Some(Monoid::Add),
            }],
            body: vec![
                s(5, Op::Read(a0, v(3))),
                s(6, Op::Read(a1, v(3))),
                s(7, Op::Scalar(ScalarOp::Mul, vec![v(5), v(6)], Span::none())),
                s(8, Op::Scalar(ScalarOp::Add, vec![v(4), v(7)], Span::none())),
            ],
            simd: true,
        },
        Stmt::Partial(0, v(9)),
    ];
    let finish = vec![Stmt::Store(a3, Atom::Const(Const::I64(0)), v(10))];
    let kernel = Kernel {
        name: "dot".into(),
        args,
        vars,
        body: Body::Tiles {
            tiles: Tiles::Even { extent: Atom::Outer(a2, Ty::I64), grain: 16384 },
            tile: [x(0), x(1), x(2)],
            partials: vec![Partial { monoid: Monoid::Add, result: x(10) }],
            body,
            finish,
        },
    };
    let mut program = Program::default();
    let k = program.kernels.push(kernel);
    let text = emit::c(&program, &emit::COptions::default());
    println!("{}", text.units[0].split("/* ---- ").nth(1).unwrap());
    for threads in [1, 2, 3] {
        let cpu = Cpu::new(&CpuOptions { threads: Some(threads), ..Default::default() });
        let t = std::time::Instant::now();
        let module = cpu.load(&text).unwrap().module;
        println!("{} load {:?}", cpu.describe(), t.elapsed());
        let n = 1_000_000;
        let mut x = value::Buffer::zeroed(n * 8).unwrap();
        for (i, e) in x.typed_mut::<f64>(n).iter_mut().enumerate() {
            *e = i as f64;
        }
        let x = cpu.upload(&std::sync::Arc::new(x)).unwrap();
        let out = cpu.allocate(8).unwrap();
        for _ in 0..5 {
            let t = std::time::Instant::now();
            let args = [
                Argument::Buffer(&x),
                Argument::Buffer(&x),
                Argument::Scalar(Const::I64(n as i64)),
                Argument::Buffer(&out),
            ];
            unsafe { cpu.launch(&module, k, &args, 8) }.unwrap();
            println!("{:?}", t.elapsed());
        }
        let got = cpu.download(&out).unwrap().typed::<f64>(1)[0];
        let n = n as f64;
        assert!((got - (n - 1.0) * n * (2.0 * n - 1.0) / 6.0).abs() < 1e-9 * got, "{got}");
    }
}
