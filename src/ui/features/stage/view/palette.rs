//! The form that adds objects: zones, nodes from templates, Pods and Deployments.

use std::collections::BTreeMap;

use yew::{Callback, Html, SubmitEvent, html};

use super::templates;
use crate::ui::features::stage::StageAction;
use crate::ui::parts::focus::Focused;
use crate::ui::parts::form::{Form, field_of, option, refusal};
use crate::ui::parts::icon::action;
use crate::ui::store::{Action, EditAction, Store};
use crate::ui::styles;
use crate::words;
use crate::words::docks as text;
use berth_protocol::gesture::{
    ApartForm, ClaimForm, Gesture, NearForm, PodForm, SpreadForm, TolerationForm,
};

/// The form; empty if it is closed.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    if store.stage.adding {
        form(store, act)
    } else {
        html! {}
    }
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn form(store: &Store, act: &Callback<Action>) -> Html {
    styles::load(styles::FORMS);
    html! {
        <Focused><section class="pop palette" role="dialog" aria-label={words::ADD_TITLE} data-form="add">
            <h3 class="pop__title">{ words::ADD }<span class="push" />
                { action("close-form", words::CLOSE.get(), "close", false, act, Action::Stage(StageAction::Adding(false))) }
            </h3>
            { refusal(store.stage.refusal.as_ref()) }
            <div class="nodeform__body">
                { zone(store, act) }
                { templates::view(store, act) }
                { pods(store, act) }
                <p class="note note--after">{ words::YAML_FOLLOWS }</p>
            </div>
        </section></Focused>
    }
}

fn zone(store: &Store, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        act.emit(Action::Stage(StageAction::AddZone(
            field_of(&event, "zone").trim().to_owned(),
        )));
    });
    let key = words::new_domain(&store.stage.group_by);
    html! {
        <Form class="nodeform__row" answers={store.stage.answers} {onsubmit}>
            <label class="lab" for="new-zone">{ key }</label>
            <input class="field field--mono" id="new-zone" name="zone" data-field="zone" data-first={has_keys()} placeholder={store.next_domain()} autocomplete="off" />
            <button class="btn btn--line" data-action="add-zone">{ words::ADD }</button>
        </Form>
    }
}

/// Marks what takes the focus, unless a keyboard would then cover half of the screen.
fn has_keys() -> Option<&'static str> {
    let query = gloo::utils::window().match_media("(hover)").ok().flatten();
    query.is_some_and(|query| query.matches()).then_some("")
}

pub(super) fn input(name: &'static str, label: &'static str, value: &'static str) -> Html {
    html! {
        <label class="nodeform__field"><span class="lab">{ label }</span>
            <input class="field field--mono" {name} ~defaultValue={value} data-field={name} autocomplete="off" />
        </label>
    }
}

/// A Pod or a Deployment with the common fields.
fn pods(store: &Store, act: &Callback<Action>) -> Html {
    let (act, key) = (act.clone(), store.stage.group_by.clone());
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        act.emit(Action::Edit(EditAction::Gesture(pod_gesture(
            &|name| field_of(&event, name),
            &key,
        ))));
    });
    let key = words::short_key(&store.stage.group_by);
    let strengths = |name: &'static str, label: String| {
        let options = [
            ("", words::NO),
            ("soft", words::PREFERRED),
            ("hard", words::REQUIRED),
        ]
        .map(|(value, text)| option(value, text.get(), value.is_empty()));
        html! {
            <label class="nodeform__field"><span class="lab">{ label }</span>
                <select class="field" {name} data-field={name}>{ for options }</select>
            </label>
        }
    };
    html! {
        <Form class="nodeform__group" group="pods" answers={store.stage.answers} {onsubmit}>
            <h4>{ words::PODS }</h4>
            <div class="nodeform__row">
                { input("name", words::NAME.get(), "") }
                <label class="nodeform__field nodeform__field--small"><span class="lab">{ words::REPLICAS }</span>
                    <input class="field field--count" type="number" name="replicas" min="0" max="5000" ~defaultValue={"3"} data-field="replicas" />
                </label>
            </div>
            <div class="nodeform__row">{ input("pod-cpu", "cpu", "500m") }{ input("pod-memory", "memory", "512Mi") }</div>
            <details class="more"><summary class="link">{ words::MORE_KNOBS }</summary>
                { input("selector", words::NODE_SELECTOR.get(), "") }
                { input("tolerations", words::TOLERATIONS.get(), "") }
                <div class="nodeform__row">
                    { strengths("spread", words::spread_over(key)) }
                    { strengths("apart", words::APART.to_owned()) }
                </div>
                <div class="nodeform__row">{ input("near", words::NEAR.get(), "") }{ input("priority", words::PRIORITY_CLASS, "") }</div>
                { input("pod-extra", words::MORE_RESOURCES.get(), "") }
            </details>
            <details class="more" data-group="claim"><summary class="link">{ text::CLAIM_DEVICES }</summary>
                <div class="nodeform__row">
                    <label class="nodeform__field nodeform__field--small"><span class="lab">{ text::DEVICES_EACH }</span>
                        <input class="field field--count" type="number" name="devices" min="0" max="32" ~defaultValue={"0"} data-field="devices" />
                    </label>
                    { input("device-class", "DeviceClass", "") }
                </div>
                { input("device-selector", text::SELECTOR.get(), "") }
                <p class="note">{ text::CLAIM_MEANS }</p>
            </details>
            <div class="nodeform__row">
                <select class="field" name="kind" data-keep="" data-field="kind" aria-label={words::KIND}>
                    { option("deployment", "Deployment", true) }{ option("pod", "Pod", false) }
                </select>
                <span class="push" />
                <button class="btn btn--primary" data-action="add-pods">{ words::ADD }</button>
            </div>
        </Form>
    }
}

