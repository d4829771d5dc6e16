//! Descents as kernels: each block runs a group of lanes to its end, without the host.
//!
//! The steps that the host takes for all lanes each thread of the block takes for its lanes; a
//! launch is a call of the kernel's own function, in which the block does one tile after the other.
//! A check that fails, or memory that does not suffice, ends the block, which tells that it has
//! given up: then the host does it all in the usual way, and finds out what was wrong.

use super::kernel::{Alone, alone, called};
use super::text::{CudaDescent, Made, Size};
use crate::shared::facts::walk;
use crate::shared::stmt::{Body, Shared};
use crate::shared::{Uses, Writer, names, types};
use base::Id;
use kernel::KernelId;
use plan::descent::{Descent, Part};
use plan::{Arg, Block, Buffer, ParamKind, Place, Slot, Step};
use scalar::{Code, Func};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Bytes of shared memory for arrays: a block has 48 KB without being asked.
const SHARED: usize = 40 << 10;
/// Blocks that a multiprocessor should hold at once: they wait for memory most of the time.
const BLOCKS: u32 = 3;
/// Calls in each other after which a block gives up.
const DEEPEST: u32 = 1 << 14;

/// A descent's text, and the functions that it calls.
pub(super) struct Text {
    pub(super) text: String,
    /// Those that are functions in it.
    pub(super) kernels: Vec<KernelId>,
    pub(super) called: Vec<Func>,
    pub(super) descent: CudaDescent,
}

/// The kernel of a descent, if blocks can run it.
pub(super) fn definition(
    shared: &mut Shared<'_>,
    plan: &plan::Program,
    descent: &Descent,
    number: usize,
) -> Option<Text> {
    let function = &plan.funcs[descent.func];
    let mut kernels = BTreeMap::new();
    let mut roots = Vec::new();
    let mut possible = true;
    plan::routines::walk(&function.body, &mut |step| match step {
        Step::Launch { cluster, .. } => {
            let id = KernelId::new(cluster.index());
            roots.extend(called(&shared.program.kernels[id]));
            match alone(shared, id) {
                Some(kernel) => _ = kernels.insert(id, kernel),
                None => possible = false,
            }
        }
        Step::Eval { code, .. } => walk(&code.body, &mut |stmt| {
            if let scalar::Stmt::Call(call) = stmt {
                roots.push(call.func);
            }
        }),
        _ => {}
    });
    let threads = kernels.values().next()?.threads;
    let room = kernels.values().map(|kernel| kernel.shared).max()?;
    let recursive = |f: &Func| shared.facts.functions[*f].recursive;
    let deep = shared.facts.closure(&roots).iter().any(recursive);
    if !possible || deep || room > SHARED || kernels.values().any(|k| k.threads != threads) {
        return None;
    }
    let mut text = String::new();
    for kernel in kernels.values() {
        text.push_str(&kernel.text);
        text.push('\n');
    }
    // Steps of the host may make more than a block uses.
    text.push_str("#pragma nv_diag_suppress 177, 550\n\n");
    let name = format!("descent{number}");
    let mut steps = Steps {
        shared,
        plan,
        function,
        descent,
        kernels: &kernels,
        out: Writer::default(),
        cells: 0,
        kept: kept(&function.body),
        made: Made::default(),
    };
    steps.definition(&name);
    steps.weigh(&name);
    steps.part(&name);
    let made = steps.made;
    text.push_str(&steps.out.finish());
    let args = function.params.iter().map(|&param| match param {
        Place::Slot(slot) => (function.slots[slot], kernel::ArgKind::Scalar),
        Place::Buffer(buffer) => (function.buffers[buffer].ty, kernel::ArgKind::In),
    });
    let (args, room) = (args.collect(), room as u32);
    let all = 0..=descent.params.len();
    let weighed = all.clone().filter(|&n| is_weighed(descent, n)).collect();
    let own = all.filter(|&n| is_own(descent, n)).collect();
    let descent = CudaDescent { name, unit: 0, threads, shared: room, made, args, weighed, own };
    Some(Text { text, kernels: kernels.into_keys().collect(), called: roots, descent })
}

/// A name of the plan in code of the descent.
#[derive(Clone, Copy, PartialEq)]
struct Name(Place);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Place::Slot(slot) => slot.fmt(f),
            Place::Buffer(buffer) => buffer.fmt(f),
        }
    }
}

/// The steps of a descent.
struct Steps<'s, 'a, 'k> {
    shared: &'s mut Shared<'a>,
    plan: &'k plan::Program,
    function: &'k plan::Function,
    descent: &'k Descent,
    kernels: &'k BTreeMap<KernelId, Alone>,
    out: Writer,
    /// Scalars that launches have set so far.
    cells: usize,
    /// Buffers that the next call is given.
    kept: BTreeSet<Buffer>,
    /// How many were made so far.
    made: Made,
}

