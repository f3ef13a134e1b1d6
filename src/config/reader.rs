//! From a JSON tree to the document's types, member by member.
//!
//! A block lists its members once, in its [`Block::read`]: what it asks for there is what is known, so that reading,
//! the names that are suggested for unknown keys and the names that may not stand in `defaults` cannot drift apart.
//! Reading goes on after a mistake; what could not be read is absent from the document and present in the findings.

use std::collections::BTreeMap;

use super::{
    Code, Issues, Path, Reported,
    json::{Json, Member},
    nearest::{nearest, same_letters},
    parse::Warning,
    wording::{Expected, either, found, mismatch, wrong_type},
};
use crate::order;

/// What reading finds besides the document.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) issues: Issues,
    pub(crate) warnings: Vec<Warning>,
}

/// A type that can be read from JSON.
pub(crate) trait FromJson: Sized {
    /// Reads a value; says what is wrong with it where it is of another shape.
    fn from_json(value: Json<'_>, at: &Path<'_>, findings: &mut Findings)
    -> Result<Self, Reported>;

    /// Names of its members, where it has some.
    fn names() -> Vec<&'static str> {
        Vec::new()
    }
}

/// A type that is an object with named members.
pub(crate) trait Block: Sized {
    /// Takes each member once.
    fn read(members: &mut Members<'_>) -> Self;
}

/// The members of one object, and what has been asked of it so far.
pub(crate) struct Members<'a> {
    all: &'a [Member<'a>],
    /// How many of them nobody has asked for yet.
    left: usize,
    /// What was asked for, as far as it is noted.
    known: Vec<Known>,
    /// A block is read anew for what it knows, in the rare case that somebody wants to know.
    noting: bool,
    at: &'a Path<'a>,
    findings: &'a mut Findings,
}

/// A member that was asked for, and a way to the names inside it.
#[derive(Clone, Copy)]
struct Known {
    name: &'static str,
    inside: fn() -> Vec<&'static str>,
}

impl<'a> Members<'a> {
    /// Opens `value`, which has to be an object.
    pub(crate) fn open(
        value: Json<'a>,
        at: &'a Path<'a>,
        findings: &'a mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Object(all) => Ok(Self {
                all,
                left: all.len(),
                known: Vec::new(),
                noting: true,
                at,
                findings,
            }),
            other => Err(wrong_type(
                &other,
                Expected::Object,
                at,
                &mut findings.issues,
            )),
        }
    }

    /// The member `name`; `None` where it is absent or could not be read.
    pub(crate) fn take<T: FromJson>(&mut self, name: &'static str) -> Option<T> {
        self.stated(name)?.ok()
    }

    /// The member `name`; reported as `missing` where it is absent.
    pub(crate) fn require<T: FromJson>(
        &mut self,
        name: &'static str,
        missing: &str,
    ) -> Result<T, Reported> {
        match self.stated(name) {
            Some(read) => read,
            None => Err(self.report(name, Code::Required, missing)),
        }
    }

    /// The member `name` where it is stated, whether or not it could be read.
    pub(crate) fn stated<T: FromJson>(
        &mut self,
        name: &'static str,
    ) -> Option<Result<T, Reported>> {
        if self.noting {
            self.known.push(Known {
                name,
                inside: T::names,
            });
        }
        let value = self.remove(name)?;
        Some(T::from_json(value, &self.at.key(name), self.findings))
    }

    /// The elements of the list `name`, and what is needed to read them one by one; `None` where it is no list.
    pub(super) fn elements(
        &mut self,
        name: &'static str,
    ) -> Option<(&'a [Json<'a>], &mut Findings)> {
        match self.remove(name)? {
            Json::List(elements) => Some((elements, self.findings)),
            _ => None,
        }
    }

    // Inlined, it would be in the module once for every type there is.
    #[inline(never)]
    fn remove(&mut self, name: &str) -> Option<Json<'a>> {
        if self.left == 0 {
            return None;
        }
        let member = self.rest().find(|member| member.name == name)?;
        member.taken.set(true);
        self.left -= 1;
        Some(member.value)
    }

    /// Those nobody asked for yet.
    fn rest(&self) -> impl Iterator<Item = &'a Member<'a>> + use<'a> {
        self.all.iter().filter(|member| !member.taken.get())
    }

    /// Files an issue at the member `name`.
    pub(crate) fn report(
        &mut self,
        name: &'static str,
        code: Code,
        message: impl Into<String>,
    ) -> Reported {
        self.findings
            .issues
            .report(&self.at.key(name), code, message)
    }

    /// Files an issue at the object itself.
    pub(crate) fn report_whole(&mut self, code: Code, message: impl Into<String>) -> Reported {
        self.findings.issues.report(self.at, code, message)
    }

    /// Refuses what `T` knows and this block does not.
    pub(crate) fn refuse_members_of<T: Block>(&mut self, because: &str) {
        if self.left == 0 {
            return;
        }
        for name in names_of::<T>() {
            if self.remove(name).is_some() {
                self.report(name, Code::Misplaced, format!("\"{name}\" {because}"));
            }
        }
    }

    /// Leaves what has not been taken unread and unmentioned.
    pub(crate) fn discard(&mut self) {
        self.all = &[];
        self.left = 0;
    }

    /// Warns of every member that `T` does not know.
    pub(super) fn close_as<T: Block>(mut self) {
        if self.left > 0 {
            self.known = known_of::<T>();
        }
        self.close();
    }

    /// Warns of every member nobody asked for.
    pub(crate) fn close(self) {
        if self.left == 0 {
            return;
        }
        let room = MAX_WARNINGS.saturating_sub(self.findings.warnings.len());
        for member in self.rest().take(room) {
            self.findings.warnings.push(Warning {
                path: self.at.key(member.name).to_string(),
                nearest: suggestion(member.name, &self.known),
            });
        }
    }
}

