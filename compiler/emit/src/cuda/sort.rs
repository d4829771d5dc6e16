//! How an NVIDIA GPU sorts: which kernels of `rts/sort.cuh` run over which memory, one after the
//! other.
//!
//! The host knows how many keys and segments there are, and nothing else, so a plan depends on
//! nothing else.  What is in the keys and offsets is found out on the device: kernels that turn out
//! to have nothing to do end at once.
//!
//! ```text
//! one sequence     near                               up to NEAR keys
//!                  clear, count, plan, pass ...       a pass for each byte of a key
//! segments         clear, heads, near                 none can be longer than NEAR
//!                  clear, heads, near, count, plan, pass ...
//! ```
//!
//! Sorted bytes follow from their counts: there `fill` takes the place of the pass.

use kernel::SortKind;
use prim::{Ty, Width, Widths};

/// The kernels.  What must be defined before is at the top of the text; [`Unit::text`] does it.
pub const SORT: &str = include_str!("rts/sort.cuh");

/// Longest sequence or segment that one block sorts where it lies.
const NEAR: i64 = 2048;
/// Longest part whose ranks are written where they belong as they are found: they fit the cache.
const LOCAL: i64 = 1 << 21;
/// Ranks that a block of the last kernel writes; a stretch of them is longer.
const DELIVERED: i64 = 4096;
/// From here on numbers of keys take 64 bits.
const WIDE: i64 = 1 << 30;
/// Values of a digit.
const BINS: i64 = 256;
/// Threads of a block in each kernel but the pass.
const HEADS_THREADS: u32 = 256;
const NEAR_THREADS: u32 = 1024;
const COUNT_THREADS: u32 = 512;
const FILL_THREADS: u32 = 256;
const DELIVER_THREADS: u32 = 512;
/// Multiprocessors to make work for, where a kernel does with any number of blocks.
const PROCESSORS: i64 = 132;
/// Bytes of `nesl_state` and `nesl_part`.
const STATE_BYTES: u64 = 48;
const PART_BYTES: u64 = 24;
/// Memory is handed out in multiples of this many bytes.
const ALIGNMENT: u64 = 256;

/// How keys are stored and compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// 64-bit two's complement.
    I64,
    /// 32-bit two's complement.
    I32,
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// Unsigned byte.
    Byte,
}

impl Key {
    /// How values of a type are stored.
    pub fn new(widths: Widths, ty: Ty) -> Key {
        match (ty, widths.int, widths.float) {
            (Ty::I64, Width::W64, _) => Key::I64,
            (Ty::I64, Width::W32, _) => Key::I32,
            (Ty::F64, _, Width::W64) => Key::F64,
            (Ty::F64, _, Width::W32) => Key::F32,
            (Ty::Bool | Ty::Char, ..) => Key::Byte,
        }
    }

    /// All there are.
    pub const ALL: [Key; 5] = [Key::I64, Key::I32, Key::F64, Key::F32, Key::Byte];

    /// Bytes of a key in memory, which is also how many digits it has.
    pub fn bytes(self) -> u32 {
        match self {
            Key::I64 | Key::F64 => 8,
            Key::I32 | Key::F32 => 4,
            Key::Byte => 1,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Key::F64 | Key::F32)
    }

    /// The bits that differ between a key and what kernels compare as an unsigned number, for ints
    /// and for floats that are not negative.
    fn flip(self, kind: SortKind) -> i64 {
        let sign = 1_u64 << (8 * self.bytes() - 1);
        let flip = match (kind, self) {
            (SortKind::Sort | SortKind::Rank, Key::Byte) => 0,
            (SortKind::RankDown, Key::Byte) => 0xff,
            (SortKind::Sort | SortKind::Rank, _) => sign,
            (SortKind::RankDown, _) => sign - 1,
        };
        flip.cast_signed()
    }
}

/// A translation unit with kernels: plans of the same unit use the same ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    /// What is sorted.
    pub key: Key,
    /// Ranks are wanted, not keys.
    pub ranks: bool,
    /// Numbers of keys take 64 bits.
    pub wide: bool,
    /// How wide ranks and offsets are.
    pub int: Width,
}

/// The size of a pass.
#[derive(Clone, Copy)]
struct Shape {
    threads: i64,
    /// Keys of a thread.
    items: i64,
    /// Blocks that a multiprocessor should have room for.
    blocks: i64,
}

impl Unit {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Unit> {
        let numbers = [(false, false), (false, true), (true, false), (true, true)];
        let units = Key::ALL.into_iter().flat_map(move |key| {
            numbers.into_iter().flat_map(move |(ranks, wide)| {
                Width::ALL.into_iter().map(move |int| Unit { key, ranks, wide, int })
            })
        });
        // Int keys are as wide as other ints.
        units.filter(|unit| match unit.key {
            Key::I64 => unit.int == Width::W64,
            Key::I32 => unit.int == Width::W32,
            Key::F64 | Key::F32 | Key::Byte => true,
        })
    }

