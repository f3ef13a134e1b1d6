//! Media types, as far as a proxy must know them.

/// The type of a `Content-Type` value without its parameters, in lower case.
pub fn essence(content_type: &str) -> String {
    content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Whether a type is a stream of events or of JSON lines.
///
/// Such a body is never rewritten (holding bytes back would cut its frames) and never stored (a replay would hand one
/// caller another's stream).
pub fn is_stream(content_type: &str) -> bool {
    STREAMS.contains(&essence(content_type).as_str())
}

const STREAMS: [&str; 5] = [
    "text/event-stream",
    "application/x-ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/stream+json",
];
