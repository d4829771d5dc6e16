//! What things cost.

use super::{KERNELS, Probe, Result, told};
use base::Id;
use device::{Cuda, CudaOptions, Device};
use std::sync::Arc;
use std::time::Instant;

/// Seconds that each of so many rounds takes.
fn each<T>(rounds: u32, mut round: impl FnMut() -> Result<T>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..rounds {
        round()?;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(rounds))
}

/// The best of several.
fn best(mut once: impl FnMut() -> Result<f64>) -> Result<f64> {
    (0..5).try_fold(f64::INFINITY, |least, _| Ok(least.min(once()?)))
}

/// Launches, waits, small memory.
pub(crate) fn small(probe: &Probe) -> Result<()> {
    let device = &probe.device;
    let micro = |what: &str, seconds: f64| println!("{what}: {:.2} us", seconds * 1e6);
    let count = probe.ints(&[0])?;
    let wait = || device.wait().map_err(told);
    let launches = best(|| {
        each(1, || {
            for _ in 0..10_000 {
                probe.launch(4, &[], &[&count]).map_err(told)?;
            }
            wait()
        })
    })?;
    micro("launch, one of 10,000", launches / 1e4);
    assert_eq!(i64::from_le_bytes(probe.word(&count, 0)), 50_000);
    let (at, x) = (probe.ints(&[0])?, probe.floats(&[1.0])?);
    let y = device.allocate(8)?;
    let launches = best(|| {
        each(1, || {
            for _ in 0..10_000 {
                probe.launch(3, &[1, 1], &[&at, &x, &y]).map_err(told)?;
            }
            wait()
        })
    })?;
    micro("launch that may fail, one of 10,000", launches / 1e4);
    let issue = best(|| {
        wait()?;
        each(500, || probe.launch(0, &[1], &[&x, &y]).map_err(told))
    })?;
    micro("launch, without waiting for the GPU", issue);
    wait()?;
    let cell = device.cell()?;
    let latency = best(|| {
        each(1000, || {
            probe.launch(1, &[1], &[&x, &cell]).map_err(told)?;
            wait()?;
            probe.word(&cell, 0);
            Ok(())
        })
    })?;
    micro("launch, wait, read a cell", latency);
    let latency = best(|| {
        each(1000, || {
            probe.launch(1, &[1], &[&x, &y]).map_err(told)?;
            wait()?;
            probe.word(&y, 0);
            Ok(())
        })
    })?;
    micro("launch, wait, read memory", latency);
    micro("allocate and free", best(|| each(10_000, || Ok(device.allocate(1000)?)))?);
    for bytes in [8, 3840, 7680, 16 << 10, 256 << 10] {
        let host = Arc::new(value::Buffer::copy_of(&vec![1; bytes])?);
        let cost = best(|| {
            let cost = each(300, || Ok(device.upload(&host)?))?;
            wait()?;
            Ok(cost)
        })?;
        micro(&format!("upload of {bytes} bytes"), cost);
    }
    let memory = device.allocate(64 << 10)?;
    for bytes in [8, 64 << 10] {
        let cost = best(|| {
            each(300, || {
                device.zero(&memory, bytes);
                Ok(())
            })
        })?;
        wait()?;
        micro(&format!("zero of {bytes} bytes"), cost);
    }
    wait()
}

/// Bandwidths.
pub(crate) fn large(probe: &Probe) -> Result<()> {
    let device = &probe.device;
    let rate = |what: &str, bytes: usize, seconds: f64| {
        println!("{what}: {:.1} GB/s ({:.3} ms)", bytes as f64 / seconds / 1e9, seconds * 1e3);
    };
    let wait = || device.wait().map_err(told);
    for bytes in [1 << 20, 16 << 20, 256 << 20, 1 << 30] {
        let mut host = value::Buffer::zeroed(bytes)?;
        host.as_mut_slice().iter_mut().enumerate().for_each(|(i, byte)| *byte = (i % 251) as u8);
        let host = Arc::new(host);
        let start = Instant::now();
        let memory = device.upload(&host)?;
        wait()?;
        rate(&format!("first upload of {} MiB", bytes >> 20), bytes, start.elapsed().as_secs_f64());
        let start = Instant::now();
        let back = device.download(&memory)?;
        rate("first download", bytes, start.elapsed().as_secs_f64());
        assert!(back.as_slice()[..bytes] == *host.as_slice(), "what went up comes back");
        let up = best(|| {
            each(1, || {
                drop(device.upload(&host)?);
                wait()
            })
        })?;
        rate(&format!("upload of {} MiB", bytes >> 20), bytes, up);
        let down = best(|| each(1, || Ok(device.download(&memory)?)))?;
        rate(&format!("download of {} MiB", bytes >> 20), bytes, down);
        let mut into = vec![1; bytes];
        let down = best(|| {
            each(1, || {
                device.read(&memory, 0, &mut into);
                Ok(())
            })
        })?;
        rate(&format!("read of {} MiB into memory in use", bytes >> 20), bytes, down);
    }
    let bytes = 4 << 30;
    let (one, two) = (device.allocate(bytes)?, device.allocate(bytes)?);
    let zero = best(|| {
        each(1, || {
            device.zero(&one, bytes);
            wait()
        })
    })?;
    rate("zero of 4 GiB, written", bytes, zero);
    let copy = best(|| {
        each(1, || {
            device.copy(&one, &two, bytes);
            wait()
        })
    })?;
    rate("copy of 4 GiB, read and written", 2 * bytes, copy);
    let start = Instant::now();
    let fresh: Vec<_> = (0..200)
        .map(|i| device.allocate((2 << 20) + i * 600_000))
        .collect::<std::result::Result<_, _>>()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("fresh memory: {:.1} us for each of {} pieces", seconds * 1e6 / 200.0, fresh.len());
    Ok(())
}

/// Times of launches by the GPU's clock.
pub(crate) fn profile(options: &CudaOptions) -> Result<()> {
    let probe = Probe::new(Cuda::new(options).map_err(|d| format!("{d:?}"))?)?;
    let n = 100_000_000;
    let (x, y) = (probe.device.allocate(8 * n)?, probe.device.allocate(8 * n)?);
    probe.device.zero(&x, 8 * n);
    let cell = probe.device.cell()?;
    probe.device.time_launches(true);
    let first = Instant::now();
    for _ in 0..3 {
        probe.launch(0, &[n as i64], &[&x, &y]).map_err(told)?;
        probe.launch(1, &[n as i64], &[&y, &cell]).map_err(told)?;
    }
    probe.device.wait().map_err(told)?;
    assert_eq!(f64::from_le_bytes(probe.word(&cell, 0)), n as f64);
    for time in probe.device.times() {
        let name = KERNELS[time.kernel.index()];
        let start = time.began.duration_since(first).as_secs_f64();
        println!("{name} at {:.3} ms took {:.3} ms", start * 1e3, time.seconds * 1e3);
    }
    Ok(())
}
