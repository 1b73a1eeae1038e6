//! The document of a sweep (`kind: Sweep`): what is multiplied. `berth sweep` reads the files that it names, and plays it.

use berth_base::hash::Fnv;
use berth_core::api::decode::decode;
use berth_core::api::scenario::API_VERSION;
use berth_core::api::yaml;
use serde::Deserialize;
use serde_json::Value;

/// The document.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Document {
    pub api_version: String,
    pub kind: String,
    /// Accepted and not read.
    pub metadata: Value,
    pub scenarios: Vec<DocumentScenario>,
    pub configurations: Vec<DocumentConfiguration>,
    pub releases: Vec<String>,
    pub seeds: Option<DocumentSeeds>,
    pub commands: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentScenario {
    pub name: Option<String>,
    pub files: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentConfiguration {
    pub name: String,
    pub file: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentSeeds {
    pub from: Option<u32>,
    pub count: u32,
}

/// Reads a plan.
///
/// # Errors
/// What is wrong with it, with its line or the path of the field.
pub fn read(text: &str) -> Result<Document, String> {
    let parsed = yaml::parse(text).map_err(|error| {
        let line = error.position.line;
        format!("line {line}: {}", error.message)
    })?;
    let (document, findings) = decode::<Document>(&parsed.value);
    if let Some(finding) = findings.first() {
        return Err(format!("{}: {}", finding.path, finding.message));
    }
    let document = document.ok_or("it is empty")?;
    if document.kind != "Sweep" {
        return Err(format!("kind: expected Sweep, not {:?}", document.kind));
    }
    if document.api_version != API_VERSION {
        let version = &document.api_version;
        return Err(format!(
            "apiVersion: {version:?} is not of this version of Berth, which reads {API_VERSION}"
        ));
    }
    Ok(*document)
}

/// A digest of this version and of texts, in hexadecimal.
pub fn digest<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut digest = Fnv::new();
    digest.text(env!("CARGO_PKG_VERSION"));
    texts.for_each(|text| digest.text(text));
    format!("{:016x}", digest.0)
}
