//! `kubectl explain` (v1.36, `pkg/explain/v2`), from the schemas in `www/editor/explain.json`.

use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds::KindInfo;
use crate::printers::fields::Fields;
use crate::resource::targets::kind_of;
use crate::{Cluster, Output};
use berth_core::api::shapes::is_later;

pub(crate) const EXPLAIN: Verb = Verb {
    name: "explain",
    about: "Get documentation for a resource",
    usage: "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group]",
    examples: &[
        "kubectl explain pods",
        "kubectl explain pods.spec.tolerations",
    ],
    flags: &[
        Flag::switch("recursive"),
        Flag::word("api-version"),
        Flag::word("output").short('o'),
    ],
    run: explain,
};

/// Maximum characters in a line of a description.
const WIDTH: usize = 76;

/// Maximum enum values that a list shows.
const MAX_VALUES: usize = 4;

/// Maximum depth of `--recursive`: schemas can contain themselves.
const MAX_DEPTH: usize = 16;

/// The schemas: kinds by `apiVersion/Kind`, fields by type.
struct Schema(Value);

impl Schema {
    /// The schemas that the cluster provides, or else those built into the command line.
    fn of(cluster: &dyn Cluster) -> Option<Self> {
        let text = cluster.schema().or(NATIVE)?;
        serde_json::from_str(text).ok().map(Schema)
    }

    fn fields<'a>(&'a self, kind: &str) -> Vec<Field<'a>> {
        let fields = self
            .0
            .at("types")
            .get(kind)
            .map(Value::entries_here)
            .into_iter()
            .flatten()
            .filter(|(name, _)| !name.is_empty());
        let fields = fields.map(|(name, text)| {
            let text = text.as_str().unwrap_or_default();
            let (written, about) = text.split_once('|').unwrap_or((text, ""));
            Field {
                name,
                kind: written.trim_start_matches('!'),
                // Generated types mark `metadata` as required; the API does not require it.
                is_required: written.starts_with('!') && written != "!ObjectMeta",
                values: self.values(kind, name),
                about,
            }
        });
        fields.collect()
    }

    /// A field's enum values, separated by commas, if it has any.
    fn values(&self, kind: &str, field: &str) -> Option<&str> {
        let values = self.0.at("enums").get(format!("{kind}.{field}"));
        values.and_then(Value::as_str)
    }

    /// The description of a type.
    fn about(&self, kind: &str) -> &str {
        let types = self.0.at("types");
        let about = types.get(kind).and_then(|it| it.get(""));
        about.and_then(Value::as_str).unwrap_or_default()
    }
}

#[cfg(any(feature = "schemas", test))]
const NATIVE: Option<&str> = Some(include_str!("../../../../www/editor/explain.json"));
#[cfg(not(any(feature = "schemas", test)))]
const NATIVE: Option<&str> = None;

#[derive(Clone, Copy)]
struct Field<'a> {
    name: &'a str,
    kind: &'a str,
    is_required: bool,
    values: Option<&'a str>,
    about: &'a str,
}

impl<'a> Field<'a> {
    /// A field in a list: its name and type, with its first enum values below.
    fn lines(&self, indent: &str) -> String {
        let required = if self.is_required { " -required-" } else { "" };
        let mut lines = format!(
            "{indent}{}\t<{}>{required}\n",
            self.name,
            go_type(self.kind)
        );
        let values: Vec<&str> = self.values().collect();
        let first = values.get(..MAX_VALUES).unwrap_or(&values).join(", ");
        if !values.is_empty() {
            let more = if values.len() > MAX_VALUES {
                ", ...."
            } else {
                ""
            };
            lines.push_str(&format!("{indent}enum: {first}{more}\n"));
        }
        lines
    }

    /// The header of a field's own page, with all enum values, one per line.
    fn head(&self) -> String {
        let mut head = format!("FIELD: {} <{}>\n", self.name, go_type(self.kind));
        if self.values.is_some() {
            head.push_str("ENUM:");
        }
        for value in self.values() {
            head.push_str(&format!("\n    {value}"));
        }
        head + "\n\n"
    }

    /// The enum values; an empty string shows as `""`.
    fn values(&self) -> impl Iterator<Item = &'a str> {
        let values = self.values.into_iter().flat_map(|all| all.split(','));
        values.map(|value| if value.is_empty() { "\"\"" } else { value })
    }
}

