//! Statements of nest, one after the other, in the current space.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use nest::{Block, Op, Stmt, Value};
use rustc_hash::FxHashMap;

/// Nest values in scope.
pub(crate) type Env = FxHashMap<Value, Rep>;

impl<'a> Context<'_, 'a> {
    /// The statements of a block, then its result.
    pub(crate) fn nest_block(&mut self, block: &'a Block, env: &mut Env) -> Rep {
        self.nest_stmts(&block.stmts, env);
        get(env, block.result)
    }

    pub(crate) fn nest_stmts(&mut self, stmts: &'a [Stmt], env: &mut Env) {
        for stmt in stmts {
            let saved = self.span;
            if self.follow_spans {
                self.span = stmt.span;
            }
            let rep = self.nest_stmt(stmt, env);
            self.span = saved;
            env.insert(stmt.value, rep);
        }
    }

    pub(crate) fn nest_stmt(&mut self, stmt: &'a Stmt, env: &mut Env) -> Rep {
        match &stmt.op {
            Op::Const(c) => Rep::Scalar(Scalar::Const(*c)),
            Op::Copy(v) => get(env, *v),
            Op::Tuple(parts) => Rep::Tuple(parts.iter().map(|&p| get(env, p)).collect()),
            Op::Field(v, n) => get(env, *v).part(*n).clone(),
            Op::Scalar(op, args) => {
                let args: Vec<Scalar> = args.iter().map(|&a| get(env, a).scalar()).collect();
                Rep::Scalar(self.compute(*op, &args))
            }
            Op::Require(site, [cond, a, b]) => {
                let [cond, a, b] = [cond, a, b].map(|&v| get(env, v).scalar());
                self.require(*site, cond, [a, b]);
                Rep::truth()
            }
            Op::Fail(message) => self.fail(&get(env, *message)),
            Op::Literal(ty, consts) => self.literal(*ty, consts),
            Op::Seq(items) => self.sequence(items, env, stmt.value),
            Op::Length(v) => Rep::Scalar(self.length(&get(env, *v))),
            Op::Index(n) => self.index(get(env, *n).scalar()),
            Op::Element(seq, index) => self.element(&get(env, *seq), get(env, *index).scalar()),
            Op::Slice { seq, start, count } => {
                let (start, count) = (get(env, *start).scalar(), get(env, *count).scalar());
                self.slice(&get(env, *seq), start, count)
            }
            Op::Which(flags) => self.which(&get(env, *flags)),
            Op::Reduce(monoid, v) => self.reduce(*monoid, &get(env, *v)),
            Op::Scan(monoid, v) => self.scan(*monoid, &get(env, *v)),
            Op::Flatten(v) => self.flatten(&get(env, *v)),
            Op::Partition(v, lens) => self.partition(&get(env, *v), &get(env, *lens)),
            Op::Append(a, b) => self.append(&get(env, *a), &get(env, *b)),
            Op::Write { into, positions, values } => {
                self.write(&get(env, *into), &get(env, *positions), &get(env, *values))
            }
            Op::Permute(v, positions) => self.permute(&get(env, *v), &get(env, *positions)),
            Op::Sort(kind, v) => self.sort(*kind, &get(env, *v)),
            Op::Each(each) => self.each(each, env),
            Op::If(cond, a, b) => self.branch(stmt, *cond, (a, b), env),
            Op::Call(func, args) => {
                let args = args.iter().map(|&a| get(env, a)).collect();
                self.call(*func, args)
            }
        }
    }
}

/// The rep of a value in scope.
pub(crate) fn get(env: &Env, value: Value) -> Rep {
    env.get(&value).cloned().unwrap_or_else(|| unreachable!("{value} is not in scope"))
}
