use super::*;

fn check(text: &str) -> String {
    let loaded = load(&[SourceFile::new("f", text)]);
    loaded.problems.iter().map(|p| format!("{p}\n")).collect()
}

#[test]
fn unknown_field_points_at_its_key() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelecter: {a: b}\n  containers: []\n";
    assert_eq!(
        check(text),
        "f:5:3: warning: spec.nodeSelecter: unknown field \"spec.nodeSelecter\" (did you mean \"nodeSelector\"?)\n"
    );
}
