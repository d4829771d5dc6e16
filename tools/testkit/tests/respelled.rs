//! The respelling suite: each spelling has the value of its family, and its plans cost what is
//! known, or as little as the best.
//!
//! Every second spelling is taken, each on cores and on a GPU; `NESL_RESPELLED_EVERY=1` takes all.

use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::Arc;
use testkit::respelled::{Family, MACHINES, families, interpreted, known::Known};

/// One spelling in so many is taken, unless the environment says otherwise.
const EVERY: usize = 2;
/// Work by the cost model of the language beside that of the first spelling, which counts each name
/// and each operation.
const MOST_WORK: f64 = 2.25;

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let every = std::env::var("NESL_RESPELLED_EVERY").ok().and_then(|n| n.parse().ok());
    let every = every.unwrap_or(EVERY).max(1);
    let known = Arc::new(Known::read()?);
    let families = families()?;
    let mut trials = vec![rows_are_of_spellings(&known, &families)];
    for (number, family) in families.into_iter().enumerate() {
        let known = Arc::clone(&known);
        trials.push(Trial::test(family.name.clone(), move || {
            let chosen = (number % every..family.spellings.len()).step_by(every);
            let complaints = judge(&known, &family, &chosen.collect::<Vec<_>>());
            if complaints.is_empty() { Ok(()) } else { Err(Failed::from(complaints.join("\n"))) }
        }));
    }
    libtest_mimic::run(&arguments, trials).exit()
}

fn judge(known: &Known, family: &Family, chosen: &[usize]) -> Vec<String> {
    // The value and the work of the family are those of its first spelling.
    let (value, work) = match interpreted(&family.spellings[0].program) {
        Ok(found) => found,
        Err(error) => return vec![format!("{}: {error}", family.name)],
    };
    let mut complaints = Vec::new();
    for spelling in chosen.iter().map(|&n| &family.spellings[n]) {
        let name = format!("{}/{}", family.name, spelling.name);
        match interpreted(&spelling.program) {
            Ok((found, own)) if found == value => {
                let ratio = own as f64 / work as f64;
                if !(1.0 / MOST_WORK..=MOST_WORK).contains(&ratio) {
                    complaints.push(format!("{name}: {ratio:.2} times the work of the family"));
                }
            }
            found => {
                complaints.push(format!("{name}: {found:?} instead of {value}"));
                continue;
            }
        }
        for machine in MACHINES {
            match spelling.measure(machine) {
                Err(error) => complaints.push(format!("{name} on {machine}: {error}")),
                Ok(measured) if measured.value != value => {
                    let found = measured.value;
                    complaints.push(format!("{name} on {machine}: {found} instead of {value}"));
                }
                Ok(measured) => {
                    let of = (family.name.as_str(), machine);
                    complaints.extend(known.judge(of, &spelling.name, &measured.figures));
                }
            }
        }
    }
    complaints
}

/// No row is of a spelling that is not there, and each family has its best.
fn rows_are_of_spellings(known: &Known, families: &[Family]) -> Trial {
    let is_there = |family: &str, name: &str| {
        let found = families.iter().find(|it| it.name == family);
        found.is_some_and(|family| family.spellings.iter().any(|it| it.name == name))
    };
    let strange = known.rows.iter().filter(|row| !is_there(&row.family, &row.spelling));
    let mut wrong: Vec<String> =
        strange.map(|row| format!("no spelling: {}/{}", row.family, row.spelling)).collect();
    for family in families {
        let missing = MACHINES.iter().filter(|machine| known.best(&family.name, machine).is_none());
        wrong.extend(missing.map(|machine| format!("no best: {} on {machine}", family.name)));
    }
    Trial::test("rows are of spellings", move || {
        if wrong.is_empty() { Ok(()) } else { Err(Failed::from(wrong.join("\n"))) }
    })
}
