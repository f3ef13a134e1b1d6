//! The headers that every answer of this Worker carries. The files of the user interface are served without it and
//! repeat them in `assets/_headers`.

use http::{HeaderName, HeaderValue, header};

use super::Reply;

/// The answer with the headers that none may lack.
pub(crate) fn secured(mut reply: Reply) -> Reply {
    for (name, value) in HEADERS {
        reply.headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    // What is answered here depends on who asks and on when.
    reply
        .headers
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

const HEADERS: [(&str, &str); 11] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "SAMEORIGIN"),
    ("referrer-policy", "no-referrer"),
    (
        "strict-transport-security",
        "max-age=15552000; includeSubDomains",
    ),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("origin-agent-cluster", "?1"),
    ("x-dns-prefetch-control", "off"),
    ("x-download-options", "noopen"),
    ("x-permitted-cross-domain-policies", "none"),
    ("x-xss-protection", "0"),
];

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn the_files_carry_what_the_worker_sends() {
        let files = include_str!("../../assets/_headers").to_ascii_lowercase();
        for (name, value) in HEADERS {
            let line = format!("{name}: {}", value.to_ascii_lowercase());
            assert!(files.contains(&line), "assets/_headers lacks {line}");
        }
    }

    #[test]
    fn an_answer_keeps_its_own_headers_and_is_never_stored() {
        let reply = secured(Reply::text(StatusCode::OK, "text/plain", "x"));
        assert_eq!(reply.headers.len(), HEADERS.len() + 2);
        assert_eq!(reply.headers["cache-control"], "no-store");
        assert_eq!(reply.headers["content-type"], "text/plain");
    }
}
