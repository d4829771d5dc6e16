//! Ranges `[s:e:d]`.
//!
//! Typed programs have them as calls of a function of the library, which compiled code runs.  To
//! the language they are expressions with a cost of their own: the parts, the number of elements
//! and 1 (LANGUAGE 15).  So they are made here at one go, unless they fail: then the function of
//! the library does, in its own words.

use crate::bulk;
use crate::eval::Instance;
use crate::failure::Fault;
use crate::function::Frame;
use crate::machine::Machine;
use base::Span;
use prim::{Bulk, Const};
use types::tree::{Definition, Exp, ExpKind};
use value::Value;

/// Whether a definition is that of ranges; programs cannot name it.
pub(crate) fn is_range(definition: &Definition) -> bool {
    definition.library && definition.name == "range"
}

impl<'p> Machine<'p> {
    /// The range whose parts are `argument`.
    pub(crate) fn range(
        &mut self,
        code: Instance<'p>,
        argument: &Exp,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        let parts = self.parts(argument, span, frame)?;
        self.at(span, frame);
        let [start, end, step] = parts;
        let count = count(start, end, step).filter(|&n| n <= self.program.widths.max_length());
        let Some(count) = count else {
            let argument =
                Value::pair(Value::Int(start), Value::pair(Value::Int(end), Value::Int(step)));
            return self.call_function(code, argument, span, frame);
        };
        let length = [Value::Int(count)];
        self.allocate(bulk::room(Bulk::Index, &length))
            .and_then(|()| self.afford(count as u64))
            .map_err(|failure| self.fault(failure, span, frame))?;
        self.cost().add(count as u64, 0);
        // No element is beyond the end, so none overflows.
        Ok(Value::ints((0..count).map(|i| start.wrapping_add(step.wrapping_mul(i))).collect()))
    }

    /// Start, end and step; a step that is not written is no part.
    fn parts(&mut self, argument: &Exp, span: Span, frame: &mut Frame) -> Result<[i64; 3], Fault> {
        let mut parts = Vec::with_capacity(3);
        let mut rest = argument;
        while let ExpKind::Pair(first, more) = &rest.kind {
            parts.push(self.eval(first, frame)?.int());
            rest = more;
        }
        parts.push(match &rest.kind {
            ExpKind::Const(Const::I64(step)) if rest.span == span => *step,
            _ => self.eval(rest, frame)?.int(),
        });
        let parts: Result<[i64; 3], Vec<i64>> = parts.try_into();
        Ok(parts.unwrap_or_else(|parts| unreachable!("{parts:?} are no parts of a range")))
    }
}

/// How many elements there are, if ints can tell.
fn count(start: i64, end: i64, step: i64) -> Option<i64> {
    let distance = match step {
        0 => return None,
        1.. => i128::from(end) - i128::from(start),
        _ => i128::from(start) - i128::from(end),
    };
    let step = i128::from(step).abs();
    i64::try_from((distance.max(0) + step - 1) / step).ok()
}