    /// The text, complete in itself.
    pub fn text(self) -> String {
        let Shape { threads, items, blocks } = self.shape();
        let defines = [
            ("KEY_BYTES", i64::from(self.key.bytes())),
            ("KEY_FLOAT", i64::from(self.key.is_float())),
            ("RANKS", i64::from(self.ranks)),
            ("WIDE", i64::from(self.wide)),
            ("INT_BITS", i64::from(self.int.bits())),
            ("THREADS", threads),
            ("ITEMS", items),
            ("BLOCKS", blocks),
            ("COUNTERS", i64::from(COUNT_THREADS)),
            ("SORTERS", i64::from(NEAR_THREADS)),
            ("DELIVERED", DELIVERED),
            ("NEAR", NEAR),
            ("LOCAL", LOCAL),
        ];
        let lines = defines.map(|(name, value)| format!("#define NESL_{name} {value}\n"));
        lines.concat() + SORT
    }

    /// Keys and positions of a tile are held in registers, and are exchanged in shared memory.
    fn shape(self) -> Shape {
        let items = match (self.key.bytes(), self.ranks) {
            (8, false) => 18,
            (8, true) => 12,
            (_, false) => 23,
            (_, true) => 16,
        };
        Shape { threads: 384, items, blocks: 2 }
    }

    /// Keys of a tile.
    fn tile(self) -> i64 {
        self.shape().threads * self.shape().items
    }

    /// Bytes of an order key.
    fn order_bytes(self) -> i64 {
        i64::from(self.key.bytes().max(4))
    }

    /// Bytes of a number of keys.
    fn place_bytes(self) -> i64 {
        if self.wide { 8 } else { 4 }
    }

    /// Shared memory of a pass: counts of each warp, then keys or positions of the tile.
    fn pass_shared(self) -> u32 {
        let counts = self.shape().threads / 32 * BINS * 4;
        let places = if self.ranks { self.place_bytes() } else { 0 };
        small(counts.max(self.tile() * self.order_bytes().max(places)))
    }

    /// Shared memory of the kernel for short segments: of each of `2 * NEAR` slots two keys, a
    /// segment, and for ranks two positions.
    fn near_shared(self) -> u32 {
        small(2 * NEAR * (2 * self.order_bytes() + 4 + if self.ranks { 4 } else { 0 }))
    }
}

/// What a launch hands to a kernel: each takes 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// The address of the keys.
    Keys,
    /// The address of the results.
    Out,
    /// The address of the offsets.
    Offsets,
    /// The address of a temporary buffer.
    Temp(usize),
    /// An address that many bytes into a temporary buffer.
    TempAt(usize, u64),
    /// A number, or 0 for the address of nothing.
    Int(i64),
}

/// One launch of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Its symbol in the unit.
    pub kernel: &'static str,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory, which may be more than a kernel gets without asking.
    pub shared: u32,
    /// The parameters in order.
    pub args: Vec<Arg>,
}

/// What is done next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The first bytes of a temporary buffer become 0.
    Clear {
        /// The buffer.
        temp: usize,
        /// How many.
        bytes: u64,
    },
    /// A kernel runs.
    Launch(Launch),
}

/// How to sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Which has the kernels.
    pub unit: Unit,
    /// Bytes of each temporary buffer.  They are aligned to 256 bytes; nothing is known of what is
    /// in them, and nothing in them is needed afterwards.
    pub temps: Vec<u64>,
    /// In order, on one stream.
    pub steps: Vec<Step>,
}

/// The plan for `length` keys in a program with ints of this width: one sequence, or as many
/// segments as is said, whose offsets are in memory of the device.
pub fn steps(kind: SortKind, key: Key, int: Width, length: i64, segments: Option<i64>) -> Plan {
    let ranks = match kind {
        SortKind::Sort => false,
        SortKind::Rank | SortKind::RankDown => true,
    };
    let unit = Unit { key, ranks, wide: length >= WIDE, int };
    let mut planner = Planner { unit, length, flip: key.flip(kind), temps: vec![], steps: vec![] };
    match segments {
        _ if length <= 0 => {}
        Some(segments) if segments > 1 => planner.segments(segments),
        _ if length <= NEAR => planner.near(&Marks::NONE),
        _ => planner.sequence(),
    }
    Plan { unit, temps: planner.temps, steps: planner.steps }
}

/// A plan in the making.
struct Planner {
    unit: Unit,
    length: i64,
    flip: i64,
    temps: Vec<u64>,
    steps: Vec<Step>,
}

