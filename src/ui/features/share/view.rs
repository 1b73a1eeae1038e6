//! The Share dialog: the link, what it holds, its QR code, and the snippet that embeds it.

mod bookmark;
mod embed;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::{Callback, FocusEvent, Html, MouseEvent, html};

use super::effects::page;
use super::state::{Lengths, LinkResult, Part, ShareAction, ShareTab};
use crate::export::squares;
use crate::ui::features::compare;
use crate::ui::features::export::ExportAction;
use crate::ui::parts::owner::label;
use crate::ui::store::{Action, Store};
use crate::words;
use crate::words::language;
use berth_protocol::link::{LONGEST, SHORT};

/// Characters that the largest QR code holds in byte mode at error correction level L.
const QR: usize = 2953;

/// The dialog's body.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let tab = |tab: ShareTab, name: &'static str, label: &'static str| {
        let onclick = send(act, move || ShareAction::Tab(tab));
        let is_chosen = store.share.tab == tab;
        html! { <button class="tab" role="tab" data-share={name} data-first={is_chosen.then_some("")} aria-selected={is_chosen.to_string()} {onclick}>{ label }</button> }
    };
    let body = match (store.share.tab, &store.share.made) {
        (ShareTab::Bookmark, _) => bookmark::view(store, act),
        (_, None) => html! { <p class="note">{ words::MAKING_LINK }</p> },
        (_, Some(LinkResult::Missing)) => {
            html! { <p class="note">{ words::LAZY_MODULE_MISSING }</p> }
        }
        (
            ShareTab::Link,
            Some(LinkResult::Link {
                fragment,
                documents,
                lengths,
                redacted,
            }),
        ) => link(
            store,
            &format!("{}{fragment}", page()),
            (*documents, *lengths),
            redacted.as_ref().map_or(0, |redacted| redacted.objects),
            act,
        ),
        (ShareTab::Embed, Some(LinkResult::Link { fragment, .. })) => {
            embed::view(store, fragment, act)
        }
    };
    html! {
        <div class="share">
            <div class="tabs" role="tablist" aria-label={words::WAYS_TO_SHARE}>
                { tab(ShareTab::Link, "link", words::SHARE_LINK.get()) }
                { tab(ShareTab::Embed, "embed", words::SHARE_EMBED.get()) }
                { tab(ShareTab::Bookmark, "bookmark", words::SHARE_BOOKMARK.get()) }
            </div>
            { body }
            <p class="share__foot">{ words::NO_SERVER }</p>
        </div>
    }
}

/// The button that opens the dialog.
pub fn button(act: &Callback<Action>) -> Html {
    let onclick = send(act, || ShareAction::Open);
    html! { <button class="btn" data-action="share" aria-haspopup="dialog" {onclick}>{ words::SHARE }</button> }
}

/// The outcome of opening a link, with a way back; empty without a link.
pub fn arrival(store: &Store, act: &Callback<Action>) -> Html {
    let share = &store.share;
    if share.refused.is_none() && share.before.is_none() {
        return html! {};
    }
    received_link(store, act)
}

/// Cold: kept out of the first download.
#[inline(never)]
fn received_link(store: &Store, act: &Callback<Action>) -> Html {
    let button = |name: &'static str, label: &'static str, action: fn() -> ShareAction| {
        let onclick = send(act, action);
        html! { <button class="btn" data-action={name} {onclick}>{ label }</button> }
    };
    let share = &store.share;
    if let Some(error) = &share.refused {
        let offer = !share.salvaged.is_empty();
        return html! {
            <div class="toast" role="alert" data-link="refused">
                <span>{ words::link_refused(error) }</span>
                { if offer { button("salvage", words::OPEN_SALVAGED.get(), || ShareAction::OpenSalvaged) } else { html! {} } }
                { button("dismiss-link", words::CLOSE.get(), || ShareAction::Dismiss) }
            </div>
        };
    }
    html! {
        <div class="toast" role="status" data-link="opened">
            <span>{ words::LINK_OPENED }</span>
            { button("back", words::BACK_TO_BEFORE.get(), || ShareAction::Back) }
            { button("dismiss-link", words::CLOSE.get(), || ShareAction::Dismiss) }
        </div>
    }
}

