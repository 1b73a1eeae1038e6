//! The gallery of examples: an index, pictures, and one file per example, published beside the page.

use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::ui::files::{fetch, fetch_translation, known, translation_of};
use crate::ui::store::{Action, EditAction, Example, PageAction, Picture};
use crate::words;

const INDEX: &str = "./scenarios/index.json";
const PICTURES: &str = "./scenarios/pictures.json";

/// The field with the sides that an example compares, and the line in it that names a side.
const COMPARE: &str = "compare";
const SIDE_NAME: &str = "    name:";

/// The example of the first visit.
const DEFAULT: &str = "default";
const DEFAULT_SCENARIO: &str = include_str!("../../../../www/scenarios/default.yaml");

/// Fetches the index and the pictures.
pub fn list(act: Callback<Action>) {
    spawn_local(async move {
        let examples = fetch_list().await;
        act.emit(Action::Page(PageAction::Examples(examples)));
    });
}

/// The examples with their pictures; `None` if the index cannot be fetched.
pub async fn fetch_list() -> Option<Vec<Example>> {
    let index = match fetch_translation(INDEX).await {
        Some(index) => index,
        None => fetch(INDEX).await?,
    };
    let mut examples: Vec<Example> = serde_json::from_str(&index).ok()?;
    let pictures = fetch(PICTURES).await.unwrap_or_default();
    let pictures: Vec<Picture> = serde_json::from_str(&pictures).unwrap_or_default();
    for example in &mut examples {
        let mut pictures = pictures.iter();
        let picture = pictures.find(|picture| picture.slug == example.slug);
        example.picture = picture.cloned();
    }
    Some(examples)
}

/// The text of an example.
pub async fn fetch_text(slug: &str) -> Option<String> {
    let is_plain = slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_plain {
        return None;
    }
    let address = address(slug);
    let text = fetch(&address).await?;
    let texts = fetch_translation(&address).await;
    Some(texts.map_or(text.clone(), |texts| with_texts(&text, &texts)))
}

/// The first visit's example; its texts in another language were fetched before ([`fetch_texts`]).
pub fn default_text() -> String {
    let texts = translation_of(&address(DEFAULT)).and_then(|address| known(&address));
    texts.map_or_else(
        || DEFAULT_SCENARIO.to_owned(),
        |texts| with_texts(DEFAULT_SCENARIO, &texts),
    )
}

/// Whether a text has the manifests of the first visit's example; `tests/it/examples.rs` holds that they are valid. So a
/// first visit needs no validation: that comes with the lazy module.
pub fn is_default(text: &str) -> bool {
    fn objects(text: &str) -> Option<&str> {
        text.find("\n---").and_then(|at| text.get(at..))
    }
    objects(text).is_some() && objects(text) == objects(DEFAULT_SCENARIO)
}

/// Fetches the texts of the first visit's example in another language than English.
pub async fn fetch_texts() {
    fetch_translation(&address(DEFAULT)).await;
}

fn address(slug: &str) -> String {
    format!("./scenarios/{slug}.yaml")
}

/// An example with its texts replaced: the fields of the first document that `texts` has, too. Of `compare`, the names of
/// the sides are texts.
#[inline(never)]
fn with_texts(text: &str, texts: &str) -> String {
    let end = text.find("\n---").unwrap_or(text.len());
    let (document, rest) = text.split_at(end);
    let texts = fields(texts);
    let merged = fields(document).into_iter().flat_map(|own| {
        let other = texts.iter().find(|other| other.name == own.name);
        match other {
            Some(names) if own.name == COMPARE => with_names(own.lines, &names.lines),
            Some(other) => other.lines.clone(),
            None => own.lines,
        }
    });
    merged.collect::<Vec<&str>>().join("\n") + rest
}

