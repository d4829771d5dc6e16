//! Programs with effects: the interpreter goes through what has effects, in order, and what has
//! none is compiled in between.
//!
//! ```text
//! let keys = {rand(i) : i in [0:n]};        compiled
//!     said = print_line("sorting")          interpreted
//! in time(sort(keys))                       clock; sort(keys) compiled, on the columns of keys
//! ```
//!
//! A [part](super::parts) is an entry whose parameters are the names that are free in it.  It is
//! compiled when it turns out to be large: the interpreter begins it, as with
//! [small forms](super::small).  What `time` measures is always compiled, and compiled before it is
//! measured: the time is that of the compiled code.

use super::compiled::{Compiled, Ready};
use super::launch::Arguments;
use super::message::{diagnostic, no_room_for};
use super::names::shape_of;
use super::parts::{Part, Parts, address};
use super::small::WORK;
use crate::border;
use crate::trace::EventKind;
use base::{Diagnostic, IdMap, Kind};
use compile::Text;
use device::Device;
use interp::helper::{Helped, Helper, Place, Way};
use lower::{Entry, Forms, Free};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use types::Type;
use types::tree::{DefinitionKind, Form, FormKind, Global, Local, LocalInfo, Program};
use value::interrupt::interrupted;
use value::shape::substitute;
use value::{Shape, Value};

/// The helper of the interpreter in one evaluation.
pub(super) struct Spine<'e, D: Device> {
    engine: &'e mut Compiled<D>,
    form: Option<&'e Form>,
    parts: Parts,
    states: FxHashMap<Key, State<D>>,
    /// The part that was asked about last.
    asked: Option<Key>,
    /// Why a part could not be compiled, of the first one.
    pub(super) refused: Option<Diagnostic>,
}

/// What distinguishes a part at some types, with functions that are known.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    exp: usize,
    types: Vec<Type>,
    origin: u32,
    functions: Vec<(Local, Global, Vec<Type>)>,
}

/// What has become of a part.
enum State<D: Device> {
    /// It has been interpreted, at this cost so far.
    Interpreted(u64),
    /// It is compiled.
    Ready(Arc<Ready<D>>),
    /// It cannot be compiled.
    Refused,
}

impl<'e, D: Device<Text: Text>> Spine<'e, D> {
    /// The helper for a form, or for a call from outside.
    pub(super) fn new(engine: &'e mut Compiled<D>, form: Option<&'e Form>) -> Spine<'e, D> {
        let parts = Parts::new(&engine.sources, form);
        let states = FxHashMap::default();
        Spine { engine, form, parts, states, asked: None, refused: None }
    }

    /// The names bound in the definition around an expression.
    fn locals<'p>(
        &self,
        program: &'p Program,
        place: &Place<'_>,
    ) -> Option<&'p IdMap<Local, LocalInfo>>
    where
        'e: 'p,
    {
        match (place.function, self.form.map(|form| &form.kind)) {
            (Some(global), _) => match &program.globals[global].kind {
                DefinitionKind::Function(function) => Some(&function.locals),
                _ => None,
            },
            (None, Some(FormKind::Evaluate { locals, .. })) => {
                self.parts.is_own(place.exp).then_some(locals)
            }
            _ => None,
        }
    }

    /// The key of a part at a place; none if it uses functions there that are not known, or that
    /// have effects.
    fn key(&mut self, program: &Program, part: &Part, place: &Place<'_>) -> Option<Key> {
        self.locals(program, place)?;
        let shape = |ty: &Type| Shape::of(ty, place.types, &program.datas);
        if shape(&place.exp.ty).has_function() {
            return None;
        }
        let mut functions = Vec::new();
        for (local, ty) in &part.free {
            if !shape(ty).has_function() {
                continue;
            }
            let (global, types) = Place::function_of(place.get(*local))?;
            if self.parts.has_effect(program, global) {
                return None;
            }
            functions.push((*local, global, types));
        }
        let (exp, types) = (address(place.exp), place.types.to_vec());
        Some(Key { exp, types, origin: place.origin, functions })
    }

    /// Compiles a part.
    fn compile(
        &mut self,
        program: &Program,
        place: &Place<'_>,
        part: &Part,
        key: &Key,
    ) -> Result<Arc<Ready<D>>, Diagnostic> {
        let Some(locals) = self.locals(program, place) else {
            unreachable!("a part stands in a definition")
        };
        let free = part.free.iter().map(|(local, ty)| {
            let function = key.functions.iter().find(|function| function.0 == *local);
            let free = match function {
                Some((_, global, types)) => Free::Function(*global, types.clone()),
                None => Free::Value(substitute(ty, place.types)),
            };
            (*local, free)
        });
        let entry = lower::Part {
            exp: place.exp,
            locals,
            types: place.types.to_vec(),
            origin: place.origin,
            free: free.collect(),
        };
        self.engine.load_part(program, entry)
    }

    /// Runs a part that is compiled.
    fn run(
        &mut self,
        program: &Program,
        place: &Place<'_>,
        part: &Part,
        key: &Key,
    ) -> Result<(Value, Duration), Diagnostic> {
        let span = place.exp.span;
        let shape = |ty: &Type| Shape::of(ty, place.types, &program.datas);
        let engine = &mut *self.engine;
        let mut arguments = Vec::new();
        let values = part
            .free
            .iter()
            .filter(|(local, _)| key.functions.iter().all(|function| function.0 != *local));
        for (local, ty) in values {
            let columns = engine.mirror.columns(place.get(*local), &shape(ty), program.widths);
            let columns = columns.map_err(|error| {
                Diagnostic::at(Kind::Runtime(base::Site::Memory), span, error.to_string())
            })?;
            border::arguments(engine.device.get(), &columns, &mut arguments)
                .map_err(|error| no_room_for("this", error, span))?;
        }
        let Some(State::Ready(ready)) = self.states.remove(key) else {
            unreachable!("the part is compiled")
        };
        let others = std::mem::replace(&mut engine.arguments, arguments);
        let other = engine.ready.replace(ready);
        let runs = engine.report.runs.len();
        let done = engine.run(program, 0, Arguments::Kept, place.key);
        engine.arguments = others;
        let ready = std::mem::replace(&mut engine.ready, other);
        if let Some(ready) = ready {
            self.states.insert(key.clone(), State::Ready(ready));
        }
        let running: f64 = engine.report.runs.drain(runs..).sum();
        let columns = done.map_err(|error| diagnostic(error, span, program.widths))?;
        let value = columns.value(&shape(&place.exp.ty), 0);
        engine.mirror.note(&value, &columns);
        Ok((value, Duration::from_secs_f64(running)))
    }
}

