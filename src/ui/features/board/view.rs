//! The board of pending Pods: why each group of them waits, and the nearest fix.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, MouseEvent, TargetCast, html};

use super::state::{Answer, BoardAction, Cause, Group, GroupBy, Nearest, groups, is_found};
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::what_if;
use crate::ui::panels::regions;
use crate::ui::parts::icon::{action, icon};
use crate::ui::parts::owner;
use crate::ui::parts::pod::{Kind, block_as};
use crate::ui::store::{Action, Panel, Store};
use crate::ui::styles;
use crate::words;
use crate::words::explain as text;
use berth_protocol::cluster_word::ClusterWord;
use berth_protocol::fix::GroupFix;
use berth_protocol::frame::PodFrame;
use berth_protocol::key;

/// Maximum number of groups, and of Pods of one group, that are drawn; the rest is counted.
const GROUPS: usize = 100;
const PODS: usize = 8;

/// Of how many Pods Berth says what the cluster of the dump said, and the others with both texts.
#[inline(never)]
fn cluster_word(word: &ClusterWord) -> Html {
    let sentence = words::said(word);
    if word.different.is_empty() {
        return html! { <p class="note" data-said={word.same.to_string()}>{ sentence }</p> };
    }
    let rows = word.different.iter().take(GROUPS).map(|other| {
        html! {
            <li>
                <b>{ words::short_key(&other.pod) }</b>
                <p>{ words::said_cluster(other) }</p>
                <p>{ words::said_berth(other) }</p>
                <p class="muted">{ words::said_likely(other) }</p>
            </li>
        }
    });
    html! {
        <details class="note" data-said={word.same.to_string()}>
            <summary>{ sentence }</summary>
            <ul>{ for rows }</ul>
        </details>
    }
}

/// The board, in place of Explain.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    styles::load(styles::BOARD);
    styles::load(styles::FORMS);
    let all = groups(&store.view, store.board.by);
    let pods: usize = all.iter().map(|group| group.pods.len()).sum();
    let shown: Vec<&Group> = all.iter().filter(|group| matches(store, group)).collect();
    let more = shown.len().saturating_sub(GROUPS);
    let rows = shown.iter().take(GROUPS);
    let domain = store.view.node_domain();
    let mut above = None;
    let rows = rows.map(|group| {
        let title = heading(store, group);
        let is_new = title.is_some() && above != title;
        above.clone_from(&title);
        html! {
            <>
                if is_new { <li class="groups__of">{ title }</li> }
                { row(store, group, domain, act) }
            </>
        }
    });
    let rows: Vec<Html> = rows.collect();
    let typed = act.reform(|event: InputEvent| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        Action::Board(BoardAction::Search(
            field.map(|field| field.value()).unwrap_or_default(),
        ))
    });
    let close = Action::Board(BoardAction::Show(false));
    html! {
        <aside class="panel explain board" aria-label={words::PENDING} data-board={pods.to_string()}>
            <header class="panel__head">
                <h2 class="panel__title">{ words::PENDING }</h2>
                <span class="badge badge--waiting" title={words::pending(pods, all.len())}>{ icon("waiting") }<span class="clip">{ words::pods(pods) }</span></span>
                <span class="push" />
                <button class="btn btn--small" data-action="copy-pending" disabled={all.is_empty()} onclick={act.reform(|_: MouseEvent| Action::Board(BoardAction::Copy))}>{ words::COPY_MARKDOWN }</button>
                { action("close-board", words::CLOSE.get(), "close", false, act, close) }
            </header>
            if let Some(asked) = &store.board.asked {
                <div class="panel__body" tabindex="0" aria-label={words::WHAT_IF}>{ what_if::asked(store, asked, act) }</div>
            } else {
            <div class="board__find">
                <input class="field" type="search" data-field="pending" aria-label={words::FIND_PENDING} placeholder={words::FIND_PENDING} value={store.board.search.clone()} oninput={typed} />
                { by(store, act) }
            </div>
            <div class="panel__body" tabindex="0" aria-label={words::PENDING}>
                { for store.view.head.cluster_word.as_ref().map(cluster_word) }
                <ol class="groups">{ for rows }</ol>
                if more > 0 { <p class="note">{ words::and_more(more) }</p> }
                if all.is_empty() {
                    <p class="note" role="status">{ words::NONE_PENDING }</p>
                } else if shown.is_empty() {
                    <p class="note" role="status">{ words::NO_GROUP }</p>
                }
            </div>
            }
            { what_if::view(store, act) }
            { regions::edges(Panel::Explain, words::PENDING.get(), store, act) }
        </aside>
    }
}

