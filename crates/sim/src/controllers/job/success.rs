//! `successPolicy`: an Indexed Job may succeed before all of its indexes have.

use k8s_openapi::api::batch::v1::SuccessPolicy;

use berth_core::api::workloads::Indexes;

/// The condition's message for the first rule that is met.
pub(super) fn met(
    policy: Option<&SuccessPolicy>,
    succeeded: &Indexes,
    completions: i32,
) -> Option<String> {
    let rules = policy.iter().flat_map(|policy| &policy.rules);
    let met = rules.enumerate().find(|(_, rule)| {
        let of = rule.succeeded_indexes.as_deref();
        let of = of.map(|text| Indexes::parse(text, completions));
        match (of, rule.succeeded_count) {
            (Some(of), Some(count)) => of.common(succeeded) >= count,
            (Some(of), None) => of.common(succeeded) >= of.total(),
            (None, Some(count)) => succeeded.total() >= count,
            (None, None) => false,
        }
    });
    met.map(|(index, _)| format!("Matched rules at index {index}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn by_count_by_indexes_or_by_both() {
        let rule_met = |rule, succeeded| {
            let policy: SuccessPolicy = serde_json::from_value(json!({"rules": [rule]})).unwrap();
            met(Some(&policy), &Indexes::parse(succeeded, 10), 10).is_some()
        };
        assert!(rule_met(json!({"succeededCount": 2}), "4,7"));
        assert!(!rule_met(json!({"succeededCount": 3}), "4,7"));
        assert!(rule_met(json!({"succeededIndexes": "0-2"}), "0-2,5"));
        assert!(!rule_met(json!({"succeededIndexes": "0-2"}), "0,2,5"));
        assert!(rule_met(
            json!({"succeededIndexes": "0-2", "succeededCount": 1}),
            "2"
        ));
    }
}
