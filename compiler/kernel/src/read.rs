//! Reads the text form of kernel (see `print.rs`).

use crate::ir::{
    ArgInfo, ArgKind, Block, Body, Carry, Elements, Kernel, KernelId, Keys, Over, Partial, Program,
    Rows, Scan, Segments, SortKind, Stmt, Threads, Tiles, Way,
};
use crate::{Arg, Operand, Var};
use base::IdMap;
use base::text::{Reader, Result, Token};
use prim::{Monoid, Ty, text};
use scalar::read::{Body as Code, read_atom};
use scalar::read_function;

/// Reads a program.
pub fn read(source: &str) -> Result<Program> {
    let mut reader = Reader::new(source)?;
    let mut program = Program { widths: text::widths(&mut reader)?, ..Program::default() };
    while !reader.at_end() {
        if reader.is_word("fn") {
            let (id, function) = read_function(&mut reader)?;
            if id != program.scalars.next_id() {
                return reader.error(format!("expected {} next", program.scalars.next_id()));
            }
            program.scalars.push(function);
        } else if reader.eat_word("serial") {
            let (id, kernel) = read_kernel(&mut reader)?;
            if program.serial.insert(id, kernel).is_some() {
                return reader.error(format!("the serial form of {id} is given twice"));
            }
        } else {
            reader.expect_word("kernel")?;
            let (id, kernel) = read_kernel(&mut reader)?;
            if id != program.kernels.next_id() {
                return reader.error(format!("expected {} next", program.kernels.next_id()));
            }
            program.kernels.push(kernel);
        }
    }
    Ok(program)
}

/// Takes a kernel after its first word.
fn read_kernel(reader: &mut Reader) -> Result<(KernelId, Kernel)> {
    let id = reader.id()?;
    let name = reader.name()?;
    let mut args: IdMap<Arg, ArgInfo> = IdMap::new();
    reader.list("(", ")", |reader| {
        if reader.id::<Arg>()? != args.next_id() {
            return reader.error(format!("the arguments are a0, a1, ...: {}", args.next_id()));
        }
        reader.expect(":")?;
        let kinds = [
            ("in", ArgKind::In),
            ("out", ArgKind::Out),
            ("inout", ArgKind::InOut),
            ("shared", ArgKind::Shared(0)),
            ("private", ArgKind::Private(0)),
        ];
        let kind = kinds
            .into_iter()
            .find(|(word, _)| reader.eat_word(word))
            .map_or(ArgKind::Scalar, |(_, kind)| kind);
        let ty = text::ty(reader)?;
        let kind = if kind == ArgKind::Out && reader.eat_word("over") {
            let input = reader.id()?;
            let start = if reader.eat_word("at") { Some(reader.id()?) } else { None };
            ArgKind::Over(Over { input, start })
        } else if kind.is_own() {
            reader.expect("[")?;
            let len = reader.integer()?;
            reader.expect("]")?;
            if let ArgKind::Shared(_) = kind { ArgKind::Shared(len) } else { ArgKind::Private(len) }
        } else {
            kind
        };
        args.push(ArgInfo { ty, kind });
        Ok(())
    })?;
    if let Some(kind) = sort_kind(reader) {
        let body = read_sort(reader, kind)?;
        return Ok((id, Kernel { name, args, vars: IdMap::new(), body }));
    }
    let mut tiles = read_tiles(reader)?;
    let mut blocks = Blocks { code: Code::new(reader) };
    let threads = blocks.threads()?;
    blocks.code.reader.expect_word("as")?;
    let mut three = || Ok([blocks.code.param()?, blocks.code.param()?, blocks.code.param()?]);
    let tile = three()?;
    if let Tiles::Cut { own, .. } = &mut tiles {
        *own = three()?;
    }
    let body = blocks.block()?;
    let (mut partials, mut finish) = (Vec::new(), Block::new());
    if blocks.code.reader.eat_word("finish") {
        partials = blocks.partials()?;
        finish = blocks.block()?;
    }
    let vars = blocks.code.vars();
    Ok((
        id,
        Kernel {
            name,
            args,
            vars,
            body: Body::Tiles { tiles, tile, threads, partials, body, finish },
        },
    ))
}

