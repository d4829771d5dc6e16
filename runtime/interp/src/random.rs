//! Where random numbers come from: a number is a hash of *where* it is drawn.
//!
//! Every evaluation has a **key**, an int that tells its place in the run: the seed and the form,
//! and from there on the chain of calls and lanes that lead to it.  Two draws have different keys,
//! and a key depends on nothing but the path; so every engine gives the same numbers, in whatever
//! order and however parallel it evaluates.  With [`Widths::mix`] (splitmix64's finaliser):
//!
//! ```text
//! key of a form              mix(seed, number of forms evaluated since the seed was set)
//! key inside a call          mix(key, site of the call)
//! key in lane i of an each   mix(mix(key, site of the each), i)       i: index in the sources
//! random_bits                mix(key, site of its call)
//! ```
//!
//! The **site** of an expression is `(start - origin) * 2^32 + (end - start)` with the bytes of its
//! span and of the start of the form, body of a function or function value that it stands in; so it
//! does not change when text is added elsewhere, documentation either, and equal forms have equal
//! sites; where ints have 32 bits it is the low half of `mix(site, 0)`.  A function value is called
//! from where it is applied, not from where it was made.  A function that the host calls by itself
//! is called at site 0.
//!
//! `rand_seed(n)` sets the seed; the current form counts as the first one since.  The evaluation
//! that called it goes on with `mix(n, 0)`, and with the start of the call that led to `rand_seed`
//! as the origin, so that equal texts behind two equal seeds draw equal numbers.

use base::Span;
use prim::Widths;

/// The place of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// The hash of the path.
    pub bits: i64,
    /// The byte from which sites are counted.
    pub origin: u32,
    /// Whether the host calls from here: from no place in a text, which is site 0.
    pub host: bool,
    /// Of the ints that keys are.
    pub widths: Widths,
}

impl Key {
    /// In a form that starts at `origin`, after `forms` other forms since the seed was set.
    pub fn of_form(widths: Widths, seed: i64, forms: i64, origin: u32) -> Key {
        Key { bits: widths.mix(seed, forms), origin, host: false, widths }
    }

    /// Inside a function whose body starts at `origin`, called at `call`.
    pub fn in_call(self, call: Span, origin: u32) -> Key {
        Key { bits: self.mix(self.site(call)), origin, host: false, ..self }
    }

    /// In the apply-to-each at `each`, lane not yet chosen.
    pub fn in_each(self, each: Span) -> Key {
        Key { bits: self.mix(self.site(each)), ..self }
    }

    /// In a lane of the apply-to-each.
    pub fn in_lane(self, lane: usize) -> Key {
        Key { bits: self.mix(lane as i64), ..self }
    }

    /// The bits that `random_bits` gives when it is called at `call`.
    pub fn draw(self, call: Span) -> i64 {
        self.mix(self.site(call))
    }

    fn mix(self, by: i64) -> i64 {
        self.widths.mix(self.bits, by)
    }

    fn site(self, span: Span) -> i64 {
        if self.host {
            return self.widths.site(0);
        }
        let start = i64::from(span.start) - i64::from(self.origin);
        let site = (start << 32).wrapping_add(i64::from(span.end) - i64::from(span.start));
        self.widths.site(site)
    }
}
