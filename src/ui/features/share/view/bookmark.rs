//! The bookmarklet, a link to drag to the bookmarks: it opens the manifests of any page in Berth.

use yew::{Callback, Html, MouseEvent, html};

use super::{copied_note, send};
use crate::ui::features::share::ShareAction;
use crate::ui::store::{Action, Store};
use crate::words;

/// The tab's body.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    // This page's policy refuses to run it here, where it has nothing to read.
    let onclick = Callback::from(|event: MouseEvent| event.prevent_default());
    let link = store.share.bookmarklet.as_ref().map(|address| {
        html! { <a class="btn btn--line bookmark__link" data-bookmarklet="" draggable="true" href={address.clone()} {onclick}>{ words::BOOKMARK_NAME }</a> }
    });
    let copy = store.share.bookmarklet.clone().map(|address| {
        let onclick = send(act, move || ShareAction::Copy(address.clone()));
        html! { <button class="btn btn--line" data-action="copy" {onclick}>{ words::COPY_ADDRESS }</button> }
    });
    html! {
        <div class="bookmark">
            <p>{ words::BOOKMARK_HELP }</p>
            <p>{ for link }{ " " }<span class="note">{ words::BOOKMARK_DRAG }</span></p>
            <p>{ for copy }{ " " }<span class="note">{ words::BOOKMARK_COPY }</span></p>
            { copied_note(store) }
            <p class="note">{ words::BOOKMARK_READS }</p>
        </div>
    }
}
