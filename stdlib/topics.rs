//! The table of contents of the library: topics, and the names of each in the order in which they
//! are explained.

/// A topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Topic {
    /// Its word, which names its page.
    pub word: &'static str,
    /// Its title; the number is that of its section in LIBRARY.
    pub title: &'static str,
    /// What holds for all of it: paragraphs, code in backquotes.
    pub about: &'static str,
    names: &'static str,
}

impl Topic {
    /// The names of the topic.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split_whitespace()
    }
}

/// How costs are to be read.
pub const COSTS: &str = "\
    Costs are work / depth. `n` is the length of the sequence argument (the sum when there are \
    several), `m` the length of an index sequence or the number of pieces, `S` the size of the \
    elements moved (n for scalar elements). Functional arguments cost what their calls cost.";

/// The topics, each name of the library in one of them.
pub const TOPICS: &[Topic] = &[
    Topic {
        word: "logic",
        title: "1. Logic",
        about: "On bool, truth values; on int, bit by bit. Both operands are evaluated. All but \
               `not` are written between their operands.",
        names: "and or xor nand nor not true false",
    },
    Topic {
        word: "comparison",
        title: "2. Comparison",
        about: "`==`, `/=`, `<`, `>`, `<=` and `>=` are written between their operands; `eql` is \
               `==` as a function value.",
        names: "== /= eql < > <= >= plusp minusp zerop oddp evenp",
    },
    Topic {
        word: "arithmetic",
        title: "3. Arithmetic",
        about: "Signs are written between their operands, or before the only one. They are no \
               function values: where one is needed, write a function such as `(a, b) => a + \
               b`.",
        names: "+ - * / ^ negate abs diff max min rem mod gcd lshift rshift isqrt sqrt exp \
               ln log expt reciprocal sin cos tan asin acos atan atan2 sinh cosh tanh pi \
               infinity nan max_int min_int one zero",
    },
    Topic {
        word: "conversion",
        title: "4. Conversion, selection, random numbers",
        about: "",
        names: "float trunc floor ceil round btoi char_code code_char select identity \
               float_num int_to_any float_to_any rand rand_seed hash",
    },
    Topic {
        word: "sequences",
        title: "5. Sequences: making and taking apart",
        about: "`#` is written before its operand, `++` between its operands.",
        names: "# length dist index iseq fseq elt rep ++ append cons snoc zip zip3 unzip \
               first rest vpair vsep head_rest rest_tail find",
    },
    Topic {
        word: "scans",
        title: "6. Scans and reductions",
        about: "Scans are exclusive: element i is the combination of the elements before i, \
               element 0 the identity. Each has a reduction that gives the identity for an \
               empty sequence. Identities: 0, 0.0; 1, 1.0; for max `min_int`, -infinity, char \
               code 0; for min `max_int`, infinity, char code 255; for or and xor F, 0; for and \
               T, -1.",
        names: "plus_scan mult_scan max_scan min_scan or_scan and_scan xor_scan sum product \
               max_val min_val any all parity count enumerate max_index min_index scan \
               reduce map",
    },
    Topic {
        word: "moving",
        title: "7. Moving data",
        about: "`->` and `<-` are written between their operands.",
        names: "-> read get <- write put cond_put permute rotate reverse previous next take \
               drop subseq even_elts odd_elts interleave pack pack_index unpack flag_merge \
               join split_index",
    },
    Topic {
        word: "nesting",
        title: "8. Nesting",
        about: "",
        names: "flatten partition split bottop transpose group_by length_from_flags \
               flag_partition group_by_separator_flags group_by_separator_flags_x",
    },
    Topic {
        word: "sorting",
        title: "9. Sorting and order",
        about: "Sorts are stable. A nan counts as larger than every other float; `-0.0` equals \
               `0.0`. Other element types (tuples of ordinals, strings) are a reserved \
               extension.",
        names: "rank rank_down sort kth_smallest median",
    },
    Topic {
        word: "sets",
        title: "10. Sets, grouping, tables",
        about: "Elements may be of any type without functions; equality is `==`. Results stand \
               in the order of first occurrence, and of equal elements the first is kept. Costs \
               are expected costs.\n\n\
               `hashtable` is an opaque datatype, shown as `hashtable([(k, v), ...])`.",
        names: "remove_duplicates mark_duplicates name union intersection set_difference \
               int_collect collect histogram search_for_subseqs create_table make_table \
               insert_table search_table table_entries",
    },
    Topic {
        word: "text",
        title: "11. Text",
        about: "A string is `[char]`. `@` is written before its operand, `||` between its \
               operands.",
        names: "@ string || digitp lowercase uppercase string_eql wordify linify \
               group_by_space parse_int parse_float parse_int_vect parse_unsigned_int \
               exp_string justify_text newline space tab",
    },
    Topic {
        word: "output",
        title: "12. Output, errors, time",
        about: "",
        names: "print_char print_string print_line print printl print_debug error time",
    },
    Topic {
        word: "files",
        title: "13. Files and streams",
        about: "A result `(x, (ok, message))` reports failure without stopping; the `_check` \
               functions unwrap it and fail (file) if ok is F. Paths are strings.\n\n\
               An object is one line: the value as NESL reads it, strings in quotes, `infinity` \
               for inf. It reads back as the same value, every float to the last bit. What was \
               written is in the file when the call returns. Files stay open until they are \
               closed or the session ends; the streams of the process cannot be closed. \
               `read_line`, `read_word` and `read_string` are ok at the end of a stream and say \
               so; `read_char` and `read_object` are not. `prompt` gives \"\" at the end of the \
               input. A program that comes from standard input itself, as in `nesl < FILE`, \
               finds it at its end.",
        names: "read_string_from_file write_string_to_file append_string_to_file \
               write_object_to_file read_object_from_file read_int_seq_from_file \
               read_float_seq_from_file stdin stdout stderr nullstr open_in_file \
               open_out_file open_append_file close_file read_char read_line read_word \
               read_string read_object write_char write_string write_object open_check \
               read_check write_check close_check prompt",
    },
];
