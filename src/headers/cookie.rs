//! Reading the `Cookie` header.

use http::{HeaderMap, header::COOKIE};

/// The value of the first cookie called `name` (in its own case), trimmed; pairs without `=` are passed over and
/// quotes are part of the value.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| std::str::from_utf8(line.as_bytes()).ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim())
}
