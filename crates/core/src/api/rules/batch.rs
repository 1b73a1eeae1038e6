//! Jobs: rules that concern several fields.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::read::{at, has, list, number, text};
use super::{Site, Walk};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::dns_subdomain_errors;

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const REPLACEMENTS: [&str; 2] = ["Failed", "TerminatingOrFailed"];

const MAX_INDEXED: i64 = 100_000;
const MANY_COMPLETIONS: i64 = 100_000;
const MAX_PARALLEL_OF_MANY: i64 = 10_000;
const MAX_FAILED_OF_MANY: i64 = 10_000;
const MAX_MANAGER_BYTES: usize = 63;
const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_INDEXES_BYTES: usize = 65_536;

pub fn indexes(walk: &mut Walk<'_>, site: &Site<'_>) {
    if has(site.value, "maxFailedIndexes") && !has(site.value, "backoffLimitPerIndex") {
        let path = site.path().child("backoffLimitPerIndex");
        walk.required(&path, "when maxFailedIndexes is specified");
    }
}

/// `IsDomainPrefixedPath`.
pub fn managed_by(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (path, name) = (site.path(), site.value.as_str().unwrap_or_default());
    match name.split_once('/') {
        _ if name.is_empty() => walk.required(&path, ""),
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            walk.invalid_each(&path, host, dns_subdomain_errors(host));
            let is_path = |b: u8| b.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&b);
            if !rest.bytes().all(is_path) {
                let detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                walk.invalid(&path, rest, detail);
            }
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            walk.invalid(&path, name, detail);
        }
    }
    if name.len() > MAX_MANAGER_BYTES {
        walk.errors
            .push(FieldError::too_long(&path, MAX_MANAGER_BYTES));
    }
}

fn mode(spec: &Value) -> &str {
    match has(spec, "completionMode") {
        true => text(spec, "completionMode"),
        false => "NonIndexed",
    }
}

pub fn completion_mode(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (spec, path) = (site.value, site.path());
    match mode(spec) {
        "Indexed" => indexed(walk, spec, &path),
        "NonIndexed" => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(number) = number(spec, field) {
                    walk.invalid(
                        &path.child(field),
                        number,
                        "requires indexed completion mode",
                    );
                }
            }
        }
        other => {
            let path = path.child("completionMode");
            let error = FieldError::not_supported(&path, other, &["NonIndexed", "Indexed"]);
            walk.errors.push(error);
        }
    }
}

fn indexed(walk: &mut Walk<'_>, spec: &Value, path: &Path) {
    let completions = number(spec, "completions");
    let parallelism = number(spec, "parallelism");
    let failed = number(spec, "maxFailedIndexes");
    let (of_parallelism, of_failed) = (path.child("parallelism"), path.child("maxFailedIndexes"));
    if completions.is_none() {
        walk.required(
            &path.child("completions"),
            "when completion mode is Indexed",
        );
    }
    if let Some(number) = parallelism.filter(|it| *it > MAX_INDEXED) {
        let detail =
            format!("must be less than or equal to {MAX_INDEXED} when completion mode is Indexed");
        walk.invalid(&of_parallelism, number, &detail);
    }
    if let Some(number) = failed.filter(|it| completions.is_some_and(|most| *it > most)) {
        walk.invalid(
            &of_failed,
            number,
            "must be less than or equal to completions",
        );
    }
    if let Some(number) = failed.filter(|it| *it > MAX_INDEXED) {
        let detail = format!("must be less than or equal to {MAX_INDEXED}");
        walk.invalid(&of_failed, number, &detail);
    }
    let are_many = completions.is_some_and(|it| it > MANY_COMPLETIONS);
    if !are_many || !has(spec, "backoffLimitPerIndex") {
        return;
    }
    if failed.is_none() {
        let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
        walk.required(&of_failed, &detail);
    }
    for (number, most, path) in [
        (parallelism, MAX_PARALLEL_OF_MANY, &of_parallelism),
        (failed, MAX_FAILED_OF_MANY, &of_failed),
    ] {
        if let Some(number) = number.filter(|number| *number > most) {
            let detail = format!(
                "must be less than or equal to {most} when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
            );
            walk.invalid(path, number, &detail);
        }
    }
}

