//! What the fuzz targets share: the shapes that inputs are read as, and a place for files.

use prim::{Ty, Widths};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};
use value::print::Style;
use value::{Columns, Shape};

/// Shapes of parameters; one of each kind of reader.
pub fn shapes() -> Vec<Shape> {
    let scalar = Shape::Scalar;
    let seq = |element| Shape::Seq(Box::new(element));
    let point = Shape::Data {
        name: "point".into(),
        fields: Box::new(Shape::pair(scalar(Ty::F64), scalar(Ty::F64))),
    };
    vec![
        scalar(Ty::I64),
        seq(scalar(Ty::F64)),
        seq(scalar(Ty::Bool)),
        seq(scalar(Ty::Char)),
        seq(seq(scalar(Ty::Char))),
        seq(seq(scalar(Ty::F64))),
        seq(Shape::pair(scalar(Ty::I64), scalar(Ty::I64))),
        seq(seq(Shape::pair(scalar(Ty::I64), scalar(Ty::F64)))),
        Shape::pair(seq(scalar(Ty::I64)), seq(seq(scalar(Ty::I64)))),
        seq(point),
        seq(seq(seq(scalar(Ty::I64)))),
    ]
}

/// The widths that inputs are read with.
pub const WIDTHS: [Widths; 2] = [Widths::WIDE, Widths::NARROW];

/// A file of this content and ending, for this process alone; each call replaces the last one's.
pub fn file(content: &[u8], ending: &str) -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { env::temp_dir() };
        parent.join(format!("nesl-fuzz-{}", process::id()))
    });
    fs::create_dir_all(&*FOLDER).expect("a folder for files");
    let path = FOLDER.join(format!("input.{ending}"));
    fs::write(&path, content).expect("a file");
    path
}

/// What was read prints as a literal that reads back as the same value.
pub fn check_literal(columns: &Columns, shape: &Shape, widths: Widths) {
    let shown = columns.show(shape, 0, Style::SOURCE.of_widths(widths));
    let text = shown.escape_ascii();
    let again = value::input::read_literal(&shown, shape, widths, "v", &value::Budget::unlimited())
        .unwrap_or_else(|error| panic!("\"{text}\" as {shape}: {}", error.message));
    let back = again.show(shape, 0, Style::SOURCE.of_widths(widths));
    assert_eq!(shown, back, "\"{text}\" as {shape}");
}
