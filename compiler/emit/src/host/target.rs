//! What differs between a host that runs kernels itself and one that has a GPU do it.

use super::steps::Actual;
use crate::cuda::{Size, Work};
use crate::shared::stmt::Shared;
use crate::shared::{Writer, names};
use base::{Id, IdMap};
use kernel::KernelId;
use std::collections::{BTreeMap, BTreeSet};

/// The machine that a library is for.
pub(super) struct Target {
    pub(super) machine: Machine,
    /// For each kernel, what it does: lines of the source.
    pub(super) sources: BTreeMap<KernelId, String>,
}

/// What is known of the kernels.
pub(super) enum Machine {
    /// C; the kernels that can fail.
    Cpu(BTreeSet<KernelId>),
    /// CUDA C++, and how each kernel is launched.
    Gpu(IdMap<KernelId, Work>),
}

impl Target {
    /// Whether memory is that of a device.
    pub(super) fn has_device(&self) -> bool {
        matches!(self.machine, Machine::Gpu(_))
    }

    /// A launch.
    pub(super) fn launch(
        &self,
        _shared: &Shared<'_>,
        id: KernelId,
        actuals: &[Actual],
        work: &str,
    ) -> String {
        let name = names::kernel(id);
        match &self.machine {
            Machine::Cpu(checked) => {
                let verb =
                    if checked.contains(&id) { "NESL_LAUNCH_CHECKED" } else { "NESL_LAUNCH" };
                let words = actuals.iter().map(|a| format!("{{.{} = {}}}", a.field, a.text));
                let list: Vec<String> = words.collect();
                format!("{verb}({name}, {work}, {});", list.join(", "))
            }
            Machine::Gpu(works) => gpu_launch(&name, &works[id], actuals),
        }
    }

    /// The body of a function that callers see: what it calls, and how it ends if that fails.
    pub(super) fn guarded(&self, out: &mut Writer, call: &str) {
        out.line("nesl_call call;");
        match self.machine {
            Machine::Cpu(_) => {
                out.line("nesl_begin(&call);");
                out.line(format!("if (!setjmp(call.escape)) {call}"));
            }
            Machine::Gpu(_) => {
                out.open("try");
                out.line("nesl_begin(&call);");
                out.line(call);
                out.between("catch (const nesl_failure &failure)");
                out.line("call.code = nesl_first(&call, failure.code);");
                out.close("");
            }
        }
        out.line("return nesl_end(&call);");
    }
}

/// A launch of a kernel of a GPU, or a sort.
fn gpu_launch(name: &str, work: &Work, actuals: &[Actual]) -> String {
    let size = |size: Size| match size {
        Size::Const(n) => n.to_string(),
        Size::Arg(arg) => actuals[arg.index()].text.clone(),
    };
    match work {
        Work::Tiles { tiles, threads, words, fails, recursive, .. } => {
            let tiles = tiles.spelt(size);
            let again = if *fails { format!("diagnosis::{name}") } else { "nullptr".to_owned() };
            let deep = if *recursive { "nesl_deepen(call);\n" } else { "" };
            let list: Vec<&str> = actuals.iter().map(|a| a.text.as_str()).collect();
            let how = format!("{{{tiles}, {threads}, {words}}}");
            format!("{deep}nesl_launch(call, normal::{name}, {again}, {how}, {});", list.join(", "))
        }
        Work::Sort { kind, keys, length, segments, offsets, out, .. } => {
            let text = |arg: kernel::Arg| actuals[arg.index()].text.as_str();
            let verb = match kind {
                kernel::SortKind::Sort => "nesl_sort",
                kernel::SortKind::Rank => "nesl_rank",
                kernel::SortKind::RankDown => "nesl_rank_down",
            };
            let (keys, out, length) = (text(*keys), text(*out), size(*length));
            match offsets {
                None => format!("{verb}(call, {keys}, {out}, {length}, 1, (int64_t *)nullptr);"),
                Some(offsets) => {
                    let (segments, offsets) = (size(*segments), text(*offsets));
                    format!("{verb}(call, {keys}, {out}, {length}, {segments}, {offsets});")
                }
            }
        }
    }
}
