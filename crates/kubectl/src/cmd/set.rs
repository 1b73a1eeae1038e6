//! `kubectl set image|resources|env|selector|serviceaccount`.

mod env;

use serde_json::{Map, Value, json};

use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::printers::report::{self, DRY_RUN, FIELD_MANAGER, OUTPUT, RECORD, Report};
use crate::resource::files::{self, FILENAME};
use crate::resource::selector::parse_labels;
use crate::resource::targets::{self, Found, Target};
use crate::resource::write;
use berth_base::quantity::Quantity;
use berth_core::api::kinds::Kind;

const ALL: Flag = Flag::switch("all");
const SELECTOR: Flag = Flag::word("selector").short('l');
const CONTAINERS: Flag = Flag::word("containers").short('c');

macro_rules! verb {
    ($constant:ident, $name:literal, $about:literal, $words:literal, $example:literal, $run:expr, [$($flag:expr),*]) => {
        pub(crate) const $constant: Verb = Verb {
            name: concat!("set ", $name),
            about: $about,
            usage: concat!("set ", $name, " (-f FILENAME | TYPE NAME) ", $words),
            examples: &[$example],
            flags: &[FILENAME, OUTPUT, DRY_RUN, FIELD_MANAGER, RECORD, ALL, SELECTOR, Flag::switch("local"), $($flag),*],
            run: $run,
        };
    };
}

verb!(
    IMAGE,
    "image",
    "Update the image of a pod template",
    "CONTAINER_NAME_1=CONTAINER_IMAGE_1 ...",
    "kubectl set image deployment/web nginx=nginx:1.27",
    image,
    []
);
verb!(
    RESOURCES,
    "resources",
    "Update resource requests/limits on objects with pod templates",
    "([--limits=LIMITS & --requests=REQUESTS]",
    "kubectl set resources deployment web --limits=cpu=200m,memory=512Mi --requests=cpu=100m",
    resources,
    [CONTAINERS, Flag::word("limits"), Flag::word("requests")]
);
verb!(
    ENV,
    "env",
    "Update environment variables on a pod template",
    "KEY_1=VAL_1 ...",
    "kubectl set env deployment/web STORAGE_DIR=/data",
    env::run,
    [
        CONTAINERS,
        Flag::words("env").short('e'),
        Flag::switch("list"),
        Flag::switch("overwrite"),
        Flag::word("from"),
        Flag::words("keys"),
        Flag::word("prefix")
    ]
);
verb!(
    SELECTOR_VERB,
    "selector",
    "Set the selector on a resource",
    "EXPRESSIONS",
    "kubectl set selector service/web app=web",
    selector,
    []
);
verb!(
    ACCOUNT,
    "serviceaccount",
    "Update the service account of a resource",
    "SERVICE_ACCOUNT",
    "kubectl set serviceaccount deployment web builder",
    account,
    []
);

/// `kubectl set sa`.
pub(crate) const ACCOUNT_SHORT: Verb = Verb {
    name: "set sa",
    ..ACCOUNT
};

/// Splits words into those that name objects and those that are changes.
fn split<'a>(
    words: &'a [String],
    is_change: &dyn Fn(&str) -> bool,
) -> (&'a [String], &'a [String]) {
    let count = words.iter().take_while(|word| !is_change(word)).count();
    words.split_at(count)
}

fn meant(call: &Call<'_>, words: &[String], cluster: &dyn Cluster) -> Result<Found, String> {
    let none =
        "error: one or more resources must be specified as <resource> <name> or <resource>/<name>";
    files::targets_or(call, words, targets::select, none, cluster)
}

