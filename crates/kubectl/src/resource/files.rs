//! `-f`: the objects of files, folders and standard input.

use serde_json::Value;

use super::binding::BINDING;
use super::targets::{Found, Target};
use super::validation;
use crate::arguments::Flag;
use crate::call::Call;
use crate::kinds::{KindInfo, of_kind};
use crate::{Cluster, errors};
use berth_core::api::load::{convert, is_document};
use berth_core::api::yaml;
use berth_sim::store::Key;

pub(crate) const FILENAME: Flag = Flag::words("filename").short('f');
pub(crate) const KUSTOMIZE: Flag = Flag::word("kustomize").short('k');
pub(crate) const RECURSIVE: Flag = Flag::switch("recursive").short('R');

/// Maximum nesting of lists.
const MAX_DEPTH: usize = 4;

/// An object read from a file.
pub(crate) struct Manifest {
    pub(crate) value: Value,
    /// The served version in which it is written.
    pub(crate) version: String,
    pub(crate) kind: &'static KindInfo,
    pub(crate) key: Key,
    /// The file, as messages name it.
    pub(crate) file: String,
}

/// The content of files.
#[derive(Default)]
pub(crate) struct Manifests {
    pub(crate) all: Vec<Manifest>,
    /// Errors about documents that cannot be read.
    pub(crate) faults: Vec<String>,
    /// Warnings about fields.
    pub(crate) notes: Vec<String>,
}

/// The objects of manifests that exist, and a line (`missing`) about each of the others.
pub(crate) fn existing(
    manifests: Vec<Manifest>,
    cluster: &dyn Cluster,
    missing: fn(&Manifest) -> String,
) -> Found {
    let mut found = Found::default();
    for manifest in manifests {
        let (kind, key) = (manifest.kind, &manifest.key);
        if cluster.api().get(kind.kind, key).is_some() {
            let key = manifest.key;
            found.targets.push(Target { kind, key });
        } else {
            found.missing.push(missing(&manifest));
        }
    }
    found
}

/// kubectl's error about an object that does not exist.
pub(crate) fn not_found(manifest: &Manifest) -> String {
    errors::not_found(manifest.kind.kind, manifest.key.name())
}

/// Whether a call names files.
pub(crate) fn are_given(call: &Call<'_>) -> bool {
    call.arguments.has("filename") || call.arguments.has("kustomize")
}

