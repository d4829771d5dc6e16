//! Tries the CUDA device on the GPU of this machine and tells what things cost.
//!
//! `cuda_probe` does everything; `cuda_probe quick` leaves out what takes memory or ends the
//! device, which suits tools that check every access.

#![expect(unsafe_code, reason = "kernels are launched")]
#![expect(clippy::print_stdout, reason = "it is a program for the terminal")]

mod costs;

use base::{Id, IdMap, Site, Span};
use device::{Argument, Cuda, CudaOptions, Device, Failure};
use emit::cuda::{CudaKernel, CudaText, Size, TileCount, Work};
use kernel::{Arg, ArgKind, KernelId};
use prim::{Const, Ty};
use std::sync::Arc;
use std::time::Instant;

type Buffer = device::cuda::Buffer;
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// `k0` to `k4` of the text.
pub(crate) const KERNELS: [&str; 5] = ["map", "sum", "chain", "gather", "count"];

fn main() -> Result<()> {
    let quick = std::env::args().nth(1).is_some_and(|word| word == "quick");
    let cache = std::env::temp_dir().join(format!("nesl-probe-{}", std::process::id()));
    let options = CudaOptions { cache: Some(cache.clone()), ..CudaOptions::default() };
    let start = Instant::now();
    println!("a GPU is there: {}, {:.3} s", Cuda::is_there(), start.elapsed().as_secs_f64());
    let start = Instant::now();
    let device = Cuda::new(&options).map_err(|diagnostic| format!("{diagnostic:?}"))?;
    println!("{}, made in {:.3} s", device.describe(), start.elapsed().as_secs_f64());
    let probe = Probe::new(device)?;
    probe.maps()?;
    probe.sums()?;
    probe.chains()?;
    probe.failures()?;
    probe.failures_without_memory(quick)?;
    println!("memory {:?}, traffic {:?}", probe.device.memory(), probe.device.traffic());
    costs::small(&probe)?;
    if !quick {
        costs::large(&probe)?;
        limits(&options)?;
        costs::profile(&options)?;
        probe.ends();
    }
    std::fs::remove_dir_all(cache)?;
    println!("done");
    Ok(())
}

/// A device with the kernels.
pub(crate) struct Probe {
    pub(crate) device: Cuda,
    module: device::cuda::Module,
}

/// An error as text.
#[expect(clippy::needless_pass_by_value, reason = "it takes what `map_err` gives")]
pub(crate) fn told(failure: Failure) -> Box<dyn std::error::Error> {
    format!("{failure:?}").into()
}

