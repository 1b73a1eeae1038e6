//! `kubectl create KIND NAME …`.

use serde_json::{Map, Value, json};

use super::create_one;
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::kinds::of_kind;
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, Report, SAVE_CONFIG};
use berth_base::quantity::Quantity;
use berth_sim::store::Key;

/// The command's single NAME argument.
///
/// # Errors
/// kubectl's error if there is not exactly one.
pub(crate) fn name_of<'a>(call: &'a Call<'_>) -> Result<&'a str, String> {
    match call.arguments.before_dash() {
        [name] => Ok(name),
        words => Err(format!(
            "error: exactly one NAME is required, got {}\nSee 'kubectl {} -h' for help and examples",
            words.len(),
            in_full(call.verb.name)
        )),
    }
}

/// The full name of a command that also has a short one.
pub(crate) fn in_full(name: &'static str) -> &'static str {
    match name {
        "create cj" => "create cronjob",
        "create cm" => "create configmap",
        "create deploy" => "create deployment",
        "create ns" => "create namespace",
        "create pc" => "create priorityclass",
        "create pdb" => "create poddisruptionbudget",
        "create resourcequota" => "create quota",
        name => name,
    }
}

/// Creates the generated object and reports it. `failed` introduces the API server's error.
pub(super) fn generated(
    call: &Call<'_>,
    object: &Value,
    failed: &str,
    cluster: &mut dyn Cluster,
) -> Done {
    made(call, object, ErrorContext::Generated(failed), cluster)
}

/// The same in the words of the API server alone.
pub(super) fn plain(call: &Call<'_>, object: &Value, cluster: &mut dyn Cluster) -> Done {
    made(call, object, ErrorContext::Nothing, cluster)
}

fn made(
    call: &Call<'_>,
    object: &Value,
    context: ErrorContext<'_>,
    cluster: &mut dyn Cluster,
) -> Done {
    let text = |path: &str| {
        object
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut report = Report::new(call)?;
    let Some(kind) = of_kind(text("/kind")) else {
        return report.finish();
    };
    let namespace = if kind.namespaced {
        call.namespace()
    } else {
        ""
    };
    let key = Key::new(namespace, text("/metadata/name"));
    let made = create_one(object, kind, &key, context, call, cluster)?;
    report.hear(cluster);
    report.done(kind, &made, "created");
    report.finish()
}

macro_rules! verb {
    ($constant:ident, $name:literal, $about:literal, $usage:literal, $example:literal, $run:expr, [$($flag:expr),*]) => {
        pub(in crate::cmd) const $constant: Verb = Verb {
            name: concat!("create ", $name),
            about: $about,
            usage: concat!("create ", $name, " ", $usage),
            examples: &[$example],
            flags: &[OUTPUT, DRY_RUN, FIELD_MANAGER, SAVE_CONFIG, Flag::maybe("validate", "strict"), $($flag),*],
            run: $run,
        };
    };
}
pub(crate) use verb;

/// The same command by another name.
macro_rules! also {
    ($constant:ident, $of:ident, $name:literal, $usage:literal, $example:literal) => {
        pub(in crate::cmd) const $constant: Verb = Verb {
            name: concat!("create ", $name),
            usage: concat!("create ", $name, " ", $usage),
            examples: &[$example],
            ..$of
        };
    };
}
pub(crate) use also;

verb!(
    NAMESPACE,
    "namespace",
    "Create a namespace with the specified name",
    "NAME",
    "kubectl create namespace shop",
    namespace,
    []
);
also!(
    NAMESPACE_SHORT,
    NAMESPACE,
    "ns",
    "NAME",
    "kubectl create ns shop"
);
verb!(
    PRIORITY_CLASS,
    "priorityclass",
    "Create a priority class with the specified name",
    "NAME --value=VALUE --global-default=BOOL",
    "kubectl create priorityclass high --value=1000",
    priority_class,
    [
        Flag::number("value"),
        Flag::switch("global-default"),
        Flag::word("description"),
        Flag::word("preemption-policy")
    ]
);
also!(
    PRIORITY_CLASS_SHORT,
    PRIORITY_CLASS,
    "pc",
    "NAME --value=VALUE",
    "kubectl create pc high --value=1000"
);
verb!(
    BUDGET,
    "poddisruptionbudget",
    "Create a pod disruption budget with the specified name",
    "NAME --selector=SELECTOR --min-available=N",
    "kubectl create poddisruptionbudget web --selector=app=web --min-available=1",
    budget,
    [
        Flag::word("selector"),
        Flag::word("min-available"),
        Flag::word("max-unavailable")
    ]
);
also!(
    BUDGET_SHORT,
    BUDGET,
    "pdb",
    "NAME --selector=SELECTOR --min-available=N",
    "kubectl create pdb web --selector=app=web --min-available=50%"
);
verb!(
    QUOTA,
    "quota",
    "Create a quota with the specified name",
    "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2]",
    "kubectl create quota my-quota --hard=cpu=1,memory=1G,pods=2",
    quota,
    [Flag::word("hard"), Flag::word("scopes")]
);
also!(
    QUOTA_LONG,
    QUOTA,
    "resourcequota",
    "NAME [--hard=key1=value1,key2=value2]",
    "kubectl create resourcequota my-quota --hard=pods=2"
);

fn namespace(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let object = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name_of(call)?},
        "spec": {},
        "status": {},
    });
    made(call, &object, ErrorContext::Nothing, cluster)
}

