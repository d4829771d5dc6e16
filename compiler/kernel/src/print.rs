//! The text form of kernel (see `ir.rs` for the look of it).
//!
//! Scalar statements are printed as in scalar code, so a type is left out where it follows.  An
//! `if` whose arms hold statements of kernels is spelt `when`.

use crate::ir::{
    ArgKind, Block, Body, Carry, Elements, Kernel, KernelId, Keys, Over, Partial, Program, Rows,
    Scan, Segments, SortKind, Stmt, Threads, Tiles, Way,
};
use crate::{Arg, Operand, Var};
use base::print::{Error, Printer, join};
use base::text::name;
use prim::{Monoid, Ty, Widths};
use scalar::{Code, define, print_function, print_stmt};
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_with_errors(self, &[]))
    }
}

/// The text of a program, each error under its line.
pub fn print_with_errors(program: &Program, errors: &[Error]) -> String {
    let mut printer = Printer::new();
    if program.widths != Widths::WIDE {
        printer.line(&format!("widths {}", program.widths));
        printer.line("");
    }
    for (id, function) in program.scalars.iter() {
        print_function(&mut printer, id, function);
        printer.line("");
    }
    for (id, kernel) in program.kernels.iter() {
        if id != base::Id::new(0) {
            printer.line("");
        }
        print_kernel(&mut printer, "kernel", id, kernel);
    }
    for (id, kernel) in &program.serial {
        printer.line("");
        print_kernel(&mut printer, "serial", *id, kernel);
    }
    printer.text_with(errors)
}

fn print_kernel(printer: &mut Printer, word: &str, id: KernelId, kernel: &Kernel) {
    let args = kernel.args.iter().map(|(arg, info)| {
        let (kind, over) = match info.kind {
            ArgKind::Scalar => ("", String::new()),
            ArgKind::In => ("in ", String::new()),
            ArgKind::Out => ("out ", String::new()),
            ArgKind::Over(Over { input, start }) => {
                let start = start.map_or(String::new(), |start| format!(" at {start}"));
                ("out ", format!(" over {input}{start}"))
            }
            ArgKind::InOut => ("inout ", String::new()),
            ArgKind::Shared(len) => ("shared ", format!(" [{len}]")),
            ArgKind::Private(len) => ("private ", format!(" [{len}]")),
        };
        format!("{arg}: {kind}{}{over}", info.ty)
    });
    let head = format!("{word} {id} {}({})", name(&kernel.name), join(args, ", "));
    printer.item();
    match &kernel.body {
        Body::Tiles { tiles, tile, threads, partials, body, finish } => {
            let code = kernel.as_code();
            let names = join(tiles.names(*tile), " ");
            let tiles = tiles_text(tiles);
            let block = threads.map_or(String::new(), |Threads { count, rank }| {
                format!(" each by {count} threads {rank}")
            });
            printer.open(&format!("{head} {tiles}{block} as {names} {{"));
            let mut text = Text { printer, code: &code };
            text.block(body);
            if partials.is_empty() && finish.is_empty() {
                return printer.close("}");
            }
            text.printer.close(&format!("}} finish{} {{", partials_text(&code, partials)));
            text.printer.indent();
            text.printer.item();
            text.block(finish);
            printer.close("}");
        }
        Body::Sort { kind, keys, out } => {
            printer.line(&format!("{head} {} to {out}", sort_text(*kind, keys)));
        }
    }
}

/// The first line of a statement.
pub(crate) fn head(kernel: &Kernel, stmt: &Stmt) -> String {
    let mut printer = Printer::new();
    Text { printer: &mut printer, code: &kernel.as_code() }.stmt(stmt);
    printer.text().lines().next().unwrap_or_default().to_owned()
}

fn tiles_text(tiles: &Tiles) -> String {
    match tiles {
        Tiles::Once => "once".to_owned(),
        Tiles::Even { extent, grain } => format!("tiles of {grain} over {extent}"),
        Tiles::Balanced { extent, segments, grain } => {
            format!("tiles of {grain} over {extent} {}", segments_text(*segments))
        }
        Tiles::Cut { extent, segments, grain, .. } => {
            format!("tiles of {grain} over {extent} cut {}", segments_text(*segments))
        }
        Tiles::Whole { extent } => format!("whole over {extent}"),
        Tiles::Owners { extent } => format!("owners over {extent}"),
    }
}

