//! Names that a server takes for one another.

use http::HeaderName;

/// Whether a server may take `other` for `name`, although it is another name.
///
/// Servers that hand headers on as variables (RFC 3875 section 4.1.18 and its heirs) make `HTTP_X_USER_ID` of
/// `x-user-id` and of `x_user_id`, some also of `x.user.id`, so a visitor's forged value under one of them could win.
pub fn is_alias(name: &HeaderName, other: &HeaderName) -> bool {
    let (name, other) = (name.as_str(), other.as_str());
    name != other
        && name.len() == other.len()
        && name.bytes().zip(other.bytes()).all(|(one, other)| {
            one == other || !(one.is_ascii_alphanumeric() || other.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_letter_and_no_digit_is_all_the_same() {
        for (other, expected) in [
            ("x-user-id", false),
            ("x_user_id", true),
            ("x-user_id", true),
            ("x.user.id", true),
            ("x-user-ids", false),
            ("x-user1id", false),
            ("xuserid", false),
        ] {
            let name = HeaderName::from_static("x-user-id");
            assert_eq!(
                is_alias(&name, &HeaderName::from_static(other)),
                expected,
                "{other}"
            );
        }
    }
}
