//! What happened when, as a file in the trace-event format of Chrome, which Perfetto opens.
//!
//! The host's events lie inside each other as calls do; launches have a track of their own.  A
//! kernel is called after the source text that it comes from: `quicksort.nesl:5 {x in a | x < p}`.

use base::{FileId, Files, Span};
use run::session::Report;
use run::trace::{Event, EventKind, Track};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The most characters of a source text that are shown.
const WIDTH: usize = 60;

/// The file's text.
pub fn trace(report: &Report, files: &Files) -> String {
    let name = |what: &str, track: usize, name: &str| json!({ "ph": "M", "pid": 1, "tid": track, "name": what, "args": { "name": name } });
    let mut events = vec![
        name("process_name", HOST, "nesl"),
        name("thread_name", HOST, "host"),
        name("thread_name", DEVICE, "kernels"),
    ];
    // A viewer wants what contains others first.
    let mut sorted: Vec<&Event> = report.trace.iter().collect();
    sorted.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.seconds.total_cmp(&a.seconds)));
    events.extend(sorted.into_iter().map(|event| row(event, files)));
    let trace = json!({ "displayTimeUnit": "ms", "traceEvents": events });
    format!("{trace}\n")
}

/// The numbers of the tracks.
const HOST: usize = 1;
const DEVICE: usize = 2;

fn row(event: &Event, files: &Files) -> Value {
    let track = match event.track {
        Track::Host => HOST,
        Track::Device => DEVICE,
    };
    let places: Vec<String> = event.spans.iter().map(|&span| place(files, span)).collect();
    let name = match (event.kind, named_after(files, &event.spans)) {
        (EventKind::Kernel, Some(place)) => place,
        (EventKind::Memory, Some(place)) => format!("memory for {place}"),
        _ => event.name.clone(),
    };
    let mut args = Map::new();
    args.insert("of".to_owned(), json!(event.name));
    if !places.is_empty() {
        args.insert("source".to_owned(), json!(places.join("; ")));
    }
    args.extend(event.facts.iter().map(|(name, number)| ((*name).to_owned(), json!(number))));
    json!({
        "ph": "X",
        "pid": 1,
        "tid": track,
        "ts": event.start * 1e6,
        "dur": event.seconds * 1e6,
        "cat": event.kind.name(),
        "name": name,
        "args": args,
    })
}

/// What a kernel is named after that comes from several texts: the first, or what it lies in if
/// that is short.
pub fn named_after(files: &Files, spans: &[Span]) -> Option<String> {
    let around = |inner: Span, outer: Span| {
        let short = (outer.end - outer.start) as usize <= WIDTH;
        let inside =
            outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end;
        if short && inside { outer } else { inner }
    };
    let (&first, others) = spans.split_first()?;
    Some(place(files, others.iter().copied().fold(first, around)))
}

/// `quicksort.nesl:5 {x in a | x < p}`: the name of the file, the line, and the text.
pub fn place(files: &Files, span: Span) -> String {
    let name = short_name(files, span.file);
    let (line, _) = files.line_column(span.file, span.start);
    let text = &files.file(span.file).text;
    let bytes = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let shown: String = text.chars().take(WIDTH).collect();
    let rest = if shown.len() < text.len() { " ..." } else { "" };
    format!("{name}:{line} {shown}{rest}")
}

/// The name of a file without its folders.
pub fn short_name(files: &Files, file: FileId) -> String {
    let file = files.file(file);
    let name = Path::new(&file.name).file_name();
    name.map_or_else(|| file.name.clone(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    #[test]
    fn kernels_are_named_after_what_is_whole() {
        let mut files = Files::new();
        let text = format!("sum({{v * x[c] : c in row}}) + max(b){}", " ".repeat(WIDTH));
        let file = files.add("f.nesl", text.as_str());
        let span = |start, end| Span::new(file, start, end);
        let all = span(0, u32::try_from(text.len()).unwrap());
        let named = |spans: &[Span]| named_after(&files, spans);
        assert_eq!(named(&[]), None);
        let sum = "f.nesl:1 sum({v * x[c] : c in row})";
        assert_eq!(named(&[span(9, 13), span(0, 26)]).as_deref(), Some(sum));
        assert_eq!(named(&[span(0, 26), span(29, 35), all]).as_deref(), Some(sum));
        assert_eq!(named(&[span(9, 13), all]).as_deref(), Some("f.nesl:1 x[c]"));
    }

    #[test]
    fn places_are_short() {
        let mut files = Files::new();
        let long = format!("f(x) =\n  {{a :\n   b in {}}}", "c".repeat(70));
        let file = files.add("/some/where/f.nesl", long.as_str());
        assert_eq!(file, Id::new(0));
        let end = u32::try_from(long.len()).unwrap();
        let shown = place(&files, Span::new(file, 9, end));
        assert_eq!(shown, format!("f.nesl:2 {{a : b in {} ...", "c".repeat(WIDTH - 10)));
        assert_eq!(place(&files, Span::new(file, 0, 4)), "f.nesl:1 f(x)");
    }
}
