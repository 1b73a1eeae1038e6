//! Notices over the page: what happened, what is wrong with the engine, and that a newer version is ready.

use yew::{Callback, Html, MouseEvent, classes, html};

use crate::ui::engine::Trouble;
use crate::ui::store::{Action, EditAction, PageAction, Store};
use crate::words;

/// A short notice, shown until it is dismissed or replaced.
pub fn toast(store: &Store, act: &Callback<Action>) -> Html {
    if let Some(trouble) = &store.page.trouble {
        return in_trouble(trouble, act);
    }
    let Some(notice) = &store.page.notice else {
        return if store.page.newer {
            newer(act)
        } else {
            html! {}
        };
    };
    let undo = act.reform(|_: MouseEvent| Action::Edit(EditAction::Undo));
    let onclick = act.reform(|_: MouseEvent| Action::Page(PageAction::Dismiss));
    html! {
        <div class={classes!("toast", store.stage.has_form().then_some("toast--top"))} role="status" data-notice="">
            <span>{ notice }</span>
            if store.page.undoable.as_ref() == Some(notice) { <button class="btn" data-action="undo-noticed" onclick={undo}>{ words::UNDO }</button> }
            <button class="btn" {onclick}>{ words::CLOSE }</button>
        </div>
    }
}

/// Says what is wrong with the engine.
#[inline(never)]
fn in_trouble(trouble: &Trouble, act: &Callback<Action>) -> Html {
    let emit = |action: PageAction| act.reform(move |_: MouseEvent| Action::Page(action.clone()));
    let (name, sentence) = match trouble {
        Trouble::Inline => ("inline", words::ENGINE_INLINE.to_string()),
        Trouble::Silent => ("silent", words::ENGINE_SILENT.to_string()),
        Trouble::Stopped(why) => ("stopped", words::engine_stopped(why)),
    };
    html! {
        <div class="toast" role="alert" data-trouble={name}>
            <span>{ sentence }</span>
            <button class="btn" data-action="reload" onclick={emit(PageAction::Reload)}>{ words::RELOAD }</button>
            if matches!(trouble, Trouble::Inline | Trouble::Silent) { <button class="btn" onclick={emit(PageAction::Trouble(None))}>{ words::CLOSE }</button> }
        </div>
    }
}

/// Says that a newer version is ready. Apart from [`toast`], which a first visit runs.
#[inline(never)]
fn newer(act: &Callback<Action>) -> Html {
    let emit = |action: PageAction| act.reform(move |_: MouseEvent| Action::Page(action.clone()));
    html! {
        <div class="toast" role="status" data-newer="">
            <span>{ words::NEWER_READY }</span>
            <button class="btn" data-action="reload" onclick={emit(PageAction::Reload)}>{ words::RELOAD }</button>
            <button class="btn" onclick={emit(PageAction::Newer(false))}>{ words::CLOSE }</button>
        </div>
    }
}
