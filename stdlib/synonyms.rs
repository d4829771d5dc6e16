//! Words by which people look for names of the library: those of other languages, and plain ones.

/// Words, and the names that each of them leads to.
pub const SYNONYMS: &[(&[&str], &[&str])] = &[
    (&["length", "len", "size", "count", "cardinality"], &["#", "length", "count"]),
    (&["map", "foreach", "each", "lambda"], &["map", "{", "=>"]),
    (&["filter", "where", "select", "choose"], &["|", "pack", "select"]),
    (
        &["fold", "foldl", "foldr", "reduce", "aggregate", "inject"],
        &["reduce", "sum", "product", "max_val", "min_val", "any", "all"],
    ),
    (
        &["accumulate", "cumsum", "prefix", "cumulative", "scanl", "running"],
        &["scan", "plus_scan", "mult_scan", "max_scan", "min_scan"],
    ),
    (&["argmax", "argmin"], &["max_index", "min_index"]),
    (&["maximum", "largest", "biggest"], &["max_val", "max", "max_index"]),
    (&["minimum", "smallest", "least"], &["min_val", "min", "min_index"]),
    (&["concat", "concatenate", "append", "join"], &["++", "append", "flatten", "join"]),
    (&["flat", "ravel", "concatmap"], &["flatten"]),
    (&["zip", "pair", "unzip"], &["zip", "zip3", "unzip"]),
    (&["range", "iota", "arange", "linspace", "sequence"], &["[", "iseq", "fseq", "index"]),
    (&["unique", "distinct", "nub", "dedup"], &["remove_duplicates", "mark_duplicates", "name"]),
    (&["histogram", "bincount", "tally", "frequency"], &["histogram", "collect", "int_collect"]),
    (&["group", "groupby", "bucket"], &["group_by", "collect", "int_collect"]),
    (&["transpose", "matrix"], &["transpose", "partition"]),
    (&["reshape", "chunk", "chunks"], &["partition", "flatten", "bottop"]),
    (&["repeat", "replicate", "fill", "zeros", "ones", "full"], &["dist", "rep"]),
    (&["slice", "substring", "subsequence", "section"], &["subseq", "take", "drop"]),
    (&["head", "car", "first", "last", "tail", "cdr"], &["elt", "take", "drop", "head_rest"]),
    (&["gather", "lookup", "permutation"], &["->", "get", "permute"]),
    (&["scatter", "update", "assign"], &["<-", "write", "put", "rep"]),
    (&["argsort", "order", "sorted", "sorting"], &["sort", "rank", "rank_down"]),
    (&["percentile", "quantile", "average"], &["median", "kth_smallest"]),
    (&["dictionary", "dict", "hashmap", "map"], &["make_table", "search_table", "insert_table"]),
    (&["modulo", "remainder", "modulus"], &["mod", "rem"]),
    (&["power", "exponent", "pow", "square"], &["^", "expt", "exp"]),
    (&["logarithm", "log2", "log10"], &["ln", "log"]),
    (&["root"], &["sqrt", "isqrt", "expt"]),
    (&["random", "shuffle"], &["rand", "rand_seed"]),
    (&["cast", "convert", "conversion"], &["float", "round", "trunc", "floor", "ceil", "btoi"]),
    (&["tostring", "to_string", "str", "repr", "format"], &["@", "exp_string"]),
    (&["parse", "atoi", "strtod"], &["parse_int", "parse_float", "parse_int_vect"]),
    (&["split", "tokenize", "tokens"], &["wordify", "linify", "group_by_space", "split_index"]),
    (&["contains", "member", "elem", "index_of", "search"], &["find", "any", "search_for_subseqs"]),
    (&["println", "echo", "write", "output"], &["print_line", "print", "print_string"]),
    (&["input", "readline", "stdin"], &["read_line", "read_word", "prompt"]),
    (&["timer", "clock", "benchmark"], &["time"]),
    (&["exception", "throw", "raise", "assert"], &["error"]),
    (&["not", "negation", "complement"], &["not", "nand", "nor"]),
    (&["reverse", "backwards", "rev"], &["reverse"]),
    (&["shift", "roll"], &["rotate", "previous", "next", "lshift", "rshift"]),
    (&["loop", "for", "while"], &["{", "if", "function"]),
    (&["comment", "comments"], &["%"]),
    (&["tuple", "arguments"], &["(", "first", "rest"]),
    (&["struct", "record", "class"], &["datatype", "::"]),
];

/// The names that a word leads to, each once.
pub fn synonyms_of(word: &str) -> Vec<&'static str> {
    let rows = SYNONYMS.iter().filter(|row| row.0.contains(&word));
    let mut found: Vec<&str> = Vec::new();
    for name in rows.flat_map(|row| row.1).copied() {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
