//! A list as kubectl prints it, read object by object: private text never stays, and memory holds one whole object at a
//! time.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use berth_session::redact_object;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Maximum number of bytes of a list without private text; what `api::load` accepts.
const MAX_BYTES: usize = 256 << 20;

/// A list without private text, one object a line.
pub struct ListWriter<'a> {
    items: String,
    /// Number of its objects.
    pub objects: usize,
    /// What else is done to each object.
    each: &'a mut dyn FnMut(&mut Value),
}

impl<'a> ListWriter<'a> {
    /// An empty list, to each of whose objects something is done besides.
    pub fn new(each: &'a mut dyn FnMut(&mut Value)) -> Self {
        Self {
            items: String::new(),
            objects: 0,
            each,
        }
    }

    /// Adds the objects of a list; whether there is one, and not no text at all.
    ///
    /// # Errors
    /// If it is no JSON list, ends early, or is too large.
    pub fn read(&mut self, reader: impl Read) -> Result<bool, String> {
        let mut reader = BufReader::new(reader);
        if is_blank(&mut reader).map_err(|error| error.to_string())? {
            return Ok(false);
        }
        let mut json = serde_json::Deserializer::from_reader(reader);
        match (List { list: self }).deserialize(&mut json) {
            Ok(()) => json.end().map_err(|error| error.to_string())?,
            Err(error) if error.is_eof() => {
                return Err(format!("ended after {} objects", self.objects));
            }
            Err(error) => return Err(error.to_string()),
        }
        Ok(true)
    }

    /// The whole list as a JSON text.
    pub fn text(&self) -> String {
        let items = &self.items;
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{items}\n]}}\n")
    }

    fn add(&mut self, mut object: Value) {
        redact_object(&mut object);
        (self.each)(&mut object);
        let separator = if self.objects == 0 { "\n" } else { ",\n" };
        self.items.push_str(separator);
        self.items.push_str(&object.to_string());
        self.objects += 1;
    }
}

/// Skips white space; whether there is nothing else.
fn is_blank(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        let blank = bytes.iter().take_while(|it| it.is_ascii_whitespace());
        let (blank, all) = (blank.count(), bytes.len());
        reader.consume(blank);
        if blank < all || all == 0 {
            return Ok(all == 0);
        }
    }
}

/// The object with `items`.
struct List<'a, 'b> {
    list: &'a mut ListWriter<'b>,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "items" => map.next_value_seed(Items { list: self.list })?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Items<'a, 'b> {
    list: &'a mut ListWriter<'b>,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the items of a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let list = self.list;
        while let Some(object) = items.next_element::<Value>()? {
            list.add(object);
            if list.items.len() > MAX_BYTES {
                let most = MAX_BYTES >> 20;
                return Err(A::Error::custom(format!("it is larger than {most} MiB")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::ListWriter;

    const TWO: &str = r#"{"kind": "List", "items": [
        {"kind": "Pod", "metadata": {"name": "a", "uid": "1", "managedFields": [{"manager": "secret"}]}},
        {"kind": "Node", "metadata": {"name": "n", "annotations": {"x": "secret"}}, "later": {"field": [1]}}
    ], "metadata": {"resourceVersion": ""}}"#;

    #[test]
    fn objects_are_kept_without_private_text() {
        let mut names = Vec::new();
        let mut each = |object: &mut Value| names.push(object["metadata"]["name"].clone());
        let mut list = ListWriter::new(&mut each);
        assert_eq!(list.read(TWO.as_bytes()), Ok(true));
        assert_eq!(list.read(TWO.as_bytes()), Ok(true));
        let text = list.text();
        assert_eq!(list.objects, 4);
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains(r#""later":{"field":[1]}"#), "{text}");
        assert_eq!(text.lines().count(), 6);
        let all: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(all["items"].as_array().map(Vec::len), Some(4));
        assert_eq!(names, ["a", "n", "a", "n"]);
    }

    #[test]
    fn a_list_that_ends_early_says_where() {
        let read = |bytes: &[u8]| ListWriter::new(&mut |_| {}).read(bytes);
        assert_eq!(read(b" \n"), Ok(false));
        assert_eq!(read(b""), Ok(false));
        let cut = &TWO.as_bytes()[..200];
        assert_eq!(read(cut), Err("ended after 1 objects".to_owned()));
        let other = read(b"[]").unwrap_err();
        assert!(other.contains("a list of objects"), "{other}");
    }
}
