//! Schemas: what an array is, read once before its data is looked at.

use crate::abi::ArrowSchema;
use crate::error::Error;
use crate::extension::{BOOL8, is_named};
use crate::layout::{Int, Layout};
use prim::{Ty, Width};
use std::ffi::CStr;
use types::Type;
use value::typed::Path;

/// Levels of nesting beyond which a schema is refused, because what reads it recurses.
const DEEPEST: usize = 64;

/// The widths of the numbers of some arrays.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// The widths of ints.
    pub ints: Sizes,
    /// The widths of floats.
    pub floats: Sizes,
}

/// The widths of numbers of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sizes {
    /// True if there are some that 32 bits hold.
    pub narrow: bool,
    /// True if there are some that take 64 bits.
    pub wide: bool,
}

impl Sizes {
    /// The width in which all have room, if there are any.
    pub fn common(self) -> Option<Width> {
        match (self.narrow, self.wide) {
            (_, true) => Some(Width::W64),
            (true, false) => Some(Width::W32),
            (false, false) => None,
        }
    }
}

/// Adds the widths of the numbers of an array to those that were found, and gives the type of its
/// rows.
///
/// # Safety
///
/// The schema is as the interface says, or has been let go.
pub unsafe fn describe(schema: &ArrowSchema, found: &mut Found) -> Result<Type, Error> {
    // SAFETY: as the caller says.
    let field = unsafe { Field::read(schema, &Path::default()) }?;
    field.note(found);
    Ok(field.ty())
}

/// The type of an array.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) layout: Layout,
    pub(crate) children: Vec<Field>,
    /// The values of a dictionary, whose indices have the layout.
    pub(crate) dictionary: Option<Box<Field>>,
}

impl Field {
    /// Reads a schema.
    ///
    /// # Safety
    ///
    /// The schema is as the interface says, or has been let go.
    pub(crate) unsafe fn read(schema: &ArrowSchema, path: &Path) -> Result<Field, Error> {
        // SAFETY: as the caller says.
        unsafe { Field::read_at(schema, path, 0) }
    }

    unsafe fn read_at(schema: &ArrowSchema, path: &Path, depth: usize) -> Result<Field, Error> {
        let broken = |what: &str| Error::at(path, format!("the schema {what}"));
        if schema.release.is_none() {
            return Err(broken("has been released"));
        }
        if depth > DEEPEST {
            return Err(broken(&format!("has more than {DEEPEST} levels")));
        }
        if schema.format.is_null() {
            return Err(broken("has no format"));
        }
        // SAFETY: it is a text of C.
        let format = unsafe { CStr::from_ptr(schema.format) }.to_string_lossy();
        let layout = match Layout::of(&format, path)? {
            // SAFETY: metadata is as the interface says.
            Layout::Int(Int::I8) if unsafe { is_named(schema.metadata, BOOL8) } => Layout::ByteBool,
            layout => layout,
        };
        let wanted = match layout {
            Layout::List(_) | Layout::ListView(_) | Layout::FixedList(_) => Some(1),
            Layout::Struct => None,
            _ => Some(0),
        };
        let count = usize::try_from(schema.n_children).unwrap_or(0);
        if wanted.is_some_and(|wanted| wanted != count) {
            return Err(broken(&format!("of format `{format}` has {count} children")));
        }
        if layout == Layout::Struct && count == 0 {
            return Err(Error::at(path, "a struct without fields is no tuple"));
        }
        let mut children = Vec::new();
        for n in 0..count {
            let path = match layout {
                Layout::Struct if count > 1 => path.part(n + 1),
                Layout::Struct => path.clone(),
                _ => path.element(),
            };
            // SAFETY: there are so many children.
            let child = unsafe { schema.children.add(n).read().as_ref() };
            let child = child.ok_or_else(|| broken("lacks a child"))?;
            // SAFETY: children are as the interface says, too.
            children.push(unsafe { Field::read_at(child, &path, depth + 1) }?);
        }
        // SAFETY: null or as the interface says.
        let dictionary = match unsafe { schema.dictionary.as_ref() } {
            None => None,
            Some(_) if !matches!(layout, Layout::Int(_)) => {
                return Err(broken("has a dictionary whose indices are no ints"));
            }
            // SAFETY: as above.
            Some(values) => Some(Box::new(unsafe { Field::read_at(values, path, depth + 1) }?)),
        };
        Ok(Field { layout, children, dictionary })
    }

    /// The type of a row.
    pub(crate) fn ty(&self) -> Type {
        if let Some(values) = &self.dictionary {
            return values.ty();
        }
        match self.layout {
            Layout::Bool | Layout::ByteBool => Type::Base(Ty::Bool),
            Layout::Int(_) => Type::Base(Ty::I64),
            Layout::Float(_) => Type::Base(Ty::F64),
            Layout::Bytes(..) | Layout::ByteViews(_) | Layout::FixedBytes(_) => {
                Type::Seq(Type::Base(Ty::Char).into())
            }
            Layout::List(_) | Layout::ListView(_) | Layout::FixedList(_) => {
                Type::Seq(self.children[0].ty().into())
            }
            Layout::Struct => {
                let mut parts = self.children.iter().rev().map(Field::ty);
                let last = parts.next().unwrap_or_else(|| unreachable!("a struct has fields"));
                parts.fold(last, |rest, first| Type::Pair(first.into(), rest.into()))
            }
        }
    }

    /// Notes the widths of the numbers.
    fn note(&self, found: &mut Found) {
        if let Some(values) = &self.dictionary {
            return values.note(found);
        }
        match self.layout {
            Layout::Int(Int::I64 | Int::U64 | Int::U32) => found.ints.wide = true,
            Layout::Int(_) => found.ints.narrow = true,
            Layout::Float(8) => found.floats.wide = true,
            Layout::Float(_) => found.floats.narrow = true,
            _ => {}
        }
        self.children.iter().for_each(|child| child.note(found));
    }

    /// The kind of the indices of a dictionary.
    pub(crate) fn indices(&self) -> Int {
        match self.layout {
            Layout::Int(int) => int,
            _ => unreachable!("indices are ints"),
        }
    }
}
