//! `nesl doc`: what the functions of the library, or of a file, are, what they cost, and examples;
//! and how the words and signs of the language are written.
//!
//! Pages are gathered here; [`terminal`], [`markdown`] and [`html`] write them.
//!
//! ```text
//! documentation strings ──stdlib──▶ Doc ──session──▶ Described ──▶ Page ──▶ text, Markdown, HTML
//!                                      SYNTAX ───────────────────────▲
//! ```

mod html;
mod markdown;
mod terminal;

use crate::Status;
use crate::messages::{Messages, say};
use crate::options::Doc;
use crate::run::{print, source};
use ::run::Session;
use ::run::session::{Described, EngineKind, Event, Options};
use base::{Code, Diagnostic, Files};
use std::fs;
use std::io::Write;
use std::path::Path;
use stdlib::{SYNTAX, Syntax, TOPICS, Topic, syntax_of};

/// Names that are explained together.
struct Page {
    /// Names the file of the page.
    word: String,
    title: String,
    /// Paragraphs, code in backquotes.
    about: String,
    entries: Entries,
}

/// The entries of a page.
enum Entries {
    /// Names of the library.
    Library(Vec<Described>),
    /// Names of a file.
    File(Vec<Described>),
    /// Words and signs of the language.
    Syntax(&'static [Syntax]),
}

impl Entries {
    /// All names, each with the place on the page that explains it.
    fn places(&self) -> Vec<(&str, String)> {
        match self {
            Entries::Library(names) | Entries::File(names) => {
                names.iter().map(|entry| (entry.name.as_str(), anchor(&entry.name))).collect()
            }
            Entries::Syntax(rows) => {
                let of_row =
                    |row: &'static Syntax| row.names.iter().map(|name| (*name, place(row)));
                rows.iter().flat_map(of_row).collect()
            }
        }
    }
}

/// A file that is written.
struct Written {
    name: String,
    text: String,
}

/// What is asked for.
enum Subject<'a> {
    Library,
    Topic(usize),
    Syntax,
    Name(String),
    File(&'a Path),
}

/// Shows documentation, or writes it to files.
pub(crate) fn doc(options: &Doc) -> Status {
    let mut messages = Messages::new(options.errors.form);
    let status = shown(options, &mut messages).unwrap_or_else(|error| {
        messages.error(&error, &Files::new());
        None
    });
    messages.close();
    status.unwrap_or(messages.status)
}

/// Does it; gives a status other than that of the messages if the command was called wrongly.
fn shown(options: &Doc, messages: &mut Messages) -> Result<Option<Status>, Diagnostic> {
    let mut session = Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()))?;
    let subject = subject(options.about.as_deref(), &session);
    if options.html.is_some() || options.markdown.is_some() {
        if let Subject::Topic(_) | Subject::Syntax | Subject::Name(_) = subject {
            say("error: `--html` and `--markdown` write pages of the library, and of a file\n");
            return Ok(Some(Status::Usage));
        }
        let mut pages = contents(&session);
        if let Subject::File(path) = subject {
            pages.extend(of_file(&mut session, path, messages)?);
        }
        if let Some(folder) = &options.html {
            write(folder, html::pages(&pages))?;
        }
        if let Some(folder) = &options.markdown {
            write(folder, markdown::pages(&pages))?;
        }
        return Ok(None);
    }
    let text = match subject {
        Subject::Library => terminal::contents(&contents(&session)),
        Subject::Topic(number) => terminal::topic(&topic(&session, &TOPICS[number])),
        Subject::Syntax => terminal::topic(&syntax()),
        Subject::Name(name) => match (session.described(&name), syntax_of(&name)) {
            (None, None) => {
                say(&unknown(&session, &name));
                return Ok(Some(Status::Usage));
            }
            (described, row) => terminal::name(described.as_ref(), row),
        },
        Subject::File(path) => match of_file(&mut session, path, messages)? {
            Some(page) => terminal::file(&page),
            None => return Ok(None),
        },
    };
    print(text.as_bytes())?;
    Ok(None)
}

/// What a word means: a file by its ending, a topic, a name, or any other file.
fn subject<'a>(about: Option<&'a str>, session: &Session) -> Subject<'a> {
    let Some(about) = about else { return Subject::Library };
    let (path, word) = (Path::new(about), about.to_ascii_lowercase());
    if path.extension().is_some_and(|ending| ending == "nesl") {
        Subject::File(path)
    } else if let Some(topic) = TOPICS.iter().position(|topic| topic.word == word) {
        Subject::Topic(topic)
    } else if word == SYNTAX_WORD {
        Subject::Syntax
    } else if session.described(&word).is_none() && syntax_of(&word).is_none() && path.is_file() {
        Subject::File(path)
    } else {
        Subject::Name(word)
    }
}

/// That there is no such name, and those that may have been meant.
fn unknown(session: &Session, name: &str) -> String {
    let nearest = session.nearest(name);
    let mut near: Vec<&str> = nearest.into_iter().collect();
    if name.len() >= 3 {
        let others = session.names().filter(|known| Some(*known) != nearest);
        near.extend(others.filter(|known| known.contains(name)));
    }
    let mut text = format!("error: there is no topic, name or file `{name}`");
    for (place, known) in near.iter().take(6).enumerate() {
        text += if place == 0 { "; near it: " } else { ", " };
        text += &format!("`{known}`");
    }
    text + "\n`nesl doc` lists what there is\n"
}

