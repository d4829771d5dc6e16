//! How long the server takes for a change in a long text, over the protocol and in memory.
//!
//! `cargo bench -p nesl-lsp` prints for each change the time of the process until the errors of
//! the new text arrive, the least of some rounds; then that of the requests that editors make for a
//! whole text.  Behind `--` a number is that of the
//! functions of the text, and words choose those changes that have one of them in their names.

#![expect(clippy::print_stdout, reason = "the times are what it is for")]

use lsp::Connection;
use lsp_server::{Message, Notification, Request, RequestId};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};

const URI: &str = "file:///long.nesl";
/// How often each change is made and undone.
const ROUNDS: usize = 3;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (numbers, words): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.parse::<usize>().is_ok());
    let count = numbers.iter().find_map(|number| number.parse().ok()).unwrap_or(30_000);
    let (connection, other) = Connection::memory();
    let server = std::thread::spawn(move || lsp::serve(&other));
    let mut editor = Editor { connection, sent: 0 };
    editor.request("initialize", json!({ "capabilities": {} }));
    editor.notify("initialized", json!({}));

    let texts = [("each uses the one before", chain(count)), ("long ones", long(count))];
    for (name, text) in texts {
        println!("{count} functions, {name}: {} KB", text.len() / 1024);
        let (start, open) =
            (cpu(), json!({ "uri": URI, "languageId": "nesl", "version": 1, "text": text }));
        editor.notify("textDocument/didOpen", json!({ "textDocument": open }));
        let errors = editor.errors();
        println!("{:>8} ms  opening ({errors} messages)", cpu() - start);
        let chosen = changes(&text, count).into_iter().filter(|(name, _)| {
            words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
        });
        for (name, changed) in chosen {
            let mut least = [i64::MAX; 2];
            let mut errors = 0;
            for _ in 0..ROUNDS {
                for (least, text) in least.iter_mut().zip([&changed, &text]) {
                    let start = cpu();
                    editor.change(text);
                    let found = editor.errors();
                    *least = (cpu() - start).min(*least);
                    errors = errors.max(found);
                }
            }
            let [there, back] = least;
            println!("{there:>8} ms  {name}, {back} back ({errors} messages)");
        }
        let position = json!({ "line": count / 2, "character": 10 });
        let end = json!({ "line": count * 10, "character": 0 });
        for feature in [
            "semanticTokens/full",
            "documentSymbol",
            "codeLens",
            "foldingRange",
            "inlayHint",
            "hover",
            "completion",
            "references",
        ] {
            let start = cpu();
            editor.request(
                &format!("textDocument/{feature}"),
                json!({
                    "textDocument": { "uri": URI },
                    "position": position,
                    "range": { "start": { "line": 0, "character": 0 }, "end": end },
                    "context": { "includeDeclaration": true },
                }),
            );
            println!("{:>8} ms  {feature}", cpu() - start);
        }
        editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
        editor.errors();
    }
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    assert!(server.join().is_ok(), "the server has ended by itself");
}

/// The time that the process has run, in milliseconds.
fn cpu() -> i64 {
    getrusage(UsageWho::RUSAGE_SELF)
        .map_or(0, |usage| (usage.user_time() + usage.system_time()).num_milliseconds())
}

/// Functions of one line, each of which uses the one before it.
fn chain(count: usize) -> String {
    let next = |n: usize| format!("function f{n}(x) = let y = f{}(x) in y + {n};\n", n - 1);
    std::iter::once("function f0(x) = x;\n".to_owned()).chain((1..count).map(next)).collect()
}

/// Functions of several lines with types and comments, which use the library and some others.
fn long(count: usize) -> String {
    let one = |n: usize| {
        let used = if n == 0 { "sum".to_owned() } else { format!("f{}", n / 2) };
        format!(
            "% The {n}th function. %\n\
             function f{n}(s) : [int] -> int =\n  \
             let doubled = {{x + x : x in s | x > {n}}};\n      \
             (low, high) = (min_val(doubled ++ [1]), max_val(doubled ++ [2]))\n  \
             in if low < high then {used}(s) else low * high;\n\n"
        )
    };
    (0..count).map(one).collect()
}

/// Changes of a text.
fn changes(text: &str, count: usize) -> Vec<(&'static str, String)> {
    let middle = format!("function f{}(", count / 2);
    let (before, after) = text.split_at(text.find(&middle).unwrap_or(0));
    let first = text.find("function f1(").unwrap_or(0);
    let comment = |at: usize| format!("{}% é %\n{}", &text[..at], &text[at..]);
    let edited = |from: &str, to: &str| format!("{before}{}", after.replacen(from, to, 1));
    vec![
        ("nothing", text.to_owned()),
        ("a comment at the start", comment(0)),
        ("a comment in the middle", comment(before.len())),
        ("a comment at the end", format!("{text}% é %\n")),
        ("a body in the middle", edited(";\n", " + 0;\n")),
        ("a name in the middle", edited("function f", "function g")),
        ("an error in the middle", edited(";\n", " + ;\n")),
        ("an unknown name in the middle", edited(";\n", " + unknown;\n")),
        ("an open brace in the middle", edited("= ", "= {")),
        ("a comment that is not closed", format!("{}% {}", &text[..first], &text[first..])),
        ("a function in the middle", format!("{before}function new(x) = x + 1;\n{after}")),
    ]
}

/// An editor that talks to the server.
struct Editor {
    connection: Connection,
    sent: i32,
}

impl Editor {
    fn change(&mut self, text: &str) {
        self.sent += 1;
        let document = json!({ "uri": URI, "version": self.sent + 1 });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }
    fn notify(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }
    fn request(&mut self, method: &str, params: Value) {
        self.sent += 1;
        let id = RequestId::from(self.sent);
        self.send(Request::new(id.clone(), method.to_owned(), params).into());
        loop {
            if let Some(Message::Response(response)) = self.next() {
                assert_eq!(response.id, id, "requests are answered in their order");
                return;
            }
        }
    }
    /// How many errors the server tells next.
    fn errors(&self) -> usize {
        loop {
            if let Some(Message::Notification(told)) = self.next()
                && told.method == "textDocument/publishDiagnostics"
            {
                return told.params["diagnostics"].as_array().map_or(0, Vec::len);
            }
        }
    }
    fn send(&self, message: Message) {
        assert!(self.connection.sender.send(message).is_ok(), "the server is there");
    }
    fn next(&self) -> Option<Message> {
        let message = self.connection.receiver.recv();
        assert!(message.is_ok(), "the server is there");
        message.ok()
    }
}
