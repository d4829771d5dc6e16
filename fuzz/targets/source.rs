//! Any bytes: the lexer and the parser take them, the tree holds every byte, each form is whole,
//! has its errors, or follows from such a form, and what the formatter makes of a text without
//! errors stays as it is.
#![no_main]

use base::{FileId, Id, Kind};
use libfuzzer_sys::fuzz_target;
use std::thread;
use syntax::ast::FormKind;

/// Enough for what nests as deeply as the largest inputs.
const STACK: usize = 512 << 20;

fuzz_target!(|text: &[u8]| {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || check(text));
        worker.expect("a thread").join().expect("no panic");
    });
});

fn check(text: &[u8]) {
    let file = FileId::new(0);
    let tree = syntax::parse_tree(file, text);
    let mut end = 0;
    for token in tree.root().descendants_with_tokens().filter_map(|it| it.into_token()) {
        let range = token.text_range();
        assert_eq!(usize::from(range.start()), end, "tokens leave no byte out");
        end = range.end().into();
    }
    assert_eq!(end, text.len());
    let group = syntax::parse(file, text);
    assert_eq!(group.forms.len(), tree.errors().len());
    let mut wrong = false;
    for form in &group.forms {
        if let FormKind::Error(errors) = &form.kind {
            // What only follows from a mistake before has no error of its own.
            wrong |= !errors.is_empty();
            assert!(wrong && errors.iter().all(|error| error.kind != Kind::Bug));
        }
    }
    for width in [format::WIDTH, 20] {
        match format::format(file, text, width) {
            Ok(once) => {
                let twice = format::format(file, &once, width).expect("it parses");
                assert!(once == twice, "{}", String::from_utf8_lossy(&once));
            }
            Err(errors) => assert!(errors.iter().all(|error| error.kind != Kind::Bug)),
        }
    }
}
