//! Every spelling of a path that some server along the way may take for the same resource.
//!
//! `/%61dmin`, `//admin` and `/admin;x` are three texts and, for many an upstream, one page. A prefix is compared with
//! all spellings, so that no way of writing a path slips past the route that guards it to a later, permissive one.

use std::{borrow::Cow, fmt};

use percent_encoding::percent_decode;

use crate::config::{Code, Issues, Path, Reported};

/// The prefix a route names, on segment boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prefix {
    /// As written, without a slash at the end; empty for the root.
    written: String,
    /// As written, percent-decoded, where that is another text.
    decoded: Option<Vec<u8>>,
}

impl Prefix {
    /// Compiles `match.path`: `/x`, `/x/` and `/x/*` are one prefix.
    pub(super) fn compile(
        text: &str,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let mut refuse = |why: &str| {
            Err(issues.report(
                at,
                Code::Value,
                format!("expected a path such as \"/shop\", {why}; found {text:?}"),
            ))
        };
        if !text.starts_with('/') {
            return refuse("starting with a slash");
        }
        let written = match text.strip_suffix('*') {
            Some(parent) if parent.ends_with('/') => parent,
            _ => text,
        };
        if written.contains('*') {
            return refuse(
                "where a \"*\" may only be the whole last segment (\"/shop/*\"), and means what \"/shop\" means without it",
            );
        }
        if written.contains(['?', '#', '\\']) {
            return refuse(
                "without query, fragment and backslashes, which no request's path contains; conditions on parameters go into \"query\"",
            );
        }
        let written = written.trim_end_matches('/');
        if on_the_wire(written) != written {
            return refuse(
                "without \".\" and \"..\" segments, which are resolved before a request arrives",
            );
        }
        Ok(Self {
            written: written.to_owned(),
            decoded: decoded(written.as_bytes())
                .map(without_trailing_slashes)
                .filter(|text| !text.is_empty()),
        })
    }

    /// Whether this prefix takes every path.
    pub(super) fn is_root(&self) -> bool {
        self.written.is_empty()
    }

    /// As written, without a slash at the end.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// The texts a path may start with; the first is the prefix as written.
    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.written.as_bytes()).chain(self.decoded.as_deref())
    }

    /// What follows the prefix in a path: nothing, or a slash and more. `None` where the path is not below it.
    pub(super) fn tail<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        self.texts().find_map(|prefix| {
            path.strip_prefix(prefix)
                .filter(|tail| tail.is_empty() || tail.starts_with(b"/"))
        })
    }

    /// The prefix as it stands in a URL, for putting it back in front of an upstream's paths.
    pub(super) fn in_url(&self) -> String {
        self.written
            .bytes()
            .map(|byte| match byte {
                b'%' => Cow::Borrowed("%"),
                byte => encoded(byte),
            })
            .collect()
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.written.as_str() {
            "" => f.write_str("/"),
            written => f.write_str(written),
        }
    }
}

/// The path as it is sent on: backslashes as slashes and dot segments resolved, as every URL parser does before a
/// request leaves (WHATWG URL, "path state"). All else stays as it was written.
///
/// A route that was judged by another text than the one sent would guard the wrong resource.
pub(super) fn on_the_wire(path: &str) -> Cow<'_, str> {
    if !path.contains('\\') && !path.contains("/.") && !path.contains("/%2") {
        return Cow::Borrowed(path);
    }
    let slashes = backslashes_as_slashes(path.as_bytes());
    let slashes = slashes.as_deref().unwrap_or(path.as_bytes());
    match resolved(slashes) {
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None if slashes == path.as_bytes() => Cow::Borrowed(path),
        None => Cow::Owned(String::from_utf8_lossy(slashes).into_owned()),
    }
}

