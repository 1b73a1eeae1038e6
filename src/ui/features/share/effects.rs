//! Links in the address: made for the Share dialog, and read when the page opens or its address changes.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::Callback;

use super::state::{Lengths, Opened, Part, Parts, ShareAction};
use crate::ui::address::Source;
use crate::ui::engine::{
    LeaveOut, Redacted, Version, compact, count_documents, has_comments, redact_link,
};
use crate::ui::features::gallery;
use crate::ui::load::load;
use crate::ui::store::Action;
use berth_protocol::link::{Link, LinkError, MAX_TEXT, View, fragment, joined, payload};

/// The module that compresses.
const MODULE: &str = "./link.js";
/// The module that draws and prints.
const PICTURE: &str = "./picture.js";

/// Fetches the module that compresses, for later.
pub async fn fetch() {
    let _ = JsFuture::from(load(MODULE)).await;
}

/// Whether a fragment may be a link.
pub fn is_link(hash: &str) -> bool {
    let version = hash.strip_prefix('#').and_then(|rest| rest.split_once('.'));
    version.is_some_and(|(version, _)| version.parse::<u32>().is_ok())
}

/// The fragment of the address, if it may be a link.
pub fn in_address() -> Option<String> {
    let hash = gloo::utils::window().location().hash().ok()?;
    is_link(&hash).then_some(hash)
}

/// Loads the bookmarklet, which opens this page.
#[inline(never)]
pub fn make_bookmarklet(act: Callback<Action>) {
    spawn_local(async move {
        let href = call("./bookmarklet.js", "href", &[page().into()]).await;
        let address = href.and_then(|href| href.as_string());
        act.emit(Action::Share(ShareAction::Bookmarklet(address)));
    });
}

/// The page's address without query and fragment.
pub fn page() -> String {
    let location = gloo::utils::window().location();
    let (origin, path) = (location.origin(), location.pathname());
    format!("{}{}", origin.unwrap_or_default(), path.unwrap_or_default())
}

/// Begins the conversation with the page that embeds this one.
pub async fn talk_to_host() {
    // Without it the frame keeps its height and theme.
    let _ = call("./frame.js", "begin", &[]).await;
}

/// Sends the picture of the stage to the page that embeds this one.
pub async fn show_host(picture: String) {
    let _ = call("./frame.js", "show", &[picture.into()]).await;
}

/// Draws an SVG on a canvas, and downloads that as PNG; whether it could.
pub async fn save_png(name: String, svg: String, scale: u8) -> bool {
    let arguments = [svg.into(), scale.into(), name.into()];
    call(PICTURE, "savePng", &arguments).await.is_some()
}

/// Prints the explanation without the stage and the timeline; whether it could.
pub async fn print_explanation() -> bool {
    call(PICTURE, "printExplanation", &[]).await.is_some()
}

/// Prints a document of its own.
pub async fn print_document(html: String) {
    let _ = call(PICTURE, "printDocument", &[html.into()]).await;
}

/// Calls a function of a module.
pub async fn call(module: &str, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let module = JsFuture::from(load(module)).await.ok()?;
    let function: Function = Reflect::get(&module, &name.into()).ok()?.dyn_into().ok()?;
    let arguments: js_sys::Array = arguments.iter().collect();
    let answer = function.apply(&JsValue::NULL, &arguments).ok()?;
    JsFuture::from(Promise::resolve(&answer)).await.ok()
}

/// Reads the manifests that the address names; `None` if they cannot be loaded.
pub async fn read(source: &Source) -> Option<Opened> {
    match source {
        Source::Link(hash) => read_fragment(hash).await,
        Source::Example { slug, step } => {
            let Some(text) = gallery::fetch_text(slug).await else {
                let is_known = gallery::fetch_list().await?;
                let is_known = is_known.iter().any(|example| example.slug == *slug);
                return (!is_known).then(|| Opened::NoExample(slug.clone()));
            };
            let at = (*step, *step).into();
            let files = vec![(format!("{slug}.yaml"), text)];
            Some(Opened::Link(Box::new(Link {
                files,
                at,
                ..Link::default()
            })))
        }
    }
}

/// Reads a fragment or an address; `None`: the module that reads links cannot be loaded.
pub async fn read_fragment(hash: &str) -> Option<Opened> {
    let payload = match payload(hash) {
        Ok(payload) => payload,
        Err(error) => return Some(Opened::Damaged(error.into())),
    };
    // Far below 2^53.
    let limit = JsValue::from_f64(MAX_TEXT as f64);
    let read = call(MODULE, "decode", &[payload.into(), limit]).await?;
    let field = |name: &str| Reflect::get(&read, &name.into()).ok()?.as_string();
    let text = field("text")?;
    Some(match field("problem")?.as_str() {
        "" => match Link::from_json(&text, simulates) {
            Ok(link) => Opened::Link(Box::new(link)),
            Err(damage) => Opened::Damaged(damage),
        },
        "large" => Opened::Damaged(LinkError::TooLarge.into()),
        _ => Opened::Damaged(Link::damaged(&text)),
    })
}

/// Whether this version simulates a release of Kubernetes.
fn simulates(release: &str) -> bool {
    Version::parse(release).is_ok()
}

/// A link with these parts.
pub struct Made {
    pub fragment: String,
    /// The number of its documents.
    pub documents: usize,
    /// What each part adds to its length.
    pub lengths: Lengths,
    /// The manifests, if private text of objects that came from a cluster is left out.
    pub redacted: Option<Redacted>,
}

/// Makes the fragment of a link with these parts.
pub async fn make(mut link: Link, parts: Parts) -> Option<Made> {
    let objects = redact_link(&mut link);
    let redacted = (objects > 0).then(|| Redacted {
        text: joined(&link.files),
        objects,
    });
    let link = &link;
    let whole = encode(&chosen(link, parts)).await?;
    let length = |fragment: &str| fragment.len();
    let texts = || link.files.iter().map(|(_, text)| text.as_str());
    let mut lengths = Lengths::default();
    for part in Parts::ALL {
        // Without comments, the layout alone would count as one.
        if part == Part::Comments && !texts().any(has_comments) {
            continue;
        }
        let other = encode(&chosen(link, parts.toggled(part))).await?;
        lengths.set(part, length(&whole).abs_diff(length(&other)));
    }
    Some(Made {
        fragment: whole,
        documents: texts().map(count_documents).sum(),
        lengths,
        redacted,
    })
}

/// The fragment of a link.
pub async fn encode(link: &Link) -> Option<String> {
    let text = link.to_json();
    let payload = call(MODULE, "encode", &[text.into()]).await?.as_string()?;
    Some(fragment(&payload))
}

/// The link with only these parts.
fn chosen(link: &Link, parts: Parts) -> Link {
    let mut link = link.clone();
    if !parts.changes {
        link.recorded = Vec::new();
        link.digest = String::new();
        link.waits = false;
    }
    if !parts.moment {
        link.at = Default::default();
        link.view = View::default();
        link.digest = String::new();
        link.waits = false;
    }
    let leave_out = LeaveOut {
        comments: !parts.comments,
        status: !parts.status,
    };
    for (_, text) in &mut link.files {
        *text = compact(text, leave_out);
    }
    link
}
