//! Clusters of a plan run as kernels.

use kernel::{Argument, Evaluator, Failure, KernelId, Simulator};
use plan::{ClusterId, Launcher};
use std::cell::RefCell;
use std::rc::Rc;

/// Launches the kernel that a cluster has become.
pub(crate) struct Kernels<M> {
    machine: M,
    /// What was read first that nobody had written.
    unwritten: RefCell<Option<String>>,
}

impl<M: Machine> Kernels<M> {
    pub(crate) fn new(machine: M) -> Kernels<M> {
        Kernels { machine, unwritten: RefCell::default() }
    }

    /// Runs a function of a plan.  What was not written may be read if that fails.
    pub(crate) fn run(
        &self,
        plan: &plan::Program,
        func: plan::Func,
        args: Vec<plan::Data>,
    ) -> Result<Vec<plan::Data>, plan::Failure> {
        let results = plan::eval::run(plan, func, args, self);
        match self.unwritten.take() {
            Some(message) if results.is_ok() => panic!("{message}"),
            _ => results,
        }
    }
}

/// What runs kernels.
pub(crate) trait Machine {
    fn launch(&self, id: KernelId, args: &[Argument]) -> Result<(), Failure>;
}

impl Machine for Evaluator<'_> {
    fn launch(&self, id: KernelId, args: &[Argument]) -> Result<(), Failure> {
        Evaluator::launch(self, id, args)
    }
}

impl Machine for Simulator<'_> {
    fn launch(&self, id: KernelId, args: &[Argument]) -> Result<(), Failure> {
        Simulator::launch(self, id, args)
    }
}

impl<M: Machine> Launcher for Kernels<M> {
    fn launch(&self, id: ClusterId, args: &[plan::Argument]) -> Result<(), plan::Failure> {
        // A scalar that is set is a buffer of one element.
        let bound: Vec<Argument> = args
            .iter()
            .map(|arg| match arg {
                plan::Argument::Scalar(c) => Argument::Scalar(*c),
                plan::Argument::Buffer(memory) => Argument::Buffer(memory.clone()),
                plan::Argument::Set(_) => Argument::Buffer(Rc::new(RefCell::new(vec![None]))),
            })
            .collect();
        match self.machine.launch(base::Id::new(base::Id::index(id)), &bound) {
            Ok(()) => {}
            Err(Failure::Fault(fault, _)) => return Err(plan::Failure::from(fault)),
            Err(Failure::Wrong(message)) => panic!("{message}"),
            Err(Failure::Unwritten(message)) => {
                self.unwritten.borrow_mut().get_or_insert(message);
            }
        }
        for (arg, bound) in args.iter().zip(&bound) {
            if let (plan::Argument::Set(cell), Argument::Buffer(memory)) = (arg, bound) {
                cell.set(memory.borrow()[0]);
            }
        }
        Ok(())
    }
}
