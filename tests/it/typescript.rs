//! `src/js/types.d.ts` and `src/js/tools.d.ts`: the TypeScript types of what the JavaScript API returns, as serde writes the
//! Rust types, and of what its tools take.
//!
//! They are read from the source, where serde's attributes and the comments are. What is not known here fails.

mod arguments;
mod attributes;
mod declarations;
mod names;
mod source;
mod text;

use std::path::Path;

use declarations::Declarations;
use source::Source;

/// Where the types are.
const SOURCES: [&str; 2] = ["src/js/berth.rs", "crates/protocol/src"];

/// What the API returns: modules and types. Each is followed by the types that it mentions.
const RETURNED: [(&str, &str); 5] = [
    ("berth", "Applied"),
    ("berth", "Version"),
    ("frame", "Frame"),
    ("cycle", "Cycle"),
    ("trace", "Trace"),
];

/// Where the types of the tools' answers are, besides.
const OF_TOOLS: [&str; 7] = [
    "src/report.rs",
    "src/cli/compare",
    "src/cli/explain.rs",
    "src/cli/explain/fixes.rs",
    "src/cli/live.rs",
    "src/cli/reduce.rs",
    "crates/core/src/api/scenario/case.rs",
];

/// What tools answer.
const ANSWERS: [(&str, &str); 5] = [
    ("cluster_word", "ClusterWord"),
    ("explain", "Explained"),
    ("what_if", "Answered"),
    ("reduce", "Written"),
    ("compare", "Comparison"),
];

fn declared(source: &Source, types: &[(&str, &str)]) -> String {
    let mut declarations = Declarations::new(source);
    for (module, name) in types {
        declarations.declare(source.named(module, name));
    }
    declarations.texts.join("\n")
}

#[test]
fn the_types_are_those_that_are_serialized() {
    let mut source = Source::default();
    for path in SOURCES {
        source.read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    }
    let committed = include_str!("../../src/js/types.d.ts");
    let text = declared(&source, &RETURNED);
    crate::snapshot::assert_snapshot("../../src/js/types.d.ts", committed, &text);
}

#[test]
fn the_types_of_tools_are_those_that_are_serialized() {
    let mut source = Source::default();
    for path in SOURCES.iter().chain(&OF_TOOLS) {
        source.read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    }
    let mut declarations = Declarations::new(&source);
    for (module, name) in RETURNED {
        declarations.declare(source.named(module, name));
    }
    // They are in the other file.
    declarations.texts.clear();
    for (module, name) in ANSWERS {
        declarations.declare(source.named(module, name));
    }
    let committed = include_str!("../../src/js/tools.d.ts");
    let arguments = arguments::declared(include_str!("../../src/cli/tools.json"));
    let text = [arguments, declarations.texts].concat().join("\n");
    crate::snapshot::assert_snapshot("../../src/js/tools.d.ts", committed, &text);
}

/// What is told apart: absent and null, fields and variants, one type and several.
const SAMPLE: &str = r#"
/// One of [`Kind`].
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    /// `None` without a clock.
    at_ms: Option<i64>,
    /// A kind; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<Kind>,
    #[serde(skip)]
    hidden: u32,
    pairs: Vec<(String, bool)>,
    by_name: BTreeMap<String, Vec<Option<Shape>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    First,
    /// After it.
    #[serde(rename = "next")]
    Second,
}

#[derive(Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum Shape {
    /// It has sides.
    Square { side: u32 },
    NoShape,
}
"#;

#[test]
fn what_serde_leaves_out_is_optional() {
    let mut source = Source::default();
    source.parse("sample", SAMPLE);
    let want = "\
/** One of `Kind`. */
export interface Sample {
    /** `null` without a clock. */
    atMs: number | null;
    /** A kind; absent if there is none. */
    maybe?: Kind;
    pairs: [string, boolean][];
    byName: Record<string, (Shape | null)[]>;
}

export type Kind =
    | \"first\"
    /** After it. */
    | \"next\";

export type Shape = SquareShape | NoShapeShape;

/** It has sides. */
export interface SquareShape {
    is: \"square\";
    side: number;
}

export interface NoShapeShape {
    is: \"noShape\";
}
";
    assert_eq!(declared(&source, &[("sample", "Sample")]), want);
}

#[test]
#[should_panic(expected = "serde(serialize_with) is not known")]
fn a_serializer_of_its_own_is_refused() {
    let mut source = Source::default();
    let field = "#[serde(serialize_with = \"f\")] at: u32";
    let text = format!("#[derive(Serialize)] struct Sample {{ {field} }}");
    source.parse("sample", &text);
    declared(&source, &[("sample", "Sample")]);
}

#[test]
#[should_panic(expected = "Sample has no Serialize")]
fn a_type_that_serializes_itself_is_refused() {
    let mut source = Source::default();
    source.parse("sample", "struct Sample { at: u32 }");
    declared(&source, &[("sample", "Sample")]);
}
