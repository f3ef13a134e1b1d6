//! Which host a request is for, and whether its address may name the tenant itself.

use http::header::HOST;

use super::TenantId;
use crate::{matching::Subject, message::RequestHead, net::host::is_hostname};

/// The longest name the DNS has.
const LONGEST: usize = 253;

/// The host a request is for, as tenants are looked up by it: without port and the root's dot, in lower case.
///
/// `None` where the request names none, or one that no domain can have.
pub fn host(head: &RequestHead) -> Option<String> {
    let name = named(head);
    let name = name.strip_suffix('.').unwrap_or(&name);
    (1..=LONGEST).contains(&name.len()).then(|| name.to_owned())
}

/// The tenant that `?store=` names, where the host is this machine's.
///
/// On a public host anybody could have any tenant's pages rendered under anybody's name, and stored there. So nothing
/// but `localhost` and what lies below it is trusted, no address of this machine and no preview domain.
pub fn store_override(subject: &Subject<'_>) -> Option<TenantId> {
    if !may_override(&named(subject.head())) {
        return None;
    }
    TenantId::parse(subject.parameter("store")?)
}

fn may_override(host: &str) -> bool {
    host == "localhost" || host.strip_suffix(".localhost").is_some_and(is_hostname)
}

/// The host in the request's own words, without its port and in lower case.
fn named(head: &RequestHead) -> String {
    let text = match head.headers.get(HOST) {
        Some(host) => host.to_str().unwrap_or_default(),
        None => head.url.authority(),
    };
    let name = text.split(':').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenant::testing::get;

    #[test]
    fn the_host_is_cut_at_its_port_and_lower_case() {
        let long = format!("{}.example", "a".repeat(LONGEST));
        for (header, expected) in [
            ("shop.example.com", Some("shop.example.com")),
            ("Shop.Example.com:8443", Some("shop.example.com")),
            ("shop.example.com.", Some("shop.example.com")),
            ("shop.example.com.:443", Some("shop.example.com")),
            ("shop.example.com..", Some("shop.example.com.")),
            ("[::1]:80", Some("[")),
            ("", None),
            (".", None),
            (":80", None),
            (&long, None),
        ] {
            assert_eq!(host(&get(header, "/")).as_deref(), expected, "{header:?}");
        }
    }

    #[test]
    fn a_request_without_the_header_has_the_host_of_its_address() {
        let mut head = get("unused", "/");
        head.headers.remove(HOST);
        head.url = crate::message::RequestUrl::parse("https://Shop.example.com:8443/").unwrap();
        assert_eq!(host(&head).as_deref(), Some("shop.example.com"));
    }

    #[test]
    fn the_store_override_is_for_localhost_only() {
        for (header, expected) in [
            ("localhost", true),
            ("localhost:8787", true),
            ("LOCALHOST", true),
            ("shop.localhost", true),
            ("a.b.localhost:3000", true),
            ("shop.example.com", false),
            ("my-app.workers.dev", false),
            ("localhost.example.com", false),
            ("notlocalhost", false),
            ("localhost.workers.dev", false),
            ("127.0.0.1", false),
            ("127.0.0.1:8787", false),
            ("[::1]", false),
            ("", false),
            ("localhost.", false),
            ("shop.localhost.", false),
            (".localhost", false),
        ] {
            let head = get(header, "/?store=t_x");
            let named = store_override(&Subject::new(&head));
            assert_eq!(named.is_some(), expected, "{header:?}");
        }
    }

    #[test]
    fn the_store_override_is_the_first_parameter_and_an_id() {
        for (target, expected) in [
            ("/?store=t_x", Some("t_x")),
            ("/p?a=1&store=t%5Fx&b=2", Some("t_x")),
            ("/?store=t_x&store=t_y", Some("t_x")),
            ("/?store=&store=t_y", None),
            ("/?store=", None),
            ("/?store", None),
            ("/", None),
            ("/?Store=t_x", None),
            ("/?store=t%0d%0ax", None),
        ] {
            let head = get("localhost", target);
            let named = store_override(&Subject::new(&head));
            assert_eq!(named.as_ref().map(TenantId::as_str), expected, "{target}");
        }
    }
}
