//! The printer of header-free CUDA C++ for NVIDIA GPUs.
//!
//! Kernels are in the thread form.  The run time that becomes part of every program is in
//! `rts/*.cuh`: what a launch hands over, collectives of a block, and, shared with C, the
//! operations of NESL's scalars.  The text is the same for the normal build and for diagnosis
//! (`-DNESL_DIAGNOSE`).

mod descent;
pub(crate) mod kernel;
mod loops;
pub mod sort;
mod streams;
mod text;
mod tiles;

pub use text::{CudaDescent, CudaKernel, CudaText, Made, Size, TileCount, Work};

use crate::shared::units::{MANY, Piece, needs_decimal, split, widths};
use crate::shared::{Facts, Sites, alike, function, stmt};
use ::kernel::{Kernel, KernelId, Program};
use base::{Files, Id, IdMap};
use scalar::Func;
use std::collections::BTreeMap;

/// What a user may choose about the text.
#[derive(Clone, Copy, Default)]
pub struct CudaOptions<'a> {
    /// At most how many translation units; at least one is made.
    pub units: usize,
    /// Source texts, whose lines then appear as comments.
    pub files: Option<&'a Files>,
    /// The plan that the kernels are of: no kernel is printed that it cannot come to launch.
    pub plan: Option<&'a plan::Program>,
}

/// Kernels smaller than this in sum are not worth a translation unit of their own.
const SMALL: usize = 3000;

/// A kernel longer than this is a translation unit of its own.  NVRTC takes 0.7 s for 8,000 bytes,
/// and 6 to 9 s for 30,000; no example has one of more than 12,000.
const LONG: usize = 14_000;

/// Prints a program as CUDA C++.
pub fn cuda(program: &Program, options: &CudaOptions<'_>) -> CudaText {
    let facts = Facts::new(program);
    let mut shared = stmt::Shared {
        program,
        facts: &facts,
        files: options.files,
        count: false,
        sites: Sites::default(),
        wraps: false,
        linkage: "extern \"C\" ",
    };
    let functions: IdMap<Func, Piece> = program
        .scalars
        .ids()
        .map(|id| Piece {
            declaration: function::declaration(&shared, id),
            text: function::definition(&mut shared, id),
        })
        .collect();
    let launched = options.plan.map(plan::routines::host_clusters);
    let can_run = |id: KernelId| launched.as_ref().is_none_or(|l| l.contains(&Id::new(id.index())));
    let mut texts: BTreeMap<KernelId, String> = BTreeMap::new();
    let mut kernels = IdMap::new();
    for id in program.kernels.ids() {
        let (text, kernel) = kernel::definition(&mut shared, id);
        if let Some(text) = text.filter(|_| can_run(id)) {
            texts.insert(id, text);
        }
        kernels.push(kernel);
    }
    let code = alike::unite(&mut texts);
    let (mut units, mut unit_of) = (Vec::new(), BTreeMap::new());
    let sizes: BTreeMap<KernelId, usize> =
        texts.iter().map(|(&id, text)| (id, cost(text))).collect();
    let (long, short): (BTreeMap<_, _>, BTreeMap<_, _>) =
        sizes.into_iter().partition(|(id, _)| texts[id].len() > LONG);
    let long_units = long.len();
    let alone = long.into_keys().map(|id| vec![id]);
    for ids in alone.chain(split(&short, options.units.max(1), SMALL, 0)) {
        unit_of.extend(ids.iter().map(|&id| (id, units.len())));
        let bodies: Vec<&Kernel> = ids.iter().map(|&id| &program.kernels[id]).collect();
        let own: Vec<&str> = ids.iter().map(|id| texts[id].as_str()).collect();
        units.push(unit_text(program, &facts, &functions, (&bodies, &[]), &own));
    }
    let hurried = 0..if code.len() > MANY { units.len() } else { long_units };
    for (id, printed) in code.iter() {
        if let Work::Tiles { unit, .. } = &mut kernels[id].work {
            *unit = unit_of[&printed];
        }
    }
    let plan = options.plan.into_iter();
    let found =
        plan.flat_map(|plan| ::plan::descent::descents(plan).into_iter().map(move |d| (plan, d)));
    let mut descents = Vec::new();
    for (number, (plan, descent)) in found.enumerate() {
        let text = descent::definition(&mut shared, plan, &descent, number);
        descents.push(text.map(|text| {
            let own = [DESCENT, text.text.as_str()];
            let bodies: Vec<&Kernel> =
                text.kernels.iter().map(|&id| &program.kernels[id]).collect();
            units.push(unit_text(program, &facts, &functions, (&bodies, &text.called), &own));
            CudaDescent { unit: units.len() - 1, ..text.descent }
        }));
    }
    CudaText {
        widths: program.widths,
        units,
        hurried: hurried.collect(),
        kernels,
        code,
        sites: shared.sites.finish(),
        descents,
    }
}

/// What descents need.
const DESCENT: &str = concat!(
    "#pragma nv_diag_suppress 177\n\n",
    include_str!("rts/descent.cuh"),
    "#pragma nv_diag_default 177\n",
    "\n/* Shared memory, which kernels use one after the other. */\n",
    "extern __shared__ __align__(16) uint8_t nesl_shared[];\n",
);

/// What a kernel takes to compile, in bytes of plain text.
fn cost(text: &str) -> usize {
    // Fitted to the kernels of a large program: NVRTC needs 63 ms for 1000 bytes, and 61 for each
    // chain that restarts, which is named twice.
    let restarting = text.matches("nesl_restarting<").count() / 2;
    text.len() + 1000 * restarting
}

fn unit_text(
    program: &Program,
    facts: &Facts,
    functions: &IdMap<Func, Piece>,
    (bodies, called): (&[&Kernel], &[Func]),
    own: &[&str],
) -> String {
    let mut roots: Vec<Func> = bodies.iter().flat_map(|k| kernel::called(k)).collect();
    roots.extend(called);
    let used = facts.closure(&roots);
    let mut text = String::from("/* Kernels of a NESL program. */\n\n");
    if own.first() == Some(&DESCENT) {
        // Whoever looks for a failure does without descents.
        text.push_str("#undef NESL_DIAGNOSE\n\n");
    }
    let mut parts = vec![
        include_str!("rts/types.cuh"),
        include_str!("rts/run.cuh"),
        include_str!("rts/faults.cuh"),
        include_str!("rts/block.cuh"),
        include_str!("rts/chain.cuh"),
        include_str!("../shared/rts/math.h"),
        include_str!("../shared/rts/elementary.h"),
    ];
    if needs_decimal(program, &used, bodies) {
        parts.push(include_str!("../shared/rts/decimal.h"));
    }
    text.push_str(&widths(program));
    for part in parts {
        text.push_str(part);
        text.push('\n');
    }
    // From here on, what nobody uses should not be there.
    text.push_str("#pragma nv_diag_default 177\n\n");
    for &id in &used {
        text.push_str(&functions[id].declaration);
    }
    let definitions = used.iter().map(|&id| functions[id].text.as_str());
    for piece in definitions.chain(own.iter().copied()) {
        text.push('\n');
        text.push_str(piece);
    }
    text
}
