//! A minimal TypeScript parser that checks JSON values against `types.d.ts`, in both directions:
//! values have nothing that is not declared, and everything declared occurs in some value.
//!
//! It supports interfaces, aliases, unions, literals, lists, `Record<string, …>` and `unknown`. The file may use
//! nothing else.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
enum Type {
    /// `string`, `number`, `boolean`, `null`, `unknown`, an interface or an alias.
    Name(String),
    /// `"bound"`
    Literal(String),
    /// `T[]`
    List(Box<Type>),
    /// `Record<string, T>`
    Record(Box<Type>),
    Union(Vec<Type>),
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    optional: bool,
    of: Type,
}

/// The declarations of a file, and the places that have occurred in values.
#[derive(Debug, Default)]
pub struct Declarations {
    interfaces: BTreeMap<String, Vec<Field>>,
    aliases: BTreeMap<String, Type>,
    /// Places such as `PodFrame.node` and `PodFrame.node: null`.
    seen: BTreeSet<String>,
}

impl Declarations {
    /// Reads a file.
    pub fn new(text: &str) -> Self {
        let mut tokens = Tokens::new(text);
        let mut declarations = Self::default();
        while !tokens.at_end() {
            tokens.expect("export");
            match tokens.next().as_str() {
                "interface" => declarations.interface(&mut tokens),
                "type" => {
                    let name = tokens.next();
                    tokens.expect("=");
                    let of = tokens.union();
                    tokens.expect(";");
                    declarations.aliases.insert(name, of);
                }
                other => panic!("export {other}?"),
            }
        }
        // The interfaces that an interface extends may be declared before or after it.
        let bare = declarations.interfaces.clone();
        for fields in declarations.interfaces.values_mut() {
            while let Some(at) = fields.iter().position(|field| field.name == "extends") {
                let Type::Name(base) = fields.remove(at).of else {
                    panic!("extends a name")
                };
                fields.extend(bare[&base].iter().cloned());
            }
        }
        declarations
    }

    fn interface(&mut self, tokens: &mut Tokens) {
        let name = tokens.next();
        let mut fields = Vec::new();
        if tokens.take("extends") {
            let of = Type::Name(tokens.next());
            let name = "extends".to_owned();
            fields.push(Field {
                name,
                optional: false,
                of,
            });
        }
        tokens.expect("{");
        while !tokens.take("}") {
            let name = tokens.next();
            let optional = tokens.take("?");
            tokens.expect(":");
            let of = tokens.union();
            tokens.expect(";");
            fields.push(Field { name, optional, of });
        }
        self.interfaces.insert(name, fields);
    }

    /// Panics if the value is not of the type with this name.
    pub fn check(&mut self, name: &str, value: &Value) {
        if let Err(problem) = self.visit(value, &Type::Name(name.to_owned()), name) {
            panic!("not a {name}: {problem}\n{value}");
        }
    }

    /// The places reachable from these types that have not occurred in any value.
    pub fn unseen(&self, roots: &[&str]) -> Vec<String> {
        let mut all = BTreeSet::new();
        for root in roots {
            self.places(&Type::Name((*root).to_owned()), root, &mut all);
        }
        all.difference(&self.seen).cloned().collect()
    }

    /// `place` names the type's place: `PodFrame.node`, or the alias's name.
    fn visit(&mut self, value: &Value, of: &Type, place: &str) -> Result<(), String> {
        if !self.matches(value, of) {
            // Descend to the innermost difference, which is the most specific.
            if let (Type::Name(name), Value::Object(_)) = (of, value)
                && self.interfaces.contains_key(name)
            {
                return self.visit_fields(value, name);
            }
            if !matches!((of, value), (Type::List(_), Value::Array(_))) {
                return Err(format!("{place} is {value}, not {of:?}"));
            }
        }
        match of {
            Type::Name(name) if self.interfaces.contains_key(name) => {
                self.visit_fields(value, name)
            }
            Type::Name(name) => match self.aliases.get(name).cloned() {
                Some(alias) => self.visit(value, &alias, name),
                None => Ok(()),
            },
            Type::Literal(_) => Ok(()),
            Type::List(inner) => {
                let place = format!("{place}[]");
                for item in value.as_array().into_iter().flatten() {
                    self.seen.insert(place.clone());
                    self.visit(item, inner, &place)?;
                }
                Ok(())
            }
            Type::Record(inner) => {
                let place = format!("{place}{{}}");
                for (_, item) in value.as_object().into_iter().flatten() {
                    self.seen.insert(place.clone());
                    self.visit(item, inner, &place)?;
                }
                Ok(())
            }
            Type::Union(members) => {
                let fits = members.iter().find(|member| self.matches(value, member));
                let member = fits.ok_or("no member fits")?;
                self.seen.insert(format!("{place}: {member:?}"));
                self.visit(value, &member.clone(), place)
            }
        }
    }

