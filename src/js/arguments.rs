//! Converts the arguments that JavaScript passes, which may be any values.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use berth_session::{Options, SourceFile};

use super::values::type_error;

/// The file name used in problems for a text without a name.
const UNNAMED: &str = "manifests.yaml";
/// The largest integer that a JavaScript number holds exactly.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The attempt to explain, by position or by Pod.
pub(super) enum AttemptArgument {
    Attempt(usize),
    /// `namespace/name`.
    Pod(String),
}

/// `new Berth(options)`.
pub(super) fn options(value: &JsValue) -> Result<Options, JsValue> {
    let mut options = Options::default();
    if is_absent(value) {
        return Ok(options);
    }
    let Some(object) = record(value) else {
        return Err(wrong(
            "options",
            "an object like {firstOnTies: true}",
            value,
        ));
    };
    for (key, value) in entries(object)? {
        if value.is_undefined() {
            continue;
        }
        match key.as_str() {
            "firstOnTies" => options.first_on_ties = boolean(&key, &value)?,
            "expandWorkloads" => options.expand_workloads = boolean(&key, &value)?,
            "live" => options.live = boolean(&key, &value)?,
            "seed" => options.seed = whole(&key, &value)?,
            _ => {
                return Err(type_error(&format!(
                    "there is no option {key:?}; there are firstOnTies, seed, expandWorkloads and live"
                )));
            }
        }
    }
    Ok(options)
}

/// `applyYaml(sources)`: one text, an object of texts by name, or a list of `{name, text}`.
pub(super) fn sources(value: &JsValue) -> Result<Vec<SourceFile>, JsValue> {
    const WANTED: &str = "YAML text, {\"name.yaml\": text} or [{name, text}]";
    if let Some(text) = value.as_string() {
        return Ok(vec![SourceFile::new(UNNAMED, text)]);
    }
    if let Some(list) = value.dyn_ref::<Array>() {
        return list.iter().map(|file| named_source(&file)).collect();
    }
    let files = record(value).map(entries).transpose()?;
    let Some(files) = files.filter(|files| !files.is_empty()) else {
        return Err(wrong("sources", WANTED, value));
    };
    let files = files.into_iter().map(|(name, text)| {
        let wrong = || wrong(&format!("the text of {name:?}"), "a string", &text);
        let text = text.as_string().ok_or_else(wrong)?;
        Ok(SourceFile::new(name, text))
    });
    files.collect()
}

fn named_source(value: &JsValue) -> Result<SourceFile, JsValue> {
    let Some(object) = record(value) else {
        return Err(wrong("a source in the list", "{name, text}", value));
    };
    let field = |name: &str| {
        let field = Reflect::get(object, &JsValue::from_str(name))?;
        let text = field.as_string();
        text.ok_or_else(|| wrong(&format!("{name} of a source"), "a string", &field))
    };
    Ok(SourceFile::new(field("name")?, field("text")?))
}

/// `explain(podOrAttempt)`. A Pod name without a namespace refers to `default`.
pub(super) fn wanted(value: &JsValue) -> Result<AttemptArgument, JsValue> {
    if let Some(name) = value.as_string() {
        return Ok(AttemptArgument::Pod(if name.contains('/') {
            name
        } else {
            format!("default/{name}")
        }));
    }
    match position("podOrAttempt", value) {
        Ok(position) => Ok(AttemptArgument::Attempt(position)),
        Err(_) => Err(wrong(
            "podOrAttempt",
            "a Pod (\"namespace/name\") or the number of an attempt, from 0",
            value,
        )),
    }
}

/// A position in the log, or a number of attempts. Infinity is the largest.
pub(super) fn position(name: &str, value: &JsValue) -> Result<usize, JsValue> {
    if value.as_f64() == Some(f64::INFINITY) {
        return Ok(usize::MAX);
    }
    Ok(usize::try_from(whole(name, value)?).unwrap_or(usize::MAX))
}

/// A position or a number of attempts; `None` if it is omitted.
pub(super) fn optional_position(name: &str, value: &JsValue) -> Result<Option<usize>, JsValue> {
    (!is_absent(value))
        .then(|| position(name, value))
        .transpose()
}

/// A string; `None` if it is omitted.
pub(super) fn optional_text(name: &str, value: &JsValue) -> Result<Option<String>, JsValue> {
    if is_absent(value) {
        return Ok(None);
    }
    let text = value.as_string();
    text.map(Some).ok_or_else(|| wrong(name, "a string", value))
}

fn boolean(name: &str, value: &JsValue) -> Result<bool, JsValue> {
    value
        .as_bool()
        .ok_or_else(|| wrong(name, "true or false", value))
}

fn whole(name: &str, value: &JsValue) -> Result<u64, JsValue> {
    let fits = |number: &f64| number.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER).contains(number);
    match value.as_f64().filter(fits) {
        // Exact, because it is whole and within range.
        Some(number) => Ok(number as u64),
        None => Err(wrong(name, "a whole number, 0 or more", value)),
    }
}

fn is_absent(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

fn record(value: &JsValue) -> Option<&Object> {
    if value.is_function() || Array::is_array(value) {
        return None;
    }
    value.dyn_ref::<Object>().or_else(|| {
        // An object without a prototype or from another window is not an instance of this window's Object.
        value.is_object().then(|| value.unchecked_ref())
    })
}

/// Own enumerable properties. Fails with the exception that a getter or a proxy throws.
fn entries(object: &Object) -> Result<Vec<(String, JsValue)>, JsValue> {
    let keys = Reflect::own_keys(object)?;
    let mut entries = Vec::new();
    for key in keys.iter() {
        // Skips symbols.
        if let Some(name) = key.as_string() {
            entries.push((name, Reflect::get(object, &key)?));
        }
    }
    Ok(entries)
}

fn wrong(name: &str, wanted: &str, got: &JsValue) -> JsValue {
    type_error(&format!("{name} must be {wanted}, not {}", describe(got)))
}

/// A short description of a value, made without calling its methods.
fn describe(value: &JsValue) -> String {
    if let Some(number) = value.as_f64() {
        return format!("{number}");
    }
    if let Some(text) = value.as_string() {
        let short: String = text.chars().take(40).collect();
        return format!("{short:?}");
    }
    if let Some(truth) = value.as_bool() {
        return format!("{truth}");
    }
    if value.is_null() {
        return "null".to_owned();
    }
    if Array::is_array(value) {
        return "an array".to_owned();
    }
    let kind = value.js_typeof().as_string().unwrap_or_default();
    match kind.as_str() {
        "undefined" => kind,
        "object" => "this object".to_owned(),
        _ => format!("a {kind}"),
    }
}
