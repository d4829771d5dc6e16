//! Reads the text form of plans (see `print.rs`).
//!
//! Reading what was printed gives the same program, but for scalars and buffers that nothing
//! defines: the text does not speak of them.

use crate::ir::{
    Arg, Block, Buffer, BufferInfo, Cluster, ClusterId, Conflict, Func, Function, Lanes, Node,
    NodeOp, Over, Param, ParamKind, Place, Program, Ref, RefInfo, RefKind, Slot, SortKind, Space,
    SpaceInfo, SpaceKind, Step,
};
use base::text::{Reader, Result};
use base::{Id, IdMap};
use prim::{Const, Ty, text};
use rustc_hash::FxHashMap;
use scalar::read::{read_atom, read_code};
use scalar::{Atom, ReadName};

/// Reads a program.
pub fn read(source: &str) -> Result<Program> {
    let mut reader = Reader::new(source)?;
    let mut program = Program { widths: text::widths(&mut reader)?, ..Program::default() };
    if reader.eat_word("entries") {
        program.entries.push(reader.id()?);
        while reader.eat(",") {
            program.entries.push(reader.id()?);
        }
    }
    while reader.eat_word("lanes") {
        let id = reader.id()?;
        reader.expect_word("of")?;
        let lifted = reader.id()?;
        reader.expect_word("by")?;
        add(&mut program.routines, id, Lanes { lifted, root: reader.id()? }, &reader)?;
    }
    while !reader.at_end() {
        if reader.is_word("fn") {
            let (id, function) = scalar::read_function(&mut reader)?;
            add(&mut program.scalars, id, function, &reader)?;
        } else if reader.is_word("plan") {
            let (id, function) = read_plan(&mut reader)?;
            add(&mut program.funcs, id, function, &reader)?;
        } else {
            let (id, cluster) = read_cluster(&mut reader)?;
            add(&mut program.clusters, id, cluster, &reader)?;
        }
    }
    Ok(program)
}

/// Adds what must have the next id.
fn add<I: Id, T>(map: &mut IdMap<I, T>, id: I, item: T, reader: &Reader) -> Result<()> {
    if map.next_id() != id {
        return reader.error(format!("expected {}, found {id}", map.next_id()));
    }
    map.push(item);
    Ok(())
}

impl ReadName for Place {
    fn read_name(reader: &mut Reader) -> Result<Place> {
        if reader.is_id::<Slot>() {
            reader.id().map(Place::Slot)
        } else {
            reader.id().map(Place::Buffer)
        }
    }
}

fn arg(reader: &mut Reader) -> Result<Arg> {
    if let Some(constant) = text::peek_constant(reader) {
        reader.advance();
        return Ok(Arg::Const(constant));
    }
    Ok(match Place::read_name(reader)? {
        Place::Slot(slot) => Arg::Slot(slot),
        Place::Buffer(buffer) if reader.eat_word("past") => Arg::Past(buffer, reader.id()?),
        Place::Buffer(buffer) => Arg::Buffer(buffer),
    })
}

/// Takes what follows `over`.
fn over(reader: &mut Reader) -> Result<Over> {
    let buffer = reader.id()?;
    let start = if reader.eat_word("at") { arg(reader)? } else { Arg::Const(Const::I64(0)) };
    Ok(Over { buffer, start })
}

/// Takes a plan and its name.
fn read_plan(reader: &mut Reader) -> Result<(Func, Function)> {
    reader.expect_word("plan")?;
    let func = reader.id()?;
    let name = reader.name()?;
    let (slots, buffers) = (FxHashMap::default(), FxHashMap::default());
    let mut steps = Steps { reader, slots, buffers, depth: 0 };
    steps.reader.expect("(")?;
    let mut params = Vec::new();
    while !steps.reader.eat(")") {
        if !params.is_empty() {
            steps.reader.expect(",")?;
        }
        params.push(steps.define()?);
    }
    let signature = if steps.reader.eat_word("layout") {
        Some(prim::layout::read_signature(steps.reader)?)
    } else {
        None
    };
    let body = steps.block()?;
    let slots = table(&steps.slots);
    let buffers = table(&steps.buffers).values().map(|&ty| BufferInfo { ty }).collect();
    Ok((func, Function { name, signature, params, slots, buffers, body }))
}

