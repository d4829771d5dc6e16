//! What statements use, define and hold.

use crate::ir::{Block, Carry, Elements, Rows, Scan, Segments, Stmt};
use crate::{Arg, Operand, Var};
use prim::Monoid;
use scalar::{Atom, Op};

/// Calls `visit` with every statement of a block in order, nested ones too.
pub fn each<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        stmt.blocks().into_iter().for_each(|block| each(block, visit));
    }
}

impl Stmt {
    /// What the statement uses, with all that is nested in it.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Stmt::Scalar(stmt @ (scalar::Stmt::Let(..) | scalar::Stmt::Require { .. })) => {
                stmt.atoms()
            }
            stmt => {
                let mut found = Vec::new();
                stmt.add_operands(&mut found);
                found
            }
        }
    }

    fn add_operands(&self, found: &mut Vec<Operand>) {
        match self {
            Stmt::Scalar(stmt) => {
                found.extend(stmt.atoms());
                for block in stmt.blocks() {
                    block.walk(&mut |item| item.for_each_atom(&mut |atom| found.push(atom)));
                }
            }
            Stmt::Store(_, index, value) | Stmt::Raise(_, index, value) => {
                found.extend([*index, *value]);
            }
            Stmt::If(cond, ..) => found.push(*cond),
            Stmt::For { from, to, carried, .. } => {
                found.extend([*from, *to]);
                for carry in carried {
                    found.extend([carry.init, carry.next].into_iter().chain(carry.restart));
                }
            }
            Stmt::Pack { from, to, keep, start, stores, .. } => {
                found.extend([*from, *to, *keep, *start]);
                found.extend(stores.iter().map(|(_, value)| *value));
            }
            Stmt::Partial(_, value) => found.push(*value),
            Stmt::Chain { links, restarts, .. } => {
                found.extend(links.iter().map(|(_, total, _)| *total));
                found.extend(restarts.iter().map(|(_, any)| *any));
            }
            Stmt::Combine(links) => found.extend(links.iter().map(|(_, value, _)| *value)),
            Stmt::Owner { range, element, .. } => found.extend([range[0], range[1], *element]),
            Stmt::Owners(told) | Stmt::Ends(told) => {
                found.extend(told.range.iter().chain(&told.elements));
            }
            Stmt::Rows(rows) => found.push(rows.count),
            Stmt::Positions(atoms) => found.extend(atoms),
            Stmt::Barrier | Stmt::Scan(_) => {}
        }
        // Added to one list, as what is nested deeply would be copied at each level.
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.add_operands(found));
        }
    }

    /// The variables that the statement defines for those after it.
    pub fn results(&self) -> Vec<Var> {
        match self {
            Stmt::Scalar(stmt) => stmt.results().to_vec(),
            Stmt::For { carried, .. } => carried.iter().map(|carry| carry.result).collect(),
            Stmt::Pack { end, .. } => vec![*end],
            Stmt::Chain { links, .. } | Stmt::Combine(links) => links.iter().map(|l| l.0).collect(),
            Stmt::Scan(scans) => scans
                .iter()
                .flat_map(|scan| [scan.total].into_iter().chain(scan.restarts.map(|r| r.1)))
                .collect(),
            Stmt::Owner { index, .. } => vec![*index],
            Stmt::Rows(rows) => vec![rows.total, rows.any],
            Stmt::If(..)
            | Stmt::Store(..)
            | Stmt::Raise(..)
            | Stmt::Partial(..)
            | Stmt::Positions(_)
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Barrier => Vec::new(),
        }
    }

    /// Whether all threads of a block come to it together.
    pub fn is_collective(&self) -> bool {
        match self {
            Stmt::Partial(..)
            | Stmt::Chain { .. }
            | Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_)
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_) => true,
            Stmt::Scalar(_)
            | Stmt::If(..)
            | Stmt::For { .. }
            | Stmt::Pack { .. }
            | Stmt::Store(..)
            | Stmt::Raise(..)
            | Stmt::Positions(_)
            | Stmt::Owner { .. } => false,
        }
    }

    /// The blocks of kernel statements in it.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If(_, then, els) => vec![then, els],
            Stmt::For { body, .. } => vec![body],
            Stmt::Pack { body, kept, .. } => vec![body, kept],
            _ => Vec::new(),
        }
    }

    /// The same statement with other blocks, as far as those of threads have any.
    #[must_use]
    pub fn with_blocks(&self, mut block: impl FnMut(&Block) -> Block) -> Stmt {
        match self {
            Stmt::If(cond, then, els) => Stmt::If(*cond, block(then), block(els)),
            Stmt::For { index, from, to, carried, body, way } => Stmt::For {
                index: *index,
                from: *from,
                to: *to,
                carried: carried.clone(),
                body: block(body),
                way: *way,
            },
            stmt => stmt.clone(),
        }
    }

    /// All variables that the statement defines, in nested blocks too.
    pub fn defined(&self, found: &mut Vec<Var>) {
        match self {
            Stmt::Scalar(stmt) => return stmt.defined(found),
            Stmt::For { index, carried, .. } => {
                found.push(*index);
                found.extend(carried.iter().map(|carry| carry.var));
            }
            Stmt::Pack { index, cursor, .. } => found.extend([*index, *cursor]),
            _ => {}
        }
        found.extend(self.results());
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.defined(found));
        }
    }

    /// The statement with other names for its variables.
    #[must_use]
    pub fn rename(&self, name: &impl Fn(Var) -> Var) -> Stmt {
        let operand = |a: Operand| if let Atom::Var(v) = a { Atom::Var(name(v)) } else { a };
        self.copy(name, &operand)
    }

    /// The statement with other names for what it defines, and other operands.
    #[must_use]
    pub fn copy(&self, name: &impl Fn(Var) -> Var, operand: &impl Fn(Operand) -> Operand) -> Stmt {
        let atom = |a: &Operand| operand(*a);
        let block = |b: &Block| b.iter().map(|stmt| stmt.copy(name, operand)).collect::<Block>();
        let links = |links: &[(Var, Operand, Monoid)]| {
            links.iter().map(|(var, value, monoid)| (name(*var), atom(value), *monoid)).collect()
        };
        let elements = |told: &Elements| Elements {
            range: told.range.map(operand),
            elements: told.elements.map(operand),
            ..*told
        };
        match self {
            Stmt::Scalar(stmt) => Stmt::Scalar(stmt.copy(name, operand)),
            Stmt::If(cond, then, els) => Stmt::If(atom(cond), block(then), block(els)),
            Stmt::For { index, from, to, carried, body, way } => {
                let carry = |carry: &Carry| Carry {
                    var: name(carry.var),
                    init: atom(&carry.init),
                    next: atom(&carry.next),
                    result: name(carry.result),
                    restart: carry.restart.as_ref().map(atom),
                    ..carry.clone()
                };
                Stmt::For {
                    index: name(*index),
                    from: atom(from),
                    to: atom(to),
                    carried: carried.iter().map(carry).collect(),
                    body: block(body),
                    way: *way,
                }
            }
            Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end } => {
                Stmt::Pack {
                    index: name(*index),
                    from: atom(from),
                    to: atom(to),
                    body: block(body),
                    keep: atom(keep),
                    cursor: name(*cursor),
                    start: atom(start),
                    kept: block(kept),
                    stores: stores.iter().map(|(buffer, value)| (*buffer, atom(value))).collect(),
                    end: name(*end),
                }
            }
            Stmt::Store(buffer, index, value) => Stmt::Store(*buffer, atom(index), atom(value)),
            Stmt::Raise(buffer, index, value) => Stmt::Raise(*buffer, atom(index), atom(value)),
            Stmt::Partial(number, value) => Stmt::Partial(*number, atom(value)),
            Stmt::Chain { links: list, restarts, first_warp } => Stmt::Chain {
                first_warp: *first_warp,
                links: links(list),
                restarts: restarts.iter().map(|(n, any)| (*n, atom(any))).collect(),
            },
            Stmt::Owner { index, segments, range, element } => Stmt::Owner {
                index: name(*index),
                segments: *segments,
                range: [atom(&range[0]), atom(&range[1])],
                element: atom(element),
            },
            Stmt::Owners(told) => Stmt::Owners(elements(told)),
            Stmt::Ends(told) => Stmt::Ends(elements(told)),
            Stmt::Rows(rows) => Stmt::Rows(Rows {
                count: atom(&rows.count),
                total: name(rows.total),
                any: name(rows.any),
                ..*rows
            }),
            Stmt::Combine(list) => Stmt::Combine(links(list)),
            Stmt::Positions(atoms) => Stmt::Positions(atoms.iter().map(atom).collect()),
            Stmt::Scan(scans) => {
                let scan = |scan: &Scan| Scan {
                    total: name(scan.total),
                    restarts: scan.restarts.map(|(at, any)| (at, name(any))),
                    ..*scan
                };
                Stmt::Scan(scans.iter().map(scan).collect())
            }
            Stmt::Barrier => Stmt::Barrier,
        }
    }

    /// The arrays and buffers that the statement reads, with all that is nested in it.
    pub fn reads(&self) -> Vec<Arg> {
        let mut found = Vec::new();
        self.each_scalar(&mut |stmt| match stmt {
            scalar::Stmt::Let(_, Op::Read(vector, _)) => found.push(*vector),
            scalar::Stmt::Call(call) => found.extend(&call.vectors),
            _ => {}
        });
        self.segment_offsets(&mut found);
        found
    }

    /// The arrays and buffers that the statement stores to, with all that is nested in it.
    pub fn stores(&self) -> Vec<Arg> {
        let mut found = Vec::new();
        self.add_stores(&mut found);
        found
    }

    fn add_stores(&self, found: &mut Vec<Arg>) {
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.add_stores(found));
        }
        match self {
            Stmt::Store(buffer, ..) => found.push(*buffer),
            Stmt::Pack { stores, .. } => found.extend(stores.iter().map(|s| s.0)),
            _ => {}
        }
    }

    /// The offsets of segments in which elements are looked for, with all that is nested in it.
    fn segment_offsets(&self, found: &mut Vec<Arg>) {
        if let Stmt::Owner { segments: Segments::Offsets(offsets, _), .. }
        | Stmt::Owners(Elements { segments: Segments::Offsets(offsets, _), .. })
        | Stmt::Ends(Elements { segments: Segments::Offsets(offsets, _), .. }) = self
        {
            found.push(*offsets);
        }
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.segment_offsets(found));
        }
    }

    /// Calls `visit` with every scalar statement, nested ones too.
    pub fn each_scalar<'a>(&'a self, visit: &mut dyn FnMut(&'a scalar::Stmt<Arg>)) {
        fn scalar<'a>(stmt: &'a scalar::Stmt<Arg>, visit: &mut dyn FnMut(&'a scalar::Stmt<Arg>)) {
            visit(stmt);
            for block in stmt.blocks() {
                block.stmts.iter().for_each(|stmt| scalar(stmt, visit));
            }
        }
        if let Stmt::Scalar(stmt) = self {
            scalar(stmt, visit);
        }
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.each_scalar(visit));
        }
    }
}
