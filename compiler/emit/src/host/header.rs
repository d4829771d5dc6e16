//! The header: what callers may know.

use super::entry::Call;
use super::sites::words;
use super::{Library, names};
use crate::shared::Writer;
use crate::shared::names::comment;

/// The prototype of the function that sets the allocator of a library.
pub(super) fn allocator(name: &str) -> String {
    format!(
        "void {name}_allocator(void *(*allocate)(size_t alignment, size_t bytes),\n    \
         void (*deallocate)(void *memory))"
    )
}

/// The text of the header; on `cores`, callers choose how many of them work.
pub(super) fn header(library: &Library<'_>, calls: &[Call<'_>], cores: bool) -> String {
    let mut out = Writer::default();
    let name = library.name;
    let capitals = names::identifier(name).to_ascii_uppercase();
    let source = comment(library.source);
    out.line(format!("/* The functions of {source} for C and C++.  Made by `nesl build`."));
    out.line(" *");
    for line in [
        " * A sequence is a pointer and a length; one of tuples, a pointer for each part.  Sequences",
        " * in a sequence are all their elements in order, and offsets: number i has the elements",
        " * from offsets[i] on, before offsets[i + 1].  The first offset is 0, and there is one",
        " * offset more than there are sequences.  Arguments are only read.",
        " *",
        " * A function returns 0, or what went wrong, and then it has set nothing.  Memory of",
    ] {
        out.line(line);
    }
    out.line(format!(" * results is the caller's, who frees each pointer with {name}_free."));
    out.line(" *");
    for line in [
        " * A function with `_into` puts results into memory of the caller.  Before, each room says",
        " * for how many elements there is memory, and afterwards how many there are.  If a room is",
        " * too small, the call fails, and the rooms are set to what is needed. */",
    ] {
        out.line(line);
    }
    out.line(format!("#ifndef {capitals}_H"));
    out.line(format!("#define {capitals}_H"));
    out.blank();
    out.line("#include <stdbool.h>");
    out.line("#include <stddef.h>");
    out.line("#include <stdint.h>");
    out.blank();
    out.line("#ifdef __cplusplus");
    out.line("extern \"C\" {");
    out.line("#endif");
    out.blank();
    out.line("/* What a function returns. */");
    out.open("enum");
    for (code, word) in words().into_iter().enumerate() {
        let about = about(word);
        out.line(format!("{capitals}_{} = {code}, /* {about} */", word.to_ascii_uppercase()));
    }
    out.close(";");
    out.blank();
    for call in calls {
        let entry = call.entry;
        out.line(format!("/* {} : {} */", comment(&entry.name), comment(&entry.ty)));
        out.line(format!("{};", call.head()));
        if let Some(head) = call.head_into() {
            out.line(format!("{head};"));
        }
        out.blank();
    }
    out.line(
        "/* What the last call in this thread that failed says, with the place in the source. */",
    );
    out.line(format!("const char *{name}_message(void);"));
    out.blank();
    out.line("/* Frees the memory of a result. */");
    out.line(format!("void {name}_free(void *result);"));
    out.blank();
    out.line("/* Says where memory comes from and goes to, for all threads; null stands for");
    out.line(" * `aligned_alloc` and `free`.  To be called before all others. */");
    out.lines(&format!("{};\n", allocator(name)));
    out.blank();
    if cores {
        out.line("/* How many cores work for calls in this thread; 0 stands for all that OpenMP gives. */");
        out.line(format!("void {name}_threads(int count);"));
        out.blank();
    }
    out.line("#ifdef __cplusplus");
    out.line("}");
    out.line("#endif");
    out.blank();
    out.line("#endif");
    out.finish()
}

fn about(word: &str) -> &'static str {
    match word {
        "ok" => "all went well",
        "divide" => "a division of ints by 0",
        "index" => "an index outside its sequence",
        "range" => "a range with step 0, or a slice beyond the ends",
        "length" => "lengths that do not fit",
        "permute" => "positions that are no permutation",
        "domain" => "an argument outside the domain of a function",
        "user" => "the program called `error`",
        "file" => "a file that cannot be read or written",
        "memory" => "no memory, or no stack",
        "input" => "an argument that is none, such as offsets that fall",
        _ => "the machine fails",
    }
}
