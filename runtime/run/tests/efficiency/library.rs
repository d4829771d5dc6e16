//! Every function of the library costs what LIBRARY says.

use crate::measure::session;
use crate::promise::{check, names};
use run::session::EngineKind;
use std::collections::BTreeSet;

const MAKING: &str = "
    dist | n / 1 | 0.5 | dist(v[0], #v)
    index | n / 1 | 2 | index(#v)
    iseq | n / 1 | 1 | iseq(1, 2, #v)
    fseq | n / 1 | 0.5 | fseq(0.0, 0.5, float(#v) / 2.0)
    length | 1 / 1 | 0.5 | length(v)
    # | 1 / 1 | 1 | #v
    elt | 1 / 1 | 0.5 | elt(v, 1)
    rep | n / 1 | 3 | rep(v, 7, 1)
    ++ | n / 1 | 3 | v ++ u
    append | n / 1 | 3 | append(v, u)
    cons | n / 1 | 3 | cons(1, v)
    snoc | n / 1 | 3 | snoc(v, 1)
    zip | n / 1 | 1 | zip(v, w)
    zip3 | n / 1 | 1 | zip3(v, w, b)
    unzip | n / 1 | 1 | unzip({(x, y) : x in v; y in w})
    vpair | n / 1 | 3 | vpair(v, u)
    vsep | n / 1 | 2 | vsep(vpair(v, u))
    head_rest | n / 1 | 0.5 | head_rest(v)
    rest_tail | n / 1 | 0.5 | rest_tail(v)
    find | n / 1 | 0.5 | find(-1, v)
";

const SCANS: &str = "
    plus_scan | n / 1 | 3 | plus_scan(v)
    mult_scan | n / 1 | 4 | mult_scan(v)
    max_scan | n / 1 | 4 | max_scan(v)
    min_scan | n / 1 | 4 | min_scan(w)
    or_scan | n / 1 | 4 | or_scan(b)
    and_scan | n / 1 | 4 | and_scan(v)
    xor_scan | n / 1 | 4 | xor_scan(b)
    sum | n / 1 | 2 | sum(v)
    product | n / 1 | 2 | product(v)
    max_val | n / 1 | 2 | max_val(w)
    min_val | n / 1 | 2 | min_val(v)
    any | n / 1 | 2 | any(b)
    all | n / 1 | 2 | all(v)
    parity | n / 1 | 2 | parity(b)
    count | n / 1 | 0.5 | count(b)
    enumerate | n / 1 | 0.5 | enumerate(b)
    max_index | n / 1 | 0.5 | max_index(v)
    min_index | n / 1 | 0.5 | min_index(w)
    scan | n / log | 0.5 | scan((x, y) => x + y, 0, v)
    scan | n / log | 0.5 | scan(((k, l), (m, o)) => (k * m, l * m + o), (1, 0), {(x, x) : x in v})
    reduce | n / log | 0.5 | reduce((x, y) => max(x, y), 0, v)
    reduce | n / log | 0.5 | reduce(((k, l), (m, o)) => (k * m, l * m + o), (1, 0), {(x, x) : x in v})
    map | n / n | 0.5 | map(x => x + 1, v)
";

const MOVING: &str = "
    -> | n / 1 | 1 | v -> p
    read | n / 1 | 1 | read(w, p)
    get | n / 1 | 1 | get(b, p)
    <- | n / 1 | 1 | v <- {(i, x) : i in p; x in u}
    write | n / 1 | 3 | write(v, [(0, 5)])
    put | n / 1 | 3 | put(u, p, v)
    cond_put | n / 1 | 3 | cond_put(u, p, b, v)
    permute | n / 1 | 4 | permute(v, p)
    rotate | n / 1 | 0.5 | rotate(v, 1)
    reverse | n / 1 | 0.5 | reverse(v)
    previous | n / 1 | 0.5 | previous(v, 0)
    next | n / 1 | 0.5 | next(v, 0)
    take | n / 1 | 0.5 | take(v, #v / 2)
    drop | n / 1 | 0.5 | drop(v, 1)
    subseq | n / 1 | 0.5 | subseq(v, 1, #v)
    even_elts | n / 1 | 0.5 | even_elts(v)
    odd_elts | n / 1 | 0.5 | odd_elts(v)
    interleave | n / 1 | 0.5 | interleave(v, u)
    pack | n / 1 | 1 | pack({(x, y) : x in v; y in b})
    pack_index | n / 1 | 3 | pack_index(b)
    unpack | n / 1 | 0.5 | unpack(take(v, #v / 2), g)
    flag_merge | n / 1 | 0.5 | flag_merge(g, take(v, #v / 2), take(u, #u / 2))
    join | n / 1 | 1 | join(v, p, u, {#v + i : i in p})
    split_index | n / 1 | 0.5 | split_index(b)
";

const NESTING: &str = "
    flatten | n / 1 | 0.5 | flatten(r)
    partition | n / 1 | 0.5 | partition(v, [1, #v - 1])
    partition | n / 1 | 0.5 | partition(v, {1 : x in v})
    split | n / 1 | 2 | split(v, b)
    bottop | n / 1 | 0.5 | bottop(v)
    transpose | n / 1 | 1 | transpose([v, u])
    transpose | n / 1 | 1 | transpose({[x, y] : x in v; y in u})
    group_by | n / 1 | 0.5 | group_by(v, 3)
    length_from_flags | n / 1 | 0.5 | length_from_flags(b)
    flag_partition | n / 1 | 0.5 | flag_partition(v, b)
    group_by_separator_flags | n / 1 | 0.5 | group_by_separator_flags(v, b)
    group_by_separator_flags_x | n / 1 | 0.5 | group_by_separator_flags_x(v, b)
";

const ORDER: &str = "
    rank | n log / log | 2 | rank(v)
    rank_down | n log / log | 3 | rank_down(w)
    sort | n log / log | 3 | sort(v)
    kth_smallest | n / log expected | 0.5 | {* kth_smallest(v, i * #v / 8) : i in [0:8]}
    median | n / log expected | 0.5 | {* median({rem(x, i + 100) : x in v}) : i in [0:8]}
    remove_duplicates | n / log | 0.5 | remove_duplicates(v)
    mark_duplicates | n / log | 0.5 | mark_duplicates(v)
    name | n / log | 1 | name(v)
    name | n / log | 1 | name(r)
    union | n / log | 0.5 | union(v, u)
    intersection | n / log | 0.5 | intersection(v, u)
    set_difference | n / log | 0.5 | set_difference(v, u)
    int_collect | n log / log | 1 | int_collect({(x, y) : x in v; y in w})
    collect | n / log | 0.5 | collect({(x, y) : x in v; y in w})
    histogram | n / log | 0.5 | histogram(v)
    search_for_subseqs | n / 1 | 0.5 | search_for_subseqs(\"abca\", c)
    create_table | n / log | 0.5 | create_table({(x, y) : x in v; y in w})
    make_table | n / 1 | 0.5 | make_table((v[0], 1.0), #v)
    insert_table | n / log | 0.5 | insert_table({(x, 2) : x in u}, create_table({(x, 1) : x in v}))
    search_table | n / log | 0.5 | search_table(u, create_table({(x, 1) : x in v}))
    table_entries | n / log | 0.5 | table_entries(create_table({(x, 1) : x in v}))
";

const TEXT: &str = "
    @ | n / 1 | 8 | @c
    @ | n / 1 | 8 | @{rem(x, 10) : x in v}
    string | n / 1 | 20 | string({float(rem(x, 10)) / 8.0 : x in v})
    || | n / 1 | 3 | c || (#c + 5)
    string_eql | n / 1 | 0.5 | string_eql(c, c)
    wordify | n / 1 | 0.5 | wordify(d)
    linify | n / 1 | 0.5 | linify(d)
    group_by_space | n / 1 | 0.5 | group_by_space(d, \" 1\")
    parse_int | n / log | 0.5 | parse_int(c)
    parse_float | n / log | 0.5 | parse_float(c)
    parse_int_vect | n / log | 0.5 | parse_int_vect(d)
    parse_unsigned_int | n / log | 0.5 | parse_unsigned_int(c)
    justify_text | n / log | 0.5 | justify_text(d, 20)
    == | n / 1 | 4 | v == u
    /= | n / 1 | 7 | r /= r
    eql | n / 1 | 6 | eql(r, r)
    hash | n / 1 | 4 | hash(r, 10)
    identity | 1 / 1 | 0.5 | identity(v)
    select | 1 / 1 | 0.5 | select(t, v, u)
";

/// Functions of scalars, in lanes: nothing is touched but what the lanes are given and give.
const SCALARS: &str = "
    and or xor nand nor not | n / 1 | 0.5 | {not((x and y) xor (x or y)) + (x nand y) * (x nor y) : x in v; y in u}
    plusp minusp zerop oddp evenp true false | n / 1 | 0.5 | {(plusp(x), minusp(x), zerop(x) or true, oddp(x) and false, evenp(x)) : x in v}
    < > <= >= | n / 1 | 0.5 | {(x < y, x > y, x <= y, x >= y) : x in v; y in u}
    + - * / ^ negate abs diff max min rem mod gcd | n / 1 | 0.5 | {negate(x) + y * abs(x) - diff(x, y) / (1 + max(x, y)) + rem(x, 7) - mod(y, 7) + min(x, y) ^ 3 + gcd(x, 12) : x in v; y in u}
    lshift rshift isqrt | n / 1 | 0.5 | {lshift(x, 2) + rshift(x, 3) + isqrt(x) : x in v}
    sqrt exp ln log expt reciprocal atan2 | n / 1 | 0.5 | {round(sqrt(x) + exp(reciprocal(x + 1.0)) + ln(x + 1.0) + log(x + 1.0, 2.0) + expt(x, 0.5) + atan2(x, 2.0)) : x in w}
    sin cos tan asin acos atan sinh cosh tanh | n / 1 | 0.5 | {round(sin(x) + cos(x) + tan(x) + asin(tanh(x)) + acos(tanh(x)) + atan(x) + sinh(tanh(x)) + cosh(tanh(x))) : x in w}
    pi infinity nan max_int min_int one zero | n / 1 | 0.5 | {(pi, infinity, nan, max_int, min_int, one(x), zero(x)) : x in v}
    float trunc floor ceil round btoi | n / 1 | 0.5 | {float(trunc(x) + floor(x) + ceil(x) + round(x) + btoi(x > 3.0)) : x in w}
    float_num int_to_any float_to_any rand | n / 1 | 0.5 | {float_num(x) + int_to_any(x, 1.0) + float(float_to_any(2.6, x)) < 3.0 or rand(x + 1) > -1 : x in v}
    char_code code_char newline space tab | n / 1 | 0.5 | {(code_char(char_code(x) + 1), newline, space, tab) : x in c}
    digitp lowercase uppercase | n / 1 | 0.5 | {(digitp(x), lowercase(x), uppercase(x)) : x in c}
    first rest select | n / 1 | 0.5 | {select(x < 3, first((x, 1)), rest((1, x))) : x in v}
    exp_string | n / 1 | 0.5 | {exp_string(x, 5) : x in w}
    error | n / 1 | 2 | {if x < 0 then error(\"negative\") else t : x in v}
";

/// What only the interpreter runs, and streams.
const EFFECTS: &str = "
    rand_seed time print_string print_debug print_char print_line print printl prompt
    stdin stdout stderr nullstr open_in_file open_out_file open_append_file close_file
    read_char read_line read_word read_string read_object write_char write_string write_object
    open_check read_check write_check close_check
    read_string_from_file write_string_to_file append_string_to_file write_object_to_file
    read_object_from_file read_int_seq_from_file read_float_seq_from_file
";

const TABLES: &[&str] = &[SCALARS, MAKING, SCANS, MOVING, NESTING, ORDER, TEXT];

#[test]
fn making() {
    check("", MAKING);
}

#[test]
fn scans() {
    check("", SCANS);
}

#[test]
fn moving() {
    check("", MOVING);
}

#[test]
fn nesting() {
    check("", NESTING);
}

#[test]
fn order_and_sets() {
    check("", ORDER);
}

#[test]
fn text() {
    check("", TEXT);
}

#[test]
fn scalars() {
    check("", SCALARS);
}

#[test]
fn every_name_is_measured() {
    let measured: BTreeSet<&str> = TABLES.iter().flat_map(|table| names(table)).collect();
    let effects: BTreeSet<&str> = EFFECTS.split_whitespace().collect();
    let session = session(EngineKind::Interp, false);
    for name in session.names() {
        assert_ne!(measured.contains(name), effects.contains(name), "{name}");
    }
}