/// `validatePodFailurePolicy`.
pub fn failure_policy(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(policy) = at(site.value, "podFailurePolicy") else {
        return;
    };
    let path = site.path().child("podFailurePolicy").child("rules");
    let rules = list(policy, "rules");
    if rules.len() > MAX_RULES {
        walk.errors
            .push(FieldError::too_many(&path, rules.len(), MAX_RULES));
    }
    let template = site.value.pointer("/template/spec").unwrap_or(&Value::Null);
    let lists = ["containers", "initContainers"].into_iter();
    let names: BTreeSet<&str> = lists
        .flat_map(|field| list(template, field))
        .map(|container| text(container, "name"))
        .collect();
    for (place, rule) in rules.iter().enumerate() {
        let path = path.index(place);
        action(
            walk,
            rule,
            &path.child("action"),
            has(site.value, "backoffLimitPerIndex"),
        );
        if let Some(codes) = at(rule, "onExitCodes") {
            exit_codes(walk, codes, &path.child("onExitCodes"), &names);
        }
        let conditions = list(rule, "onPodConditions");
        let own = path.child("onPodConditions");
        if conditions.len() > MAX_RULES {
            walk.errors
                .push(FieldError::too_many(&own, conditions.len(), MAX_RULES));
        }
        for (place, pattern) in conditions.iter().enumerate() {
            walk.structure(
                "PodFailurePolicyOnPodConditionsPattern",
                pattern,
                &own.index(place),
            );
        }
        let detail = match (has(rule, "onExitCodes"), conditions.is_empty()) {
            (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
            (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
            _ => continue,
        };
        walk.errors.push(FieldError::invalid_whole(&path, detail));
    }
}

fn action(walk: &mut Walk<'_>, rule: &Value, path: &Path, per_index: bool) {
    match text(rule, "action") {
        "" => walk.required(path, &format!("valid values: {}", go_list(&ACTIONS))),
        "FailIndex" if !per_index => {
            walk.invalid(
                path,
                "FailIndex",
                "requires the backoffLimitPerIndex to be set",
            );
        }
        word if !ACTIONS.contains(&word) => {
            walk.errors
                .push(FieldError::not_supported(path, word, &ACTIONS));
        }
        _ => {}
    }
}

/// A list as Go's `%q` prints it.
fn go_list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!("[{}]", quoted.join(" "))
}

fn exit_codes(walk: &mut Walk<'_>, codes: &Value, path: &Path, names: &BTreeSet<&str>) {
    let operator = text(codes, "operator");
    if operator.is_empty() {
        let detail = format!("valid values: {}", go_list(&OPERATORS));
        walk.required(&path.child("operator"), &detail);
    } else if !OPERATORS.contains(&operator) {
        let path = path.child("operator");
        walk.errors
            .push(FieldError::not_supported(&path, operator, &OPERATORS));
    }
    if has(codes, "containerName") && !names.contains(text(codes, "containerName")) {
        let detail = "must be one of the container or initContainer names in the pod template";
        let name = text(codes, "containerName");
        walk.invalid(&path.child("containerName"), name, detail);
    }
    let (values, own) = (list(codes, "values"), path.child("values"));
    if values.is_empty() {
        let shown = codes.get("values").filter(|it| it.is_array());
        let shown = shown.cloned().unwrap_or_default();
        walk.invalid(&own, shown, "at least one value is required");
    } else if values.len() > MAX_EXIT_CODES {
        walk.errors
            .push(FieldError::too_many(&own, values.len(), MAX_EXIT_CODES));
    }
    let numbers: Vec<i64> = values
        .iter()
        .map(|it| it.as_i64().unwrap_or_default())
        .collect();
    let mut seen = BTreeSet::new();
    for (place, code) in numbers.iter().enumerate() {
        if operator == "In" && *code == 0 {
            walk.invalid(&own.index(place), 0, "must not be 0 for the In operator");
        }
        if !seen.insert(*code) {
            walk.errors
                .push(FieldError::duplicate(&own.index(place), *code));
        }
    }
    if !numbers.is_sorted() {
        walk.invalid(&own, values.to_vec(), "must be ordered");
    }
}

/// `validateSuccessPolicy`.
pub fn success_policy(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(policy) = at(site.value, "successPolicy") else {
        return;
    };
    let path = site.path().child("successPolicy");
    let rules = list(policy, "rules");
    if mode(site.value) != "Indexed" {
        let shown = |rule: &Value| json!({"SucceededIndexes": rule.get("succeededIndexes"), "SucceededCount": rule.get("succeededCount")});
        let all = match policy.get("rules") {
            Some(Value::Array(rules)) => Value::Array(rules.iter().map(shown).collect()),
            _ => Value::Null,
        };
        walk.invalid(
            &path,
            json!({"Rules": all}),
            "requires indexed completion mode",
        );
        return;
    }
    let path = path.child("rules");
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        walk.required(&path, detail);
    }
    if rules.len() > MAX_RULES {
        walk.errors
            .push(FieldError::too_many(&path, rules.len(), MAX_RULES));
    }
    // Without completions, the API server fails; an Indexed Job needs them anyway.
    let Some(completions) = number(site.value, "completions") else {
        return;
    };
    for (place, rule) in rules.iter().enumerate() {
        success_rule(walk, rule, &path.index(place), completions);
    }
}

