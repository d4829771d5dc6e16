//! Calls of lifted functions: all lanes at once, or lane by lane.
//!
//! All at once is a launch for each step of the function: right while lanes are few and long.  Lane
//! by lane is one launch in which each unit runs the function of the root for one lane after the
//! other, and one that brings the results together: right when lanes are many, or all is small.

use crate::frame::Passed;
use crate::machine::{Machine, Result, RunError};
use crate::trace::Launched;
use base::{Id, Span};
use device::{Argument, Device};
use plan::{Arg, Func, Lanes, Place, Routine};
use prim::layout::levels;
use prim::{Const, Role, Ty, Widths};
use value::Column;

/// Lanes for each unit of the machine from which on they run one by one.
const LANES_PER_UNIT: usize = 4;
/// Units for each lane up to which that is so where units leave calls to others: those without a
/// lane soon have one.
const UNITS_PER_LANE: usize = 4;
/// How many times an equal share of a unit the longest lane may be: all at once costs several times
/// as much for each element.
const SHARES: usize = 2;

/// So many lanes run in an order of their own.
const FEW: usize = 4096;

/// When lifted functions run lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LanePolicy {
    /// When that is likely to be faster.
    #[default]
    Auto,
    /// Whenever that is possible.
    Always,
    /// Never.
    Never,
}

