//! Libraries in CUDA C++: one file that `nvcc` takes.
//!
//! Kernels stand in the namespace `normal`, those that can fail in `diagnosis` as well, and scalar
//! functions that the host calls in `here`: the text includes itself for that.

use super::c::described;
use super::entry::Call;
use super::prune::prune;
use super::steps::Host;
use super::target::{Machine, Target};
use super::{Library, Standalone, example, functions, header, sites, sources};
use crate::cuda::{Work, kernel};
use crate::shared::stmt::Shared;
use crate::shared::{Facts, Sites, Writer, function, names};
use ::kernel::KernelId;
use base::{Id, IdMap};
use std::collections::{BTreeMap, BTreeSet};

const PRELUDE: &str = include_str!("rts/prelude.cuh");

/// The run time of kernels.
const KERNELS: [&str; 2] =
    [include_str!("../cuda/rts/run.cuh"), include_str!("../cuda/rts/block.cuh")];

/// Operations that both sides have.
const BOTH: [&str; 2] =
    [include_str!("../shared/rts/math.h"), include_str!("../shared/rts/decimal.h")];

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
    let launched = plan::routines::host_clusters(library.plan);
    let ids: Vec<KernelId> = launched.iter().map(|id| KernelId::new(id.index())).collect();
    let mut texts: BTreeMap<KernelId, String> = BTreeMap::new();
    let mut works: IdMap<KernelId, Work> = IdMap::new();
    for id in library.kernels.kernels.ids() {
        let (text, kernel) = kernel::definition(&mut shared, id);
        works.push(kernel.work);
        if let Some(text) = text.filter(|_| ids.contains(&id)) {
            texts.insert(id, text);
        }
    }
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

    let mut roots: Vec<scalar::Func> =
        texts.keys().flat_map(|&id| kernel::called(&library.kernels.kernels[id])).collect();
    roots.extend(&functions.calls);
    let mut scalars = Writer::default();
    for &id in &facts.closure(&roots) {
        scalars.lines(&function::declaration(&shared, id));
    }
    for &id in &facts.closure(&roots) {
        scalars.blank();
        scalars.lines(&function::definition(&mut shared, id));
    }
    let (mut checked, mut others) = (Writer::default(), Writer::default());
    for (id, text) in &texts {
        let out = if failing.contains(id) { &mut checked } else { &mut others };
        out.lines(&format!("\n{}", described(&target, *id, text)));
    }
    let (scalars, checked, others) = (scalars.finish(), checked.finish(), others.finish());

    let name = library.name;
    let mut own = Writer::default();
    if !functions.declarations.is_empty() {
        own.lines(&functions.declarations);
        own.blank();
    }
    own.lines(&functions.text);
    own.line(format!("const char *{name}_message(void) {{ return nesl_said; }}"));
    own.blank();
    own.line(format!("void {name}_free(void *result) {{ free(result); }}"));
    let own = own.finish();

    let tables = sites::tables(library, &shared.sites.finish());
    let stack =
        if deep { include_str!("../host/rts/stack.h") } else { include_str!("../host/rts/flat.h") };
    let given = format!("{PRELUDE}{DEVICE}");
    let faults = prune(&given, &[FAULTS], &format!("{scalars}{checked}{others}"));
    let mut host_parts = vec![include_str!("rts/messages.h"), tables.as_str(), stack];
    host_parts.extend(HOST);
    let host_runtime = prune(&given, &host_parts, &format!("{own}{CHECKS}{HERE}"));
    let all = format!("{scalars}{checked}{others}{own}{faults}{host_runtime}");
    let kernel_runtime = prune(&given, &KERNELS, &all);
    let both = prune(&given, &BOTH, &format!("{all}{kernel_runtime}"));

    let source = names::comment(library.source);
    let mut text = format!("/* {source}, by `nesl build`.\n *\n");
    text += &format!(" * nvcc -O3 -fmad=false -c {name}.cu */\n");
    let again = !failing.is_empty() || !here.is_empty();
    if again {
        text += "#ifndef NESL_FORM\n";
    }
    text += &format!("\n{PRELUDE}\n");
    if host_runtime.contains("cub::") {
        text += "#include <cub/cub.cuh>\n";
    }
    text += &format!("#include \"{name}.h\"\n\n{DEVICE}\n");
    // The kernels' run time uses what both have, too.
    if !both.is_empty() {
        text += &format!("{SHARED}\n{both}\n{UNSHARED}\n");
    }
    text += &format!("{kernel_runtime}\n{host_runtime}");
    let parts = Parts { name, faults: &faults, scalars: &scalars, checked: &checked };
    text += &parts.print(&others, !failing.is_empty(), !here.is_empty());
    text += "/* ---- the host -------------------------------------------------------------------------- */\n\n";
    text += &format!("using namespace here;\n\n{own}");
    if again {
        text += "\n#endif\n";
    }
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    let first = calls.first();
    let main = library.example.zip(first).map(|(e, call)| example::main(library, call, e));
    Standalone { source: text, header: header::header(library, &calls), main }
}

/// What stands in namespaces.
struct Parts<'p> {
    name: &'p str,
    faults: &'p str,
    scalars: &'p str,
    /// The kernels that can fail.
    checked: &'p str,
}

impl Parts<'_> {
    /// All forms of kernels and scalar functions; `diagnosed` and `here` say which there are beside
    /// that of the GPU.
    fn print(&self, others: &str, diagnosed: bool, here: bool) -> String {
        let Parts { name, faults, scalars, checked } = self;
        if !diagnosed && !here {
            let normal = format!("namespace normal {{\n\n{faults}\n{scalars}\n{others}\n}}\n\n");
            return format!("\n{normal}namespace here {{\n\n{HERE}\n}}\n\n{CHECKS}\n");
        }
        let again = "#undef NESL_REQUIRE\n#undef NESL_POSITIONS\n#undef NESL_STATE\n";
        let mut text =
            String::from("\n#define NESL_FORM normal\n#endif\n\nnamespace NESL_FORM {\n\n");
        if here {
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
        if diagnosed {
            text += "/* Once more, as kernels are run to find out which check failed. */\n";
            text += &format!("#define NESL_FORM diagnosis\n#define NESL_DIAGNOSE\n{again}");
            text += &format!("#include \"{name}.cu\"\n#undef NESL_FORM\n#undef NESL_DIAGNOSE\n\n");
        }
        if here {
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