/// A table as long as the highest number; what was not defined counts as an int.
fn table<I: Id>(types: &FxHashMap<I, Ty>) -> IdMap<I, Ty> {
    let count = types.keys().max().map_or(0, |id| id.index() + 1);
    (0..count).map(|n| types.get(&I::new(n)).copied().unwrap_or(Ty::I64)).collect()
}

/// Numbers are bounded, as tables are as long as the highest.
const HIGHEST: usize = 1 << 22;

/// Passes recurse over nested blocks, so that their number is bounded.
const DEEPEST: usize = 200;

/// The steps of a plan being read.
struct Steps<'a> {
    reader: &'a mut Reader,
    /// The types of what was defined so far.
    slots: FxHashMap<Slot, Ty>,
    buffers: FxHashMap<Buffer, Ty>,
    /// How many blocks are open.
    depth: usize,
}

impl Steps<'_> {
    /// Takes `n1: i64`.
    fn define(&mut self) -> Result<Place> {
        let place = Place::read_name(self.reader)?;
        let number = match place {
            Place::Slot(slot) => slot.index(),
            Place::Buffer(buffer) => buffer.index(),
        };
        if number > HIGHEST {
            return self.reader.error(format!("the number of {place} is above {HIGHEST}"));
        }
        self.reader.expect(":")?;
        let ty = text::ty(self.reader)?;
        match place {
            Place::Slot(slot) => self.slots.insert(slot, ty),
            Place::Buffer(buffer) => self.buffers.insert(buffer, ty),
        };
        Ok(place)
    }

    fn block(&mut self) -> Result<Block> {
        self.reader.expect("{")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.reader.error(format!("blocks are nested more than {DEEPEST} deep"));
        }
        let mut block = Block::default();
        while !self.reader.eat("}") {
            if self.reader.eat_word("yield") {
                while !self.reader.is("}") {
                    block.yields.push(arg(self.reader)?);
                }
            } else {
                block.steps.push(self.step()?);
            }
        }
        self.depth -= 1;
        Ok(block)
    }

    fn step(&mut self) -> Result<Step> {
        let mut results = Vec::new();
        while self.reader.is_id::<Slot>() || self.reader.is_id::<Buffer>() {
            results.push(self.define()?);
            if !self.reader.eat(",") {
                self.reader.expect("=")?;
                break;
            }
        }
        if let &[Place::Buffer(buffer)] = results.as_slice()
            && let Some(step) = self.made(buffer)?
        {
            return Ok(step);
        }
        let word = self.reader.word()?;
        match (word.as_str(), results.is_empty()) {
            ("eval", _) => self.eval(&results),
            ("if", _) => {
                let cond = arg(self.reader)?;
                let then = self.block()?;
                self.reader.expect_word("else")?;
                let els = self.block()?;
                Ok(Step::If { results, cond, then, els })
            }
            ("behind", _) => self.behind(&results),
            ("call", _) => {
                let func = self.reader.id()?;
                let args = self.reader.list("(", ")", arg)?;
                Ok(Step::Call { results, func, args, span: self.reader.span()? })
            }
            ("launch", true) => self.launch(),
            ("fail", true) => {
                let chars = self.reader.id()?;
                let (start, len) = (arg(self.reader)?, arg(self.reader)?);
                Ok(Step::Fail { start, len, chars, span: self.reader.span()? })
            }
            ("free", true) => Ok(Step::Free(self.reader.id()?)),
            _ => self.reader.error(format!("there is no step `{word}` with these results")),
        }
    }

    /// Takes a step that makes one buffer, if one is next.
    fn made(&mut self, buffer: Buffer) -> Result<Option<Step>> {
        let reader = &mut *self.reader;
        let step = if reader.eat_word("buffer") {
            let len = arg(reader)?;
            let over = if reader.eat_word("over") { Some(over(reader)?) } else { None };
            Step::Alloc { buffer, len, over, span: reader.span()? }
        } else if reader.eat_word("room") {
            Step::Room { buffer, len: arg(reader)?, span: reader.span()? }
        } else if reader.eat_word("zeros") {
            Step::Zero { buffer, len: arg(reader)?, span: reader.span()? }
        } else if reader.eat_word("copy") {
            let from = reader.id()?;
            Step::Copy { buffer, from, len: arg(reader)?, span: reader.span()? }
        } else if reader.eat_word("grow") {
            let (from, used) = (reader.id()?, arg(reader)?);
            reader.expect_word("at")?;
            let begin = arg(reader)?;
            reader.expect_word("to")?;
            Step::Grow { buffer, from, used, begin, len: arg(reader)?, span: reader.span()? }
        } else if reader.eat_word("alias") {
            Step::Alias(buffer, reader.id()?)
        } else if reader.eat_word("literal") {
            let consts = if reader.is("(") {
                reader.list("(", ")", text::constant)?
            } else {
                reader.text()?.into_iter().map(Const::Char).collect()
            };
            Step::Literal(buffer, consts)
        } else {
            return Ok(None);
        };
        Ok(Some(step))
    }

    fn behind(&mut self, results: &[Place]) -> Result<Step> {
        let &[Place::Slot(begin), Place::Slot(alone)] = results else {
            return self.reader.error("`behind` gives a place, and whether nobody else is there");
        };
        let (from, used) = (self.reader.list("(", ")", Reader::id)?, arg(self.reader)?);
        self.reader.expect_word("for")?;
        Ok(Step::Behind { begin, alone, from, used, more: arg(self.reader)? })
    }

    fn eval(&mut self, results: &[Place]) -> Result<Step> {
        let mut slots = Vec::new();
        for &place in results {
            match place {
                Place::Slot(slot) => slots.push(slot),
                Place::Buffer(buffer) => {
                    return self.reader.error(format!("the host computes no buffer {buffer}"));
                }
            }
        }
        Ok(Step::Eval { results: slots, code: read_code(self.reader)? })
    }

    fn launch(&mut self) -> Result<Step> {
        let cluster = self.reader.id()?;
        self.reader.expect("(")?;
        let mut args = Vec::new();
        while !self.reader.eat(")") {
            if !args.is_empty() {
                self.reader.expect(",")?;
            }
            if self.reader.eat_word("set") {
                args.push(self.define()?.into());
            } else {
                args.push(arg(self.reader)?);
            }
        }
        self.reader.expect_word("work")?;
        Ok(Step::Launch { cluster, args, work: arg(self.reader)? })
    }
}

