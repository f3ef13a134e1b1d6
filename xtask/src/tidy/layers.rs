//! The library's layers. A module may use what stands in a lower layer or in its own, never what stands above.

use super::Finding;
use super::source::{self, Use};

/// The layers of `src/`, lowest first. A module belongs to the longest path that it begins with; a new top-level module is added here.
const LAYERS: [Layer; 7] = [
    Layer {
        name: "vocabulary",
        modules: &[
            "message", "outcome", "body", "time", "net", "headers", "hash", "order", "crypto",
            "platform",
        ],
        members: Members::Together,
    },
    Layer {
        name: "config",
        modules: &["config"],
        members: Members::Together,
    },
    Layer {
        name: "stages",
        modules: &[
            "matching",
            "request_id",
            "guards",
            "answer",
            "cache",
            "forward",
            "mirror",
            "rewrite",
            "finish",
        ],
        members: Members::Apart,
    },
    Layer {
        name: "table",
        modules: &["table"],
        members: Members::Together,
    },
    Layer {
        name: "pipeline",
        modules: &[
            "pipeline", "isolate", "event", "sources", "tenant", "router",
        ],
        members: Members::Together,
    },
    Layer {
        name: "adapter",
        modules: &[ADAPTER],
        members: Members::Together,
    },
    Layer {
        name: "root",
        modules: &[ROOT],
        members: Members::Together,
    },
];

struct Layer {
    name: &'static str,
    modules: &'static [&'static str],
    members: Members,
}

/// Whether the modules of a layer may use each other.
#[derive(PartialEq, Eq)]
enum Members {
    Together,
    /// What two of them need moves down a layer.
    Apart,
}

/// The only module that may name the platform's crates.
const ADAPTER: &str = "platform/workers";
/// `lib.rs`, and whatever it exports under its own name.
const ROOT: &str = "lib";
const PLATFORM_CRATES: [&str; 6] = [
    "worker",
    "worker_sys",
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
];

/// The arrows of a file that point up, or sideways between stages.
pub(super) fn look(file: &str, module: &[String], text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line, message| {
        findings.push(Finding {
            file: file.to_owned(),
            line,
            message,
        });
    };
    let from = if module.is_empty() {
        Some(Place::ROOT)
    } else {
        Place::of(module)
    };
    let Some(from) = from else {
        let name = module.first().map_or("", String::as_str);
        find(
            1,
            format!("`{name}` stands in no layer: add it to LAYERS in xtask/src/tidy/layers.rs"),
        );
        return findings;
    };
    let code = source::code_only(text);
    for Use { line, path } in source::uses(&code, module) {
        // A path that begins with no module of ours is one that `lib.rs` exports.
        let to = Place::of(&path).unwrap_or(Place::ROOT);
        if let Some(reason) = from.may_not_use(&to) {
            find(line, format!("`crate::{}`: {reason}", path.join("::")));
        }
    }
    if from.module != ADAPTER && from.module != ROOT {
        for (line, name) in source::named_crates(&code, &PLATFORM_CRATES) {
            find(
                line,
                format!(
                    "`{name}` is named outside src/{ADAPTER}: the core knows no platform; use a trait of src/platform/mod.rs"
                ),
            );
        }
    }
    findings
}

/// A module's place in the layers.
struct Place {
    layer: usize,
    module: &'static str,
}

impl Place {
    const ROOT: Self = Self {
        layer: LAYERS.len() - 1,
        module: ROOT,
    };

    fn of(path: &[String]) -> Option<Self> {
        LAYERS
            .iter()
            .enumerate()
            .flat_map(|(layer, Layer { modules, .. })| {
                modules.iter().map(move |module| Self { layer, module })
            })
            .filter(|place| place.module != ROOT && begins_with(path, place.module))
            .max_by_key(|place| place.module.len())
    }

    fn may_not_use(&self, other: &Self) -> Option<String> {
        if self.module == other.module {
            return None;
        }
        let own = LAYERS.get(self.layer)?;
        let its = LAYERS.get(other.layer)?;
        if other.layer > self.layer {
            let way_out = if other.module == ROOT {
                "name the item at its home"
            } else {
                "move what is needed down"
            };
            Some(format!(
                "`{}` stands in the layer {}, below {}; {way_out}",
                self.module, own.name, its.name
            ))
        } else if other.layer == self.layer && own.members == Members::Apart {
            Some(format!(
                "`{}` and `{}` are both {}, which do not know each other; move what both need down a layer",
                self.module, other.module, own.name
            ))
        } else {
            None
        }
    }
}

fn begins_with(path: &[String], module: &str) -> bool {
    let mut parts = path.iter();
    module
        .split('/')
        .all(|part| parts.next().is_some_and(|own| own == part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, text: &str, expected: &[usize]) {
        let module = super::super::module_path(file);
        let findings = look(file, &module, text);
        let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected, "{file}: {text}\n{findings:?}");
    }

    #[test]
    fn a_lower_layer_may_be_used() {
        check("config/parse", "use crate::net::host::Host;", &[]);
        check(
            "forward/mod",
            "use crate::{config::document::Retries, message::Answer};",
            &[],
        );
        check(
            "pipeline",
            "use crate::event::ProxyEvent;\nuse crate::table::Route;",
            &[],
        );
        check("platform/workers/fetch", "use crate::pipeline::Proxy;", &[]);
        check("lib", "pub use crate::platform::workers::Router;", &[]);
    }

    #[test]
    fn a_higher_layer_may_not() {
        check("net/host", "\nuse crate::config::document::Match;", &[2]);
        check(
            "config/parse",
            "fn f() -> crate::table::Table { crate::table::new() }",
            &[1, 1],
        );
        check(
            "table/mod",
            "use crate::{\n    config::parse,\n    pipeline::Proxy,\n};",
            &[3],
        );
        check("pipeline", "use crate::platform::workers::Env;", &[1]);
        check("platform/mod", "pub use self::workers::Env;", &[1]);
    }

    #[test]
    fn a_stage_may_not_use_another() {
        check("cache/serve", "use crate::forward::send;", &[1]);
        check("cache/serve", "use super::super::forward::send;", &[1]);
        check(
            "cache/serve",
            "use crate::cache::key;\nuse super::lock;",
            &[],
        );
    }

    #[test]
    fn what_only_the_root_exports_stands_at_the_top() {
        check("event", "use crate::ProxyEvent;", &[1]);
        check("event", "use crate::*;", &[1]);
    }

    #[test]
    fn a_module_without_a_layer_is_asked_to_choose_one() {
        check("helpers", "", &[1]);
        check("platform/other", "", &[]);
    }

    #[test]
    fn the_platforms_crates_are_named_by_the_adapter_alone() {
        check("forward/mod", "use worker::Env;", &[1]);
        check(
            "platform/fake",
            "fn f(x: &web_sys::Request) {}\nuse {js_sys::Date};",
            &[1, 2],
        );
        check("platform/workers/fetch", "use worker::Env;", &[]);
        check("lib", "pub use worker;", &[]);
        check(
            "forward/mod",
            "let worker = 1; // worker::Env\nlet x = \"worker::Env\"; f::worker::g();",
            &[],
        );
    }

    #[test]
    fn no_module_stands_in_two_layers() {
        let mut all: Vec<&str> = LAYERS
            .iter()
            .flat_map(|layer| layer.modules)
            .copied()
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
