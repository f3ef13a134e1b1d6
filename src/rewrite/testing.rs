//! What the tests of the transforms share: bodies run whole, and in chunks of any size.

use super::policy::{self, BodyPolicy};
use crate::{
    body::Transform,
    config::{Issues, Path, document::BodyRewrite},
};

/// The body run through `transform` in one piece.
pub(super) fn whole(transform: Box<dyn Transform>, body: impl AsRef<[u8]>) -> String {
    chunked(transform, body, usize::MAX)
}

/// The body run through `transform` in chunks of `size` bytes, wherever they cut.
pub(super) fn chunked(
    transform: Box<dyn Transform>,
    body: impl AsRef<[u8]>,
    size: usize,
) -> String {
    String::from_utf8_lossy(&bytes(transform, body.as_ref().chunks(size))).into_owned()
}

/// The bytes that come of a body that arrives in `chunks`.
pub(super) fn bytes<'a>(
    mut transform: Box<dyn Transform>,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in chunks {
        transform.push(chunk, &mut out);
    }
    transform.finish(&mut out);
    out
}

/// What compiling a `bodyRewrite` block gives.
pub(super) fn body_policy(document: &BodyRewrite) -> Option<BodyPolicy> {
    let mut issues = Issues::default();
    let policy = policy::body_policy(Some(document), &Path::root(), &mut issues);
    assert_eq!(issues.into_vec(), []);
    policy.unwrap()
}
