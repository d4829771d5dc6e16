//! Who has used an element, so that a clash is seen whichever access comes first.

/// Who uses an element, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    /// The thread in its block.
    pub(super) thread: u32,
    /// A number that no other epoch of any tile has, from 1.
    pub(super) epoch: u64,
    /// The tile.
    pub(super) tile: usize,
}

/// The last epochs in which threads of a block have used an element.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Trace {
    reads: Uses,
    writes: Uses,
}

/// The threads that did something in an epoch.
#[derive(Clone, Copy, Default, Debug)]
struct Uses {
    epoch: u64,
    /// The first, and one that is not the first if there is one.
    threads: [u32; 2],
}

impl Uses {
    /// Another thread that did so in this epoch.
    fn other(self, who: Who) -> Option<u32> {
        let found = self.threads.into_iter().find(|&thread| thread != who.thread);
        found.filter(|_| self.epoch == who.epoch)
    }
    fn note(&mut self, who: Who) {
        if self.epoch != who.epoch {
            *self = Uses { epoch: who.epoch, threads: [who.thread; 2] };
        } else if self.threads[0] != who.thread {
            self.threads[1] = who.thread;
        }
    }
}

/// Another thread that has used the element in the same epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// It has read it.
    Read(u32),
    /// It has written it.
    Written(u32),
}

impl Trace {
    /// Notes a read.
    pub(super) fn read(&mut self, who: Who) -> Option<Clash> {
        self.reads.note(who);
        self.writes.other(who).map(Clash::Written)
    }

    /// Notes a write.
    pub(super) fn write(&mut self, who: Who) -> Option<Clash> {
        let reader = self.reads.other(who).map(Clash::Read);
        let writer = self.writes.other(who).map(Clash::Written);
        self.writes.note(who);
        reader.or(writer)
    }
}

/// The tiles that have used an element of a buffer.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Users {
    /// The tile that has written it.
    pub(super) writer: Option<usize>,
    /// Whether another has, too.
    pub(super) contested: bool,
    /// The first that has read it, and one that is not the first if there is one.
    readers: Option<[usize; 2]>,
}

impl Users {
    /// Notes a read; gives another tile that has written the element.
    pub(super) fn read(&mut self, tile: usize) -> Option<usize> {
        let readers = self.readers.get_or_insert([tile; 2]);
        if readers[0] != tile {
            readers[1] = tile;
        }
        self.writer.filter(|&other| other != tile)
    }

    /// Notes a write; gives another tile that has read the element.
    pub(super) fn write(&mut self, tile: usize) -> Option<usize> {
        match self.writer {
            Some(other) => self.contested |= other != tile,
            None => self.writer = Some(tile),
        }
        self.readers.into_iter().flatten().find(|&other| other != tile)
    }
}