/// Takes a cluster and its name.
fn read_cluster(reader: &mut Reader) -> Result<(ClusterId, Cluster)> {
    reader.expect_word("cluster")?;
    let id = reader.id()?;
    let name = reader.name()?;
    let mut refs: FxHashMap<Ref, RefInfo> = FxHashMap::default();
    let params = reader.list("(", ")", |reader| {
        let name = reader.id()?;
        reader.expect(":")?;
        let named = [ParamKind::In, ParamKind::Out, ParamKind::Set];
        let kind = named.into_iter().find(|kind| reader.eat_word(kind.name()));
        refs.insert(name, RefInfo { ty: text::ty(reader)?, kind: RefKind::Param });
        Ok(Param { name, kind: kind.unwrap_or(ParamKind::Scalar) })
    })?;
    let mut spans = Vec::new();
    loop {
        match reader.span()? {
            span if span.is_none() => break,
            span => spans.push(span),
        }
    }
    reader.expect("{")?;
    let lanes = Atom::Const(Const::I64(1));
    let mut spaces = IdMap::new();
    spaces.push(SpaceInfo { kind: SpaceKind::Root, lanes, from: None });
    while reader.is_id::<Space>() {
        let (id, info) = space_definition(reader)?;
        add(&mut spaces, id, info, reader)?;
    }
    let mut nodes = Vec::new();
    while !reader.eat("}") {
        nodes.push(node(reader, &mut refs)?);
    }
    let mut table = IdMap::new();
    for _ in 0..refs.len() {
        match refs.get(&table.next_id()) {
            Some(&info) => table.push(info),
            None => return reader.error(format!("{} is missing", table.next_id())),
        };
    }
    Ok((id, Cluster { name, params, refs: table, spaces, nodes, spans }))
}

