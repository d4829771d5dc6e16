//! Twins: flat functions made from nest functions, on demand.
//!
//! A nest function has a twin for each way in which it is called: at the root, or lifted over lanes
//! with some arguments the same for all of them.  The lifted twin's first parameter is the number
//! of lanes; each of its arguments is vectors over the lanes, or plain when it is uniform.  Where
//! arguments look into several pools, there is one for each way of doing so ([`crate::ways`]).

use crate::analysis::Analysis;
use crate::conserve::Conserving;
use crate::context::Context;
use crate::held::Shape;
use crate::joint::join_calls;
use crate::layout;
use crate::lent::Lending;
use crate::origin::Origins;
use crate::rep::{Rep, Scalar};
use crate::settle::Layout;
use crate::ways::{Handed, MOST_WAYS, Ways};
use base::Id;
use flat::{Function, Operand, Space, Value};
use nest::{Func, Program};
use prim::Ty;
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
    /// How its arguments look into pools, if some look into several.
    pub(crate) ways: Option<Ways>,
    /// Whether it is given the place of its result ([`crate::op::place`]): after its arguments, the
    /// position where that begins, then the length of the vectors that hold it, and these.
    pub(crate) placed: bool,
}

/// The program under construction.
pub(crate) struct Flattener<'a> {
    pub(crate) nest: &'a Program,
    pub(crate) analysis: Analysis,
    pub(crate) conserving: Conserving,
    pub(crate) origins: Origins<'a>,
    pub(crate) out: flat::Program,
    pub(crate) scalar_functions: FxHashMap<(Func, Vec<Shape>), scalar::Func>,
    twins: FxHashMap<TwinKey, flat::Func>,
    /// The ways in which the arguments of functions look into pools, where some look into several.
    ways: FxHashMap<Func, Vec<Ways>>,
    /// Functions that are called with heaps, or with copies.
    pub(crate) copying: Vec<bool>,
    /// Whether all must be translated again, as another function is called so.
    pub(crate) again: bool,
    queue: Vec<(TwinKey, flat::Func)>,
}

/// Makes the flat program of a nest program.  Entries keep their order.
///
/// Parameters of an entry: for each nest parameter its components — a scalar; a sequence as its
/// length and its pool, where an inner sequence is offsets and its pool.  Results: a scalar; a
/// sequence as start, length and pool, where an inner sequence is starts, lengths and its pool.
pub fn flatten(nest: &Program) -> flat::Program {
    let mut joined = nest.clone();
    let unused = join_calls(&mut joined);
    let nest = &joined;
    let mut copying = vec![false; nest.funcs.len()];
    loop {
        let lending = Lending::new(nest, &unused, &copying);
        let mut flattener = Flattener::new(&lending, lending.copying(&copying));
        flattener.translate_all();
        if !flattener.again {
            return flattener.out;
        }
        for (&func, copies) in lending.original.values().zip(flattener.copying) {
            copying[func.index()] |= copies;
        }
    }
}

