//! The texts of the library: everything of it that is not a primitive, in NESL.
//!
//! Knows nothing of what evaluates them; `README.md` says how they are written.  Beside the texts
//! stand their table of [contents](TOPICS) and the reader of [documentation strings](Doc).

mod also;
mod doc;
mod synonyms;
mod syntax;
mod topics;

pub use doc::{Cost, Doc, Example, Gives, documentation};
pub use synonyms::{SYNONYMS, synonyms_of};
pub use syntax::{SYNTAX, Syntax, syntax_of};
pub use topics::{COSTS, TOPICS, Topic};

/// The files, by name; each uses only primitives and files before it.
pub const FILES: &[(&str, &str)] = &[
    ("convert.nesl", include_str!("convert.nesl")),
    ("compare.nesl", include_str!("compare.nesl")),
    ("arithmetic.nesl", include_str!("arithmetic.nesl")),
    ("sequence.nesl", include_str!("sequence.nesl")),
    ("scan.nesl", include_str!("scan.nesl")),
    ("move.nesl", include_str!("move.nesl")),
    ("nest.nesl", include_str!("nest.nesl")),
    ("sort.nesl", include_str!("sort.nesl")),
    ("set.nesl", include_str!("set.nesl")),
    ("table.nesl", include_str!("table.nesl")),
    ("text.nesl", include_str!("text.nesl")),
    ("number.nesl", include_str!("number.nesl")),
    ("output.nesl", include_str!("output.nesl")),
    ("show.nesl", include_str!("show.nesl")),
    ("stream.nesl", include_str!("stream.nesl")),
];

#[cfg(test)]
mod tests {
    use super::{Cost, Doc, Example, FILES, Gives, SYNONYMS, SYNTAX, TOPICS, documentation};
    use base::Files;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use syntax::ast::{Form, FormKind, Group};
    use types::Checker;
    use value::on_big_stack;

    #[test]
    fn every_file_is_listed() {
        let folder = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut there: Vec<_> = names.filter(|name| name.ends_with(".nesl")).collect();
        let mut listed: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        there.sort();
        listed.sort();
        assert_eq!(there, listed);
    }

    #[test]
    fn synonyms_lead_to_names() {
        let names: BTreeSet<&str> = TOPICS.iter().flat_map(|topic| topic.names()).collect();
        let words: BTreeSet<&str> = SYNTAX.iter().flat_map(|row| row.names).copied().collect();
        for (synonyms, targets) in SYNONYMS {
            assert!(!synonyms.is_empty());
            for target in *targets {
                assert!(names.contains(target) || words.contains(target), "{target}");
            }
        }
    }

    #[test]
    fn a_word_of_the_language_stands_in_one_row() {
        let words: Vec<&str> = SYNTAX.iter().flat_map(|row| row.names).copied().collect();
        let once: BTreeSet<&str> = words.iter().copied().collect();
        assert_eq!(words.len(), once.len());
    }

    /// Each file is given after those before it, so that it cannot use later ones.
    #[test]
    fn files_check_in_order() {
        on_big_stack(|| {
            for end in 1..=FILES.len() {
                let (files, groups) = parse(&FILES[..end]);
                if let Err(errors) = Checker::new(&groups) {
                    panic!("{}", errors[0].render(&files, false));
                }
            }
        });
    }

    /// A type is written at every function, and lines are at most a hundred columns long.
    #[test]
    fn functions_have_types() {
        let (_, groups) = parse(FILES);
        for form in groups.iter().flat_map(|group| &group.forms) {
            assert!(has_type(form), "{form:?}");
        }
        for (name, text) in FILES {
            for (line, number) in text.lines().zip(1..) {
                assert!(line.len() <= 100, "{name}:{number}");
            }
        }
    }

    /// A checker that knows the library.
    fn checker() -> Checker {
        let (files, groups) = parse(FILES);
        Checker::new(&groups).unwrap_or_else(|errors| panic!("{}", errors[0].render(&files, false)))
    }

    #[test]
    fn every_name_belongs_to_one_topic() {
        on_big_stack(|| {
            let checker = checker();
            let listed: Vec<&str> = TOPICS.iter().flat_map(|topic| topic.names()).collect();
            let distinct: BTreeSet<&str> = listed.iter().copied().collect();
            assert_eq!(distinct.len(), listed.len(), "a name stands in two topics");
            for name in checker.names() {
                assert!(distinct.contains(name), "`{name}` stands in no topic");
            }
            for name in listed {
                assert!(checker.lookup(name).is_some(), "there is no `{name}`");
            }
        });
    }

    /// That examples are right is tested where they can be evaluated.
    #[test]
    fn every_name_has_text_cost_and_example() {
        on_big_stack(|| {
            let checker = checker();
            for name in TOPICS.iter().flat_map(|topic| topic.names()) {
                let global = checker.lookup(name).unwrap();
                let doc = documentation(name, &checker.program.globals[global]);
                let doc = doc.unwrap_or_else(|| panic!("`{name}` is not documented"));
                // That of `time(e)` is told in words.
                let told = |cost: &Cost| !cost.depth.is_empty() || cost.work == "as e";
                let costs = doc.cost.as_ref().is_some_and(told);
                let words = doc.text.split_whitespace().count();
                assert!(costs && words > 0 && !doc.examples.is_empty(), "{name}: {doc:?}");
            }
        });
    }

    #[test]
    fn documentation_strings_are_read() {
        let doc = Doc::parse(
            "the sum: of all,\n   and more\n\n  cost: n\n   log n / 1\nexample: f(1,\n     2) ==> 3\n\
             example: g(x)\nprints: a: b\n  example: h(\"==>\") ==> fails (index)\nstatus: new",
        );
        assert_eq!(doc.text, "the sum: of all,\nand more");
        assert_eq!(
            doc.lines()[2..],
            [
                "work n log n, depth 1",
                "f(1, 2) ==> 3",
                "g(x), prints a: b",
                "h(\"==>\") ==> fails (index)",
            ]
        );
        let last = Example {
            input: "h(\"==>\")".to_owned(),
            gives: Some(Gives::Failure("index".to_owned())),
            prints: None,
        };
        assert_eq!(doc.examples.last(), Some(&last));
        assert_eq!(doc.status, prim::Status::New);
        assert_eq!(Doc::parse(""), Doc::default());
        assert_eq!(Doc::parse("cost: much").lines(), ["cost much"]);
        // What belongs to no example is left out.
        assert_eq!(Doc::parse("prints: a").lines(), [""; 0]);
    }

    fn has_type(form: &Form) -> bool {
        match &form.kind {
            FormKind::Function(function) => function.ty.is_some(),
            // A constant has that of its value.
            kind => matches!(kind, FormKind::Datatype(_) | FormKind::Binding(..)),
        }
    }

    fn parse(texts: &[(&str, &str)]) -> (Files, Vec<Group>) {
        let mut files = Files::new();
        let groups = texts
            .iter()
            .map(|(name, text)| syntax::parse(files.add_library(*name, *text), text.as_bytes()))
            .collect();
        (files, groups)
    }
}
