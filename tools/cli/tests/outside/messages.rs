//! Messages of the command: syntax, synonyms, types, and calls in files with wrong functions.

use super::{check, folder};
use crate::transcript::transcript;
use expect_test::{Expect, expect};
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::io;
use std::path::Path;
use stdlib::{SYNONYMS, SYNTAX};

/// Compares the output of a session with this standard input.
#[track_caller]
fn says(input: &str, expected: &Expect) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    expected.assert_eq(&transcript(folder, "repl --engine interp", &[], input));
}

/// A session that interprets, and prints nowhere.
fn session() -> Session {
    Session::new(&Options::new(EngineKind::Interp), Box::new(io::sink())).unwrap()
}

/// Runs a text in a session, which forgets it again.  Returns the values, the texts, and the
/// messages of the errors.
fn events(session: &mut Session, text: &str) -> Vec<String> {
    let mut told = Vec::new();
    let _ = session.run("text", text.as_bytes(), &mut |_, event| match event {
        Event::Shown { value, .. } => told.push(String::from_utf8(value).unwrap()),
        Event::Said(text) => told.push(text),
        Event::Failed(errors) => told.extend(errors.iter().map(|error| error.message.clone())),
        Event::Warning(warning) => told.push(warning.message),
    });
    session.reset();
    told
}

#[test]
fn examples_of_the_syntax_give_their_values() {
    let mut session = session();
    for row in SYNTAX {
        let (input, value) = row.example;
        let told = events(&mut session, input);
        assert_eq!(told.last().map(String::as_str), Some(value), "{input}");
    }
}

#[test]
fn every_word_and_sign_is_described() {
    let mut session = session();
    for name in SYNTAX.iter().flat_map(|row| row.names) {
        // Quotes, comments and ends of forms are no words by themselves.
        let word = match *name {
            "%" | "`" | ";" | "$" => format!("\"{name}\""),
            "\"" => "\"\\\"\"".to_owned(),
            name => name.to_owned(),
        };
        let told = events(&mut session, &format!("describe {word};"));
        let form = SYNTAX.iter().find(|row| row.names.contains(name)).unwrap().form;
        assert!(told.len() == 1 && told[0].contains(form), "{name}: {told:?}");
    }
}

