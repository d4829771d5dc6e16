//! Files and streams: LIBRARY section 13.
//!
//! A stream is a number.  Those of the process are 0, 1 and 2; an open file has a larger one, which
//! no other file has in the same session.  What is written is in the file when the call returns.
//!
//! An object is the text of a value as NESL reads it, on one line.

use crate::failure::{Failure, int};
use crate::machine::Machine;
use prim::{StreamOp, Widths};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use value::input::read_object;
use value::memory::heap;
use value::print::Style;
use value::reading::reading;
use value::{Shape, Value};

/// The end of the stream came first.
const AT_END: i64 = -1;
/// The limit of characters came first.
const AT_MOST: i64 = -2;
/// There was no memory for more.
const FULL: i64 = -3;
/// The first number of a file.
const FIRST: usize = 3;

/// The open files of a session.
#[derive(Default)]
pub(crate) struct Streams {
    /// By their numbers from [`FIRST`] on; those that are closed are none.
    files: Vec<Option<Open>>,
}

struct Open {
    /// The path as the program gave it.
    name: String,
    stream: Stream,
}

enum Stream {
    Input(BufReader<File>),
    Output(File),
}

/// What is told to the program: `(ok, message)`.
fn told(done: &Result<(), String>) -> Value {
    let message = done.as_ref().err().map_or("", String::as_str);
    Value::pair(Value::Bool(done.is_ok()), Value::string(message))
}

impl Machine<'_> {
    pub(crate) fn stream(&mut self, op: StreamOp, operands: &[Value]) -> Result<Value, Failure> {
        let chars = |i: usize| operands[i].seq();
        Ok(match op {
            StreamOp::Open => {
                let opened = self.streams().open(chars(0).as_chars(), operands[1].int());
                let number = opened.as_ref().map_or(-1, |&number| int(number));
                Value::pair(Value::Int(number), told(&opened.map(drop)))
            }
            StreamOp::Close => told(&self.streams().close(operands[0].int())),
            StreamOp::Read => {
                let (ends, most) = (chars(0), operands[1].int());
                // What was asked for shall be seen before the answer is waited for.
                self.flush_output()?;
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                let mut text = Vec::new();
                // Of the text there may be a second copy, while it grows.
                let room = self.room() / 2;
                let limits = Limits { ends: ends.as_chars(), most, room };
                let read = self.streams().read(operands[2].int(), &limits, &mut text);
                if read == Ok(FULL) {
                    return Err(Failure::larger(room));
                }
                let status = *read.as_ref().unwrap_or(&AT_END);
                let got = Value::pair(Value::string(text), Value::Int(status));
                Value::pair(got, told(&read.map(drop)))
            }
            StreamOp::Write => {
                let (text, stream) = (chars(0), operands[1].int());
                let text = text.as_chars();
                if stream == 1 {
                    self.print(text)?;
                    return Ok(told(&Ok(())));
                }
                told(&self.streams().write(stream, text))
            }
        })
    }
}

