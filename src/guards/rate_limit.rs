//! How often: one call to a native rate limit binding, which counts per location.

use super::{Request, fields};
use crate::{
    config::{
        Issues, Path, Reported,
        document::{RateLimit, RateLimitBy},
    },
    outcome::Refusal,
    platform::{self, MissingBinding},
};

/// Compiled `rateLimit`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    binding: String,
    by: RateLimitBy,
    /// Whether CORS preflights are counted. A browser sends one before each call, so counting them halves the budget
    /// of exactly those callers who behave.
    pub(super) count_preflight: bool,
}

impl Policy {
    pub(super) fn compile(
        document: &RateLimit,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Self, Reported> {
        let RateLimit {
            binding,
            by,
            count_preflight,
        } = document;
        Ok(Self {
            binding: fields::text(binding.as_ref(), "RL", &at.key("binding"), issues)?,
            by: by.unwrap_or_default(),
            count_preflight: count_preflight.unwrap_or(false),
        })
    }

    pub(super) async fn admit<P>(&self, request: &Request<'_>, platform: &P) -> Result<(), Refusal>
    where
        P: platform::RateLimit,
    {
        let address = request.head.address();
        let within = platform
            .within_limit(&self.binding, &self.bucket(request, address))
            .await;
        match within {
            // A missing binding comes first: it is the operator's to mend, whoever asks.
            Err(MissingBinding) => Err(Refusal::RateLimitMisconfigured {
                binding: self.binding.clone(),
            }),
            Ok(_) if self.by != RateLimitBy::Route && address.is_none() => {
                Err(Refusal::RateLimitUnidentifiable)
            }
            Ok(false) => Err(Refusal::RateLimited),
            Ok(true) => Ok(()),
        }
    }

    /// Callers without an address share a bucket that no other caller is in; they are refused anyway.
    fn bucket(&self, request: &Request<'_>, address: Option<&str>) -> String {
        let Request { path, label, .. } = request;
        let address = address.unwrap_or_default();
        match self.by {
            RateLimitBy::Ip => format!("{label}:{address}"),
            RateLimitBy::Path => format!("{label}:{address}:{path}"),
            RateLimitBy::Route => (*label).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::{Fake, block_on, complaints, head};

    const ADDRESS: (&str, &str) = ("cf-connecting-ip", "203.0.113.9");

    fn policy(by: Option<RateLimitBy>) -> Policy {
        let document = RateLimit {
            binding: Some("RL".into()),
            by,
            count_preflight: None,
        };
        Policy::compile(&document, &Path::root(), &mut Issues::default()).expect("compiles")
    }

    #[track_caller]
    fn check(
        platform: &Fake,
        by: RateLimitBy,
        headers: &[(&str, &str)],
        expected: Result<(), Refusal>,
    ) {
        let head = head("GET", "/a?x=1", headers);
        let request = Request {
            head: &head,
            path: "/a",
            label: "main",
            request_id: "id",
        };
        let verdict = block_on(policy(Some(by)).admit(&request, platform));
        assert_eq!(verdict, expected, "{by:?} {headers:?}");
    }

    #[test]
    fn each_kind_has_its_bucket() {
        for (by, expected) in [
            (RateLimitBy::Ip, "main:203.0.113.9"),
            (RateLimitBy::Path, "main:203.0.113.9:/a"),
            (RateLimitBy::Route, "main"),
        ] {
            let platform = Fake::default().with_limit("RL", 1);
            check(&platform, by, &[ADDRESS], Ok(()));
            assert_eq!(platform.buckets(), [expected], "{by:?}");
            check(&platform, by, &[ADDRESS], Err(Refusal::RateLimited));
        }
    }

    #[test]
    fn a_caller_without_an_address_cannot_be_told_from_others() {
        let platform = Fake::default().with_limit("RL", 1);
        let refused = Err(Refusal::RateLimitUnidentifiable);
        check(&platform, RateLimitBy::Ip, &[], refused.clone());
        check(
            &platform,
            RateLimitBy::Ip,
            &[("x-forwarded-for", "203.0.113.9")],
            refused.clone(),
        );
        check(&platform, RateLimitBy::Path, &[], refused);
        check(&platform, RateLimitBy::Route, &[], Ok(()));
    }

    #[test]
    fn a_missing_binding_admits_nobody() {
        let refused = Err(Refusal::RateLimitMisconfigured {
            binding: "RL".into(),
        });
        for headers in [&[][..], &[ADDRESS]] {
            check(&Fake::default(), RateLimitBy::Ip, headers, refused.clone());
            check(
                &Fake::default(),
                RateLimitBy::Route,
                headers,
                refused.clone(),
            );
        }
    }

    #[test]
    fn a_limit_needs_a_binding() {
        for binding in [None, Some(String::new())] {
            let document = RateLimit {
                binding,
                ..RateLimit::default()
            };
            let found = complaints("limit", |at, issues| Policy::compile(&document, at, issues));
            assert_eq!(found, ["limit.binding"]);
        }
    }
}
