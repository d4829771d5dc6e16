//! Running kernels given as IR text.

#![allow(unsafe_code, reason = "kernels are launched")]
#![allow(dead_code, unreachable_pub, reason = "no test uses everything")]

use base::Id;
use device::{Argument, Cpu, CpuOptions, Device, Failure, Module};
use kernel::{KernelId, print_with_errors, read, verify};
use prim::{Const, Ty, Width, Widths};
use std::fmt;
use std::sync::Arc;

/// A device with this many threads, whose cache is among the files of the build.
pub fn cpu(threads: usize) -> Cpu {
    let cache = Some(concat!(env!("CARGO_TARGET_TMPDIR"), "/cache").into());
    Cpu::new(&CpuOptions { threads: Some(threads), cache, ..CpuOptions::default() })
}

/// An argument: what goes in, and what is there after the launch.
#[derive(Clone)]
pub enum Data {
    Scalar(Const),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// The same where they are narrow.
    NarrowInts(Vec<i32>),
    NarrowFloats(Vec<f32>),
    /// Bools and chars.
    Bytes(Vec<u8>),
}

/// Equality of representation: nan equals itself.
impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        match (self, other) {
            (Data::Scalar(a), Data::Scalar(b)) => a == b,
            (Data::Ints(a), Data::Ints(b)) => a == b,
            (Data::Floats(a), Data::Floats(b)) => {
                a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
            }
            (Data::Bytes(a), Data::Bytes(b)) => a == b,
            _ => false,
        }
    }
}

/// The first elements only.
impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Scalar(value) => write!(f, "{value}"),
            Data::NarrowInts(v) => write!(f, "{} narrow ints", v.len()),
            Data::NarrowFloats(v) => write!(f, "{} narrow floats", v.len()),
            Data::Ints(v) => write!(f, "{} ints {:?}", v.len(), &v[..v.len().min(9)]),
            Data::Floats(v) => write!(f, "{} floats {:?}", v.len(), &v[..v.len().min(9)]),
            Data::Bytes(v) => write!(f, "{} bytes {:?}", v.len(), &v[..v.len().min(9)]),
        }
    }
}

impl Data {
    /// Elements of this type.
    pub fn of(ty: Ty, values: &[Const]) -> Data {
        match ty {
            Ty::I64 => Data::Ints(values.iter().map(|c| c.int()).collect()),
            Ty::F64 => Data::Floats(values.iter().map(|c| c.float()).collect()),
            Ty::Bool | Ty::Char => Data::Bytes(values.iter().map(|c| c.bits() as u8).collect()),
        }
    }
    /// The same as a program of these widths has it in memory.
    pub fn fit(self, widths: Widths) -> Data {
        match (self, widths.int, widths.float) {
            (Data::Ints(v), Width::W32, _) => {
                Data::NarrowInts(v.into_iter().map(|x| x as i32).collect())
            }
            (Data::Floats(v), _, Width::W32) => {
                Data::NarrowFloats(v.into_iter().map(|x| x as f32).collect())
            }
            (data, ..) => data,
        }
    }
    /// Room for so many elements of this type.
    pub fn room(ty: Ty, count: usize) -> Data {
        Data::of(ty, &vec![ty.zero(); count])
    }
    /// Element `i`.
    pub fn get(&self, ty: Ty, i: usize) -> Const {
        match self {
            Data::Scalar(value) => *value,
            Data::Ints(v) => Const::I64(v[i]),
            Data::NarrowInts(v) => Const::I64(v[i].into()),
            Data::NarrowFloats(v) => Const::F64(v[i].into()),
            Data::Floats(v) => Const::F64(v[i]),
            Data::Bytes(v) => Const::from_bits(ty, u64::from(v[i])),
        }
    }
    fn buffer(&self) -> Option<value::Buffer> {
        Some(match self {
            Data::Scalar(_) => return None,
            Data::Ints(v) => filled(v),
            Data::NarrowInts(v) => filled(v),
            Data::NarrowFloats(v) => filled(v),
            Data::Floats(v) => filled(v),
            Data::Bytes(v) => filled(v),
        })
    }
    fn after(&self, buffer: &value::Buffer) -> Data {
        match self {
            Data::Scalar(value) => Data::Scalar(*value),
            Data::Ints(v) => Data::Ints(buffer.typed(v.len()).to_vec()),
            Data::NarrowInts(v) => Data::NarrowInts(buffer.typed(v.len()).to_vec()),
            Data::NarrowFloats(v) => Data::NarrowFloats(buffer.typed(v.len()).to_vec()),
            Data::Floats(v) => Data::Floats(buffer.typed(v.len()).to_vec()),
            Data::Bytes(v) => Data::Bytes(buffer.typed(v.len()).to_vec()),
        }
    }
}