fn link(
    store: &Store,
    address: &str,
    (documents, lengths): (usize, Lengths),
    redacted: usize,
    act: &Callback<Action>,
) -> Html {
    let length = address.len();
    let too_long = length > LONGEST;
    html! {
        <div class="share__body">
            <div class="share__main">
                { address_row(store, address, words::SHARE_LINK.get(), act) }
                <h3>{ words::LINK_HOLDS }</h3>
                { holds(store, documents, lengths, act) }
                if redacted > 0 {
                    <p class="note" data-redacted="">{ words::redacted(redacted) }</p>
                }
                { if too_long { too_long_note(length, &lengths.to_leave_out(length, store.share.parts), act) } else { html! {} } }
            </div>
            { qr(address) }
        </div>
    }
}

/// An address to copy, and where addresses of its length work.
pub fn address_row(
    store: &Store,
    address: &str,
    label: &'static str,
    act: &Callback<Action>,
) -> Html {
    let length = address.len();
    html! {
        <>
            { copyable(store, address, label, words::COPY_LINK.get(), act) }
            <p class="share__len"><b>{ words::characters(length) }</b>{ " · " }{ words::link_fits(length, SHORT, QR) }</p>
            { bar(length) }
        </>
    }
}

/// A field with a text, and the button that copies it.
fn copyable(
    store: &Store,
    text: &str,
    label: &'static str,
    copy: &'static str,
    act: &Callback<Action>,
) -> Html {
    let copied = text.to_owned();
    let onclick = send(act, move || ShareAction::Copy(copied.clone()));
    html! {
        <>
            <div class="copyrow">
                <input class="field field--mono" readonly=true aria-label={label} data-field="link" onfocus={select_all()} value={text.to_owned()} />
                <button class="btn btn--primary" data-action="copy" {onclick}>{ copy }</button>
            </div>
            { copied_note(store) }
        </>
    }
}

/// Whether the clipboard took the text.
fn copied_note(store: &Store) -> Html {
    let note = store.share.copied.map(|copied| match copied {
        true => words::COPIED.get(),
        false => words::NOT_COPIED.get(),
    });
    html! { <p class="note" role="status">{ note.unwrap_or_default() }</p> }
}

/// Selects the text of a field that gets the focus.
fn select_all() -> Callback<FocusEvent> {
    Callback::from(|event: FocusEvent| {
        let field = event.target();
        if let Some(field) = field
            .as_ref()
            .and_then(|it| it.dyn_ref::<HtmlInputElement>())
        {
            field.select();
        } else if let Some(field) = field
            .as_ref()
            .and_then(|it| it.dyn_ref::<HtmlTextAreaElement>())
        {
            field.select();
        }
    })
}

/// The length on a scale to the longest link.
fn bar(length: usize) -> Html {
    let percent = |length: usize| (length.min(LONGEST) * 100) / LONGEST;
    let limits = [SHORT, QR, LONGEST]
        .into_iter()
        .zip(words::link_limits(SHORT, QR, LONGEST))
        .map(|(limit, name)| {
            html! { <span style={format!("--v:{}%", percent(limit))}>{ name }</span> }
        });
    html! {
        <div aria-hidden="true">
            <div class="lenbar"><i class="lenbar__v" style={format!("--v:{}%", percent(length))} /></div>
            <p class="lenbar__limits">{ for limits }</p>
        </div>
    }
}