/// `[]Toleration`, `map[string]string`.
fn go_type(kind: &str) -> String {
    if let Some(item) = kind.strip_prefix("[]") {
        format!("[]{}", go_type(item))
    } else if let Some(item) = kind.strip_prefix("{}") {
        format!("map[string]{}", go_type(item))
    } else if kind == "any" {
        "Object".to_owned()
    } else if matches!(kind, "Time" | "MicroTime") {
        // Only types that are objects are named; these are written as text.
        "string".to_owned()
    } else {
        // The schemas prefix a type with its group if two groups have a type of that name.
        kind.rsplit('.').next().unwrap_or(kind).to_owned()
    }
}

/// The innermost item type of lists and maps.
fn item(kind: &str) -> &str {
    let inner = kind.strip_prefix("[]").or_else(|| kind.strip_prefix("{}"));
    inner.map_or(kind, item)
}

fn explain(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let [path] = call.arguments.words.as_slice() else {
        return Err(match call.arguments.words.as_slice() {
            [] => "error: You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.".to_owned(),
            _ => "error: We accept only this format: explain RESOURCE".to_owned(),
        });
    };
    let mut names = path.split('.').filter(|name| !name.is_empty());
    let info = kind_of(names.next().unwrap_or_default())
        .map_err(|why| why.trim_start_matches("error: ").to_owned())?;
    if let Some(format) = call.arguments.word("output").filter(|it| !it.is_empty())
        && !matches!(format, "plaintext" | "plaintext-openapiv2")
    {
        return Err(format!("error: unrecognized format: {format}"));
    }
    let Some(schema) = Schema::of(cluster) else {
        return Err(
            "error: the descriptions of the fields could not be fetched: try again with a connection"
                .to_owned(),
        );
    };
    let id = format!("{}/{}", info.api_version, info.kind);
    let kinds = schema.0.at("kinds");
    let Some(root) = kinds.get(id).and_then(Value::as_str) else {
        return Err(format!(
            "error: couldn't find resource for {:?}",
            info.resource()
        ));
    };
    let (mut kind, mut last) = (root, None);
    for name in names {
        let mut fields = schema.fields(item(kind)).into_iter();
        let version = cluster.api().release().version();
        let is_known = !is_later(item(kind), name, version);
        let Some(field) = fields.find(|field| is_known && field.name == name) else {
            let missing = format!("error: field {name:?} does not exist");
            return Ok(Output::text(head(info)).and(Output::failure(&missing, 1)));
        };
        (kind, last) = (field.kind, Some(field));
    }
    Ok(Output::text(page(
        &schema,
        info,
        kind,
        last,
        call.arguments.is("recursive"),
    )))
}

/// What every page begins with.
fn head(info: &KindInfo) -> String {
    let version = info.api_version.rsplit('/').next().unwrap_or_default();
    let group = match info.group() {
        "" => String::new(),
        group => format!("GROUP:      {group}\n"),
    };
    format!(
        "{group}KIND:       {}\nVERSION:    {version}\n\n",
        info.kind
    )
}

fn page(
    schema: &Schema,
    info: &KindInfo,
    kind: &str,
    field: Option<Field<'_>>,
    is_recursive: bool,
) -> String {
    let mut out = head(info);
    if let Some(field) = field {
        out.push_str(&field.head());
    }
    out.push_str("DESCRIPTION:\n");
    let about = [
        field.map_or("", |field| field.about),
        schema.about(item(kind)),
    ];
    let texts: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
    for text in if texts.is_empty() {
        vec!["<empty>"]
    } else {
        texts
    } {
        wrap(&mut out, text);
    }
    out.push_str("    \n");
    let fields = schema.fields(item(kind));
    if !fields.is_empty() {
        out.push_str("FIELDS:\n");
    }
    if is_recursive {
        nested(schema, &fields, 1, &mut out);
    } else {
        for field in &fields {
            out.push_str(&field.lines("  "));
            wrap(
                &mut out,
                if field.about.is_empty() {
                    "<no description>"
                } else {
                    field.about
                },
            );
            out.push('\n');
        }
    }
    out.push('\n');
    out
}