impl<D> Helper for Spine<'_, D>
where
    D: Device<Text: Text, Module: Send + Sync, Buffer: Send> + Send,
{
    fn way(&mut self, program: &Program, place: &Place<'_>) -> Way {
        let Some(part) = self.parts.part(program, place.exp) else { return Way::Parts };
        let Some(key) = self.key(program, &part, place) else { return Way::Parts };
        let spent = match self.states.get(&key) {
            Some(State::Refused) => return Way::Parts,
            Some(State::Ready(_)) => WORK,
            Some(State::Interpreted(work)) => *work,
            None => 0,
        };
        self.asked = Some(key);
        // To nest a value takes about a step for each of its bytes.
        let columns = part.inputs.iter().filter_map(|global| self.engine.values.get(global));
        let nesting: u64 = columns.map(|columns| columns.size() as u64).sum();
        match WORK.checked_sub(spent.saturating_add(nesting)) {
            Some(work) if work > 0 && !place.measured => Way::Attempt(work),
            _ => Way::Helper,
        }
    }

    fn interpreted(&mut self, work: u64) {
        let Some(key) = self.asked.take() else { return };
        if let State::Interpreted(sum) = self.states.entry(key).or_insert(State::Interpreted(0)) {
            *sum = sum.saturating_add(work);
        }
    }

    fn evaluate(&mut self, program: &Program, place: &Place<'_>) -> Option<Helped> {
        let key = self.asked.take()?;
        let part: Arc<Part> = self.parts.part(program, place.exp)?;
        if !matches!(self.states.get(&key), Some(State::Ready(_))) {
            let state = match self.compile(program, place, &part, &key) {
                Ok(ready) => State::Ready(ready),
                Err(_) if self.engine.options.interrupt.is_raised() => {
                    let result = Err(interrupted(place.exp.span));
                    return Some(Helped { result, running: Duration::ZERO });
                }
                Err(why) => {
                    self.refused.get_or_insert(why);
                    self.states.insert(key, State::Refused);
                    return None;
                }
            };
            self.states.insert(key.clone(), state);
        }
        Some(match self.run(program, place, &part, &key) {
            Ok((value, running)) => Helped { result: Ok(value), running },
            Err(error) => Helped { result: Err(error), running: Duration::ZERO },
        })
    }

    fn value(&mut self, program: &Program, global: Global) -> Option<Value> {
        let columns = self.engine.values.get(&global)?;
        let value = columns.value(&shape_of(program, global), 0);
        self.engine.mirror.note(&value, columns);
        Some(value)
    }
}

impl<D: Device<Text: Text>> Compiled<D> {
    /// Compiles and loads a part of a form.
    fn load_part(
        &mut self,
        program: &Program,
        part: lower::Part<'_>,
    ) -> Result<Arc<Ready<D>>, Diagnostic> {
        let floats = self.floats()?;
        let span = part.exp.span;
        let start = Instant::now();
        let sources: Forms<'_> = self.sources.iter().map(|(&g, form)| (g, &**form)).collect();
        let lowered = lower::lower(program, &sources, &[Entry::Part(part)], floats);
        drop(sources);
        self.report.compile_seconds += start.elapsed().as_secs_f64();
        self.note(EventKind::Compile, "lower", start);
        let refused = || Diagnostic::at(Kind::Limit, span, "it cannot be compiled".to_owned());
        let lowered =
            lowered.map_err(|errors| errors.into_iter().next().unwrap_or_else(refused))?;
        let other = self.ready.take();
        let loaded = self.load(None, lowered, FxHashMap::default());
        let ready = std::mem::replace(&mut self.ready, other);
        loaded?;
        // A device that only wants the text runs nothing.
        ready.ok_or_else(refused)
    }
}
