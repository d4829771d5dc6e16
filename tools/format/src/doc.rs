//! Documents: text with places where a line may end, and the printer that decides where lines do.
//!
//! A document is a list of items in the order of the text, not a tree, so that neither depth nor
//! length of a program matters: both passes over it are loops.  The first measures, the second
//! prints (D. C. Oppen, "Prettyprinting").  Groups that fit on the rest of the line stay on it.
//! One that does not is either *consistent*, and all its own breaks become new lines, or *filled*:
//!
//! ```text
//! consistent   if c then a        filled   f(first, second,
//!              else b                        third)
//! ```
//!
//! A *lead* is a break before something large, such as what stands behind `else`.  It prefers a
//! blank, so that the large thing starts on this line and is aligned to its own start; only far to
//! the right it becomes a new line.  A *join*, in a filled group, is a lead if what follows fits on
//! no line, and a break if it does.

/// One item of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'t> {
    /// Text that stays as it is.
    Text(&'t [u8]),
    /// A comment at the end of a line.
    Remark(&'t [u8]),
    /// A blank, unless a line ends here.
    Blank,
    /// A place where the innermost group may end the line.
    Break(Gap),
    /// A place where a line ends only if it is already long.
    Lead(Gap),
    /// A break, or a lead if the text up to the next break fits on no line.
    Join(Gap),
    /// A break with a blank; it stays a blank where next to nothing stands on the line.
    Below,
    /// The end of a line, and perhaps an empty one behind it.
    Line {
        /// Whether an empty line follows.
        empty: bool,
    },
    /// The start of a group.
    Open {
        /// What happens to its breaks if it is not on one line.
        mode: Mode,
        /// How wide it may be to stay on one line.
        most: usize,
    },
    /// The end of the innermost group.
    Close,
    /// Lines are indented by two more.
    Nest,
    /// Lines are indented to this column.
    Align,
    /// The end of the innermost `Nest` or `Align`.
    Pop,
}

/// What stands in place of a new line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// Nothing.
    None,
    /// A blank.
    Blank,
}

/// Which breaks of a group that does not fit become new lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// All.
    Consistent,
    /// Those whose text up to the next break does not fit.
    Filled,
}

/// More than any line holds.
const ENDLESS: i64 = 1 << 32;
/// How far nesting indents.
const INDENT: usize = 2;

