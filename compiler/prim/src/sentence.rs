//! What a run-time error says: for each site a sentence over the two ints that a check saw.
//!
//! Engines make the sentence of it (`value::failure`), and programs that run by themselves print
//! it, so that all of them say the same.

use crate::ENDLESS;
use base::Site;

/// A sentence, in which `{a}` and `{b}` stand for the ints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// When it is the one to say.
    pub when: When,
    /// The sentence.
    pub text: &'static str,
}

/// What holds for the ints that a check saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Nothing in particular.
    Always,
    /// Both are 0.
    BothZero,
    /// The first is negative.
    Negative,
    /// The second is positive.
    Second,
    /// The second is negative.
    NoSecond,
    /// The second is this number.
    SecondIs(i64),
}

impl When {
    /// Whether it holds.
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            When::Always => true,
            When::BothZero => a == 0 && b == 0,
            When::Negative => a < 0,
            When::Second => b > 0,
            When::NoSecond => b < 0,
            When::SecondIs(n) => b == n,
        }
    }
}

const fn say(text: &'static str) -> Sentence {
    Sentence { when: When::Always, text }
}

/// The sentences for a site: the first that holds is the one to say, and the last always does.
pub fn sentences(site: Site) -> &'static [Sentence] {
    match site {
        Site::Divide => const { &[say("{a} is divided by 0")] },
        Site::Index => const { &[say("index {a} is outside a sequence of length {b}")] },
        Site::Range => {
            const {
                &[
                    Sentence { when: When::BothZero, text: "the step of a range is 0" },
                    say("{a} is beyond the ends of a sequence of length {b}"),
                ]
            }
        }
        Site::Length => {
            const {
                &[
                    Sentence { when: When::Negative, text: "the length {a} is negative" },
                    say("the lengths {a} and {b} do not fit"),
                ]
            }
        }
        Site::Permute => {
            const {
                &[
                    Sentence {
                        when: When::NoSecond,
                        text: "the positions of {a} elements are no permutation: one is repeated",
                    },
                    say(
                        "the positions of {b} elements are no permutation: {a} is wrong or repeated",
                    ),
                ]
            }
        }
        Site::Domain => const { &[say("the argument {a} is outside the domain of the function")] },
        Site::User => const { &[say("the program stopped with an error")] },
        Site::File => const { &[say("a file could not be read or written")] },
        Site::Memory => {
            const {
                &[
                    Sentence { when: When::Second, text: "no room for {a} bytes more" },
                    Sentence {
                        when: When::SecondIs(ENDLESS),
                        text: "the recursion never ends: this call is made again with the same \
                               arguments",
                    },
                    Sentence {
                        when: When::NoSecond,
                        text: "out of memory for a sequence of more than 2^47 elements",
                    },
                    say("the recursion is too deep: there is no stack left"),
                ]
            }
        }
    }
}
