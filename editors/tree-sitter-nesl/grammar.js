// The grammar of NESL (docs/language.md, sections 2, 3 and 14) for tree-sitter.
//
// Nodes are those of the compiler's own lossless tree, so that a test can compare both for all
// texts.  As there, what may be a pattern is read as an expression, because only the sign behind it
// (`=`, `=>`, `in`) tells them apart; `pattern` is around it.  What one token ahead does not tell
// is decided by src/scanner.c.

/** The levels of operators (section 3.1), weakest first: level, associativity, operators. */
const OPERATORS = [
  [7, prec.left, ["or", "nor", "xor"]],
  [8, prec.left, ["and", "nand"]],
  [10, prec.left, ["==", "/=", "<", ">", "<=", ">="]],
  [20, prec.left, ["+", "-", "++"]],
  [21, prec.left, ["*", "/", "||"]],
  [22, prec.left, ["^"]],
  [23, prec.left, ["<-"]],
  [24, prec.right, ["->"]],
];

/** What ends as far right as possible: `if`, `let`. */
const OPEN = 3;
const PAIR = 4;
const FUNCTION_VALUE = 5;
const PREFIX = 25;
const APPLICATION = 30;
/** What is taken whenever it can be: arguments behind a name, a type behind `[]`. */
const GREEDY = 31;

/** A word in any case. */
const word = (text) =>
  new RegExp([...text].map((c) => (c === "_" ? c : `[${c}${c.toUpperCase()}]`)).join(""));

/** A reserved word, whose node is named by its lower case. */
const reserved_word = (text) => alias(word(text), text);

const RESERVED = ["if", "then", "else", "let", "in", "function", "datatype"].concat(
  ["and", "or", "xor", "nand", "nor", "t", "f"],
);

/** Signs that are no operators. */
const PUNCTUATION = ["=", "=>", ":", "::", ":=", "|", ",", "#", "@", "(", ")", "[", "]", "{", "}"];

/** An operator: a word or a sign. */
const operator = (text) => (/[a-z]/.test(text) ? reserved_word(text) : text);

/** `choice`, of which the generator wants two at least. */
const one_of = (rules) => (rules.length === 1 ? rules[0] : choice(...rules));

/** At least one, with separators between. */
const separated = (separator, rule) => seq(rule, repeat(seq(separator, rule)));

