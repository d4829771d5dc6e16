//! The rules of flat programs.
//!
//! Values
//! * Every value is in the table and is defined once, by a parameter or a statement; it is used
//!   only after that, in the same block or in one nested in it. Constants are of the program's
//!   widths.
//! * The space of a value's domain is *known* where the value is defined: the values that give its
//!   shape and its ancestors' are visible.  The domain is never `Lanes` of the root; offsets are
//!   `i64`.
//!
//! Spaces
//! * Space 0 is the root, the only one without a parent; a parent has a smaller number.
//! * The length of a regular space is a scalar `i64`; after flattening it is no sum or product that
//!   may have wrapped ([`lengths`](crate::lengths)).
//! * The offsets of a packed space are over its parent, which is not the root.
//! * A filtered space has the parent of the space it was taken from; its positions are an `i64` for
//!   each of its lanes.
//!
//! Code
//! * Code over a space of depth d > 0 has d + 1 `i64` parameters, at the root none, and obeys the
//!   rules of scalar code.  It reads only vectors; its outer operands are scalars.
//!
//! Operations
//! * A space that an operation works over is known, and is the root only where that is allowed.
//! * Results of a map are over the space, of a reduction over its parent, of a scan and a sort over
//!   the space, of a scatter over its target; their types are those of the yields.  Monoids are
//!   defined on them; keys are ordered.  A sort in lanes is of segments with offsets.
//! * A filter gives positions, over a space that says it was filtered so, and that space's shape.
//! * Arguments and results of calls, and yields of arms, fit in type and in being scalar or vector.
//!   The lengths of such vectors are not known here; the evaluator checks them.

use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, Program, ScatterKind, SortKind, Space, SpaceKind,
    Stmt, Value, ValueInfo,
};
use crate::lengths::Lengths;
use base::print::{Error, join};
use base::{Id, IdMap};
use prim::{ScalarOp, Ty};
use scalar::{Scope, verify_code, verify_function};

/// Checks a program; gives all errors.
pub fn verify(program: &Program) -> Result<(), Vec<Error>> {
    check(program, false)
}

/// Checks a program that flattening has just made: its lengths are checked, too.  Passes take away
/// checks that facts decide, so that this holds before them alone.
pub fn verify_lengths(program: &Program) -> Result<(), Vec<Error>> {
    check(program, true)
}

fn check(program: &Program, lengths: bool) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    let mut item = 1;
    for &entry in &program.entries {
        if program.funcs.get(entry).is_none() {
            errors.push(Error { item: 0, entity: entry.to_string(), message: "is missing".into() });
        }
    }
    for id in program.scalars.ids() {
        verify_function(id, program.widths, &program.scalars, &mut item, &mut errors);
    }
    for (id, function) in program.funcs.iter() {
        let mut checker = Checker {
            program,
            function,
            first_space: item + 1,
            item,
            current: item,
            errors: &mut errors,
            values: function.values.ids().map(|_| State::Unseen).collect(),
            lengths: lengths.then(|| Lengths::of(function)),
        };
        checker.function(id);
        item = checker.item;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Where the walk stands with a value.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    Visible,
    /// Defined in a block that has ended.
    Gone,
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    lengths: Option<Lengths<'a>>,
    /// The number of the first space's item.
    first_space: usize,
    /// The number of the next item.
    item: usize,
    /// The number of the statement or yields being checked.
    current: usize,
    errors: &'a mut Vec<Error>,
    values: IdMap<Value, State>,
}

/// What code over the function's values may name.
struct CodeScope<'a> {
    program: &'a Program,
    function: &'a Function,
    values: &'a IdMap<Value, State>,
}

impl CodeScope<'_> {
    fn info(&self, name: Value) -> Option<ValueInfo> {
        let visible = self.values.get(name) == Some(&State::Visible);
        if visible { self.function.values.get(name).copied() } else { None }
    }
}

