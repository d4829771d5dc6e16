//! Codes of messages: a number that stays when the words of a message change.
//!
//! Whoever sees a message can look its code up: `nesl explain N0204` shows a page with a program
//! that has the error and one that has not.  The first two digits say what kind of error it is.

use crate::diag::{Kind, Site};
use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal $kind:expr;)+) => {
        /// What is wrong, among the errors of one [`Kind`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// The code as it is shown.
            pub fn name(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }

            /// The page of the book about it, in Markdown.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$name => {
                        include_str!(concat!("../../../docs/errors/", $text, ".md"))
                    }),+
                }
            }

            /// The kind of error it belongs to.
            pub fn kind(self) -> Kind {
                match self { $(Code::$name => $kind),+ }
            }
        }
    };
}

codes! {
    /// A token that does not belong where it stands.
    UnexpectedToken = "N0101" Kind::Parse;
    /// A comment without an end.
    UnclosedComment = "N0102" Kind::Parse;
    /// A string without an end.
    UnclosedString = "N0103" Kind::Parse;
    /// A number that no int or float of the program is as large as.
    NumberTooLarge = "N0104" Kind::Parse;
    /// A character that begins no token.
    UnknownCharacter = "N0105" Kind::Parse;
    /// A backquote with no character behind it.
    MissingCharacter = "N0106" Kind::Parse;
    /// A backslash with a character that makes no escape.
    UnknownEscape = "N0107" Kind::Parse;
    /// A command with arguments that it does not take.
    CommandArguments = "N0108" Kind::Parse;

    /// An expression where something is bound.
    InvalidPattern = "N0201" Kind::Pattern;
    /// A name twice in one pattern.
    BoundTwice = "N0202" Kind::Pattern;
    /// The wildcard as an expression.
    Wildcard = "N0203" Kind::Undefined;
    /// A name that nothing defines.
    UnknownName = "N0204" Kind::Undefined;
    /// A type that nothing defines.
    UnknownType = "N0205" Kind::Undefined;
    /// A class of types that does not exist.
    UnknownClass = "N0206" Kind::Undefined;
    /// A pattern that takes apart what is no datatype.
    UnknownDatatype = "N0207" Kind::Undefined;
    /// A function that is used before those that it uses are defined.
    Incomplete = "N0208" Kind::Undefined;
    /// A function that is declared, and defined nowhere.
    OnlyDeclared = "N0209" Kind::Undefined;
    /// A command's argument that names nothing.
    UnknownTopic = "N0210" Kind::Undefined;
    /// A local name without a use: a warning.
    UnusedName = "N0211" Kind::Pattern;
    /// A local name that hides another one of the same function: a warning.
    ShadowedName = "N0212" Kind::Pattern;

    /// An argument of another type than the function takes.
    Argument = "N0301" Kind::Type;
    /// An operand of another type than the operator needs.
    Operand = "N0302" Kind::Type;
    /// A condition or a test that is no bool.
    Condition = "N0303" Kind::Type;
    /// Two branches of different types.
    Branches = "N0304" Kind::Type;
    /// Elements of different types in one sequence.
    Elements = "N0305" Kind::Type;
    /// A sequence is needed, and something else is given.
    NoSequence = "N0306" Kind::Type;
    /// An index or a part of a range that is no int.
    Index = "N0307" Kind::Type;
    /// A pattern for another type than that of its value.
    PatternType = "N0308" Kind::Type;
    /// A parameter or result of another type than the annotation says.
    Annotation = "N0309" Kind::Type;
    /// Uses of a function, in those that it is recursive with, which do not fit its definition.
    Recursion = "N0310" Kind::Type;
    /// The default of an optional parameter, of another type than the parameter.
    Default = "N0311" Kind::Type;
    /// A type that would contain itself.
    Infinite = "N0312" Kind::Type;
    /// Functions that are compared, or are elements.
    Functions = "N0313" Kind::Type;
    /// Something applied that is no function.
    NoFunction = "N0314" Kind::Type;
    /// An annotation of a function without an arrow.
    NoArrow = "N0315" Kind::Type;
    /// A value whose type nothing determines.
    Undetermined = "N0316" Kind::Type;
    /// A type with the wrong arguments.
    TypeArguments = "N0317" Kind::Type;
    /// An optional parameter that the function does not have.
    UnknownOptional = "N0318" Kind::Type;
    /// An optional parameter that is given twice.
    OptionalTwice = "N0319" Kind::Type;
    /// A definition of another type than its declaration.
    Declaration = "N0320" Kind::Type;
    /// A function of many types where one is to be built.
    ManyTypes = "N0321" Kind::Type;

    /// An effect inside an apply-to-each.
    Effect = "N0401" Kind::Effect;
    /// An effect of a function that was used as if it had none.
    LateEffect = "N0402" Kind::Effect;

    /// A division of ints by 0.
    Divide = "N0501" Kind::Runtime(Site::Divide);
    /// An index outside its sequence.
    Outside = "N0502" Kind::Runtime(Site::Index);
    /// A range with step 0, or a slice beyond the ends.
    Range = "N0503" Kind::Runtime(Site::Range);
    /// Lengths that should agree and do not, or a negative length.
    Length = "N0504" Kind::Runtime(Site::Length);
    /// Positions that are no permutation.
    Permute = "N0505" Kind::Runtime(Site::Permute);
    /// An argument outside a function's domain.
    Domain = "N0506" Kind::Runtime(Site::Domain);
    /// An error that the program itself raises.
    Raised = "N0507" Kind::Runtime(Site::User);
    /// A file that cannot be read or written by the program.
    ProgramFile = "N0508" Kind::Runtime(Site::File);
    /// Out of memory or stack.
    Memory = "N0509" Kind::Runtime(Site::Memory);

    /// An option or argument of the command that does not fit.
    Input = "N0601" Kind::Input;
    /// A file of the command that cannot be read or written.
    File = "N0602" Kind::Input;
    /// A C compiler that is missing or fails.
    Compiler = "N0603" Kind::Input;
    /// A GPU that is missing or cannot be used.
    Gpu = "N0604" Kind::Input;

    /// Something that the compiler knows it cannot do.
    Limit = "N0701" Kind::Limit;
    /// A text that is nested too deeply, or too long.
    LongText = "N0702" Kind::Limit;
    /// A sequence that is too long for its length to be an int.
    LongSequence = "N0703" Kind::Limit;
    /// Functions that are known only while the program runs.
    DynamicFunction = "N0704" Kind::Limit;
    /// A program that needs more steps than it may take.
    Steps = "N0705" Kind::Limit;

    /// A run that the user stopped.
    Interrupted = "N0801" Kind::Interrupted;

    /// A mistake of the compiler.
    Bug = "N0901" Kind::Bug;
}

