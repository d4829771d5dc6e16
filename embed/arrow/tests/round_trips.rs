//! Values of any type, given as arrays and taken again; in other layouts, too.

#![expect(unsafe_code, reason = "arrays are made of pointers")]

use arrow::{export_rows, import};
use prim::{Ty, Widths};
use proptest::collection::vec;
use proptest::prelude::*;
use types::Type;
use value::print::Style;
use value::{Columns, Shape, Value};

fn ty() -> impl Strategy<Value = Type> {
    let base = prop::sample::select(vec![Ty::I64, Ty::F64, Ty::Bool, Ty::Char]);
    base.prop_map(Type::Base).prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| Type::Seq(ty.into())),
            (inner.clone(), inner).prop_map(|(a, b)| Type::Pair(a.into(), b.into())),
        ]
    })
}

fn value(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Base(Ty::I64) => (-1000_i64..1000).prop_map(Value::Int).boxed(),
        Type::Base(Ty::F64) => (-8_i32..8).prop_map(|x| Value::Float(f64::from(x) / 2.0)).boxed(),
        Type::Base(Ty::Bool) => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Base(Ty::Char) => any::<u8>().prop_map(Value::Char).boxed(),
        Type::Seq(element) => vec(value(element), 0..5)
            .prop_map(|values| {
                let mut builder = value::SeqBuilder::with_capacity(values.len());
                values.into_iter().for_each(|value| builder.push(value));
                Value::Seq(builder.finish())
            })
            .boxed(),
        Type::Pair(a, b) => (value(a), value(b)).prop_map(|(a, b)| Value::pair(a, b)).boxed(),
        Type::Fun(..) | Type::Data(..) | Type::Var(_) => unreachable!("{ty:?} is not made"),
    }
}

fn rows() -> impl Strategy<Value = (Type, Vec<Value>)> {
    ty().prop_flat_map(|ty| {
        let rows = vec(value(&ty), 0..20);
        (Just(ty), rows)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_come_back((ty, rows) in rows(), narrow in any::<bool>()) {
        let widths = if narrow { Widths::NARROW } else { Widths::WIDE };
        let shape = Shape::of(&ty, &[], &base::IdMap::default());
        let text = |value: &Value| value.show(&shape, Style::FULL);
        let columns = Columns::of(&shape, widths, &rows).unwrap();
        let (schema, array) = export_rows(&shape, &columns, rows.len()).unwrap();
        // SAFETY: the array is as the interface says.
        let back = unsafe { import(&schema, array, widths) };
        // A lone char is a byte, and so comes back as an int.
        let chars = show(&ty).contains("Char");
        let strings = !has_lone_char(&ty);
        if !chars || strings {
            let back = back.unwrap();
            prop_assert_eq!(show(back.ty()), show(&ty));
            prop_assert_eq!(back.columns().lanes(), rows.len());
            for (lane, row) in rows.iter().enumerate() {
                prop_assert_eq!(text(&back.columns().value(&shape, lane)), text(row));
            }
        } else {
            prop_assert!(back.is_ok());
        }
    }

    /// Rows from anywhere, through all layouts that may have offsets.
    #[test]
    fn slices_are_what_they_show((ty, rows) in rows(), from in 0..20_usize, len in 0..20_usize) {
        let shape = Shape::of(&ty, &[], &base::IdMap::default());
        let text = |value: &Value| value.show(&shape, Style::FULL);
        let columns = Columns::of(&shape, Widths::WIDE, &rows).unwrap();
        let (schema, mut array) = export_rows(&shape, &columns, rows.len()).unwrap();
        let from = from.min(rows.len());
        let len = len.min(rows.len() - from);
        (array.offset, array.length) = (from as i64, len as i64);
        // SAFETY: the array is as the interface says.
        let back = unsafe { import(&schema, array, Widths::WIDE) }.unwrap();
        prop_assert_eq!(back.columns().lanes(), len);
        if !has_lone_char(&ty) {
            for (lane, row) in rows[from..from + len].iter().enumerate() {
                prop_assert_eq!(text(&back.columns().value(&shape, lane)), text(row));
            }
        }
    }
}

fn show(ty: &Type) -> String {
    format!("{ty:?}")
}

/// Returns true if a char stands outside of a sequence of chars.
fn has_lone_char(ty: &Type) -> bool {
    match ty {
        Type::Base(base) => *base == Ty::Char,
        Type::Seq(element) => **element != Type::Base(Ty::Char) && has_lone_char(element),
        Type::Pair(a, b) => has_lone_char(a) || has_lone_char(b),
        Type::Fun(..) | Type::Data(..) | Type::Var(_) => false,
    }
}