impl Probe {
    pub(crate) fn new(device: Cuda) -> Result<Probe> {
        for time in ["first", "second"] {
            let start = Instant::now();
            let loaded = device.load(&text()).map_err(|d| format!("{d:?}"))?;
            let seconds = start.elapsed().as_secs_f64();
            println!("{time} load: {seconds:.3} s, cached: {}", loaded.cached);
            if time == "second" {
                return Ok(Probe { device, module: loaded.module });
            }
        }
        Err("not loaded".into())
    }
    pub(crate) fn floats(&self, values: &[f64]) -> Result<Buffer> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(self.device.upload(&Arc::new(value::Buffer::copy_of(&bytes)?))?)
    }
    pub(crate) fn ints(&self, values: &[i64]) -> Result<Buffer> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(self.device.upload(&Arc::new(value::Buffer::copy_of(&bytes)?))?)
    }
    /// Launches a kernel on numbers and buffers.
    pub(crate) fn launch(
        &self,
        kernel: usize,
        numbers: &[i64],
        buffers: &[&Buffer],
    ) -> std::result::Result<(), Failure> {
        let numbers = numbers.iter().map(|&n| Argument::Scalar(Const::I64(n)));
        let buffers = buffers.iter().map(|&buffer| Argument::Buffer(buffer));
        let args: Vec<_> = numbers.chain(buffers).collect();
        // SAFETY: the callers hand over what the kernels take.
        unsafe { self.device.launch(&self.module, KernelId::new(kernel), &args, 1) }
    }
    pub(crate) fn word(&self, buffer: &Buffer, at: usize) -> [u8; 8] {
        let mut bytes = [0; 8];
        self.device.read(buffer, at * 8, &mut bytes);
        bytes
    }

    fn maps(&self) -> Result<()> {
        for n in [0, 1, 1000, 1_000_003] {
            let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let (x, y) = (self.floats(&x)?, self.device.allocate(8 * n)?);
            self.launch(0, &[n as i64], &[&x, &y]).map_err(told)?;
            self.device.wait().map_err(told)?;
            let host = self.device.download(&y)?;
            let right = host.typed::<f64>(n).iter().enumerate();
            assert!(right.into_iter().all(|(i, &y)| y == 2.0 * i as f64 + 1.0), "map of {n}");
        }
        // Small reads come another way.
        let x = self.ints(&(0..2000).collect::<Vec<_>>())?;
        for (at, len) in [(0, 1), (1, 1), (7, 4096), (8, 3000), (15_990, 10), (3, 9000)] {
            let mut bytes = vec![0; len];
            self.device.read(&x, at, &mut bytes);
            let byte = |i: usize| (i / 8).to_le_bytes()[i % 8];
            assert!((at..).zip(&bytes).all(|(i, &got)| got == byte(i)), "{len} bytes at {at}");
        }
        println!("maps are right");
        Ok(())
    }
    fn sums(&self) -> Result<()> {
        for n in [0, 1, 4096, 4097, 3_000_000, 17, 5_000_000] {
            let x: Vec<f64> = (0..n).map(|i| (i % 10) as f64).collect();
            let (x, cell) = (self.floats(&x)?, self.device.cell()?);
            for _ in 0..3 {
                self.launch(1, &[n], &[&x, &cell]).map_err(told)?;
            }
            self.device.wait().map_err(told)?;
            let sum = f64::from_le_bytes(self.word(&cell, 0));
            let expected: i64 = (0..n).map(|i| i % 10).sum();
            assert_eq!(sum, expected as f64, "sum of {n}");
        }
        println!("sums are right");
        Ok(())
    }
    /// Many chains of different lengths: words of one are never flags of another.
    fn chains(&self) -> Result<()> {
        // Small values, which are the numbers of launches.
        let x: Vec<i64> = (0..200_000).map(|i| i64::from(i % 256 == 0)).collect();
        let x = self.ints(&x)?;
        for round in 0..60 {
            let n = [200_000, 300, 70_000, 1, 150_000, 5000][round % 6];
            let y = self.device.allocate(8 * n)?;
            self.launch(2, &[n as i64], &[&x, &y]).map_err(told)?;
            self.device.wait().map_err(told)?;
            let host = self.device.download(&y)?;
            let mut right = host.typed::<i64>(n).iter().enumerate();
            assert!(right.all(|(i, &y)| y == i as i64 / 256 + 1), "chain of {n}");
        }
        println!("chains are right");
        Ok(())
    }

    fn failures(&self) -> Result<()> {
        let n = 100_000;
        let mut at: Vec<i64> = (0..n).rev().collect();
        let x = self.floats(&vec![1.5; n as usize])?;
        let y = self.device.allocate(8 * n as usize)?;
        at[70_000] = n + 5;
        at[60_000] = -3;
        for round in ["first", "second"] {
            let gather = |at: &Buffer| self.launch(3, &[n, n], &[at, &x, &y]);
            let wrong = self.ints(&at)?;
            gather(&wrong).map_err(told)?;
            // What comes later must leave the positions alone: whatever gets their memory.
            drop(wrong);
            let start = Instant::now();
            let again = self.device.allocate(8 * n as usize)?;
            self.device.zero(&again, 8 * n as usize);
            self.device.copy(&x, &again, 8 * n as usize);
            let small = self.ints(&[1, 2, 3])?;
            let late = self.device.wait();
            let took = start.elapsed().as_secs_f64();
            expect_fault(late, [-3, n], 60_000);
            println!("{round} failure found after {:.3} ms", took * 1e3);
            // The device works on.
            let right: Vec<i64> = (0..n).collect();
            let right = self.ints(&right)?;
            self.launch(3, &[n, n], &[&right, &x, &y]).map_err(told)?;
            let cell = self.device.cell()?;
            self.launch(1, &[n], &[&y, &cell]).map_err(told)?;
            self.device.wait().map_err(told)?;
            assert_eq!(f64::from_le_bytes(self.word(&cell, 0)), 1.5 * n as f64);
            drop(small);
        }
        Ok(())
    }
    /// A failure that is found when memory has to be given back, told by the next launch.
    fn failures_without_memory(&self, quick: bool) -> Result<()> {
        let x = self.floats(&[1.0])?;
        let wrong = self.ints(&[7])?;
        let y = self.device.allocate(8)?;
        self.launch(3, &[1, 1], &[&wrong, &x, &y]).map_err(told)?;
        drop(wrong);
        if !quick {
            let error = self.device.allocate(1 << 45).unwrap_err();
            println!("{error}");
        }
        // Large enough to wait for what was launched.
        let large = self.ints(&[9; 100_000])?;
        let told_by_launch = self.launch(0, &[1], &[&x, &y]);
        expect_fault(told_by_launch, [7, 1], 0);
        self.device.wait().map_err(told)?;
        assert_eq!(i64::from_le_bytes(self.word(&large, 99_999)), 9);
        println!("failures are told once");
        Ok(())
    }
    /// An access outside all memory ends the device, and is told.
    fn ends(&self) {
        let y = self.device.allocate(8).expect("memory");
        let done = self.launch(0, &[1 << 40], &[&y, &y]);
        println!("overlap: {}", done.is_ok());
        let Err(Failure::Broken(reason)) = self.device.wait() else { panic!("no trouble") };
        println!("{}: {}", reason.message, reason.notes.join("; "));
        let Err(Failure::Broken(_)) = self.launch(4, &[], &[&y]) else { panic!("still alive") };
    }
}

