//! Clusters of a plan run as kernels.

use kernel::{Argument, Evaluator, Failure, KernelId, Simulator};
use plan::{ClusterId, Launcher};
use std::cell::RefCell;
use std::rc::Rc;

/// Launches the kernel that a cluster has become.
pub(crate) struct Kernels<M>(pub(crate) M);

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
        let done = self.0.launch(base::Id::new(base::Id::index(id)), &bound);
        done.map_err(|failure| match failure {
            Failure::Fault(fault, _) => plan::Failure::from(fault),
            Failure::Wrong(message) => panic!("{message}"),
        })?;
        for (arg, bound) in args.iter().zip(&bound) {
            if let (plan::Argument::Set(cell), Argument::Buffer(memory)) = (arg, bound) {
                cell.set(memory.borrow()[0]);
            }
        }
        Ok(())
    }
}