/// The further spellings of a path that is on the wire, most likely first; the path itself is not among them.
///
/// First come the results of doing everything a server may do to a path, in rounds, because an upstream's own proxy
/// may decode once and the upstream once more. Then what servers see that do fewer of these things, or in another
/// order: one that decodes `%3f` cuts the path there, another takes it for a letter; one merges slashes before it
/// resolves dots, another after. Both searches are bounded, so a path encoded a thousand times over costs little.
pub(super) fn further_spellings(path: &str) -> Vec<Vec<u8>> {
    if is_plain(path) {
        return Vec::new();
    }
    let mut found = rounds(path);
    let mut read = 0;
    while let Some(text) = found.get(read) {
        read += 1;
        let next: Vec<Vec<u8>> = STEPS.iter().filter_map(|step| step(text)).collect();
        for text in next {
            if found.len() < MOST_SPELLINGS && !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found.remove(0);
    found
}

/// The plainest spelling of a path that is on the wire: everything done to it that a server may do, until nothing
/// changes any more.
pub(super) fn plainest(path: &str) -> Cow<'_, str> {
    if is_plain(path) {
        return Cow::Borrowed(path);
    }
    match rounds(path).as_slice() {
        [] | [_] => Cow::Borrowed(path),
        [.., last] => Cow::Owned(String::from_utf8_lossy(last).into_owned()),
    }
}

/// Whether a path has one spelling only.
fn is_plain(path: &str) -> bool {
    !path.contains(['%', ';', '\\']) && !path.contains("//") && !path.contains("/.")
}

/// The path itself, and what becomes of it round by round.
fn rounds(path: &str) -> Vec<Vec<u8>> {
    let mut found = vec![path.as_bytes().to_vec()];
    for _ in 0..ROUNDS {
        let Some(last) = found.last() else { break };
        let next = STEPS
            .iter()
            .fold(Cow::Borrowed(last.as_slice()), |text, step| {
                step(&text).map_or(text, Cow::Owned)
            });
        if next == last.as_slice() {
            break;
        }
        let next = next.into_owned();
        found.push(next);
    }
    found
}

/// A piece of a decoded spelling as it stands in a URL.
pub(super) fn in_url(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| encoded(*byte)).collect()
}

/// One thing a server may do to a path; `None` where it changes nothing.
type Step = fn(&[u8]) -> Option<Vec<u8>>;

const STEPS: [Step; 6] = [
    decoded,
    cut_short,
    backslashes_as_slashes,
    without_parameters,
    resolved,
    with_single_slashes,
];

/// Every `%XX` as the byte it stands for, whether or not the bytes are UTF-8; anything else behind a `%` stays.
fn decoded(path: &[u8]) -> Option<Vec<u8>> {
    match percent_decode(path).into() {
        Cow::Owned(decoded) => Some(decoded),
        Cow::Borrowed(_) => None,
    }
}

/// What stands before a `?` or `#` that decoding has brought out.
fn cut_short(path: &[u8]) -> Option<Vec<u8>> {
    path.iter()
        .position(|byte| matches!(byte, b'?' | b'#'))
        .and_then(|end| path.get(..end))
        .map(<[u8]>::to_vec)
}

fn backslashes_as_slashes(path: &[u8]) -> Option<Vec<u8>> {
    path.contains(&b'\\').then(|| {
        path.iter()
            .map(|byte| if *byte == b'\\' { b'/' } else { *byte })
            .collect()
    })
}

/// The segments without what follows a `;` in them (RFC 3986 section 3.3).
fn without_parameters(path: &[u8]) -> Option<Vec<u8>> {
    path.contains(&b';').then(|| {
        let segments = path.split(|byte| *byte == b'/').map(|segment| {
            segment
                .split(|byte| *byte == b';')
                .next()
                .unwrap_or_default()
        });
        joined(segments)
    })
}

