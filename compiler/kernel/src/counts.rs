//! Arrays of ints that are counted inside a tile: half a word or less holds them.

use crate::{Arg, ArgKind, Block, Body, Kernel, Scan, Stmt, Var, each};
use prim::{Const, Ty};
use scalar::{Atom, Op};
use std::collections::BTreeSet;

/// The arrays of a kernel that hold what a tile counts.
#[derive(Default)]
pub struct Counted {
    /// Of threads: how many of the tile's elements are before each of theirs.
    pub private: BTreeSet<Arg>,
    /// Of blocks: ints from 0 to less than 2^16, such as the same, or which of the tile's segments
    /// an element is in.
    pub shared: BTreeSet<Arg>,
}

impl Kernel {
    /// Whether a scan counts bools.
    pub fn counts(&self, scan: &Scan) -> bool {
        let ty = |array: Arg| self.args[array].ty;
        scan.from != scan.to && ty(scan.from) == Ty::Bool && ty(scan.to) == Ty::I64
    }

    /// The arrays that hold what a tile counts.
    pub fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        let Body::Tiles { body, threads: Some(threads), .. } = &self.body else {
            return counted;
        };
        let mut numbers = BTreeSet::new();
        each(body, &mut |stmt| match stmt {
            Stmt::Scan(scans) => {
                for scan in scans.iter().filter(|scan| self.counts(scan)) {
                    counted.private.insert(scan.to);
                    numbers.insert(scan.total);
                }
            }
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Read(array, _)))
                if counted.private.contains(array) =>
            {
                numbers.insert(*var);
            }
            _ => {}
        });
        let lens = counted.private.iter().filter_map(|&array| self.args[array].kind.own_len());
        if lens.max().unwrap_or(0).saturating_mul(threads.count) > u16::MAX.into() {
            numbers.clear();
        }
        counted.shared = self.narrow(body, &numbers);
        counted
    }

    /// The shared arrays in which only such numbers, or owners, are stored.
    fn narrow(&self, body: &Block, numbers: &BTreeSet<Var>) -> BTreeSet<Arg> {
        let (mut narrow, mut wide) = (BTreeSet::new(), BTreeSet::new());
        each(body, &mut |stmt| match stmt {
            Stmt::Store(array, _, value) => {
                let small = match value {
                    Atom::Var(var) => numbers.contains(var),
                    Atom::Const(Const::I64(n)) => (0..=i64::from(u16::MAX)).contains(n),
                    _ => false,
                };
                if small {
                    narrow.insert(*array)
                } else {
                    wide.insert(*array)
                };
            }
            Stmt::Owners(told) => _ = narrow.insert(told.to),
            Stmt::Ends(told) => _ = wide.insert(told.to),
            Stmt::Rows(rows) => wide.extend([rows.to, rows.ends]),
            _ => {}
        });
        narrow.retain(|array| {
            let info = self.args[*array];
            matches!(info.kind, ArgKind::Shared(_)) && info.ty == Ty::I64 && !wide.contains(array)
        });
        narrow
    }
}
