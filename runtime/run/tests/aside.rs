//! Lanes that a device puts aside, and does not bring to their end: the machine runs them, when the
//! others have given what they give.
//!
//! The device is the cores, but for descents.  No GPU is needed.

#![allow(unsafe_code, reason = "a device launches")]

use base::Diagnostic;
use device::{
    Argument, Aside, Buffer, Cpu, CpuOptions, Descended, Device, Failure, Lanes, Loaded, MemoryUse,
    Module, OutOfMemory, Parted,
};
use emit::c::CText;
use kernel::KernelId;
use prim::Const;
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a light lane may have.
const LIGHT: i64 = 12;
/// The parameters of `up^` with an element for each lane; the second of them are lengths.
const OWN: [usize; 3] = [1, 2, 4];

/// The cores, which part lanes.
struct Parting {
    cpu: Cpu,
    parted: Arc<AtomicUsize>,
    joined: Arc<AtomicUsize>,
}

impl Parting {
    fn ints(&self, buffer: &Buffer, count: usize) -> Vec<i64> {
        let mut bytes = vec![0; 8 * count];
        self.cpu.read(buffer, 0, &mut bytes);
        let int = |word: &[u8]| i64::from_le_bytes(word.try_into().unwrap());
        bytes.chunks_exact(8).map(int).collect()
    }
    fn lanes(&self, own: &[Vec<i64>], wanted: &[usize]) -> Lanes<Buffer> {
        let vector = |(values, &n): (&Vec<i64>, &usize)| {
            let bytes: Vec<u8> = wanted.iter().flat_map(|&i| values[i].to_le_bytes()).collect();
            let bytes = Arc::new(value::Buffer::copy_of(&bytes).unwrap());
            (n, self.cpu.upload(&bytes).unwrap())
        };
        Lanes { count: wanted.len() as i64, own: own.iter().zip(&OWN).map(vector).collect() }
    }
}

impl Device for Parting {
    type Text = CText;
    type Module = Module;
    type Buffer = Buffer;

    unsafe fn descend(
        &self,
        _: &Module,
        _: (usize, KernelId),
        args: &[Argument<'_, Buffer>],
    ) -> Result<Descended<Buffer>, Failure> {
        let Argument::Scalar(Const::I64(lanes)) = args[0] else { panic!("{args:?}") };
        let count = usize::try_from(lanes).unwrap();
        let own = OWN.map(|n| match &args[n] {
            Argument::Buffer(buffer) => self.ints(buffer, count),
            other => panic!("{other:?}"),
        });
        let (light, heavy): (Vec<usize>, Vec<usize>) = (0..count).partition(|&i| own[1][i] < LIGHT);
        if light.is_empty() || heavy.is_empty() {
            return Ok(Descended::Heavy(1));
        }
        self.parted.fetch_add(1, Ordering::Relaxed);
        let (ended, memory) = (self.cpu.cell().map_err(Failure::Memory)?, Vec::new());
        let aside = Aside { lanes: self.lanes(&own, &light), ended, memory, stream: 0 };
        let left = self.lanes(&own, &heavy);
        Ok(Descended::Parted(Parted { left, times: 1, aside }))
    }
    fn join(&self, _: &Aside<Buffer>) -> Result<bool, Failure> {
        self.joined.fetch_add(1, Ordering::Relaxed);
        Ok(false)
    }
    fn has_routines(&self) -> bool {
        false
    }

    fn describe(&self) -> String {
        self.cpu.describe()
    }
    fn units(&self) -> usize {
        self.cpu.units()
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        self.cpu.allocate(bytes)
    }
    fn room(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        self.cpu.room(bytes)
    }
    fn settle(&self, room: &Buffer, bytes: usize) {
        self.cpu.settle(room, bytes);
    }
    fn upload(&self, bytes: &Arc<value::Buffer>) -> Result<Buffer, OutOfMemory> {
        self.cpu.upload(bytes)
    }
    fn cell(&self) -> Result<Buffer, OutOfMemory> {
        self.cpu.cell()
    }
    fn wait(&self) -> Result<(), Failure> {
        self.cpu.wait()
    }
    fn read(&self, buffer: &Buffer, from: usize, bytes: &mut [u8]) {
        self.cpu.read(buffer, from, bytes);
    }
    fn download(&self, buffer: &Buffer) -> Result<Arc<value::Buffer>, OutOfMemory> {
        self.cpu.download(buffer)
    }
    fn zero(&self, buffer: &Buffer, bytes: usize) {
        self.cpu.zero(buffer, bytes);
    }
    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) {
        self.cpu.copy(from, to, bytes);
    }
    fn size(&self, buffer: &Buffer) -> usize {
        self.cpu.size(buffer)
    }
    fn capacity(&self, buffer: &Buffer) -> usize {
        self.cpu.capacity(buffer)
    }
    fn filled(&self, buffer: &Buffer) -> Option<usize> {
        self.cpu.filled(buffer)
    }
    fn fill(&self, buffer: &Buffer, bytes: Option<usize>) {
        self.cpu.fill(buffer, bytes);
    }
    fn is_shared(&self, buffer: &Buffer) -> bool {
        self.cpu.is_shared(buffer)
    }
    fn is_same(&self, a: &Buffer, b: &Buffer) -> bool {
        self.cpu.is_same(a, b)
    }
    fn memory(&self) -> MemoryUse {
        self.cpu.memory()
    }
    fn touched(&self) -> u64 {
        self.cpu.touched()
    }
    fn load(&self, text: &CText) -> Result<Loaded<Module>, Diagnostic> {
        self.cpu.load(text)
    }
    unsafe fn launch(
        &self,
        module: &Module,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
        width: usize,
    ) -> Result<(), Failure> {
        // SAFETY: the caller says so.
        unsafe { self.cpu.launch(module, kernel, args, width) }
    }
}