/// The switch between what groups share.
fn by(store: &Store, act: &Callback<Action>) -> Html {
    let choices = [GroupBy::Cause, GroupBy::Namespace, GroupBy::Owner].map(|by| {
        let onclick = act.reform(move |_: MouseEvent| Action::Board(BoardAction::GroupBy(by)));
        let chosen = store.board.by == by;
        html! { <button role="radio" aria-checked={chosen.to_string()} {onclick}>{ words::grouped_by(by) }</button> }
    });
    html! { <div class="seg" role="radiogroup" aria-label={words::GROUP_PENDING} data-group-by="">{ for choices }</div> }
}

/// What this group and those beside it share.
fn heading(store: &Store, group: &Group) -> Option<String> {
    let first = group.pods.first()?;
    let namespace = namespace(first);
    match store.board.by {
        GroupBy::Cause => None,
        GroupBy::Namespace => Some(namespace.to_owned()),
        GroupBy::Owner => Some(format!("{namespace}/{}", owner::name(first))),
    }
}

fn answer<'s>(store: &'s Store, group: &Group) -> Option<&'s Answer> {
    match group.cause {
        Cause::Rejected(position) => store.board.answers.get(&position),
        Cause::Held(_) | Cause::Untried => None,
    }
}

/// Whether the search finds a Pod or the cause of the group.
fn matches(store: &Store, group: &Group) -> bool {
    let wanted = store.board.wanted();
    let cause = || {
        let cause = words::cause(&group.cause, answer(store, group), "");
        let message = group.pods.first().map(|pod| pod.message.as_str());
        cause.as_deref().into_iter().chain(message).any(|text| {
            let text = text.to_lowercase();
            text.contains(&wanted)
        })
    };
    wanted.is_empty() || group.pods.iter().any(|pod| is_found(pod, &wanted)) || cause()
}

fn row(store: &Store, group: &Group, domain: &str, act: &Callback<Action>) -> Html {
    let Some(first) = group.pods.first() else {
        return html! {};
    };
    let answer = answer(store, group);
    let cause = words::cause(&group.cause, answer, domain);
    let mark = match group.cause {
        Cause::Rejected(_) => "rejected",
        Cause::Held(_) => "gated",
        Cause::Untried => "active",
    };
    let (namespace, owners) = who(group);
    let plugins = answer.map(plugins).unwrap_or_default();
    let blocks = group.pods.iter().take(PODS).map(|pod| {
        block_as(
            pod,
            &store.view.owners,
            false,
            Kind::Queued,
            None,
            None,
            act,
        )
    });
    let more = group.pods.len().saturating_sub(PODS);
    html! {
        <li class="group" data-group={first.key.clone()}>
            <div class="group__n"><b>{ words::number(group.pods.len()) }</b>{ icon(mark) }</div>
            <div class="group__main">
                <h3 class="group__cause" translate={cause.is_none().then_some("no")}>{ cause.unwrap_or_else(|| first.message.clone()) }</h3>
                <p class="group__who"><span class="clip" title={format!("{namespace}{owners}")}><span class="ns">{ namespace }</span><b>{ owners }</b></span><span>{ asked(group) }</span><span class="push clip" title={plugins.clone()}>{ plugins }</span></p>
                <div class="group__pods">{ for blocks }if more > 0 { <span class="lane__note">{ format!("+{}", words::number(more)) }</span> }</div>
                { fix(store, group, answer, act) }
            </div>
        </li>
    }
}

/// The namespace of all Pods with a slash, and their owners; owners of several namespaces have theirs in their names.
fn who(group: &Group) -> (String, String) {
    let pair = |pod: &Rc<PodFrame>| (namespace(pod).to_owned(), owner::name(pod));
    let owners: BTreeSet<(String, String)> = group.pods.iter().map(pair).collect();
    let first = owners.first().map(|(namespace, _)| namespace.clone());
    let shared = first.filter(|first| owners.iter().all(|(other, _)| other == first));
    let names = owners.iter().map(|(namespace, owner)| match shared {
        Some(_) => owner.clone(),
        None => format!("{namespace}/{owner}"),
    });
    let names: Vec<String> = names.collect();
    let names = words::sentence::listed(names.iter().map(String::as_str));
    let shared = shared.map_or_else(String::new, |namespace| format!("{namespace}/"));
    (shared, names)
}

/// What each Pod asks for; nothing if they ask for different amounts.
fn asked(group: &Group) -> String {
    let mut all = group.pods.iter().map(|pod| text::requests(pod));
    let first = all.next().unwrap_or_default();
    match all.all(|other| other == first) {
        true => words::each(&first, group.pods.len()),
        false => String::new(),
    }
}