/// What is found out about segments, and what the kernel for short ones clears for the others.
struct Marks {
    heads: Arg,
    state: Arg,
    bins: Arg,
    told: Arg,
}

impl Marks {
    /// There is one segment.
    const NONE: Marks =
        Marks { heads: Arg::Int(0), state: Arg::Int(0), bins: Arg::Int(0), told: Arg::Int(0) };
}

/// Memory for sequences that are sorted by their digits.
struct Parts {
    /// At most so many sequences.
    count: i64,
    /// At most so many tiles.
    tiles: i64,
    /// What kernels are told: the number of tiles, or -1 if it has to be found out.
    known: i64,
    state: Arg,
    parts: Arg,
    part_of: Arg,
    bins: Arg,
    told: Arg,
    /// How much of each stretch of ranks is in use.
    taken: Arg,
}

/// Where keys are between passes, and for ranks where they came from: in the first of each before
/// an even number of passes, in the second before an odd one.
struct Homes {
    keys: [Arg; 2],
    index: Option<[Arg; 2]>,
}

/// Hands out parts of one temporary buffer.
struct Room {
    temp: usize,
    used: u64,
}

impl Room {
    fn take(&mut self, bytes: u64) -> Arg {
        let at = self.used;
        self.used = (at + bytes).next_multiple_of(ALIGNMENT);
        Arg::TempAt(self.temp, at)
    }
}

impl Planner {
    /// One long sequence.
    fn sequence(&mut self) {
        let tiles = self.length.unsigned_abs().div_ceil(self.unit.tile().unsigned_abs());
        let tiles = tiles.cast_signed();
        let mut room = self.room();
        let state = room.take(STATE_BYTES);
        let taken = room.take(bytes(BINS, self.unit.place_bytes()));
        let bins = room.take(self.bins_bytes(1));
        let told = self.row(&mut room, tiles);
        self.steps.push(Step::Clear { temp: room.temp, bytes: room.used });
        self.row(&mut room, tiles);
        let parts = room.take(PART_BYTES);
        self.close(&room);
        let part_of = Arg::Int(0);
        self.parts(&Parts {
            count: 1,
            tiles,
            known: tiles,
            state,
            parts,
            part_of,
            bins,
            told,
            taken,
        });
    }

    /// Segments: there may be short ones, long ones, or both.
    fn segments(&mut self, segments: i64) {
        let count = segments.min(self.length / (NEAR + 1));
        // Each part has at most one tile that is not full.
        let tiles = self.length / self.unit.tile() + count;
        let mut room = self.room();
        let state = room.take(STATE_BYTES);
        let taken = room.take(bytes(BINS, self.unit.place_bytes()));
        let heads = room.take(bytes(self.length / 32 + 1, 4));
        self.steps.push(Step::Clear { temp: room.temp, bytes: room.used });
        if count == 0 {
            self.close(&room);
            self.heads(segments, heads, state, Arg::Int(0));
            self.near(&Marks { heads, state, ..Marks::NONE });
            return;
        }
        let parts = room.take(bytes(count, 1) * PART_BYTES);
        let part_of = room.take(bytes(tiles, 4));
        let bins = room.take(self.bins_bytes(count));
        let told = self.row(&mut room, tiles);
        self.row(&mut room, tiles);
        self.close(&room);
        self.heads(segments, heads, state, parts);
        self.near(&Marks { heads, state, bins, told });
        let known = -1;
        self.parts(&Parts { count, tiles, known, state, parts, part_of, bins, told, taken });
    }

    fn heads(&mut self, segments: i64, heads: Arg, state: Arg, parts: Arg) {
        let args =
            vec![Arg::Offsets, Arg::Int(segments), Arg::Int(self.length), heads, state, parts];
        let threads = i64::from(HEADS_THREADS);
        let blocks = segments / threads + 1;
        self.launch("nesl_sort_heads", blocks.min(32 * PROCESSORS), HEADS_THREADS, 0, args);
    }

    fn near(&mut self, marks: &Marks) {
        let blocks = (self.length - 1) / NEAR + 1;
        let (length, flip) = (Arg::Int(self.length), Arg::Int(self.flip));
        let Marks { heads, state, bins, told } = *marks;
        let args = vec![Arg::Keys, Arg::Out, length, flip, heads, state, bins, told];
        let shared = self.unit.near_shared();
        self.launch("nesl_sort_near", blocks, NEAR_THREADS, shared, args);
    }