impl<T: Block> FromJson for T {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let mut members = Members::open(value, at, findings)?;
        members.noting = false;
        let block = T::read(&mut members);
        members.close_as::<T>();
        Ok(block)
    }

    fn names() -> Vec<&'static str> {
        names_of::<T>()
    }
}

impl FromJson for String {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Text(text) => Ok(text.to_owned()),
            other => Err(wrong_type(&other, Expected::Text, at, &mut findings.issues)),
        }
    }
}

impl FromJson for bool {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Bool(switch) => Ok(switch),
            other => Err(wrong_type(
                &other,
                Expected::Switch,
                at,
                &mut findings.issues,
            )),
        }
    }
}

impl FromJson for u64 {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let issues = &mut findings.issues;
        let Json::Number(number) = value else {
            return Err(wrong_type(&value, Expected::WholeNumber, at, issues));
        };
        if let Some(whole) = number.as_u64() {
            return Ok(whole);
        }
        // JSON has one kind of number: 5000.0 and 5e3 are the whole number 5000.
        match number.as_f64() {
            Some(n) if n < 0.0 => Err(issues.report(
                at,
                Code::Range,
                format!("expected a whole number of 0 or more; found {number}"),
            )),
            Some(n) if n > LARGEST_WHOLE => Err(issues.report(
                at,
                Code::Range,
                format!("expected a whole number of at most {LARGEST_WHOLE}; found {number}"),
            )),
            // Between 0 and 2^53 the cast is exact.
            Some(n) if n.fract() == 0.0 => Ok(n as u64),
            _ => Err(wrong_type(&value, Expected::WholeNumber, at, issues)),
        }
    }
}

impl FromJson for f64 {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        let number = match &value {
            Json::Number(number) => number.as_f64(),
            _ => None,
        };
        number.ok_or_else(|| wrong_type(&value, Expected::Number, at, &mut findings.issues))
    }
}

/// An element that cannot be read stays in the list as an empty one, so that the others keep their numbers.
impl<T: FromJson + Default> FromJson for Vec<T> {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::List(elements) => Ok(elements
                .iter()
                .enumerate()
                .map(|(index, element)| {
                    T::from_json(*element, &at.index(index), findings).unwrap_or_default()
                })
                .collect()),
            other => Err(wrong_type(&other, Expected::List, at, &mut findings.issues)),
        }
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Object(entries) => Ok(order::map(entries.iter().filter_map(
                |Member { name, value, .. }| {
                    let read = T::from_json(*value, &at.key(name), findings).ok()?;
                    Some(((*name).to_owned(), read))
                },
            ))),
            other => Err(wrong_type(
                &other,
                Expected::Object,
                at,
                &mut findings.issues,
            )),
        }
    }
}

/// Reads one of a few words.
pub(crate) fn word<T: Clone>(
    value: &Json<'_>,
    words: &[(&'static str, T)],
    at: &Path<'_>,
    findings: &mut Findings,
) -> Result<T, Reported> {
    let known = words.iter().map(|(word, _)| *word);
    let Json::Text(text) = value else {
        let permitted = either(known);
        return Err(mismatch(value, &permitted, None, at, &mut findings.issues));
    };
    if let Some((_, meaning)) = words.iter().find(|(word, _)| word == text) {
        return Ok(meaning.clone());
    }
    Err(findings.issues.report(
        at,
        Code::Value,
        format!("expected {}; found {}", either(known), found(value)),
    ))
}

/// The names a block asks for.
pub(crate) fn names_of<T: Block>() -> Vec<&'static str> {
    known_of::<T>().iter().map(|known| known.name).collect()
}

/// What a block asks for: what it takes from an object that has none of it.
fn known_of<T: Block>() -> Vec<Known> {
    let mut findings = Findings::default();
    let mut members = Members {
        all: &[],
        left: 0,
        known: Vec::new(),
        noting: true,
        at: &Path::root(),
        findings: &mut findings,
    };
    T::read(&mut members);
    members.known
}

/// What an unknown key was most likely meant to be: a known one in another spelling, one that belongs a level deeper,
/// or one a few letters away.
fn suggestion(unknown: &str, known: &[Known]) -> Option<String> {
    let names = || known.iter().map(|known| known.name);
    if let Some(name) = names().find(|name| same_letters(unknown, name)) {
        return Some(name.to_owned());
    }
    let deeper = known.iter().find_map(|Known { name, inside }| {
        let inner = inside();
        let inner = inner.iter().find(|inner| same_letters(unknown, inner))?;
        Some(format!("{name}.{inner}"))
    });
    deeper.or_else(|| nearest(unknown, names()).map(str::to_owned))
}

/// The largest number up to which JSON readers agree on every whole number (RFC 8259 section 6).
const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// Most unknown keys that are listed.
const MAX_WARNINGS: usize = 1_000;