/// The objects that the files of a call name, whether they exist or not; `None` if no files are given.
///
/// # Errors
/// kubectl's error about a missing file.
pub(crate) fn targets(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Option<Found>, String> {
    if !are_given(call) {
        return Ok(None);
    }
    let manifests = read(call, cluster)?;
    let targets = manifests.all.into_iter().map(|manifest| Target {
        kind: manifest.kind,
        key: manifest.key,
    });
    Ok(Some(Found {
        targets: targets.collect(),
        missing: manifests.faults,
    }))
}

/// The objects that the files of a call name, or else its words; `none` is the error if there are neither.
///
/// # Errors
/// kubectl's error about a missing file, or a wrong word.
pub(crate) fn targets_or(
    call: &Call<'_>,
    words: &[String],
    select: fn(&Call<'_>, &[String], &dyn Cluster) -> Result<Found, String>,
    none: &str,
    cluster: &dyn Cluster,
) -> Result<Found, String> {
    match targets(call, cluster)? {
        Some(found) => Ok(found),
        None if words.is_empty() => Err(none.to_owned()),
        None => select(call, words, cluster),
    }
}

/// Reads all files of a call.
///
/// # Errors
/// kubectl's error about a missing file.
pub(crate) fn read(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Manifests, String> {
    if call.arguments.has("kustomize") {
        return Err(
            "error: kustomizations are not built here: apply the manifests with -f".to_owned(),
        );
    }
    let names = call.arguments.list("filename");
    if names.is_empty() {
        return Err("error: must specify one of -f and -k".to_owned());
    }
    if let Some(mode) = call.arguments.word("validate")
        && !matches!(mode, "" | "strict" | "true" | "warn" | "ignore" | "false")
    {
        return Err(format!(
            "error: invalid - validate option {mode:?}; must be one of: strict (or true), warn, ignore (or false)"
        ));
    }
    let mut manifests = Manifests::default();
    for name in names {
        for (file, text) in texts(name, call, cluster)? {
            read_text(&text, &file, call, &mut manifests);
        }
    }
    Ok(manifests)
}

/// The names and texts of the files that an argument of `-f` selects.
fn texts(
    name: &str,
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<Vec<(String, String)>, String> {
    if name == "-" {
        return Ok(vec![("STDIN".to_owned(), call.stdin.to_owned())]);
    }
    if name.starts_with("http://") || name.starts_with("https://") {
        return Err(format!(
            "error: unable to read URL {name:?}: there is no network here; put the manifest into a file"
        ));
    }
    let path = call.path(name);
    if let Some(text) = cluster.file(&path) {
        return Ok(vec![(name.to_owned(), text)]);
    }
    let folder = path.trim_end_matches('/');
    let inside = if matches!(folder, "." | "") {
        String::new()
    } else {
        format!("{folder}/")
    };
    let deep = call.arguments.is("recursive");
    let mut files = cluster.files();
    berth_base::sort::sort(&mut files);
    let is_folder = inside.is_empty() || files.iter().any(|file| file.starts_with(&inside));
    let is_meant = |file: &&String| {
        file.strip_prefix(&inside).is_some_and(|rest| {
            let ending = rest.rsplit('.').next();
            (deep || !rest.contains('/')) && matches!(ending, Some("yaml" | "yml" | "json"))
        })
    };
    let meant: Vec<(String, String)> = files
        .iter()
        .filter(is_meant)
        .filter_map(|file| Some((file.clone(), cluster.file(file)?)))
        .collect();
    if !meant.is_empty() {
        return Ok(meant);
    }
    Err(if is_folder {
        format!("error: error reading [{name}]: recognized file extensions are [.json .yaml .yml]")
    } else {
        let here = berth_shell::files_here(&cluster.files());
        let make = berth_shell::how_to_make(name);
        format!("error: the path {name:?} does not exist\n({here}; {make})")
    })
}

fn read_text(text: &str, file: &str, call: &Call<'_>, manifests: &mut Manifests) {
    let mut end = 0;
    for chunk in yaml::documents(text) {
        let between = text.get(end..chunk.range.start).unwrap_or_default();
        end = chunk.range.end;
        // kubectl splits at `---` alone, and reads no further than `...` in each part.
        let has_line = |mark: &str| between.lines().any(|line| line.starts_with(mark));
        if has_line("...") && !has_line("---") {
            continue;
        }
        let document = text.get(chunk.range.clone()).unwrap_or_default();
        match yaml::parse(document) {
            Ok(parsed) => {
                if let Some(fault) = unvalidated(&parsed.value, file, call) {
                    // kubectl reads no further in this file.
                    manifests.faults.push(fault);
                    return;
                }
                read_value(parsed.value, file, call, manifests, 0);
            }
            Err(error) => {
                let line = chunk.start.line + error.position.line.saturating_sub(1);
                let why = go_yaml(line, &error.message.to_string());
                manifests
                    .faults
                    .push(format!("error: error parsing {file}: {why}"));
                return;
            }
        }
    }
}

/// A syntax error as go-yaml words it: its parser counts lines from 0, its scanner from 1, and neither names the first.
pub(crate) fn go_yaml(line: u32, message: &str) -> String {
    let is_of_parser = message.starts_with("did not find expected");
    let line = match line {
        0 | 1 => String::new(),
        line => format!("line {}: ", line - u32::from(is_of_parser)),
    };
    format!("error converting YAML to JSON: yaml: {line}{message}")
}

/// The error of commands that validate what they send (kubectl's `validation.getObjectKind`).
fn unvalidated(value: &Value, file: &str, call: &Call<'_>) -> Option<String> {
    let validates = matches!(call.verb.name, "apply" | "create" | "replace");
    let mode = call.arguments.word("validate");
    if !validates || value.is_null() || matches!(mode, Some("false" | "ignore")) {
        return None;
    }
    let mut lacks = Vec::new();
    match value.as_object() {
        None => lacks.push("invalid object to validate"),
        Some(object) => {
            for (field, unset, other) in [
                (
                    "apiVersion",
                    "apiVersion not set",
                    "apiVersion isn't string type",
                ),
                ("kind", "kind not set", "kind isn't string type"),
            ] {
                match object.get(field) {
                    None | Some(Value::Null) => lacks.push(unset),
                    Some(Value::String(_)) => {}
                    Some(_) => lacks.push(other),
                }
            }
        }
    }
    let lacks = match lacks.as_slice() {
        [] => return None,
        [one] => (*one).to_owned(),
        several => format!("[{}]", several.join(", ")),
    };
    Some(format!(
        "error: error validating {file:?}: error validating data: {lacks}; if you choose to ignore these errors, turn validation off with --validate=false"
    ))
}

fn read_value(
    mut value: Value,
    file: &str,
    call: &Call<'_>,
    manifests: &mut Manifests,
    depth: usize,
) {
    if value.is_null() {
        return;
    }
    let written = value.get("apiVersion").and_then(Value::as_str);
    let written = written.unwrap_or_default().to_owned();
    if let Value::Object(object) = &mut value {
        convert(object);
    }
    let text = |path: &str| {
        value
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (kind, version) = (text("/kind").to_owned(), text("/apiVersion").to_owned());
    let (name, namespace) = (
        text("/metadata/name").to_owned(),
        text("/metadata/namespace").to_owned(),
    );
    for (field, value_of) in [("Kind", &kind), ("apiVersion", &version)] {
        if value_of.is_empty() {
            let shown = crate::printers::output::sorted(&value);
            manifests.faults.push(format!(
                "error: unable to decode {file:?}: Object '{field}' is missing in '{shown}'"
            ));
            return;
        }
    }
    if kind.ends_with("List")
        && depth < MAX_DEPTH
        && let Some(Value::Array(items)) = value.get_mut("items").map(Value::take)
    {
        for item in items {
            read_value(item, file, call, manifests, depth + 1);
        }
        return;
    }
    let own = of_kind(&kind).or((kind == BINDING.kind).then_some(&BINDING));
    let known = own.filter(|info| info.api_version == version && kind != "Event");
    let Some(info) = known else {
        if !is_document(&kind) {
            manifests.faults.push(format!(
                "error: resource mapping not found for name: {name:?} namespace: {namespace:?} from {file:?}: no matches for kind {kind:?} in version {version:?}\nensure CRDs are installed first"
            ));
        }
        return;
    };
    let asked = call.arguments.word("namespace").unwrap_or_default();
    if info.namespaced && !asked.is_empty() && !namespace.is_empty() && asked != namespace {
        manifests.faults.push(format!(
            "error: the namespace from the provided object {namespace:?} does not match the namespace {asked:?}. You must pass '--namespace={namespace}' to perform this operation."
        ));
        return;
    }
    let place = match (info.namespaced, namespace.is_empty()) {
        (false, _) => "",
        (true, true) => call.namespace(),
        (true, false) => &namespace,
    };
    let key = Key::new(place, name);
    validation::relax(&mut value, call, &mut manifests.notes);
    manifests.all.push(Manifest {
        value,
        version: written,
        kind: info,
        key,
        file: file.to_owned(),
    });
}

/// The objects that the files of a call name.
///
/// # Errors
/// kubectl's errors about files that are missing or cannot be read.
pub(crate) fn named(
    call: &Call<'_>,
    cluster: &dyn Cluster,
) -> Result<Vec<(&'static KindInfo, Key)>, String> {
    let manifests = read(call, cluster)?;
    if let Some(fault) = manifests.faults.into_iter().next() {
        return Err(fault);
    }
    let all = manifests.all.into_iter();
    Ok(all.map(|it| (it.kind, it.key)).collect())
}
