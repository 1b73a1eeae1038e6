//! One attempt, explained: a sentence, the cycle's steps, the matrix, the scores, the message.

mod arithmetic;
mod cell;
mod devices;
mod fixes;
mod header;
mod matrix;
mod message;
mod preemption;
mod reasons;
mod rows;
mod scores;
mod section;
mod since;
mod stepper;
mod table;
mod why_not;

use std::rc::Rc;

use yew::{Callback, Html, html};

use crate::ui::features::case;
use crate::ui::panels::regions;
use crate::ui::parts::owner::{label, label_of};
use crate::ui::parts::remark::remark;
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, Panel, Store};
use crate::words;
use crate::words::explain as text;
use berth_protocol::cycle::Cycle;
use berth_protocol::page::Explained;

/// The right panel. Optional parts are an `if` or an empty node, never a `for`: when a list changes its length, its
/// siblings are recreated and lose the focus.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let body = match &store.explain.explained {
        None => html! {
            <>
                <p class="sentence muted" data-unexplained="">{ unexplained(store) }</p>
                { fixes::of_gates(store, act) }
            </>
        },
        Some(explained) => match &explained.result {
            Err(message) => html! { <p class="sentence bad">{ remark(message) }</p> },
            Ok(cycle) => attempt(store, explained, cycle, act),
        },
    };
    html! {
        <aside class="panel explain" aria-label={words::EXPLAIN}>
            { header::panel_head(store, act) }
            if store.page.prints { <p class="printed">{ origin(store) }</p> }
            <div class="panel__body" tabindex="0" aria-label={words::EXPLAIN}>
                { body }
            </div>
            { regions::edges(Panel::Explain, words::EXPLAIN.get(), store, act) }
        </aside>
    }
}

/// Where a printed explanation is from: the scenario, and the release that it follows.
fn origin(store: &Store) -> Html {
    let head = &store.view.head;
    let title = store.title();
    html! { <><b>{ title }</b>{ " · " }{ words::kubernetes(&head.release.minor) }</> }
}

/// The text shown without an attempt.
fn unexplained(store: &Store) -> String {
    let chosen = store.chosen_pod().and_then(|key| store.view.pod(key));
    let ends = store.view.head.finished;
    let mut pods = store.view.pods.iter();
    // At the end of the run, explain the first Pod that is held back.
    let held = || pods.find(|pod| ends && pod.held_by.is_some());
    let Some(pod) = chosen.or_else(held) else {
        let pods = &store.view.pods;
        let waits = !ends || pods.iter().any(|pod| pod.node.is_none());
        return match (pods.is_empty(), waits) {
            (true, _) => text::NO_PODS.to_owned(),
            (false, true) => text::NOTHING_TO_EXPLAIN.to_owned(),
            (false, false) => text::NO_POD_WAITS.to_owned(),
        };
    };
    match (&pod.node, &pod.held_by) {
        (Some(node), _) => text::was_there(&label(pod), node),
        (None, Some(held_by)) => text::held_back(&label(pod), held_by),
        (None, None) => text::not_tried(&label(pod)),
    }
}

fn attempt(
    store: &Store,
    explained: &Rc<Explained>,
    cycle: &Cycle,
    act: &Callback<Action>,
) -> Html {
    let revealed = store.revealed();
    let owners = &store.view.owners;
    let pod = label_of(&store.view, &cycle.pod);
    let sentence =
        words::sentence::sentence(cycle, &pod, &explained.rows, &revealed, &|node, key| {
            store.view.label(node, key)
        });
    let domain = store.view.node_domain();
    let sentence = words::sentence::without_domain(&sentence, domain);
    let nominated = cycle.preemption.as_ref();
    let nominated = nominated.map(|made| made.nominated.as_str());
    let node = cycle.selected.as_deref().or(nominated);
    let node = node.map(|node| node.strip_suffix(domain).unwrap_or(node));
    let names: Vec<&str> = [pod.as_str()].into_iter().chain(node).collect();
    let has_columns = cycle.search.nodes > 0
        && !cycle.filter_plugins.is_empty()
        && revealed.reached(Point::Filter);
    let filter = || matrix::view(store, explained, cycle, &revealed, act);
    let is_over = revealed.reached(Point::PostFilter);
    // Successful preemption matters more than the nodes without room, so it comes first.
    let preemption = cycle.preemption.as_ref().filter(|_| is_over);
    html! {
        <>
            { header::view(store, cycle, owners, &revealed, act) }
            { header::outdated(store) }
            { stepper::view(store, explained, cycle, &revealed, act) }
            <p class="sentence" role="status" data-sentence="">{ emphasised(&sentence, &names) }</p>
            if is_over { { since::view(store, explained, cycle) } }
            { why_not::view(store, cycle, &revealed, act) }
            { preemption.map(|report| preemption::view(store, report, owners)).unwrap_or_default() }
            if has_columns { { filter() } }
            { devices::view(store, cycle, &revealed, act) }
            { fixes::view(store, act) }
            { case::entry(store, act) }
            { scores::view(store, explained, cycle, &revealed, act) }
            if is_over && let Some(message) = &cycle.message {
                { message::view(store, explained, (message, &cycle.clauses), act) }
            }
        </>
    }
}

/// Whether the outcome is shown, and not only a step before it.
fn shows_outcome(revealed: &Revealed) -> bool {
    let stop = revealed.stop.as_ref();
    stop.is_none_or(|stop| stop.point == Point::PostFilter || stop.point >= Point::Select)
}

/// The text with these names in bold, where they occur as whole words.
fn emphasised(text: &str, names: &[&str]) -> Html {
    let parts = split(text, names).into_iter().map(|(is_name, part)| {
        if is_name {
            html! { <b>{ part }</b> }
        } else {
            html! { { part } }
        }
    });
    parts.collect()
}

/// Splits the text into names (`true`) and the text between them.
fn split<'a>(text: &'a str, names: &[&str]) -> Vec<(bool, &'a str)> {
    let mut parts = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let is_start = !before.is_some_and(in_name);
        let mut names = names.iter().filter(|name| is_start && is_word(rest, name));
        if let Some(name) = names.next() {
            parts.push((false, text.get(plain..at).unwrap_or_default()));
            parts.push((true, text.get(at..at + name.len()).unwrap_or_default()));
            at += name.len();
            plain = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push((false, text.get(plain..).unwrap_or_default()));
    parts.retain(|(_, part)| !part.is_empty());
    parts
}

/// Whether the text begins with the name as a whole word. A dot after it counts as a full stop, not as a part
/// of a name.
fn is_word(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix(name).filter(|_| !name.is_empty());
    let next = rest.map(|rest| rest.chars().next());
    next.is_some_and(|next| !next.is_some_and(|next| in_name(next) && next != '.'))
}

fn in_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '/')
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_are_distinguished_from_words_that_contain_them() {
        let text = "web goes to web-1: web-1 scores highest, ahead of web-10. web.";
        let parts = split(text, &["web", "web-1", ""]);
        let names: Vec<&str> = parts
            .iter()
            .filter_map(|(is_name, part)| is_name.then_some(*part))
            .collect();
        assert_eq!(names, ["web", "web-1", "web-1", "web"]);
        let whole: String = parts.iter().map(|(_, part)| *part).collect();
        assert_eq!(whole, text);
        assert_eq!(split("", &["a"]), []);
    }
}
