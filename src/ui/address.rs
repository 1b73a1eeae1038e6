//! What the page's address asks for: a link in the fragment, and parameters that authors type, as in
//! `?example=taints&step=7&theme=dark&lang=zh&embed&view=explain`.

use wasm_bindgen::JsValue;
use web_sys::{Url, UrlSearchParams};

use super::features::course::lms;
use super::features::{presenter, share};
use super::store::{EmbedView, Keeping, Panel};
use crate::words::language::Language;

/// The manifests that the address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The fragment with a link.
    Link(String),
    /// An example, by the name of its file, and the number of entries of its log to play.
    Example { slug: String, step: usize },
}

impl Source {
    /// What distinguishes it from other sources.
    pub fn name(&self) -> String {
        match self {
            Self::Link(hash) => hash.clone(),
            Self::Example { slug, step } => format!("{slug} {step}"),
        }
    }
}

/// What distinguishes a lesson that the address names from other sources.
pub fn lesson_name(slug: &str) -> String {
    format!("lesson {slug}")
}

/// What the page's address asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub source: Option<Source>,
    pub language: Option<Language>,
    /// A lesson, by the name of its file.
    pub lesson: Option<String>,
    /// The window shows the notes of the page with this channel.
    pub notes: Option<String>,
    /// `light` or `dark`.
    pub theme: Option<String>,
    /// The page is embedded in another: it is small, and keeps nothing.
    pub embed: Option<EmbedView>,
    /// Another page frames this one.
    pub framed: bool,
    /// The panel to show first.
    pub panel: Option<Panel>,
}

impl Address {
    /// Whether the page restores and stores visits. One that another page frames shows what its address names, and nothing
    /// of the visitor's, unless it is a course that was published to be framed.
    pub fn keeping(&self) -> Keeping {
        match self.embed.is_none() && (!self.framed || lms::is_course()) {
            true => Keeping::Kept,
            false => Keeping::Nothing,
        }
    }
}

/// Whether the address asks for nothing but the first example (`index.html`).
pub fn is_bare() -> bool {
    gloo::utils::document_element().has_attribute("data-bare")
}

/// Reads the window's address.
pub fn read() -> Address {
    let location = gloo::utils::window().location();
    let query = location.search().unwrap_or_default();
    let Ok(query) = UrlSearchParams::new_with_str(&query) else {
        return Address::default();
    };
    let theme = query.get("theme");
    let view = query.get("view").unwrap_or_default();
    let view = match view.as_str() {
        "explain" => EmbedView::Explain,
        "matrix" => EmbedView::Matrix,
        "terminal" => EmbedView::Terminal,
        _ => EmbedView::Stage,
    };
    Address {
        source: share::in_address()
            .map(Source::Link)
            .or_else(|| example(&query)),
        language: query.get("lang").and_then(|tag| Language::of_tag(&tag)),
        lesson: query.get("lesson"),
        notes: query.get(presenter::NOTES),
        theme: theme.filter(|theme| matches!(theme.as_str(), "dark" | "light")),
        embed: query.has("embed").then_some(view),
        framed: is_framed(),
        panel: match view {
            EmbedView::Stage => None,
            EmbedView::Explain | EmbedView::Matrix => Some(Panel::Explain),
            EmbedView::Terminal => Some(Panel::Sources),
        },
    }
}

/// Removes the manifests from the address without loading the page again: the page shows others.
pub fn leave_source() {
    let window = gloo::utils::window();
    let Ok(address) = window.location().href() else {
        return;
    };
    let (Ok(url), Ok(history)) = (Url::new(&address), window.history()) else {
        return;
    };
    url.set_hash("");
    let query = url.search_params();
    query.delete("example");
    query.delete("step");
    query.delete("lesson");
    // A sandboxed page may not change its address, and keeps it.
    let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url.href()));
}

fn is_framed() -> bool {
    let window = gloo::utils::window();
    let parent = window.parent().ok().flatten();
    parent.is_some_and(|parent| !js_sys::Object::is(&parent, &window))
}

fn example(query: &UrlSearchParams) -> Option<Source> {
    let step = query.get("step").and_then(|step| step.parse().ok());
    Some(Source::Example {
        slug: query.get("example")?,
        step: step.unwrap_or_default(),
    })
}