fn priority_class(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let arguments = &call.arguments;
    let policy = arguments.word("preemption-policy");
    let mut object = json!({
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": arguments.number("value").unwrap_or(0),
        "preemptionPolicy": policy.unwrap_or("PreemptLowerPriority"),
    });
    // Go leaves out what is zero.
    if arguments.is("global-default") {
        object["globalDefault"] = true.into();
    }
    if let Some(description) = arguments.word("description").filter(|it| !it.is_empty()) {
        object["description"] = description.into();
    }
    generated(call, &object, "failed to create priorityclass:", cluster)
}

fn budget(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let arguments = &call.arguments;
    let selector = arguments.word("selector").unwrap_or_default();
    if selector.is_empty() {
        return Err("error: a selector must be specified".to_owned());
    }
    let number = |text: &str| match text.parse::<i32>() {
        Ok(number) => Value::from(number),
        Err(_) => Value::from(text),
    };
    let (min, max) = (
        arguments.word("min-available"),
        arguments.word("max-unavailable"),
    );
    let (field, text) = match (min, max) {
        (Some(_), Some(_)) => {
            return Err(
                "error: min-available and max-unavailable cannot be both specified".to_owned(),
            );
        }
        (None, None) => {
            return Err(
                "error: one of min-available or max-unavailable must be specified".to_owned(),
            );
        }
        (Some(min), None) => ("minAvailable", min),
        (None, Some(max)) => ("maxUnavailable", max),
    };
    let parsed = crate::resource::selector::parse_labels(selector);
    let parsed = parsed.map_err(|why| format!("error: {why}"))?;
    let mut labels = Map::new();
    let mut others = Vec::new();
    for requirement in parsed.match_expressions.unwrap_or_default() {
        match (requirement.operator.as_str(), requirement.values.as_deref()) {
            ("In", Some([value])) => {
                labels.insert(requirement.key, value.clone().into());
            }
            _ => others.push(berth_base::json::value(&requirement)),
        }
    }
    let mut selector = json!({});
    if let Some(selector) = selector.as_object_mut() {
        if !labels.is_empty() {
            selector.insert("matchLabels".to_owned(), Value::Object(labels));
        }
        if !others.is_empty() {
            selector.insert("matchExpressions".to_owned(), Value::Array(others));
        }
    }
    let object = json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {field: number(text), "selector": selector},
        "status": {
            "currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0,
        },
    });
    generated(
        call,
        &object,
        "failed to create poddisruptionbudgets:",
        cluster,
    )
}

fn quota(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let mut hard = Map::new();
    for part in call.arguments.list("hard") {
        let (resource, amount) = part.split_once('=').ok_or_else(|| {
            format!("error: Invalid argument syntax {part}, expected <resource>=<value>")
        })?;
        Quantity::parse(amount).map_err(|why| format!("error: {why}"))?;
        hard.insert(resource.to_owned(), amount.into());
    }
    let mut spec = json!({"hard": hard});
    let scopes = call.arguments.list("scopes");
    if !scopes.is_empty()
        && let Some(spec) = spec.as_object_mut()
    {
        spec.insert("scopes".to_owned(), json!(scopes));
    }
    let object = json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name},
        "spec": spec,
        "status": {},
    });
    generated(call, &object, "failed to create quota:", cluster)
}
