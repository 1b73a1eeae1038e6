//! The queue: waiting Pods in the order in which the scheduler pops them.

use yew::{Callback, Html, classes, html};

use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label;
use crate::ui::parts::pod::block_as;
use crate::ui::store::{Action, Store};
use crate::ui::words;
use berth_protocol::frame::PodFrame;
use berth_protocol::page::Lane;

/// Maximum number of blocks shown in a lane, limited by its width; the rest is counted.
const ACTIVE: usize = 4;
const BACKOFF: usize = 2;
const UNSCHEDULABLE: usize = 2;
const GATED: usize = 2;

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
    let held_back = Lane {
        first: [&queue.gated.first[..], &queue.unmanaged.first[..]].concat(),
        count: queue.gated.count + queue.unmanaged.count,
    };
    let lives = store.view.head.now_ms.is_some();
    let is_stepping = store.time.progress.is_some();
    let current = now.pod.filter(|_| is_stepping);
    let next = queue.active.first.first();
    let next = next.and_then(|key| store.view.pod(key));
    let next = next.map(|pod| {
        let is_now = current.is_some_and(|now| now.key == pod.key);
        words::next_pod(&label(pod), is_now)
    });
    let lane = |mark: &str, name: &str, lane: &Lane, most: usize, note: Option<String>| {
        let blocks = lane.first.iter().take(most).filter_map(|key| {
            let pod = store.view.pod(key)?;
            let is_current = current.is_some_and(|now| now.key == *key);
            let selected = store.chosen_pod() == Some(key) || (is_current && !now.has_left);
            let more = (is_current && now.has_left).then_some("pod--left");
            Some(block_as(pod, &store.view.owners, selected, None, more, act))
        });
        // The label is also the tooltip, because a narrow lane cuts its name.
        let label = format!("{name}, {}", words::count(lane.count, "Pod", "Pods"));
        html! {
            <section class="lane" aria-label={label.clone()}>
                <h3 class="lane__head" title={label}>{ icon(mark) }<b>{ name }</b><span class="count">{ words::number(lane.count) }</span>
                    if let Some(note) = note { <span class="push clip" title={note.clone()}>{ note }</span> }
                </h3>
                <div class="lane__pods">
                    { for blocks }
                    if lane.count == 0 { <span class="lane__note">{ words::NONE }</span> }
                    if lane.count > most { <span class="lane__note">{ format!("+{}", words::number(lane.count - most)) }</span> }
                </div>
            </section>
        }
    };
    html! {
        <div class={classes!("queue", (!lives).then_some("queue--three"))} role="group" aria-label={words::QUEUE} tabindex={lives.then_some("0")}>
            { lane("active", words::ACTIVE, &queue.active, ACTIVE, next) }
            if lives { { lane("backoff", words::BACKOFF, &queue.backoff, BACKOFF, None) } }
            { lane("waiting", words::UNSCHEDULABLE, &queue.unschedulable, UNSCHEDULABLE, None) }
            { lane("gated", words::GATED, &held_back, GATED, None) }
        </div>
    }
}
