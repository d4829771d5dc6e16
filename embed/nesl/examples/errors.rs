//! Errors: what is wrong, where in the text, and in which row of the data.

use nesl::{Error, Nested, Options, Session};

pub(crate) fn main() -> Result<(), Error> {
    let session = Session::new(&Options::default())?;

    // A text that is wrong is told as by the command.
    let error = session.compile("function total(a) = sum(b);").unwrap_err();
    assert_eq!((error.code(), error.message()), ("N0204", "`b` is not defined"));
    assert_eq!(error.span().map(|span| (span.line, span.column)), Some((1, 25)));

    // Types are checked before a call.
    let program =
        session.compile("function picks(a, rows) = {{a[i] : i in row} : row in rows};")?;
    assert!(program.get::<fn(&[f64], &[i64]) -> Vec<f64>>("picks").is_err());

    // An error of a call has the lanes in which it arose: row 2, and element 1 of it.
    let picks = program.get::<fn(&[f64], &Nested<i64>) -> Nested<f64>>("picks")?;
    let rows = Nested::from_rows([vec![0, 1], vec![], vec![1, 7]]);
    let error = picks.call(&[0.5, 1.5], &rows).unwrap_err();
    assert_eq!((error.code(), error.lanes()), ("N0502", &[2, 1][..]));
    assert_eq!(error.message(), "index 7 is outside a sequence of length 2");
    // The whole message, with the text.
    assert!(error.to_string().starts_with("error[N0502]: "));

    // The function can be called again.
    let rows = Nested::from_rows([vec![0, 1, 0]]);
    assert_eq!(picks.call(&[0.5, 1.5], &rows)?.row(0), [0.5, 1.5, 0.5]);
    Ok(())
}
