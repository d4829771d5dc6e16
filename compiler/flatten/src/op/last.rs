//! What a function of the root does last.
//!
//! Arms hand up what they give, instead of one value for both; and what a call gives that lies
//! where the function's own result lies is handed up as it is.  So a function that ends with a call
//! of itself does nothing after it, and whoever runs it can go on in its place: it is a loop.

use crate::block::{Env, get};
use crate::context::{Context, Item};
use crate::origin::Lying;
use crate::rep::Scalar;
use base::Id;
use flat::Operand;
use nest::{Block, Func, Op, Stmt, Type};

impl<'a> Context<'_, 'a> {
    /// The components of what a block gives, the last of a function of the root, but the pools that
    /// the function's caller knows.
    pub(crate) fn last_block(
        &mut self,
        block: &'a Block,
        env: &mut Env,
        result: (&Type, &Lying),
    ) -> Vec<Operand> {
        let (ty, lying) = result;
        if let Some((last, before)) = block.stmts.split_last()
            && last.value == block.result
        {
            self.nest_stmts(before, env);
            let saved = self.span;
            if self.follow_spans {
                self.span = last.span;
            }
            let found = self.last_stmt(last, env, result);
            self.span = saved;
            if let Some(found) = found {
                return found;
            }
            self.nest_stmts(std::slice::from_ref(last), env);
        } else {
            self.nest_stmts(&block.stmts, env);
        }
        let mut out = Vec::new();
        self.hand_up(&get(env, block.result), ty, lying, &mut out);
        out
    }

    /// The components of what the last statement gives, if it is an `if` or a call that can give
    /// them.
    fn last_stmt(
        &mut self,
        stmt: &'a Stmt,
        env: &mut Env,
        result: (&Type, &Lying),
    ) -> Option<Vec<Operand>> {
        match &stmt.op {
            Op::If(cond, then, els) if !self.is_scalar_choice(stmt, (then, els)) => {
                let cond = get(env, *cond).scalar();
                if let Scalar::Const(known) = cond {
                    let arm = if known.bool() { then } else { els };
                    return Some(self.last_block(arm, env, result));
                }
                let Some(cond) = self.uniform(cond) else { unreachable!("the root has no lanes") };
                let arms = [then, els].map(|arm| {
                    self.begin();
                    let yields = self.last_block(arm, &mut env.clone(), result);
                    self.end(yields)
                });
                let [then, els] = arms;
                let mut results = Vec::new();
                self.received(result.0, result.1, &mut results);
                let (span, values) = (self.span, results.clone());
                self.push_item(Item::If { results, cond, then, els, span });
                Some(values.into_iter().map(Operand::Value).collect())
            }
            Op::Call(func, args) if self.runs_at_root(*func) => {
                let args: Vec<_> = args.iter().map(|&arg| get(env, arg)).collect();
                Some(self.last_call(*func, &args, result))
            }
            _ => None,
        }
    }

    /// Whether a call is one of a function of the root.
    fn runs_at_root(&self, func: Func) -> bool {
        let analysis = &self.flattener.analysis;
        analysis.called[func.index()]
            && !analysis.scalar[func.index()]
            && self.flattener.conserving.parameter(func).is_none()
    }
}
