//! Uses of the library's table.

use super::super::ends;
use super::super::library::{ROWS, Row};
use super::super::maker::{DEPTH, Maker};
use super::super::tree::{Exp, Kind};
use super::super::ty::{Ty, letters, matches, substitute};

/// The percentage of functions that are taken from those for ints near the ends, if there are such
/// ints.
const AT_THE_ENDS: usize = 60;

impl Maker {
    /// The table that the next function is taken from.
    fn rows(&mut self) -> &'static [Row] {
        if self.ends && self.random.chance(AT_THE_ENDS) { &ends::ROWS } else { &ROWS }
    }

    /// Something of the library.
    pub(in super::super) fn library(&mut self, ty: &Ty, size: usize) -> Exp {
        for _ in 0..8 {
            let scalar = |row: &&Row| row.args.iter().all(|arg| arg.depth() == 0);
            let fitting: Vec<&'static Row> = self
                .rows()
                .iter()
                .filter(|row| matches(&row.result, ty, &mut Vec::new()))
                .filter(|row| !self.scalar || scalar(row))
                .filter(|row| !self.redefines(row.text))
                .collect();
            if fitting.is_empty() {
                continue;
            }
            let row = *self.random.pick(&fitting);
            let mut known = Vec::new();
            matches(&row.result, ty, &mut known);
            let Some(args) = self.instances(&row.args, &mut known) else { continue };
            return self.row(row, ty, &args, size);
        }
        self.leaf(ty)
    }

    /// Something of the library, each row as often as any other; none if a type would nest too
    /// deeply.
    pub(in super::super) fn any_row(&mut self, size: usize) -> Option<Exp> {
        let rows = self.rows();
        let row = self.random.pick::<Row>(rows);
        let scalar =
            self.scalar && (row.result.depth() > 0 || row.args.iter().any(|arg| arg.depth() > 0));
        if scalar || self.redefines(row.text) {
            return None;
        }
        let mut known = Vec::new();
        let types = [&row.args[..], std::slice::from_ref(&row.result)].concat();
        let mut types = self.instances(&types, &mut known)?;
        let ty = types.pop()?;
        if ty.has_function() {
            return None;
        }
        Some(self.row(row, &ty, &types, size))
    }

    fn row(&mut self, row: &Row, ty: &Ty, args: &[Ty], size: usize) -> Exp {
        let sizes = self.share(size, args.len());
        let args = args.iter().zip(sizes).map(|(arg, size)| self.exp(arg, size)).collect();
        let bare = row.risky.filter(|_| self.risky && self.random.chance(15));
        Exp::new(ty.clone(), Kind::Template(bare.unwrap_or(row.text), args))
    }

    /// The types of arguments; variables that the result leaves open become any type, names in
    /// scope suggesting one.  None if sequences would nest too deeply.
    pub(in super::super) fn instances(
        &mut self,
        args: &[Ty],
        known: &mut Vec<(char, Ty)>,
    ) -> Option<Vec<Ty>> {
        for letter in args.iter().flat_map(letters) {
            if known.iter().all(|k| k.0 != letter) {
                let scalar = self.scalar;
                let candidates = self.visible(|t| t.in_class(letter) && !(scalar && t.depth() > 0));
                let ty = if !candidates.is_empty() && self.random.chance(50) {
                    self.random.pick(&candidates).ty.clone()
                } else {
                    let depth = self.random.below(3);
                    self.ty(depth)
                };
                let ty = if ty.in_class(letter) { ty } else { self.in_class(letter, 0) };
                known.push((letter, ty));
            }
        }
        let args: Vec<Ty> = args.iter().map(|arg| substitute(arg, known)).collect();
        args.iter().all(|arg| arg.depth() <= DEPTH).then_some(args)
    }

    /// An element or the length of a sequence in scope, if there is a fitting one.
    pub(in super::super) fn read(&mut self, ty: &Ty, size: usize) -> Exp {
        let sources = self.visible(|t| t.element() == Some(ty));
        if !sources.is_empty() && self.random.chance(80) {
            let source = self.random.pick(&sources).clone();
            let sizes = self.share(size, 2);
            let (at, other) = (self.exp(&Ty::Int, sizes[0]), self.exp(ty, sizes[1]));
            let text = "let z = $0 in if #z > 0 then z[mod($1, #z)] else $2";
            let parts = vec![Exp::name(source.ty, source.name), at, other];
            return Exp::new(ty.clone(), Kind::Template(text, parts));
        }
        let sources = self.visible(|t| t.element().is_some());
        if *ty == Ty::Int && !sources.is_empty() {
            let source = self.random.pick(&sources).clone();
            let parts = vec![Exp::name(source.ty, source.name)];
            return Exp::new(Ty::Int, Kind::Template("#$0", parts));
        }
        self.leaf(ty)
    }
}