/// Changes all objects; `edit` receives the Pod spec of each.
fn change_all(
    call: &Call<'_>,
    found: &Found,
    (operation, failure): (&str, &str),
    cluster: &mut dyn Cluster,
    edit: &dyn Fn(&mut Value, &Target) -> Result<(), String>,
) -> Done {
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    for target in &found.targets {
        let Target { kind, key } = target;
        let mut change = |object: &mut Value| match pod_spec(object) {
            Some(spec) => {
                edit(spec, target)?;
                report::record(call, object);
                Ok(())
            }
            None => Err(format!(
                "error: {}/{} the object is not a pod or does not have a pod template: {}",
                kind.plural,
                key.name(),
                kind.resource()
            )),
        };
        let changed = report::on(dry, cluster, |api| {
            let context = ErrorContext::Generated(failure);
            write::change_part(kind, key, None, context, api, &mut change)
        });
        report.hear(cluster);
        match changed {
            Ok((true, object)) => report.done(kind, &object, operation),
            Ok((false, _)) => {}
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

/// The Pod spec of an object: its own, or that of its Pod template.
fn pod_spec(object: &mut Value) -> Option<&mut Value> {
    let kind = Kind::of_name(object.get("kind")?.as_str()?)?;
    let path = kind.info().in_template("spec")?;
    object.pointer_mut(&format!("/{}", path.replace('.', "/")))
}

fn containers(spec: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let lists = spec.as_object_mut().into_iter().flat_map(Map::iter_mut);
    lists
        .filter(|(key, _)| matches!(key.as_str(), "containers" | "initContainers"))
        .filter_map(|(_, list)| list.as_array_mut())
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// Whether a pattern of `-c` selects a container.
fn is_meant(container: &Map<String, Value>, pattern: &str) -> bool {
    let name = container.get("name").and_then(Value::as_str);
    let name = name.unwrap_or_default();
    pattern == "*" || pattern.split(',').any(|it| it == name)
}

fn image(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = call.arguments.words.clone();
    let (objects, changes) = split(&words, &|word| word.contains('='));
    let pairs: Vec<(&str, &str)> = changes
        .iter()
        .filter_map(|word| word.split_once('='))
        .collect();
    if words.is_empty() && !files::are_given(call) {
        return Err(targets::NO_OBJECTS.to_owned());
    }
    if pairs.is_empty() {
        // What is no update names objects.
        targets::wanted(objects)?;
        return Err("error: at least one image update is required".to_owned());
    }
    if pairs.len() > 1 && pairs.iter().any(|(name, _)| *name == "*") {
        return Err("error: all containers are already specified by *, but saw more than one container_name=container_image pairs".to_owned());
    }
    let found = meant(call, objects, cluster)?;
    change_all(
        call,
        &found,
        (
            "image updated",
            "failed to patch image update to pod template:",
        ),
        cluster,
        &|spec, _| {
            for (name, image) in &pairs {
                let mut any = false;
                for container in containers(spec) {
                    if is_meant(container, name) {
                        container.insert("image".to_owned(), (*image).into());
                        any = true;
                    }
                }
                if !any {
                    return Err(format!("error: unable to find container named {name:?}"));
                }
            }
            Ok(())
        },
    )
}

fn resources(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let mut wanted = Vec::new();
    for field in ["limits", "requests"] {
        let Some(text) = call.arguments.word(field) else {
            continue;
        };
        let mut amounts = Map::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let Some((name, amount)) = part.split_once('=') else {
                return Err(format!(
                    "error: Invalid argument syntax {part}, expected <resource>=<value>"
                ));
            };
            Quantity::parse(amount).map_err(|why| format!("error: {why}"))?;
            amounts.insert(name.to_owned(), amount.into());
        }
        wanted.push((field, amounts));
    }
    if wanted.is_empty() {
        return Err("error: you must specify an update to requests or limits (in the form of --requests/--limits)".to_owned());
    }
    let pattern = call.arguments.word("containers").unwrap_or("*").to_owned();
    let words = call.arguments.words.clone();
    let found = meant(call, &words, cluster)?;
    let texts = (
        "resource requirements updated",
        "failed to patch resources update to pod template",
    );
    change_all(call, &found, texts, cluster, &|spec, _| {
        let mut any = false;
        for container in containers(spec).filter(|it| is_meant(it, &pattern)) {
            any = true;
            let own = container.entry("resources").or_insert_with(|| json!({}));
            if let Some(own) = own.as_object_mut() {
                for (field, amounts) in &wanted {
                    let known = own.entry(*field).or_insert_with(|| json!({}));
                    if let Some(known) = known.as_object_mut() {
                        known.extend(amounts.clone());
                    }
                }
            }
        }
        if any {
            Ok(())
        } else {
            Err(format!("error: unable to find container named {pattern}"))
        }
    })
}

fn selector(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = call.arguments.words.clone();
    let Some((text, objects)) = words.split_last() else {
        return Err("error: one selector is required".to_owned());
    };
    parse_labels(text).map_err(|why| format!("error: {why}"))?;
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    let labels: Map<String, Value> =
        berth_base::sort::gather(pairs.map(|(key, value)| (key.to_owned(), value.into())));
    let found = meant(call, objects, cluster)?;
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    for Target { kind, key } in &found.targets {
        if kind.kind != "Service" {
            report
                .output
                .complain("error: setting a selector is only supported for Services");
            continue;
        }
        let mut edit = |object: &mut Value| {
            if let Some(spec) = object.pointer_mut("/spec").and_then(Value::as_object_mut) {
                spec.insert("selector".to_owned(), Value::Object(labels.clone()));
            }
            Ok(())
        };
        match report::on(dry, cluster, |api| write::change(kind, key, api, &mut edit)) {
            Ok((_, object)) => report.done(kind, &object, "selector updated"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

fn account(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = call.arguments.words.clone();
    let Some((name, objects)) = words.split_last() else {
        return Err("error: serviceaccount is required".to_owned());
    };
    let found = meant(call, objects, cluster)?;
    change_all(
        call,
        &found,
        (
            "serviceaccount updated",
            "failed to patch ServiceAccountName",
        ),
        cluster,
        &|spec, _| {
            if let Some(spec) = spec.as_object_mut() {
                spec.insert("serviceAccountName".to_owned(), name.clone().into());
                spec.insert("serviceAccount".to_owned(), name.clone().into());
            }
            Ok(())
        },
    )
}