    /// Sorts by digits.
    fn parts(&mut self, p: &Parts) {
        let (length, flip, known) = (Arg::Int(self.length), Arg::Int(self.flip), Arg::Int(p.known));
        let args = vec![Arg::Keys, length, flip, known, p.state, p.parts, p.part_of, p.bins];
        self.launch("nesl_sort_count", p.tiles.min(4 * PROCESSORS), COUNT_THREADS, 0, args);
        let args = vec![length, known, p.state, p.parts, p.bins];
        let threads = 32 * self.unit.key.bytes();
        self.launch("nesl_sort_plan", p.count.min(8 * PROCESSORS), threads, 0, args);
        if self.unit.key == Key::Byte && !self.unit.ranks {
            let args = vec![Arg::Out, flip, known, p.state, p.parts, p.part_of, p.bins];
            self.launch("nesl_sort_fill", p.tiles.min(8 * PROCESSORS), FILL_THREADS, 0, args);
        } else {
            self.passes(p);
        }
    }

    fn passes(&mut self, p: &Parts) {
        let homes = self.homes();
        let Shape { threads, blocks, .. } = self.unit.shape();
        let long = homes.index.is_some() && self.length > LOCAL;
        let taken = if long { p.taken } else { Arg::Int(0) };
        let shift = Arg::Int(self.shift());
        for digit in 0..i64::from(self.unit.key.bytes()) {
            let [even, odd] = homes.keys;
            let [even_index, odd_index] = homes.index.unwrap_or([Arg::Int(0); 2]);
            let (flip, row) = (Arg::Int(self.flip), Arg::Int(p.tiles * BINS));
            let args = vec![
                Arg::Int(digit),
                Arg::Keys,
                Arg::Out,
                even,
                odd,
                even_index,
                odd_index,
                flip,
                Arg::Int(p.known),
                p.state,
                p.parts,
                p.part_of,
                p.bins,
                p.told,
                row,
                taken,
                shift,
            ];
            // Where tiles may turn out to be few, blocks without one should be few, too.
            let grid = if p.known < 0 { p.tiles.min(blocks * PROCESSORS) } else { p.tiles };
            let shared = self.unit.pass_shared();
            self.launch("nesl_sort_pass", grid, small(threads), shared, args);
        }
        if let (true, Some([index, _])) = (long, homes.index) {
            let [position, _] = homes.keys;
            let args = vec![position, index, Arg::Out, Arg::Int(self.length), taken, shift];
            let grid = (self.length - 1) / DELIVERED + 1;
            self.launch("nesl_sort_deliver", grid, DELIVER_THREADS, 0, args);
        }
    }

    /// Positions that agree but for this many bits share one of 256 stretches.
    fn shift(&self) -> i64 {
        let bits = i64::from(u64::BITS - (self.length - 1).leading_zeros());
        (bits - 8).max(0)
    }

    /// Memory between passes.
    fn homes(&mut self) -> Homes {
        let Unit { key, ranks, .. } = self.unit;
        let (order, place) = (self.unit.order_bytes(), self.unit.place_bytes());
        match (key, ranks) {
            // A single pass needs none.
            (Key::Byte, _) => Homes { keys: [Arg::Int(0); 2], index: None },
            (_, false) => Homes { keys: [Arg::Out, self.buffer(order)], index: None },
            (_, true) => {
                // In the end positions are in the first.
                let keys = [self.buffer(order.max(place)), self.buffer(order)];
                Homes { keys, index: Some([self.buffer(place), self.buffer(place)]) }
            }
        }
    }

    /// Memory for `size` bytes of each key.
    fn buffer(&mut self, size: i64) -> Arg {
        self.temps.push(bytes(self.length, size));
        Arg::Temp(self.temps.len() - 1)
    }

    fn room(&mut self) -> Room {
        self.temps.push(0);
        Room { temp: self.temps.len() - 1, used: 0 }
    }

    fn close(&mut self, room: &Room) {
        self.temps[room.temp] = room.used;
    }

    /// Counts of the digits of `parts` sequences.
    fn bins_bytes(&self, parts: i64) -> u64 {
        bytes(parts * i64::from(self.unit.key.bytes()) * BINS, self.unit.place_bytes())
    }

    /// What tiles tell each other in a pass, if there are passes.
    fn row(&self, room: &mut Room, tiles: i64) -> Arg {
        if self.unit.key == Key::Byte && !self.unit.ranks {
            return Arg::Int(0);
        }
        room.take(bytes(tiles * BINS, self.unit.place_bytes()))
    }

    fn launch(
        &mut self,
        kernel: &'static str,
        grid: i64,
        threads: u32,
        shared: u32,
        args: Vec<Arg>,
    ) {
        self.steps.push(Step::Launch(Launch { kernel, grid: small(grid), threads, shared, args }));
    }
}

/// Bytes of `count` things.
fn bytes(count: i64, size: i64) -> u64 {
    count.unsigned_abs() * size.unsigned_abs()
}

fn small(n: i64) -> u32 {
    u32::try_from(n).unwrap_or_else(|_| unreachable!("{n} blocks or bytes"))
}
