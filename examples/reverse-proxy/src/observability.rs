//! What becomes of the events: a data point in Analytics Engine where `ANALYTICS` is bound, and a line in the log where
//! `ACCESS_LOGS` is `"true"`. Both are optional; delete what you do not want.
//!
//! Neither may ever fail a request or fill the log with its own failures: one that fails says so once and stays silent
//! from then on.

use std::cell::{Cell, OnceCell};

use jouska::{ProxyEvent, WorkersPlatform};
use wasm_bindgen::{JsCast, JsValue};
use worker::{console_error, console_log};

/// Who is told of requests. What a deployment binds stays the same for as long as the isolate lives, so it is asked once.
struct Receivers {
    points: Cell<bool>,
    lines: bool,
}

thread_local! {
    static RECEIVERS: OnceCell<Receivers> = const { OnceCell::new() };
}

/// Hands one event to both receivers.
pub(crate) fn report(event: ProxyEvent, request: &WorkersPlatform) {
    RECEIVERS.with(|receivers| {
        let Receivers { points, lines } = receivers.get_or_init(|| Receivers {
            points: Cell::new(!request.binding("ANALYTICS").is_undefined()),
            lines: request.variable("ACCESS_LOGS").as_deref() == Some("true"),
        });
        if points.get()
            && let Err(error) = write_data_point(&event, request)
        {
            points.set(false);
            console_error!("no further events are written to ANALYTICS: {error:?}");
        }
        if *lines {
            write_line(&event);
        }
    });
}

/// One point: the route as index, blobs `[upstream, method, outcome, cache]`, doubles
/// `[status, durationMs, attempts]`. The path stays out: a mirror serves any number of them, and each would become a
/// dimension of its own.
fn write_data_point(event: &ProxyEvent, request: &WorkersPlatform) -> Result<(), JsValue> {
    let dataset = request.binding("ANALYTICS");
    let facts = &event.facts;
    let outcome = serde_json::to_value(facts.outcome).unwrap_or_default();
    let text = |value: &str| JsValue::from_str(value);
    let blobs = js_sys::Array::of4(
        &text(&facts.upstream),
        &text(&facts.method),
        &text(outcome.as_str().unwrap_or_default()),
        &text(facts.cache.map_or("", |cache| cache.as_str())),
    );
    let doubles = js_sys::Array::of3(
        &JsValue::from(facts.status),
        &JsValue::from(facts.duration_ms as f64),
        &JsValue::from(facts.attempts),
    );
    let point = js_sys::Object::new();
    // An index holds at most 96 bytes.
    let index: String = facts.route_id.chars().take(24).collect();
    js_sys::Reflect::set(&point, &text("indexes"), &js_sys::Array::of1(&text(&index)))?;
    js_sys::Reflect::set(&point, &text("blobs"), &blobs)?;
    js_sys::Reflect::set(&point, &text("doubles"), &doubles)?;
    let write: js_sys::Function =
        js_sys::Reflect::get(&dataset, &text("writeDataPoint"))?.dyn_into()?;
    write.call1(&dataset, &point).map(drop)
}

/// One line of JSON, with the path cut to a length that a log line bears.
fn write_line(event: &ProxyEvent) {
    let mut facts = event.facts.clone();
    if let Some((cut, _)) = facts.path.char_indices().nth(MAX_PATH) {
        facts.path.truncate(cut);
        facts.path.push('…');
    }
    if let Ok(line) = serde_json::to_string(&facts) {
        console_log!("{line}");
    }
}

/// Characters of a path that a log line carries.
const MAX_PATH: usize = 256;
