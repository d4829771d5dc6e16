//! Pictures of compiled programs: what is fused, and when vectors are in memory.

use base::svg::Picture;
use base::{Files, Span};
use plan::lifetimes::Lifetimes;

/// What there is to draw of a program.
#[derive(Clone, Default, Debug)]
pub struct Drawings {
    /// Partitions of the functions' blocks.
    pub partitions: Vec<fuse::Drawing>,
    /// The vectors of functions.
    pub lifetimes: Vec<Lifetimes>,
}

impl Drawings {
    /// What another program has, behind these.
    pub fn append(&mut self, mut more: Drawings) {
        self.partitions.append(&mut more.partitions);
        self.lifetimes.append(&mut more.lifetimes);
    }

    /// One picture (SVG); what is of the source is marked by its line and text.
    pub fn svg(&self, files: &Files) -> String {
        let source = |span: Span| {
            let file = files.file(span.file);
            let (line, _) = files.line_column(span.file, span.start);
            let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            if file.library {
                format!("{}:{line}: {text}", file.name)
            } else {
                format!("{line}: {text}")
            }
        };
        let mut picture = Picture::default();
        for partition in &self.partitions {
            fuse::draw(&mut picture, partition, &source);
        }
        for lifetimes in &self.lifetimes {
            plan::lifetimes::draw(&mut picture, lifetimes, &source);
        }
        picture.finish()
    }
}
