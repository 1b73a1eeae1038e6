//! The dialog that chooses what to compare.

use std::collections::BTreeMap;

use yew::{Callback, Html, SubmitEvent, html};

use super::send;
use crate::ui::features::compare::{CompareAction, Topic};
use crate::ui::parts::form::{field_of, option};
use crate::ui::store::{Action, Store};
use crate::words::compare as words;
use berth_protocol::compare::{Pairing, Side};
use berth_protocol::frame::NodeFrame;
use berth_protocol::page::KnownRelease;

/// kube-scheduler's defaults.
const DEFAULT_CONFIG: &str =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
/// Full nodes first, with a weight that outdoes what spreads.
const PACKING_CONFIG: &str = "\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      enabled:
      - {name: NodeResourcesFit, weight: 5}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - {name: cpu, weight: 1}
        - {name: memory, weight: 1}
";
/// The name of the file that a typed configuration is stored as.
const CONFIG_FILE: &str = "scheduler.yaml";
/// Maximum number of selectors offered.
const OFFERED: usize = 60;

/// The dialog's body.
pub fn view(store: &Store, topic: Topic, act: &Callback<Action>) -> Html {
    let topics = [
        (
            Topic::Configurations,
            "configurations",
            words::CONFIGURATIONS,
        ),
        (Topic::Versions, "versions", words::VERSIONS),
        (Topic::Seeds, "seeds", words::SEEDS),
        (Topic::Nodes, "nodes", words::WITHOUT_NODES),
        (Topic::Gates, "gates", words::GATES),
        (Topic::Edits, "edits", words::EDITS),
    ];
    let tabs = topics.map(|(of, name, label)| {
        let onclick = send(act, CompareAction::Choose(of));
        html! { <button class="tab" role="tab" type="button" aria-selected={(of == topic).to_string()} data-topic={name} {onclick}>{ label }</button> }
    });
    let body = match topic {
        Topic::Configurations => configurations(),
        Topic::Versions => versions(store),
        Topic::Seeds => seeds(store),
        Topic::Nodes => nodes(store),
        Topic::Gates => gates(),
        Topic::Edits => edits(store),
    };
    let has_fork = store.view.head.fork.is_some();
    let help = match topic {
        Topic::Edits if has_fork => words::FORK_HELP,
        Topic::Edits => words::NO_FORK,
        _ => words::MANIFESTS_HELP,
    };
    let onsubmit = {
        let act = act.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(pairing) = read(topic, &event) {
                let pairing = Some(Box::new(pairing));
                act.emit(Action::Compare(CompareAction::Begin(pairing)));
            }
        })
    };
    html! {
        <div class="cmpform">
            if store.view.about.compares {
                <p><button class="btn btn--line" type="button" data-action="compare-as-scenario" onclick={send(act, CompareAction::Begin(None))}>{ words::AS_SCENARIO }</button></p>
            }
            <div class="tabs" role="tablist" aria-label={words::COMPARE_TITLE}>{ for tabs }</div>
            <form {onsubmit} data-form="compare">
                { body }
                <p class="note">{ help }</p>
                <button class="btn btn--primary" data-action="begin-compare" disabled={topic == Topic::Edits && !has_fork}>{ words::COMPARE }</button>
            </form>
        </div>
    }
}

fn configurations() -> Html {
    html! {
        <>
            <label class="cmpform__line"><span>{ words::WITH_THIS }</span>
                <select class="field" name="preset" data-first="">
                    { option("packing", words::BIN_PACKING.get(), true) }
                    { option("default", words::THE_DEFAULTS.get(), false) }
                    { option("own", words::OWN_TEXT.get(), false) }
                </select>
            </label>
            <textarea class="field field--mono cmpform__text" name="config" rows="8" spellcheck="false" aria-label={words::OWN_CONFIGURATION} placeholder={DEFAULT_CONFIG} />
        </>
    }
}

fn versions(store: &Store) -> Html {
    let release = &store.view.head.release;
    let known = release.known.iter();
    let other = known
        .map(|it| &it.minor)
        .rfind(|minor| **minor != release.minor);
    let choice = |side: &str, name: &'static str, chosen: Option<&String>| {
        let options = release.known.iter().map(|KnownRelease { minor, .. }| {
            option(minor, &format!("v{minor}"), Some(minor) == chosen)
        });
        html! { <label class="cmpform__line"><span>{ side }</span><select class="field" {name}>{ for options }</select></label> }
    };
    html! {
        <>
            { choice("A", "a", Some(&release.minor)) }
            { choice("B", "b", other) }
        </>
    }
}

