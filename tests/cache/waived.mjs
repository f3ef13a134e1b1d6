// What does not apply to a shared cache whose operator sets the windows, by reason. The reasons are printed in
// docs/cache-conformance.md. `either`: the outcome is a matter of luck.

export const WAIVED = [
  {
    title: "The life of an entry",
    reason:
      "How long an answer is fresh is the operator's `ttlSeconds` and nothing an origin says, by design. These cases count on `max-age`, `s-maxage`, `Expires`, `Age` or `Date` of the origin to end an entry's life, or on how a malformed one is read.",
    cases: [
      "freshness-max-age-age", "freshness-max-age-date", "freshness-max-age-0-expires",
      "freshness-max-age-negative", "freshness-max-age-s-maxage-shared-longer",
      "freshness-max-age-s-maxage-shared-longer-reversed", "freshness-max-age-s-maxage-shared-longer-multiple",
      "freshness-max-age-single-quoted", "freshness-max-age-ignore-quoted", "freshness-max-age-ignore-quoted-rev",
      "freshness-max-age-ignore-quoted-all", "freshness-max-age-ignore-quoted-all-rev",
      "freshness-max-age-space-before-equals", "freshness-max-age-space-after-equals", "age-parse-nonnumeric",
      "age-parse-negative", "age-parse-float", "age-parse-suffix", "age-parse-suffix-twoline",
      "age-parse-prefix-twoline", "age-parse-dup-0", "age-parse-dup-0-twoline", "age-parse-dup-old",
      "age-parse-parameter", "age-parse-numeric-parameter", "freshness-expires-present",
      "freshness-expires-old-date", "freshness-expires-invalid", "freshness-expires-age-slow-date",
      "freshness-expires-age-fast-date", "status-200-stale", "status-203-stale", "status-301-stale",
      "status-302-stale", "status-303-stale", "status-307-stale", "status-308-stale", "status-404-stale",
      "status-410-stale", "cc-resp-must-revalidate-stale",
    ],
  },
  {
    title: "The age of an entry",
    reason:
      "`Age` counts from the moment the answer was stored, as the windows do. What the origin claimed before that is not added.",
    cases: [
      "other-age-update-expires", "other-age-update-max-age",
    ],
  },
  {
    title: "The visitor's directives",
    reason:
      "A visitor's own `cache-control` changes nothing. Otherwise anybody could push requests past the cache, to the origin.",
    cases: [
      "ccreq-ma0", "ccreq-ma1", "ccreq-magreaterage", "ccreq-min-fresh", "ccreq-min-fresh-age", "ccreq-no-cache",
      "ccreq-no-cache-lm", "ccreq-no-cache-etag", "ccreq-no-store", "ccreq-oic",
    ],
  },
  {
    title: "Revalidation",
    reason:
      "An entry is replaced, never revalidated: a rewritten body has no validator that the origin knows. So no conditional request is made, no 304 updates an entry, and an answer that says `no-cache`, with or without a list of headers, is not stored at all.",
    cases: [
      "cc-resp-no-cache-revalidate", "cc-resp-no-cache-revalidate-fresh",
      "headers-omit-headers-listed-in-Cache-Control-no-cache-single",
      "headers-omit-headers-listed-in-Cache-Control-no-cache", "conditional-etag-vary-headers",
      "conditional-etag-vary-headers-mismatch", "conditional-etag-strong-generate",
      "conditional-etag-weak-generate-weak", "conditional-etag-strong-generate-unquoted",
      "304-lm-use-stored-Test-Header", "304-etag-update-response-Test-Header",
      "304-etag-update-response-X-Test-Header", "304-etag-update-response-Content-Foo",
      "304-etag-update-response-X-Content-Foo", "304-etag-update-response-Cache-Control",
      "304-etag-update-response-Content-Encoding", "304-etag-update-response-Content-Length",
      "304-etag-update-response-Content-Location", "304-etag-update-response-Content-MD5",
      "304-etag-update-response-Content-Range", "304-etag-update-response-Content-Security-Policy",
      "304-etag-update-response-Content-Type", "304-etag-update-response-Clear-Site-Data",
      "304-etag-update-response-ETag", "304-etag-update-response-Expires",
      "304-etag-update-response-Public-Key-Pins", "304-etag-update-response-Set-Cookie",
      "304-etag-update-response-Set-Cookie2", "304-etag-update-response-X-Frame-Options",
      "304-etag-update-response-X-XSS-Protection",
    ],
  },
  {
    title: "Conditional requests",
    reason:
      "A hit is answered whole, with the stored status. That is always correct, if not always the fewest bytes. A condition that reaches the origin is passed on as the visitor wrote it.",
    cases: [
      "conditional-lm-fresh", "conditional-lm-fresh-earlier", "conditional-lm-fresh-no-lm",
      "conditional-lm-fresh-rfc850", "conditional-304-etag", "conditional-etag-precedence",
      "conditional-etag-strong-respond", "conditional-etag-strong-respond-obs-text",
      "conditional-etag-quoted-respond-unquoted", "conditional-etag-unquoted-respond-unquoted",
      "conditional-etag-unquoted-respond-quoted", "conditional-etag-weak-respond",
      "conditional-etag-weak-respond-lowercase", "conditional-etag-weak-respond-backslash",
      "conditional-etag-weak-respond-omit-slash", "conditional-etag-strong-respond-multiple-first",
      "conditional-etag-strong-respond-multiple-second", "conditional-etag-strong-respond-multiple-last",
      "conditional-etag-forward-unquoted",
    ],
  },
  {
    title: "Ranges",
    reason:
      "A request with `range` bypasses the cache in both directions, and a 206 is never stored.",
    cases: [
      "partial-store-partial-reuse-partial", "partial-store-complete-reuse-partial",
      "partial-store-complete-reuse-partial-no-last", "partial-store-complete-reuse-partial-suffix",
      "partial-store-partial-reuse-partial-byterange", "partial-store-partial-reuse-partial-absent",
      "partial-store-partial-reuse-partial-suffix", "partial-store-partial-complete", "partial-use-headers",
      "partial-use-stored-headers",
    ],
  },
  {
    title: "Cookies and credentials",
    reason:
      "An answer that sets a cookie is never stored, and a request with `cookie` or `authorization` takes no part, whatever the origin permits.",
    cases: [
      "headers-store-Set-Cookie", "other-set-cookie", "other-cookie", "other-authorization-public",
      "other-authorization-must-revalidate", "other-authorization-smaxage",
    ],
  },
  {
    title: "Statuses without a window",
    reason:
      "204, 206, 304 and every 5xx cannot be given a window.",
    cases: [
      "heuristic-204-cached", "heuristic-501-cached", "heuristic-599-cached", "status-204-fresh",
      "status-500-fresh", "status-502-fresh", "status-503-fresh", "status-504-fresh", "status-599-fresh",
    ],
  },
  {
    title: "The local store",
    reason:
      "The tests run on the local runtime, whose store takes none of these statuses, although it is asked to.",
    cases: [
      "status-299-fresh", "status-400-fresh", "status-499-fresh",
    ],
  },
  {
    title: "The local store's clock",
    reason:
      "The local runtime's store gives every entry a `Date` of its own. The case passes or not by the second in which it runs.",
    either: true,
    cases: [
      "other-date-update",
    ],
  },
  {
    title: "The local listener",
    reason:
      "The local runtime answers 501 to this method before the Worker is asked.",
    cases: [
      "invalidate-M-SEARCH", "invalidate-M-SEARCH-failed", "invalidate-M-SEARCH-cl",
    ],
  },
  {
    title: "Methods",
    reason:
      "Only GET and HEAD take part. Both have entries of their own, so a HEAD neither updates nor ends what a GET stored.",
    cases: [
      "method-POST", "head-200-retain", "head-200-update", "head-410-update",
    ],
  },
  {
    title: "Invalidation",
    reason:
      "A request that writes takes no part and leaves entries alone. Entries are left behind by `epoch`, for everybody at once, where one visitor's POST would only reach the store of one location.",
    cases: [
      "invalidate-POST", "invalidate-PUT", "invalidate-DELETE", "invalidate-POST-location",
      "invalidate-PUT-location", "invalidate-DELETE-location", "invalidate-M-SEARCH-location", "invalidate-POST-cl",
      "invalidate-PUT-cl", "invalidate-DELETE-cl",
    ],
  },
  {
    title: "Spellings of a value",
    reason:
      "Headers in the key are compared byte for byte. Two spellings cost two entries and mix up nothing.",
    cases: [
      "vary-normalise-lang-order", "vary-normalise-lang-case", "vary-normalise-lang-space",
      "vary-normalise-lang-select", "vary-normalise-space",
    ],
  },
  {
    title: "The gateway's own answer",
    reason:
      "The case takes the proxy's 502 for an answer out of the cache, because it bears no number of the origin's. Without `staleIfError` no expired entry is served; the stale cases above it hold the other half.",
    cases: [
      "stale-close-must-revalidate", "stale-close-proxy-revalidate", "stale-close-no-cache",
      "stale-close-s-maxage=2",
    ],
  },
  {
    title: "Warnings",
    reason:
      "`Warning` is obsolete since RFC 9111. The visitor is told by `age` and `x-jouska-cache`.",
    cases: [
      "stale-warning-stored", "stale-warning-become",
    ],
  },
  {
    title: "Surrogate-Control",
    reason:
      "Neither `Surrogate-Control` nor `Surrogate-Capability` is spoken. What the origin wants kept out it says in `cache-control`.",
    cases: [
      "surrogate-max-age-other-target", "surrogate-max-age-age", "surrogate-max-age-space-before-equals",
      "surrogate-max-age-space-after-equals", "surrogate-max-age-0", "surrogate-max-age-0-expires",
      "surrogate-max-age-long-cc-max-age", "surrogate-no-store", "surrogate-no-store-cc-fresh",
      "surrogate-fresh-cc-nostore", "surrogate-append-capabilities",
    ],
  },
];
