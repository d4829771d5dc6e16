//! Failures, and where they have happened: for people, and in the order of a serial machine.

use crate::eval::Failure;
use crate::ir::{Block, Body, Kernel, KernelId, Stmt};
use crate::print::head;

/// A failure of a thread in an epoch.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Orders the events of an epoch.
    pub(super) key: Vec<usize>,
    /// What has happened.
    pub(super) failure: Failure,
}

/// Words for a tile of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Report<'a> {
    pub(super) id: KernelId,
    pub(super) kernel: &'a Kernel,
    pub(super) tile: usize,
    /// The block that runs the tile.
    pub(super) block: usize,
}

impl Report<'_> {
    /// A broken rule in a thread.
    pub(super) fn in_thread(&self, message: &str, thread: u32, stmt: &Stmt) -> Failure {
        self.wrong(&format!("{message}, in thread {thread} at {}", self.stmt(stmt)))
    }
    /// A broken rule.
    pub(super) fn wrong(&self, message: &str) -> Failure {
        let Report { id, kernel, tile, block } = self;
        let name = &kernel.name;
        Failure::Wrong(format!("{message}, in tile {tile} by block {block} of {id} {name}"))
    }
    /// The number and the text of a statement.
    pub(super) fn stmt(&self, stmt: &Stmt) -> String {
        let Body::Tiles { body, finish, .. } = &self.kernel.body else {
            unreachable!("statements of a sort")
        };
        let mut number = 0;
        let found = [body, finish].into_iter().any(|block| count(block, stmt, &mut number));
        debug_assert!(found, "the statement is not in the kernel");
        format!("statement {number} `{}`", head(self.kernel, stmt))
    }
}

/// Counts the statements before one; whether it was found.
fn count(block: &Block, wanted: &Stmt, number: &mut usize) -> bool {
    block.iter().any(|stmt| {
        if std::ptr::eq(stmt, wanted) {
            return true;
        }
        *number += 1;
        stmt.blocks().into_iter().any(|block| count(block, wanted, number))
    })
}