impl Scope<Value> for CodeScope<'_> {
    fn widths(&self) -> prim::Widths {
        self.program.widths
    }
    fn outer(&self, name: Value) -> Option<Ty> {
        self.info(name).filter(|info| info.domain == Domain::Scalar).map(|info| info.ty)
    }
    fn vector(&self, name: Value) -> Option<Ty> {
        self.info(name).filter(|info| info.domain != Domain::Scalar).map(|info| info.ty)
    }
    fn function(&self, func: scalar::Func) -> Option<&scalar::Function> {
        self.program.scalars.get(func)
    }
}

impl Checker<'_> {
    /// Notes an error of the item being checked.
    fn error(&mut self, entity: impl Into<String>, message: impl Into<String>) {
        let item = self.current;
        self.errors.push(Error { item, entity: entity.into(), message: message.into() });
    }

    fn space_error(&mut self, space: Space, message: impl Into<String>) {
        let item = self.first_space + space.index();
        self.errors.push(Error { item, entity: space.to_string(), message: message.into() });
    }

    fn function(&mut self, id: Func) {
        self.item += 1 + self.function.spaces.len();
        let before = self.errors.len();
        self.tree(id);
        if self.errors.len() > before {
            // Without a tree of spaces nothing else can be said.
            self.item += count_items(&self.function.body);
            return;
        }
        for space in self.function.spaces.ids() {
            self.space(space);
        }
        self.define(&self.function.params);
        self.block(&self.function.body);
    }

    /// Checks that the spaces form a tree.
    fn tree(&mut self, id: Func) {
        if self.function.spaces.is_empty() {
            self.error(id.to_string(), "has no root space");
        }
        for (space, info) in self.function.spaces.iter() {
            let parent = match info.kind {
                SpaceKind::Root => None,
                SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => Some(parent),
            };
            if parent.is_none() != (space == Function::root()) {
                self.space_error(space, "the root is s0, and no other space is one");
            }
            if parent.is_some_and(|parent| parent >= space) {
                self.space_error(space, "the number of its parent is not smaller");
            }
        }
    }

    fn space(&mut self, space: Space) {
        let info = self.function.spaces[space];
        match info.kind {
            SpaceKind::Root => {}
            SpaceKind::Regular(_, len) => {
                let scalar = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
                if self.info(len) != Some(scalar) {
                    self.space_error(space, format!("its length {len} is no scalar i64"));
                }
                if self.lengths.as_ref().is_some_and(|lengths| lengths.is_unchecked(len)) {
                    self.space_error(space, format!("its length {len} is not checked"));
                }
            }
            SpaceKind::Packed(parent, _) if parent == Function::root() => {
                self.space_error(space, "a child of the root is regular");
            }
            SpaceKind::Packed(parent, offsets) => {
                let wanted = ValueInfo { ty: Ty::I64, domain: Domain::Offsets(parent) };
                if self.function.values.get(offsets) != Some(&wanted) {
                    self.space_error(space, format!("{offsets} is not {wanted}"));
                }
            }
        }
        if let Some((source, positions)) = info.from {
            let known = source < space;
            if !known || self.function.parent(source) != self.function.parent(space) {
                self.space_error(space, format!("{source} has another parent"));
            }
            let wanted = ValueInfo { ty: Ty::I64, domain: Domain::Lanes(space) };
            if self.function.values.get(positions) != Some(&wanted) {
                self.space_error(space, format!("{positions} is not {wanted}"));
            }
        }
    }

    /// Type and domain of an operand, visible or not.
    fn info(&self, operand: Operand) -> Option<ValueInfo> {
        match operand {
            Operand::Const(c) => Some(ValueInfo { ty: c.ty(), domain: Domain::Scalar }),
            Operand::Value(v) => self.function.values.get(v).copied(),
        }
    }

    /// Type and domain of a visible operand.
    fn operand(&mut self, user: &str, operand: Operand) -> Option<ValueInfo> {
        if let Operand::Value(v) = operand
            && self.values.get(v) != Some(&State::Visible)
        {
            self.error(user, format!("{v} is not defined here"));
            return None;
        }
        if let Operand::Const(c) = operand
            && let Some(message) = self.program.widths.refuse(c)
        {
            self.error(user, message);
        }
        self.info(operand)
    }

    /// Checks that the space exists and that the values that give its shape are visible.
    fn known(&mut self, user: &str, space: Space) -> bool {
        if self.function.spaces.get(space).is_none() {
            self.error(user, format!("there is no space {space}"));
            return false;
        }
        for step in self.function.chain(space) {
            let value = match self.function.spaces[step].kind {
                SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => continue,
                SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => v,
            };
            if self.values.get(value) != Some(&State::Visible) {
                self.error(user, format!("the shape {value} of {step} is not defined here"));
                return false;
            }
        }
        true
    }

    /// Makes values visible, then checks their domains.
    fn define(&mut self, values: &[Value]) {
        for &value in values {
            match self.values.get(value) {
                None => self.error(value.to_string(), "has no type"),
                Some(State::Unseen) => self.values[value] = State::Visible,
                Some(_) => self.error(value.to_string(), "is defined twice"),
            }
        }
        for &value in values {
            let user = value.to_string();
            let Some(info) = self.function.values.get(value) else { continue };
            match info.domain {
                Domain::Scalar | Domain::Pool => {}
                Domain::Lanes(space) => {
                    if self.known(&user, space) && space == Function::root() {
                        self.error(user, "a value of the root is a scalar");
                    }
                }
                Domain::Offsets(space) => {
                    if self.known(&user, space) && info.ty != Ty::I64 {
                        self.error(user, "offsets are i64");
                    }
                }
            }
        }
    }

    /// Goes on to the next item; gives its number.
    fn next_item(&mut self) -> usize {
        self.current = self.item;
        self.item += 1;
        self.current
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let item = self.next_item();
            self.stmt(stmt);
            self.current = item;
            self.define(&stmt.results);
        }
        self.next_item();
        for &operand in &block.yields {
            self.operand("yield", operand);
        }
    }

    /// Checks an arm, whose yields must fit the results.
    fn arm(&mut self, block: &Block, results: &[Value]) {
        let before: Vec<bool> = self.values.values().map(|s| *s == State::Visible).collect();
        self.block(block);
        let given: Vec<Option<ValueInfo>> = block.yields.iter().map(|&y| self.info(y)).collect();
        let wanted = self.infos(results);
        self.fit("yield", &given, &wanted);
        for ((_, state), visible) in self.values.iter_mut().zip(before) {
            if *state == State::Visible && !visible {
                *state = State::Gone;
            }
        }
    }

    fn infos(&self, values: &[Value]) -> Vec<Option<ValueInfo>> {
        values.iter().map(|&v| self.function.values.get(v).copied()).collect()
    }

    /// Checks that values can be handed over: types agree, scalars are scalars.
    fn fit(&mut self, user: &str, given: &[Option<ValueInfo>], wanted: &[Option<ValueInfo>]) {
        let same = |pair: (&Option<ValueInfo>, &Option<ValueInfo>)| match pair {
            (Some(a), Some(b)) => {
                let scalar = |info: &ValueInfo| info.domain == Domain::Scalar;
                a.ty == b.ty && scalar(a) == scalar(b)
            }
            _ => true,
        };
        if given.len() != wanted.len() || !given.iter().zip(wanted).all(same) {
            let text = |infos: &[Option<ValueInfo>]| {
                join(infos.iter().map(|i| i.map_or("?".into(), |i| i.to_string())), ", ")
            };
            self.error(user, format!("expected ({}), found ({})", text(wanted), text(given)));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Op::If(cond, then, els) = &stmt.op {
            let cond = self.operand("if", *cond);
            let bool = ValueInfo { ty: Ty::Bool, domain: Domain::Scalar };
            self.fit("if", &[cond], &[Some(bool)]);
            self.arm(then, &stmt.results);
            self.arm(els, &stmt.results);
        } else if let Some(wanted) = self.op(stmt) {
            self.results(stmt, &wanted);
        }
    }

    /// Checks that the results have exactly these types and domains.
    fn results(&mut self, stmt: &Stmt, wanted: &[ValueInfo]) {
        let found = self.infos(&stmt.results);
        if found != wanted.iter().map(|&w| Some(w)).collect::<Vec<_>>() {
            let found = join(found.iter().map(|i| i.map_or("?".into(), |i| i.to_string())), ", ");
            let user = join(&stmt.results, ", ");
            self.error(user, format!("expected ({}), found ({found})", join(wanted, ", ")));
        }
    }

    /// Checks an operation; gives what its results must be, unless that was checked here.
    fn op(&mut self, stmt: &Stmt) -> Option<Vec<ValueInfo>> {
        match &stmt.op {
            Op::Map { space, code } => {
                let tys = self.code("map", *space, code, true)?;
                Some(self.over(*space, &tys))
            }
            Op::Reduce { space, monoids, code } => {
                let tys = self.code("reduce", *space, code, false)?;
                self.monoids("reduce", monoids, &tys);
                let parent = self.function.parent(*space)?;
                Some(self.over(parent, &tys))
            }
            Op::Scan { space, monoids, code } => {
                let tys = self.code("scan", *space, code, false)?;
                self.monoids("scan", monoids, &tys);
                Some(self.over(*space, &tys))
            }
            Op::Filter { space, code } => self.filter(stmt, *space, code),
            Op::Offsets { space, code } => {
                let tys = self.code("offsets", *space, code, false)?;
                self.yields("offsets", &tys, &[Ty::I64]);
                Some(vec![ValueInfo { ty: Ty::I64, domain: Domain::Offsets(*space) }])
            }
            Op::Scatter { space, code, kind, target } => self.scatter(*space, code, kind, *target),
            Op::Sort { space, kind, code } => {
                let tys = self.code("sort", *space, code, false)?;
                let [key] = tys[..] else {
                    self.yields("sort", &tys, &[Ty::I64]);
                    return None;
                };
                if ScalarOp::Lt.result(&[key, key]).is_none() {
                    self.error("sort", format!("there is no order of {key}"));
                }
                if let SpaceKind::Regular(parent, _) = self.function.spaces[*space].kind
                    && parent != Function::root()
                {
                    self.error("sort", format!("the segments of {space} have no offsets"));
                }
                let ty = if *kind == SortKind::Sort { key } else { Ty::I64 };
                Some(self.over(*space, &[ty]))
            }
            Op::Fail { space, code, pool } => {
                let tys = self.code("fail", *space, code, true)?;
                self.yields("fail", &tys, &[Ty::I64, Ty::I64]);
                let pool = self.operand("fail", Operand::Value(*pool));
                let chars = ValueInfo { ty: Ty::Char, domain: Domain::Pool };
                self.fit("fail", &[pool], &[Some(chars)]);
                Some(Vec::new())
            }
            Op::Literal(consts, ty) => {
                if let Some(other) = consts.iter().find(|c| c.ty() != *ty) {
                    self.error("literal", format!("{other} is not of type {ty}"));
                }
                let refused = consts.iter().find_map(|&c| self.program.widths.refuse(c));
                refused.into_iter().for_each(|message| self.error("literal", message));
                Some(vec![ValueInfo { ty: *ty, domain: Domain::Pool }])
            }
            Op::Join(parts) => self.join(parts),
            Op::Behind { from, used, more } => Some(self.behind(from, [*used, *more])),
            Op::Grow { from, used, begin, len } => {
                self.grow(from, [*used, *begin, *len], &stmt.results)
            }
            Op::Call(func, args) => {
                self.call(*func, args, &stmt.results);
                None
            }
            Op::If(..) => None,
        }
    }

    /// Checks pools that grow, and that each becomes a vector over a space with so many lanes.
    fn grow(
        &mut self,
        from: &[Value],
        counts: [Operand; 3],
        results: &[Value],
    ) -> Option<Vec<ValueInfo>> {
        self.counts("grow", &counts);
        let Some(&Domain::Lanes(space)) =
            results.first().and_then(|r| self.function.values.get(*r)).map(|info| &info.domain)
        else {
            self.error("grow", "what grows has the lanes of a space");
            return None;
        };
        let root = Function::root();
        let wanted = SpaceKind::Regular(root, counts[2]);
        if !self.known("grow", space) || self.function.spaces[space].kind != wanted {
            self.error("grow", "the space has other lanes than what grows");
        }
        let pools: Vec<Option<ValueInfo>> =
            from.iter().map(|&v| self.operand("grow", Operand::Value(v))).collect();
        let over = |pool: Option<ValueInfo>| {
            Some(ValueInfo { ty: pool?.ty, domain: Domain::Lanes(space) })
        };
        pools.into_iter().map(over).collect()
    }

    /// Checks pools that are to grow.
    fn behind(&mut self, from: &[Value], counts: [Operand; 2]) -> Vec<ValueInfo> {
        self.counts("behind", &counts);
        for &pool in from {
            self.operand("behind", Operand::Value(pool));
        }
        [Ty::I64, Ty::Bool].map(|ty| ValueInfo { ty, domain: Domain::Scalar }).to_vec()
    }

    fn counts(&mut self, op: &str, counts: &[Operand]) {
        let int = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
        if counts.iter().any(|&c| self.operand(op, c).is_some_and(|found| found != int)) {
            self.error(op, "counts are ints");
        }
    }

    /// Checks parts: at least two, each of columns over one space, of the same types; gives what is
    /// made of them.
    fn join(&mut self, parts: &[Vec<Value>]) -> Option<Vec<ValueInfo>> {
        let mut wanted: Option<Vec<Option<Ty>>> = None;
        for part in parts {
            let found: Vec<Option<ValueInfo>> =
                part.iter().map(|&v| self.operand("join", Operand::Value(v))).collect();
            let domain = |i: &Option<ValueInfo>| i.map(|i| i.domain);
            let lanes = found.first().and_then(domain);
            let whole = matches!(lanes, Some(Domain::Lanes(_)));
            if !whole || found.iter().any(|i| domain(i) != lanes) {
                self.error("join", "a part is not one or more columns over one space");
                return None;
            }
            let found: Vec<Option<Ty>> = found.iter().map(|i| i.map(|i| i.ty)).collect();
            if *wanted.get_or_insert_with(|| found.clone()) != found {
                self.error("join", "the parts have different columns");
                return None;
            }
        }
        if parts.len() < 2 {
            self.error("join", "there are not two parts");
        }
        let pool = |ty: Option<Ty>| Some(ValueInfo { ty: ty?, domain: Domain::Pool });
        let base = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
        let pools: Option<Vec<ValueInfo>> = wanted?.into_iter().map(pool).collect();
        Some(pools?.into_iter().chain(parts.iter().skip(1).map(|_| base)).collect())
    }

    /// Values of these types over a space.
    fn over(&self, space: Space, tys: &[Ty]) -> Vec<ValueInfo> {
        let root = space == Function::root();
        let domain = if root { Domain::Scalar } else { Domain::Lanes(space) };
        tys.iter().map(|&ty| ValueInfo { ty, domain }).collect()
    }

    /// Checks code over a space; gives the types of its yields if the space is known.
    fn code(
        &mut self,
        user: &str,
        space: Space,
        code: &crate::Code,
        root: bool,
    ) -> Option<Vec<Ty>> {
        let known = self.known(user, space);
        if known {
            let depth = self.function.chain(space).len();
            if depth == 0 && !root {
                self.error(user, "cannot work over the root");
            }
            let wanted = if depth == 0 { 0 } else { depth + 1 };
            let ints = code.params.iter().all(|&p| code.vars.get(p) == Some(&Ty::I64));
            if code.params.len() != wanted || !ints {
                self.error(user, format!("code over {space} has {wanted} parameters of type i64"));
            }
        }
        let scope =
            CodeScope { program: self.program, function: self.function, values: &self.values };
        verify_code(code, &scope, &mut self.item, self.errors);
        known.then(|| code.yield_tys())
    }

    fn yields(&mut self, user: &str, found: &[Ty], wanted: &[Ty]) {
        if found != wanted {
            let (wanted, found) = (join(wanted, ", "), join(found, ", "));
            self.error(user, format!("its code yields ({found}), not ({wanted})"));
        }
    }

    fn monoids(&mut self, user: &str, monoids: &[prim::Monoid], tys: &[Ty]) {
        if monoids.len() != tys.len() {
            self.error(user, format!("{} monoids for {} yields", monoids.len(), tys.len()));
        }
        for (monoid, &ty) in monoids.iter().zip(tys) {
            if monoid.op().result(&[ty, ty]) != Some(ty) {
                self.error(user, format!("{monoid} is no monoid of {ty}"));
            }
        }
    }

    fn filter(&mut self, stmt: &Stmt, space: Space, code: &crate::Code) -> Option<Vec<ValueInfo>> {
        let tys = self.code("filter", space, code, false)?;
        self.yields("filter", &tys, &[Ty::Bool]);
        let parent = self.function.parent(space)?;
        let &[positions, shape] = &stmt.results[..] else {
            self.error("filter", "gives positions and a shape");
            return None;
        };
        let Some(ValueInfo { domain: Domain::Lanes(kept), .. }) = self.infos(&[positions])[0]
        else {
            self.error(positions.to_string(), "positions are over the filtered space");
            return None;
        };
        let info = *self.function.spaces.get(kept)?;
        let (kind, domain) = if parent == Function::root() {
            (SpaceKind::Regular(parent, Operand::Value(shape)), Domain::Scalar)
        } else {
            (SpaceKind::Packed(parent, shape), Domain::Offsets(parent))
        };
        if info.from != Some((space, positions)) || info.kind != kind {
            self.error(positions.to_string(), format!("{kept} is not filtered from {space} so"));
        }
        let ty = Ty::I64;
        Some(vec![ValueInfo { ty, domain: Domain::Lanes(kept) }, ValueInfo { ty, domain }])
    }

    fn scatter(
        &mut self,
        space: Space,
        code: &crate::Code,
        kind: &ScatterKind,
        target: Space,
    ) -> Option<Vec<ValueInfo>> {
        let target_known = self.known("scatter", target);
        if target == Function::root() {
            self.error("scatter", "the target is not the root");
        }
        let tys = self.code("scatter", space, code, true)?;
        let Some((&position, tys)) = tys.split_first() else {
            self.error("scatter", "its code yields a position and values");
            return None;
        };
        if position != Ty::I64 {
            self.error("scatter", format!("a position is i64, not {position}"));
        }
        let wanted = self.over(target, tys);
        if let ScatterKind::Write(base) | ScatterKind::Into(base) = kind {
            let found: Vec<Option<ValueInfo>> =
                base.iter().map(|&v| self.operand("scatter", Operand::Value(v))).collect();
            if found.len() != wanted.len()
                || found.iter().zip(&wanted).any(|(f, w)| f.is_some_and(|f| f != *w))
            {
                let found =
                    join(found.iter().map(|i| i.map_or("?".into(), |i| i.to_string())), ", ");
                let wanted = join(&wanted, ", ");
                self.error("scatter", format!("writes over ({wanted}), not ({found})"));
            }
        }
        target_known.then_some(wanted)
    }

    fn call(&mut self, func: Func, args: &[Operand], results: &[Value]) {
        let user = func.to_string();
        let given: Vec<Option<ValueInfo>> = args.iter().map(|&a| self.operand(&user, a)).collect();
        let Some(callee) = self.program.funcs.get(func) else {
            return self.error(user, "there is no such function");
        };
        let info = |v: Value| callee.values.get(v).copied();
        let params: Vec<Option<ValueInfo>> = callee.params.iter().map(|&p| info(p)).collect();
        self.fit(&user, &given, &params);
        let yields: Vec<Option<ValueInfo>> = callee
            .body
            .yields
            .iter()
            .map(|y| match *y {
                Operand::Value(v) => info(v),
                Operand::Const(c) => Some(ValueInfo { ty: c.ty(), domain: Domain::Scalar }),
            })
            .collect();
        let results = self.infos(results);
        self.fit(&user, &results, &yields);
    }
}

/// The number of items of a block, as the walk counts them.
fn count_items(block: &Block) -> usize {
    let of_stmt = |stmt: &Stmt| {
        1 + match &stmt.op {
            Op::If(_, then, els) => count_items(then) + count_items(els),
            op => op.code().map_or(0, |code| {
                let mut count = 0;
                code.body.walk(&mut |_| count += 1);
                count
            }),
        }
    };
    1 + block.stmts.iter().map(of_stmt).sum::<usize>()
}