/// The field `compare` with these names of its sides.
fn with_names<'t>(compare: Vec<&'t str>, names: &[&'t str]) -> Vec<&'t str> {
    let is_name = |line: &&str| line.starts_with(SIDE_NAME);
    let mut names = names.iter().copied().filter(is_name);
    let named = compare.into_iter().map(|line| match is_name(&line) {
        true => names.next().unwrap_or(line),
        false => line,
    });
    named.collect()
}

/// A field of a document, with the lines that write it.
struct Field<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

/// The fields of a document, without its comments.
fn fields(document: &str) -> Vec<Field<'_>> {
    let mut fields: Vec<Field> = Vec::new();
    for line in document.lines().filter(|line| !line.starts_with('#')) {
        let is_name = line.starts_with(|letter: char| letter.is_ascii_alphabetic());
        match (line.split_once(':'), fields.last_mut()) {
            (Some((name, _)), _) if is_name => fields.push(Field {
                name,
                lines: vec![line],
            }),
            (_, Some(last)) => last.lines.push(line),
            (_, None) => {}
        }
    }
    fields
}

/// Fetches an example and opens it.
pub fn open(slug: String, act: Callback<Action>) {
    spawn_local(async move {
        act.emit(match fetch_text(&slug).await {
            Some(text) => Action::Edit(EditAction::Open(text)),
            None => Action::Page(PageAction::Say(words::NO_EXAMPLE.to_owned())),
        });
    });
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::{COMPARE, DEFAULT_SCENARIO, Example, SIDE_NAME, fields, is_default, with_texts};
    use crate::ui::engine::test_host::Pair;
    use crate::words::language::Language;
    use berth_protocol::frame::AboutFrame;
    use berth_protocol::link::{Link, SHORT, fragment};

    fn titled(text: &str) -> (String, AboutFrame) {
        let view = Pair::open(text, Default::default()).store.view;
        (view.head.title, view.about)
    }

    #[test]
    fn only_the_default_is_known_to_be_valid() {
        let translated = with_texts(DEFAULT_SCENARIO, "title: 商店");
        assert!(is_default(DEFAULT_SCENARIO) && is_default(&translated));
        assert!(!is_default(
            &DEFAULT_SCENARIO.replace("replicas: 6", "replicas: x")
        ));
        assert!(!is_default("kind: Pod") && !is_default(""));
    }

    #[test]
    fn every_example_takes_the_texts_of_other_languages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let indexes = Language::translated().filter_map(|language| {
            let index = folder.join(format!("index.{}.json", language.tag()));
            let index = fs::read_to_string(index).ok()?;
            let index: Vec<Example> = serde_json::from_str(&index).unwrap();
            Some((language.tag(), index))
        });
        let examples = indexes.flat_map(|(tag, index)| index.into_iter().map(move |it| (tag, it)));
        for (tag, Example { slug, title, .. }) in examples {
            let text = read(&format!("{slug}.yaml"));
            let texts = read(&format!("{slug}.{tag}.yaml"));
            let merged = with_texts(&text, &texts);
            let rest = |text: &str| {
                let named = text[text.find("\nexpectations:").unwrap()..]
                    .lines()
                    .filter(|line| !line.starts_with(SIDE_NAME));
                named.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(rest(&merged), rest(&text), "{slug}: the manifests stay");
            let names = |text: &str| {
                let names = text.lines().filter(|line| line.starts_with(SIDE_NAME));
                names.map(str::to_owned).collect::<Vec<_>>()
            };
            if fields(&texts).iter().any(|field| field.name == COMPARE) {
                assert_eq!(names(&merged)[..2], names(&texts), "{slug}");
            } else {
                assert_eq!(names(&merged), names(&text), "{slug}");
            }
            let (shown, about) = titled(&merged);
            assert_eq!(shown, title);
            let hints = |text: &str| titled(text).1.hints.len();
            assert_eq!(hints(&merged), hints(&text), "{slug}");
            assert_ne!(about.description, titled(&text).1.description, "{slug}");
            let link = Link {
                language: tag.to_owned(),
                ..Pair::open(&merged, Default::default()).store.link(None)
            };
            let length = compressed(&link).len() + PUBLISHED.len();
            assert!(
                length <= SHORT || slug == "dump",
                "{slug}: {length} characters"
            );
        }
    }

    /// An address at which Berth may be published.
    const PUBLISHED: &str = "https://berth.example/";

    /// The fragment of a link, compressed as browsers do.
    fn compressed(link: &Link) -> String {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(link.to_json().as_bytes()).unwrap();
        fragment(&URL_SAFE_NO_PAD.encode(encoder.finish().unwrap()))
    }
}
