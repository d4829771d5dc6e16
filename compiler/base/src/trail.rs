//! The calls that had not returned when a program failed, as few lines: calls that one place makes
//! again and again are counted, and of very many only the innermost and outermost are kept.

use crate::span::{Files, Span};

/// So many calls are kept from each end.
const KEPT: usize = 6;

/// Calls from one place, in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<F> {
    /// What is called.
    pub callee: F,
    /// What calls it.
    pub caller: F,
    /// Where.
    pub span: Span,
    /// How often in a row.
    pub times: u64,
}

/// Calls around a place, the innermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trail<F> {
    calls: Vec<Call<F>>,
    /// How many are left out behind the first [`KEPT`].
    omitted: u64,
}

impl<F> Default for Trail<F> {
    fn default() -> Trail<F> {
        Trail { calls: Vec::new(), omitted: 0 }
    }
}

impl<F> Trail<F> {
    /// Adds a call around those that are there.
    pub fn push(&mut self, call: Call<F>) {
        match self.calls.last_mut() {
            Some(last) if last.span == call.span => last.times += call.times,
            _ => self.calls.push(call),
        }
        if self.calls.len() > 2 * KEPT {
            self.omitted += self.calls.remove(KEPT).times;
        }
    }

    /// Adds calls around those that are there; they were put down in the order in which they were
    /// made, that is the outermost first.
    pub fn push_made(&mut self, made: Trail<F>) {
        // What was left out stood in the middle, and so it does now.
        self.omitted += made.omitted;
        made.calls.into_iter().rev().for_each(|call| self.push(call));
    }

    /// Takes the outermost call away.
    pub fn pop(&mut self) {
        if let Some(last) = self.calls.last_mut() {
            last.times -= 1;
            if last.times == 0 {
                self.calls.pop();
            }
        }
    }

    /// Keeps the calls from places that `wanted` is true of.
    pub fn retain(&mut self, wanted: impl Fn(Span) -> bool) {
        self.calls.retain(|call| wanted(call.span));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The same with other names for functions.
    pub fn map<G>(&self, name: impl Fn(&F) -> G) -> Trail<G> {
        let named = |call: &Call<F>| Call {
            callee: name(&call.callee),
            caller: name(&call.caller),
            span: call.span,
            times: call.times,
        };
        Trail { calls: self.calls.iter().map(named).collect(), omitted: self.omitted }
    }
}

impl Trail<Option<String>> {
    /// A line for each place: callees without a name are function values, callers without one
    /// are forms.
    pub fn lines(&self, files: &Files) -> Vec<String> {
        let mut lines: Vec<String> = Vec::with_capacity(self.calls.len() + 1);
        for (n, call) in self.calls.iter().enumerate() {
            if n == KEPT && self.omitted > 0 {
                lines.push(format!("... {} calls more", self.omitted));
            }
            let callee = call.callee.as_ref().map_or("a function".to_owned(), |f| called(f));
            let caller =
                call.caller.as_ref().map_or(String::new(), |f| format!("in {} ", called(f)));
            let times =
                if call.times > 1 { format!(", {} times", call.times) } else { String::new() };
            lines.push(format!("{callee} is called {caller}at {}{times}", files.place(call.span)));
        }
        lines
    }
}

/// A function as users know it: `f.p` is the default of the parameter `p` of `f`.
fn called(function: &str) -> String {
    match function.split_once('.') {
        Some((function, parameter)) => format!("the default of `{parameter}` of `{function}`"),
        None => format!("`{function}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, KEPT, Trail};
    use crate::span::{FileId, Files, Span};

    /// A call of `f<place>`, at this byte.
    fn call(file: FileId, place: u32) -> Call<Option<String>> {
        let span = Span { file, start: place, end: place + 1 };
        Call { callee: Some(format!("f{place}")), caller: None, span, times: 1 }
    }

    fn places(trail: &Trail<Option<String>>) -> Vec<(u32, u64)> {
        trail.calls.iter().map(|call| (call.span.start, call.times)).collect()
    }

    #[test]
    fn calls_of_one_place_are_counted() {
        let mut files = Files::new();
        let file = files.add("a.nesl", b"0123456789".to_vec());
        let mut trail = Trail::default();
        for place in [3, 3, 3, 5, 3] {
            trail.push(call(file, place));
        }
        assert_eq!(places(&trail), [(3, 3), (5, 1), (3, 1)]);
        let lines = trail.lines(&files);
        assert_eq!(lines[0], "`f3` is called at a.nesl:1:4, 3 times");
        trail.pop();
        assert_eq!(places(&trail), [(3, 3), (5, 1)]);
    }

    /// However calls come in, none is lost in the count, and the ends are kept.
    #[test]
    fn the_middle_is_left_out() {
        let mut files = Files::new();
        let file = files.add("a.nesl", vec![b' '; 100]);
        for (inner, tail) in [(0, 40), (1, 40), (5, 9), (20, 3), (40, 40), (13, 0)] {
            let (mut trail, mut made) = (Trail::default(), Trail::default());
            let all = inner + tail;
            (0..inner).for_each(|n| trail.push(call(file, n)));
            (inner..all).rev().for_each(|n| made.push(call(file, n)));
            trail.push_made(made);
            let told = places(&trail);
            assert_eq!(told.len() as u64 + trail.omitted, u64::from(all), "{inner} {tail}");
            let kept = u32::try_from(told.len().min(KEPT)).unwrap();
            for n in 0..kept {
                assert_eq!(told[n as usize].0, n, "{inner} {tail}");
                assert_eq!(told[told.len() - 1 - n as usize].0, all - 1 - n, "{inner} {tail}");
            }
        }
    }
}
