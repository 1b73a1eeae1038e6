//! Snippets that embed this visit: the element, a frame alone, or a code block for the adapters.

use yew::{Callback, Html, html};

use super::{copied_note, select_all, send};
use crate::export::svg::escaped;
use crate::ui::features::share::{LinkResult, ShareAction, Snippet, page};
use crate::ui::store::{Action, Store};
use crate::words;

/// The tab's body.
pub fn view(store: &Store, fragment: &str, act: &Callback<Action>) -> Html {
    let chosen = store.share.snippet;
    let kind = |kind: Snippet, name: &'static str| {
        let onclick = send(act, move || ShareAction::Snippet(kind));
        html! { <button role="radio" translate="no" data-snippet={name} aria-checked={(kind == chosen).to_string()} {onclick}>{ name }</button> }
    };
    let (help, snippet) = match chosen {
        Snippet::Html => (words::EMBED_HELP, element(fragment)),
        Snippet::Frame => (words::EMBED_FRAME_HELP, frame(store, fragment)),
        Snippet::Markdown => (words::EMBED_MARKDOWN_HELP, fence(store)),
    };
    let copied = snippet.clone();
    let onclick = send(act, move || ShareAction::Copy(copied.clone()));
    html! {
        <div class="share__body">
            <div class="share__main">
                <p>{ help }</p>
                <textarea class="snippet" readonly=true rows="6" aria-label={words::SHARE_EMBED} data-field="snippet" onfocus={select_all()} value={snippet} />
                <div class="copyrow">
                    <button class="btn btn--primary" data-action="copy" {onclick}>{ words::COPY_SNIPPET }</button>
                    <span class="seg" role="radiogroup" aria-label={words::SNIPPET_KIND}>
                        { kind(Snippet::Html, "HTML") }{ kind(Snippet::Frame, "iframe") }{ kind(Snippet::Markdown, "Markdown") }
                    </span>
                </div>
                { copied_note(store) }
            </div>
        </div>
    }
}

fn element(fragment: &str) -> String {
    let page = page();
    format!(
        "<script src=\"{page}embed.js\" async></script>\n<berth-playground src=\"{fragment}\"></berth-playground>"
    )
}

fn frame(store: &Store, fragment: &str) -> String {
    let page = page();
    let title = escaped(&store.view.head.title);
    let title = if title.is_empty() {
        "Berth".into()
    } else {
        title
    };
    format!(
        "<iframe src=\"{page}?embed{fragment}\" title=\"{title}\" width=\"100%\" height=\"420\" loading=\"lazy\" frameborder=\"0\" allow=\"clipboard-write\"></iframe>"
    )
}

/// The manifests as the link has them between backticks, more of them than in the manifests.
fn fence(store: &Store) -> String {
    let text: &str = match &store.share.made {
        Some(LinkResult::Link {
            redacted: Some(redacted),
            ..
        }) => &redacted.text,
        _ => &store.editor.text,
    };
    let mut ticks = "```".to_owned();
    while text.contains(&ticks) {
        ticks.push('`');
    }
    let step = match store.view.head.position {
        0 => String::new(),
        position => format!(" step={position}"),
    };
    format!("{ticks}yaml berth{step}\n{}\n{ticks}\n", text.trim_end())
}
