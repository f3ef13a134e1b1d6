//! `jouska schema`.

use crate::program::jouska;

#[test]
fn the_schema_is_the_one_that_is_checked_in() {
    let checked_in = include_str!("../../../docs/schema.json");
    assert_eq!(jouska(&["schema"]), format!("{checked_in}[status 0]\n"));
}