fn sort_kind(reader: &mut Reader) -> Option<SortKind> {
    let Some(Token::Word(word)) = reader.peek() else { return None };
    let kind = SortKind::parse(word)?;
    reader.advance();
    Some(kind)
}

fn read_sort(reader: &mut Reader, kind: SortKind) -> Result<Body> {
    let buffer = reader.id()?;
    reader.expect_word("of")?;
    let length = read_atom(reader)?;
    reader.expect_word("in")?;
    let segments = read_atom(reader)?;
    let offsets = if reader.eat_word("by") { Some(reader.id()?) } else { None };
    reader.expect_word("to")?;
    Ok(Body::Sort { kind, keys: Keys { buffer, segments, offsets, length }, out: reader.id()? })
}

fn read_tiles(reader: &mut Reader) -> Result<Tiles> {
    if reader.eat_word("once") {
        return Ok(Tiles::Once);
    }
    if reader.eat_word("whole") {
        reader.expect_word("over")?;
        return Ok(Tiles::Whole { extent: read_atom(reader)? });
    }
    if reader.eat_word("owners") {
        reader.expect_word("over")?;
        return Ok(Tiles::Owners { extent: read_atom(reader)? });
    }
    reader.expect_word("tiles")?;
    reader.expect_word("of")?;
    let grain = reader.integer()?;
    reader.expect_word("over")?;
    let extent = read_atom(reader)?;
    if let Some(segments) = eat_segments(reader)? {
        return Ok(Tiles::Balanced { extent, segments, grain });
    }
    if reader.eat_word("cut") {
        let segments = read_segments(reader)?;
        // Their names follow those of the tile.
        let own = [base::Id::new(0); 3];
        return Ok(Tiles::Cut { extent, segments, grain, own });
    }
    Ok(Tiles::Even { extent, grain })
}

/// `by a1 of a2`, or `every a1`.
fn read_segments(reader: &mut Reader) -> Result<Segments> {
    match eat_segments(reader)? {
        Some(segments) => Ok(segments),
        None => reader.error("expected `by` or `every`"),
    }
}

/// The same, if that is next.
fn eat_segments(reader: &mut Reader) -> Result<Option<Segments>> {
    if reader.eat_word("every") {
        return Ok(Some(Segments::Even(read_atom(reader)?)));
    }
    if !reader.eat_word("by") {
        return Ok(None);
    }
    let offsets = reader.id()?;
    reader.expect_word("of")?;
    Ok(Some(Segments::Offsets(offsets, read_atom(reader)?)))
}

/// The blocks of one kernel being read.
struct Blocks<'a> {
    code: Code<'a>,
}

