//! Libraries in CUDA C++: one file that `nvcc` takes.
//!
//! Kernels stand in the namespace `normal`, those that can fail in `diagnosis` as well, and scalar
//! functions that the host calls in `here`: the text includes itself for that.

use super::c::{described, launched, memory, scalar_functions, single_blanks};
use super::entry::Call;
use super::manifest::manifest;
use super::prune::prune;
use super::steps::Host;
use super::target::{Machine, Target};
use super::{Functions, HEADING, Library, Standalone, example, functions, header, sites, sources};
use crate::cuda::{Work, kernel};
use crate::shared::stmt::Shared;
use crate::shared::{Facts, Sites, names};
use ::kernel::KernelId;
use base::IdMap;
use std::collections::{BTreeMap, BTreeSet};

const PRELUDE: &str = include_str!("rts/prelude.cuh");

/// The run time of kernels.
const KERNELS: [&str; 3] = [
    include_str!("../cuda/rts/run.cuh"),
    include_str!("../cuda/rts/block.cuh"),
    include_str!("../cuda/rts/chain.cuh"),
];

/// Operations that both sides have.
const BOTH: [&str; 3] = [
    include_str!("../shared/rts/math.h"),
    include_str!("../shared/rts/elementary.h"),
    include_str!("../shared/rts/decimal.h"),
];

/// The run time of the host, behind the tables.
const HOST: [&str; 3] =
    [include_str!("rts/failures.h"), include_str!("rts/host.cuh"), include_str!("rts/sort.cuh")];

const FAULTS: &str = include_str!("../cuda/rts/faults.cuh");
const HERE: &str = include_str!("rts/here.cuh");
const CHECKS: &str = include_str!("rts/checks.cuh");

/// What scalar functions are: of the GPU, and of the host.
const DEVICE: &str = "\
#define NESL_SCALAR static __device__ __forceinline__
#define NESL_FUNCTION static __device__ __noinline__
";
const SHARED: &str = "\
#undef NESL_SCALAR
#define NESL_SCALAR static __host__ __device__ __forceinline__
#undef NESL_FUNCTION
#define NESL_FUNCTION static __host__ __device__ __noinline__
";
const UNSHARED: &str = "\
#undef NESL_SCALAR
#define NESL_SCALAR static __device__ __forceinline__
#undef NESL_FUNCTION
#define NESL_FUNCTION static __device__ __noinline__
";

/// Prints a library as CUDA C++.
pub fn cuda(library: &Library<'_>) -> Standalone {
    let facts = Facts::new(library.kernels);
    let mut shared = Shared {
        program: library.kernels,
        facts: &facts,
        files: Some(library.files),
        count: false,
        sites: Sites::default(),
        wraps: false,
        linkage: "static ",
    };
    let (works, texts) = kernels(&mut shared, library);
    let fails = |id: &KernelId| matches!(works[*id], Work::Tiles { fails: true, .. });
    let failing: BTreeSet<KernelId> = texts.keys().copied().filter(fails).collect();
    let target = Target { machine: Machine::Gpu(works), sources: sources::sources(library) };
    let calls = Call::all(library);
    let mut host = Host {
        shared: &mut shared,
        plan: library.plan,
        target: &target,
        recursive: BTreeSet::new(),
    };
    let functions = functions(&mut host, &calls);
    let recursive = !host.recursive.is_empty();
    let here = facts.closure(&functions.calls);
    let deep = recursive || here.iter().any(|&f| facts.functions[f].recursive);

    let roots = texts.keys().flat_map(|&id| kernel::called(&library.kernels.kernels[id]));
    let roots: Vec<scalar::Func> = roots.chain(functions.calls.iter().copied()).collect();
    let scalars = scalar_functions(&mut shared, &facts.closure(&roots));
    let (mut checked, mut others) = (String::new(), String::new());
    for (id, text) in &texts {
        let out = if failing.contains(id) { &mut checked } else { &mut others };
        *out += &format!("\n{}", described(&target, *id, text));
    }
    let parts = Parts {
        name: library.name,
        faults: prune(&given(), &[FAULTS], &format!("{scalars}{checked}{others}")),
        scalars,
        checked,
        others,
        own: own(library.name, &functions),
        diagnosed: !failing.is_empty(),
        here: !here.is_empty(),
    };
    let tables = sites::tables(library, &shared.sites.finish());
    let example = library.example.zip(calls.first());
    Standalone {
        source: parts.whole(library.source, &tables, deep),
        header: header::header(library, &calls, false),
        manifest: manifest(library, &calls, false),
        main: example.map(|(example, call)| example::main(library, call, example)),
    }
}

/// How each kernel is launched, and the texts of those that are.
fn kernels(
    shared: &mut Shared<'_>,
    library: &Library<'_>,
) -> (IdMap<KernelId, Work>, BTreeMap<KernelId, String>) {
    let launched = launched(library);
    let (mut works, mut texts) = (IdMap::new(), BTreeMap::new());
    for id in library.kernels.kernels.ids() {
        let (text, kernel) = kernel::definition(shared, id);
        works.push(kernel.work);
        if let Some(text) = text.filter(|_| launched.contains(&id)) {
            texts.insert(id, text);
        }
    }
    (works, texts)
}