fn holds(store: &Store, documents: usize, lengths: Lengths, act: &Callback<Action>) -> Html {
    let nodes = store.view.nodes.len();
    let parts = [
        (Part::Changes, words::link_changes(store.share.changes)),
        (Part::Moment, moment_text(store)),
        (Part::Comments, String::new()),
        (Part::Status, String::new()),
    ];
    let language = language::current();
    let language = match language.is_source() {
        true => words::READERS_OWN.get(),
        false => language.name(),
    };
    let fixed = [
        (
            words::KUBERNETES_RELEASE,
            store.view.head.release.minor.as_str(),
        ),
        (words::LANGUAGE, language),
    ];
    let fixed = fixed.map(|(name, detail)| html! { <p class="holds"><span /><span><b>{ name }</b>{ " " }<small>{ detail.to_owned() }</small></span></p> });
    // Only a dump has a status, and only what was written by hand has comments.
    let is_there = |part: Part| match part {
        Part::Status | Part::Comments => lengths.of(part) > 0,
        Part::Changes | Part::Moment => true,
    };
    let parts = parts.into_iter().filter(|(part, _)| is_there(*part));
    let rows = parts.map(|(part, detail)| {
        let onchange = {
            let act = act.clone();
            Callback::from(move |_: yew::Event| act.emit(Action::Share(ShareAction::Toggle(part))))
        };
        let checked = store.share.parts.has(part);
        html! {
            <label class="holds"><input type="checkbox" data-part={format!("{part:?}")} {checked} {onchange} />
                <span><b>{ name(part) }</b>{ " " }<small>{ detail }</small></span><span class="num">{ words::language::number(lengths.of(part)) }</span></label>
        }
    });
    html! {
        <>
            <p class="holds"><span /><span><b>{ words::LINK_MANIFESTS }</b>{ " " }<small>{ words::link_manifests(documents, nodes) }</small></span></p>
            if let Some(compare) = &store.compare {
                <p class="holds" data-holds="compare"><span /><span><b>{ words::compare::BOTH_SIDES }</b>{ " " }<small>{ compare::names(compare) }</small></span></p>
            }
            { for rows }
            { for fixed }
        </>
    }
}

/// What the page shows of the moment.
fn moment_text(store: &Store) -> String {
    let pod = store.chosen_pod().and_then(|key| store.view.pod(key));
    let cell = store.explain.cell.as_ref();
    let cell = cell.map(|cell| format!("{} / {}", cell.node, cell.plugin));
    let parts = pod.map(|pod| label(pod)).into_iter().chain(cell);
    parts.collect::<Vec<String>>().join(" · ")
}

fn name(part: Part) -> words::Text {
    match part {
        Part::Changes => words::LINK_CHANGES,
        Part::Moment => words::LINK_MOMENT,
        Part::Comments => words::LINK_COMMENTS,
        Part::Status => words::LINK_STATUS,
    }
}

fn too_long_note(length: usize, parts: &[Part], act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::Export(ExportAction::Sources));
    let names: Vec<&str> = parts.iter().map(|part| name(*part).get()).collect();
    html! {
        <p class="share__file" role="note"><span>{ words::too_long(length, &names) }</span>
            <button class="btn btn--line" data-action="save-file" {onclick}>{ words::SAVE_FILE }</button></p>
    }
}

/// The QR code, dark on light in both themes, with four squares of quiet zone.
pub fn qr(address: &str) -> Html {
    let squares = squares(address).filter(|_| address.len() <= QR);
    let Some((size, path)) = squares else {
        return html! { <p class="qr note">{ words::no_qr(QR) }</p> };
    };
    let picture = html! {
        <svg viewBox={format!("0 0 {size} {size}")} role="img" aria-label={words::QR_CODE} shape-rendering="crispEdges">
            <rect class="qr__bg" width={size.to_string()} height={size.to_string()} /><path d={path} />
        </svg>
    };
    // A room reads it from the wall.
    html! {
        <figure class="qr">
            <button class="qr__enlarge" popovertarget="qr-large" title={words::ENLARGE_QR}>{ picture.clone() }</button>
            <div class="qr__large" id="qr-large" popover="auto">{ picture }</div>
        </figure>
    }
}

fn send(
    act: &Callback<Action>,
    action: impl Fn() -> ShareAction + 'static,
) -> Callback<MouseEvent> {
    act.reform(move |_: MouseEvent| Action::Share(action()))
}