module.exports = grammar({
  name: "nesl",

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\n\r\f]/, $.comment],

  // A comma before `name :=`, a semicolon before `name in`, the first word of a command by what the
  // command takes.  The last is never given: where it is valid, there is an error.
  externals: ($) => [
    $._optional_comma,
    $._class_semicolon,
    $.command_word,
    $._sign_command_word,
    $._load_command_word,
    $._repairing,
  ],

  reserved: { global: (_) => RESERVED.map(word).concat("_") },

  supertypes: ($) => [$._form],

  rules: {
    source_file: ($) => repeat(seq($._form, choice(";", "$"))),

    _form: ($) =>
      choice(
        $.function_definition,
        $.function_declaration,
        $.datatype_definition,
        $.binding,
        $.expression_form,
        $.command,
      ),

    // Definitions

    function_definition: ($) =>
      seq(
        $._function_head,
        optional($._signature),
        optional(field("documentation", $.documentation)),
        "=",
        field("body", $._exp),
      ),
    function_declaration: ($) => seq($._function_head, $._signature),
    _function_head: ($) =>
      seq(
        reserved_word("function"),
        field("name", $.identifier),
        field("parameters", $.parameters),
      ),
    _signature: ($) => seq(":", field("type", $._type), optional(field("classes", $.classes))),
    documentation: ($) => $.string,
    parameters: ($) =>
      choice(
        alias($._parameter, $.pattern),
        seq("(", $.pattern, repeat(seq($._optional_comma, $.optional)), ")"),
      ),
    _parameter: ($) => choice($.identifier, $.wildcard, $._literal),
    optional: ($) => seq(field("name", $.identifier), ":=", field("value", $._e4)),

    datatype_definition: ($) =>
      seq(
        reserved_word("datatype"),
        field("name", $.identifier),
        field("fields", $._atype),
        optional(field("classes", $.classes)),
      ),

    binding: ($) => seq(field("pattern", $.pattern), "=", field("value", $._exp)),
    expression_form: ($) => $._exp,

    command: ($) =>
      choice(
        seq(
          field("word", $.command_word),
          repeat(choice($.identifier, $.integer, $.string)),
          // A float is an error, and not an integer and a name: `set a 1e5`.
          optional(seq($.float, $._repairing)),
        ),
        seq(
          field("word", alias($._sign_command_word, $.command_word)),
          choice($.sign, $.boolean, $.wildcard, $.character),
        ),
        seq(field("word", alias($._load_command_word, $.command_word)), field("path", $._exp)),
        seq(field("word", ":"), optional(field("value", $._exp))),
      ),
    // What `describe` and `apropos` are asked about: `if`, `->`, `{`.
    sign: (_) =>
      choice(
        ...RESERVED.filter((text) => !["t", "f"].includes(text)).map(reserved_word),
        ...OPERATORS.flatMap(([, , operators]) => operators).filter((it) => !RESERVED.includes(it)),
        ...PUNCTUATION,
      ),

    // A pattern: `a, b`, `point(x, y)`, `_`.  That it can be bound is not the grammar's affair.
    pattern: ($) => $._exp,

    // Types

    classes: ($) =>
      seq(
        "::",
        choice(
          seq("(", separated(";", $.class_bound), ")"),
          separated($._class_semicolon, $.class_bound),
        ),
      ),
    class_bound: ($) =>
      seq(
        field("variable", $._type_name),
        reserved_word("in"),
        field("class", $.identifier),
      ),
    _type: ($) => choice($._type1, $.pair_type),
    pair_type: ($) => seq($._type1, ",", $._type),
    _type1: ($) => choice($._atype, $.function_type),
    function_type: ($) => seq($._atype, "->", $._type1),
    _atype: ($) => choice($.base_type, $.named_type, $.sequence_type, $.parenthesized_type),
    base_type: (_) => choice(...["int", "float", "bool", "char"].map(reserved_word)),
    named_type: ($) =>
      choice(
        $._type_name,
        prec(GREEDY, seq($.identifier, "(", $._type, ")")),
      ),
    // In types `t` and `f` are names.
    _type_name: ($) =>
      choice($.identifier, alias(word("t"), $.identifier), alias(word("f"), $.identifier)),
    sequence_type: ($) => seq("[", $._type, "]"),
    parenthesized_type: ($) => seq("(", $._type, ")"),

    // Expressions

    _exp: ($) => choice($._e4, $.pair),
    pair: ($) => prec.right(PAIR, seq($._e4, ",", $._exp)),

    _e4: ($) => choice($._e7, $.function_value),
    function_value: ($) =>
      prec.right(
        FUNCTION_VALUE,
        seq(
          field("parameter", alias($._value_pattern, $.pattern)),
          "=>",
          field("body", $._e4),
        ),
      ),
    _value_pattern: ($) => prec(FUNCTION_VALUE, $._e7),

    _e7: ($) => choice($._e25, $.binary_expression),
    binary_expression: ($) =>
      choice(
        ...OPERATORS.map(([level, associativity, operators]) =>
          associativity(
            level,
            seq(
              field("left", $._e7),
              field("operator", one_of(operators.map(operator))),
              field("right", $._e7),
            ),
          ),
        ),
      ),

    _e25: ($) =>
      choice($.prefix_expression, alias($._negation, $.prefix_expression), $._open, $._e30),
    prefix_expression: ($) =>
      prec(PREFIX, seq(field("operator", choice("#", "@")), field("operand", $._e25))),
    _negation: ($) => prec(PREFIX, seq(field("operator", "-"), field("operand", $._e25))),

    _open: ($) => choice($.conditional, $.let_expression),
    conditional: ($) =>
      prec.right(
        OPEN,
        seq(
          reserved_word("if"),
          field("condition", $._exp),
          reserved_word("then"),
          field("consequence", $._exp),
          reserved_word("else"),
          field("alternative", $._exp),
        ),
      ),
    let_expression: ($) =>
      prec.right(
        OPEN,
        seq(
          reserved_word("let"),
          separated(";", $.let_binding),
          optional(";"),
          reserved_word("in"),
          field("body", $._exp),
        ),
      ),
    let_binding: ($) => seq(field("pattern", $.pattern), "=", field("value", $._exp)),

    _e30: ($) =>
      choice($._operand, $.sequence, $.empty_sequence, $.range, $.application, $.subscript),
    application: ($) =>
      choice(
        prec(
          GREEDY,
          seq(field("function", $.identifier), field("argument", $.arguments)),
        ),
        prec.left(
          APPLICATION,
          seq(
            field("function", $._e30),
            field("argument", choice($._operand, $.prefix_expression, $._open)),
          ),
        ),
      ),
    arguments: ($) => seq("(", $._exp, repeat(seq($._optional_comma, $.optional)), ")"),
    subscript: ($) =>
      prec.left(
        APPLICATION,
        seq(field("sequence", $._e30), "[", field("index", $._exp), "]"),
      ),

    // What may stand behind a function: a `[` would be a subscript.
    _operand: ($) =>
      choice($.identifier, $.wildcard, $._literal, $.parenthesized_expression, $.apply_to_each),
    parenthesized_expression: ($) => seq("(", $._exp, ")"),
    sequence: ($) => seq("[", separated(",", $._e4), "]"),
    empty_sequence: ($) =>
      choice(seq("[", "]"), prec.right(GREEDY, seq("[", "]", field("type", $._atype)))),
    range: ($) =>
      seq(
        "[",
        field("start", $._e4),
        ":",
        field("end", $._exp),
        optional(seq(":", field("step", $._exp))),
        "]",
      ),
    apply_to_each: ($) =>
      seq(
        "{",
        optional("*"),
        optional(seq(field("body", $.body), ":")),
        separated(";", $.generator),
        optional(field("test", $.test)),
        "}",
      ),
    body: ($) => $._exp,
    generator: ($) =>
      choice(
        field("source", $.identifier),
        seq(field("pattern", $.pattern), reserved_word("in"), field("source", $._exp)),
      ),
    test: ($) => seq("|", $._exp),

    // Tokens

    _literal: ($) => choice($.integer, $.float, $.boolean, $.character, $.string),
    identifier: (_) => /[a-zA-Z_][a-zA-Z0-9_]*/,
    wildcard: (_) => "_",
    boolean: (_) => choice(word("t"), word("f")),
    integer: (_) => /[0-9]+/,
    float: (_) =>
      token(choice(/([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/, /[0-9]+[eE][+-]?[0-9]+/)),
    character: (_) => token(seq("`", choice(/[\x01-\x5b\x5d-\x7f]/, /\\[ntr0\\"]/))),
    string: ($) =>
      seq(
        '"',
        repeat(choice($.string_content, $.escape_sequence)),
        token.immediate('"'),
      ),
    string_content: (_) => token.immediate(prec(1, /[^"\\]+/)),
    escape_sequence: (_) => token.immediate(/\\[ntr0\\"]/),
    comment: (_) => token(seq("%", /[^%]*/, "%")),
  },
});