/// Dot segments resolved as a URL parser does, which knows `%2e` for a dot.
fn resolved(path: &[u8]) -> Option<Vec<u8>> {
    let is_dots = |segment: &&[u8]| !matches!(dots(segment), Dots::None);
    if !path
        .split(|byte| *byte == b'/')
        .any(|segment| is_dots(&segment))
    {
        return None;
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut segments = path.split(|byte| *byte == b'/').peekable();
    // What stands before the first slash is no segment. It is empty, or there is no slash.
    let before = segments.next().unwrap_or_default();
    while let Some(segment) = segments.next() {
        match dots(segment) {
            Dots::None => {
                kept.push(segment);
                continue;
            }
            Dots::Here => {}
            Dots::Up => {
                kept.pop();
            }
        }
        // A dot segment at the end names a folder, which has a slash behind it.
        if segments.peek().is_none() {
            kept.push(b"");
        }
    }
    Some(joined(std::iter::once(before).chain(kept)))
}

fn without_trailing_slashes(mut path: Vec<u8>) -> Vec<u8> {
    while path.last() == Some(&b'/') {
        path.pop();
    }
    path
}

fn with_single_slashes(path: &[u8]) -> Option<Vec<u8>> {
    let mut out = path.to_vec();
    out.dedup_by(|next, before| *next == b'/' && *before == b'/');
    (out.len() != path.len()).then_some(out)
}

enum Dots {
    None,
    Here,
    Up,
}

fn dots(segment: &[u8]) -> Dots {
    let mut rest = segment;
    let mut count = 0;
    loop {
        rest = match rest {
            [] => break,
            [b'.', tail @ ..] | [b'%', b'2', b'e' | b'E', tail @ ..] => tail,
            _ => return Dots::None,
        };
        count += 1;
    }
    match count {
        1 => Dots::Here,
        2 => Dots::Up,
        _ => Dots::None,
    }
}

fn joined<'a>(segments: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, segment) in segments.enumerate() {
        if index > 0 {
            out.push(b'/');
        }
        out.extend_from_slice(segment);
    }
    out
}

/// A byte of a path as it stands in a URL (RFC 3986, `pchar` and the slash).
fn encoded(byte: u8) -> Cow<'static, str> {
    let text = char::from(byte);
    if text.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@".contains(text) {
        Cow::Owned(text.to_string())
    } else {
        Cow::Owned(format!("%{byte:02X}"))
    }
}

/// How often the whole of the steps is repeated.
const ROUNDS: usize = 8;