    fn visit_fields(&mut self, value: &Value, interface: &str) -> Result<(), String> {
        let object = value.as_object().ok_or("no object")?;
        let fields = self.interfaces[interface].clone();
        if let Some(key) = object
            .keys()
            .find(|key| fields.iter().all(|field| field.name != **key))
        {
            return Err(format!("{interface}.{key} is not declared"));
        }
        for field in &fields {
            let place = format!("{interface}.{}", field.name);
            match object.get(&field.name) {
                Some(value) => {
                    self.visit(value, &field.of, &place)?;
                    self.seen.insert(place);
                }
                None if field.optional => {
                    self.seen.insert(format!("{place}: absent"));
                }
                None => return Err(format!("{place} is missing")),
            }
        }
        Ok(())
    }

    fn matches(&self, value: &Value, of: &Type) -> bool {
        match of {
            Type::Literal(text) => value.as_str() == Some(text),
            Type::List(inner) => value
                .as_array()
                .is_some_and(|list| list.iter().all(|item| self.matches(item, inner))),
            Type::Record(inner) => value
                .as_object()
                .is_some_and(|object| object.values().all(|item| self.matches(item, inner))),
            Type::Union(members) => members.iter().any(|member| self.matches(value, member)),
            Type::Name(name) => match name.as_str() {
                "string" => value.is_string(),
                "number" => value.is_number(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "unknown" => true,
                _ => match (self.interfaces.get(name), self.aliases.get(name)) {
                    (Some(fields), _) => self.has_fields(value, fields),
                    (_, Some(alias)) => self.matches(value, alias),
                    _ => panic!("{name} is not declared"),
                },
            },
        }
    }

    fn has_fields(&self, value: &Value, fields: &[Field]) -> bool {
        let Some(object) = value.as_object() else {
            return false;
        };
        let declared = |key: &String| fields.iter().any(|field| field.name == *key);
        object.keys().all(declared)
            && fields.iter().all(|field| match object.get(&field.name) {
                Some(value) => self.matches(value, &field.of),
                None => field.optional,
            })
    }

    fn places(&self, of: &Type, place: &str, all: &mut BTreeSet<String>) {
        match of {
            Type::Literal(_) => {}
            Type::List(inner) | Type::Record(inner) => {
                let ending = if matches!(of, Type::List(_)) {
                    "[]"
                } else {
                    "{}"
                };
                let place = format!("{place}{ending}");
                self.places(inner, &place, all);
                all.insert(place);
            }
            Type::Union(members) => {
                for member in members {
                    all.insert(format!("{place}: {member:?}"));
                    self.places(member, place, all);
                }
            }
            Type::Name(name) => {
                if let Some(alias) = self.aliases.get(name) {
                    return self.places(alias, name, all);
                }
                for field in self.interfaces.get(name).into_iter().flatten() {
                    let place = format!("{name}.{}", field.name);
                    if field.optional {
                        all.insert(format!("{place}: absent"));
                    }
                    // No type contains itself, so this ends.
                    self.places(&field.of, &place, all);
                    all.insert(place);
                }
            }
        }
    }
}

/// Words, quoted strings and single characters, without comments.
struct Tokens(std::iter::Peekable<std::vec::IntoIter<String>>);

impl Tokens {
    fn new(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let end = if rest.starts_with("/*") {
                rest.find("*/").expect("a comment's end") + 2
            } else if first == '"' {
                rest[1..].find('"').expect("a text's end") + 2
            } else if first.is_alphanumeric() {
                rest.find(|c: char| !c.is_alphanumeric())
                    .unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            if !rest.starts_with("/*") {
                tokens.push(rest[..end].to_owned());
            }
            rest = rest[end..].trim_start();
        }
        Self(tokens.into_iter().peekable())
    }

    fn at_end(&mut self) -> bool {
        self.0.peek().is_none()
    }

    fn next(&mut self) -> String {
        self.0.next().expect("more")
    }

    fn take(&mut self, token: &str) -> bool {
        self.0.next_if(|next| next == token).is_some()
    }

    fn expect(&mut self, token: &str) {
        let next = self.next();
        assert_eq!(next, token);
    }

    fn union(&mut self) -> Type {
        self.take("|");
        let mut members = vec![self.member()];
        while self.take("|") {
            members.push(self.member());
        }
        match members.len() {
            1 => members.remove(0),
            _ => Type::Union(members),
        }
    }

    fn member(&mut self) -> Type {
        let word = self.next();
        let mut of = match word.strip_prefix('"') {
            Some(text) => Type::Literal(text.trim_end_matches('"').to_owned()),
            None if word == "Record" => {
                for token in ["<", "string", ","] {
                    self.expect(token);
                }
                let inner = self.union();
                self.expect(">");
                Type::Record(Box::new(inner))
            }
            None => Type::Name(word),
        };
        while self.take("[") {
            self.expect("]");
            of = Type::List(Box::new(of));
        }
        of
    }
}
