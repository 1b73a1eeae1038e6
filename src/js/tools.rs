//! The tools of programs (`cli::tools`), for the npm package: commands as functions of manifests and named arguments.

use js_sys::JSON;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::arguments;
use super::values::{error, plain, type_error};
use crate::cli::tools::{JsonObject, answer};

/// The types of what tools take and answer.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("tools.d.ts");

/// What a tool answered.
#[derive(Serialize)]
struct Answered<'a> {
    status: u8,
    out: &'a str,
    messages: &'a str,
}

/// Calls a tool by name: `status` is the command's exit status, `out` its JSON or what kubectl prints, and `messages` what it
/// says besides, a line each.
#[wasm_bindgen(js_name = callTool, skip_typescript)]
pub fn call_tool(
    tool: &str,
    manifests: &JsValue,
    tool_arguments: &JsValue,
) -> Result<JsValue, JsValue> {
    let manifests = arguments::sources(manifests)?.into_iter();
    let manifests = manifests.map(|file| (file.name, file.text.to_string()));
    let answered = answer(tool, manifests.collect(), named(tool_arguments)?);
    let answered = answered.map_err(|why| error(&why))?;
    plain(&Answered {
        status: answered.status,
        out: &answered.out,
        messages: &answered.messages,
    })
}

/// Arguments by name; those that are undefined are left out.
fn named(value: &JsValue) -> Result<JsonObject, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(JsonObject::new());
    }
    let text = JSON::stringify(value)?.as_string().unwrap_or_default();
    serde_json::from_str(&text)
        .map_err(|_| type_error("arguments must be an object like {pod: \"shop/web-0\"}"))
}
