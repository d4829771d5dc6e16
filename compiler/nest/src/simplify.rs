//! Passes that stay inside nest: copies, dead values.
//!
//! Lowering and inlining leave names for values that have one, and values that nobody asks for.
//! Both make every later pass work for nothing.

use crate::ir::{Block, Function, Op, Program, Stmt, Value, ValueInfo};
use base::{Id, IdMap};

/// Uses the original in place of each copy, and drops copies.
pub fn remove_copies(program: &mut Program) {
    for (_, function) in program.funcs.iter_mut() {
        let mut names: IdMap<Value, Value> = function.values.ids().collect();
        replace_copies(&mut function.body, &mut names);
    }
}

fn replace_copies(block: &mut Block, names: &mut IdMap<Value, Value>) {
    block.stmts.retain_mut(|stmt| {
        let (values, blocks) = stmt.op.parts_mut();
        for value in values {
            *value = names[*value];
        }
        for block in blocks {
            replace_copies(block, names);
        }
        if let Op::Copy(original) = stmt.op {
            names[stmt.value] = original;
            return false;
        }
        true
    });
    block.result = names[block.result];
}

/// Drops statements whose values nobody needs and which cannot fail, then numbers the values that
/// are left without gaps, in the order of the text.
pub fn remove_dead_values(program: &mut Program) {
    for (_, function) in program.funcs.iter_mut() {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        let mut live = function.values.ids().map(|_| false).collect();
        sweep(function, &mut body, &mut live);
        function.body = body;
        renumber(function);
    }
}

fn sweep(function: &Function, block: &mut Block, live: &mut IdMap<Value, bool>) {
    live[block.result] = true;
    let mut kept = Vec::new();
    while let Some(mut stmt) = block.stmts.pop() {
        if live[stmt.value] || stmt.op.has_effect(function) {
            let (values, mut blocks) = stmt.op.parts_mut();
            // The body of an apply-to-each may use what its test defines, so it comes first.
            blocks.reverse();
            for value in values {
                live[*value] = true;
            }
            for block in blocks {
                sweep(function, block, live);
            }
            kept.push(stmt);
        }
    }
    kept.reverse();
    block.stmts = kept;
}

fn renumber(function: &mut Function) {
    let mut table = Renumbering { values: IdMap::new(), names: IdMap::new() };
    table.names = function.values.ids().map(|_| Value::new(0)).collect();
    let old = std::mem::take(&mut function.values);
    for param in &mut function.params {
        table.define(&old, param);
    }
    table.block(&old, &mut function.body);
    function.values = table.values;
}

struct Renumbering {
    values: IdMap<Value, ValueInfo>,
    /// The new name of each old value.
    names: IdMap<Value, Value>,
}

impl Renumbering {
    fn define(&mut self, old: &IdMap<Value, ValueInfo>, value: &mut Value) {
        let new = self.values.push(old[*value].clone());
        self.names[*value] = new;
        *value = new;
    }

    fn block(&mut self, old: &IdMap<Value, ValueInfo>, block: &mut Block) {
        for Stmt { value, op, .. } in &mut block.stmts {
            let (operands, _) = op.parts_mut();
            for operand in operands {
                *operand = self.names[*operand];
            }
            self.define(old, value);
            if let Op::Each(each) = op {
                for (bound, _) in &mut each.generators {
                    self.define(old, bound);
                }
            }
            let (_, blocks) = op.parts_mut();
            for block in blocks {
                self.block(old, block);
            }
        }
        block.result = self.names[block.result];
    }
}

impl Block {
    /// No statements, in place of a block that is taken out of its function; it has no value.
    pub fn empty() -> Block {
        Block { stmts: Vec::new(), result: Value::new(0) }
    }
}
