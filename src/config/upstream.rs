//! Upstreams a route names. Candidates and mirror targets go through here, so that an address is screened alike
//! wherever it stands.

use super::{Code, Issues, Path, Reported, RouteDocument};
use crate::net::{Upstream, upstream::InvalidUpstream};

/// Compiles one upstream and screens it, unless `allow_private` says that the route may reach into a private network.
pub fn compile(
    stated: Option<&str>,
    allow_private: bool,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Upstream, Reported> {
    let Some(text) = stated.filter(|text| !text.is_empty()) else {
        return Err(issues.report(
            at,
            Code::Required,
            "expected an upstream such as \"api.example.com\"; found none",
        ));
    };
    let upstream = Upstream::parse(text).map_err(|invalid| {
        let code = match invalid {
            InvalidUpstream::Port(_) => Code::Range,
            InvalidUpstream::Scheme(_) | InvalidUpstream::Grammar(_) => Code::Value,
        };
        issues.report(at, code, invalid.to_string())
    })?;
    if upstream.is_private() && !allow_private {
        return Err(issues.report(
            at,
            Code::PrivateUpstream,
            format!(
                "\"{}\" is a loopback, private or metadata address, which would open that network to visitors; \
                 if this is meant, set \"allowPrivateUpstream\" to true on this route",
                upstream.hostname()
            ),
        ));
    }
    Ok(upstream)
}

/// Whether the route may reach into a private network.
pub fn allows_private(route: &RouteDocument) -> bool {
    route.allow_private_upstream == Some(true)
}
