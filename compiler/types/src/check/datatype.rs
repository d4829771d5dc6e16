//! Datatype definitions (LANGUAGE 6).

use super::Checker;
use crate::infer;
use crate::names;
use crate::tree::{Datatype, DefinitionKind, Form, FormKind};
use crate::ty::Type;
use base::Diagnostic;
use syntax::ast;

impl Checker {
    /// Defines the type and its constructor.  Those of the library are opaque: users can write the
    /// type but neither make nor take apart its values.
    pub(super) fn datatype(
        &mut self,
        datatype: &ast::Datatype,
        form: &ast::Form,
    ) -> Result<Form, Vec<Diagnostic>> {
        let span = form.span;
        let found = self.names_of(|view| names::of_fields(view, datatype))?;
        let name = &datatype.name.text;
        let data = self.program.datas.next_id();
        let info = infer::fields(&self.program, &self.tables, datatype, data)?;
        let constructor = info.constructor.clone();
        let fields = match &constructor.scheme.ty {
            Type::Fun(fields, _) => fields.as_ref().clone(),
            other => unreachable!("{other:?} is no constructor"),
        };
        let params = constructor.scheme.classes.len();
        self.program.datas.push(Datatype { name: name.clone(), params, fields });
        self.tables.datas.push(info);
        let opaque = self.tables.scope.in_library();
        self.tables.scope.add_data(name, data, opaque);
        let global = self.push(name, constructor, DefinitionKind::Constructor(data), span);
        self.program.globals[global].doc = self.documentation(None, form.comment.as_deref());
        self.define(global, opaque);
        let form = Form { shown: name.clone(), kind: FormKind::Defined(vec![global]), span };
        self.note(Vec::new(), found.types, &form);
        Ok(form)
    }
}
