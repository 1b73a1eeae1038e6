//! Templates from the documentation, and errors.

use serde_json::{Value, json};

use super::{Template, relaxed};

fn pods() -> Value {
    json!({
        "kind": "List",
        "items": [
            {
                "metadata": {"name": "a", "labels": {"kubernetes.io/hostname": "n1"}},
                "spec": {"containers": [{"name": "c1", "image": "nginx"}, {"name": "c2"}]},
                "status": {"conditions": [
                    {"type": "Ready", "status": "True"},
                    {"type": "Initialized", "status": "False"},
                ]},
                "n": 3,
            },
            {"metadata": {"name": "b"}, "spec": {"containers": []}, "n": 5.5},
        ],
    })
}

fn check(template: &str, expected: &str) {
    let template = Template::parse(template).unwrap_or_else(|why| panic!("{template}: {why}"));
    assert_eq!(template.print(&pods()).as_deref(), Ok(expected));
}

#[test]
fn fields_indexes_and_slices() {
    check("{.kind}", "List");
    check("kind={.kind}!", "kind=List!");
    check("{.items[*].metadata.name}", "a b");
    check("{.items[0].metadata.name}", "a");
    check("{.items[-1].metadata.name}", "b");
    check("{.items[0:1].metadata.name}", "a");
    check("{.items[::2].metadata.name}", "a");
    check("{$.items[*].n}", "3 5.5");
    check("{.items[0].nothing.at.all}", "");
    check("{['kind']}", "List");
    check("{.items[0]['metadata.name', 'n']}", "3");
    check("{.items[0].metadata.labels.kubernetes\\.io/hostname}", "n1");
    check(
        "{.items[0].metadata.labels['kubernetes.io/hostname']}",
        "n1",
    );
    check("{.items[0,1].metadata.name}", "a b");
    check(
        "{.items[0].metadata.*}",
        "{\"kubernetes.io/hostname\":\"n1\"} a",
    );
}

#[test]
fn ranges_print_their_body_for_each() {
    check(
        "{range .items[*]}{.metadata.name}{\"\\t\"}{.n}{\"\\n\"}{end}done",
        "a\t3\nb\t5.5\ndone",
    );
    check(
        "{range .items[*]}{range .spec.containers[*]}{.name}{','}{end}{';'}{end}",
        "c1,c2,;;",
    );
}

#[test]
fn filters_compare_one_value() {
    check("{.items[?(@.metadata.name==\"b\")].n}", "5.5");
    check("{.items[?(@.metadata.name != 'b')].n}", "3");
    check("{.items[?(@.n > 3)].metadata.name}", "b");
    check("{.items[?(@.n<=3)].metadata.name}", "a");
    check("{.items[?(@.status)].metadata.name}", "a");
    check(
        "{.items[*].status.conditions[?(@.type==\"Ready\")].status}",
        "True",
    );
}

#[test]
fn two_dots_descend_to_every_depth() {
    check("{..image}", "nginx");
    check("{..name}", "a c1 c2 b");
}

#[test]
fn invalid_templates_are_rejected() {
    for (template, error) in [
        ("{.items", "unclosed action"),
        ("{.items[0}", "unterminated array"),
        ("{.items[a]}", "invalid array index a"),
        (
            "{.items[?(@.a==1]}",
            "unrecognized character in action: U+005D ']'",
        ),
        ("{#}", "unrecognized character in action: U+0023 '#'"),
        ("{end}", "not in range, nothing to end"),
        ("{foo}", "unrecognized identifier foo"),
        ("{\"a}", "unterminated quoted string"),
    ] {
        assert_eq!(
            Template::parse(template),
            Err(error.to_owned()),
            "{template}"
        );
    }
}

#[test]
fn evaluation_errors_match_client_go() {
    for (template, error) in [
        (
            "{.items[7]}",
            "array index out of bounds: index 7, length 2",
        ),
        ("{.kind[0]}", "string is not array or slice"),
        (
            "{.items[?(@.n==\"3\")]}",
            "incompatible types for comparison",
        ),
    ] {
        let parsed = Template::parse(template).expect("it can be read");
        assert_eq!(parsed.print(&pods()), Err(error.to_owned()), "{template}");
    }
}

#[test]
fn paths_of_columns_need_no_braces() {
    assert_eq!(relaxed(".metadata.name").as_deref(), Ok("{.metadata.name}"));
    assert_eq!(relaxed("metadata.name").as_deref(), Ok("{.metadata.name}"));
    assert_eq!(relaxed("{.a[*].b}").as_deref(), Ok("{.a[*].b}"));
    assert!(relaxed("{.a").is_err());
}