/// The page of the syntax, and those of the library, one for each topic.
fn contents(session: &Session) -> Vec<Page> {
    let topics = TOPICS.iter().map(|it| topic(session, it));
    std::iter::once(syntax()).chain(topics).collect()
}

fn topic(session: &Session, topic: &Topic) -> Page {
    let entries = topic.names().filter_map(|name| session.described(name)).collect();
    Page {
        word: topic.word.to_owned(),
        title: topic.title.to_owned(),
        about: topic.about.to_owned(),
        entries: Entries::Library(entries),
    }
}

/// The word that asks for the page of the syntax, and names its file.
const SYNTAX_WORD: &str = "syntax";

fn syntax() -> Page {
    Page {
        word: SYNTAX_WORD.to_owned(),
        title: "Syntax".to_owned(),
        about: "The words and signs of the language, each with the forms that it stands in. In a \
                session `describe if;` and `describe {;` show the same. Operators stand with the \
                functions of the library."
            .to_owned(),
        entries: Entries::Syntax(SYNTAX),
    }
}

/// The page of a file, with what is right in it; nothing if nothing is.
fn of_file(
    session: &mut Session,
    path: &Path,
    messages: &mut Messages,
) -> Result<Option<Page>, Diagnostic> {
    let (name, text) = source(path)?;
    let file = session.check(&name, &text, &mut |files, event| {
        if let Event::Failed(errors) = event {
            errors.iter().for_each(|error| messages.error(error, files));
        }
    });
    let own = session.own_names().filter(|it| it.name != "it" && it.span.file == file);
    let mut entries: Vec<Described> = own.collect();
    entries.sort_by_key(|described| described.span.start);
    if entries.is_empty() && messages.status != Status::Done {
        return Ok(None);
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (word, about) = (format!("file-{stem}"), String::new());
    Ok(Some(Page { word, title: name, about, entries: Entries::File(entries) }))
}

fn write(folder: &Path, files: Vec<Written>) -> Result<(), Diagnostic> {
    let failed = |path: &Path, error: std::io::Error| {
        Diagnostic::of(Code::File, format!("{} cannot be written: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for Written { name, text } in files {
        let path = folder.join(name);
        value::whole::replace(&path, |file| file.write_all(text.as_bytes()))
            .map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// The place of a row of the syntax: that of its first word or sign.
fn place(row: &Syntax) -> String {
    anchor(row.names.first().copied().unwrap_or_default())
}

/// What names a place of a page: words are themselves, operators are spelled.
fn anchor(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return name.to_owned();
    }
    let word = |sign: char| match sign {
        '+' => "plus".to_owned(),
        '-' => "minus".to_owned(),
        '*' => "times".to_owned(),
        '/' => "slash".to_owned(),
        '^' => "caret".to_owned(),
        '=' => "equal".to_owned(),
        '<' => "less".to_owned(),
        '>' => "greater".to_owned(),
        '#' => "hash".to_owned(),
        '@' => "at".to_owned(),
        '|' => "bar".to_owned(),
        '{' => "brace".to_owned(),
        '[' => "bracket".to_owned(),
        '(' => "parenthesis".to_owned(),
        ':' => "colon".to_owned(),
        ';' => "semicolon".to_owned(),
        '%' => "percent".to_owned(),
        '"' => "quote".to_owned(),
        '`' => "backquote".to_owned(),
        other => format!("{:x}", u32::from(other)),
    };
    name.chars().fold("op".to_owned(), |text, sign| text + "-" + &word(sign))
}

/// What is said below the text of a name: cost, effect, and who has it if not all do.
fn facts(described: &Described) -> Vec<String> {
    let Some(doc) = &described.doc else { return Vec::new() };
    let effect = described.effect.then(|| "has an effect: not inside an apply-to-each".to_owned());
    let status = match doc.status {
        prim::Status::Core => None,
        prim::Status::New => Some("new: NESL 3.1 does not have it"),
        prim::Status::Extended => Some("extended: other implementations may lack it"),
    };
    let cost = doc.cost.as_ref().map(ToString::to_string);
    cost.into_iter().chain(effect).chain(status.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn places_are_distinct() {
        let names: Vec<&str> = TOPICS.iter().flat_map(|topic| topic.names()).collect();
        let places: BTreeSet<String> = names.iter().map(|name| anchor(name)).collect();
        assert_eq!(places.len(), names.len());
        assert_eq!(anchor("->"), "op-minus-greater");
        assert_eq!(anchor("plus_scan"), "plus_scan");
        let rows: BTreeSet<String> = SYNTAX.iter().map(place).collect();
        assert_eq!(rows.len(), SYNTAX.len());
        // A number would say nothing.
        assert!(rows.iter().all(|row| !row.contains(|c: char| c.is_ascii_digit())), "{rows:?}");
    }

    /// A topic's word would hide a name.
    #[test]
    fn topics_are_no_names() {
        let names: BTreeSet<&str> = TOPICS.iter().flat_map(|topic| topic.names()).collect();
        for word in TOPICS.iter().map(|topic| topic.word).chain([SYNTAX_WORD]) {
            assert!(!names.contains(word) && syntax_of(word).is_none(), "{word}");
        }
        assert!(TOPICS.iter().all(|topic| topic.word != SYNTAX_WORD));
    }
}
