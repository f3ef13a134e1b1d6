//! What is done to a Worker's module after worker-build is done with it.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Replaces the class that a built module exports by its handlers; `worker/entry.js` tells why.
pub(super) fn entry(module: &Path) -> Result<(), Failure> {
    let built = crate::workspace::read(module)?;
    let text = with_entry(&built).ok_or_else(|| {
        Failure::new(format!(
            "{} has no default export; worker-build writes another kind of module than it did",
            module.display()
        ))
    })?;
    fs::write(module, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", module.display())))
}

fn with_entry(module: &str) -> Option<String> {
    let (before, exports) = module.rsplit_once("export")?;
    let (list, after) = exports.trim_start().strip_prefix('{')?.split_once('}')?;
    let (default, others): (Vec<&str>, Vec<&str>) = list
        .split(',')
        .map(str::trim)
        .filter(|export| !export.is_empty())
        .partition(|export| export.ends_with(" as default"));
    let class = default.first()?.strip_suffix(" as default")?;
    Some(format!(
        "{before}export{{{}}}{after}\n{ENTRY}export default entryOf({class});\n",
        others.join(",")
    ))
}

/// What is put behind a built module.
pub(super) const ENTRY: &str = include_str!("entry.js");

/// Takes the names of functions out of a module: a tenth of its size, and nothing in production reads them.
pub(super) fn strip(module: &Path) -> Result<(), Failure> {
    let during = |what: &str, error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot {what} {}: {error}", module.display()))
    };
    let built = fs::read(module).map_err(|error| during("read", &error))?;
    let stripped =
        without_names(&built).ok_or_else(|| during("strip", &"it is no WebAssembly module"))?;
    fs::write(module, stripped).map_err(|error| during("write", &error))
}

/// The module without its `name` section.
fn without_names(module: &[u8]) -> Option<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(8)?;
    let mut kept = header.to_vec();
    while let Some((&id, behind)) = rest.split_first() {
        let (length, behind) = number(behind)?;
        let (section, behind) = behind.split_at_checked(length)?;
        let named = id == CUSTOM
            && number(section).is_some_and(|(length, name)| name.get(..length) == Some(b"name"));
        if !named {
            kept.extend_from_slice(rest.get(..rest.len() - behind.len())?);
        }
        rest = behind;
    }
    Some(kept)
}

/// The identifier of a custom section.
const CUSTOM: u8 = 0;

/// Reads an unsigned number in LEB128; gives what follows it too.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0_usize;
    for (index, &byte) in bytes.iter().enumerate().take(5) {
        number |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(index + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_loses_its_names_and_nothing_else() {
        let (header, code) = (b"\0asm\x01\0\0\0", [10, 2, 7, 7]);
        let (names, others) = ([0, 6, 4, b'n', b'a', b'm', b'e', 9], [0, 3, 1, b'x', 9]);
        let module = [&header[..], &names, &code, &others].concat();
        assert_eq!(
            without_names(&module).unwrap(),
            [&header[..], &code, &others].concat()
        );
        assert_eq!(without_names(&module[..10]), None);
        assert_eq!(without_names(b""), None);
    }

    #[test]
    fn a_module_exports_its_handlers_instead_of_its_class() {
        for module in [
            "var It=1;export{Rt as R2Range,It as default};\n",
            "var It = 1;\nexport {\n  Rt as R2Range,\n  It as default\n};\n",
        ] {
            let text = with_entry(module).unwrap();
            assert!(text.contains("export{Rt as R2Range};"), "{text}");
            assert!(text.ends_with("export default entryOf(It);\n"), "{text}");
            assert!(!text.contains("as default"), "{text}");
        }
        assert_eq!(with_entry("export{Rt as R2Range};"), None);
        assert_eq!(with_entry("var nothing;"), None);
    }
}
