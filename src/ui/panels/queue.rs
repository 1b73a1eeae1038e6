//! The queue: waiting Pods in the order in which the scheduler takes them.

use std::collections::BTreeMap;

use yew::{Callback, Html, html};

use crate::base::sort;
use crate::protocol::frame::PodFrame;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::parts::pod::block;
use crate::ui::store::Store;
use crate::ui::words;

/// Blocks shown in a lane; the rest is a number.
const SHOWN: usize = 12;

/// The row above the stage.
pub fn view(store: &Store, owners: &Owners, choose: &Callback<String>) -> Html {
    let queue = &store.frame.queue;
    let pods = store.frame.pods.iter();
    let pods: BTreeMap<&str, &PodFrame> = sort::gather(pods.map(|pod| (pod.key.as_str(), pod)));
    let held_back: Vec<String> = queue
        .gated
        .iter()
        .chain(&queue.unmanaged)
        .cloned()
        .collect();
    let lane = |mark: &str, name: &str, keys: &[String]| {
        let blocks = keys.iter().take(SHOWN).filter_map(|key| {
            let pod = pods.get(key.as_str())?;
            let selected = store.pod.as_ref() == Some(key);
            Some(block(pod, owners, selected, true, choose))
        });
        html! {
            <section class="lane" aria-label={format!("{name}, {}", words::count(keys.len(), "Pod", "Pods"))}>
                <h3 class="lane__head">{ icon(mark) }<b>{ name }</b><span class="count">{ keys.len() }</span></h3>
                <div class="lane__pods">
                    { for blocks }
                    if keys.is_empty() { <span class="lane__note">{ words::NONE }</span> }
                    if keys.len() > SHOWN { <span class="lane__note">{ format!("+{}", keys.len() - SHOWN) }</span> }
                </div>
            </section>
        }
    };
    html! {
        <div class="queue queue--three" aria-label={words::QUEUE}>
            { lane("active", words::ACTIVE, &queue.active) }
            { lane("waiting", words::UNSCHEDULABLE, &queue.unschedulable) }
            { lane("gated", words::GATED, &held_back) }
        </div>
    }
}
