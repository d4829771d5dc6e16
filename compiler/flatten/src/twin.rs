//! Twins: flat functions made from nest functions, on demand.
//!
//! A nest function has a twin for each way in which it is called: at the root, or lifted over lanes
//! with some arguments the same for all of them.  The lifted twin's first parameter is the number
//! of lanes; each of its arguments is vectors over the lanes, or plain when it is uniform.

use crate::analysis::Analysis;
use crate::context::Context;
use crate::layout;
use crate::rep::{Rep, Scalar};
use crate::settle::Layout;
use flat::Function;
use nest::{Func, Program};
use rustc_hash::FxHashMap;

/// How a twin gets its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Passing {
    /// From the host: sequences are packed.
    Entry,
    /// From the root.
    Root,
    /// From lanes; for each parameter, whether it is the same for all of them.
    Lifted(Vec<bool>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TwinKey {
    pub(crate) func: Func,
    pub(crate) passing: Passing,
}

/// The program under construction.
pub(crate) struct Flattener<'a> {
    pub(crate) nest: &'a Program,
    pub(crate) analysis: Analysis,
    pub(crate) out: flat::Program,
    pub(crate) scalar_functions: FxHashMap<Func, scalar::Func>,
    twins: FxHashMap<TwinKey, flat::Func>,
    queue: Vec<(TwinKey, flat::Func)>,
}

/// Makes the flat program of a nest program.  Entries keep their order.
///
/// Parameters of an entry: for each nest parameter its components — a scalar; a sequence as its
/// length and its pool, where an inner sequence is offsets and its pool.  Results: a scalar; a
/// sequence as start, length and pool, where an inner sequence is starts, lengths and its pool.
pub fn flatten(nest: &Program) -> flat::Program {
    let mut flattener = Flattener {
        nest,
        analysis: Analysis::new(nest),
        out: flat::Program { widths: nest.widths, ..flat::Program::default() },
        scalar_functions: FxHashMap::default(),
        twins: FxHashMap::default(),
        queue: Vec::new(),
    };
    for &func in &nest.entries {
        let id = flattener.twin(TwinKey { func, passing: Passing::Entry });
        flattener.out.entries.push(id);
    }
    while let Some((key, id)) = flattener.queue.pop() {
        let mut function = flattener.translate(&key);
        match key.passing {
            Passing::Entry => {}
            Passing::Root => function.signature = Some(layout::signature(&nest.funcs[key.func])),
            Passing::Lifted(_) => {
                let root = TwinKey { func: key.func, passing: Passing::Root };
                function.lanes_of = Some(flattener.twin(root));
            }
        }
        flattener.out.funcs[id] = function;
    }
    flattener.out
}

impl<'a> Flattener<'a> {
    /// The twin of a function, made later if it is new.
    pub(crate) fn twin(&mut self, key: TwinKey) -> flat::Func {
        if let Some(&known) = self.twins.get(&key) {
            return known;
        }
        let empty = Function {
            name: String::new(),
            params: Vec::new(),
            signature: None,
            lanes_of: None,
            values: base::IdMap::new(),
            spaces: base::IdMap::new(),
            body: flat::Block::default(),
        };
        let id = self.out.funcs.push(empty);
        self.twins.insert(key.clone(), id);
        self.queue.push((key, id));
        id
    }

    fn translate(&mut self, key: &TwinKey) -> Function {
        let source: &'a nest::Function = &self.nest.funcs[key.func];
        let mut cx = Context::new(self, source);
        let mut params = Vec::new();
        let root = Function::root();
        let lanes = match key.passing {
            Passing::Entry | Passing::Root => root,
            Passing::Lifted(_) => {
                let count = cx.value_over(root, prim::Ty::I64);
                params.push(count);
                cx.new_space(Scalar::Value(count, root))
            }
        };
        let mut env = FxHashMap::default();
        for (n, &p) in source.params.iter().enumerate() {
            let ty = &source.values[p].ty;
            let rep = match &key.passing {
                Passing::Entry => cx.declare(ty, root, Layout::Packed, &mut params),
                Passing::Root => cx.declare(ty, root, Layout::View, &mut params),
                Passing::Lifted(uniform) if uniform[n] => {
                    cx.declare(ty, root, Layout::View, &mut params)
                }
                Passing::Lifted(_) => {
                    let pool = cx.declare_arm(ty, lanes, &mut params);
                    cx.within(lanes, |cx| cx.lane_values(&pool))
                }
            };
            env.insert(p, rep);
        }
        cx.space = lanes;
        let rep: Rep = cx.nest_block(&source.body, &mut env);
        let mut yields = Vec::new();
        if lanes == root {
            cx.components(&rep, &mut yields);
        } else {
            let pool = cx.make_pool(&rep, lanes);
            cx.arm_components(&pool, &mut yields);
        }
        let lifted = if lanes == root { "" } else { "^" };
        cx.finish(format!("{}{lifted}", source.name), params, yields)
    }
}
