//! The texts of the library: everything of it that is not a primitive, in NESL.
//!
//! Knows nothing of what reads them; `README.md` says how they are written.

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
    use super::FILES;
    use base::Files;
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
