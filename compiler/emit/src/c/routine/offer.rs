//! Calls that a lane offers to other workers (`rts/offers.h`).
//!
//! What an offered call is given must stay where it is until the call is done, whatever becomes of
//! the C function that offers it: it lies on the worker's stack, in a *record*.
//!
//! Calls side by side over enough elements are done by a function of their own, which offers the
//! second half of them, does the first, and again so with each half.

use super::super::names;
use super::Steps;
use super::row::Row;
use crate::shared::Writer;
use plan::{Arg, Lanes, Place};

/// Calls of a routine that can be offered.
pub(super) struct Offer<'a> {
    lanes: Lanes,
    count: &'a str,
    args: &'a [Arg],
    /// Arguments with the lengths of sequences.
    lens: Vec<usize>,
    words: usize,
    /// The stem of names in the text.
    name: String,
    /// The variable that points to the record, or is null if the calls go over few elements.
    record: String,
}

impl Steps<'_, '_> {
    /// Prints these calls, if they can be offered, for the case that they go over many elements: an
    /// `if` that is left open for the other case.
    pub(super) fn offer(&mut self, lanes: Lanes, (count, args): (&str, &[Arg]), row: &Row) -> bool {
        let Some(lens) = plan::routines::offered(self.plan, lanes) else { return false };
        let (name, record) = (self.fresh(&format!("{}_offer", self.func)), self.fresh("record"));
        let offer = Offer { lanes, count, args, lens, words: row.words(), name, record };
        self.define_offer(&offer);
        self.fill_record(&offer);
        let Offer { count, name, record, .. } = &offer;
        self.out.open(format!("if ({record})"));
        self.out.line(format!("{name}_range(state, {record}, 0, {count});"));
        self.out.between("else");
        true
    }

    /// Declares the record, which is null if the calls go over few elements.
    fn fill_record(&mut self, offer: &Offer<'_>) {
        let Offer { count, args, lens, name, record, .. } = offer;
        self.out.line(format!("struct {name} *{record} = NULL;"));
        let lens = lens.iter().map(|&n| self.arg(args[n])).collect::<Vec<_>>();
        self.out.open("");
        elements(&mut self.out, &lens, ("0", count));
        self.out.open("if (elements >= state->worth)");
        let room = format!("nesl_room(state, 1, sizeof(struct {name}), NESL_ALIGNED)");
        self.out.line(format!("{record} = {room};"));
        self.out.close("");
        self.out.open(format!("if ({record})"));
        let mut kept = Vec::new();
        for (n, &arg) in args.iter().enumerate() {
            let (field, mut value) = (format!("{record}->a{n}"), self.arg(arg));
            if let Some(bytes) = arg.buffer().and_then(|buffer| self.arrays.get(&buffer)) {
                value = format!("nesl_keep(state, {value}, {bytes})");
                kept.push(format!("!{field}"));
            }
            self.out.line(format!("{field} = {value};"));
        }
        if !kept.is_empty() {
            self.out.line(format!("if ({}) {record} = NULL;", kept.join(" || ")));
        }
        self.out.close("");
        self.out.close("");
    }

    /// The record, and the functions that run its calls or offer them, which stand before the
    /// routine.
    fn define_offer(&mut self, offer: &Offer<'_>) {
        let Offer { lanes, lens, words, name, .. } = offer;
        let root = &self.plan.funcs[lanes.root];
        let per_lane = plan::routines::per_lane(self.plan, *lanes);
        let mut out = Writer::default();
        out.line("/* Calls side by side, which other workers may run. */");
        out.open(format!("struct {name}"));
        out.line("nesl_offer head;");
        out.line("int64_t from, to;");
        for (n, (&param, &each)) in root.params.iter().zip(&per_lane).enumerate() {
            out.line(match (param, each) {
                (Place::Slot(slot), false) => {
                    format!("{} a{n};", self.shared.local(root.slots[slot]))
                }
                (Place::Slot(slot), true) => {
                    format!("const {} *a{n};", self.shared.element(root.slots[slot]))
                }
                (Place::Buffer(b), _) => {
                    format!("{} *a{n};", self.shared.element(root.buffers[b].ty))
                }
            });
        }
        out.close(";");
        let given = format!("const struct {name} *given");
        let range = format!("{name}_range(nesl_state *state, {given}, int64_t from, int64_t to)");
        out.line(format!("static void {range};"));
        out.open(format!("static void {name}_run(nesl_state *state, const nesl_offer *head)"));
        out.line(format!("const struct {name} *given = (const struct {name} *)head;"));
        out.line(format!("{name}_range(state, given, given->from, given->to);"));
        out.close("");
        out.open(format!("static void {range}"));
        let lens: Vec<String> = lens.iter().map(|n| format!("given->a{n}")).collect();
        elements(&mut out, &lens, ("from", "to"));
        out.line(format!("struct {name} *offer = NULL;"));
        out.open("if (elements >= state->worth)");
        out.line("offer = nesl_room(state, 1, sizeof(*offer), NESL_ALIGNED);");
        out.close("");
        out.open("if (offer)");
        out.line("*offer = *given;");
        out.line(format!("offer->head.run = {name}_run;"));
        out.line("offer->from = half, offer->to = to;");
        out.close("");
        out.open("if (offer && nesl_make_offer(state, &offer->head))");
        out.line(format!("{name}_range(state, given, from, half);"));
        out.line("if (nesl_offer_done(state, &offer->head) || state->fault) return;");
        out.line(format!("{name}_range(state, given, half, to);"));
        out.line("return;");
        out.close("");
        out.line(format!("nesl_arg row[{words}];"));
        out.open("for (int64_t lane = from; lane < to && !state->fault; lane++)");
        let params = (0..root.params.len()).map(|n| format!("given->a{n}"));
        let actuals = super::actuals(params, &per_lane, "lane");
        out.line(format!("{}(state, row{actuals});", names::routine(lanes.root)));
        out.close("");
        out.close("");
        out.blank();
        self.before.append(&out);
    }
}

/// Where the second half of some lanes begins, and how many elements it goes over, less one: below
/// 0 if nothing can be offered.
fn elements(out: &mut Writer, lens: &[String], (from, to): (&str, &str)) {
    out.line(format!("const int64_t half = {from} + ({to} - {from}) / 2;"));
    out.line("int64_t elements = -1;");
    out.open(format!("if ({to} - {from} > 1)"));
    out.open(format!("for (int64_t lane = half; lane < {to}; lane++)"));
    let each: Vec<String> = lens.iter().map(|len| format!("{len}[lane]")).collect();
    out.line(format!("elements += {};", each.join(" + ")));
    out.close("");
    out.close("");
}
