//! Names that are defined more than once (LANGUAGE 9.3), and functions that stand behind those that
//! use them (LANGUAGE 9.2).
//!
//! Definitions of another type leave forms before as they are.  Of the same type they take the
//! place of the old ones there, too:
//!
//! ```text
//! function f(x) = x;  function g(x) = f(x);  function f(x) = 0;  % g calls this one %
//! ```

use super::draft::Draft;
use super::maker::{Maker, Var};
use super::tree::{Form, Function};
use super::ty::Ty;

/// Names of the library that programs redefine; texts that contain them are not used afterwards.
const LIBRARY_NAMES: [&str; 5] = ["histogram", "kth_smallest", "union", "gcd", "justify_text"];

impl Maker {
    /// A plain function with a name that has a meaning already, of the program or of the library.
    /// Forms before it keep that meaning: functions of one type would take its place there, too.
    ///
    /// Only between forms: no expression in the making may hold a call of the old one.
    pub(super) fn redefined_function(&mut self) {
        let depth = self.random.below(3);
        let result = self.ty(depth);
        let draft = self.draft(&result, Vec::new());
        let new = draft.callable(None, false);
        if !new.optional.is_empty() {
            // Defaults are made already, and might use the old function.
            return;
        }
        let (from, to) = (new.whole(), &new.result);
        let known = self.forms.iter().filter_map(|form| match form {
            Form::Function(old) if old.typed && old.letters().is_empty() => Some(old),
            Form::Function(_) | Form::Value(..) | Form::Datatype(_) => None,
        });
        let differs = |old: &&Function| {
            let types = old.params.iter().map(|param| param.ty.clone()).collect();
            old.body.ty != *to || Ty::tuple(types) != from
        };
        let mut names: Vec<String> =
            known.filter(differs).map(|function| function.name.clone()).collect();
        // Whether it is the same name twice does not matter: the last one counts.
        names.retain(|name| self.functions_named(name) == 1);
        if names.is_empty() || self.random.chance(40) {
            names = LIBRARY_NAMES.map(str::to_owned).to_vec();
            names.retain(|name| self.functions_named(name) == 0);
        }
        if names.is_empty() {
            return;
        }
        let draft = draft.redefining(self.random.pick::<String>(&names));
        // In its own body the name is the function itself.
        self.redefined.push(draft.name().to_owned());
        let callable = draft.callable(None, false);
        self.callables.retain(|old| old.name != callable.name);
        self.inside += 1;
        let size = 6 + self.random.below(12);
        let body = self.outside(|maker| maker.with(draft.vars(), |maker| maker.exp(&result, size)));
        self.inside -= 1;
        self.finish(draft, body);
        self.callables.push(callable);
    }

    /// A function in place of one of the same type: forms before it use it from now on.  It uses
    /// no names of the program, so that those that call it still end.
    pub(super) fn replacing_function(&mut self) {
        let replaceable = |old: &&Function| {
            // A type may be of a datatype that has been redefined.
            let current = |ty: &Ty| self.redefined_datas.iter().all(|name| !ty.has_data(name));
            let plain = |ty: &Ty| !ty.has_function() && current(ty);
            old.typed
                && old.letters().is_empty()
                && old.params.iter().all(|param| param.default.is_none() && plain(&param.ty))
                && plain(&old.body.ty)
                && self.functions_named(&old.name) == 1
                && !LIBRARY_NAMES.contains(&old.name.as_str())
        };
        let functions = self.forms.iter().filter_map(|form| match form {
            Form::Function(function) => Some(function),
            Form::Value(..) | Form::Datatype(_) => None,
        });
        let known: Vec<Function> = functions.filter(replaceable).cloned().collect();
        if known.is_empty() {
            return;
        }
        let draft = Draft::like(self.random.pick::<Function>(&known), self);
        self.callables.retain(|old| old.name != draft.name());
        let callables = std::mem::take(&mut self.callables);
        // Names of the top may have no value yet where it is called.
        let scope = std::mem::take(&mut self.scope);
        let globals = std::mem::take(&mut self.globals);
        self.inside += 1;
        let size = 6 + self.random.below(12);
        let body = self.with(draft.vars(), |maker| maker.exp(&draft.result, size));
        self.inside -= 1;
        (self.scope, self.globals, self.callables) = (scope, globals, callables);
        self.callables.push(draft.callable(None, false));
        self.finish(draft, body);
    }

    fn functions_named(&self, name: &str) -> usize {
        let named =
            |form: &&Form| matches!(form, Form::Function(function) if function.name == name);
        self.forms.iter().filter(named).count()
    }

    /// Puts some functions before those that they use, for which they then wait.  Names with two
    /// meanings stay where they are.
    pub(super) fn reorder(&mut self) {
        // The functions that stand side by side from here on may change places.
        let mut first = 0;
        for at in 0..self.forms.len() {
            let movable = match &self.forms[at] {
                Form::Function(function) => {
                    self.functions_named(&function.name) == 1
                        && !LIBRARY_NAMES.contains(&function.name.as_str())
                }
                Form::Value(..) | Form::Datatype(_) => false,
            };
            if !movable {
                first = at + 1;
            } else if first < at && self.random.chance(25) {
                let to = first + self.random.below(at - first);
                self.forms[to..=at].rotate_right(1);
            }
        }
    }

    /// Whether the program gives another meaning to a name in a text of the library's table.
    pub(super) fn redefines(&self, text: &str) -> bool {
        self.redefined.iter().any(|name| text.contains(name))
    }

    /// Another datatype with the name of one that is known.  What has the old type keeps it, and is
    /// no longer used, but for functions that have it only inside.
    pub(super) fn redefined_datatype(&mut self) {
        if self.datas.is_empty() {
            return;
        }
        let at = self.random.below(self.datas.len());
        let name = self.datas[at].name.clone();
        let uses = |ty: &Ty| ty.has_data(&name);
        // Fields of a known datatype would be of the old type.
        if self.datas.iter().any(|data| data.name != name && uses(&data.fields)) {
            return;
        }
        // With a name go those that it hides.
        let old: Vec<Var> = self.scope.iter().filter(|var| uses(&var.ty)).cloned().collect();
        self.scope.retain(|var| old.iter().all(|old| old.name != var.name));
        self.globals = self.scope.len();
        self.callables.retain(|callable| !uses(&callable.whole()) && !uses(&callable.result));
        self.datas.remove(at);
        let data = self.datatype(name.clone());
        self.redefined_datas.push(name);
        self.forms.push(Form::Datatype(data.clone()));
        self.datas.push(data);
    }
}
