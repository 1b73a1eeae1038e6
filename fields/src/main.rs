//! Prints the fields of every kind that Berth reads, as compact JSON:
//!
//! ```json
//! {"kinds": {"v1/Pod": "Pod"},
//!  "enums": {"PodSpec.dnsPolicy": "ClusterFirst,Default"},
//!  "types": {"Pod": {"": "What a Pod is.", "spec": "PodSpec|What is wanted."}}}
//! ```
//!
//! A field is `TYPE|DESCRIPTION`. TYPE starts with `!` if the field is required, and is a name,
//! `[]TYPE` for a list or `{}TYPE` for a map of names to values. Types that are not listed are
//! scalars. Descriptions are Kubernetes' own: cut after the first sentences for the editor, and with the argument
//! `whole` as they are, with what enum values mean, for `kubectl explain`.

mod describe;
mod enums;
#[path = "../../crates/core/src/api/kinds/table.rs"]
mod table;
mod types;

use k8s_openapi::Resource;
use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// How much of the descriptions is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Brief,
    Whole,
}

/// The kinds asked for so far, and the types that they reach.
#[derive(Default)]
struct Kinds {
    names: Map<String, Value>,
    generator: SchemaGenerator,
}

impl Kinds {
    fn add<K: Resource + JsonSchema>(mut self) -> Self {
        self.generator.subschema_for::<K>();
        let id = format!("{}/{}", K::API_VERSION, K::KIND);
        self.names
            .insert(id, types::short(&K::schema_name()).into());
        self
    }
}

macro_rules! kinds {
    ($($kind:ident ($group:ident::$version:ident) {$($rest:tt)*})*) => {
        /// The kinds that Berth reads.
        fn kinds() -> Kinds {
            Kinds::default()
                $(.add::<table::groups::$group::$version::$kind>())*
        }
    };
}

for_each_kind!(kinds);

/// One type a line, so that a change is seen as one.
fn print(
    kinds: &Map<String, Value>,
    types: &Map<String, Value>,
    detail: Detail,
) -> Result<(), String> {
    let enums = Value::from(enums::enums(types, detail == Detail::Brief)?);
    let lines: Vec<String> = types
        .iter()
        .map(|(name, fields)| format!("{}:{fields}", Value::from(name.as_str())))
        .collect();
    let kinds = Value::from(kinds.clone());
    println!(
        "{{\"kinds\":{kinds},\n\"enums\":{enums},\n\"types\":{{\n{}\n}}}}",
        lines.join(",\n")
    );
    Ok(())
}

fn main() {
    let detail = match std::env::args().nth(1).as_deref() {
        Some("whole") => Detail::Whole,
        _ => Detail::Brief,
    };
    let mut kinds = kinds();
    let definitions = kinds.generator.take_definitions(true);
    let printed =
        types::types(&definitions, detail).and_then(|types| print(&kinds.names, &types, detail));
    if let Err(reason) = printed {
        eprintln!("error: {reason}");
        std::process::exit(1);
    }
}
