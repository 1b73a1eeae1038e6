//! The declarations of what serde writes of Rust types.

use std::collections::BTreeMap;

use syn::{Fields, Type, Variant};

use super::attributes::{comment, is_serialized, json_name, serde_of};
use super::names;
use super::source::{Body, Definition, Source, arguments};
use super::text::{Member, in_comment, interface, union};

/// The structure that is written in place of a field that a module serializes.
const WRITTEN: &str = "Written";

/// Declarations, each followed by those of the types that it mentions.
pub struct Declarations<'a> {
    source: &'a Source,
    /// Their names for scripts, each with its module.
    declared: BTreeMap<&'a str, &'a str>,
    mentioned: Vec<&'a Definition>,
    pub texts: Vec<String>,
}

/// Variants with the same fields.
struct Shape {
    name: String,
    variants: Vec<Member>,
    fields: String,
}

impl<'a> Declarations<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self {
            source,
            declared: BTreeMap::new(),
            mentioned: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// Declares a type and what it mentions, unless it is declared.
    pub fn declare(&mut self, of: &'a Definition) {
        if let Some(module) = self.declared.insert(names::of_type(of), &of.module) {
            assert_eq!(module, of.module, "two types {}", of.name);
            return;
        }
        assert!(
            is_serialized(&of.attributes),
            "{} has no Serialize",
            of.name
        );
        match &of.body {
            Body::Struct(fields) => self.structure(of, fields),
            Body::Enum(variants) => self.choice(of, variants),
        }
        for mentioned in std::mem::take(&mut self.mentioned) {
            self.declare(mentioned);
        }
    }

    fn structure(&mut self, of: &'a Definition, fields: &'a Fields) {
        let name = names::of_type(of);
        let attributes = &of.attributes;
        let own = self.fields(of, serde_of(attributes).get("rename_all"), fields);
        let about = comment(attributes, false);
        let Some(flat) = self.flattened(of, fields) else {
            return self.texts.push(interface(&about, name, &own));
        };
        if let Body::Struct(_) = flat.body {
            self.mentioned.push(flat);
            let head = format!("{name} extends {}", names::of_type(flat));
            return self.texts.push(interface(&about, &head, &own));
        }
        let base = names::of_base(name);
        self.tagged(flat, name, &format!(" extends {base}"));
        let about = vec![format!("What every `{name}` has.")];
        self.texts.push(interface(&about, &base, &own));
    }

    /// The structure or enum whose fields a structure writes beside its own.
    fn flattened(&self, of: &'a Definition, fields: &'a Fields) -> Option<&'a Definition> {
        let field = fields.iter().find(|field| {
            let serde = serde_of(&field.attrs);
            serde.contains_key("flatten") && !serde.contains_key("with")
        });
        let field = match &field?.ty {
            Type::Reference(reference) => &*reference.elem,
            other => other,
        };
        let Type::Path(path) = field else {
            panic!("{} flattens no path", of.name);
        };
        let mut parameters = of.generics.type_params();
        let parameter = parameters.find(|parameter| path.path.is_ident(&parameter.ident));
        match parameter.and_then(|parameter| parameter.default.as_ref()) {
            Some((_, Type::Path(default))) => Some(self.source.find(&default.path, of)),
            _ => Some(self.source.find(&path.path, of)),
        }
    }

    fn choice(&mut self, of: &'a Definition, variants: &'a [Variant]) {
        let name = names::of_type(of);
        let serde = serde_of(&of.attributes);
        if serde.contains_key("tag") {
            return self.tagged(of, name, "");
        }
        let about = comment(&of.attributes, false);
        let rule = serde.get("rename_all");
        let is_unit = |variant: &Variant| matches!(variant.fields, Fields::Unit);
        let is_value = |variant: &Variant| matches!(variant.fields, Fields::Unnamed(_));
        let text = if variants.iter().all(is_unit) {
            let literals: Vec<Member> = variants.iter().map(|it| literal(it, rule)).collect();
            in_comment("", &about) + &union("", &format!("export type {name} ="), &literals)
        } else if variants.iter().all(is_value) && !serde.contains_key("untagged") {
            // Scripts read the fields of all variants, of which one is there.
            let fields = variants.iter().map(|it| self.value(of, it, rule));
            let fields: String = fields.collect();
            interface(&about, name, &fields)
        } else {
            let members = variants.iter().map(|it| self.member(of, it, &serde));
            let members: Vec<Member> = members.collect();
            in_comment("", &about) + &union("", &format!("export type {name} ="), &members)
        };
        self.texts.push(text);
    }

    /// A variant as a member of a union: its name, an object whose only field it is, or, untagged, its value.
    fn member(
        &mut self,
        of: &'a Definition,
        variant: &'a Variant,
        serde: &BTreeMap<String, String>,
    ) -> Member {
        let (about, name) = literal(variant, serde.get("rename_all"));
        let value = match &variant.fields {
            Fields::Unit => return (about, name),
            Fields::Unnamed(fields) => self.of(of, &fields.unnamed[0].ty),
            Fields::Named(_) => {
                let fields = self.fields(of, serde.get("rename_all_fields"), &variant.fields);
                // On one line, without comments.
                let lines = fields.lines().map(str::trim);
                let lines = lines.filter(|line| !line.starts_with(['/', '*']));
                let fields: Vec<&str> = lines.collect();
                format!("{{ {} }}", fields.join(" ").trim_end_matches(';'))
            }
        };
        match serde.contains_key("untagged") {
            true => (about, value),
            false => (about, format!("{{ {}: {value} }}", name.trim_matches('"'))),
        }
    }

    /// A variant with one value, which is written as an object with one field.
    fn value(&mut self, of: &'a Definition, variant: &'a Variant, rule: Option<&String>) -> String {
        let mut values = variant.fields.iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            panic!("{}::{} has not one value", of.name, variant.ident);
        };
        let name = json_name(&variant.attrs, &variant.ident.to_string(), rule);
        let about = in_comment("    ", &comment(&variant.attrs, true));
        format!("{about}    {name}?: {};\n", self.of(of, &value.ty))
    }

    /// An enum whose variants' names are written beside their fields.
    fn tagged(&mut self, of: &'a Definition, name: &str, extends: &str) {
        let Body::Enum(variants) = &of.body else {
            panic!("{} is no enum", of.name);
        };
        let serde = serde_of(&of.attributes);
        let mut shapes: Vec<Shape> = Vec::new();
        for variant in variants {
            let rule = serde_of(&variant.attrs);
            let fields = self.fields(of, rule.get("rename_all"), &variant.fields);
            let name = names::of_variant(name, &variant.ident.to_string());
            let literal = literal(variant, serde.get("rename_all"));
            match shapes.iter_mut().find(|shape| shape.name == name) {
                Some(shape) => {
                    assert_eq!(shape.fields, fields, "variants of {name}");
                    shape.variants.push(literal);
                }
                None => shapes.push(Shape {
                    name,
                    variants: vec![literal],
                    fields,
                }),
            }
        }
        let members = shapes.iter().map(|shape| (Vec::new(), shape.name.clone()));
        let members: Vec<Member> = members.collect();
        let about = in_comment("", &comment(&of.attributes, false));
        let union = union("", &format!("export type {name} ="), &members);
        self.texts.push(about + &union);
        let shapes = shapes.into_iter();
        let tag = &serde["tag"];
        self.texts
            .extend(shapes.map(|shape| shape.interface(tag, extends)));
    }

    /// The fields of a structure or variant, but for the flattened enum.
    fn fields(&mut self, of: &'a Definition, rule: Option<&String>, fields: &'a Fields) -> String {
        let mut text = String::new();
        for field in fields {
            let serde = serde_of(&field.attrs);
            let name = field.ident.as_ref().expect("fields have names").to_string();
            if serde.contains_key("skip") || !names::is_returned(&of.name, &name) {
                continue;
            }
            if let Some(writer) = serde.get("with") {
                assert!(serde.contains_key("flatten"), "{writer} writes no fields");
                let module = writer.rsplit("::").next().unwrap_or(writer);
                let written = self.source.named(module, WRITTEN);
                let Body::Struct(fields) = &written.body else {
                    panic!("{writer} writes no structure");
                };
                text += &self.fields(written, None, fields);
                continue;
            }
            if serde.contains_key("flatten") {
                continue;
            }
            let is_optional = serde.contains_key("skip_serializing_if");
            let of = match &field.ty {
                Type::Path(path) if is_optional && is_option(&path.path) => {
                    self.of(of, arguments(&path.path)[0])
                }
                other => self.of(of, other),
            };
            let name = json_name(&field.attrs, &name, rule);
            let mark = if is_optional { "?" } else { "" };
            text += &in_comment("    ", &comment(&field.attrs, is_optional));
            text += &format!("    {name}{mark}: {of};\n");
        }
        text
    }

    /// A type within a definition.
    fn of(&mut self, within: &'a Definition, of: &'a Type) -> String {
        match of {
            Type::Reference(reference) => self.of(within, &reference.elem),
            Type::Slice(slice) => list(&self.of(within, &slice.elem)),
            Type::Tuple(tuple) => {
                let items: Vec<String> = tuple.elems.iter().map(|it| self.of(within, it)).collect();
                format!("[{}]", items.join(", "))
            }
            Type::Path(path) => self.of_path(within, &path.path),
            _ => panic!("{} has a type that is not known", within.name),
        }
    }

    fn of_path(&mut self, within: &'a Definition, path: &'a syn::Path) -> String {
        let inner: Vec<String> = arguments(path)
            .into_iter()
            .map(|it| self.of(within, it))
            .collect();
        let name = path.segments.last().map(|last| last.ident.to_string());
        match (name.unwrap_or_default().as_str(), &inner[..]) {
            ("String" | "str" | "Remark" | "Judgement", []) => "string".to_owned(),
            ("bool", []) => "boolean".to_owned(),
            ("i32" | "u32" | "i64" | "u64" | "usize" | "f64", []) => "number".to_owned(),
            // JSON of any shape.
            ("Value", []) => "unknown".to_owned(),
            ("Box" | "Rc", [inner]) => inner.clone(),
            ("Option", [inner]) => format!("{inner} | null"),
            ("Vec", [inner]) => list(inner),
            ("BTreeMap" | "Named", [.., inner]) => format!("Record<string, {inner}>"),
            _ => {
                let mentioned = self.source.find(path, within);
                self.mentioned.push(mentioned);
                names::of_type(mentioned).to_owned()
            }
        }
    }
}

impl Shape {
    fn interface(mut self, tag: &str, extends: &str) -> String {
        // What its only variant means is what the interface means.
        let about = match &mut self.variants[..] {
            [(about, _)] => std::mem::take(about),
            _ => Vec::new(),
        };
        let tag = union("    ", &format!("{tag}:"), &self.variants);
        interface(
            &about,
            &format!("{}{extends}", self.name),
            &(tag + &self.fields),
        )
    }
}

fn literal(variant: &Variant, rule: Option<&String>) -> Member {
    let name = json_name(&variant.attrs, &variant.ident.to_string(), rule);
    (comment(&variant.attrs, false), format!("{name:?}"))
}

fn list(of: &str) -> String {
    match of.contains(" | ") {
        true => format!("({of})[]"),
        false => format!("{of}[]"),
    }
}

fn is_option(path: &syn::Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Option")
}
