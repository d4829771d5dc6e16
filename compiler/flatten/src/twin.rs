//! Twins: flat functions made from nest functions, on demand.
//!
//! A nest function has a twin for each way in which it is called: at the root, or lifted over lanes
//! with some arguments the same for all of them.  The lifted twin's first parameter is the number
//! of lanes; each of its arguments is vectors over the lanes, or plain when it is uniform.

use crate::analysis::Analysis;
use crate::conserve::Conserving;
use crate::context::Context;
use crate::layout;
use crate::origin::Origins;
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
    /// Whether it is given the place of its result ([`crate::op::place`]): after its arguments, the
    /// position where that begins, then the length of the vectors that hold it, and these.
    pub(crate) placed: bool,
}

/// The program under construction.
pub(crate) struct Flattener<'a> {
    pub(crate) nest: &'a Program,
    pub(crate) analysis: Analysis,
    pub(crate) conserving: Conserving,
    pub(crate) origins: Origins,
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
    let analysis = Analysis::new(nest);
    let mut flattener = Flattener {
        nest,
        conserving: Conserving::new(nest, &analysis.recursive),
        origins: Origins::new(nest),
        analysis,
        out: flat::Program { widths: nest.widths, ..flat::Program::default() },
        scalar_functions: FxHashMap::default(),
        twins: FxHashMap::default(),
        queue: Vec::new(),
    };
    for &func in &nest.entries {
        let id = flattener.twin(TwinKey { func, passing: Passing::Entry, placed: false });
        flattener.out.entries.push(id);
    }
    while let Some((key, id)) = flattener.queue.pop() {
        let mut function = flattener.translate(&key);
        match key.passing {
            Passing::Entry => {}
            Passing::Root => {
                let (origin, source) = (flattener.origins.of(key.func), &nest.funcs[key.func]);
                let signature = layout::signature(source, origin, key.placed);
                function.signature = Some(signature);
            }
            Passing::Lifted(_) => {
                let root = TwinKey { passing: Passing::Root, ..key.clone() };
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
        let mut given = Vec::new();
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
            given.push(rep.clone());
            env.insert(p, rep);
        }
        cx.space = lanes;
        let lifted = if lanes == root { "" } else { "^" };
        if key.placed {
            let mut place = cx.declare_place(&source.values[source.body.result].ty, &mut params);
            cx.place_block(&source.body, &mut env, &mut place);
            let yields = place.out.iter().map(|&v| flat::Operand::Value(v)).collect();
            return cx.finish(format!("{}{lifted}", source.name), params, yields);
        }
        let rep: Rep = cx.nest_block(&source.body, &mut env);
        let mut yields = Vec::new();
        if key.passing == Passing::Entry {
            cx.components(&rep, &mut yields);
        } else {
            let origin = cx.flattener.origins.of(key.func).clone();
            cx.hand_up(&rep, &origin, &given, &mut yields);
        }
        cx.finish(format!("{}{lifted}", source.name), params, yields)
    }
}
