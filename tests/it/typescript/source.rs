//! The structures and enums of source files.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use syn::{
    Attribute, Fields, GenericArgument, Generics, Item, PathArguments, Type, UseTree, Variant,
};

pub struct Definition {
    pub name: String,
    pub module: String,
    /// Names that its module uses, each with the module that has it.
    uses: Rc<Vec<(String, String)>>,
    pub attributes: Vec<Attribute>,
    pub generics: Generics,
    pub body: Body,
}

pub enum Body {
    Struct(Fields),
    Enum(Vec<Variant>),
}

#[derive(Default)]
pub struct Source(Vec<Definition>);

impl Source {
    /// Reads a file of Rust, or all of them in a folder.
    pub fn read(&mut self, path: &Path) {
        if path.is_dir() {
            let entries = fs::read_dir(path).expect("a folder");
            entries.for_each(|entry| self.read(&entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = path.file_stem().expect("a name").to_string_lossy();
            self.parse(&module, &fs::read_to_string(path).expect("a file"));
        }
    }

    /// Reads the text of a module.
    pub fn parse(&mut self, module: &str, text: &str) {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{module}: {error}"));
        self.add(module, file.items);
    }

    fn add(&mut self, module: &str, items: Vec<Item>) {
        let mut uses = Vec::new();
        for item in &items {
            if let Item::Use(item) = item {
                add_used("", &item.tree, &mut uses);
            }
        }
        let uses = Rc::new(uses);
        for item in items {
            let (name, attributes, generics, body) = match item {
                Item::Struct(item) => {
                    let body = Body::Struct(item.fields);
                    (item.ident, item.attrs, item.generics, body)
                }
                Item::Enum(item) => {
                    let body = Body::Enum(item.variants.into_iter().collect());
                    (item.ident, item.attrs, item.generics, body)
                }
                Item::Mod(item) => {
                    let items = item.content.map(|(_, items)| items);
                    self.add(&item.ident.to_string(), items.unwrap_or_default());
                    continue;
                }
                _ => continue,
            };
            self.0.push(Definition {
                name: name.to_string(),
                module: module.to_owned(),
                uses: Rc::clone(&uses),
                attributes,
                generics,
                body,
            });
        }
    }

    /// What a path means within a definition.
    pub fn find(&self, path: &syn::Path, within: &Definition) -> &Definition {
        let mut names = path.segments.iter().rev().map(|it| it.ident.to_string());
        let name = names.next().unwrap_or_default();
        let used = within.uses.iter().find(|(used, _)| *used == name);
        let from = names.next().or_else(|| used.map(|(_, from)| from.clone()));
        let module = from.as_deref().unwrap_or(&within.module);
        let is_there = |it: &&Definition| it.name == name && it.module == module;
        match self.0.iter().find(is_there) {
            Some(_) => self.named(module, &name),
            // The module exports it again.
            None => self.only(&name, |_| true),
        }
    }

    pub fn named(&self, module: &str, name: &str) -> &Definition {
        self.only(name, |definition| definition.module == module)
    }

    fn only(&self, name: &str, is_meant: impl Fn(&Definition) -> bool) -> &Definition {
        let found = self.0.iter().filter(|it| it.name == name && is_meant(it));
        let found: Vec<&Definition> = found.collect();
        assert_eq!(found.len(), 1, "types {name}");
        found[0]
    }
}

fn add_used(from: &str, tree: &UseTree, uses: &mut Vec<(String, String)>) {
    match tree {
        UseTree::Path(path) => add_used(&path.ident.to_string(), &path.tree, uses),
        UseTree::Name(name) => uses.push((name.ident.to_string(), from.to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|it| add_used(from, it, uses)),
        UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

/// The types between the angle brackets of a path's last name.
pub fn arguments(path: &syn::Path) -> Vec<&Type> {
    let last = path.segments.last().map(|last| &last.arguments);
    let Some(PathArguments::AngleBracketed(brackets)) = last else {
        return Vec::new();
    };
    let types = brackets.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    });
    types.collect()
}