impl Steps<'_, '_, '_> {
    fn element(&self, buffer: Buffer) -> &'static str {
        types::element(self.shared.widths(), self.function.buffers[buffer].ty)
    }
    fn local(&self, slot: Slot) -> &'static str {
        self.shared.local(self.function.slots[slot])
    }
    fn arg(&self, arg: Arg) -> String {
        match arg {
            Arg::Slot(slot) => slot.to_string(),
            Arg::Const(c) => self.shared.constant(c, false),
            Arg::Buffer(buffer) => buffer.to_string(),
            Arg::Past(buffer, from) => format!("{buffer} + {from}"),
        }
    }
    /// Ends the block unless all is well.
    fn give_up(&mut self, unwell: &str) {
        self.out.open(format!("if ({unwell})"));
        self.out.line("failed = true;");
        self.out.line("break;");
        self.out.close("");
    }

    /// The kernel.
    fn definition(&mut self, name: &str) {
        let threads = self.kernels.values().next().map_or(0, |kernel| kernel.threads);
        let carried = self.kernels.values().map(|kernel| kernel.carried).max().unwrap_or(0);
        self.out.line(format!("/* ---- {name}: {} ---- */", names::comment(&self.function.name)));
        self.out.blank();
        let params = self.params(|_| true);
        let bounds = format!("__launch_bounds__({threads}, {BLOCKS})");
        let head = format!("{name}(const nesl_descent descent{params})");
        self.out.open(format!("extern \"C\" __global__ void {bounds} {head}"));
        self.out.line(format!("__shared__ nesl_word carry[{}];", carried.max(1)));
        self.out.line(format!("__shared__ nesl_word cells[{}];", self.count_cells().max(1)));
        self.out.line("__shared__ bool failed;");
        self.out.line("if (*descent.failed != 0) return;");
        self.out.line("if (threadIdx.x == 0) failed = false;");
        self.out.line("__syncthreads();");
        self.out.line("nesl_room room(descent);");
        let head = "for (int64_t group = blockIdx.x; group < descent.facts[0] && !failed; ";
        self.out.open(format!("{head}group += gridDim.x)"));
        self.out.line("const int64_t first = descent.cuts[group];");
        self.out.line("if (first == descent.cuts[group + 1]) continue;");
        self.lanes();
        self.out.open("for (int64_t depth = 0;; depth++)");
        self.out.line("__syncthreads();");
        self.out.line(format!("const bool stop = failed || depth == {DEEPEST};"));
        self.out.line("__syncthreads();");
        self.give_up("stop");
        self.out.line("room.turn(depth);");
        let body = &self.function.body;
        self.last(body);
        self.out.close("");
        self.out.line("__syncthreads();");
        self.out.close("");
        self.out.line("nesl_end(descent, failed);");
        self.out.close("");
    }
    /// How many scalars launches set.
    fn count_cells(&self) -> usize {
        let mut count = 0;
        plan::routines::walk(&self.function.body, &mut |step| {
            if let Step::Launch { cluster, .. } = step {
                let params = &self.plan.clusters[*cluster].params;
                count += params.iter().filter(|param| param.kind == ParamKind::Set).count();
            }
        });
        count
    }
    /// The parameters of the kernel.
    fn params(&self, wanted: impl Fn(usize) -> bool) -> String {
        let params = self.function.params.iter().enumerate().filter(|(n, _)| wanted(*n));
        params
            .map(|(n, &param)| match param {
                Place::Slot(slot) => format!(", const {} p{n}", self.local(slot)),
                Place::Buffer(buffer) => format!(", {} *p{n}", self.element(buffer)),
            })
            .collect()
    }
    /// What the lanes of a group are given.
    fn lanes(&mut self) {
        for (n, &param) in self.function.params.iter().enumerate() {
            let part = n.checked_sub(1).map(|n| self.descent.params[n]);
            let line = match (param, part) {
                (Place::Slot(slot), None) => {
                    let ty = self.local(slot);
                    format!("{ty} {slot} = ({ty})(descent.cuts[group + 1] - first);")
                }
                (Place::Slot(slot), Some(_)) => format!("{} {slot} = p{n};", self.local(slot)),
                (Place::Buffer(buffer), Some(Part::Own | Part::Length)) => {
                    format!("{} *{buffer} = p{n} + first;", self.element(buffer))
                }
                (Place::Buffer(buffer), _) => format!("{} *{buffer} = p{n};", self.element(buffer)),
            };
            self.out.line(line);
        }
    }

    /// The kernel that weighs lanes, which comes before.
    fn weigh(&mut self, name: &str) {
        let params = self.params(|n| is_weighed(self.descent, n));
        let mut weight = "1".to_owned();
        for n in (1..self.function.params.len()).filter(|&n| is_weighed(self.descent, n)) {
            weight = format!("nesl_heavier({weight}, p{n}[lane])");
        }
        self.out.blank();
        self.out.open(format!(
            "extern \"C\" __global__ void __launch_bounds__(1024) {name}_weigh(const nesl_descent \
             descent{params})"
        ));
        self.out.line("if (*descent.failed != 0) return;");
        let weigh = format!("[=](int64_t lane) -> int64_t {{ return {weight}; }}");
        self.out.line(format!("nesl_weigh(descent, p0, {weigh});"));
        self.out.close("");
    }

    /// The kernel that parts light lanes from heavy ones: of what each lane is given, where it is,
    /// and where it goes.
    fn part(&mut self, name: &str) {
        let own: Vec<usize> =
            (1..self.function.params.len()).filter(|&n| is_own(self.descent, n)).collect();
        let mut params = self.params(|n| n == 0);
        for &n in &own {
            let Place::Buffer(buffer) = self.function.params[n] else {
                unreachable!("each lane has its own in a vector")
            };
            let ty = self.element(buffer);
            params.push_str(&format!(", const {ty} *p{n}, {ty} *light{n}, {ty} *heavy{n}"));
        }
        self.out.blank();
        self.out.open(format!(
            "extern \"C\" __global__ void {name}_part(const nesl_descent descent{params})"
        ));
        self.out.line("if (*descent.failed != 0) return;");
        self.out.line("const int64_t lane = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;");
        self.out.line("if (lane >= p0) return;");
        self.out.line("const int64_t place = descent.places[lane];");
        for n in own {
            self.out.line(format!("nesl_deal(place, p{n}[lane], light{n}, heavy{n});"));
        }
        self.out.close("");
    }

    /// Steps up to the end of a call.
    fn last(&mut self, block: &Block) {
        for step in &block.steps {
            match step {
                Step::If { cond, then, els, .. } if ends(step) => {
                    self.out.open(format!("if ({})", self.arg(*cond)));
                    self.last(then);
                    self.out.between("else");
                    self.last(els);
                    self.out.close("");
                    return;
                }
                Step::Call { args, .. } => return self.again(args),
                step => self.step(step),
            }
        }
        self.out.line("break;");
    }
    /// The next call.
    fn again(&mut self, args: &[Arg]) {
        for (n, &arg) in args.iter().enumerate() {
            self.out.line(format!("const auto next{n} = {};", self.arg(arg)));
        }
        for (n, &param) in self.function.params.iter().enumerate() {
            self.out.line(format!("{} = next{n};", Name(param)));
        }
        self.out.line("continue;");
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Alloc { buffer, len, .. } | Step::Room { buffer, len, .. } => {
                let (ty, len) = (self.element(*buffer), self.arg(*len));
                let kept = self.kept.contains(buffer);
                let (count, take) = match kept {
                    true => (&mut self.made.kept, "keep"),
                    false => (&mut self.made.used, "use"),
                };
                *count += 1;
                self.out.line(format!("{ty} *const {buffer} = room.{take}<{ty}>({len});"));
                self.give_up("room.full");
            }
            Step::Copy { buffer, from, .. } | Step::Alias(buffer, from) => {
                self.out.line(format!("{} *const {buffer} = {from};", self.element(*buffer)));
            }
            Step::Eval { results, code } => self.eval(results, code),
            Step::Launch { cluster, args, .. } => {
                let params = args.iter().zip(&self.plan.clusters[*cluster].params);
                let params: Vec<(Arg, ParamKind)> = params.map(|(&a, p)| (a, p.kind)).collect();
                self.launch(KernelId::new(cluster.index()), &params);
            }
            Step::If { results, cond, then, els } => {
                for place in results {
                    if let Place::Slot(slot) = place {
                        self.out.line(format!("{} {slot};", self.local(*slot)));
                    }
                }
                self.out.open(format!("if ({})", self.arg(*cond)));
                self.arm(results, then);
                self.out.between("else");
                self.arm(results, els);
                self.out.close("");
            }
            Step::Free(_) => {}
            Step::Literal(..)
            | Step::Zero { .. }
            | Step::Behind { .. }
            | Step::Grow { .. }
            | Step::Call { .. }
            | Step::Fail { .. } => {
                unreachable!("a descent has no such step")
            }
        }
    }
    fn arm(&mut self, results: &[Place], block: &Block) {
        block.steps.iter().for_each(|step| self.step(step));
        for (place, &value) in results.iter().zip(&block.yields) {
            self.out.line(format!("{} = {};", Name(*place), self.arg(value)));
        }
    }

    fn launch(&mut self, id: KernelId, args: &[(Arg, ParamKind)]) {
        let kernel = &self.kernels[&id];
        let tiles = kernel.tiles.spelt(|size| match size {
            Size::Const(n) => n.to_string(),
            Size::Arg(arg) => self.arg(args[arg.index()].0),
        });
        let row = kernel.row;
        let mut actuals = vec!["run".to_owned()];
        let mut set = Vec::new();
        for &(arg, kind) in args {
            actuals.push(match (kind, arg) {
                (ParamKind::Set, Arg::Slot(slot)) => {
                    let ty = types::element(self.shared.widths(), self.function.slots[slot]);
                    let cell = format!("({ty} *)&cells[{}]", self.cells);
                    self.cells += 1;
                    set.push(format!("const {} {slot} = *{cell};", self.local(slot)));
                    cell
                }
                (_, arg) => self.arg(arg),
            });
        }
        self.out.open("");
        self.out.line(format!("const int64_t tiles = {tiles};"));
        let rows = if row == 0 {
            "nullptr"
        } else {
            self.out.line("const uint32_t spent = room.spent;");
            self.out.line(format!("nesl_word *const rows = room.use<nesl_word>(tiles * {row});"));
            self.give_up("room.full");
            "rows"
        };
        self.out.line(format!("const nesl_alone run = {{tiles, {rows}, carry, &failed}};"));
        self.out.line(format!("{}({});", names::kernel(id), actuals.join(", ")));
        if row != 0 {
            self.out.line("room.spent = spent;");
        }
        self.out.close("");
        self.out.line("__syncthreads();");
        set.into_iter().for_each(|line| self.out.line(line));
    }
    fn eval(&mut self, results: &[Slot], code: &Code<Place>) {
        let code: Code<Name> = code.map_refs(Name);
        let facts = self.shared.facts;
        let mut state = false;
        walk(&code.body, &mut |stmt| {
            state |= facts.stmt_fails(stmt, &code.vars);
            state |= matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
        });
        for &slot in results {
            self.out.line(format!("{} {slot};", self.local(slot)));
        }
        self.out.open("");
        if state {
            self.out.line("nesl_state own = NESL_STATE(run);");
            self.out.line("nesl_state *const state = &own;");
        }
        let uses = Uses::of_code(&code);
        let mut body =
            Body::of_code(&mut *self.shared, self.out.inside(), (&code.vars, &uses), state);
        body.stmts(&code.body);
        let values: Vec<String> = code.body.yields.iter().map(|&value| body.text(value)).collect();
        let inner = body.out;
        self.out.append(&inner);
        for (slot, value) in results.iter().zip(values) {
            self.out.line(format!("{slot} = {value};"));
        }
        if state {
            self.give_up("own.fault");
        }
        self.out.close("");
    }
}

