//! Calls without the session: by threads that call a compiled function again, at the same types.
//!
//! A session is for one thread at a time.  After its first call at some types a function is code
//! and data that nobody changes, so that threads share it.  Each thread launches with a
//! [handle](Device::share) of the device of its own.  Whatever fails is called once more through
//! the session, which tells why, and by which calls it came to that.

use super::Call;
use super::compiled::Ready;
use super::engine::Answer;
use super::{Returned, Source};
use crate::{Machine, border};
use base::Span;
use compile::Text;
use device::Device;
use prim::Widths;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use types::Type;
use value::{Budget, Columns, Interrupt, Shape, Typed};

/// Calls of one function at one combination of types.
#[derive(Clone)]
pub struct Direct {
    calls: Arc<dyn Concurrent>,
    parameters: Arc<[Parameter]>,
    widths: Widths,
    shape: Arc<Shape>,
    ty: Arc<str>,
}

/// An argument in memory as the function is compiled for it.
struct Parameter {
    form: Form,
    /// True if rows are taken as the sequence of them.
    is_sequence: bool,
}

/// The type of an argument in memory, and how it is given.
#[derive(PartialEq)]
pub(super) struct Form {
    rows: bool,
    ty: Type,
}

/// The form of each argument, if all are in memory.
pub(super) fn forms(arguments: &[Source]) -> Option<Vec<Form>> {
    let form = |argument: &Source| {
        let (rows, value) = in_memory(argument)?;
        Some(Form { rows, ty: value.ty().clone() })
    };
    arguments.iter().map(form).collect()
}

/// True and the rows, or false and the value of an argument in memory.
fn in_memory(argument: &Source) -> Option<(bool, &Typed)> {
    match argument {
        Source::Memory(value) => Some((false, value)),
        Source::Rows(value) => Some((true, value)),
        Source::File(_) | Source::Literal(_) => None,
    }
}

impl Direct {
    /// Calls at the types of a call that is ready, whose arguments are of these forms.
    pub(super) fn new(
        calls: Arc<dyn Concurrent>,
        call: &Call,
        forms: Vec<Form>,
        (shape, ty): (Arc<Shape>, Arc<str>),
    ) -> Option<Direct> {
        let parameters = forms.into_iter().zip(&call.arguments);
        let parameters = parameters
            .map(|(form, argument)| Parameter { form, is_sequence: argument.is_sequence_of_rows });
        let widths = call.arguments.first()?.columns.widths();
        Some(Direct { calls, parameters: parameters.collect(), widths, shape, ty })
    }

    /// True if these arguments are of its types.
    pub fn takes(&self, arguments: &[Source]) -> bool {
        let takes = |(parameter, argument): (&Parameter, &Source)| {
            let Some((rows, value)) = in_memory(argument) else { return false };
            let Form { rows: expected, ty } = &parameter.form;
            let columns = value.columns();
            rows == *expected
                && value.ty() == ty
                && columns.widths() == self.widths
                && (parameter.is_sequence || columns.lanes() == 1)
        };
        arguments.len() == self.parameters.len() && self.parameters.iter().zip(arguments).all(takes)
    }

    /// True if another takes the same arguments.
    pub fn is_for_same(&self, other: &Direct) -> bool {
        let own = self.parameters.iter().map(|parameter| &parameter.form);
        own.eq(other.parameters.iter().map(|parameter| &parameter.form))
    }

    /// Calls the function with arguments that it [takes](Direct::takes).  Gives none if the call
    /// fails; [`Session::invoke`](super::Session::invoke) then tells why.
    pub fn call(&self, arguments: &[Source]) -> Option<Returned> {
        let argument = |(parameter, argument): (&Parameter, &Source)| {
            let (_, value) = in_memory(argument)?;
            let columns = value.columns().clone();
            if parameter.is_sequence { Columns::sequence(columns).ok() } else { Some(columns) }
        };
        let columns: Option<Vec<Columns>> =
            self.parameters.iter().zip(arguments).map(argument).collect();
        let answer = Answer::Columns(self.calls.call(&columns?)?);
        Some(Returned { answer, shape: Arc::clone(&self.shape), ty: Arc::clone(&self.ty) })
    }
}

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("result", &self.ty).finish_non_exhaustive()
    }
}

/// A function that threads call at the same time.
pub(super) trait Concurrent: Send + Sync {
    /// The result for these arguments; none if the call fails.
    fn call(&self, arguments: &[Columns]) -> Option<Columns>;
}

/// The compiled code of a function beside its session.
pub(super) struct Beside<D: Device> {
    ready: Arc<Ready<D>>,
    /// Values of the top level that the function uses.
    inputs: Vec<Columns>,
    budget: Budget,
    interrupt: Interrupt,
    devices: Mutex<Handles<D>>,
}

/// Handles of a device.
struct Handles<D> {
    /// A handle of which others are made.
    first: D,
    /// Handles with which no thread launches now.
    idle: Vec<D>,
}

impl<D: Device> Beside<D> {
    pub(super) fn new(
        device: D,
        ready: Arc<Ready<D>>,
        inputs: Vec<Columns>,
        budget: Budget,
        interrupt: Interrupt,
    ) -> Beside<D> {
        let devices = Mutex::new(Handles { first: device, idle: Vec::new() });
        Beside { ready, inputs, budget, interrupt, devices }
    }

    /// A handle that nobody else uses.
    fn handle(&self) -> Option<D> {
        let mut handles = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        handles.idle.pop().or_else(|| handles.first.share())
    }
}

impl<D> Concurrent for Beside<D>
where
    D: Device<Text: Text, Module: Send + Sync, Buffer: Send> + Send,
{
    fn call(&self, arguments: &[Columns]) -> Option<Columns> {
        let device = self.handle()?;
        let Ready { lowered, plan, facts, module, .. } = &*self.ready;
        let mut passed = Vec::new();
        for value in arguments.iter().chain(&self.inputs) {
            border::arguments(&device, value, &mut passed).ok()?;
        }
        let mut machine = Machine::new(&device, module, plan, facts);
        machine.lends = false;
        machine.room = self.budget.left();
        machine.interrupt = self.interrupt.clone();
        let results = machine.call(plan.entries[0], passed, Span::none()).ok()?;
        let func = lowered.entries[0].func;
        let ty = lowered.program.funcs[func].result_type()?;
        let widths = lowered.program.widths;
        let value = border::result(&device, widths, ty, &mut results.into_iter()).ok()?;
        self.devices.lock().unwrap_or_else(PoisonError::into_inner).idle.push(device);
        Some(value)
    }
}