impl<'a> Flattener<'a> {
    fn new(lending: &'a Lending, copying: Vec<bool>) -> Flattener<'a> {
        let Lending { program: nest, unused, lent, .. } = lending;
        let placed = lending.may_have_places();
        let analysis = Analysis::new(nest);
        Flattener {
            nest,
            conserving: Conserving::new(nest, &analysis.recursive, &placed),
            origins: Origins::new(nest, &analysis, copying.clone(), unused, lent),
            analysis,
            out: flat::Program { widths: nest.widths, ..flat::Program::default() },
            scalar_functions: FxHashMap::default(),
            twins: FxHashMap::default(),
            ways: FxHashMap::default(),
            copying,
            again: false,
            queue: Vec::new(),
        }
    }

    fn translate_all(&mut self) {
        for &func in &self.nest.entries {
            let passing = Passing::Entry;
            let id = self.twin(TwinKey { func, passing, ways: None, placed: false });
            self.out.entries.push(id);
        }
        while let Some((key, id)) = self.queue.pop()
            && !self.again
        {
            let mut function = self.translate(&key);
            if let Passing::Lifted(_) = key.passing {
                let root = TwinKey { passing: Passing::Root, ..key.clone() };
                function.lanes_of = Some(self.twin(root));
            }
            self.out.funcs[id] = function;
        }
    }

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

    /// Whether a function may be called in such a way.  If there are too many others, it and all of
    /// its recursion are called with heaps; all is translated again, then, as results lie
    /// elsewhere.
    pub(crate) fn may_call(&mut self, func: Func, ways: &Ways) -> bool {
        let known = self.ways.entry(func).or_default();
        if !known.contains(ways) {
            known.push(ways.clone());
        }
        if ways.are_many() || known.len() > MOST_WAYS {
            for other in self.nest.funcs.ids() {
                self.copying[other.index()] |=
                    self.analysis.recursion[other] == self.analysis.recursion[func];
            }
            self.again = true;
        }
        !self.copying[func.index()]
    }

    /// Whether a function may be called with such heaps from outside its recursion.
    pub(crate) fn may_call_with_heaps(&mut self, func: Func, ways: &Ways) -> bool {
        let known = self.ways.entry(func).or_default();
        let new = !known.contains(ways);
        if ways.are_many() || new && known.len() >= MOST_WAYS {
            return false;
        }
        if new {
            known.push(ways.clone());
        }
        true
    }

    fn translate(&mut self, key: &TwinKey) -> Function {
        let source: &'a nest::Function = &self.nest.funcs[key.func];
        let ty = &source.values[source.body.result].ty;
        let recursion = self.analysis.recursion[key.func];
        let mut cx = Context::new(self, source, recursion);
        let mut params = Vec::new();
        let (lanes, given) = cx.declare_params(key, &mut params);
        cx.space = lanes;
        cx.lifted = lanes != Function::root();
        let lifted = if lanes == Function::root() { "" } else { "^" };
        let name = format!("{}{lifted}", source.name);
        let (ways, pools) = (key.ways.clone(), cx.given.clone());
        let handed = Handed { args: given, ways, pools };
        let lying = cx.flattener.origins.lying(key.func, &handed);
        let given = handed.args;
        cx.numbers_pools = key.passing == Passing::Root && !key.placed && lying.chooses();
        let found = if key.passing == Passing::Root { cx.of_heaps(&given) } else { given };
        let mut env = source.params.iter().copied().zip(found).collect();
        let mut yields = Vec::new();
        if key.placed {
            let mut place = cx.declare_place(ty, &mut params);
            cx.place_block(&source.body, &mut env, &mut place);
            yields.extend(place.out.iter().map(|&v| Operand::Value(v)));
        } else if key.passing == Passing::Root {
            yields = cx.last_block(&source.body, &mut env, (ty, &lying));
        } else {
            let rep = cx.nest_block(&source.body, &mut env);
            match key.passing {
                Passing::Entry => cx.components(&rep, &mut yields),
                _ => cx.hand_up(&rep, ty, &lying, &mut yields),
            }
        }
        let mut function = cx.finish(name, params, yields);
        if key.passing == Passing::Root {
            function.signature = Some(layout::signature(source, key, &lying));
        }
        function
    }
}

impl Context<'_, '_> {
    /// The parameters of a twin, as its lanes see them; and these.
    fn declare_params(&mut self, key: &TwinKey, params: &mut Vec<Value>) -> (Space, Vec<Rep>) {
        let root = Function::root();
        let lanes = match key.passing {
            Passing::Entry | Passing::Root => root,
            Passing::Lifted(_) => {
                let count = self.value_over(root, Ty::I64);
                params.push(count);
                self.new_space(Scalar::Value(count, root))
            }
        };
        let space = |n: usize| match &key.passing {
            Passing::Lifted(uniform) if !uniform[n] => lanes,
            Passing::Entry | Passing::Root | Passing::Lifted(_) => root,
        };
        let source = self.source;
        let types = source.params.iter().enumerate();
        let types: Vec<_> = types.map(|(n, &p)| (&source.values[p].ty, space(n))).collect();
        let layout = if key.passing == Passing::Entry { Layout::Packed } else { Layout::View };
        let given = match &key.ways {
            Some(ways) => self.declare_ways(&types, ways, params),
            None => self.declare_plain(&types, layout, params),
        };
        (lanes, given)
    }
}
