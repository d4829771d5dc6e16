//! `nesl doc`: what is told of the library and of files, in the terminal and on pages; that every
//! example of the library gives what it says; and that `docs/library` is what is told now.
//!
//! `UPDATE_EXPECT=1` writes the pages of `docs/library`.

#[expect(dead_code, reason = "no blocks of pages are run here")]
mod pages;

use ::run::Session;
use ::run::session::{Described, EngineKind, Options};
use expect_test::{Expect, expect};
use pages::{command, folder, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use stdlib::{Gives, SYNTAX, TOPICS, Topic};

/// A file with a function of each kind that documentation has something to say about.
const SHAPES: &str = "\
datatype circle(float);

function area(circle(r)) : circle -> float
  \"what it covers; <always> & `never` below 0

   cost: 1 / 1
   example: area(circle(2.0)) ==> 12.566370614359172\"
  = pi * r * r;

function bare(x) = x;

function told(s) : [char] -> bool
  \"tells it\"
  = print_line(s);

unit = circle(1.0);
";

/// What the library says of all its names.
fn library() -> Vec<Described> {
    let session = Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()));
    let Ok(session) = session else { panic!("no session") };
    let names = TOPICS.iter().flat_map(Topic::names);
    names.map(|name| session.described(name).unwrap_or_else(|| panic!("no `{name}`"))).collect()
}

/// Standard output and standard error of `nesl doc`, and its exit code.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let mut command = command(folder, env!("CARGO_BIN_EXE_nesl"), &["doc"]);
    let output = command.args(arguments).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let err = if err.is_empty() { err } else { format!("-- stderr\n{err}") };
    let code = output.status.code().unwrap();
    format!("{out}{err}{}", if code == 0 { String::new() } else { format!("-- exit {code}\n") })
}

#[track_caller]
fn check(arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&told(&root(), arguments));
}

/// Texts of the files in a folder, by name.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    entries.map(text).collect()
}

/// What stands between two marks, wherever it does.
fn between<'t>(text: &'t str, open: &'static str, close: char) -> impl Iterator<Item = &'t str> {
    text.split(open).skip(1).map(move |rest| rest.split(close).next().unwrap_or(rest))
}

// The library

