//! The queue: waiting Pods in the order in which the scheduler pops them.

use yew::{Callback, Html, MouseEvent, classes, html};

use crate::scene::queue::{BACKOFF, BLOCKS, lanes, shares};
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label;
use crate::ui::parts::pod::block_as;
use crate::ui::store::{Action, BoardAction, Store};
use crate::ui::words;
use berth_protocol::frame::PodFrame;
use berth_protocol::page::Lane;

/// The attempt being stepped through.
pub struct Now<'a> {
    /// Its Pod, while it waits.
    pub pod: Option<&'a PodFrame>,
    /// Whether the Pod's node is picked, so that its place in the queue is empty.
    pub has_left: bool,
}

/// The row above the stage.
pub fn view(store: &Store, now: &Now, act: &Callback<Action>) -> Html {
    let queue = &store.view.head.queue;
    let lives = store.view.head.now_ms.is_some();
    let is_stepping = store.time.progress.is_some();
    let current = now.pod.filter(|_| is_stepping);
    let next = queue.active.first.first();
    let next = next.and_then(|key| store.view.pod(key));
    let next = next.map(|pod| {
        let is_now = current.is_some_and(|now| now.key == pod.key);
        words::next_pod(&label(pod), is_now)
    });
    let lanes = lanes(queue);
    let shares = shares(lanes.each_ref().map(|lane| lane.count), BLOCKS);
    let [_, _, _, held_back] = &lanes;
    let lane = |mark: &str, name: &str, lane: &Lane, most: usize, note: Option<String>| {
        let blocks = lane.first.iter().take(most).filter_map(|key| {
            let pod = store.view.pod(key)?;
            let is_current = current.is_some_and(|now| now.key == *key);
            let selected = store.chosen_pod() == Some(key) || (is_current && !now.has_left);
            let more = (is_current && now.has_left).then_some("pod--left");
            Some(block_as(
                pod,
                &store.view.owners,
                selected,
                None,
                more,
                None,
                act,
            ))
        });
        // The label is also the tooltip, because a narrow lane cuts its name.
        let label = words::followed(name, words::pods(lane.count));
        html! {
            <section class="lane" aria-label={label.clone()}>
                <h3 class="lane__head" title={label}>{ icon(mark) }<b>{ name }</b><span class="count">{ words::number(lane.count) }</span>
                    if mark == "waiting" && lane.count > 0 {
                        <button class="link push" data-action="pending-why" title={words::WHY_MEANS} onclick={open_board(act)}>{ words::WHY }</button>
                    }
                    if let Some(note) = note { <span class="push clip" title={note.clone()}>{ note }</span> }
                </h3>
                <div class="lane__pods">
                    { for blocks }
                    if lane.count == 0 { <span class="lane__note">{ words::NONE }</span> }
                    if lane.count > most { { rest(lane.count - most, act) } }
                </div>
            </section>
        }
    };
    // An empty lane keeps its name, however long it is; the others share the width by what they show.
    let column = |share: &usize| match share {
        0 => "max-content".to_owned(),
        share => format!("minmax(min-content, {}fr)", share * 3 + 2),
    };
    let columns = shares.iter().enumerate();
    let columns = columns.filter(|(lane, _)| lives || *lane != BACKOFF);
    let columns: Vec<String> = columns.map(|(_, share)| column(share)).collect();
    let style = format!("grid-template-columns:{}", columns.join(" "));
    let [active, backoff, unschedulable, held] = shares;
    html! {
        <div class={classes!("queue", (!lives).then_some("queue--three"))} {style} role="group" aria-label={words::QUEUE} tabindex={lives.then_some("0")}>
            { lane("active", words::ACTIVE.get(), &queue.active, active, next) }
            if lives { { lane("backoff", words::BACKOFF.get(), &queue.backoff, backoff, None) } }
            { lane("waiting", words::UNSCHEDULABLE.get(), &queue.unschedulable, unschedulable, None) }
            { lane("gated", words::GATED.get(), held_back, held, None) }
        </div>
    }
}

fn open_board(act: &Callback<Action>) -> Callback<MouseEvent> {
    act.reform(|_: MouseEvent| Action::Board(BoardAction::Show(true)))
}

/// The number of Pods that a lane does not show; opens the board of all pending Pods.
fn rest(number: usize, act: &Callback<Action>) -> Html {
    let onclick = open_board(act);
    let label = words::more_pending(number);
    html! {
        <button class="lane__more" data-action="pending" aria-label={label.clone()} title={label} {onclick}>{ format!("+{}", words::number(number)) }</button>
    }
}
