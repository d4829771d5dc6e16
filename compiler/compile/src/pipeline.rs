//! The pipeline: one list.
//!
//! Each pass has a name and a sentence; it is timed, its result can be dumped (`--dump flat` for a
//! station, `--dump after:pull_maps` for a pass) and is verified in debug builds and tests.

use crate::drawing::Drawings;
use crate::text::{Print, Text};
use base::print::Error;
use base::timing::Timings;
use fuse::Fusion;
use std::fmt::Write;

/// A pass: what it is called and what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pass {
    /// As in `--dump after:NAME`.
    pub name: &'static str,
    /// The station whose program it gives.
    pub station: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

const fn pass(name: &'static str, station: &'static str, doc: &'static str) -> Pass {
    Pass { name, station, doc }
}

/// All passes, in order.
pub const PASSES: &[Pass] = &[
    pass("lower", "nest", "Typed source to the monomorphic, first-order program."),
    pass("hoist_sequences", "nest", "What all lanes would find the same is found before them."),
    pass("flatten", "flat", "Nesting becomes data: lanes, spaces, descriptors."),
    pass("simplify_code", "flat", "Constants, common subexpressions, dead scalar code."),
    pass("remove_checks", "flat", "Checks that cannot fail are dropped, by what sizes are."),
    pass(
        "keep_segments",
        "flat",
        "Writes of a flattened sequence run where its elements are made.",
    ),
    pass("make_regular", "flat", "Segments of one length that the host knows need no offsets."),
    pass("single_elements", "flat", "Rows of one element each are lanes."),
    pass("equal_elements", "flat", "What a filter keeps because it equals something is that."),
    pass("pull_maps", "flat", "Cheap maps are computed by their readers."),
    pass("share_equal_statements", "flat", "Of equal descriptors and reductions one is made."),
    pass("own_positions", "flat", "Lanes know their position, and need not add it up."),
    pass("widen_reductions", "flat", "Segments that some lanes need are combined in all."),
    pass("remove_dead_statements", "flat", "What nobody uses and cannot fail is dropped."),
    pass("sink_into_arms", "flat", "What one arm needs is computed there."),
    pass("lift_out_of_arms", "flat", "What needs only the lanes of an arm comes out of it."),
    pass("finish_leaves", "flat", "Lanes of one element write it where others are filtered."),
    pass("hand_over_offsets", "flat", "Where lanes' data begin, who calls them finds out."),
    pass("fuse", "plan", "Host steps, and clusters of operations that run as one kernel."),
    pass("last", "plan", "Of several lanes that write to one place the last is found first."),
    pass("first", "plan", "Where the greatest element is, is found while looking for it."),
    pass("beside", "plan", "Parts of one vector are made side by side."),
    pass("part", "plan", "Clusters that threads cannot run side by side become several."),
    pass("totals", "plan", "Totals that the host of a GPU reads are set by launches."),
    pass("early", "plan", "Launches do not wait for what only later steps need."),
    pass("overwrite", "plan", "Results take the memory of inputs that are not used any more."),
    pass("share", "plan", "New buffers take the memory of dead ones of their size."),
    pass("numbers", "plan", "Clusters that differ in numbers alone are given them."),
    pass("schedule", "kernel", "Clusters become kernels: tiles, loops, collectives."),
    pass("emit", "text", "Kernels are printed as C, or as CUDA C++."),
];

/// Choices that change what is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How much is fused.
    pub fusion: Fusion,
    /// Whether cheap maps are pulled into their readers.
    pub pull: bool,
    /// Most translation units that the text is split into.
    pub units: usize,
    /// Whether kernels count the elements that they read and write.
    pub count: bool,
    /// Whether each station's program is verified.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fusion: Fusion::Optimal,
            pull: true,
            units: 2,
            count: false,
            verify: cfg!(debug_assertions),
        }
    }
}

/// What is to be shown of the stations on the way.
#[derive(Clone, Default, Debug)]
pub struct Dump {
    /// A station, `after:PASS`, or nothing.
    pub wanted: Option<String>,
    /// What was shown.
    pub text: String,
    /// Whether pictures are wanted.
    pub draw: bool,
    /// What there is to draw.
    pub drawings: Drawings,
}

impl Dump {
    /// Notes a program after a pass if it is wanted.
    pub fn note(&mut self, pass: &str, station: &str, show: impl FnOnce() -> String) {
        let Some(wanted) = &self.wanted else { return };
        if wanted.strip_prefix("after:").map_or(wanted == station, |name| name == pass) {
            // A station shows its last form: later passes replace earlier ones.
            self.text.clear();
            let _ = write!(self.text, "{}", show());
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled<T> {
    /// For the evaluator and for tests.
    pub flat: flat::Program,
    /// What the host does.
    pub plan: plan::Program,
    /// What the device does.
    pub kernels: kernel::Program,
    /// The device's text.
    pub text: T,
}

/// Runs all passes after `lower`.
pub fn compile<T: Text>(
    nest: &nest::Program,
    options: Options,
    files: Option<&base::Files>,
    timings: &mut Timings<'_>,
    dump: &mut Dump,
) -> Compiled<T> {
    let mut nest = nest.clone();
    timings.time("hoist_sequences", || nest::hoist::hoist_sequences(&mut nest));
    dump.note("hoist_sequences", "nest", || nest.to_string());
    verify("hoist_sequences", &nest, options, nest::verify, nest::print_with_errors);
    let mut flat = timings.time("flatten", || flatten::flatten(&nest));
    dump.note("flatten", "flat", || flat::shapes::show::show(&flat));
    verify("flatten", &flat, options, flat::verify_lengths, flat::print_with_errors);
    for (name, pass) in flat::passes::ALL {
        if name == "pull_maps" && !options.pull {
            continue;
        }
        timings.time(name, || flat::passes::run(name, pass, &mut flat));
        dump.note(name, "flat", || flat::shapes::show::show(&flat));
        verify(name, &flat, options, flat::verify, flat::print_with_errors);
    }
    if dump.draw {
        dump.drawings.partitions = fuse::explain(&flat, options.fusion);
    }
    let mut plan = timings.time("fuse", || fuse::fuse(&flat, options.fusion));
    dump.note("fuse", "plan", || plan.to_string());
    verify("fuse", &plan, options, plan::verify, plan::print_with_errors);
    for (name, pass) in schedule::PASSES {
        timings.time(name, || pass(&mut plan, &T::TARGET));
        dump.note(name, "plan", || plan.to_string());
        verify(name, &plan, options, plan::verify, plan::print_with_errors);
    }
    if dump.draw {
        dump.drawings.lifetimes = plan::lifetimes::lifetimes(&plan);
    }
    let kernels = timings.time("schedule", || schedule::schedule(&plan, &T::TARGET));
    dump.note("schedule", "kernel", || kernels.to_string());
    verify("schedule", &kernels, options, kernel::verify, kernel::print_with_errors);
    let print = Print { units: options.units, files, count: options.count };
    let text = timings.time("emit", || T::print(&kernels, &plan, &print));
    dump.note("emit", T::NAME, || text.show());
    Compiled { flat, plan, kernels, text }
}

/// Checks a program after a pass; broken rules are a bug of the pass.
fn verify<P>(
    pass: &str,
    program: &P,
    options: Options,
    check: impl FnOnce(&P) -> Result<(), Vec<Error>>,
    show: impl FnOnce(&P, &[Error]) -> String,
) {
    if !options.verify {
        return;
    }
    if let Err(errors) = check(program) {
        unreachable!("bug: after {pass} the program is wrong:\n{}", show(program, &errors));
    }
}
