//! The table of figures that the suite knows: the best of each family, and the spellings that miss
//! it.
//!
//! ```text
//! best quicksort  cores   54    35   8400   9616   12  readme
//! miss quicksort  cores  903!  400!  9100   9616  380  two-lets
//! ```
//!
//! The numbers are launches, waits, elements touched, bytes at the peak, and calls.  The best of a
//! family is the spelling of least cost: the square of launches and waits in sum, times elements,
//! times bytes.  A `!` follows a number that misses it.  The table is a ratchet: a spelling may get
//! better, and when it then misses nothing, its row must go.

use super::figures::Figures;
use super::folder;
use std::fmt::Write;
use std::path::PathBuf;
use std::{fs, io};

/// A number that may miss the best.
pub type Number = (&'static str, fn(&Figures) -> u64);

/// The numbers that are compared, by name.
pub const NUMBERS: [Number; 4] = [
    ("launches", |it| it.launches),
    ("waits", |it| it.waits),
    ("touched", |it| it.touched),
    ("peak", |it| it.peak),
];

/// Hundredths of the elements that the best touches.
const TOUCHED: u64 = 115;
/// Hundredths of the best's bytes at the peak.
const PEAK: u64 = 120;

/// The most of each number of [`NUMBERS`] beside the best: at each depth one more launch and one
/// more wait.
pub fn limits(best: &Figures) -> [u64; 4] {
    let depths = best.calls.max(1);
    [
        best.launches + depths,
        best.waits + depths,
        best.touched * TOUCHED / 100,
        best.peak * PEAK / 100,
    ]
}

/// The cost by which the best is found.  Launches and waits weigh twice: independent calls that are
/// made one after the other take little memory and reach few elements, and yet run slowly.
fn cost(figures: &Figures) -> f64 {
    let turns = (figures.launches + figures.waits).max(1) as f64;
    turns * turns * figures.touched.max(1) as f64 * figures.peak.max(1) as f64
}

/// The best of a family by its name.
pub fn best(measured: &[(String, Figures)]) -> Option<&(String, Figures)> {
    measured.iter().min_by(|a, b| cost(&a.1).total_cmp(&cost(&b.1)))
}

/// For each number of [`NUMBERS`], whether it misses the best.
pub fn missed(figures: &Figures, best: &Figures) -> [bool; 4] {
    let limits = limits(best);
    std::array::from_fn(|n| NUMBERS[n].1(figures) > limits[n])
}

/// Figures in columns, with a `!` behind those that miss the best.
fn columns(figures: &Figures, best: &Figures) -> String {
    let missed = missed(figures, best);
    let shown = |(n, (_, number)): (usize, &Number)| {
        format!("{:9}{}", number(figures), if missed[n] { "!" } else { " " })
    };
    let numbers: String = NUMBERS.iter().enumerate().map(shown).collect();
    format!("{numbers}{:6}", figures.calls)
}

/// A line of a table for people.
pub fn line(name: &str, figures: &Figures, best: &Figures) -> String {
    format!("  {name:34}{}", columns(figures, best))
}

/// A row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The family.
    pub family: String,
    /// The machine.
    pub machine: String,
    /// The spelling.
    pub spelling: String,
    /// True for the best of the family.
    pub is_best: bool,
    /// The figures.
    pub figures: Figures,
}

/// The table.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Known {
    /// In the order of families, machines and spellings, the best first.
    pub rows: Vec<Row>,
}

/// The comment at the top of the table.
const HEAD: &str = "\
% Launches, waits, elements touched, bytes at the peak and calls of the respelling suite: the best\n\
% of each family, and the spellings that miss it, by the numbers with a `!`.  Made by\n\
% `cargo xtask measure respelled --bless`; README.md of this folder explains it.\n";

/// The file of the table.
pub fn file() -> PathBuf {
    folder().join("known.txt")
}

