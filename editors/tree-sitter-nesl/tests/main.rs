//! The grammar for editors against the compiler's own parser, on all NESL texts of the repository.

mod outline;
mod queries;

use base::{Code, Id};
use outline::{Part, of_compiler, of_editor};
use syntax::SyntaxKind;
use testkit::random::Random;
use testkit::texts::{Text, all, texts};
use tree_sitter::{Parser, Tree};

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_nesl::LANGUAGE.into()).unwrap();
    parser
}

/// The tree of the grammar for editors.
fn editor(parser: &mut Parser, text: &[u8]) -> Tree {
    parser.parse(text, None).unwrap()
}

fn compiler(text: &[u8]) -> syntax::Tree {
    syntax::parse_tree(base::FileId::new(0), text)
}

/// Whether only values are wrong, which no grammar of this kind tells: a number that does not fit.
fn only_values_are_wrong(tree: &syntax::Tree) -> bool {
    let mut errors = tree.errors().iter().flatten();
    errors.all(|error| matches!(error.code, Code::NumberTooLarge | Code::LongText))
}

/// What the two parsers disagree about; both accept a text, or neither does.
fn disagreement(parser: &mut Parser, text: &[u8]) -> Option<String> {
    let (ours, theirs) = (compiler(text), editor(parser, text));
    if ours.errors().iter().any(|form| !form.is_empty()) {
        let found = theirs.root_node().has_error() || only_values_are_wrong(&ours);
        return (!found).then(|| format!("accepted: {}", theirs.root_node().to_sexp()));
    }
    if theirs.root_node().has_error() {
        return Some(format!("refused: {}", theirs.root_node().to_sexp()));
    }
    let (ours, theirs) = (of_compiler(&ours), of_editor(&theirs, text));
    let differ = |at: &usize| ours.get(*at) != theirs.get(*at);
    let at = (0..ours.len().max(theirs.len())).find(differ)?;
    let shown = |parts: &[Part]| format!("{:?}", parts.get(at));
    Some(format!("part {at} is {}, for editors {}", shown(&ours), shown(&theirs)))
}

fn check(parser: &mut Parser, name: &str, text: &[u8]) {
    if let Some(difference) = disagreement(parser, text) {
        panic!("{name}: {difference}\n{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn all_texts_have_the_same_tree() {
    let mut parser = parser();
    for Text { name, text } in texts() {
        check(&mut parser, &name, &text);
    }
}

#[test]
fn what_does_not_parse_has_an_error() {
    let mut parser = parser();
    // Blocks of documents may be of any language; what they are is no matter.
    let wrong: Vec<Text> = all().into_iter().filter(|it| !it.parses()).collect();
    assert!(wrong.len() > 100, "{} texts are too few", wrong.len());
    for Text { name, text } in wrong {
        check(&mut parser, &name, &text);
    }
}

/// Tokens of the text, white space and comments among them.
fn tokens(text: &[u8]) -> Vec<(SyntaxKind, Vec<u8>)> {
    let tree = compiler(text);
    let tokens = tree.root().descendants_with_tokens().filter_map(|part| part.into_token());
    tokens.map(|it| (it.kind(), tree.bytes(it.text_range()).to_vec())).collect()
}

/// The text with a few tokens left out, given twice, exchanged, or taken from elsewhere in it.
fn changed(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut tokens = tokens(text);
    for _ in 0..1 + random.below(2) {
        let solid = (0..tokens.len()).filter(|at| !tokens[*at].0.is_trivia());
        let solid: Vec<usize> = solid.collect();
        if solid.is_empty() {
            break;
        }
        let (at, other) = (*random.pick(&solid), *random.pick(&solid));
        match random.below(4) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[other].clone()),
            2 => tokens.swap(at, other),
            _ => tokens[at] = tokens[other].clone(),
        }
    }
    let separate = |(_, text): (SyntaxKind, Vec<u8>)| [text, b" ".to_vec()].concat();
    tokens.into_iter().flat_map(separate).collect()
}