fn expect_fault(done: std::result::Result<(), Failure>, operands: [i64; 2], position: i64) {
    let Err(Failure::Fault(fault)) = done else { panic!("{done:?}") };
    assert_eq!((fault.site, fault.operands), (Site::Index, operands));
    assert_eq!(fault.positions, [position]);
}

/// What happens at the limits of memory.
fn limits(options: &CudaOptions) -> Result<()> {
    let cap = CudaOptions { memory: Some(64 << 20), ..options.clone() };
    let device = Cuda::new(&cap).map_err(|d| format!("{d:?}"))?;
    let first = device.allocate(48 << 20)?;
    println!("with a cap: {}", device.allocate(32 << 20).unwrap_err());
    drop(first);
    drop(device.allocate(40 << 20)?);
    let other = device.allocate(32 << 20)?;
    println!("with a cap: {:?}", device.memory());
    drop((other, device));
    let device = Cuda::new(options).map_err(|d| format!("{d:?}"))?;
    let mut held = Vec::new();
    let error = loop {
        match device.allocate(20 << 30) {
            Ok(buffer) => held.push(buffer),
            Err(error) => break error,
        }
    };
    println!("after {} times 20 GiB: {error}", held.len());
    held.clear();
    // Other sizes than those that are kept.
    let other = device.allocate(30 << 30)?;
    println!("then: {:?}", device.memory());
    // Memory may outlive its device.
    drop(device);
    drop(other);
    Ok(())
}

fn text() -> CudaText {
    let parts = [
        include_str!("../../../../compiler/emit/src/cuda/rts/types.cuh"),
        include_str!("../../../../compiler/emit/src/cuda/rts/run.cuh"),
        include_str!("../../../../compiler/emit/src/cuda/rts/faults.cuh"),
        include_str!("kernels.cu"),
    ];
    let unit = parts.join("\n");
    let tiles = |grain| TileCount::Even { extent: Size::Arg(Arg::new(0)), grain };
    let work = |tiles, words, fails| {
        let (unit, threads, recursive) = (0, 256, false);
        Work::Tiles { unit, tiles, threads, words, fails, recursive, reduces: false }
    };
    let int = (Ty::I64, ArgKind::Scalar);
    let (ints, floats) = ((Ty::I64, ArgKind::In), (Ty::F64, ArgKind::In));
    let (int_out, float_out) = ((Ty::I64, ArgKind::Out), (Ty::F64, ArgKind::Out));
    let rows = [
        (vec![int, floats, float_out], work(tiles(1024), 0, false)),
        (vec![int, floats, float_out], work(tiles(4096), 1, false)),
        (vec![int, ints, int_out], work(tiles(256), 1, false)),
        (vec![int, int, ints, floats, float_out], work(tiles(1024), 0, true)),
        (vec![(Ty::I64, ArgKind::InOut)], work(TileCount::One, 0, false)),
    ];
    let mut kernels = IdMap::new();
    for (name, (args, work)) in KERNELS.iter().zip(rows) {
        kernels.push(CudaKernel { name: (*name).to_owned(), args, work });
    }
    let sites = vec![(Site::Divide, Span::none()), (Site::Index, Span::none())];
    let code = emit::Code::own(kernels.ids());
    let (widths, units, descents) = (prim::Widths::WIDE, vec![unit], Vec::new());
    CudaText { widths, units, hurried: Vec::new(), kernels, code, sites, descents }
}
