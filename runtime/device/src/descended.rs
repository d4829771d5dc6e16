//! What comes of a descent that a device runs by itself.
//!
//! See [`Device::descend`](crate::Device::descend).

/// What came of a descent.
#[derive(Clone, Debug)]
pub enum Descended<B> {
    /// All lanes have ended.
    Done,
    /// The device cannot run it.
    Impossible,
    /// Nothing was done: the lanes that are too heavy have this many times as much, on average, as
    /// can be done at once.
    Heavy(u64),
    /// Something did not go well: it has to be run in the usual way, which writes all results anew.
    GaveUp,
    /// Light lanes go to their end meanwhile, the heavy ones are left.
    Parted(Parted<B>),
}

/// Lanes of a call, those that are left apart from those that run aside.
#[derive(Clone, Debug)]
pub struct Parted<B> {
    /// Those that are left.
    pub left: Lanes<B>,
    /// How many times as much as can be done at once they have, on average.
    pub times: u64,
    /// Those that run aside.
    pub aside: Aside<B>,
}

/// Some lanes.
#[derive(Clone, Debug)]
pub struct Lanes<B> {
    /// How many there are.
    pub count: i64,
    /// The vectors that have an element for each of them, with the number of the parameter.
    pub own: Vec<(usize, B)>,
}

/// Lanes that run aside, until [`Device::join`](crate::Device::join).
#[derive(Clone, Debug)]
pub struct Aside<B> {
    /// What they were given, in case that they have to be run in the usual way.
    pub lanes: Lanes<B>,
    /// Where it arrives how many parts of the device have given up.
    pub ended: B,
    /// What else is in use meanwhile.
    pub memory: Vec<B>,
    /// By what the device knows them.
    pub stream: usize,
}