/// Most spellings looked at, the path itself included.
const MOST_SPELLINGS: usize = 32;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spellings(path: &str) -> Vec<String> {
        further_spellings(path)
            .iter()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .collect()
    }

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let found = spellings(path);
        assert!(
            found.iter().any(|spelling| spelling == expected),
            "{path:?} should be read as {expected:?}, was {found:?}"
        );
    }

    #[test]
    fn an_ordinary_path_has_one_spelling() {
        for path in ["/", "/a", "/a/b.txt", "/a-b/c_d/", "/a.b/~c"] {
            assert!(further_spellings(path).is_empty(), "{path}");
        }
        for path in ["/.well-known/x", "/100%/x", "/%zz", "/a%2"] {
            assert!(further_spellings(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn every_way_of_writing_a_path_is_read() {
        for (path, expected) in [
            ("/%61dmin", "/admin"),
            ("//admin", "/admin"),
            ("/admin//users", "/admin/users"),
            ("/admin;x", "/admin"),
            ("/admin%3bx", "/admin"),
            ("/admin;jsessionid=1/users", "/admin/users"),
            ("/;x/admin", "/admin"),
            ("/%2fadmin", "/admin"),
            ("/%5Cadmin", "/admin"),
            ("/admin%3fx", "/admin"),
            ("/admin%23x", "/admin"),
            ("/%252fadmin", "/admin"),
            ("/%25%32%66admin", "/admin"),
            ("/a%2f..%2fadmin", "/admin"),
            ("/a%2F.%2F..%2Fadmin", "/admin"),
            ("/x/..;/admin", "/admin"),
            ("///%61dmin;y", "/admin"),
            ("/b%C3%BCcher", "/bücher"),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn servers_that_do_less_or_in_another_order_are_read_too() {
        for (path, expected) in [
            // Decodes the question mark and takes it for a letter.
            ("/x%3f%2f..%2fadmin", "/admin"),
            // Cuts at it, and so never sees the dots.
            ("/admin%3f%2f..%2fx", "/admin"),
            // Merges slashes before it resolves dots, and after.
            ("/a%2f%2f..%2fadmin", "/admin"),
            ("/a%2f%2f..%2fadmin", "/a/admin"),
            // Decodes and leaves parameters where they are.
            ("/%61;x", "/a;x"),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8_stop_nothing() {
        assert_eq!(further_spellings("/%61dmin/%ff"), [b"/admin/\xff".to_vec()]);
    }

    #[test]
    fn a_path_is_sent_as_a_url_parser_leaves_it() {
        for (path, expected) in [
            ("/a//b;x/%2f%41", "/a//b;x/%2f%41"),
            (r"\a\b", "/a/b"),
            ("/a/../b", "/b"),
            ("/../b", "/b"),
            ("/a/%2E%2e/b", "/b"),
            ("/a/.%2e", "/"),
            ("/a/b/.", "/a/b/"),
            ("/a/b/..", "/a/"),
            ("/a/...", "/a/..."),
            ("/a/.b", "/a/.b"),
            ("/a//../b", "/a/b"),
            ("/%2fb", "/%2fb"),
        ] {
            assert_eq!(on_the_wire(path), expected, "{path}");
        }
    }

    #[test]
    fn a_prefix_has_several_notations_and_one_meaning() {
        for text in ["/x", "/x/", "/x/*"] {
            let prefix = compile(text).unwrap();
            for (path, expected) in [
                ("/x", Some("")),
                ("/x/", Some("/")),
                ("/x/y", Some("/y")),
                ("/xy", None),
                ("/", None),
                ("/y/x", None),
                ("/X", None),
            ] {
                assert_eq!(
                    prefix.tail(path.as_bytes()),
                    expected.map(str::as_bytes),
                    "{text} {path}"
                );
            }
        }
        for text in ["/", "/*"] {
            assert!(compile(text).unwrap().is_root(), "{text}");
        }
    }

    #[test]
    fn a_prefix_in_escapes_takes_the_decoded_path_as_well() {
        let prefix = compile("/a%20b").unwrap();
        assert_eq!(prefix.tail(b"/a%20b/c"), Some(&b"/c"[..]));
        assert_eq!(prefix.tail(b"/a b/c"), Some(&b"/c"[..]));
        assert_eq!(prefix.in_url(), "/a%20b");
        assert_eq!(compile("/bücher").unwrap().in_url(), "/b%C3%BCcher");
    }

    #[test]
    fn what_is_no_prefix_is_refused() {
        for text in [
            "", "x", "*", "/a*b", "/a*", "/**", "/*/a", "/a?b", "/a#b", r"/a\b", "/a/../b", "/./a",
        ] {
            assert!(compile(text).is_err(), "{text:?}");
        }
    }

    fn compile(text: &str) -> Result<Prefix, Reported> {
        Prefix::compile(text, &Path::root(), &mut Issues::default())
    }

    proptest! {
        #[test]
        fn reading_is_bounded_and_what_is_sent_is_settled(path in "(/|%|2|5|e|f|F|3|b|c|;|\\.|\\\\|a|\u{fc}){0,40}") {
            let path = format!("/{path}");
            let wire = on_the_wire(&path);
            prop_assert_eq!(on_the_wire(&wire), wire.as_ref());
            let found = further_spellings(&wire);
            prop_assert!(found.len() < MOST_SPELLINGS);
            prop_assert!(!found.iter().any(|spelling| spelling == wire.as_bytes()));
        }

        #[test]
        fn what_is_encoded_decodes_to_itself(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let url = in_url(&bytes);
            prop_assert_eq!(decoded(url.as_bytes()).unwrap_or(url.clone().into_bytes()), bytes);
        }
    }
}
