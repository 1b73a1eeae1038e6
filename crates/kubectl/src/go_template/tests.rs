use serde_json::json;

use super::*;

fn object() -> Value {
    json!({
        "kind": "List",
        "data": {"k": "aHVudGVyMg==", "a.b": "x"},
        "empty": [],
        "big": 5_000_000, "half": 0.5,
        "items": [
            {"name": "a", "n": 3, "off": true, "c": [{"i": "x"}, {"i": "y"}]},
            {"name": "b", "n": 5, "c": []},
        ],
    })
}

#[track_caller]
fn all_print(cases: &[(&str, &str)]) {
    for (template, expected) in cases {
        let parsed = GoTemplate::parse(template).unwrap_or_else(|why| panic!("{template}: {why}"));
        assert_eq!(
            parsed.print(&object()).as_deref(),
            Ok(*expected),
            "{template}"
        );
    }
}

#[test]
fn fields_and_ranges() {
    all_print(&[
        (
            "{{.kind}}: {{.nothing}} {{.no.deeper}}",
            "List: <no value> <no value>",
        ),
        (
            "{{range .items}}{{.name}} {{.n}}{{\"\\n\"}}{{end}}",
            "a 3\nb 5\n",
        ),
        (
            "{{range .items}} {{- range .c -}} {{.i}} {{end}}{{end}}",
            "x y ",
        ),
        (
            "{{range $k, $v := .data}}{{$k}}={{$v}};{{end}}",
            "a.b=x;k=aHVudGVyMg==;",
        ),
        ("{{range $i, $_ := .items}}{{$i}}{{end}}", "01"),
        ("{{range .empty}}x{{else}}none{{end}}", "none"),
        ("{{range .nothing}}x{{else}}none{{end}}", "none"),
        (
            "{{range .items}}{{if .off}}{{continue}}{{end}}{{.name}}{{break}}{{end}}",
            "b",
        ),
        ("{{range 3}}{{.}}{{end}}", "012"),
        ("{{/* a comment */}}a{{- /* another */ -}} b", "ab"),
        (
            "{{.data}} {{(index .items 0).c}}",
            "map[a.b:x k:aHVudGVyMg==] [map[i:x] map[i:y]]",
        ),
        ("{{.big}} {{.half}}", "5000000 0.5"),
    ]);
}

#[test]
fn conditions_variables_and_pipes() {
    all_print(&[
        (
            "{{range .items}}{{.name}} {{if .off}}off{{else}}on{{end}};{{end}}",
            "a off;b on;",
        ),
        (
            "{{if eq .kind \"Pod\"}}1{{else if ne .kind \"List\"}}2{{else}}3{{end}}",
            "3",
        ),
        (
            "{{with .nothing}}{{.}}{{else with .kind}}{{.}}{{end}}",
            "List",
        ),
        ("{{$x := 0}}{{range .items}}{{$x = .n}}{{end}}{{$x}}", "5"),
        (
            "{{$n := len .items}}{{if and (gt $n 1) (not .nothing)}}{{$n}}{{end}}",
            "2",
        ),
        (
            "{{or .nothing .kind}} {{and .kind .nothing}}",
            "List <no value>",
        ),
        ("{{.data.k | base64decode | printf \"%s!\"}}", "hunter2!"),
        (
            "{{range .items}}{{if le .n 3}}{{.name}}{{end}}{{$.kind}}{{end}}",
            "aListList",
        ),
        (
            "{{eq .nothing nil}} {{eq .kind .nothing}} {{exists .data \"k\"}} {{exists . \"x\" \"y\"}}",
            "true false true false",
        ),
    ]);
}

#[test]
fn functions() {
    all_print(&[
        (
            "{{index .items 1 \"n\"}} {{index .data \"a.b\"}} {{index .data \"no\"}}",
            "5 x <no value>",
        ),
        ("{{len .kind}} {{len .data}} {{slice .kind 1 3}}", "4 2 is"),
        (
            "{{print 1 2 \"a\" \"b\" 3}} {{println .kind 1}}",
            "1 2ab3 List 1\n",
        ),
        (
            "{{printf \"%-5s|%5d|%05d|%.2f|%q|%v|%t|%x|%%\" .kind 3 -7 .half .kind .empty true 255}}",
            "List |    3|-0007|0.50|\"List\"|[]|true|ff|%",
        ),
        (
            "{{printf \"%d %s %z\" .kind .big 1}} {{printf \"%s\"}} {{printf \"\" 1}}",
            "%!d(string=List) %!s(int64=5000000) %!z(int64=1) %!s(MISSING) %!(EXTRA int64=1)",
        ),
        (
            "{{\"a b&c\" | urlquery}} {{`raw\\n`}} {{\"\\u00e9\\x41\"}}",
            "a+b%26c raw\\n éA",
        ),
    ]);
}

#[test]
fn templates_that_cannot_be_read() {
    for (template, error) in [
        ("{{.kind", "template: output:1: unclosed action"),
        ("\n{{end}}", "template: output:2: unexpected {{end}}"),
        ("{{range .items}}", "template: output:1: unexpected EOF"),
        ("{{if}}{{end}}", "template: output:1: missing value for if"),
        (
            "{{foo .items}}",
            "template: output:1: function \"foo\" not defined",
        ),
        ("{{$x}}", "template: output:1: undefined variable \"$x\""),
        ("{{(len .a}}", "template: output:1: unclosed left paren"),
        ("{{\"a}}", "template: output:1: unterminated quoted string"),
        (
            "{{break}}",
            "template: output:1: {{break}} outside {{range}}",
        ),
        (
            "{{template \"x\"}}",
            "template: output:1: {{template}} is not simulated here",
        ),
        (
            "{{html .a}}",
            "template: output:1: function \"html\" is not simulated here",
        ),
    ] {
        assert_eq!(
            GoTemplate::parse(template).err().as_deref(),
            Some(error),
            "{template}"
        );
    }
    let deep = "{{if .a}}".repeat(100);
    assert!(GoTemplate::parse(&deep).is_err());
    assert!(GoTemplate::parse(&format!("{{{{{}", "(".repeat(100_000))).is_err());
}

#[test]
fn values_that_cannot_be_evaluated() {
    for (template, error) in [
        (
            "{{.kind.x}}",
            "1:2: executing \"output\" at <.kind.x>: can't evaluate field x in type interface {}",
        ),
        (
            "a\n{{eq .kind 1}}",
            "2:2: executing \"output\" at <eq>: error calling eq: incompatible types for comparison",
        ),
        (
            "{{index .items 9}}",
            "1:2: executing \"output\" at <index>: error calling index: index out of range: 9",
        ),
        (
            "{{len}}",
            "1:2: executing \"output\" at <len>: wrong number of args for len: want 1 got 0",
        ),
        (
            "{{range .kind}}{{end}}",
            "1:8: executing \"output\" at <.kind>: range can't iterate over List",
        ),
        (
            "{{.nothing | base64decode}}",
            "1:13: executing \"output\" at <base64decode>: invalid value; expected string",
        ),
    ] {
        let parsed = GoTemplate::parse(template).unwrap_or_else(|why| panic!("{template}: {why}"));
        let expected = format!("template: output:{error}");
        assert_eq!(parsed.print(&object()), Err(expected), "{template}");
    }
    let endless = GoTemplate::parse("{{range 100000000}}{{range 100000000}}x{{end}}{{end}}")
        .expect("it is read");
    assert!(endless.print(&object()).is_err());
}