impl Code {
    /// The code of a kind of which no more is said.
    pub fn of(kind: Kind) -> Code {
        match kind {
            Kind::Parse => Code::UnexpectedToken,
            Kind::Pattern => Code::InvalidPattern,
            Kind::Undefined => Code::UnknownName,
            Kind::Type => Code::Argument,
            Kind::Effect => Code::Effect,
            Kind::Runtime(site) => match site {
                Site::Divide => Code::Divide,
                Site::Index => Code::Outside,
                Site::Range => Code::Range,
                Site::Length => Code::Length,
                Site::Permute => Code::Permute,
                Site::Domain => Code::Domain,
                Site::User => Code::Raised,
                Site::File => Code::ProgramFile,
                Site::Memory => Code::Memory,
            },
            Kind::Input => Code::Input,
            Kind::Limit => Code::Limit,
            Kind::Interrupted => Code::Interrupted,
            Kind::Bug => Code::Bug,
        }
    }

    /// Returns true for the code of a warning, which a correct program can cause.
    pub fn is_warning(self) -> bool {
        matches!(self, Code::UnusedName | Code::ShadowedName)
    }

    /// The code of a name, in small or large letters, with or without the `N` and leading zeros.
    pub fn parse(name: &str) -> Option<Code> {
        let digits = name.strip_prefix(['N', 'n']).unwrap_or(name);
        let number: u32 = digits.parse().ok()?;
        Code::ALL.iter().copied().find(|code| code.name()[1..].parse() == Ok(number))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_parse() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].name() < pair[1].name(), "{} {}", pair[0], pair[1]);
        }
        for &code in Code::ALL {
            assert_eq!(Code::parse(code.name()), Some(code));
            assert_eq!(Code::parse(&code.name().to_lowercase()), Some(code));
        }
        assert_eq!(Code::parse("204"), Some(Code::UnknownName));
        assert_eq!(Code::parse("N0200"), None);
        assert_eq!(Code::parse("x"), None);
    }

    #[test]
    fn the_code_of_a_kind_is_of_this_kind() {
        for &code in Code::ALL {
            assert_eq!(Code::of(code.kind()).kind(), code.kind());
        }
    }
}