impl Known {
    /// The table as it is kept; an error says which line is no row.
    pub fn read() -> io::Result<Known> {
        let text = fs::read_to_string(file())?;
        Known::parse(&text).map_err(|line| io::Error::other(format!("no row: {line}")))
    }

    fn parse(text: &str) -> Result<Known, String> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('%'));
        let row = |line: &str| row(line).ok_or_else(|| line.to_owned());
        Ok(Known { rows: lines.map(row).collect::<Result<_, _>>()? })
    }

    /// Puts what was measured of a whole family on a machine in place of what is known of it.
    pub fn learn(&mut self, family: &str, machine: &str, measured: &[(String, Figures)]) {
        self.rows.retain(|row| row.family != family || row.machine != machine);
        let Some((name, best)) = best(measured) else { return };
        let row = |spelling: &String, is_best, figures| Row {
            family: family.to_owned(),
            machine: machine.to_owned(),
            spelling: spelling.clone(),
            is_best,
            figures,
        };
        self.rows.push(row(name, true, *best));
        let misses = measured.iter().filter(|(_, it)| missed(it, best).contains(&true));
        self.rows.extend(misses.map(|(name, it)| row(name, false, *it)));
        let key = |row: &Row| {
            (row.family.clone(), row.machine.clone(), !row.is_best, row.spelling.clone())
        };
        self.rows.sort_by_key(key);
    }

    /// The best of a family on a machine.
    pub fn best(&self, family: &str, machine: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.is_best && row.family == family && row.machine == machine)
    }

    /// The table as text.
    pub fn show(&self) -> String {
        let mut out = HEAD.to_owned();
        for Row { family, machine, spelling, is_best, figures } in &self.rows {
            let best = self.best(family, machine).map_or(figures, |row| &row.figures);
            if *is_best {
                out.push('\n');
            }
            let word = if *is_best { "best" } else { "miss" };
            let columns = columns(figures, best);
            let _ = writeln!(out, "{word} {family:14} {machine:6}{columns}  {spelling}");
        }
        out
    }

    /// The complaints about what was measured of a spelling.
    pub fn judge(
        &self,
        (family, machine): (&str, &str),
        spelling: &str,
        figures: &Figures,
    ) -> Vec<String> {
        let what = format!("{family}/{spelling} on {machine}");
        let Some(best) = self.best(family, machine) else {
            return vec![format!("{what}: the best of the family is not known")];
        };
        let is =
            |row: &&Row| row.family == family && row.machine == machine && row.spelling == spelling;
        let row = self.rows.iter().find(is);
        let limits = limits(&best.figures);
        let mut complaints = Vec::new();
        for (n, (name, number)) in NUMBERS.iter().enumerate() {
            let most = match row {
                None => limits[n],
                Some(row) if row.is_best => number(&row.figures),
                Some(row) => limits[n].max(number(&row.figures)),
            };
            let (found, best) = (number(figures), number(&best.figures));
            if found > most {
                complaints.push(format!("{what}: {name} {found}, at most {most}; best {best}"));
            }
        }
        if cost(figures) < cost(&best.figures) {
            complaints.push(format!("{what}: {figures:?} is a new best of the family"));
        } else if row.is_some_and(|row| !row.is_best)
            && !missed(figures, &best.figures).contains(&true)
        {
            complaints.push(format!("{what}: misses nothing any more, its row must go"));
        }
        complaints
    }
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.split_whitespace();
    let (word, family, machine) = (words.next()?, words.next()?, words.next()?);
    let mut number = || words.next()?.trim_end_matches('!').parse().ok();
    let figures = Figures {
        launches: number()?,
        waits: number()?,
        touched: number()?,
        peak: number()?,
        calls: number()?,
    };
    let spelling = words.next()?.to_owned();
    let is_best = match word {
        "best" => true,
        "miss" => false,
        _ => return None,
    };
    Some(Row { family: family.to_owned(), machine: machine.to_owned(), spelling, is_best, figures })
}

#[cfg(test)]
mod tests;