#[test]
fn describe_takes_a_word_or_a_sign() {
    says(
        "describe if; describe ->; describe nothing; describe 3;",
        &expect![[r#"
        if condition then value else value
        one of two values of one type; only that one is evaluated
        example: if 2 > 1 then "more" else "less";  ==> "more"
        -> : ([a], [int]) -> [a] :: (a in any)
        v -> i: the elements v[i[0]], v[i[1]], ...; fails (index)
        work m + S, depth 1
        "abcd" -> [3, 0, 0] ==> "daa"
        "abcd" -> [4] ==> fails (index)
        -- stderr
        error[N0210]: there is no name `nothing`
         --> <stdin>:1:36
          |
        1 | describe if; describe ->; describe nothing; describe 3;
          |                                    ^^^^^^^
          |
          = help: `apropos word;` finds names by what is said of them

        error[N0210]: there is no name `3`
         --> <stdin>:1:54
          |
        1 | describe if; describe ->; describe nothing; describe 3;
          |                                                      ^
          |
          = help: `apropos word;` finds names by what is said of them

        -- exit 1
    "#]],
    );
}

#[test]
fn apropos_knows_other_words() {
    let mut session = session();
    for (words, names) in SYNONYMS {
        // All words of a row lead to the same names.
        let told = events(&mut session, &format!("apropos \"{}\";", words[0])).join("\n");
        let heads = told.lines().filter_map(|line| line.split(" : ").next());
        let found: Vec<&str> = heads.flat_map(|head| head.split(' ')).collect();
        for name in *names {
            assert!(found.contains(name), "{}: no {name} in\n{told}", words[0]);
        }
    }
    says(
        "apropos cumsum; apropos then; apropos nonsense;",
        &expect![[r#"
        scan : ((a, a) -> a, a, [a]) -> ([a], a) :: (a in any)
        plus_scan : [a] -> [a] :: (a in number)
        mult_scan : [a] -> [a] :: (a in number)
        max_scan : [a] -> [a] :: (a in ordinal)
        min_scan : [a] -> [a] :: (a in ordinal)
        if then else : if condition then value else value
        print_debug : ([char], a) -> a :: (a in any)
        nothing is known about `nonsense`
        -- exit 0
    "#]],
    );
}

#[test]
fn a_colon_asks_for_a_type_and_runs_nothing() {
    says(
        ": [1, 2]; : sum([0:1000000000000]); : x => x; : print_line(\"no\"); : 1 + `a; it;",
        &expect![[r#"
            [1, 2] : [int]
            sum([0:1000000000000]) : int
            x => x : a -> a :: (a in any)
            print_line("no") : bool
            -- stderr
            error[N0302]: `+` needs int here, found char
             --> <stdin>:1:73
              |
            1 | : [1, 2]; : sum([0:1000000000000]); : x => x; : print_line("no"); : 1 + `a; it;
              |                                                                     -   ^^ this is char
              |                                                                     |
              |                                                                     this is int
              |
              = note: `+` has type (a, a) -> a :: (a in number)
              = help: `char_code` gives the code of a char

            error[N0204]: `it` is not defined
             --> <stdin>:1:77
              |
            1 | : [1, 2]; : sum([0:1000000000000]); : x => x; : print_line("no"); : 1 + `a; it;
              |                                                                             ^^ unknown name

            -- exit 1
        "#]],
    );
    let shape = folder("asked", &[("ask.nesl", b"a = 3;\n: a + 1;\n: error(\"no\");\n")]);
    check(
        &shape,
        "run ask.nesl --engine interp",
        &expect![[r#"
        a = 3 : int
        a + 1 : int
        error("no") : bool
        -- exit 0
    "#]],
    );
}

#[test]
fn a_wrong_function_does_not_keep_others_from_being_called() {
    let files: &[(&str, &[u8])] = &[(
        "some.nesl",
        b"function right(x) = x + 1;\n\
          function wrong(x) = x + `a;\n\
          function uses(x) = right(wrong(x));\n\
          limit = wrong(3);\n\
          function above(x) = x > limit;\n\
          function broken(x) = (x;\n",
    )];
    let folder = folder("some-wrong", files);
    check(
        &folder,
        "run some.nesl --engine interp --errors short --entry right x=1",
        &expect![[r#"
            it = 2 : int
            -- stderr
            some.nesl:2:25: type: `+` needs int or float here, found char [N0302]
            some.nesl:6:24: parse: expected `)`, found `;` [N0101]
            -- exit 1
        "#]],
    );
    check(
        &folder,
        "run some.nesl --engine interp --entry uses x=1",
        &expect![[r#"
        -- stderr
        error[N0302]: `+` needs int or float here, found char
         --> some.nesl:2:25
          |
        2 | function wrong(x) = x + `a;
          |                     -   ^^ this is char
          |                     |
          |                     this is int or float
          |
          = note: `+` has type (a, a) -> a :: (a in number)

        error[N0101]: expected `)`, found `;`
         --> some.nesl:6:24
          |
        6 | function broken(x) = (x;
          |                      - ^
          |                      |
          |                      opened here

        `uses` is not called, as a form that it needs failed
        more about these errors: nesl explain N0302; nesl explain N0101
        -- exit 1
    "#]],
    );
    check(
        &folder,
        "run some.nesl --engine interp --errors short --entry above x=1",
        &expect![[r#"
            -- stderr
            some.nesl:2:25: type: `+` needs int or float here, found char [N0302]
            some.nesl:6:24: parse: expected `)`, found `;` [N0101]
            -- exit 1
        "#]],
    );
    check(
        &folder,
        "cost some.nesl --errors short --entry right x=1",
        &expect![[r#"
         form                work  depth  parallelism 
         right  some.nesl:1     6      6          1.0 

         function               calls  own work   share  work  depth  parallelism 
         right     some.nesl:1      1         6  100.0%     6      6          1.0 

         line         own work   share  work  depth  parallelism  text                       
         some.nesl:1         6  100.0%     6      6          1.0  function right(x) = x + 1; 
        -- stderr
        some.nesl:2:25: type: `+` needs int or float here, found char [N0302]
        some.nesl:6:24: parse: expected `)`, found `;` [N0101]
        -- exit 1
    "#]],
    );
}

/// Its other functions would mean the one that was replaced.
#[test]
fn a_function_that_uses_a_wrong_definition_is_not_called() {
    let replaced: &[(&str, &[u8])] = &[(
        "replaced.nesl",
        b"function part(x) = x;\n\
          function whole(x) = part(x);\n\
          function part(x) = x + `a;\n\
          y = 1 / 0;\n",
    )];
    let folder = folder("replaced-wrong", replaced);
    check(
        &folder,
        "run replaced.nesl --engine interp --errors short --entry whole x=1",
        &expect![[r#"
            -- stderr
            replaced.nesl:3:24: type: `+` needs int or float here, found char [N0302]
            replaced.nesl:4:5: runtime(divide): 1 is divided by 0 [N0501]
            -- exit 1
        "#]],
    );
}

#[test]
fn load_takes_what_is_known_before_the_program_runs() {
    let files: &[(&str, &[u8])] = &[
        (
            "main.nesl",
            b"place = \"parts-\";\n\
              load place ++ \"one.nesl\";\n\
              one + 1;\n\
              load \"parts-\" ++ two;\n",
        ),
        ("parts-one.nesl", b"one = 1;\ntwo = \"two\";\n"),
        ("parts-two.nesl", b"3;\n"),
        ("late.nesl", b"n = 1;\nload \"part\" ++ @n;\nload nowhere;\n"),
    ];
    let folder = folder("load-known", files);
    check(
        &folder,
        "run main.nesl --engine interp",
        &expect![[r#"
        place = "parts-" : [char]
        one = 1 : int
        two = "two" : [char]
        it = 2 : int
        it = 3 : int
        -- exit 0
    "#]],
    );
    check(
        &folder,
        "check main.nesl",
        &expect![[r#"
        -- exit 0
    "#]],
    );
    check(
        &folder,
        "run late.nesl --engine interp",
        &expect![[r#"
        n = 1 : int
        -- stderr
        error[N0108]: the file that `load` names must be known before the program runs
         --> late.nesl:2:6
          |
        2 | load "part" ++ @n;
          |      ^^^^^^^^^^^^ this is not
          |
          = help: a path is a string, a name bound to a string, or several of them joined by `++`

        error[N0508]: nowhere cannot be read: No such file or directory (os error 2)
         --> late.nesl:3:6
          |
        3 | load nowhere;
          |      ^^^^^^^

        more about these errors: nesl explain N0108; nesl explain N0508
        -- exit 1
    "#]],
    );
}
