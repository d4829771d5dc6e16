//! From the graph to the types of the typed program, at the end of a form.

use super::{Graph, Node, Ty};
use crate::show::show_inside;
use crate::ty::{Base, TyVar, Type};
use base::Id;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Reads types out of a graph as one definition sees them: its quantified variables are numbered,
/// and every other variable, which nothing determines and nothing depends on, is int.
pub(crate) struct Resolver<'g, 'a> {
    graph: &'g mut Graph<'a>,
    known: FxHashMap<Ty, Type>,
}

impl<'g, 'a> Resolver<'g, 'a> {
    /// With these variables quantified, in order.
    pub(crate) fn new(graph: &'g mut Graph<'a>, vars: &[Ty]) -> Resolver<'g, 'a> {
        let known = vars
            .iter()
            .enumerate()
            .map(|(i, &v)| (graph.find(v), Type::Var(TyVar::new(i))))
            .collect();
        Resolver { graph, known }
    }

    /// The type; parts that are shared in the graph are shared in the result.
    pub(crate) fn resolve(&mut self, ty: Ty) -> Type {
        let ty = self.graph.find(ty);
        if let Node::Base(b) = self.graph.nodes[ty] {
            return Type::Base(b);
        }
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let result = match self.graph.nodes[ty].clone() {
            Node::Base(_) | Node::Var(_) | Node::Error | Node::Link(_) => Type::Base(Base::I64),
            Node::Seq(t) => Type::Seq(Arc::new(self.resolve(t))),
            Node::Pair(a, b) => Type::Pair(Arc::new(self.resolve(a)), Arc::new(self.resolve(b))),
            Node::Fun(a, _, r) => Type::Fun(Arc::new(self.resolve(a)), Arc::new(self.resolve(r))),
            Node::Data(d, args, _) => {
                Type::Data(d, args.iter().map(|&t| self.resolve(t)).collect())
            }
        };
        self.known.insert(ty, result.clone());
        result
    }
}

impl Graph<'_> {
    /// Types as shown in a message, with common names for common variables.
    pub(crate) fn show<const N: usize>(&mut self, types: [Ty; N]) -> [String; N] {
        let vars = self.variables(&types);
        let resolved = {
            let mut resolver = Resolver::new(self, &vars);
            types.map(|t| resolver.resolve(t))
        };
        let order: IndexSet<TyVar> = (0..vars.len()).map(TyVar::new).collect();
        let datas = self.datas;
        resolved.map(|t| shorten(show_inside(&|d| datas[d].name.clone(), &t, &order)))
    }
}

/// Cuts a type that would fill the screen.
fn shorten(text: String) -> String {
    const LIMIT: usize = 200;
    if text.len() <= LIMIT {
        return text;
    }
    // Types are ASCII.
    format!("{} ... {}", &text[..LIMIT / 2], &text[text.len() - LIMIT / 4..])
}
