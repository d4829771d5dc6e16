//! Random programs: whatever is fused gives the same, and the optimal partition costs no more than
//! the greedy one.

use super::{agree, int, ints};
use std::fmt::Write;

/// Numbers that look random (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators").
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }
}

/// A program as it grows: vectors over the two spaces and over what filters keep.
struct Program {
    random: Random,
    text: String,
    next: usize,
    /// Vectors over the lanes, over the elements of their segments, and scalars.
    lanes: Vec<usize>,
    elements: Vec<usize>,
    scalars: Vec<usize>,
    /// Spaces of kept lanes, their positions, and vectors over them.
    kept: Vec<(usize, usize, Vec<usize>)>,
}

impl Program {
    fn new(seed: u64) -> Program {
        let text = "fn f0 any(v0: i64, v1: vec i64 offsets s1, v2: vec i64 [s1], v3: vec i64 [s1], \
                    v4: vec i64 [s2], v5: vec i64 [s2]) {\n  s1 = [s0 > v0]\n  s2 = [s1 > offsets v1]\n";
        Program {
            random: Random(seed),
            text: text.to_owned(),
            next: 6,
            lanes: vec![2, 3],
            elements: vec![4, 5],
            scalars: vec![0],
            kept: Vec::new(),
        }
    }

    fn pick(&mut self, of: &[usize]) -> usize {
        of[self.random.below(of.len())]
    }

    fn value(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Code over the lanes: some vectors at the own position, perhaps one at another.
    fn over_lanes(&mut self) -> String {
        let mut code = "x2 = and x0 3; ".to_owned();
        let mut sum = 2;
        for i in 0..1 + self.random.below(3) {
            let vector = self.pick(&self.lanes.clone());
            let (read, add) = (10 + 2 * i, 11 + 2 * i);
            let _ = write!(code, "x{read} = read v{vector} x0; x{add} = sub x{read} x{sum}; ");
            sum = add;
        }
        if self.random.below(4) == 0 {
            let vector = self.pick(&self.lanes.clone());
            let _ = write!(code, "x3 = sub v0 x0; x4 = sub x3 1; x5 = read v{vector} x4; ");
            let _ = write!(code, "x6 = add x5 x{sum}; ");
            sum = 6;
        }
        if self.random.below(4) == 0 {
            let scalar = self.pick(&self.scalars.clone());
            let _ = write!(code, "x7 = add v{scalar} x{sum}; ");
            sum = 7;
        }
        let _ = write!(code, "x8 = and x{sum} 255; ");
        code
    }

    /// Code over the elements: vectors over them, and over the lanes that they are of.
    fn over_elements(&mut self) -> String {
        let (own, other) = (self.pick(&self.elements.clone()), self.pick(&self.elements.clone()));
        let lane = self.pick(&self.lanes.clone());
        format!(
            "x3 = read v{own} x1; x4 = read v{other} x1; x5 = read v{lane} x0; x6 = add x3 x5; \
             x7 = sub x6 x4; x8 = and x7 255; "
        )
    }

    fn statement(&mut self) {
        let result = self.value();
        let line = match self.random.below(11) {
            0..=2 => {
                let code = self.over_lanes();
                self.lanes.push(result);
                format!("v{result}: vec i64 [s1] = map [s1] \\x0 x1 {{ {code}yield x8 }}")
            }
            3 => {
                let code = self.over_lanes();
                self.scalars.push(result);
                format!("v{result}: i64 = reduce [s1] max \\x0 x1 {{ {code}yield x8 }}")
            }
            4 => {
                let code = self.over_lanes();
                self.lanes.push(result);
                format!("v{result}: vec i64 [s1] = scan [s1] max \\x0 x1 {{ {code}yield x8 }}")
            }
            5 => {
                let (code, shape) = (self.over_lanes(), self.value());
                let space = 3 + self.kept.len();
                self.kept.push((space, result, Vec::new()));
                format!(
                    "v{result}: vec i64 [s{space}], v{shape}: i64 = filter [s1] \\x0 x1 {{ {code}x9 = \
                     gt x8 30; yield x9 }}\n  s{space} = [s0 > v{shape}] from s1 at v{result}"
                )
            }
            6 | 7 if !self.kept.is_empty() => {
                let (index, lane) =
                    (self.random.below(self.kept.len()), self.pick(&self.lanes.clone()));
                let (space, positions, vectors) = self.kept[index].clone();
                let read = |vector: &usize| format!("x4 = read v{vector} x0; x5 = add x3 x4; ");
                let own = vectors.last().map_or("x5 = add x3 1; ".to_owned(), read);
                self.kept[index].2.push(result);
                format!(
                    "v{result}: vec i64 [s{space}] = map [s{space}] \\x0 x1 {{ x2 = read v{positions} \
                     x0; x3 = read v{lane} x2; {own}yield x5 }}"
                )
            }
            8 => {
                let (code, base) = (self.over_lanes(), self.pick(&self.lanes.clone()));
                self.lanes.push(result);
                let position = if self.random.below(2) == 0 { "x0" } else { "x2" };
                format!(
                    "v{result}: vec i64 [s1] = scatter [s1] to [s1] write v{base} \\x0 x1 {{ {code}yield \
                     {position} x8 }}"
                )
            }
            9 => {
                let code = self.over_elements();
                self.lanes.push(result);
                format!("v{result}: vec i64 [s1] = reduce [s2] add \\x0 x1 x2 {{ {code}yield x8 }}")
            }
            _ => {
                let code = self.over_elements();
                self.elements.push(result);
                format!("v{result}: vec i64 [s2] = map [s2] \\x0 x1 x2 {{ {code}yield x8 }}")
            }
        };
        let _ = writeln!(self.text, "  {line}");
    }

    /// Some of what was made is the result.
    fn finish(mut self) -> String {
        let kept = self.kept.iter().flat_map(|(_, _, vectors)| vectors.clone());
        let made = [&self.lanes[..], &self.elements[..], &self.scalars[..]].concat();
        let all: Vec<usize> = made.into_iter().chain(kept).collect();
        let last = all.iter().copied().max().unwrap_or(0);
        let yields: Vec<String> = all
            .into_iter()
            .filter(|&v| v == last || self.random.below(4) == 0)
            .map(|v| format!("v{v}"))
            .collect();
        format!("{}  yield {}\n}}\n", self.text, yields.join(" "))
    }
}

#[test]
fn plans_agree_and_cost_less() {
    let args = [
        int(4),
        ints(&[0, 2, 2, 5, 6]),
        ints(&[50, 3, 77, 20]),
        ints(&[9, 40, 1, 60]),
        ints(&[1, 2, 3, 4, 5, 6]),
        ints(&[70, 8, 30, 2, 1, 90]),
    ];
    for seed in 0..200 {
        let mut program = Program::new(seed);
        for _ in 0..4 + program.random.below(14) {
            program.statement();
        }
        agree(&program.finish(), &args);
    }
}