fn filled<T: value::buffer::Plain>(values: &[T]) -> value::Buffer {
    let mut buffer = value::Buffer::zeroed(size_of_val(values)).unwrap();
    buffer.typed_mut(values.len()).copy_from_slice(values);
    buffer
}

pub fn ints(values: impl IntoIterator<Item = i64>) -> Data {
    Data::Ints(values.into_iter().collect())
}
pub fn floats(values: impl IntoIterator<Item = f64>) -> Data {
    Data::Floats(values.into_iter().collect())
}
pub fn int(value: i64) -> Data {
    Data::Scalar(Const::I64(value))
}

/// The program of a text, compiled.
pub fn load(cpu: &Cpu, text: &str) -> Module {
    loaded(cpu, text).module
}

/// The program of a text, compiled, and how.
pub fn loaded(cpu: &Cpu, text: &str) -> device::Loaded<Module> {
    let program = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(errors) = verify(&program) {
        panic!("{}", print_with_errors(&program, &errors));
    }
    let text = emit::c(&program, &emit::COptions { units: 2, ..Default::default() });
    cpu.load(&text).unwrap_or_else(|e| panic!("{e:?}\n{}", text.units[0]))
}

/// Runs a kernel with these arguments and gives what they are afterwards.
pub fn launch(cpu: &Cpu, module: &Module, k: usize, args: &[Data]) -> Result<Vec<Data>, Failure> {
    let buffers: Vec<_> =
        args.iter().map(|data| data.buffer().map(|b| cpu.upload(&Arc::new(b)).unwrap())).collect();
    let list: Vec<Argument<'_, device::Buffer>> = args
        .iter()
        .zip(&buffers)
        .map(|(data, buffer)| match (data, buffer) {
            (Data::Scalar(value), _) => Argument::Scalar(*value),
            (_, Some(buffer)) => Argument::Buffer(buffer),
            _ => unreachable!("every vector has a buffer"),
        })
        .collect();
    // SAFETY: the tests hand over buffers that are long enough.
    unsafe { cpu.launch(module, KernelId::new(k), &list, cpu.units()) }?;
    let after = args.iter().zip(&buffers).map(|(data, buffer)| match buffer {
        Some(buffer) => data.after(&cpu.download(buffer).unwrap()),
        None => data.clone(),
    });
    Ok(after.collect())
}

/// Runs the first kernel of a text on 1, 2 and 3 threads, and wants the same each time; gives it.
pub fn run(text: &str, args: &[Data]) -> Vec<Data> {
    let mut results = [1, 2, 3].map(|threads| {
        let cpu = cpu(threads);
        let module = load(&cpu, text);
        launch(&cpu, &module, 0, args).unwrap_or_else(|e| panic!("{e:?}"))
    });
    assert_eq!(results[0], results[1], "one thread and two differ");
    assert_eq!(results[0], results[2], "one thread and three differ");
    std::mem::take(&mut results[0])
}

/// Numbers that look random.
pub fn random(count: usize) -> Vec<i64> {
    (0..count as i64).map(|i| prim::eval::mix(7, i)).collect()
}