impl Blocks<'_> {
    fn atom(&mut self) -> Result<Operand> {
        read_atom(self.code.reader)
    }
    /// Takes the definition of a variable whose type, if left out, is `ty`.
    fn define(&mut self, ty: Ty) -> Result<Var> {
        let (var, given) = self.code.define()?;
        self.code.set_ty(var, given.unwrap_or(ty));
        Ok(var)
    }
    /// Items separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.code.reader.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// The threads of a block, if a tile has one.
    fn threads(&mut self) -> Result<Option<Threads>> {
        if !self.code.reader.eat_word("each") {
            return Ok(None);
        }
        self.code.reader.expect_word("by")?;
        let count = self.code.reader.integer()?;
        self.code.reader.expect_word("threads")?;
        Ok(Some(Threads { count, rank: self.code.param()? }))
    }

    fn partials(&mut self) -> Result<Vec<Partial>> {
        if self.code.reader.is("{") {
            return Ok(Vec::new());
        }
        self.list(|blocks| {
            let result = blocks.define(Ty::I64)?;
            blocks.code.reader.expect("=")?;
            Ok(Partial { result, monoid: text::monoid(blocks.code.reader)? })
        })
    }

    fn block(&mut self) -> Result<Block> {
        self.open()?;
        let mut stmts = Vec::new();
        while !self.code.close() {
            stmts.push(self.stmt()?);
        }
        Ok(stmts)
    }
    fn open(&mut self) -> Result<()> {
        self.code.open()
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let reader = &mut *self.code.reader;
        if reader.eat_word("when") {
            let cond = self.atom()?;
            let then = self.block()?;
            let els = if self.code.reader.eat_word("else") { self.block()? } else { Vec::new() };
            return Ok(Stmt::If(cond, then, els));
        }
        if reader.eat_word("for") {
            return self.counted();
        }
        if reader.eat_word("pack") {
            return self.pack();
        }
        if reader.eat_word("store") {
            let buffer = reader.id()?;
            return Ok(Stmt::Store(buffer, self.atom()?, self.atom()?));
        }
        if reader.eat_word("raise") {
            let buffer = reader.id()?;
            return Ok(Stmt::Raise(buffer, self.atom()?, self.atom()?));
        }
        if reader.eat_word("partial") {
            let number = reader.integer()?;
            return Ok(Stmt::Partial(number, self.atom()?));
        }
        if reader.eat_word("chain") {
            return self.chain();
        }
        if reader.eat_word("barrier") {
            return Ok(Stmt::Barrier);
        }
        if reader.eat_word("combine") {
            return Ok(Stmt::Combine(self.links()?));
        }
        if reader.eat_word("scan") {
            return self.scan();
        }
        if reader.eat_word("rows") {
            return self.rows();
        }
        if reader.eat_word("owners") {
            return Ok(Stmt::Owners(self.elements()?));
        }
        if reader.eat_word("ends") {
            return Ok(Stmt::Ends(self.elements()?));
        }
        if reader.eat_word("owner") {
            return self.owner();
        }
        if reader.eat_word("positions") {
            let mut atoms = Vec::new();
            while self.at_operand() {
                atoms.push(self.atom()?);
            }
            return Ok(Stmt::Positions(atoms));
        }
        self.code.stmt().map(Stmt::Scalar)
    }

    /// Whether an operand comes next, and not the definition that begins a statement.
    fn at_operand(&self) -> bool {
        let reader = &*self.code.reader;
        let ends = matches!(reader.peek_at(1), Some(Token::Mark("=" | ":" | ",")));
        let operand =
            reader.is_id::<Var>() || reader.is_id::<Arg>() || text::peek_constant(reader).is_some();
        operand && !(reader.is_id::<Var>() && ends)
    }

    fn counted(&mut self) -> Result<Stmt> {
        let index = self.code.param()?;
        self.code.reader.expect_word("in")?;
        let from = self.atom()?;
        self.code.reader.expect("..")?;
        let to = self.atom()?;
        let way = self.way()?;
        let mut heads = Vec::new();
        if self.code.reader.eat_word("carry") {
            heads = self.list(|blocks| {
                let (var, given) = blocks.code.define()?;
                blocks.code.reader.expect("=")?;
                let chained = blocks.code.reader.eat_word("chained");
                let init = blocks.atom()?;
                let ty = given.unwrap_or_else(|| blocks.code.ty(init));
                blocks.code.set_ty(var, ty);
                Ok((var, init, ty, chained))
            })?;
        }
        self.open()?;
        let mut body = Vec::new();
        while !self.code.reader.is("}") && !self.code.reader.is_word("next") {
            body.push(self.stmt()?);
        }
        let mut next = Vec::new();
        if self.code.reader.eat_word("next") {
            next = self.list(|blocks| {
                let value = blocks.atom()?;
                let end = blocks.code.reader.is(",") || blocks.code.reader.is("}");
                let monoid = if end { None } else { Some(text::monoid(blocks.code.reader)?) };
                let restarts = blocks.code.reader.eat_word("restart");
                Ok((value, monoid, if restarts { Some(blocks.atom()?) } else { None }))
            })?;
        }
        if !self.code.close() {
            return self.code.reader.expected("`}`");
        }
        let mut carried = Vec::new();
        if self.code.reader.eat_word("gives") {
            let mut heads = heads.iter().zip(next);
            carried = self.list(|blocks| {
                let Some((&(var, init, ty, chained), (next, monoid, restart))) = heads.next()
                else {
                    return blocks.code.reader.error("more results than carried values");
                };
                let result = blocks.define(ty)?;
                Ok(Carry { var, init, next, result, monoid, chained, restart })
            })?;
        }
        if carried.len() != heads.len() {
            return self.code.reader.error("a carried value has no next value or no result");
        }
        Ok(Stmt::For { index, from, to, carried, body, way })
    }

    fn way(&mut self) -> Result<Way> {
        let reader = &mut *self.code.reader;
        if reader.eat_word("stride") {
            return Ok(Way::Stride(reader.integer()?));
        }
        let ways = [("simd", Way::Simd), ("unroll", Way::Unroll)];
        let way = ways.into_iter().find(|(word, _)| reader.eat_word(word));
        Ok(way.map_or(Way::Serial, |(_, way)| way))
    }

    fn pack(&mut self) -> Result<Stmt> {
        let index = self.code.param()?;
        self.code.reader.expect_word("in")?;
        let from = self.atom()?;
        self.code.reader.expect("..")?;
        let to = self.atom()?;
        let body = self.block()?;
        self.code.reader.expect_word("keep")?;
        let keep = self.atom()?;
        self.code.reader.expect_word("at")?;
        let cursor = self.code.param()?;
        self.code.reader.expect("=")?;
        let start = self.atom()?;
        let kept = self.block()?;
        let mut stores = Vec::new();
        self.code.reader.expect_word("store")?;
        if !self.code.reader.is_word("gives") {
            stores = self.list(|blocks| Ok((blocks.code.reader.id()?, blocks.atom()?)))?;
        }
        self.code.reader.expect_word("gives")?;
        let end = self.code.param()?;
        Ok(Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end })
    }

    fn owner(&mut self) -> Result<Stmt> {
        let index = self.code.param()?;
        self.code.reader.expect("=")?;
        let element = self.atom()?;
        self.code.reader.expect_word("in")?;
        let range = self.range()?;
        let segments = read_segments(self.code.reader)?;
        Ok(Stmt::Owner { index, segments, range, element })
    }

    fn elements(&mut self) -> Result<Elements> {
        let to = self.code.reader.id()?;
        self.code.reader.expect_word("of")?;
        let elements = self.range()?;
        self.code.reader.expect_word("in")?;
        let range = self.range()?;
        let segments = read_segments(self.code.reader)?;
        Ok(Elements { to, segments, range, elements })
    }

    fn rows(&mut self) -> Result<Stmt> {
        let total = self.define(Ty::I64)?;
        self.code.reader.expect("=")?;
        let monoid = text::monoid(self.code.reader)?;
        let from = self.code.reader.id()?;
        self.code.reader.expect_word("to")?;
        let to = self.code.reader.id()?;
        self.code.reader.expect_word("by")?;
        let ends = self.code.reader.id()?;
        let any = self.define(Ty::Bool)?;
        self.code.reader.expect_word("of")?;
        let count = self.atom()?;
        Ok(Stmt::Rows(Rows { from, to, ends, count, total, any, monoid }))
    }

    fn range(&mut self) -> Result<[Operand; 2]> {
        let from = self.atom()?;
        self.code.reader.expect("..")?;
        Ok([from, self.atom()?])
    }

    fn scan(&mut self) -> Result<Stmt> {
        let scans = self.list(|blocks| {
            let total = blocks.define(Ty::I64)?;
            blocks.code.reader.expect("=")?;
            let monoid = text::monoid(blocks.code.reader)?;
            let from = blocks.code.reader.id()?;
            blocks.code.reader.expect_word("to")?;
            let to = blocks.code.reader.id()?;
            let restarts = if blocks.code.reader.eat_word("restarts") {
                let at = blocks.code.reader.id()?;
                Some((at, blocks.define(Ty::Bool)?))
            } else {
                None
            };
            let inclusive = blocks.code.reader.eat_word("inclusive");
            Ok(Scan { from, to, total, monoid, restarts, inclusive })
        })?;
        Ok(Stmt::Scan(scans))
    }

    fn chain(&mut self) -> Result<Stmt> {
        let first_warp = self.code.reader.eat_word("first_warp");
        let links = self.links()?;
        let mut restarts = Vec::new();
        if self.code.reader.eat_word("restarts") {
            restarts = self.list(|blocks| Ok((blocks.code.reader.integer()?, blocks.atom()?)))?;
        }
        Ok(Stmt::Chain { links, restarts, first_warp })
    }

    fn links(&mut self) -> Result<Vec<(Var, Operand, Monoid)>> {
        self.list(|blocks| {
            let (var, given) = blocks.code.define()?;
            blocks.code.reader.expect("=")?;
            let monoid = text::monoid(blocks.code.reader)?;
            let total = blocks.atom()?;
            blocks.code.set_ty(var, given.unwrap_or(blocks.code.ty(total)));
            Ok((var, total, monoid))
        })
    }
}