fn segments_text(segments: Segments) -> String {
    match segments {
        Segments::Offsets(offsets, elements) => format!("by {offsets} of {elements}"),
        Segments::Even(len) => format!("every {len}"),
    }
}

fn partials_text(code: &Code<Arg>, partials: &[Partial]) -> String {
    let list = partials.iter().map(|partial| {
        let result = define(partial.result, code.vars[partial.result], Ty::I64);
        format!("{result} = {}", partial.monoid)
    });
    let list = join(list, ", ");
    if list.is_empty() { list } else { format!(" {list}") }
}

fn sort_text(kind: SortKind, keys: &Keys) -> String {
    let offsets = keys.offsets.map_or(String::new(), |offsets| format!(" by {offsets}"));
    let Keys { buffer, segments, length, .. } = keys;
    format!("{} {buffer} of {length} in {segments}{offsets}", kind.name())
}

/// The blocks of one kernel.
struct Text<'a> {
    printer: &'a mut Printer,
    code: &'a Code<Arg>,
}

impl Text<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Scalar(stmt) = stmt {
            return print_stmt(self.printer, self.code, stmt);
        }
        self.printer.item();
        match stmt {
            Stmt::Scalar(_) => {}
            Stmt::If(cond, then, els) => {
                self.printer.open(&format!("when {cond} {{"));
                self.block(then);
                if !els.is_empty() {
                    self.printer.close("} else {");
                    self.printer.indent();
                    self.block(els);
                }
                self.printer.close("}");
            }
            Stmt::For { index, from, to, carried, body, way } => {
                let way = match way {
                    Way::Serial => String::new(),
                    Way::Simd => " simd".to_owned(),
                    Way::Stride(step) => format!(" stride {step}"),
                    Way::Unroll => " unroll".to_owned(),
                };
                let carry = self.carried(carried);
                self.printer.open(&format!("for {index} in {from} .. {to}{way}{carry} {{"));
                self.block(body);
                self.printer.item();
                if !carried.is_empty() {
                    self.printer.line(&next_text(carried));
                }
                let gives = self.gives(carried);
                self.printer.close(&format!("}}{gives}"));
            }
            Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end } => {
                self.printer.open(&format!("pack {index} in {from} .. {to} {{"));
                self.block(body);
                self.printer.close(&format!("}} keep {keep} at {cursor} = {start} {{"));
                self.printer.indent();
                self.printer.item();
                self.block(kept);
                let stores = join(stores.iter().map(|(a, value)| format!("{a} {value}")), ", ");
                self.printer.close(&format!("}} store {stores} gives {end}"));
                self.printer.item();
            }
            Stmt::Store(buffer, index, value) => {
                self.printer.line(&format!("store {buffer} {index} {value}"));
            }
            Stmt::Raise(buffer, index, value) => {
                self.printer.line(&format!("raise {buffer} {index} {value}"));
            }
            Stmt::Partial(number, value) => {
                self.printer.line(&format!("partial {number} {value}"));
            }
            Stmt::Chain { links, restarts, first_warp } => {
                let links = self.links(links);
                let who = if *first_warp { " first_warp" } else { "" };
                let list = join(restarts.iter().map(|(n, any)| format!("{n} {any}")), ", ");
                let word = if restarts.is_empty() { "" } else { " restarts " };
                self.printer.line(&format!("chain{who} {links}{word}{list}"));
            }
            Stmt::Positions(atoms) => {
                let space = if atoms.is_empty() { "" } else { " " };
                self.printer.line(&format!("positions{space}{}", join(atoms, " ")));
            }
            Stmt::Owner { index, segments, range: [from, to], element } => {
                let segments = segments_text(*segments);
                let text = format!("owner {index} = {element} in {from} .. {to} {segments}");
                self.printer.line(&text);
            }
            Stmt::Owners(elements) => self.elements("owners", elements),
            Stmt::Ends(elements) => self.elements("ends", elements),
            Stmt::Rows(rows) => self.rows(rows),
            Stmt::Barrier => self.printer.line("barrier"),
            Stmt::Combine(links) => {
                let links = self.links(links);
                self.printer.line(&format!("combine {links}"));
            }
            Stmt::Scan(scans) => self.scans(scans),
        }
    }

    fn links(&self, links: &[(Var, Operand, Monoid)]) -> String {
        join(links.iter().map(|&(var, value, monoid)| self.link(var, value, monoid)), ", ")
    }

    fn elements(&mut self, what: &str, told: &Elements) {
        let &Elements { to, segments, range: [first, last], elements: [from, end] } = told;
        let segments = segments_text(segments);
        let range = format!("{from} .. {end} in {first} .. {last}");
        self.printer.line(&format!("{what} {to} of {range} {segments}"));
    }

    fn rows(&mut self, rows: &Rows) {
        let &Rows { from, to, ends, count, total, any, monoid } = rows;
        let total = define(total, self.ty(total), Ty::I64);
        let any = define(any, self.ty(any), Ty::Bool);
        let values = format!("{monoid} {from} to {to} by {ends} {any}");
        self.printer.line(&format!("rows {total} = {values} of {count}"));
    }

    fn scans(&mut self, scans: &[Scan]) {
        let scans = scans.iter().map(|scan| {
            let total = define(scan.total, self.ty(scan.total), Ty::I64);
            let restarts = scan.restarts.map_or(String::new(), |(at, any)| {
                format!(" restarts {at} {}", define(any, self.ty(any), Ty::Bool))
            });
            let inclusive = if scan.inclusive { " inclusive" } else { "" };
            format!("{total} = {} {} to {}{restarts}{inclusive}", scan.monoid, scan.from, scan.to)
        });
        let scans = join(scans, ", ");
        self.printer.line(&format!("scan {scans}"));
    }

    fn carried(&self, carried: &[Carry]) -> String {
        let list = carried.iter().map(|carry| {
            let left_out = self.code.ty(carry.init).unwrap_or(Ty::I64);
            let var = define(carry.var, self.ty(carry.var), left_out);
            let chained = if carry.chained { "chained " } else { "" };
            format!("{var} = {chained}{}", carry.init)
        });
        if carried.is_empty() { String::new() } else { format!(" carry {}", join(list, ", ")) }
    }
    fn gives(&self, carried: &[Carry]) -> String {
        let list = carried.iter().map(|c| define(c.result, self.ty(c.result), self.ty(c.var)));
        if carried.is_empty() { String::new() } else { format!(" gives {}", join(list, ", ")) }
    }
    fn link(&self, var: Var, total: Operand, monoid: Monoid) -> String {
        let left_out = self.code.ty(total).unwrap_or(Ty::I64);
        format!("{} = {monoid} {total}", define(var, self.ty(var), left_out))
    }
    fn ty(&self, var: Var) -> Ty {
        self.code.vars.get(var).copied().unwrap_or(Ty::I64)
    }
}

fn next_text(carried: &[Carry]) -> String {
    let list = carried.iter().map(|carry| {
        let monoid = carry.monoid.map_or(String::new(), |monoid| format!(" {monoid}"));
        let restart = carry.restart.map_or(String::new(), |at| format!(" restart {at}"));
        format!("{}{monoid}{restart}", carry.next)
    });
    format!("next {}", join(list, ", "))
}

impl SortKind {
    /// The word used in text.
    pub fn name(self) -> &'static str {
        match self {
            SortKind::Sort => "sort",
            SortKind::Rank => "rank",
            SortKind::RankDown => "rank_down",
        }
    }
    /// The kind of a word.
    pub fn parse(word: &str) -> Option<SortKind> {
        [SortKind::Sort, SortKind::Rank, SortKind::RankDown].into_iter().find(|k| k.name() == word)
    }
}

impl Kernel {
    /// Scalar code without statements that has the kernel's variables.
    pub(crate) fn as_code(&self) -> Code<Arg> {
        let body = scalar::Block::default();
        Code { params: Vec::new(), body, vars: self.vars.clone() }
    }
}