fn seeds(store: &Store) -> Html {
    let seed = store.view.head.seed;
    let field = |side: &'static str, name: &'static str, value: u64| {
        html! { <label class="cmpform__line"><span>{ side }</span><input class="field field--mono" {name} inputmode="numeric" pattern="[0-9]+" required=true value={value.to_string()} /></label> }
    };
    html! { <>{ field("A", "a", seed) }{ field("B", "b", seed.wrapping_add(1)) }</> }
}

fn nodes(store: &Store) -> Html {
    let selectors = selectors(store.view.nodes.iter().map(|node| &**node));
    let first = selectors.first().map(|(selector, _)| selector.clone());
    let options = selectors.iter().take(OFFERED).map(|(selector, count)| {
        html! { <option value={selector.clone()}>{ crate::words::nodes(*count) }</option> }
    });
    html! {
        <>
            <label class="cmpform__line"><span>{ words::SELECTOR }</span>
                <input class="field field--mono" name="without" list="selectors" required=true value={first} data-first="" />
            </label>
            <datalist id="selectors">{ for options }</datalist>
            <p class="note">{ words::SELECTOR_HELP }</p>
        </>
    }
}

fn gates() -> Html {
    html! {
        <>
            <label class="cmpform__line"><span>{ words::GATE_NAME }</span>
                <input class="field field--mono" name="gate" required=true data-first="" />
            </label>
            <label class="cmpform__line"><span>{ "B" }</span>
                <select class="field" name="on">
                    { option("true", words::GATE_ON.get(), true) }
                    { option("false", words::GATE_OFF.get(), false) }
                </select>
            </label>
        </>
    }
}

fn edits(store: &Store) -> Html {
    let fork = store.view.head.fork.as_ref();
    let changes = fork.iter().flat_map(|fork| &fork.changes).map(|change| {
        let phrase = crate::words::change(change);
        html! { <li>{ phrase.what }{ " " }<b>{ phrase.name }</b>{ phrase.how }</li> }
    });
    html! { <ol class="changes">{ for changes }</ol> }
}

/// The sides that the form says.
fn read(topic: Topic, event: &SubmitEvent) -> Option<Pairing> {
    let field = |name: &str| field_of(event, name).trim().to_owned();
    let [mut a, mut b] = [Side::default(), Side::default()];
    match topic {
        Topic::Configurations => {
            let (name, text) = match field("preset").as_str() {
                "default" => (words::THE_DEFAULTS.to_owned(), DEFAULT_CONFIG.to_owned()),
                "packing" => ("MostAllocated".to_owned(), PACKING_CONFIG.to_owned()),
                _ => (CONFIG_FILE.to_owned(), field("config")),
            };
            b.name = name;
            b.config = Some((CONFIG_FILE.to_owned(), text));
        }
        Topic::Versions => {
            a.kubernetes = Some(field("a"));
            b.kubernetes = Some(field("b"));
        }
        Topic::Seeds => {
            a.seed = Some(field("a").parse().ok()?);
            b.seed = Some(field("b").parse().ok()?);
        }
        Topic::Nodes => b.without = vec![field("without")],
        Topic::Gates => {
            b.feature_gates = BTreeMap::from([(field("gate"), field("on") == "true")]);
        }
        Topic::Edits => return Some(Store::fork_pairing()),
    }
    Some(Pairing {
        a,
        b,
        ..Pairing::default()
    })
}

/// The selectors to offer, with the number of their nodes: labels that some but not all nodes have, those of many nodes
/// first. The host name is the label of a single node.
fn selectors<'n>(nodes: impl Iterator<Item = &'n NodeFrame>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0;
    for node in nodes {
        all += 1;
        for (key, value) in &node.labels {
            *counts.entry(format!("{key}={value}")).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count < all);
    let mut selectors: Vec<(String, usize)> = counts.into_iter().collect();
    selectors.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    selectors
}