/// All run in one program, each in a line of its own behind a mark, so that what it prints, its
/// value and its errors can be told apart.
#[test]
fn examples_give_what_they_say() {
    let library = library();
    let without: Vec<&str> = library
        .iter()
        .filter(|described| described.doc.as_ref().is_none_or(|doc| doc.examples.is_empty()))
        .map(|described| described.name.as_str())
        .collect();
    assert!(without.is_empty(), "without an example: {without:?}");

    let examples = library.iter().flat_map(|described| {
        let examples = described.doc.iter().flat_map(|doc| &doc.examples);
        examples.map(|example| (&described.name, example))
    });
    let examples: Vec<_> = examples.collect();
    let forms = examples.iter().enumerate().map(|(place, (_, example))| {
        format!("_ = print_string(\"\\n@{place}@\\n\"); {};\n", example.input)
    });
    let folder = folder("examples");
    fs::write(folder.join("examples.nesl"), forms.collect::<String>()).unwrap();
    let arguments = ["run", "--engine", "interp", "--errors", "short", "examples.nesl"];
    let mut run = command(&folder, env!("CARGO_BIN_EXE_nesl"), &arguments);
    let output = run.stdin(std::process::Stdio::null()).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());

    let mut wrong = String::new();
    for (place, (name, example)) in examples.iter().enumerate() {
        let mark = format!("\n@{place}@\n_ = T : bool\n");
        let behind = out.split_once(&mark).unwrap_or_else(|| panic!("no {place}: {out}\n{err}")).1;
        let shown = behind.split("\n@").next().unwrap_or(behind);
        let at = format!("examples.nesl:{}:", place + 1);
        let errors: Vec<&str> = err.lines().filter(|line| line.starts_with(&at)).collect();
        let prints = example.prints.as_deref().unwrap_or_default();
        let right = match &example.gives {
            Some(Gives::Value(value)) => {
                let printed = shown.split_once(&format!("it = {value} : "));
                errors.is_empty() && printed.is_some_and(|(printed, _)| printed.trim() == prints)
            }
            Some(Gives::Failure(site)) => {
                let kind = format!(" runtime({site}): ");
                matches!(errors[..], [error] if error.contains(&kind)) && shown.trim() == prints
            }
            None => errors.is_empty() && shown.contains("it = "),
        };
        if !right {
            wrong += &format!("{name}: {example}\n  shows {shown:?}, {errors:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

// The terminal

#[test]
fn names_are_told() {
    check(
        &["zip"],
        &expect![[r#"
        zip : ([a], [b]) -> [(a, b)] :: (a in any; b in any)
        pairs; fails (length)
        work n, depth 1

          zip([1, 2], [t, f]) ==> [(1, T), (2, F)]
          zip([1, 2], [t]) ==> fails (length)

        `nesl doc sequences` has its like: 5. Sequences: making and taking apart
    "#]],
    );
    check(
        &["rand_seed"],
        &expect![[r#"
        rand_seed : int -> bool
        restarts the generator; returns T; after equal seeds equal forms give equal numbers
        work 1, depth 1
        has an effect: not inside an apply-to-each

          rand_seed(7) ==> T

        `nesl doc conversion` has its like: 4. Conversion, selection, random numbers
    "#]],
    );
    check(
        &["||"],
        &expect![[r#"
        || : ([char], int) -> [char]
        s || w: spaces added on the right up to width w, on the left up to -w if w < 0; never cuts
        work n + w, depth 1

          "ab" || 5 ==> "ab   "
          "ab" || -5 ==> "   ab"

        `nesl doc text` has its like: 11. Text
    "#]],
    );
    check(
        &["-"],
        &expect![[r#"
        - : (a, a) -> a :: (a in number)
        difference; ints wrap
        work 1, depth 1

          0.5 - 2.0 ==> -1.5

        `nesl doc arithmetic` has its like: 3. Arithmetic
    "#]],
    );
}

#[test]
fn topics_are_told() {
    check(
        &["Sorting"],
        &expect![[r#"
        9. Sorting and order

        Sorts are stable. A nan counts as larger than every other float; `-0.0` equals `0.0`. Other element
        types (tuples of ordinals, strings) are a reserved extension.

        rank : [a] -> [int] :: (a in ordinal)
          position of each element in ascending order
          work n log n, depth log n

        rank_down : [a] -> [int] :: (a in ordinal)
          position in descending order, equal elements keep their order
          work n log n, depth log n

        sort : [a] -> [a] :: (a in ordinal)
          ascending
          work n log n, depth log n

        kth_smallest : ([a], int) -> a :: (a in ordinal)
          kth_smallest(s, k): element at position k of sort(s); fails (index)
          work n expected, depth log n expected

        median : [a] -> a :: (a in ordinal)
          median(s) = kth_smallest(s, #s / 2); fails (index) if empty
          work n expected, depth log n expected
    "#]],
    );
}

#[test]
fn words_and_signs_of_the_language_are_told() {
    check(
        &["Then"],
        &expect![[r#"
        if then else : if condition then value else value
        one of two values of one type; only that one is evaluated

          if 2 > 1 then "more" else "less"; ==> "more"

        `nesl doc syntax` has its like: Syntax
    "#]],
    );
    check(
        &["{"],
        &expect![[r#"
        { } : {value : name in sequence; name in sequence | test}
        apply-to-each: the value for each element that passes the test, in parallel; several generators go
        through their sequences together; `{* ... }` takes one element after the other and allows effects

          {x * x : x in [1, 2, 3] | x > 1}; ==> [4, 9]

        `nesl doc syntax` has its like: Syntax
    "#]],
    );
    check(
        &["float"],
        &expect![[r#"
        float : int -> float
        nearest float
        work 1, depth 1

          float(3) ==> 3.0

        `nesl doc conversion` has its like: 4. Conversion, selection, random numbers

        int float bool char : int, float, bool, char, [type], (type, type), type -> type
        the types of scalars; `[int]` is a sequence of ints, `(int, bool)` a pair

          function half(x) : int -> float = float(x) / 2.0;  half(3); ==> 1.5

        `nesl doc syntax` has its like: Syntax
    "#]],
    );
    let topic = told(&root(), &["syntax"]);
    for row in SYNTAX {
        let heading = format!("\n{} : {}\n  ", row.names.join(" "), row.form);
        let (_, behind) = topic.split_once(&heading).unwrap_or_else(|| panic!("no {heading}"));
        let meaning = behind.split("\n\n").next().unwrap();
        assert_eq!(
            meaning.split_whitespace().collect::<Vec<&str>>(),
            row.meaning.split_whitespace().collect::<Vec<&str>>(),
        );
    }
    assert_eq!(
        told(&root(), &["syntax", "--html", "unused"]),
        told(&root(), &["zip", "--html", "unused"])
    );
}

#[test]
fn what_is_not_there_is_said() {
    check(
        &["permut"],
        &expect![[r#"
            -- stderr
            error: there is no topic, name or file `permut`; near it: `permute`
            `nesl doc` lists what there is
            -- exit 2
        "#]],
    );
    check(
        &["nowhere.nesl"],
        &expect![[r#"
            -- stderr
            error[N0602]: nowhere.nesl cannot be read: No such file or directory (os error 2)

            more about N0602: nesl explain N0602
            -- exit 1
        "#]],
    );
    check(
        &["zip", "--html", "unused"],
        &expect![[r#"
        -- stderr
        error: `--html` and `--markdown` write pages of the library, and of a file
        -- exit 2
    "#]],
    );
}

/// Every name once.
#[test]
fn contents_list_the_library() {
    let told = told(&root(), &[]);
    let lines = told.split("\n\n").next().unwrap().lines();
    let words = lines.flat_map(|line| {
        // A topic's word stands in front of its names.
        let named = usize::from(!line.starts_with(' '));
        line.split_whitespace().skip(named)
    });
    let syntax = SYNTAX.iter().flat_map(|row| row.names).copied();
    let names: Vec<&str> = syntax.chain(TOPICS.iter().flat_map(Topic::names)).collect();
    assert_eq!(words.collect::<Vec<&str>>(), names);
    assert!(told.lines().all(|line| line.len() <= 100), "{told}");
}

#[test]
fn comments_above_definitions_are_told() {
    let folder = folder("doc-comments");
    let text = "% The licence. %\n\n% Half of x.\n  cost: 1 / 1\n  example: half(4.0) ==> 2.0 %\n\
                function half(x) = x / 2.0;\n% Not this. %\nfunction twice(x) \"two times x\" = 2 * x;\n\
                % A point. %\ndatatype point(int, int);\nbare = 1; % behind %\n% Many. %\nmany = 9;\n";
    fs::write(folder.join("text.nesl"), text).unwrap();
    expect![[r#"
        half : float -> float
          Half of x.
          work 1, depth 1

            half(4.0) ==> 2.0

        twice : int -> int
          two times x

        point : (int, int) -> point
          A point.

        bare : int

        many : int
          Many.
    "#]]
    .assert_eq(&told(&folder, &["text.nesl"]));
}

#[test]
fn files_are_told() {
    let folder = folder("doc-file");
    fs::write(folder.join("shapes.nesl"), SHAPES).unwrap();
    expect![[r#"
        circle : float -> circle

        area : circle -> float
          what it covers; <always> & `never` below 0
          work 1, depth 1

            area(circle(2.0)) ==> 12.566370614359172

        bare : a -> a :: (a in any)

        told : [char] -> bool
          tells it
          has an effect: not inside an apply-to-each

        unit : circle
    "#]]
    .assert_eq(&told(&folder, &["shapes.nesl"]));
    fs::write(folder.join("half.nesl"), "function g(x) \"twice\" = 2 * x;\ny = g(T);\n").unwrap();
    expect![[r#"
        g : int -> int
          twice
        -- stderr
        error[N0301]: `g` takes int, found bool
         --> half.nesl:2:6
          |
        2 | y = g(T);
          |      ^^^ this is bool
          |
          = note: `g` has type int -> int
          = help: `btoi` gives 1 for T and 0 for F

        more about N0301: nesl explain N0301
        -- exit 1
    "#]]
    .assert_eq(&told(&folder, &["half.nesl"]));
    fs::write(folder.join("none.nesl"), "1 + 1;\n").unwrap();
    expect![[r#"
        none.nesl defines nothing
    "#]]
    .assert_eq(&told(&folder, &["none.nesl"]));
}

// Pages

/// Writes pages of the library and of [`SHAPES`]; gives the texts of their files.
fn written(form: &str) -> BTreeMap<String, String> {
    let folder = folder(&format!("doc-{form}"));
    fs::write(folder.join("shapes.nesl"), SHAPES).unwrap();
    assert_eq!(told(&folder, &["shapes.nesl", &format!("--{form}"), "out/pages"]), "");
    texts(&folder.join("out/pages"))
}

/// The pages for browsers.
fn html() -> &'static BTreeMap<String, String> {
    static PAGES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    PAGES.get_or_init(|| written("html"))
}

/// What the files of pages are called, but that of the list.
fn page_names(ending: &str) -> BTreeSet<String> {
    let words = TOPICS.iter().map(|topic| topic.word).chain(["syntax", "file-shapes"]);
    words.map(|word| format!("{word}.{ending}")).collect()
}

#[test]
fn pages_for_browsers_stand_alone() {
    let pages = html();
    for (name, text) in pages {
        for outside in ["http:", "https:", "//", "src=", "<script", "<link", "@import", "url("] {
            assert!(!text.contains(outside), "{name} has {outside}");
        }
        for tag in ["html", "head", "body", "nav", "main", "section", "pre", "code", "span", "p"] {
            let open = text.matches(&format!("<{tag}>")).count()
                + text.matches(&format!("<{tag} ")).count();
            assert_eq!(open, text.matches(&format!("</{tag}>")).count(), "{name}: {tag}");
        }
    }
    let mut names = page_names("html");
    for page in &names {
        let way = format!("<a href=\"{page}\">");
        assert!(pages["index.html"].contains(&way), "no way to {page}");
    }
    names.insert("index.html".to_owned());
    assert!(pages.keys().eq(&names), "{names:?}");
}

#[test]
fn links_of_pages_lead_to_places() {
    let pages = html();
    let places = |name: &str| -> Vec<&str> { between(&pages[name], " id=\"", '"').collect() };
    let mut count = 0;
    for (name, text) in pages {
        let distinct: BTreeSet<&str> = places(name).into_iter().collect();
        assert_eq!(distinct.len(), places(name).len(), "{name} has a place twice");
        for target in between(text, "href=\"", '"') {
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { name } else { file };
            assert!(pages.contains_key(file), "{name}: no {target}");
            assert!(place.is_empty() || places(file).contains(&place), "{name}: no {target}");
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}

/// With its type, text and cost.
#[test]
fn every_name_is_on_a_page_once() {
    let pages = html();
    let escaped = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let sections: Vec<&str> =
        pages.values().flat_map(|text| between(text, "<section", '\0')).collect();
    for described in library() {
        let heading = format!("<code>{}</code></a></h2>", escaped(&described.name));
        let mut own = sections.iter().filter(|section| section.contains(&heading));
        let section = own.next().unwrap_or_else(|| panic!("no {}", described.name));
        assert!(own.next().is_none(), "{} stands twice", described.name);
        let doc = described.doc.unwrap();
        for text in [described.ty, doc.text, doc.cost.unwrap().to_string()] {
            assert!(section.contains(&escaped(&text)), "{}: no {text}", described.name);
        }
        assert!(section.contains("<pre>"), "{}", described.name);
    }
    for row in SYNTAX {
        let names = row.names.iter().map(|name| format!("<code>{}</code>", escaped(name)));
        let heading = format!("{}</a></h2>", names.collect::<Vec<String>>().join(" "));
        let mut own = sections.iter().filter(|section| section.contains(&heading));
        let section = own.next().unwrap_or_else(|| panic!("no {:?}", row.names));
        assert!(own.next().is_none(), "{:?} stand twice", row.names);
        let text = section.split('<').map(|part| part.split_once('>').map_or(part, |it| it.1));
        let (text, (input, value)) = (text.collect::<String>(), row.example);
        for part in [row.form, &row.meaning.replace('`', ""), &format!("{input} ==> {value}")] {
            assert!(text.contains(&format!("{}\n", escaped(part))), "no {part} in {text}");
        }
    }
    let syntax = pages["syntax.html"].split("<section").nth(4).unwrap();
    expect![[r##"
         id="op-brace">
        <h2><a href="#op-brace"><code>{</code> <code>}</code></a></h2>
        <p class="type"><code>{value : name in sequence; name in sequence | test}</code></p>
        <p>apply-to-each: the value for each element that passes the test, in parallel; several generators go through their sequences together; <code>{* ... }</code> takes one element after the other and allows effects</p>
        <pre>{x * x : x <span class="keyword">in</span> [<span class="constant">1</span>, <span class="constant">2</span>, <span class="constant">3</span>] | x &gt; <span class="constant">1</span>}; ==&gt; [<span class="constant">4</span>, <span class="constant">9</span>]</pre>
        </section>
    "##]].assert_eq(syntax);
    let own = pages["file-shapes.html"].split_once("<section").unwrap().1;
    expect![[r##"
         id="circle">
        <h2><a href="#circle"><code>circle</code></a></h2>
        <p class="type"><code>float -&gt; circle</code></p>
        </section>
        <section id="area">
        <h2><a href="#area"><code>area</code></a></h2>
        <p class="type"><code>circle -&gt; float</code></p>
        <p>what it covers; &lt;always&gt; &amp; `never` below 0</p>
        <p class="facts">work 1, depth 1</p>
        <pre>area(circle(<span class="constant">2.0</span>)) ==&gt; <span class="constant">12.566370614359172</span></pre>
        </section>
        <section id="bare">
        <h2><a href="#bare"><code>bare</code></a></h2>
        <p class="type"><code>a -&gt; a :: (a in any)</code></p>
        </section>
        <section id="told">
        <h2><a href="#told"><code>told</code></a></h2>
        <p class="type"><code>[char] -&gt; bool</code></p>
        <p>tells it</p>
        <p class="facts">has an effect: not inside an apply-to-each</p>
        </section>
        <section id="unit">
        <h2><a href="#unit"><code>unit</code></a></h2>
        <p class="type"><code>circle</code></p>
        </section>
    "##]].assert_eq(own.rsplit_once("</main>").unwrap().0);
}

/// The pages of the book's chapter: what is written now, and nothing else.
#[test]
fn the_book_has_these_pages() {
    let mut made = written("markdown");
    let own = made.remove("file-shapes.md").unwrap();
    expect![[r#"
        <!-- Written by `nesl doc --markdown`; what it says stands where the functions do. -->

        # shapes.nesl

        | name | type | cost | effect |
        |---|---|---|---|
        | [`circle`](#circle) | `float -> circle` |  |  |
        | [`area`](#area) | `circle -> float` | 1 / 1 |  |
        | [`bare`](#bare) | `a -> a :: (a in any)` |  |  |
        | [`told`](#told) | `[char] -> bool` |  | effect |
        | [`unit`](#unit) | `circle` |  |  |

        ## `circle`

        `float -> circle`

        ## `area`

        `circle -> float`

        what it covers; \<always\> & \`never\` below 0

        *work 1, depth 1*

        ```nesl-example
        area(circle(2.0)) ==> 12.566370614359172
        ```

        ## `bare`

        `a -> a :: (a in any)`

        ## `told`

        `[char] -> bool`

        tells it

        *has an effect: not inside an apply-to-each*

        ## `unit`

        `circle`
    "#]]
    .assert_eq(&own);
    let list = made.get_mut("README.md").unwrap();
    *list = list.split("\n## [shapes.nesl]").next().unwrap().to_owned();
    let book = root().join("docs/library");
    for (name, text) in &made {
        let page = fs::read_to_string(book.join(name)).unwrap_or_default();
        pages::expect(&book.join(name), &page, text);
    }
    assert!(texts(&book).keys().eq(made.keys()), "pages of topics that are no more");
}
