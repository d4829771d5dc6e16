//! Kinds of tokens and nodes of the lossless tree.
//!
//! One list declares them all, so that the text of a token, its name in messages and its number in
//! the tree cannot disagree.

use std::fmt;

/// Declares [`SyntaxKind`]: tokens whose text varies, tokens with one text, and nodes.
macro_rules! kinds {
    (
        varying { $($varying:ident $what:literal)* }
        words { $($word:ident $word_text:literal)* }
        marks { $($mark:ident $mark_text:literal)* }
        nodes { $($node:ident $node_doc:literal)* }
    ) => {
        /// A kind of token or node.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum SyntaxKind {
            $(#[doc = concat!("Token: ", $what, ".")] $varying,)*
            $(#[doc = concat!("Token: `", $word_text, "`.")] $word,)*
            $(#[doc = concat!("Token: `", $mark_text, "`.")] $mark,)*
            $(#[doc = concat!("Node: ", $node_doc, ".")] $node,)*
        }

        impl SyntaxKind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &'static [SyntaxKind] = &[
                $(SyntaxKind::$varying,)*
                $(SyntaxKind::$word,)*
                $(SyntaxKind::$mark,)*
                $(SyntaxKind::$node,)*
            ];
            /// The reserved words of LANGUAGE section 2, `t` and `f` included.
            pub(crate) const WORDS: &'static [(SyntaxKind, &'static str)] =
                &[$((SyntaxKind::$word, $word_text),)*];

            /// The text of a token that has only one, in lower case.
            pub fn text(self) -> Option<&'static str> {
                match self {
                    $(SyntaxKind::$word => Some($word_text),)*
                    $(SyntaxKind::$mark => Some($mark_text),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for SyntaxKind {
            /// As messages name it: `` `then` ``, `a name`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(SyntaxKind::$varying => f.write_str($what),)*
                    $(SyntaxKind::$node => f.write_str($node_doc),)*
                    $(SyntaxKind::$word => f.write_str(concat!("`", $word_text, "`")),)*
                    $(SyntaxKind::$mark => f.write_str(concat!("`", $mark_text, "`")),)*
                }
            }
        }
    };
}

impl SyntaxKind {
    /// What a literal that is a letter means.
    pub(crate) fn truth(self) -> Option<&'static str> {
        match self {
            SyntaxKind::True => Some("true"),
            SyntaxKind::False => Some("false"),
            _ => None,
        }
    }
}

kinds! {
    varying {
        Space "white space"
        Comment "a comment"
        Error "malformed text"
        End "the end of the text"
        Ident "a name"
        Int "a number"
        Float "a number with a point or an exponent"
        Char "a character"
        Str "a string"
    }
    words {
        If "if"
        Then "then"
        Else "else"
        Let "let"
        In "in"
        Function "function"
        Datatype "datatype"
        And "and"
        Or "or"
        Xor "xor"
        Nand "nand"
        Nor "nor"
        True "t"
        False "f"
        Wildcard "_"
    }
    marks {
        Arrow "->"
        Write "<-"
        Append "++"
        EqualEqual "=="
        NotEqual "/="
        LessEqual "<="
        GreaterEqual ">="
        ColonColon "::"
        ColonEqual ":="
        FatArrow "=>"
        BarBar "||"
        Plus "+"
        Minus "-"
        Star "*"
        Slash "/"
        Caret "^"
        Hash "#"
        At "@"
        Less "<"
        Greater ">"
        Equal "="
        Comma ","
        Semicolon ";"
        Dollar "$"
        Colon ":"
        Bar "|"
        LeftParen "("
        RightParen ")"
        LeftBracket "["
        RightBracket "]"
        LeftBrace "{"
        RightBrace "}"
    }
    nodes {
        Source "a source text"
        FunctionForm "a function definition or declaration"
        DatatypeForm "a datatype definition"
        BindingForm "a binding"
        ExpForm "an expression as a form"
        CommandForm "a command"
        ErrorForm "a form that is none of the others"
        Missing "an operand that is not there"
        Params "parameters"
        Optional "a name with its default or optional argument"
        Doc "a documentation string"
        Classes "a list of class bounds"
        ClassBound "a variable and its class"
        Pattern "a pattern, holding what was written as an expression"
        Literal "a literal"
        NameExp "a name as an expression"
        WildcardExp "a wildcard as an expression"
        ParenExp "an expression in parentheses"
        PairExp "a pair"
        BinaryExp "two operands and their operator"
        PrefixExp "a prefix operator and its operand"
        ApplyExp "an application"
        Arguments "the arguments of a call by name"
        SubscriptExp "an element of a sequence"
        SeqExp "a sequence literal"
        EmptyExp "an empty sequence"
        RangeExp "a range"
        IfExp "a conditional"
        LetExp "a `let`"
        LetBinding "a binding of a `let`"
        LambdaExp "a function value"
        EachExp "an apply-to-each"
        Body "the body of an apply-to-each"
        Generator "a generator"
        Test "the test of an apply-to-each"
        NameType "a named type or a type variable"
        SeqType "a sequence type"
        PairType "a pair type"
        FunctionType "a function type"
        ParenType "a type in parentheses"
    }
}

impl SyntaxKind {
    /// White space and comments: kept in the tree, skipped by the grammar.
    pub fn is_trivia(self) -> bool {
        matches!(self, SyntaxKind::Space | SyntaxKind::Comment)
    }
    /// Whether it ends a form.
    pub fn is_terminator(self) -> bool {
        matches!(self, SyntaxKind::Semicolon | SyntaxKind::Dollar)
    }
    /// The reserved word of this text, in any case.
    pub(crate) fn of_word(text: &[u8]) -> Option<SyntaxKind> {
        let same = |word: &&(_, &str)| word.1.as_bytes().eq_ignore_ascii_case(text);
        SyntaxKind::WORDS.iter().find(same).map(|word| word.0)
    }
}

/// The tree language of NESL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Nesl {}

impl rowan::Language for Nesl {
    type Kind = SyntaxKind;
    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::ALL[raw.0 as usize]
    }
    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node of the lossless tree.
pub type SyntaxNode = rowan::SyntaxNode<Nesl>;
/// A token of the lossless tree.
pub type SyntaxToken = rowan::SyntaxToken<Nesl>;
/// A node or a token of the lossless tree.
pub type SyntaxElement = rowan::SyntaxElement<Nesl>;
