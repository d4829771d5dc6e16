//! Targets: what the schedule knows of the machine that runs the kernels.

/// A kind of machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Elements of a tile.
    pub grain: u32,
    /// Outer lanes of a tile when each has an inner loop of unknown length.
    pub grain_nested: u32,
    /// Lanes and elements of a tile whose segments lie side by side.
    pub grain_cut: u32,
    /// Lanes of a tile when each may run a loop or a recursive function.
    pub grain_heavy: u32,
    /// The block of threads that runs a tile; none where one unit runs it.
    pub block: Option<Block>,
}

/// A block of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many threads.
    pub threads: u32,
    /// Elements of a striped array that each thread has.
    pub items: u32,
}

impl Target {
    /// The same for what runs in a recursion, most of the time on little: many blocks of few
    /// elements take less time than some of many, which leave multiprocessors without work.
    #[must_use]
    pub fn deep(self) -> Target {
        let grain = if self.block.is_some() { self.grain / 2 } else { self.grain };
        Target { grain, ..self }
    }

    /// Cores of a CPU: two arrays of a tile fit the second-level cache of a core.
    pub const CPU: Target = Target {
        grain: 16_384,
        grain_nested: 256,
        grain_cut: 16_384,
        grain_heavy: 64,
        block: None,
    };
    /// Multiprocessors of a GPU: a tile is one striped array, so that what is scanned stays in
    /// registers.
    pub const GPU: Target = Target {
        grain: 2048,
        grain_nested: 256,
        grain_cut: 2048,
        grain_heavy: 256,
        block: Some(Block { threads: 256, items: 8 }),
    };
}