fn namespace(pod: &PodFrame) -> &str {
    key::split(&pod.key).0
}

/// The plugins that reject nodes, the most frequent first.
fn plugins(answer: &Answer) -> String {
    let mut plugins: Vec<&str> = Vec::new();
    for reason in &answer.rows.reasons {
        if !plugins.contains(&reason.plugin.as_str()) {
            plugins.push(&reason.plugin);
        }
    }
    plugins.join(words::language::comma())
}

fn fix(store: &Store, group: &Group, answer: Option<&Answer>, act: &Callback<Action>) -> Html {
    let Some(first) = group.pods.first() else {
        return html! {};
    };
    let key = first.key.clone();
    let explain =
        act.reform(move |_: MouseEvent| Action::Explain(ExplainAction::Find(key.clone())));
    let explain = html! { <button class="btn btn--line btn--small" data-action="explain-pending" onclick={explain}>{ words::EXPLAIN }</button> };
    let without = |why: &'static str| {
        html! { <div class="group__fix group__fix--none"><span>{ why }</span>{ explain.clone() }</div> }
    };
    match (&group.cause, answer.map(|answer| &answer.nearest)) {
        (Cause::Held(berth_protocol::frame::HeldBy::Gates(_)), _) => {
            match store.board.gates.get(&first.key) {
                _ if store.lesson.hides_fixes() => {
                    html! { <div class="group__fix group__fix--none">{ explain }</div> }
                }
                None | Some(Nearest::Unknown) => without(words::SEARCHING.get()),
                Some(Nearest::Stopped) => without(words::work::SEARCH_STOPPED.get()),
                Some(Nearest::None) => without(words::GATE_ALONE.get()),
                Some(Nearest::Found(fix)) => {
                    let tried = BoardAction::Ungate(first.key.clone());
                    found(tried, group, fix, explain, act)
                }
            }
        }
        (Cause::Held(_), _) => without(words::LEFT_ALONE.get()),
        (Cause::Rejected(_), _) if store.lesson.hides_fixes() => {
            html! { <div class="group__fix group__fix--none">{ explain }</div> }
        }
        (Cause::Untried, _) => without(words::STEP_TO_TRY.get()),
        (Cause::Rejected(_), None | Some(Nearest::Unknown)) => without(words::SEARCHING.get()),
        (Cause::Rejected(_), Some(Nearest::Stopped)) => without(words::work::SEARCH_STOPPED.get()),
        (Cause::Rejected(_), Some(Nearest::None)) => without(words::NO_FIX_FOR_IT.get()),
        (Cause::Rejected(position), Some(Nearest::Found(fix))) => {
            found(BoardAction::Try(*position), group, fix, explain, act)
        }
    }
}

fn found(
    tried: BoardAction,
    group: &Group,
    fix: &GroupFix,
    explain: Html,
    act: &Callback<Action>,
) -> Html {
    let (helped, fix) = (fix, &fix.fix);
    let sentence = words::remark(&fix.remark());
    let onclick = act.reform(move |_: MouseEvent| Action::Board(tried.clone()));
    let pods = group.pods.len();
    let label = words::labelled(words::TRY_ON_FORK, &sentence);
    html! {
        <div class="group__fix" data-nearest={fix.what.kind()}>
            <span>{ sentence }if let Some(moves) = words::moves(fix) { <span class="muted">{ " " }{ moves }</span> }</span>
            <span class="fix__gain" data-helped={helped.helped.to_string()} title={words::helps_of(helped, pods)}>{ icon("feasible") }{ words::helps(helped, pods) }</span>
            <button class="btn btn--line btn--small" data-action="try-nearest" aria-label={label} {onclick}>{ words::TRY_ON_FORK }</button>
            { explain }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(pods: &[(&str, i64)]) -> Group {
        let pod = |(key, milli_cpu): &(&str, i64)| {
            Rc::new(PodFrame {
                key: (*key).to_owned(),
                milli_cpu: *milli_cpu,
                ..PodFrame::default()
            })
        };
        Group {
            pods: pods.iter().map(pod).collect(),
            cause: Cause::Untried,
        }
    }

    #[test]
    fn pods_keep_their_namespaces_and_their_requests() {
        let one = group(&[("x/a", 9000), ("x/b", 9000)]);
        assert_eq!(who(&one), ("x/".to_owned(), "a and b".to_owned()));
        assert_eq!(asked(&one), "9 CPU each");
        let two = group(&[("x/big1", 9000), ("yy/big2", 500)]);
        assert_eq!(who(&two), (String::new(), "x/big1 and yy/big2".to_owned()));
        assert_eq!(asked(&two), "");
    }
}