fn success_rule(walk: &mut Walk<'_>, rule: &Value, path: &Path, completions: i64) {
    let (count, indexes) = (number(rule, "succeededCount"), at(rule, "succeededIndexes"));
    if count.is_none() && indexes.is_none() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        walk.required(path, detail);
    }
    let mut total = 0;
    if let Some(indexes) = indexes {
        let (own, text) = (
            path.child("succeededIndexes"),
            indexes.as_str().unwrap_or_default(),
        );
        if text.len() > MAX_INDEXES_BYTES {
            walk.errors
                .push(FieldError::too_long(&own, MAX_INDEXES_BYTES));
        }
        match count_indexes(text, completions) {
            Ok(count) => total = count,
            Err(why) => {
                let detail = format!("error parsing succeededIndexes: {why}");
                walk.invalid(&own, text, &detail);
            }
        }
    }
    let Some(count) = count else { return };
    let own = path.child("succeededCount");
    if count < 0 {
        walk.invalid(&own, count, "must be greater than or equal to 0");
    }
    if count > completions {
        let detail = format!(
            "must be less than or equal to {completions} (the number of specified completions)"
        );
        walk.invalid(&own, count, &detail);
    }
    if indexes.is_some() && count > total {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        walk.invalid(&own, count, &detail);
    }
}

/// `validateIndexesFormat`: the number of indexes in a text like `1,3-5`.
fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let mut total = 0;
    let mut last: Option<i64> = None;
    for interval in text.split(',') {
        let limits: Vec<&str> = interval.split('-').collect();
        if limits.len() > 2 {
            return Err(format!(
                "the fragment {interval:?} violates the requirement that an index interval can have at most two parts separated by '-'"
            ));
        }
        let parse = |text: &str| {
            let number = text.parse::<i64>();
            let number = number
                .map_err(|_| format!("cannot convert string to integer for index: {text:?}"))?;
            match number >= completions {
                true => Err(format!("too large index: {text:?}")),
                false => Ok(number),
            }
        };
        let first = parse(limits.first().copied().unwrap_or_default())?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!(
                "non-increasing order, previous: {last}, current: {first}"
            ));
        }
        let mut end = first;
        if let Some(limit) = limits.get(1) {
            end = parse(limit)?;
            if first >= end {
                return Err(format!(
                    "non-increasing order, previous: {first}, current: {end}"
                ));
            }
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// `validatePodReplacementPolicy`.
pub fn replacement_policy(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(policy) = at(site.value, "podReplacementPolicy").and_then(Value::as_str) else {
        return;
    };
    let supported = match has(site.value, "podFailurePolicy") {
        true => &REPLACEMENTS[..1],
        false => &REPLACEMENTS[..],
    };
    if !supported.contains(&policy) {
        let path = site.path().child("podReplacementPolicy");
        walk.errors
            .push(FieldError::not_supported(&path, policy, supported));
    }
}

#[cfg(test)]
mod tests {
    use super::count_indexes;

    #[test]
    fn indexes_are_counted_and_must_grow() {
        assert_eq!(count_indexes("1,3-5", 10), Ok(4));
        assert_eq!(count_indexes("", 10), Ok(0));
        for (text, why) in [
            ("9-10", "too large index: \"10\""),
            ("x", "cannot convert string to integer for index: \"x\""),
            ("3,3", "non-increasing order, previous: 3, current: 3"),
        ] {
            assert_eq!(count_indexes(text, 10), Err(why.to_owned()), "{text}");
        }
    }
}
