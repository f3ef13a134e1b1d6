//! Where from: the country the edge located the visitor in.

use super::fields;
use crate::{
    config::{Code, Issues, Path, Reported},
    outcome::Refusal,
};

/// Compiled `blockCountries` and `allowCountries`.
#[derive(Debug, Clone)]
pub(super) struct Policy {
    block: Vec<Country>,
    /// `None` where every country not blocked passes.
    allow: Option<Vec<Country>>,
}

/// A two-letter code (ISO 3166-1), in upper case.
type Country = [u8; 2];

impl Policy {
    /// `None` where no list names a country, so that nobody's is looked up.
    pub(super) fn compile(
        block: Option<&Vec<String>>,
        allow: Option<&Vec<String>>,
        at: &Path<'_>,
        issues: &mut Issues,
    ) -> Result<Option<Self>, Reported> {
        let block = match block {
            // A route empties the table's list this way.
            None => Ok(Vec::new()),
            Some(list) if list.is_empty() => Ok(Vec::new()),
            Some(list) => fields::each(list, &at.key("blockCountries"), issues, country),
        };
        let allow = allow
            .map(|list| fields::each(list, &at.key("allowCountries"), issues, country))
            .transpose();
        let (block, allow) = (block?, allow?);
        Ok((!block.is_empty() || allow.is_some()).then_some(Self { block, allow }))
    }

    /// A visitor of unknown origin is on no list: blocked nowhere, and allowed nowhere.
    pub(super) fn admit(&self, country: Option<&str>) -> Result<(), Refusal> {
        let listed = |list: &[Country]| {
            country.is_some_and(|country| list.iter().any(|code| code == country.as_bytes()))
        };
        let allowed = self.allow.as_deref().is_none_or(listed);
        match allowed && !listed(&self.block) {
            true => Ok(()),
            false => Err(Refusal::Geo),
        }
    }
}

fn country(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<Country, Reported> {
    match text.to_ascii_uppercase().as_bytes() {
        [first, second] if first.is_ascii_uppercase() && second.is_ascii_uppercase() => {
            Ok([*first, *second])
        }
        _ => Err(issues.report(
            at,
            Code::Value,
            format!("expected a country code of two letters, such as \"PT\"; found {text:?}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::fake::complaints;

    fn list(codes: &[&str]) -> Option<Vec<String>> {
        (!codes.is_empty()).then(|| codes.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn check(block: &[&str], allow: &[&str], country: Option<&str>, expected: bool) {
        let mut issues = Issues::default();
        let policy = Policy::compile(
            list(block).as_ref(),
            list(allow).as_ref(),
            &Path::root(),
            &mut issues,
        )
        .expect("compiles")
        .expect("names a country");
        let verdict = if expected { Ok(()) } else { Err(Refusal::Geo) };
        assert_eq!(
            policy.admit(country),
            verdict,
            "{block:?} {allow:?} {country:?}"
        );
    }

    #[test]
    fn a_block_list_refuses_whom_it_names_alone() {
        check(&["cu", "AQ"], &[], Some("CU"), false);
        check(&["cu", "AQ"], &[], Some("PT"), true);
        check(&["cu", "AQ"], &[], Some("T1"), true);
        check(&["cu", "AQ"], &[], None, true);
    }

    #[test]
    fn an_allow_list_admits_whom_it_names_alone() {
        check(&[], &["pt", "FR"], Some("PT"), true);
        check(&[], &["pt", "FR"], Some("DE"), false);
        check(&[], &["pt", "FR"], None, false);
    }

    #[test]
    fn a_country_on_both_lists_is_refused() {
        check(&["FR"], &["PT", "FR"], Some("FR"), false);
        check(&["FR"], &["PT", "FR"], Some("PT"), true);
    }

    #[test]
    fn an_empty_block_list_asks_nothing() {
        let mut issues = Issues::default();
        let empty = Vec::new();
        let policy = Policy::compile(Some(&empty), None, &Path::root(), &mut issues);
        assert!(policy.expect("compiles").is_none());
    }

    #[test]
    fn what_is_no_code_is_reported_where_it_stands() {
        let block = list(&["FRA", "FR", "F1", "", "é"]);
        let allow = Vec::new();
        let found = complaints("route", |at, issues| {
            Policy::compile(block.as_ref(), Some(&allow), at, issues)
        });
        assert_eq!(
            found,
            [
                "route.blockCountries[0]",
                "route.blockCountries[2]",
                "route.blockCountries[3]",
                "route.blockCountries[4]",
                "route.allowCountries"
            ]
        );
    }
}
