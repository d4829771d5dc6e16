//! Partitions that a lane shares with other workers (`rts/parting.h`).
//!
//! What the launch is given lies in a *record* on the worker's stack, and a function of its own
//! parts some of the elements.

use super::super::names;
use super::Steps;
use crate::shared::Writer;
use ::kernel::KernelId;
use base::Id;
use plan::Arg;
use plan::pieces::Pieces;

/// Numbers that a partition may set: `NESL_COUNTS`.
const COUNTS: usize = 8;

/// What a record has of a partition.
struct Record<'a> {
    pieces: &'a Pieces,
    args: &'a [Arg],
    /// The stem of names in the text.
    name: String,
}

impl Record<'_> {
    /// The arguments that pieces are given as they are, and where the sequence begins.
    fn given(&self) -> impl Iterator<Item = (usize, Arg)> {
        let Pieces { len, rooms, counts, .. } = self.pieces;
        let own = move |n: usize| n == *len || rooms.contains(&n) || counts.contains(&n);
        self.args.iter().copied().enumerate().filter(move |&(n, _)| !own(n))
    }
}

impl Steps<'_, '_> {
    /// Which arguments of a launch are which, if it is the partition of this routine, and others
    /// may help.
    fn parting(&self, id: KernelId) -> Option<Pieces> {
        let partition = self.home?.partition == Id::new(id.index());
        let fails = super::super::kernel::fails(self.shared, &self.shared.program.serial[&id]);
        // What several workers read and write is counted by none.
        (partition && !fails && !self.shared.count).then_some(())?;
        plan::pieces::pieces(self.plan, self.func).filter(|pieces| pieces.counts.len() <= COUNTS)
    }
    /// Prints this launch, if it is a partition that others may help with, for the case that they
    /// do: an `if` that is left open for the other case.
    pub(super) fn part(&mut self, id: KernelId, args: &[Arg]) -> bool {
        let Some(pieces) = self.parting(id) else { return false };
        let name = self.fresh(&format!("{}_parting", self.func));
        let record = Record { pieces: &pieces, args, name };
        self.define_parting(&record, id);
        let name = &record.name;
        let [first, second] = pieces.rooms.map(|n| self.arg(args[n]));
        let (start, len) = (self.arg(args[pieces.start]), self.arg(args[pieces.len]));
        let pool = self.home.and_then(|home| home.over).map(|over| over.pool.to_string());
        let pool = pool.unwrap_or_default();
        let parted = self.fresh("parted");
        self.out.line(format!("bool {parted} = false;"));
        self.out.open(format!("if (nesl_is_long(state, {len}))"));
        self.out.line("char *const top = state->arena->top;");
        self.out.line(format!(
            "struct {name} *whole = nesl_room(state, 1, sizeof(*whole), NESL_ALIGNED);"
        ));
        self.out.open("if (whole)");
        self.out.line(format!("whole->head.part = {name}_some;"));
        self.out.line(format!("whole->head.length = {len}, whole->head.size = sizeof(*{first});"));
        self.out.line(format!("whole->head.from = (char *)({pool} + {start});"));
        self.out.line(format!("whole->head.places[0] = (char *){first};"));
        self.out.line(format!("whole->head.places[1] = (char *){second};"));
        self.out.line(format!("whole->head.counts = {};", pieces.counts.len()));
        for (n, held) in pieces.held.iter().enumerate() {
            self.out.line(format!("whole->head.kept[{n}] = {held};"));
        }
        let given: Vec<String> =
            record.given().map(|(n, arg)| format!("whole->a{n} = {};", self.arg(arg))).collect();
        given.into_iter().for_each(|line| self.out.line(line));
        self.out.line(format!("{parted} = nesl_part(state, &whole->head);"));
        for (n, &count) in pieces.counts.iter().enumerate() {
            let set = self.arg(args[count]);
            self.out.line(format!("if ({parted}) {set} = whole->head.total[{n}];"));
        }
        self.out.line("nesl_release(state, top);");
        self.out.close("");
        self.out.close("");
        self.out.open(format!("if (!{parted})"));
        true
    }

    /// The record, and the function that parts some elements, which stand before the routine.
    fn define_parting(&mut self, record: &Record<'_>, id: KernelId) {
        let Record { pieces, args, name } = record;
        let mut out = Writer::default();
        out.line("/* A partition that other workers may help with. */");
        out.open(format!("struct {name}"));
        out.line("nesl_parting head;");
        for (n, arg) in record.given() {
            out.line(match arg {
                Arg::Slot(slot) => {
                    format!("{} a{n};", self.shared.local(self.function.slots[slot]))
                }
                Arg::Const(constant) => format!("{} a{n};", self.shared.local(constant.ty())),
                Arg::Buffer(buffer) | Arg::Past(buffer, _) => {
                    format!("{} *a{n};", self.ty(buffer))
                }
            });
        }
        out.close(";");
        out.open(format!(
            "static void {name}_some(nesl_state *state, const nesl_parting *head, int64_t from, \
             int64_t count, void *first, void *second, int64_t *held)"
        ));
        out.line(format!("const struct {name} *given = (const struct {name} *)head;"));
        let mut actuals = vec!["state".to_owned()];
        for (n, &arg) in args.iter().enumerate() {
            actuals.push(if let Some(count) = pieces.counts.iter().position(|&c| c == n) {
                let slot = arg.slot().unwrap_or_else(|| unreachable!("scalars are set"));
                let ty = self.shared.element(self.function.slots[slot]);
                out.line(format!("{ty} kept{count} = 0;"));
                format!("&kept{count}")
            } else if n == pieces.start {
                format!("given->a{n} + from")
            } else if n == pieces.len {
                "count".to_owned()
            } else if let Some(room) = pieces.rooms.iter().position(|&room| room == n) {
                ["first", "second"][room].to_owned()
            } else {
                format!("given->a{n}")
            });
        }
        out.line(format!("{}({});", names::serial(id), actuals.join(", ")));
        for n in 0..pieces.counts.len() {
            out.line(format!("held[{n}] = kept{n};"));
        }
        out.close("");
        out.blank();
        self.before.append(&out);
    }
}