#[test]
fn changed_texts_have_the_same_tree_or_an_error() {
    let mut parser = parser();
    let mut random = Random::new(1);
    let (mut right, mut wrong) = (0, 0);
    for Text { name, text } in texts().iter().filter(|it| it.text.len() < 400) {
        for _ in 0..4 {
            let text = changed(text, &mut random);
            check(&mut parser, name, &text);
            let parses = Text { name: String::new(), text }.parses();
            *(if parses { &mut right } else { &mut wrong }) += 1;
        }
    }
    assert!(right > 500 && wrong > 500, "{right} that parse and {wrong} that do not are too few");
}

/// What takes more than one token ahead, and words that are reserved in some places only.
#[test]
fn words_and_signs_are_read_by_what_follows() {
    let mut parser = parser();
    let texts = [
        "show settings; show(3); show if t then a else b; show = 1; show + 1; SHOW % c % names$",
        "help; help t; help .5 ; help _; set x 5; describe \"->\"; load \"a\"; {help; exit in s};",
        "f(a, b := 1, c := 2); f(if p then x else y, b % c % := 1); f((a, b), c); (f)(a, b);",
        "function f(x) : a -> t :: a in any; t in number; function g(a, b := 1, c := f) = a;",
        "function f(x) : a -> t :: (a in any; t in number); g(x); datatype d(a) :: a in any; a;",
        "[] int (x); [] kv(int) (x); [] t; [] [int] [0]; []; int(x); function int x = float x;",
        "IF T THEN f ELSE LET a = _ IN a; iff; tt; f_; `%; `\"; \"% \\\" \\\\ %\"; a<-1; a < -1; 1e; 1.e2;",
        ": a; : f(a) + 1; :; :if t then a else b$ : % c % load; : a = 1; : a, b; :: a; := a; : : a; :-1;",
        "load a; load a ++ \"b\"; load a b; load \"a\" ++ b, c; load; load 5; load .5; load 1.5; load 1e;",
        "load .5 + 1; load 1e5; load 1e+; set a 1e5; set a 5 .5; load {a : a in b; c in d}; load(a); load t; load if; load + a;",
        "load a = 1; LOAD % c % a % ; % + b$ load {a}; load -1; load `a; load _; load 5 if t then a else b;",
        "describe a b 5; describe t; Describe _; describe t a; describe 5; describe .5; describe 1e; help t;",
        "describe `;; describe `\\n; describe `\\; describe `a b; apropos % c % if % ; %$ apropos if a;",
        "describe; describe ;; describe $; describe %; describe 1.; describe . ; describe []; describe :: =;",
        "a.5; 1..5; \"a\nb\"; % c % a % d %; %%",
    ];
    for text in texts {
        for form in text.split_inclusive("; ") {
            check(&mut parser, "a form", form.as_bytes());
        }
        check(&mut parser, "all", text.as_bytes());
    }
}

#[test]
fn all_words_and_signs_can_be_described() {
    let mut parser = parser();
    let mut described = 0;
    for kind in SyntaxKind::ALL.iter().filter(|kind| !kind.is_terminator()) {
        let Some(sign) = kind.text() else { continue };
        for command in ["describe", "APROPOS", "help", "load", "a"] {
            for text in [
                format!("{command} {sign};"),
                format!("{command}{sign}$"),
                format!("{command} % c % {sign} % ; % ;"),
                format!("{command} {sign} a;"),
                format!("{command} {sign} {sign};"),
                format!("{command} {sign}"),
            ] {
                check(&mut parser, "a form", text.as_bytes());
                described += usize::from(Text { name: String::new(), text: text.into() }.parses());
            }
        }
    }
    let signs = SyntaxKind::ALL.iter().filter(|kind| kind.text().is_some()).count();
    assert!(described > 4 * (signs - 2), "{described} forms are too few");
}
