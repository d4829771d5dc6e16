//! Calls of a function with empty sequences, made from its type.

use base::{FileId, Id};
use syntax::ast::{ClassBound, Type, TypeKind};

/// A function at one instance of its type, and lists of arguments for it.
pub(crate) struct Call {
    name: String,
    /// The types of the arguments.
    parts: Vec<Ty>,
    /// Texts of the arguments, those of one call together.
    arguments: Vec<Vec<String>>,
}

/// A type without variables.
#[derive(Clone)]
enum Ty {
    Scalar(String),
    Seq(Box<Ty>),
    Tuple(Vec<Ty>),
    Table(Box<Ty>),
    /// Of one value or of two.
    Function {
        of_two: bool,
    },
}

/// How full the sequences of an argument are.
#[derive(Clone, Copy)]
enum Fill {
    /// They are empty.
    Empty,
    /// Those of sequences have two empty ones, others are empty.
    Rows,
    /// All have one element.
    One,
}

/// The calls of a function with arguments that can be empty, for some instances of its type.
pub(crate) fn calls(name: &str, ty: &str) -> Vec<Call> {
    let (ty, bounds) = syntax::parse_type(FileId::new(0), ty)
        .unwrap_or_else(|error| panic!("{name} : {ty}: {}", error.message));
    let TypeKind::Function(params, _) = &ty.kind else { return Vec::new() };
    let int = || Ty::Scalar("int".to_owned());
    let pair = Ty::Tuple(vec![int(), Ty::Seq(Box::new(Ty::Scalar("char".to_owned())))]);
    let has_any = bounds.iter().any(|bound| bound.class.text == "any");
    let elements = [int(), Ty::Seq(Box::new(int())), pair];
    let instances = elements.iter().take(if has_any { elements.len() } else { 1 });
    instances.filter_map(|element| Call::new(name, instance(params, &bounds, element)?)).collect()
}

/// The type with `element` for variables of the class `any`; none for types without literals.
fn instance(ty: &Type, bounds: &[ClassBound], element: &Ty) -> Option<Ty> {
    let inside = |ty: &Type| instance(ty, bounds, element);
    Some(match &ty.kind {
        TypeKind::Name(name, None) => {
            let bound = bounds.iter().find(|bound| bound.var.text == name.text);
            match bound.map(|bound| bound.class.text.as_str()) {
                None if name.text == "stream" => return None,
                None => Ty::Scalar(name.text.clone()),
                Some("number") => Ty::Scalar("int".to_owned()),
                Some("ordinal") => Ty::Scalar("float".to_owned()),
                Some("logical") => Ty::Scalar("bool".to_owned()),
                Some(_) => element.clone(),
            }
        }
        TypeKind::Name(name, Some(arguments)) if name.text == "hashtable" => {
            Ty::Table(Box::new(inside(arguments)?))
        }
        TypeKind::Name(_, Some(_)) => return None,
        TypeKind::Seq(element) => Ty::Seq(Box::new(inside(element)?)),
        TypeKind::Pair(first, rest) => {
            let mut parts = vec![inside(first)?];
            match inside(rest)? {
                Ty::Tuple(rest) => parts.extend(rest),
                rest => parts.push(rest),
            }
            Ty::Tuple(parts)
        }
        TypeKind::Function(params, _) => {
            Ty::Function { of_two: matches!(params.kind, TypeKind::Pair(..)) }
        }
    })
}