impl<D: Device> Machine<'_, D> {
    /// Whether a call runs lane by lane, and then which routine on how many units.
    pub(crate) fn routine(&self, func: Func, args: &[Passed<D::Buffer>]) -> Option<LaneByLane> {
        let &routine = self.facts.routines.get(&func)?;
        let lanes = usize::try_from(int(args.first()?)).ok().filter(|&lanes| lanes > 0)?;
        let functions = self.program.routines[routine];
        let lens = || self.lengths(functions, args, lanes);
        let width = self.width(lanes, self.sharing(functions.root), lens)?;
        Some(LaneByLane { routine, width, spends: lanes == 1 && self.spends(routine, &args[1..]) })
    }

    /// The routine as whose only lane a call of a function of the root runs, if it does, on how
    /// many units, and what it is given there.
    pub(crate) fn only_lane(
        &self,
        func: Func,
        args: &[Passed<D::Buffer>],
    ) -> Result<Option<OnlyLane<D::Buffer>>> {
        let Some(&(routine, ref lens)) = self.facts.offered.get(&func) else { return Ok(None) };
        let total = lens.iter().map(|&n| int(&args[n])).fold(0, i64::saturating_add);
        let lens = || Some(Lengths { total, longest: total });
        let Some(width) = self.width(1, self.sharing(func), lens) else { return Ok(None) };
        let spends = self.spends(routine, args);
        let functions = self.program.routines[routine];
        let params = &self.program.funcs[functions.root].params;
        let each = plan::routines::per_lane(self.program, functions);
        let mut given = vec![Passed::Scalar(Const::I64(1))];
        for ((&param, arg), each) in params.iter().zip(args).zip(each) {
            given.push(match (param, arg) {
                (Place::Slot(slot), Passed::Scalar(value)) if each => {
                    let ty = self.program.funcs[functions.root].slots[slot];
                    Passed::Buffer(self.constants(&[*value], ty)?)
                }
                _ => arg.clone(),
            });
        }
        Ok(Some((LaneByLane { routine, width, spends }, given)))
    }

    /// Whether a lane with these arguments, if it is alone, may overwrite its sequence: nobody else
    /// refers to it.
    fn spends(&self, routine: Routine, args: &[Passed<D::Buffer>]) -> bool {
        let sequence = self.facts.overwritten.get(&routine).map(|&n| &args[n]);
        let alone = |memory| self.lends && !self.device.is_shared(memory);
        matches!(sequence, Some(Passed::Buffer(memory)) if alone(memory))
    }

    /// What units share of a lane.
    fn sharing(&self, root: Func) -> Sharing {
        if self.facts.parted.contains(&root) {
            Sharing::All
        } else if self.facts.offered.contains_key(&root) {
            Sharing::Calls
        } else {
            Sharing::Nothing
        }
    }

    /// On how many units lanes run one by one, if they do.
    fn width(
        &self,
        lanes: usize,
        sharing: Sharing,
        lens: impl FnOnce() -> Option<Lengths>,
    ) -> Option<usize> {
        let units = self.device.units();
        match self.policy {
            LanePolicy::Never => None,
            LanePolicy::Always => Some(units),
            LanePolicy::Auto => {
                let lens = lens()?;
                let work = lens.total.saturating_add(lanes as i64);
                let (enough, shares) = match sharing {
                    // Units without a lane have something to do from the beginning, or soon.
                    Sharing::All => (1, units),
                    Sharing::Calls => (units.div_ceil(UNITS_PER_LANE), SHARES * UNITS_PER_LANE),
                    Sharing::Nothing => (LANES_PER_UNIT * units, SHARES),
                };
                let share = work.saturating_mul(shares as i64) / units as i64;
                let many = lanes >= enough && lens.longest <= share;
                let small = work < crate::machine::ALONE;
                if small { Some(1) } else { many.then_some(units) }
            }
        }
    }

    /// How long the sequences are that the lanes are given.
    fn lengths(&self, routine: Lanes, args: &[Passed<D::Buffer>], lanes: usize) -> Option<Lengths> {
        let mut sums = Lengths { total: 0, longest: 0 };
        self.for_each_length(routine, args, lanes, &mut |_, len| {
            sums.total = sums.total.saturating_add(len);
            sums.longest = sums.longest.max(len);
        })?;
        Some(sums)
    }

    /// The lengths of the sequences that each lane is given.
    fn for_each_length(
        &self,
        routine: Lanes,
        args: &[Passed<D::Buffer>],
        lanes: usize,
        visit: &mut dyn FnMut(usize, i64),
    ) -> Option<()> {
        let signature = self.program.funcs[routine.root].signature.as_ref()?;
        for (component, arg) in signature.params.iter().zip(&args[1..]) {
            let (Role::Len(_), 0, Passed::Buffer(memory)) = (component.role, component.level, arg)
            else {
                continue;
            };
            let host = self.device.download(memory).ok()?;
            let lens = Column::shared(Ty::I64, self.program.widths, host, lanes);
            for (lane, &len) in lens.ints().iter().enumerate() {
                visit(lane, len);
            }
        }
        Some(())
    }

    /// Calls a lifted function lane by lane.
    pub(crate) fn call_lanes(
        &mut self,
        LaneByLane { routine, width, spends }: LaneByLane,
        args: &[Passed<D::Buffer>],
        span: Span,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        let functions = self.program.routines[routine];
        let [run, gather] = plan::routines::kernels(self.program, routine);
        let lifted = &self.program.funcs[functions.lifted];
        let signature = self.program.funcs[functions.root].signature.as_ref();
        let layout = &signature.unwrap_or_else(|| unreachable!("{routine} has no layout")).results;
        let (lanes, levels) = (int(&args[0]), levels(layout));
        // What the root does not take follows from the rest.
        let args = &args[..=self.program.funcs[functions.root].params.len()];
        // A word for each component, and two for each level (see `emit::c::routine`).
        let words = layout.len() + 2 * (levels - 1);
        let count = usize::try_from(lanes).unwrap_or(0);
        let rows = self.words(count.saturating_mul(words), span)?;
        let totals = self.words(levels, span)?;
        let order = self.order(functions, args, count);
        let order = order.map(|order| self.upload(&order, span)).transpose()?;
        let mut bound: Vec<Argument<'_, D::Buffer>> = args.iter().map(argument).collect();
        bound.extend([Argument::Buffer(&rows), Argument::Buffer(&totals)]);
        bound.push(Argument::Scalar(Const::Bool(order.is_some())));
        bound.push(Argument::Buffer(order.as_ref().unwrap_or(&totals)));
        bound.push(Argument::Scalar(Const::Bool(spends)));
        let before = self.device.touched();
        let began = self.moment();
        let mut seconds = self.launch_routine(run, &bound, width)?;
        self.device.wait()?;
        let total = |n: usize| {
            let value = crate::frame::element(self.device, &totals, Widths::WIDE, Ty::I64, n);
            value.map_or(0, |c| usize::try_from(c.int()).unwrap_or(0))
        };
        let touched = total(levels - 1);
        let into = signature.iter().flat_map(|s| &s.params).zip(&args[1..]);
        let mut into = into.filter(|(c, _)| c.role == Role::Into).map(|(_, arg)| arg);
        let mut results = Vec::with_capacity(layout.len());
        for (component, &result) in layout.iter().zip(&lifted.body.yields) {
            if component.role == Role::Into {
                // The lanes have written to it.
                let Some(Passed::Buffer(memory)) = into.next() else {
                    unreachable!("each such result is a parameter")
                };
                results.push(memory.clone());
                continue;
            }
            let Arg::Buffer(buffer) = result else { unreachable!("lanes give vectors") };
            let len = if component.level == 0 { count } else { total(component.level - 1) };
            results.push(self.room(len, lifted.buffers[buffer].ty, span)?);
        }
        let mut bound = vec![Argument::Scalar(Const::I64(lanes)), Argument::Buffer(&rows)];
        bound.extend(results.iter().map(Argument::Buffer));
        if layout.iter().any(|component| component.role != Role::Into) {
            seconds += self.launch_routine(gather, &bound, width)?;
        }
        let touched = if self.count { self.device.touched() - before } else { touched as u64 };
        let name = format!("{} lane by lane", lifted.name);
        if let (Some(trace), Some(began)) = (&mut self.trace, began) {
            let bytes = bound.iter().map(|argument| match argument {
                Argument::Buffer(buffer) => self.device.size(buffer) as u64,
                Argument::Scalar(_) | Argument::Past(..) => 0,
            });
            let (kernel, lanes, bytes) = (run, count as u64, bytes.sum());
            let spans = &[span];
            trace.launched(Launched { kernel, name: &name, spans, lanes, bytes, began });
        }
        let row = self.row(run, (&name, &[span]), lanes);
        row.elements_touched += touched;
        row.seconds += seconds;
        self.stats.elements_touched += touched;
        Ok(results.into_iter().map(Passed::Buffer).collect())
    }

    /// Few lanes run from the longest to the shortest, so that units end at about the same time.
    fn order(&self, routine: Lanes, args: &[Passed<D::Buffer>], lanes: usize) -> Option<Vec<i64>> {
        if lanes > FEW {
            return None;
        }
        let mut weights = vec![0_i64; lanes];
        self.for_each_length(routine, args, lanes, &mut |lane, len| {
            weights[lane] = weights[lane].saturating_add(len);
        })?;
        let mut order: Vec<i64> = (0..lanes as i64).collect();
        order.sort_by_key(|&lane| std::cmp::Reverse(weights[lane as usize]));
        Some(order)
    }

    fn upload(&self, ints: &[i64], span: Span) -> Result<D::Buffer> {
        let bytes: Vec<u8> = ints.iter().flat_map(|int| int.to_le_bytes()).collect();
        let no_room = |asked| device::OutOfMemory { asked, used: 0, cap: 0 };
        let memory = value::Buffer::copy_of(&bytes)
            .map_err(|error| no_room(error.bytes))
            .and_then(|host| self.device.upload(&std::sync::Arc::new(host)));
        memory.map_err(|error| RunError::Memory { error, span })
    }

    /// Memory for words of the run time, which have 64 bits whatever ints have.
    fn words(&self, count: usize, span: Span) -> Result<D::Buffer> {
        let memory = self.device.allocate(count.saturating_mul(size_of::<u64>()));
        memory.map_err(|error| RunError::Memory { error, span })
    }

    fn room(&self, len: usize, ty: Ty, span: Span) -> Result<D::Buffer> {
        self.counted(len, span)?;
        let memory = self.device.allocate(len.saturating_mul(self.size(ty)));
        memory.map_err(|error| RunError::Memory { error, span })
    }

    /// Launches one of the kernels of a routine; gives the seconds that it took, if that is wanted.
    fn launch_routine(
        &mut self,
        kernel: usize,
        args: &[Argument<'_, D::Buffer>],
        width: usize,
    ) -> Result<f64> {
        let id = Id::new(kernel);
        let start = self.clock.map(|c| c());
        #[expect(unsafe_code, reason = "the arguments are those that the layout lists")]
        // SAFETY: rows, totals and results are as long as the layout says; the rest is as the plan
        // passes it to the lifted function.
        let done = unsafe { self.device.launch(self.module, id, args, width) };
        done?;
        Ok(start.and_then(|s| self.clock.map(|c| c() - s)).unwrap_or(0.0))
    }
}

/// How lanes run one by one.
#[derive(Clone, Copy)]
pub(crate) struct LaneByLane {
    routine: Routine,
    /// On how many units.
    width: usize,
    /// Whether the only lane overwrites its sequence.
    spends: bool,
}

/// A call of the root as the only lane of a routine, and what it is given there.
pub(crate) type OnlyLane<B> = (LaneByLane, Vec<Passed<B>>);

/// What units without a lane do of those of others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Nothing,
    /// They run calls.
    Calls,
    /// They run calls, and help with partitions.
    All,
}

struct Lengths {
    total: i64,
    longest: i64,
}

pub(crate) fn int<B>(passed: &Passed<B>) -> i64 {
    match passed {
        Passed::Scalar(c) => c.int(),
        Passed::Buffer(_) | Passed::Offsets(..) => unreachable!("a number of lanes is a scalar"),
    }
}

pub(crate) fn argument<B>(passed: &Passed<B>) -> Argument<'_, B> {
    match passed {
        Passed::Scalar(c) => Argument::Scalar(*c),
        Passed::Buffer(b) | Passed::Offsets(b, _) => Argument::Buffer(b),
    }
}
