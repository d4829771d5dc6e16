//! Spellings of a program, by rules.
//!
//! ```text
//! text --parse--> functions --a rule, at all places--> functions --print, format--> text
//! ```
//!
//! A rule is a law of the language, read from left to right ([`RULES`]).  It rewrites the bodies of
//! functions; the other forms, data and calls, stay as they are, and so do the types of functions
//! that they name.  [`spellings`] checks that each result gives the same values.

mod build;
mod context;
mod names;
mod print;
mod rules;

pub use rules::{RULES, TOGETHER};

use base::Files;
use context::Context;
use std::collections::BTreeMap;
use syntax::ast::{ClassBound, Exp, FormKind, Function, Type};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The law, as `this = that`.
    pub law: &'static str,
    how: How,
}

/// How a rule rewrites.
#[derive(Clone, Copy, Debug)]
enum How {
    /// Expressions of bodies, the innermost first; nothing stands for no change.
    Everywhere(fn(&Exp, &mut Context) -> Option<Exp>),
    /// The definitions as a whole.
    Program(fn(&[Function], &mut Context) -> Option<Vec<Function>>),
}

/// Types of functions by name, with the classes of their variables.
pub type Types = BTreeMap<String, (Type, Vec<ClassBound>)>;

/// A program in another spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Respelling {
    /// The names of the rules, in the order in which they were applied.
    pub rules: Vec<&'static str>,
    /// The text.
    pub text: String,
}

/// A form of a text: a definition of a function, or any other as it was written.
enum Item {
    Function(Box<Function>),
    Other(String),
}

/// Applies a rule at all places of a program that parses, given the types of its functions; nothing
/// if there is no such place.
///
/// # Panics
///
/// When the result does not parse, which is a bug of the rule or of the printer.
pub fn apply(rule: &Rule, program: &str, types: &Types) -> Option<String> {
    let mut files = Files::new();
    let group = syntax::parse(files.add("program", program), program.as_bytes());
    let mut items: Vec<Item> = Vec::new();
    for form in &group.forms {
        items.push(match &form.kind {
            FormKind::Function(function) => Item::Function(Box::new((**function).clone())),
            _ => Item::Other(
                program.get(form.span.start as usize..form.span.end as usize)?.to_owned(),
            ),
        });
    }
    let functions: Vec<Function> = items.iter().filter_map(Item::function).cloned().collect();
    let mut context = Context::new(&group, types);
    let functions = match rule.how {
        How::Everywhere(rewrite) => context.everywhere(functions, rewrite),
        How::Program(rewrite) => rewrite(&functions, &mut context),
    }?;
    let text = with_functions(&items, functions, program);
    let formatted = format::format(files.add("respelled", text.as_str()), text.as_bytes(), 100);
    let formatted = formatted.unwrap_or_else(|errors| {
        unreachable!("{} gives what does not parse: {:?}\n{text}", rule.name, errors.first())
    });
    String::from_utf8(formatted).ok()
}

impl Item {
    fn function(&self) -> Option<&Function> {
        if let Item::Function(function) = self { Some(function) } else { None }
    }
}

/// The text of a program with other functions.  New ones stand before the definition that they were
/// made for, so that each stretch of them ends with one that was there.
fn with_functions(items: &[Item], functions: Vec<Function>, source: &str) -> String {
    let mut left = functions.into_iter();
    let mut text = String::new();
    for item in items {
        match item {
            Item::Other(form) => {
                text += form;
                text += ";\n\n";
            }
            Item::Function(old) => {
                let is_old = |it: &Function| {
                    it.name.text == old.name.text && it.body.is_some() == old.body.is_some()
                };
                let mut stretch = Vec::new();
                for next in left.by_ref() {
                    stretch.push(next);
                    let last = &stretch[stretch.len() - 1];
                    // A declaration that was added looks like one that was there.
                    if is_old(last) && last.name.span != base::Span::none() {
                        break;
                    }
                }
                text += &print::functions(&stretch, source);
            }
        }
    }
    text.trim_end().to_owned() + "\n"
}

/// All spellings of a program by one rule, by those that are applied together, and, if wanted, by
/// any two: each checks and gives the same
/// values.  An error says which does not, and how.
pub fn spellings(program: &str, pairs: bool) -> Result<Vec<Respelling>, String> {
    if is_random(program) {
        return Err("random numbers depend on their places in the text".to_owned());
    }
    let (values, types) = context::outcome(program)?;
    let mut found: Vec<Respelling> = Vec::new();
    let mut take = |rules: Vec<&'static str>, text: String| -> Result<(), String> {
        if text == program || found.iter().any(|known| known.text == text) {
            return Ok(());
        }
        let named = |error| format!("{}: {error}\n{text}", rules.join(", "));
        let (own, _) = context::outcome(&text).map_err(named)?;
        if own != values {
            return Err(named(format!("{own:?} instead of {values:?}")));
        }
        found.push(Respelling { rules, text });
        Ok(())
    };
    let alone = RULES.iter().map(|rule| vec![rule.name]);
    let mut wanted: Vec<Vec<&str>> = alone.collect();
    wanted.extend(TOGETHER.iter().map(|rules| rules.to_vec()));
    if pairs {
        let second = |first: &'static str| RULES.iter().map(move |it| vec![first, it.name]);
        wanted.extend(RULES.iter().flat_map(|first| second(first.name)));
    }
    for names in wanted {
        let (mut text, mut types, mut applied) = (program.to_owned(), types.clone(), true);
        for (at, name) in names.iter().enumerate() {
            let rule = RULES.iter().find(|rule| rule.name == *name);
            let rule = rule.unwrap_or_else(|| unreachable!("no rule is called {name}"));
            match apply(rule, &text, &types) {
                Some(new) => text = new,
                None => applied = false,
            }
            if applied && at + 1 < names.len() {
                types = context::outcome(&text).map_err(|e| format!("{name}: {e}\n{text}"))?.1;
            }
        }
        if applied {
            take(names, text)?;
        }
    }
    Ok(found)
}

/// True if a program names the function that gives random numbers.
fn is_random(program: &str) -> bool {
    let group = syntax::parse(Files::new().add("program", program), program.as_bytes());
    Context::new(&group, &Types::new()).names("rand")
}

#[cfg(test)]
mod tests;
