//! The library: primitives with the types of their table, then the files.

use super::{Checker, Group, sorted};
use crate::graph::Poly;
use crate::infer;
use crate::tree::{DefinitionKind, Form, FormKind};
use crate::ty::Class;
use base::{Diagnostic, FileId, Id, Kind, Span};
use prim::{Meaning, Primitive};
use syntax::ast;

impl Checker {
    pub(super) fn load_library(&mut self, files: &[ast::Group]) -> Result<(), Vec<Diagnostic>> {
        self.define_primitives()?;
        self.groups.push(Group::new(files.iter().flat_map(|file| &file.forms)));
        let mut failed = Vec::new();
        for form in files.iter().flat_map(|file| &file.forms) {
            match self.check(form) {
                Ok(forms) => self.library_values.extend(forms.into_iter().filter(is_value)),
                Err(errors) => failed.extend(errors),
            }
        }
        failed.extend(self.end_group());
        self.tables.scope.close_library();
        if failed.is_empty() { Ok(()) } else { Err(sorted(failed)) }
    }

    fn define_primitives(&mut self) -> Result<(), Vec<Diagnostic>> {
        for (id, row) in Primitive::all() {
            let mut poly = self.primitive_type(row)?;
            if plain_only(row.meaning) {
                poly.restrict(Class::Data);
            }
            if row.effect {
                poly.make_effectful();
            }
            let span = Span::new(FileId::new(0), 0, 0);
            let global = self.push(row.name, poly, DefinitionKind::Primitive(id), span);
            self.program.globals[global].doc = Some(row.doc.to_string());
            self.define(global, !row.public);
        }
        Ok(())
    }
    fn primitive_type(&self, row: &Primitive) -> Result<Poly, Vec<Diagnostic>> {
        let bug = |e: Diagnostic| {
            vec![Diagnostic::new(Kind::Bug, format!("primitive `{}`: {}", row.name, e.message))]
        };
        let annotation = syntax::parse_type(FileId::new(0), row.ty).map_err(bug)?;
        infer::signature(&self.program, &self.tables, &annotation)
    }
}

fn is_value(form: &Form) -> bool {
    matches!(form.kind, FormKind::Evaluate { .. })
}

/// Whether a primitive is defined only at types without functions, though its type does not say so.
fn plain_only(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Equal
            | Meaning::Unequal
            | Meaning::Identity
            | Meaning::HashBits
            | Meaning::ObjectText
            | Meaning::ObjectValue
    )
}