fn nested(schema: &Schema, fields: &[Field<'_>], depth: usize, out: &mut String) {
    for field in fields {
        out.push_str(&field.lines(&"  ".repeat(depth)));
        // Types such as JSONSchemaProps contain themselves.
        if depth < MAX_DEPTH {
            nested(schema, &schema.fields(item(field.kind)), depth + 1, out);
        }
    }
}

/// Wraps a text to lines of at most [`WIDTH`] characters, indented by four spaces (`go-wordwrap`): white space within a
/// line stays, that at a break goes, and longer words are not broken.
fn wrap(out: &mut String, text: &str) {
    for paragraph in text.split('\n') {
        let (mut line, mut rest) = (String::new(), paragraph);
        while !rest.is_empty() {
            let (space, behind) = split_at(rest, |letter| !letter.is_whitespace());
            let (word, behind) = split_at(behind, char::is_whitespace);
            rest = behind;
            let before = line.chars().count() + space.chars().count();
            if before > 1 && before + word.chars().count() > WIDTH {
                out.push_str(&format!("    {line}\n"));
                line.clear();
            } else {
                line.push_str(space);
            }
            line.push_str(word);
        }
        out.push_str(&format!("    {line}\n"));
    }
}

/// A text before and from the first letter of a kind on.
fn split_at(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::{fails, run};

    #[test]
    fn fields_are_explained_along_their_path() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let page = run(&mut cluster, "explain deploy.spec.replicas").stdout;
        assert_eq!(
            page,
            "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n\n\nDESCRIPTION:\n    Number of desired pods. This is a pointer to distinguish between explicit\n    zero and not specified. Defaults to 1.\n    \n\n"
        );
        let page = run(&mut cluster, "explain pod.spec.tolerations").stdout;
        assert!(
            page.contains("FIELD: tolerations <[]Toleration>\n"),
            "{page}"
        );
        assert!(
            page.contains("\nFIELDS:\n  effect\t<string>\n  enum: NoExecute, NoSchedule, PreferNoSchedule\n    Effect indicates"),
            "{page}"
        );
        let all = run(&mut cluster, "explain pdb --recursive").stdout;
        assert!(all.contains("\n    maxUnavailable\t<"), "{all}");
        // Only the list of the parent's fields shows whether a field is required.
        let page = run(&mut cluster, "explain pod.spec.containers").stdout;
        assert!(
            page.contains("\nFIELD: containers <[]Container>\n\n\nDESC"),
            "{page}"
        );
        assert!(
            page.contains("\n  name\t<string> -required-\n    "),
            "{page}"
        );
        let unknown = run(&mut cluster, "explain pod.spec.foo");
        assert_eq!(unknown.stdout, "KIND:       Pod\nVERSION:    v1\n\n");
        let why = "error: field \"foo\" does not exist\n";
        assert_eq!((unknown.stderr.as_str(), unknown.code), (why, 1));
        fails(
            &mut cluster,
            "explain foo",
            "the server doesn't have a resource type \"foo\"",
        );
        fails(
            &mut cluster,
            "explain pod --output=foo",
            "error: unrecognized format: foo",
        );
    }
    #[test]
    fn enum_values_are_listed() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let page = run(&mut cluster, "explain pod.spec.restartPolicy").stdout;
        assert!(
            page.contains("\nFIELD: restartPolicy <string>\nENUM:\n    Always\n    Never\n    OnFailure\n\nDESCRIPTION:\n"),
            "{page}"
        );
        let page = run(&mut cluster, "explain pod.spec.volumes.hostPath.type").stdout;
        assert!(
            page.contains("\nENUM:\n    \"\"\n    BlockDevice\n"),
            "{page}"
        );
        let page = run(&mut cluster, "explain pod.spec.volumes.hostPath").stdout;
        assert!(
            page.contains("\n  type\t<string>\n  enum: \"\", BlockDevice, CharDevice, Directory, ....\n    type for"),
            "{page}"
        );
        let all = run(&mut cluster, "explain pod --recursive").stdout;
        assert!(
            all.contains("\n    restartPolicy\t<string>\n    enum: Always, Never, OnFailure\n    "),
            "{all}"
        );
        assert!(!all.contains("effect\t<string>\n        key"), "{all}");
    }
}