/// Elements with a few long lanes, from which short ones come at each depth.
fn skewed(n: i64) -> Vec<i64> {
    (0..n).map(|i| if i % 3 == 0 { i } else { n + i * 7 % 40 }).collect()
}

/// What a call of `up` gives, or the message why it fails; how often lanes were put aside, and how
/// often they were waited for.
fn run(definition: &str, numbers: &[i64]) -> (Result<String, String>, usize, usize) {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let options = CpuOptions { cache: Some(cache), quick: true, ..CpuOptions::default() };
    let [parted, joined] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let device = Parting {
        cpu: Cpu::new(&options),
        parted: Arc::clone(&parted),
        joined: Arc::clone(&joined),
    };
    let options = Options::new(EngineKind::Cpu);
    let mut session = Session::on(device, &options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", definition.as_bytes(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}", errors[0].short(files));
        }
    });
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let given = Given::literal("a", format!("[{}]", numbers.join(", ")));
    let call = session.prepare_call("up", &[given]).unwrap();
    let answer = session.call(&call).map_err(|error| error.message);
    let shown = answer.map(|a| String::from_utf8(session.show(&a, &call.shape)).unwrap());
    (shown, parted.load(Ordering::Relaxed), joined.load(Ordering::Relaxed))
}

#[test]
fn lanes_that_give_up_are_run_in_the_usual_way() {
    let text = "function up(a) =
                  if #a < 2 then a
                  else let p = a[#a / 2];
                           s = {up(v) : v in [{x in a | x < p}, {x in a | x > p}]}
                       in s[0] ++ {x in a | x == p} ++ s[1];";
    let mut numbers = skewed(100);
    let (found, parted, joined) = run(text, &numbers);
    numbers.sort_unstable();
    let wanted: Vec<String> = numbers.iter().map(i64::to_string).collect();
    assert_eq!(found, Ok(format!("[{}]", wanted.join(", "))));
    assert!(parted > 1, "{parted}");
    assert_eq!(joined, parted);
}

/// A long lane fails while short ones run: nothing is left that would be waited for.
#[test]
fn a_failure_waits_for_lanes_aside() {
    let text = "function up(a) =
                  if #a < 2 then a
                  else let p = a[if #a == 62 then #a else #a / 2];
                           s = {up(v) : v in [{x in a | x < p}, {x in a | x > p}]}
                       in s[0] ++ {x in a | x == p} ++ s[1];";
    let (found, parted, joined) = run(text, &skewed(300));
    assert_eq!(found, Err("index 62 is outside a sequence of length 62".to_owned()));
    assert!(parted > 0);
    assert_eq!(joined, parted);
}
