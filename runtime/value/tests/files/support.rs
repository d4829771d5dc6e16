//! Folders, and shapes from text.

use base::Diagnostic;
use prim::Ty;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use value::print::Style;
use value::{Columns, Shape};

/// A folder for the files of one check, removed afterwards.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("nesl-value-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Reads a type such as `[(int, float)]`.
pub(crate) fn shape(text: &str) -> Shape {
    let mut rest = text;
    let shape = one_shape(&mut rest);
    assert_eq!(rest, "");
    shape
}

fn one_shape(text: &mut &str) -> Shape {
    let inner = |text: &mut &str, open: char, close: char| {
        let body = text.strip_prefix(open)?;
        let mut rest = body;
        let mut parts = vec![one_shape(&mut rest)];
        while let Some(more) = rest.strip_prefix(", ") {
            rest = more;
            parts.push(one_shape(&mut rest));
        }
        *text = rest.strip_prefix(close).unwrap();
        Some(parts)
    };
    if let Some(mut parts) = inner(text, '[', ']') {
        return Shape::Seq(Box::new(parts.remove(0)));
    }
    if let Some(parts) = inner(text, '(', ')') {
        let mut parts = parts.into_iter().rev();
        let last = parts.next().unwrap();
        return parts.fold(last, |rest, first| Shape::pair(first, rest));
    }
    for (word, ty) in [("int", Ty::I64), ("float", Ty::F64), ("bool", Ty::Bool), ("char", Ty::Char)]
    {
        if let Some(rest) = text.strip_prefix(word) {
            *text = rest;
            return Shape::Scalar(ty);
        }
    }
    let rest = text.strip_prefix("point").unwrap();
    *text = rest;
    let fields = Box::new(Shape::pair(Shape::Scalar(Ty::F64), Shape::Scalar(Ty::F64)));
    Shape::Data { name: "point".into(), fields }
}

pub(crate) fn shown(result: Result<Columns, Diagnostic>, shape: &Shape, folder: &Folder) -> String {
    match result {
        Ok(columns) => String::from_utf8_lossy(&columns.show(shape, 0, Style::FULL)).into_owned(),
        Err(error) => {
            let text = format!("{}: {}", error.kind, error.message);
            text.replace(&format!("{}/", folder.0.display()), "")
        }
    }
}
