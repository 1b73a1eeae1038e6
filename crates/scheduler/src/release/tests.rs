use std::collections::BTreeMap;

use super::{Gate, Release, Version, parse_flag};

fn gates(text: &str) -> BTreeMap<String, bool> {
    parse_flag(text).expect("gates")
}

fn messages(version: Version, text: &str) -> Vec<String> {
    let (_, problems) = Release::with_gates(version, &gates(text));
    problems
        .into_iter()
        .map(|problem| format!("{} ({})", problem.message, problem.help))
        .collect()
}

#[test]
fn versions_are_named_by_minor_or_patch() {
    for text in ["1.36", "v1.36", "1.36.2", "v1.36.3"] {
        assert_eq!(Version::parse(text), Ok(Version::V1_36), "{text}");
    }
    assert_eq!(Version::parse("1.35.6"), Ok(Version::V1_35));
    for text in ["1.37", "1.3", "1.360", "1.36.", "1.36.x", ""] {
        let refused = Version::parse(text).unwrap_err();
        let help = "is not simulated: use one of 1.34, 1.35, 1.36";
        assert_eq!(refused, *format!("Kubernetes {text} {help}"));
    }
}

#[test]
fn each_release_has_its_own_defaults() {
    let (old, new) = (Release::of(Version::V1_34), Release::of(Version::V1_36));
    assert!(!old.is_on(Gate::NodeDeclaredFeatures) && new.is_on(Gate::NodeDeclaredFeatures));
    assert!(old.is_on(Gate::DynamicResourceAllocation));
    assert!(old.default_plugins().count() == 19 && new.default_plugins().count() == 20);
    let middle = Release::of(Version::V1_35);
    assert!(!middle.is_on(Gate::NodeDeclaredFeatures) && middle.is_on(Gate::ImageVolume));
    assert_eq!(middle.default_plugins().count(), 19);
    assert_eq!(middle.default_weight("DynamicResources"), 2);
    assert_eq!(old.default_weight("DynamicResources"), 0);
    assert_eq!(new.default_weight("DynamicResources"), 2);
}

#[test]
fn gates_are_refused_as_kube_scheduler_refuses_them() {
    assert_eq!(
        messages(Version::V1_36, "DynamicResourceAllocation=false"),
        [
            "cannot set feature gate DynamicResourceAllocation to false, feature is locked to true (leave it out)"
        ]
    );
    assert!(messages(Version::V1_34, "DynamicResourceAllocation=false").is_empty());
    assert_eq!(
        messages(Version::V1_36, "NodeDeclaredFeature=false"),
        ["unrecognized feature gate: NodeDeclaredFeature (did you mean NodeDeclaredFeatures?)"]
    );
    assert_eq!(
        messages(Version::V1_34, "NodeDeclaredFeatures=true"),
        ["unrecognized feature gate: NodeDeclaredFeatures (Kubernetes 1.35 has it)"]
    );
    assert_eq!(
        messages(Version::V1_34, "MemoryManager=false"),
        [
            "cannot set feature gate MemoryManager to false, feature is locked to true (leave it out)"
        ]
    );
    assert_eq!(messages(Version::V1_34, "WinDSR=true"), [""; 0]);
    assert_eq!(
        messages(Version::V1_34, "KubeletPSI=false"),
        ["feature gate KubeletPSI has no effect here: Berth does not simulate it ()"]
    );
}

#[test]
fn a_gate_by_name_beats_its_group() {
    let wanted = gates("AllBeta=false,NodeDeclaredFeatures=true");
    let (release, problems) = Release::with_gates(Version::V1_36, &wanted);
    assert!(problems.is_empty());
    assert!(release.is_on(Gate::NodeDeclaredFeatures));
    assert!(!release.is_on(Gate::PodTopologyLabelsAdmission));
    assert!(release.is_on(Gate::ImageVolume), "general availability");
}

#[test]
fn a_flag_is_read_as_kube_scheduler_reads_it() {
    assert_eq!(parse_flag("A"), Err("missing bool value for A".to_owned()));
    let wrong =
        "invalid value of A=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax";
    assert_eq!(parse_flag("A=maybe"), Err(wrong.to_owned()));
    assert_eq!(gates(" A=1 , B=False,").len(), 2);
}
