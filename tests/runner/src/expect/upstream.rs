//! The requests that reached the upstreams.

use super::{Difference, body, header_differences};
use crate::case::{Expect, UpstreamCount, UpstreamExpect};
use crate::observed::UpstreamRequest;

/// What is not as expected about the requests that reached the upstreams during a step.
#[must_use]
pub fn upstream_differences(expect: &Expect, requests: &[UpstreamRequest]) -> Vec<Difference> {
    let mut differences = Vec::new();
    if let Some(expected) = &expect.upstream {
        list_differences(expected, requests, &mut differences);
    }
    match &expect.upstream_count {
        Some(UpstreamCount::Total(count)) if *count != requests.len() => {
            differences.push(Difference::new(
                "upstreamCount",
                count,
                show_count(requests),
            ));
        }
        Some(UpstreamCount::ByHost(counts)) => {
            for (host, count) in counts {
                let seen = requests
                    .iter()
                    .filter(|request| request.host.eq_ignore_ascii_case(host))
                    .count();
                if seen != *count {
                    differences.push(Difference::new(
                        format!("upstreamCount of {host}"),
                        count,
                        seen,
                    ));
                }
            }
        }
        Some(UpstreamCount::Total(_)) | None => {}
    }
    differences
}

fn list_differences(
    expected: &[UpstreamExpect],
    requests: &[UpstreamRequest],
    differences: &mut Vec<Difference>,
) {
    if expected.len() != requests.len() {
        differences.push(Difference::new(
            "upstream requests",
            expected.len(),
            show_count(requests),
        ));
    }
    for (index, (expected, request)) in expected.iter().zip(requests).enumerate() {
        let prefix = format!("upstream request {}: ", index + 1);
        let texts = [
            ("host", &expected.host, &request.host),
            ("method", &expected.method, &request.method),
            ("path", &expected.path, &request.path),
            ("query", &expected.query, &request.query),
        ];
        for (name, expected, observed) in texts {
            if let Some(expected) = expected.as_ref().filter(|expected| *expected != observed) {
                differences.push(Difference::new(
                    format!("{prefix}{name}"),
                    format_args!("{expected:?}"),
                    format_args!("{observed:?}"),
                ));
            }
        }
        header_differences(
            &prefix,
            &expected.headers,
            &expected.no_headers,
            &request.headers,
            differences,
        );
        if let Some(text) = expected
            .body
            .as_ref()
            .filter(|text| text.as_bytes() != request.body)
        {
            differences.push(Difference::new(
                format!("{prefix}body"),
                format_args!("{text:?}"),
                body::show(&request.body),
            ));
        }
    }
}

fn show_count(requests: &[UpstreamRequest]) -> String {
    let lines: Vec<_> = requests
        .iter()
        .map(|request| format!("{} {}", request.method, request.url))
        .collect();
    if lines.is_empty() {
        "none".to_owned()
    } else {
        format!("{}: {}", requests.len(), lines.join(", "))
    }
}
