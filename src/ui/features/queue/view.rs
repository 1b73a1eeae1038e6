//! The queue: waiting Pods in the order in which the scheduler pops them.

use yew::{Callback, Html, MouseEvent, classes, html};

use crate::scene::queue::{BACKOFF, BLOCKS_BY_WIDTH, lanes, shares};
use crate::ui::features::board::BoardAction;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label;
use crate::ui::parts::pod::{Kind, block_as};
use crate::ui::store::{Action, Store};
use crate::words;
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
    let next = next(store, current);
    let lanes = lanes(queue);
    let counts = lanes.each_ref().map(|lane| lane.count);
    // For each width of the stage.
    let shares = BLOCKS_BY_WIDTH.map(|blocks| shares(counts, blocks));
    let [_, _, _, held_back] = &lanes;
    let (held_name, split) = words::held_back(queue.gated.count, queue.unmanaged.count);
    let lane = |mark: &str, name: &str, number: usize, lane: &Lane, note: Option<String>| {
        let shown = shares
            .each_ref()
            .map(|shares| shares.get(number).copied().unwrap_or(0));
        let [most, ..] = shown;
        let blocks = lane
            .first
            .iter()
            .take(most)
            .enumerate()
            .filter_map(|(place, key)| {
                let pod = store.view.pod(key)?;
                let fits = shown.iter().filter(|shown| place < **shown).count();
                let is_current = current.is_some_and(|now| now.key == *key);
                let selected = store.chosen_pod() == Some(key) || (is_current && !now.has_left);
                let more = (is_current && now.has_left).then_some("pod--left");
                let block = block_as(
                    pod,
                    &store.view.owners,
                    selected,
                    Kind::Queued,
                    more,
                    None,
                    act,
                );
                Some(
                    html! { <span class="lane__pod" data-fits={fits.to_string()}>{ block }</span> },
                )
            });
        // The label is also the tooltip, because a narrow lane cuts its name.
        let count = match mark {
            "gated" => split.clone(),
            _ => words::pods(lane.count),
        };
        let label = words::followed(name, count);
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
                    { rest(lane.count, shown, act) }
                </div>
            </section>
        }
    };
    let [widest, ..] = &shares;
    let style = columns(widest, lives);
    html! {
        <div class={classes!("queue", (!lives).then_some("queue--three"))} {style} role="group" aria-label={words::QUEUE} tabindex={lives.then_some("0")}>
            { lane("active", words::ACTIVE.get(), 0, &queue.active, next) }
            if lives { { lane("backoff", words::BACKOFF.get(), BACKOFF, &queue.backoff, None) } }
            { lane("waiting", words::UNSCHEDULABLE.get(), 2, &queue.unschedulable, nominated(store)) }
            { lane("gated", held_name.get(), 3, held_back, None) }
        </div>
    }
}

/// The Pod that the scheduler takes next; `current`: the one that it tries now.
fn next(store: &Store, current: Option<&PodFrame>) -> Option<String> {
    let next = store.view.head.queue.active.first.first()?;
    let pod = store.view.pod(next)?;
    let is_now = current.is_some_and(|now| now.key == pod.key);
    Some(words::next_pod(&label(pod), is_now))
}

/// The node on which a place is kept for a Pod that waits.
fn nominated(store: &Store) -> Option<String> {
    let mut waiting = store.view.head.queue.unschedulable.first.iter();
    let node = waiting.find_map(|key| store.view.pod(key)?.nominated_node.as_deref());
    node.map(words::explain::nominated)
}

/// The columns of the lanes, by what each shows: an empty lane keeps its name, however long it is.
fn columns(shares: &[usize; 4], lives: bool) -> String {
    let column = |share: &usize| match share {
        0 => "max-content".to_owned(),
        share => format!("minmax(min-content, {}fr)", share * 3 + 2),
    };
    let lanes = shares
        .iter()
        .enumerate()
        .filter(|(lane, _)| lives || *lane != BACKOFF);
    let columns: Vec<String> = lanes.map(|(_, share)| column(share)).collect();
    format!("grid-template-columns:{}", columns.join(" "))
}

fn open_board(act: &Callback<Action>) -> Callback<MouseEvent> {
    act.reform(|_: MouseEvent| Action::Board(BoardAction::Show(true)))
}

/// The number of Pods that a lane does not show at each width of the stage; opens the board of all pending Pods.
fn rest(count: usize, shown: [usize; 3], act: &Callback<Action>) -> Html {
    let rests = shown.map(|shown| count.saturating_sub(shown));
    let Some(from) = rests.iter().position(|rest| *rest > 0) else {
        return html! {};
    };
    let rests = rests.iter().enumerate().map(|(width, rest)| {
        let label = words::more_pending(*rest);
        html! { <span data-at={width.to_string()} title={label.clone()}><span aria-hidden="true">{ format!("+{}", words::number(*rest)) }</span><span class="visually-hidden">{ label }</span></span> }
    });
    html! {
        <button class="lane__more" data-action="pending" data-from={from.to_string()} onclick={open_board(act)}>{ for rests }</button>
    }
}
