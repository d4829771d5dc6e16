//! What a routine leaves: a row of results, at the mark of the stack; how rows are brought
//! together.

use super::super::types::{element, field, int};
use super::Steps;
use super::row::Row;
use crate::shared::Writer;
use base::Span;
use plan::Arg;
use prim::{Component, Role, Ty, Widths};

impl Steps<'_, '_> {
    /// The end of a routine: its results, packed, move to where its memory began.
    pub(super) fn results(&mut self, row: &Row, yields: &[Arg]) {
        let count = |level: usize| format!("row[{}].i", row.count(level));
        for (i, (component, &value)) in row.components.iter().zip(yields).enumerate() {
            let text = match (component.level, component.role) {
                (0, Role::Item) => {
                    let ty = match value {
                        Arg::Slot(slot) => self.function.slots[slot],
                        Arg::Const(c) => c.ty(),
                        Arg::Buffer(_) | Arg::Past(..) => {
                            unreachable!("a scalar is no buffer")
                        }
                    };
                    format!("row[{i}].{} = {};", field(ty), self.arg(value))
                }
                (0, Role::Start(_)) => format!("row[{i}].i = 0;"),
                (0, Role::Len(level)) => {
                    let len = format!("nesl_max({}, 0)", self.arg(value));
                    format!("row[{i}].i = {} = {len};", count(level))
                }
                _ => continue,
            };
            self.out.line(text);
        }
        if row.is_plain() {
            return self.plain_result(yields, &count(1));
        }
        if row.levels == 1 {
            return self.out.line("nesl_release(state, mark);");
        }
        self.out.line("char *const first = state->arena->top = nesl_align(state->arena->top, 8);");
        for level in 1..row.levels {
            self.pack_level(row, level, yields);
        }
        self.out.line("char *const to = nesl_align(mark, 8);");
        self.out.line("const int64_t moved = nesl_settle(state, to, first);");
        for (i, component) in row.components.iter().enumerate() {
            if component.level > 0 {
                self.out.line(format!("row[{i}].p = (char *)row[{i}].p - moved;"));
            }
        }
    }

    /// One vector: moved as it is.
    fn plain_result(&mut self, yields: &[Arg], count: &str) {
        let (start, pool) = (self.arg(yields[0]), self.arg(yields[2]));
        let Arg::Buffer(buffer) = yields[2] else { unreachable!("a pool is a buffer") };
        let size = format!("sizeof({})", self.ty(buffer));
        // Aligned for its elements, so that results of lanes lie one after the other.
        self.out.line(format!("char *const to = nesl_align(mark, {size});"));
        let bytes = format!("{count} * (int64_t){size}");
        self.out.line(format!("const char *const from = (const char *)({pool} + {start});"));
        self.out.open("if (from != to)");
        // What was not made here has had no room yet.
        self.out.line(format!("const bool fits = {bytes} <= state->arena->limit - to;"));
        self.require_room("fits", &bytes, Span::none());
        self.out.line(format!("nesl_move(to, from, {bytes});"));
        self.out.close("");
        self.out.line(format!("nesl_release(state, to + {bytes});"));
        self.out.line("row[2].p = to;");
    }

    /// The elements of a level that belong to the result, without gaps, above all else.
    fn pack_level(&mut self, row: &Row, level: usize, yields: &[Arg]) {
        let (parent, count) = (row.parent(level), format!("row[{}].i", row.count(level)));
        let [start, len] = [Role::Start(level), Role::Len(level)].map(|role| row.find(role));
        let int = self.shared.int();
        let segments = format!("row[{}].i", row.count(parent.max(1)));
        let [starts, lens] = [start, len].map(|i| format!("(({int} *)row[{i}].p)"));
        if parent > 0 {
            self.out.line(format!("{count} = 0;"));
            self.out.open(format!("for (int64_t i = 0; i < {segments}; i++)"));
            self.out.line(format!("{count} += {lens}[i];"));
            self.out.close("");
        }
        for (i, component) in row.components.iter().enumerate() {
            let (true, Arg::Buffer(buffer)) = (component.level == level, yields[i]) else {
                continue;
            };
            let (ty, name) = (self.ty(buffer), self.fresh("packed"));
            self.room(&name, ty, &count, "8", Span::none());
            self.out.line(format!("row[{i}].p = {name};"));
            let copy = |to: &str, from: &str, len: &str| {
                format!("memcpy({to}, {buffer} + {from}, (size_t){len} * sizeof({ty}));")
            };
            if parent == 0 {
                let start = self.arg(yields[start]);
                self.out.line(copy(&name, &start, &count));
            } else {
                self.out.open(format!("for (int64_t i = 0, at = 0; i < {segments}; i++)"));
                let [start, len] = [&starts, &lens].map(|list| format!("{list}[i]"));
                self.out.line(copy(&format!("{name} + at"), &start, &len));
                self.out.line(format!("at += {lens}[i];"));
                self.out.close("");
            }
        }
        if parent > 0 {
            self.out.open(format!("for (int64_t i = 0, at = 0; i < {segments}; i++)"));
            self.out.line(format!("{starts}[i] = at;"));
            self.out.line(format!("at += {lens}[i];"));
            self.out.close("");
        }
    }
}

/// Fills in where each lane's elements start at each level; leaves the totals in variables.
pub(crate) fn add_up(out: &mut Writer, row: &Row, rows: &str, count: &str, totals: &[String]) {
    out.open(format!("for (int64_t lane = 0; lane < {count}; lane++)"));
    out.line(format!("nesl_arg *row = {rows} + lane * {};", row.words()));
    for (level, total) in (1..row.levels).zip(totals) {
        out.line(format!("row[{}].i = {total};", row.offset(level)));
        out.line(format!("{total} += row[{}].i;", row.count(level)));
    }
    out.close("");
}

/// Brings a component of the lane's row to its place among those of all lanes.
pub(crate) fn collect(
    out: &mut Writer,
    widths: Widths,
    row: &Row,
    component: usize,
    to: &str,
    ty: Ty,
) {
    let Component { level, role } = row.components[component];
    if role == Role::Into {
        return;
    }
    let offset = |level: usize| format!("row[{}].i", row.offset(level));
    if level == 0 {
        let value = match role {
            Role::Item => format!("row[{component}].{}", field(ty)),
            Role::Start(child) => offset(child),
            Role::Len(child) => format!("row[{}].i", row.count(child)),
            Role::Into => unreachable!("it is where it belongs"),
        };
        return out.line(format!("{to}[lane] = {value};"));
    }
    let (at, count) = (offset(level), format!("row[{}].i", row.count(level)));
    if let Role::Start(child) = role {
        out.open(format!("for (int64_t i = 0; i < {count}; i++)"));
        let int = int(widths);
        let from = format!("((const {int} *)row[{component}].p)[i]");
        out.line(format!("{to}[{at} + i] = {from} + {};", offset(child)));
        return out.close("");
    }
    let bytes = format!("(size_t){count} * sizeof({})", element(widths, ty));
    out.line(format!("memcpy({to} + {at}, row[{component}].p, {bytes});"));
}
