//! What the page does at its next animation frame, once what has changed so far is drawn.

use gloo::render::{AnimationFrame, request_animation_frame};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::engine::Engine;
use super::features::explain::ExplainAction;
use super::features::stage::StageAction;
use super::store::Action;
use super::{lazy_module, prefetch};
use berth_protocol::command::{Command, Control, Query};

/// Requested animation frames; each is cancelled by the next of its kind.
#[derive(Default)]
pub struct Frames {
    /// The engine waits for an acknowledgement once its update is drawn.
    pub acknowledges: bool,
    acknowledging: Option<AnimationFrame>,
    /// Searches for fixes once the stage is drawn.
    search: Option<AnimationFrame>,
    /// Draws more cards.
    drawing: Option<AnimationFrame>,
}

impl Frames {
    /// The page was drawn; unless `is_whole`, some cards are still to be redrawn.
    pub fn drawn(&mut self, is_whole: bool, engine: &Engine, act: &Callback<Action>) {
        if !is_whole {
            self.draw_more(act);
        } else if std::mem::take(&mut self.acknowledges) {
            let engine = engine.clone();
            let drawn = Command::Control(Control::Drawn);
            self.acknowledging = Some(request_animation_frame(move |_| engine.send(drawn)));
        }
    }

    #[inline(never)]
    pub fn draw_more(&mut self, act: &Callback<Action>) {
        let act = act.clone();
        self.drawing = Some(request_animation_frame(move |_| {
            act.emit(Action::Stage(StageAction::DrawMore));
        }));
    }

    /// The search is part of the lazy module.
    pub fn search_fixes(&mut self, position: usize, engine: Engine, act: Callback<Action>) {
        self.search = Some(request_animation_frame(move |_| {
            spawn_local(async move {
                if lazy_module::is_missing() {
                    prefetch::idle().await;
                }
                let missing = ExplainAction::FixesUnavailable(position);
                let missing = move || act.emit(Action::Explain(missing));
                let query = Query::Fix { position };
                engine.ask_when_fetched(query, missing).await;
            });
        }));
    }
}
