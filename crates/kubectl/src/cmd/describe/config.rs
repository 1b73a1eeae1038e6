//! ConfigMaps and Secrets.

use k8s_openapi::ByteString;
use serde_json::Value;

use super::page::Page;
use super::{Context, parts};
use crate::printers::fields::{Fields, scalar};

pub(super) fn config_map(page: &mut Page, map: &Value, _: &Context<'_>) {
    parts::head(page, map);
    page.line(0, "\nData\n====");
    for (key, value) in map.entries("data") {
        page.line(0, format!("{key}:\n----"));
        page.line(0, scalar(value));
        page.line(0, "");
    }
    page.line(0, "\nBinaryData\n====");
    for (key, value) in map.entries("binaryData") {
        page.line(0, format!("{key}: {} bytes", bytes_of(value).len()));
    }
    page.line(0, "");
}

/// Shows the sizes of a Secret's values; of the values themselves, only a service account token.
pub(super) fn secret(page: &mut Page, secret: &Value, _: &Context<'_>) {
    parts::head(page, secret);
    let kind = secret.text("type");
    page.line(0, format!("\nType:\t{kind}"));
    page.line(0, "\nData\n====");
    for (key, value) in secret.entries("data") {
        let is_token = key == "token" && kind == "kubernetes.io/service-account-token";
        let text = if is_token {
            String::from_utf8(bytes_of(value)).ok()
        } else {
            None
        };
        let text = text.unwrap_or_else(|| format!("{} bytes", bytes_of(value).len()));
        page.field(0, key, text);
    }
}

/// Decodes base64.
fn bytes_of(value: &Value) -> Vec<u8> {
    serde_json::from_value::<ByteString>(value.clone())
        .map(|ByteString(bytes)| bytes)
        .unwrap_or_default()
}