impl Streams {
    fn open(&mut self, name: &[u8], mode: i64) -> Result<usize, String> {
        let name = String::from_utf8_lossy(name).into_owned();
        let path = Path::new(&name);
        let opened = match mode {
            0 => File::open(path).map(|file| Stream::Input(BufReader::new(file))),
            1 => File::create(path).map(Stream::Output),
            _ => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                file.map(Stream::Output)
            }
        };
        match opened {
            Ok(stream) => {
                self.files.push(Some(Open { name, stream }));
                Ok(FIRST + self.files.len() - 1)
            }
            Err(error) => Err(format!("`{name}` cannot be opened: {error}")),
        }
    }

    fn close(&mut self, number: i64) -> Result<(), String> {
        if (0..int(FIRST)).contains(&number) {
            return Err(format!("{} stays open", shown(number)));
        }
        self.place(number).and_then(Option::take).map(drop).ok_or_else(|| not_open(number))
    }

    fn place(&mut self, number: i64) -> Option<&mut Option<Open>> {
        let place = usize::try_from(number).ok()?.checked_sub(FIRST)?;
        self.files.get_mut(place)
    }

    /// Adds what is read to `text`; gives what ended it.
    fn read(
        &mut self,
        number: i64,
        limits: &Limits<'_>,
        text: &mut Vec<u8>,
    ) -> Result<i64, String> {
        if number == 0 {
            let read = reading(|| read_from(&mut io::stdin().lock(), limits, text));
            return read.map_err(unusable(&shown(number), "read"));
        }
        match self.place(number).and_then(Option::as_mut) {
            Some(Open { name, stream: Stream::Input(file) }) => {
                read_from(file, limits, text).map_err(unusable(&format!("`{name}`"), "read"))
            }
            Some(Open { name, .. }) => Err(format!("`{name}` is open for writing")),
            None if number == 1 || number == 2 => {
                Err(format!("{} is open for writing", shown(number)))
            }
            None => Err(not_open(number)),
        }
    }

    fn write(&mut self, number: i64, text: &[u8]) -> Result<(), String> {
        if number == 2 {
            return io::stderr().write_all(text).map_err(unusable(&shown(number), "written"));
        }
        match self.place(number).and_then(Option::as_mut) {
            Some(Open { name, stream: Stream::Output(file) }) => {
                file.write_all(text).map_err(unusable(&format!("`{name}`"), "written"))
            }
            Some(Open { name, .. }) => Err(format!("`{name}` is open for reading")),
            None if number == 0 => Err(format!("{} is open for reading", shown(number))),
            None => Err(not_open(number)),
        }
    }
}

/// A stream without a path, as the program sees it.
fn shown(number: i64) -> String {
    format!("stream({number})")
}

fn not_open(number: i64) -> String {
    format!("{} is not open", shown(number))
}

fn unusable(name: &str, done: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("{name} cannot be {done}: {error}")
}

/// The limits of a read.
struct Limits<'a> {
    /// Characters of which the first one ends it.
    ends: &'a [u8],
    /// The most characters that the program wants.
    most: usize,
    /// The most characters for which there is memory.
    room: usize,
}

/// Reads up to the first limit; a character that ends it is taken, too.
fn read_from(
    from: &mut dyn BufRead,
    &Limits { ends, most, room }: &Limits<'_>,
    text: &mut Vec<u8>,
) -> io::Result<i64> {
    loop {
        let left = most - text.len();
        if left == 0 {
            return Ok(AT_MOST);
        }
        let there = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if there.is_empty() {
            return Ok(AT_END);
        }
        let there = &there[..there.len().min(left)];
        let end = there.iter().position(|c| ends.contains(c));
        let taken = end.unwrap_or(there.len());
        let fits = text.len() + taken <= room;
        if !fits || heap::fallibly(|| text.try_reserve(taken)).is_err() {
            return Ok(FULL);
        }
        text.extend_from_slice(&there[..taken]);
        let end = end.map(|at| i64::from(there[at]));
        from.consume(taken + usize::from(end.is_some()));
        if let Some(code) = end {
            return Ok(code);
        }
    }
}

/// The text of a value that [`object_value`] reads.
pub(crate) fn object_text(value: &Value, shape: &Shape, widths: Widths) -> Vec<u8> {
    value.show(shape, Style::SOURCE.of_widths(widths))
}

/// `(value, ok, message)`: the value of this shape that a text shows; the sample if it shows none.
pub(crate) fn object_value(sample: &Value, text: &Value, shape: &Shape, widths: Widths) -> Value {
    let read = read_object(text.seq().as_chars(), shape, widths);
    let value = match &read {
        Ok(columns) => columns.value(shape, 0),
        Err(_) => sample.clone(),
    };
    Value::pair(value, told(&read.map(drop)))
}
