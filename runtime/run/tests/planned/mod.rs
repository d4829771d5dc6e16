//! What is planned for a GPU, or for cores.  Neither a GPU nor a C compiler is needed.

use compile::{Fusion, Text};
use device::Paper;
use plan::{Block, Func, Program, Step};
use prim::Widths;
use run::Session;
use run::session::{EngineKind, Event, Given, Options};

/// The last plan for a call of a function, after these definitions, for what this kind of text is
/// made for.
pub(crate) fn plan<T: Text + Clone + Send + Sync + 'static>(
    text: &[u8],
    function: &str,
    given: &[Given],
    (fusion, widths): (Fusion, Widths),
) -> Program {
    let mut options = Options::new(EngineKind::Cuda);
    options.dump = Some("after:overwrite".to_owned());
    options.compile.fusion = fusion;
    options.widths = widths;
    let paper: Paper<T> = Paper::default();
    let mut session = Session::on(paper, &options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", text, &mut |files, event| {
        if let Event::Failed(errors) = event {
            panic!("{}", errors[0].short(files));
        }
    });
    session.prepare_call(function, given).unwrap_or_else(|e| panic!("{e:?}"));
    plan::read(&session.report().dump).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The launches of a function's own steps on the longest way through its branches.
pub(crate) fn launches(program: &Program, function: Func) -> usize {
    fn most(block: &Block) -> usize {
        let of = |step: &Step| match step {
            Step::Launch { .. } => 1,
            Step::If { then, els, .. } => most(then).max(most(els)),
            _ => 0,
        };
        block.steps.iter().map(of).sum()
    }
    most(&program.funcs[function].body)
}
