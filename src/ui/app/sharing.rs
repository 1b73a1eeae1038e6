//! Links: made of this visit, and read from the address.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::App;
use crate::ui::address::{self, Source};
use crate::ui::features::builder::BuilderAction;
use crate::ui::features::case::CaseAction;
use crate::ui::features::share::{LinkResult, Opened, Parts, ShareAction};
use crate::ui::features::{gallery, share};
use crate::ui::store::{Action, EditAction, LinkFor};
use berth_protocol::command::Recording;
use berth_protocol::link::Link;

impl App {
    /// The link to this visit, before it is encoded.
    #[inline(never)]
    fn link(&mut self) -> Link {
        let recording = self.engine.recorded().map(|recorded| Recording {
            recorded,
            at: self.store.run_moment(),
            waits: self.store.terminal.is_busy(),
        });
        self.store.link(recording)
    }

    /// Makes the link to this visit for the Share dialog.
    #[inline(never)]
    pub(super) fn make_link(&mut self, parts: Parts) {
        let (link, act) = (self.link(), self.act.clone());
        spawn_local(async move {
            let made = share::make(link, parts).await;
            let made = made.map_or(LinkResult::Missing, |made| LinkResult::Link {
                fragment: made.fragment,
                documents: made.documents,
                lengths: made.lengths,
                redacted: made.redacted,
            });
            act.emit(Action::Share(ShareAction::Made(made)));
        });
    }

    /// Opens the whole page with this visit. Browsers open a tab only while they handle the click, which making a link
    /// may outlast: the tab gets its address afterwards.
    #[inline(never)]
    pub(super) fn open_whole(&mut self) {
        let tab = gloo::utils::window().open_with_url_and_target("", "_blank");
        let Ok(Some(tab)) = tab else {
            return;
        };
        let _ = tab.set_opener(&JsValue::NULL);
        let link = self.link();
        spawn_local(async move {
            let fragment = share::encode(&link).await.unwrap_or_default();
            let _ = tab
                .location()
                .set_href(&format!("{}{fragment}", share::page()));
        });
    }

    /// Makes a link beside that to this visit.
    #[inline(never)]
    pub(super) fn encode_link(&self, link: Link, opens: LinkFor) {
        let act = self.act.clone();
        spawn_local(async move {
            let fragment = share::encode(&link).await;
            act.emit(match opens {
                LinkFor::Lesson => Action::Builder(BuilderAction::Linked(fragment)),
                LinkFor::Case => {
                    let address = fragment.map(|it| format!("{}{it}", share::page()));
                    Action::Case(CaseAction::Linked(address))
                }
            });
        });
    }

    /// Reads the manifests that the address names; the visit so far can be returned to.
    #[inline(never)]
    pub(super) fn read_source(&mut self, source: Source) {
        let is_embedded = self.store.page.embed.is_some();
        self.saver.save(&self.engine, &self.store);
        let before = self.saver.last();
        // If the address has nothing to open, the page begins as it does without.
        let goes_on = !is_embedded && self.store.editor.text.is_empty();
        let act = self.act.clone();
        spawn_local(async move {
            let before = before.await.map(Box::new);
            let opened = share::read(&source).await;
            if goes_on && !matches!(opened, Some(Opened::Link(_))) {
                act.emit(match before.clone() {
                    Some(visit) => Action::Restore(visit),
                    None => Action::Edit(EditAction::Open(gallery::default_text())),
                });
            }
            act.emit(Action::Share(ShareAction::Arrived {
                source,
                opened,
                before,
            }));
        });
    }

    /// The page shows something else than the link in its address.
    #[inline(never)]
    pub(super) fn leave_link(&mut self) {
        self.saver.leave_source();
        address::leave_source();
    }

    /// A visit is never lost to a link: the link's own is stored beside it.
    #[inline(never)]
    pub(super) fn keep_visit(&mut self, source: &Source) {
        self.saver.leave_for(&source.name());
    }
}
