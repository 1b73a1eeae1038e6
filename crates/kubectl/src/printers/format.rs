//! `-o`: the output formats of objects.

use serde_json::Value;

use super::fields::Fields;
use super::{columns, kyaml, output};
use crate::go_template::GoTemplate;
use crate::jsonpath::Template;
use crate::kinds;
use berth_core::api::shapes;

/// An output format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Format {
    /// Human-readable tables, including wide ones.
    Table,
    Name,
    Json,
    Yaml,
    Kyaml,
    JsonPath(String),
    JsonPathAsJson(String),
    GoTemplate(String),
    Columns(String),
}

const KNOWN: &str = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml";

impl Format {
    /// The format that `-o` and `--template` name.
    ///
    /// # Errors
    /// kubectl's error about an unknown or incomplete format.
    pub(crate) fn parse(output: &str, template: &str) -> Result<Self, String> {
        let output = if output.is_empty() && !template.is_empty() {
            "go-template"
        } else {
            output
        };
        let (name, given) = output.split_once('=').unwrap_or((output, template));
        let missing = || Err("error: template format specified but no template given".to_owned());
        Ok(match name {
            "" | "wide" => Format::Table,
            "name" => Format::Name,
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            "kyaml" => Format::Kyaml,
            "jsonpath" | "jsonpath-as-json" | "go-template" | "template" if given.is_empty() => {
                return missing();
            }
            "jsonpath" => Format::JsonPath(given.to_owned()),
            "go-template" | "template" => Format::GoTemplate(given.to_owned()),
            "jsonpath-as-json" => Format::JsonPathAsJson(given.to_owned()),
            "custom-columns" => Format::Columns(given.to_owned()),
            "go-template-file" | "templatefile" | "jsonpath-file" | "custom-columns-file" => {
                return Err(format!(
                    "error: output format {name:?} is not supported by this kubectl: use jsonpath, custom-columns, json, yaml, name or wide"
                ));
            }
            _ => {
                return Err(format!(
                    "error: unable to match a printer suitable for the output format {name:?}, allowed formats are: {KNOWN}"
                ));
            }
        })
    }

    /// Prints objects in this format: a single requested object alone, anything else as a list.
    ///
    /// # Errors
    /// kubectl's error about a template that cannot be parsed or evaluated.
    pub(crate) fn print(
        &self,
        objects: Vec<Value>,
        is_single: bool,
        no_headers: bool,
    ) -> Result<String, String> {
        if let Format::Name = self {
            return Ok(objects.iter().map(|object| label(object) + "\n").collect());
        }
        if let Format::Columns(spec) = self {
            return columns::print(spec, &objects, no_headers);
        }
        let mut objects = objects;
        objects.iter_mut().for_each(show_as_served);
        let whole = match (is_single, objects.pop()) {
            (true, Some(only)) if objects.is_empty() => only,
            (_, last) => {
                objects.extend(last);
                output::list(objects)
            }
        };
        match self {
            Format::Json => Ok(output::json(&whole)),
            Format::Kyaml => Ok(kyaml::kyaml(&whole)),
            Format::JsonPath(template) => {
                let parsed = parse(template)?;
                parsed
                    .print(&whole)
                    .map_err(|why| failed(template, &whole, &why))
            }
            Format::GoTemplate(template) => {
                let parsed = GoTemplate::parse(template)
                    .map_err(|why| format!("error: error parsing template {template}, {why}"))?;
                parsed
                    .print(&whole)
                    .map_err(|why| format!("error: error executing template {template:?}: {why}"))
            }
            Format::JsonPathAsJson(template) => {
                let results = parse(template)?.results(&whole);
                let results = results.map_err(|why| failed(template, &whole, &why))?;
                let results = results.into_iter().flatten().collect();
                Ok(output::json(&Value::Array(results)))
            }
            Format::Yaml | Format::Table | Format::Name | Format::Columns(_) => {
                Ok(output::yaml(&whole))
            }
        }
    }
}

/// Objects of the API server look as it encodes them; those of a client-side dry run stay as they are.
fn show_as_served(object: &mut Value) {
    if !object.text("metadata.uid").is_empty() {
        shapes::as_served(object);
    }
}

/// `deployment.apps/web`.
pub(crate) fn label(object: &Value) -> String {
    let kind = object.text("kind");
    let kind = kinds::of_kind(kind).map_or_else(|| kind.to_lowercase(), |it| it.qualified());
    format!("{kind}/{}", object.text("metadata.name"))
}

fn parse(template: &str) -> Result<Template, String> {
    Template::parse(template)
        .map_err(|why| format!("error: error parsing jsonpath {template}, {why}"))
}

fn failed(template: &str, object: &Value, why: &str) -> String {
    format!(
        "error: error executing jsonpath {template:?}: Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{template}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n",
        output::go_syntax(object)
    )
}
