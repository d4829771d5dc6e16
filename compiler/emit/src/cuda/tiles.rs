//! How many tiles a kernel has, and where each begins and ends.

use super::kernel::Parts;
use super::text::{Size, TileCount};
use crate::shared::Writer;
use crate::shared::kernel::outer_name;
use crate::shared::stmt::Shared;
use kernel::{Operand, Segments, Tiles};
use scalar::Atom;

/// How many tiles a launch has.
pub(super) fn count(tiles: &Tiles) -> TileCount {
    match tiles {
        Tiles::Once | Tiles::Whole { .. } | Tiles::Owners { .. } => TileCount::One,
        Tiles::Even { extent, grain } => TileCount::Even { extent: size(*extent), grain: *grain },
        Tiles::Balanced { extent, segments, grain }
        | Tiles::Cut { extent, segments, grain, .. } => {
            let (extent, grain) = (size(*extent), *grain);
            match segments {
                Segments::Offsets(_, elements) => {
                    TileCount::Balanced { extent, elements: size(*elements), grain }
                }
                Segments::Even(length) => TileCount::Cells { extent, length: size(*length), grain },
            }
        }
    }
}

/// A number that the host knows before a launch.
pub(super) fn size(operand: Operand) -> Size {
    match operand {
        Atom::Outer(arg, _) => Size::Arg(arg),
        Atom::Const(c) => Size::Const(c.int()),
        Atom::Var(v) => unreachable!("{v} is not known to the host"),
    }
}

impl Parts<'_> {
    /// Whether tiles tell each other where they begin, in the last word of each: those that cut
    /// segments and wait for each other anyway.
    pub(super) fn tells_starts(&self) -> bool {
        let cut = matches!(self.tiles, Tiles::Cut { segments: Segments::Offsets(..), .. });
        cut && !self.alone && self.chains().next().is_some()
    }

    /// Declares the first index of a tile and the first past it, as far as they are used.
    pub(super) fn ends(&self, shared: &Shared<'_>, out: &mut Writer) {
        let [tile, first, last] = self.tile;
        let int = shared.int();
        let operand = |atom: &Operand| outer_name(shared.widths(), *atom);
        let used = self.used();
        let positions = self.has_positions();
        let range = |from: String, to: String| {
            let mut names = Vec::new();
            if positions || used.contains(&Atom::Var(first)) {
                names.push(format!("{first} = {from}"));
            }
            if used.contains(&Atom::Var(last)) {
                names.push(format!("{last} = {to}"));
            }
            let names = names.join(", ");
            if names.is_empty() { names } else { format!("const {int} {names};") }
        };
        match self.tiles {
            Tiles::Once => out.line(range("0".into(), "1".into())),
            Tiles::Whole { extent } | Tiles::Owners { extent } => {
                out.line(range("0".into(), operand(extent)));
            }
            Tiles::Even { extent, grain } => {
                let extent = operand(extent);
                let to = format!("nesl_min({tile} * {grain} + {grain}, {extent})");
                out.line(range(format!("{tile} * {grain}"), to));
            }
            Tiles::Balanced { extent, segments, grain } => {
                out.line(format!("{int} {first}, {last};"));
                let (way, by) = match segments {
                    Segments::Offsets(offsets, _) => ("", offsets.to_string()),
                    Segments::Even(length) => ("_even", operand(length)),
                };
                let list = format!("{by}, {}, {tile} * {grain}", operand(extent));
                out.line(format!("nesl_cuts{way}({list}, {grain}, {first}, {last});"));
            }
            Tiles::Cut { extent, segments, grain, own: [start, from, to] } => {
                let (way, list, begins) = match segments {
                    Segments::Offsets(offsets, _) => {
                        let list = format!("{offsets}, {}", operand(extent));
                        ("", list, format!("{offsets}[{start}]"))
                    }
                    Segments::Even(length) => {
                        let length = operand(length);
                        let list = format!("{length}, {}", operand(extent));
                        ("_even", list, format!("{start} * nesl_max({length}, 0)"))
                    }
                };
                let own = format!("{start}, {from}, {last}, {to}");
                out.line(format!("{int} {own};"));
                if self.tells_starts() {
                    let place = format!("{{run, {}, {}}}", self.words(), self.words() - 1);
                    out.line(format!(
                        "nesl_cuts_told_at({place}, {list}, {tile}, {grain}, {own});"
                    ));
                } else {
                    let list = format!("{list}, {tile} * {grain}, {grain}");
                    out.line(format!("nesl_cuts{way}_at({list}, {own});"));
                }
                if positions || used.contains(&Atom::Var(first)) {
                    // The segment before the first that starts here may end here.
                    let ends = format!("({from} < {begins})");
                    out.line(format!("const {int} {first} = {start} - {ends};"));
                }
            }
        }
    }
}