/// The gesture that the form's fields describe.
fn pod_gesture(field: &dyn Fn(&str) -> String, key: &str) -> Gesture {
    let topology_key = || key.to_owned();
    let strength = |name: &str| match field(name).as_str() {
        "hard" => Some(true),
        "soft" => Some(false),
        _ => None,
    };
    let name = Some(field("name").trim().to_owned()).filter(|name| !name.is_empty());
    let near = pairs(&field("near"));
    let labels = name.iter().map(|name| ("app".to_owned(), name.clone()));
    let pod = PodForm {
        cpu: field("pod-cpu").trim().to_owned(),
        memory: field("pod-memory").trim().to_owned(),
        extra: pairs(&field("pod-extra")),
        labels: labels.collect(),
        node_selector: pairs(&field("selector")),
        tolerations: tolerations(&field("tolerations")),
        spread: strength("spread")
            .map(|hard| SpreadForm {
                topology_key: topology_key(),
                max_skew: 1,
                hard,
            })
            .into_iter()
            .collect(),
        apart: strength("apart")
            .map(|hard| ApartForm {
                topology_key: "kubernetes.io/hostname".to_owned(),
                hard,
            })
            .into_iter()
            .collect(),
        near: (!near.is_empty())
            .then(|| NearForm {
                topology_key: topology_key(),
                labels: near,
                hard: true,
            })
            .into_iter()
            .collect(),
        priority_class_name: field("priority").trim().to_owned(),
        claim: claim(field),
    };
    let namespace = String::new();
    if field("kind") == "pod" {
        return Gesture::AddPod {
            name,
            namespace,
            pod,
        };
    }
    Gesture::AddDeployment {
        name,
        namespace,
        replicas: field("replicas").parse().unwrap_or(1),
        pod,
    }
}

/// The devices that each Pod claims.
fn claim(field: &dyn Fn(&str) -> String) -> Option<Box<ClaimForm>> {
    let count = field("devices").parse().unwrap_or(0);
    (count > 0).then(|| {
        Box::new(ClaimForm {
            class: field("device-class").trim().to_owned(),
            count,
            selector: field("device-selector").trim().to_owned(),
        })
    })
}

/// Parses `a=b, c=d` as a map.
pub(super) fn pairs(text: &str) -> BTreeMap<String, String> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        (key.to_owned(), value.to_owned())
    };
    parts.map(pair).collect()
}

/// Parses `key=value:Effect, key` as tolerations.
fn tolerations(text: &str) -> Vec<TolerationForm> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let toleration = |part: &str| {
        let (rest, effect) = part.split_once(':').unwrap_or((part, ""));
        let (key, value) = match rest.split_once('=') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => (rest, None),
        };
        TolerationForm {
            key: key.to_owned(),
            value,
            effect: effect.to_owned(),
        }
    };
    parts.map(toleration).collect()
}

#[cfg(test)]
mod tests {
    use super::{pod_gesture, tolerations};
    use berth_protocol::gesture::Gesture;

    #[test]
    fn a_form_becomes_a_deployment() {
        let field = |name: &str| {
            let value = match name {
                "name" => "web",
                "replicas" => "4",
                "pod-cpu" => "250m",
                "selector" => "disktype=ssd, gpu=",
                "spread" => "hard",
                "devices" => "2",
                _ => "",
            };
            value.to_owned()
        };
        let Gesture::AddDeployment { replicas, pod, .. } = pod_gesture(&field, "zone") else {
            panic!("a Deployment by default");
        };
        assert_eq!(
            (replicas, pod.cpu.as_str(), pod.memory.as_str()),
            (4, "250m", "")
        );
        assert_eq!(pod.node_selector.len(), 2);
        assert!(pod.spread[0].hard && pod.spread[0].topology_key == "zone");
        assert_eq!(pod.labels["app"], "web");
        let claim = pod.claim.expect("a claim");
        assert_eq!((claim.count, claim.class.as_str()), (2, ""));
    }

    #[test]
    fn tolerations_are_written_as_kubectl_writes_taints() {
        let read = tolerations("gpu=yes:NoSchedule, spot");
        assert_eq!(read[0].value.as_deref(), Some("yes"));
        assert_eq!(read[0].effect, "NoSchedule");
        assert_eq!((read[1].key.as_str(), &read[1].value), ("spot", &None));
    }
}
