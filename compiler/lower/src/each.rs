//! Apply-to-each: the body becomes a block with one element of each source; free names are values
//! of the blocks around it.

use crate::mono::{Lower, Lowering};
use crate::random::site;
use crate::scope::{Abs, Frame};
use nest::{Op, Value};
use types::tree::{Each, Exp};

impl<'a> Lower<'a> {
    /// An apply-to-each.  Without effects the serial form means the same.
    pub(crate) fn each(
        &mut self,
        frame: &mut Frame<'a>,
        exp: &'a Exp,
        each: &'a Each,
    ) -> Lowering<Abs<'a>> {
        let span = frame.place(exp.span);
        let mut generators = Vec::with_capacity(each.generators.len());
        for (_, source) in &each.generators {
            let source = self.exp_value(frame, source)?;
            generators.push((source, source));
        }
        self.b.at(span);
        for (element, source) in &mut generators {
            let ty = self.b.ty(*source).element().clone();
            *element = self.b.fresh(ty);
        }
        let lanes = self.enter_lanes(site(exp.span, frame.origin));
        let mut test = None;
        self.b.begin();
        self.bind_elements(frame, each, &generators);
        if let Some(condition) = &each.test {
            let result = self.exp_value(frame, condition)?;
            test = Some(self.b.end(result));
            self.b.begin();
        }
        let result = self.exp_value(frame, &each.body)?;
        let body = self.b.end(result);
        self.b.at(span);
        self.leave_lanes(lanes, &mut generators);
        Ok(Abs::Value(self.b.push(Op::Each(nest::Each { generators, test, body }))))
    }

    fn bind_elements(
        &mut self,
        frame: &mut Frame<'a>,
        each: &'a Each,
        generators: &[(Value, Value)],
    ) {
        for ((pattern, _), (element, _)) in each.generators.iter().zip(generators) {
            self.b.at(frame.place(pattern.span));
            self.bind(frame, pattern, Abs::Value(*element));
        }
    }
}
