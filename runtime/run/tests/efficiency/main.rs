//! Work efficiency: what compiled code reads and writes grows as the cost model of the language
//! says.  Every promise is measured at several sizes of its input, by counting elements; nothing
//! depends on time.

/// The text of an example.
macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../../examples/", $name, "/", $name, ".nesl"))
    };
}

mod branches;
mod constructs;
mod counting;
mod lent;
mod library;
mod measure;
mod programs;
mod promise;
mod sequences;
mod slices;
