//! Who goes on first: orders that a machine might choose, the worst among them.

use super::thread::{Stop, Thread};

/// Threads that go on together.
const WARP: usize = 32;

/// The order in which threads of a block and blocks go on.
#[derive(Clone, Debug)]
pub(super) struct Order {
    turns: Turns,
    progress: Progress,
    random: Random,
}

/// How threads of a block follow each other from one collective to the next.
#[derive(Clone, Copy, Debug)]
enum Turns {
    /// Each as far as it comes, the first one first.
    Forward,
    /// Each as far as it comes, the last one first.
    Backward,
    /// The threads of some warp a statement each, then those of another.
    Warps,
    /// Some thread a few statements, then another.
    Any,
}

/// Which block goes on.
#[derive(Clone, Copy, Debug)]
enum Progress {
    /// That of the first tile: one tile after the other.
    First,
    /// That of the last tile: what comes before a chain is done long before its turn.
    Last,
    /// Some block.
    Any,
}

impl Order {
    /// Twelve seeds in a row have all pairs.
    pub(super) fn new(seed: u64) -> Order {
        let turns = [Turns::Forward, Turns::Backward, Turns::Warps, Turns::Any];
        let progress = [Progress::First, Progress::Last, Progress::Any];
        Order {
            turns: turns[(seed % 4) as usize],
            progress: progress[(seed % 3) as usize],
            random: Random(seed),
        }
    }

    /// The number of the one that goes on, given the tiles of all who can.
    pub(super) fn pick(&mut self, tiles: &[usize]) -> usize {
        let numbers = 0..tiles.len();
        let found = match self.progress {
            Progress::First => numbers.min_by_key(|&n| tiles[n]),
            Progress::Last => numbers.max_by_key(|&n| tiles[n]),
            Progress::Any => Some(self.random.below(tiles.len())),
        };
        found.unwrap_or_else(|| unreachable!("nobody can go on"))
    }

    /// Runs threads until each has stopped; `step` runs one of them for a statement.
    pub(super) fn run<'a>(
        &mut self,
        threads: &mut [Thread<'a>],
        mut step: impl FnMut(&mut Thread<'a>) -> Option<Stop<'a>>,
    ) -> Vec<Stop<'a>> {
        let mut stops: Vec<Option<Stop<'a>>> = vec![None; threads.len()];
        let mut left: Vec<usize> = (0..threads.len()).collect();
        while !left.is_empty() {
            let (some, most) = match self.turns {
                Turns::Forward => (left[..1].to_vec(), u64::MAX),
                Turns::Backward => (left[left.len() - 1..].to_vec(), u64::MAX),
                Turns::Any => {
                    (vec![left[self.random.below(left.len())]], 1 + self.random.bits() % 8)
                }
                Turns::Warps => {
                    let warp = left[self.random.below(left.len())] / WARP;
                    (left.iter().copied().filter(|n| n / WARP == warp).collect(), 1)
                }
            };
            for n in some {
                let mut turns = 0;
                while stops[n].is_none() && turns < most {
                    stops[n] = step(&mut threads[n]);
                    turns += 1;
                }
            }
            left.retain(|&n| stops[n].is_none());
        }
        stops.into_iter().flatten().collect()
    }
}

/// The generator splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }
}
