//! The queue: waiting Pods in the order in which the scheduler takes them.

use yew::{Callback, Html, html};

use crate::protocol::page::Lane;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::parts::pod::block;
use crate::ui::store::{Action, Store};
use crate::ui::words;

/// Blocks shown in a lane; the rest is a number.
const SHOWN: usize = 12;

/// The row above the stage.
pub fn view(store: &Store, owners: &Owners, act: &Callback<Action>) -> Html {
    let queue = &store.view.queue;
    let held_back = Lane {
        first: [&queue.gated.first[..], &queue.unmanaged.first[..]].concat(),
        count: queue.gated.count + queue.unmanaged.count,
    };
    let lane = |mark: &str, name: &str, lane: &Lane| {
        let blocks = lane.first.iter().take(SHOWN).filter_map(|key| {
            let pod = store.view.pod(key)?;
            let selected = store.chosen_pod() == Some(key);
            Some(block(pod, owners, selected, true, act))
        });
        html! {
            <section class="lane" aria-label={format!("{name}, {}", words::count(lane.count, "Pod", "Pods"))}>
                <h3 class="lane__head">{ icon(mark) }<b>{ name }</b><span class="count">{ lane.count }</span></h3>
                <div class="lane__pods">
                    { for blocks }
                    if lane.count == 0 { <span class="lane__note">{ words::NONE }</span> }
                    if lane.count > SHOWN { <span class="lane__note">{ format!("+{}", lane.count - SHOWN) }</span> }
                </div>
            </section>
        }
    };
    html! {
        <section class="queue queue--three" aria-label={words::QUEUE}>
            { lane("active", words::ACTIVE, &queue.active) }
            { lane("waiting", words::UNSCHEDULABLE, &queue.unschedulable) }
            { lane("gated", words::GATED, &held_back) }
        </section>
    }
}