/// The functions of the host.
fn own(name: &str, functions: &Functions) -> String {
    let Functions { declarations, text, .. } = functions;
    let message = format!("const char *{name}_message(void) {{ return nesl_said; }}");
    format!("{declarations}\n{text}\n{message}\n\n{}", memory(name))
}

/// What is defined before the run time.
fn given() -> String {
    format!("{PRELUDE}{DEVICE}")
}

/// What a text consists of.
struct Parts<'p> {
    name: &'p str,
    /// What checks of kernels use.
    faults: String,
    scalars: String,
    /// The kernels that can fail.
    checked: String,
    /// Those that cannot.
    others: String,
    /// The functions of the host.
    own: String,
    /// Whether there are kernels that can fail.
    diagnosed: bool,
    /// Whether the host calls scalar functions.
    here: bool,
}

impl Parts<'_> {
    /// All of it.
    fn whole(&self, source: &str, tables: &str, deep: bool) -> String {
        let Parts { name, faults, scalars, checked, others, own, .. } = self;
        let stack = if deep { include_str!("rts/stack.h") } else { include_str!("rts/flat.h") };
        let mut parts = vec![include_str!("rts/messages.h"), tables, stack];
        parts.extend(HOST);
        let host = prune(&given(), &parts, &format!("{own}{CHECKS}{HERE}"));
        let all = format!("{scalars}{checked}{others}{own}{faults}{host}");
        let kernels = prune(&given(), &KERNELS, &all);
        let both = prune(&given(), &BOTH, &format!("{all}{kernels}"));

        let mut text = format!("/* {}, by `nesl build`.\n *\n", names::comment(source));
        text += &format!(" * nvcc -O3 -fmad=false -c {name}.cu */\n");
        let again = self.diagnosed || self.here;
        if again {
            text += "#ifndef NESL_FORM\n";
        }
        text += &format!("\n{PRELUDE}\n");
        if host.contains("cub::") {
            text += "#include <cub/cub.cuh>\n";
        }
        text += &format!("#include \"{name}.h\"\n\n{DEVICE}\n");
        // The kernels' run time uses what both have, too.
        if !both.is_empty() {
            text += &format!("{SHARED}\n{both}\n{UNSHARED}\n");
        }
        text += &format!("{kernels}\n{host}");
        text += &self.forms();
        text += &format!("{HEADING}\n\nusing namespace here;\n\n{own}");
        if again {
            text += "\n#endif\n";
        }
        single_blanks(text)
    }

    /// All forms of kernels and scalar functions.
    fn forms(&self) -> String {
        let Parts { name, faults, scalars, checked, others, diagnosed, here, .. } = self;
        if !diagnosed && !here {
            let normal = format!("namespace normal {{\n\n{faults}\n{scalars}\n{others}\n}}\n\n");
            return format!("\n{normal}namespace here {{\n\n{HERE}\n}}\n\n{CHECKS}\n");
        }
        let again = "#undef NESL_REQUIRE\n#undef NESL_POSITIONS\n#undef NESL_STATE\n";
        let mut text =
            String::from("\n#define NESL_FORM normal\n#endif\n\nnamespace NESL_FORM {\n\n");
        if *here {
            text += &format!("#ifdef NESL_HERE\n\n{HERE}\n{CHECKS}\n#else\n\n{faults}\n#endif\n\n");
            text += &format!("{scalars}\n#ifndef NESL_HERE\n{checked}\n#endif\n\n}}\n\n");
        } else {
            text += &format!("{faults}\n{scalars}\n{checked}\n}}\n\n");
        }
        text += "#ifndef NESL_AGAIN\n#define NESL_AGAIN\n\n";
        if !others.is_empty() {
            text += &format!("namespace normal {{\n{others}\n}}\n\n");
        }
        text += "#undef NESL_FORM\n";
        if *diagnosed {
            text += "/* Once more, as kernels are run to find out which check failed. */\n";
            text += &format!("#define NESL_FORM diagnosis\n#define NESL_DIAGNOSE\n{again}");
            text += &format!("#include \"{name}.cu\"\n#undef NESL_FORM\n#undef NESL_DIAGNOSE\n\n");
        }
        if *here {
            text += "/* Once more, for the scalar functions that the host calls itself. */\n";
            text += "#undef NESL_SCALAR\n#define NESL_SCALAR static inline\n";
            text += "#undef NESL_FUNCTION\n#define NESL_FUNCTION static\n";
            text += &format!("#define NESL_FORM here\n#define NESL_HERE\n{again}");
            text += &format!("#include \"{name}.cu\"\n\n");
        } else {
            text += &format!("namespace here {{\n\n{HERE}\n}}\n\n{CHECKS}\n");
        }
        text
    }
}