/// Prints a document on lines of this width.
pub(crate) fn print(items: &[Item<'_>], width: usize) -> Vec<u8> {
    let sizes = Measure::of(items);
    let mut printer = Printer::new(width);
    for (item, size) in items.iter().zip(sizes) {
        printer.item(*item, size);
    }
    printer.out
}

/// The width of a text on one line; endless if it has more than one.
fn width(text: &[u8]) -> i64 {
    if text.contains(&b'\n') { ENDLESS } else { columns(text) as i64 }
}

/// How many columns a piece of a line takes: one for each character of UTF-8.
fn columns(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Computes for each group and break how much must fit for the line not to end there: the text of
/// the group, or that behind the break up to the group's next, and what follows up to any break.
struct Measure<'i, 't> {
    items: &'i [Item<'t>],
    /// Of items that are not finished, less the width before them.
    sizes: Vec<i64>,
    /// Groups that are open, and of each the last break.
    open: Vec<Open>,
    /// Groups that are closed, and their last breaks, until the next break.
    closed: Vec<usize>,
    /// The width of all before.
    total: i64,
}

/// A group or break whose text is being measured.
struct Open {
    at: usize,
    /// Whether something in it is too wide to stay on one line.
    wide: bool,
}

impl Measure<'_, '_> {
    fn of(items: &[Item<'_>]) -> Vec<i64> {
        let sizes = vec![0; items.len()];
        let mut this = Measure { items, sizes, open: Vec::new(), closed: Vec::new(), total: 0 };
        for (at, item) in items.iter().enumerate() {
            this.item(at, *item);
        }
        this.settle();
        this.sizes
    }
    fn item(&mut self, at: usize, item: Item<'_>) {
        match item {
            Item::Text(text) => self.total += width(text),
            Item::Blank => self.total += 1,
            Item::Remark(_) | Item::Line { .. } => {
                self.settle();
                self.total += ENDLESS;
            }
            Item::Break(gap) | Item::Lead(gap) | Item::Join(gap) => {
                self.settle();
                self.start(at);
                self.total += i64::from(gap == Gap::Blank);
            }
            Item::Below => self.item(at, Item::Break(Gap::Blank)),
            Item::Open { .. } => self.start(at),
            Item::Close => self.close(),
            Item::Nest | Item::Align | Item::Pop => {}
        }
    }
    fn start(&mut self, at: usize) {
        self.sizes[at] = -self.total;
        self.open.push(Open { at, wide: false });
    }
    fn close(&mut self) {
        let last = self.last_break();
        self.closed.extend(last);
        let Some(Open { at, wide }) = self.open.pop() else { return };
        let Item::Open { most, .. } = self.items[at] else { return };
        if wide || self.sizes[at] + self.total > most as i64 {
            self.sizes[at] = ENDLESS;
            self.open.last_mut().into_iter().for_each(|around| around.wide = true);
        } else {
            self.closed.push(at);
        }
    }
    /// Takes the last break of the innermost group, unless its text is too wide anyway.
    fn last_break(&mut self) -> Option<usize> {
        let Open { at, wide } =
            self.open.pop_if(|open| !matches!(self.items[open.at], Item::Open { .. }))?;
        if wide {
            self.sizes[at] = ENDLESS;
            self.open.last_mut().into_iter().for_each(|group| group.wide = true);
        }
        (!wide).then_some(at)
    }
    /// A line may end here.
    fn settle(&mut self) {
        let last = self.last_break();
        for at in self.closed.drain(..).chain(last) {
            self.sizes[at] += self.total;
        }
    }
}

/// What becomes of a group's breaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The group is on one line.
    Flat,
    /// It is not.
    Broken(Mode),
}

/// Writes lines.
struct Printer {
    out: Vec<u8>,
    width: usize,
    /// Columns to which lines are indented, innermost last.
    indents: Vec<usize>,
    groups: Vec<Fate>,
    /// The next column.
    column: usize,
    /// Nothing but indentation stands on this line, which is not yet written.
    fresh: bool,
    /// A blank comes before the next text of this line.
    blank: bool,
    /// The line cannot go on.
    ended: bool,
}

impl Printer {
    fn new(width: usize) -> Printer {
        Printer {
            out: Vec::new(),
            width,
            indents: Vec::new(),
            groups: Vec::new(),
            column: 0,
            fresh: true,
            blank: false,
            ended: false,
        }
    }
    fn item(&mut self, item: Item<'_>, size: i64) {
        match item {
            Item::Text(text) => self.text(text),
            Item::Remark(text) => {
                // Several stand on one line.
                (self.blank, self.ended) = (true, false);
                self.text(text);
                self.ended = true;
            }
            Item::Blank => self.blank = true,
            Item::Break(gap) => {
                let ends = match self.groups.last() {
                    None | Some(Fate::Flat) => false,
                    Some(Fate::Broken(Mode::Consistent)) => true,
                    Some(Fate::Broken(Mode::Filled)) => !self.fits(size),
                };
                self.gap(gap, ends);
            }
            Item::Lead(gap) => self.gap(gap, !self.flat() && self.far()),
            Item::Join(gap) => {
                let below = self.indent() as i64 + size <= self.width as i64;
                self.gap(gap, !self.flat() && !self.fits(size) && (below || self.far()));
            }
            Item::Below => {
                let bare = self.next_column() < self.indent() + INDENT;
                self.gap(Gap::Blank, !self.flat() && !bare);
            }
            Item::Line { empty } => self.line(empty),
            Item::Open { mode, .. } => {
                let fits = self.fits(size);
                self.groups.push(if fits { Fate::Flat } else { Fate::Broken(mode) });
            }
            Item::Close => drop(self.groups.pop()),
            Item::Nest => self.indents.push(self.indent() + INDENT),
            Item::Align => {
                if self.ended {
                    let indent = self.indent() + INDENT;
                    self.new_line(indent);
                }
                self.indents.push(self.next_column());
            }
            Item::Pop => drop(self.indents.pop()),
        }
    }
    fn indent(&self) -> usize {
        // Nesting that goes on for ever must not push the text off the page.
        self.indents.last().map_or(0, |indent| *indent.min(&(self.width * 3 / 4)))
    }
    /// Whether the innermost group is on one line.
    fn flat(&self) -> bool {
        self.groups.last() == Some(&Fate::Flat)
    }
    /// Whether the line is so long that nothing large should start on it.
    fn far(&self) -> bool {
        self.next_column() > self.width / 2
    }
    fn next_column(&self) -> usize {
        self.column + usize::from(self.blank && !self.fresh)
    }
    fn fits(&self, size: i64) -> bool {
        !self.ended && self.next_column() as i64 + size <= self.width as i64
    }
    fn gap(&mut self, gap: Gap, ends: bool) {
        if ends || self.ended {
            self.new_line(self.indent());
        } else if gap == Gap::Blank {
            self.blank = true;
        }
    }
    fn line(&mut self, empty: bool) {
        self.new_line(self.indent());
        if empty && !self.out.is_empty() && !self.out.ends_with(b"\n\n") {
            self.out.push(b'\n');
        }
    }
    fn new_line(&mut self, indent: usize) {
        if !self.fresh {
            self.out.push(b'\n');
        }
        (self.column, self.fresh, self.blank, self.ended) = (indent, true, false, false);
    }
    fn text(&mut self, text: &[u8]) {
        if self.ended {
            self.new_line(self.indent());
        }
        if self.fresh {
            self.out.resize(self.out.len() + self.column, b' ');
        } else if self.blank {
            self.out.push(b' ');
            self.column += 1;
        }
        (self.fresh, self.blank) = (false, false);
        self.out.extend_from_slice(text);
        match text.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => self.column = columns(&text[end + 1..]),
            None => self.column += columns(text),
        }
    }
}