/// The buffers that a call hands to the next, under whatever name.
fn kept(body: &Block) -> BTreeSet<Buffer> {
    let mut kept = BTreeSet::new();
    loop {
        let count = kept.len();
        plan::routines::walk(body, &mut |step| match step {
            Step::Call { args, .. } => kept.extend(args.iter().filter_map(|arg| arg.buffer())),
            Step::Copy { buffer, from, .. } | Step::Alias(buffer, from)
                if kept.contains(buffer) =>
            {
                kept.insert(*from);
            }
            Step::If { results, then, els, .. } => {
                for arm in [then, els] {
                    let given = results.iter().zip(&arm.yields);
                    kept.extend(
                        given
                            .filter_map(|(place, value)| {
                                place.buffer().filter(|buffer| kept.contains(buffer))?;
                                value.buffer()
                            })
                            .collect::<Vec<_>>(),
                    );
                }
            }
            _ => {}
        });
        if kept.len() == count {
            return kept;
        }
    }
}

/// Whether lanes cannot be weighed without a parameter: their number, and lengths.
fn is_weighed(descent: &Descent, param: usize) -> bool {
    param.checked_sub(1).is_none_or(|n| descent.params[n] == Part::Length)
}

/// Whether each lane has its own of a parameter.
fn is_own(descent: &Descent, param: usize) -> bool {
    let part = param.checked_sub(1).map(|n| descent.params[n]);
    matches!(part, Some(Part::Own | Part::Length))
}

/// Whether a step ends with the next call, or without one: then what it gives is given on.
fn ends(step: &Step) -> bool {
    let mut found = false;
    if let Step::If { results, then, els, .. } = step {
        found = results.iter().any(|place| matches!(place, Place::Buffer(_)));
        for arm in [then, els] {
            plan::routines::walk(arm, &mut |step| found |= matches!(step, Step::Call { .. }));
        }
    }
    found
}