fn space_definition(reader: &mut Reader) -> Result<(Space, SpaceInfo)> {
    let id = reader.id()?;
    reader.expect("=")?;
    reader.expect("[")?;
    let parent = reader.id()?;
    reader.expect(">")?;
    let kind = if reader.eat_word("offsets") {
        SpaceKind::Packed(parent, reader.id()?)
    } else {
        SpaceKind::Regular(parent, read_atom(reader)?)
    };
    reader.expect("]")?;
    reader.expect_word("lanes")?;
    let lanes = read_atom(reader)?;
    let from = if reader.eat_word("from") { Some(reader.id()?) } else { None };
    Ok((id, SpaceInfo { kind, lanes, from }))
}

fn bracketed(reader: &mut Reader) -> Result<Space> {
    reader.expect("[")?;
    let space = reader.id()?;
    reader.expect("]")?;
    Ok(space)
}

fn node(reader: &mut Reader, refs: &mut FxHashMap<Ref, RefInfo>) -> Result<Node> {
    let mut results: Vec<Ref> = Vec::new();
    while reader.is_id::<Ref>() {
        let name = reader.id()?;
        reader.expect(":")?;
        let ty = text::ty(reader)?;
        let kind = RefKind::Local(bracketed(reader)?);
        if refs.insert(name, RefInfo { ty, kind }).is_some() {
            return reader.error(format!("{name} is defined twice"));
        }
        results.push(name);
        if !reader.eat(",") {
            reader.expect("=")?;
            break;
        }
    }
    let word = reader.word()?;
    let space = bracketed(reader)?;
    let op = node_op(reader, &word)?;
    let code = read_code(reader)?;
    let mut pushes = Vec::new();
    if reader.eat_word("push") {
        loop {
            pushes.push(if reader.eat_word("none") { None } else { Some(reader.id()?) });
            if !reader.eat(",") {
                break;
            }
        }
    } else {
        pushes.resize(results.len(), None);
    }
    Ok(Node { op, space, code, results, pushes })
}

/// Takes what stands between the space of a node and its code.
fn node_op(reader: &mut Reader, word: &str) -> Result<NodeOp> {
    if let Some(kind) = SortKind::ALL.into_iter().find(|k| k.name() == word) {
        return Ok(NodeOp::Sort(kind));
    }
    match word {
        "map" => Ok(NodeOp::Map),
        "reduce" | "scan" => {
            let mut monoids = Vec::new();
            while !reader.is("\\") {
                monoids.push(text::monoid(reader)?);
            }
            let reduce = word == "reduce";
            Ok(if reduce { NodeOp::Reduce(monoids) } else { NodeOp::Scan(monoids) })
        }
        "filter" => {
            reader.expect_word("to")?;
            Ok(NodeOp::Filter { kept: bracketed(reader)? })
        }
        "offsets" => Ok(NodeOp::Offsets),
        "scatter" => {
            let conflict = if reader.eat_word("ordered") {
                Conflict::Last
            } else if reader.eat_word("same") {
                Conflict::Same
            } else if reader.eat_word("greatest") {
                Conflict::Greatest
            } else {
                Conflict::None
            };
            reader.expect_word("to")?;
            Ok(NodeOp::Scatter { conflict, extent: read_atom(reader)? })
        }
        _ => reader.error(format!("there is no combinator `{word}`")),
    }
}