impl Call {
    /// None if nothing in the arguments can be empty.
    fn new(name: &str, params: Ty) -> Option<Call> {
        let parts = match params {
            Ty::Tuple(parts) => parts,
            one => vec![one],
        };
        let places: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].can_be_empty()).collect();
        if places.is_empty() {
            return None;
        }
        let mut arguments: Vec<Vec<String>> = Vec::new();
        // Of ints beside sequences, some functions refuse 0, others 1.
        let is_int = |part: &Ty| matches!(part, Ty::Scalar(name) if name == "int");
        let ints = if parts.iter().any(is_int) { vec!["0", "1"] } else { vec!["0"] };
        for int in ints {
            let all = |fill| parts.iter().map(|part| part.text(fill, int)).collect::<Vec<String>>();
            arguments.extend([Fill::Empty, Fill::Rows, Fill::One].map(all));
            for &place in &places {
                for fill in [Fill::Empty, Fill::Rows] {
                    let mut one = all(Fill::One);
                    one[place] = parts[place].text(fill, int);
                    arguments.push(one);
                }
            }
        }
        arguments.sort();
        arguments.dedup();
        Some(Call { name: name.to_owned(), parts, arguments })
    }

    /// A form for each call.
    pub(crate) fn alone(&self) -> Vec<String> {
        let form = |arguments: &Vec<String>| format!("{}({});\n", self.name, arguments.join(", "));
        self.arguments.iter().map(form).collect()
    }

    /// A form with these calls, a lane for each.
    pub(crate) fn in_lanes(&self, calls: &[usize]) -> String {
        self.each(|place| {
            let lanes: Vec<&str> =
                calls.iter().map(|&call| self.arguments[call][place].as_str()).collect();
            if lanes.is_empty() {
                self.parts[place].none()
            } else {
                format!("[{}]", lanes.join(", "))
            }
        })
    }

    /// A form with the call in no lanes.
    pub(crate) fn in_no_lanes(&self) -> String {
        self.each(|place| self.parts[place].none())
    }

    /// An apply-to-each that takes argument i from `source(i)`; functions are the same everywhere.
    fn each(&self, source: impl Fn(usize) -> String) -> String {
        let (mut arguments, mut generators) = (Vec::new(), Vec::new());
        for (place, part) in self.parts.iter().enumerate() {
            if matches!(part, Ty::Function { .. }) {
                arguments.push(part.text(Fill::One, "0"));
            } else {
                arguments.push(format!("z{place}"));
                generators.push(format!("z{place} in {}", source(place)));
            }
        }
        format!("{{{}({}) : {}}};\n", self.name, arguments.join(", "), generators.join("; "))
    }
}

impl Ty {
    fn can_be_empty(&self) -> bool {
        match self {
            Ty::Scalar(_) | Ty::Function { .. } => false,
            Ty::Seq(_) | Ty::Table(_) => true,
            Ty::Tuple(parts) => parts.iter().any(Ty::can_be_empty),
        }
    }

    /// The type as NESL writes it.
    fn name(&self) -> String {
        match self {
            Ty::Scalar(name) => name.clone(),
            Ty::Seq(element) => format!("[{}]", element.name()),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(Ty::name).collect::<Vec<String>>().join(", "))
            }
            Ty::Table(entry) => format!("hashtable({})", entry.name()),
            Ty::Function { .. } => unreachable!("no sequence holds functions"),
        }
    }

    /// An empty sequence of values of this type.
    fn none(&self) -> String {
        format!("[] {}", self.name())
    }

    /// A value with such sequences, and this int for ints.
    fn text(&self, fill: Fill, int: &str) -> String {
        match (self, fill) {
            (Ty::Scalar(name), _) => match name.as_str() {
                "int" => int.to_owned(),
                "float" => "1.5".to_owned(),
                "bool" => "t".to_owned(),
                "char" => "`a".to_owned(),
                name => unreachable!("{name} is no type of scalars"),
            },
            (Ty::Seq(element), Fill::One) => format!("[{}]", element.text(fill, int)),
            (Ty::Seq(element), Fill::Rows) if element.can_be_empty() => {
                let row = element.text(Fill::Empty, int);
                format!("[{row}, {row}]")
            }
            (Ty::Seq(element), _) => element.none(),
            (Ty::Tuple(parts), _) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(fill, int)).collect();
                format!("({})", parts.join(", "))
            }
            (Ty::Table(entry), _) => {
                format!("create_table({})", Ty::Seq(entry.clone()).text(fill, int))
            }
            (Ty::Function { of_two: true }, _) => "((p, q) => q)".to_owned(),
            (Ty::Function { of_two: false }, _) => "(p => p)".to_owned(),
        }
    }
}
