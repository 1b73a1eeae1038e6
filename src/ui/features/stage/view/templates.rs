//! The palette of nodes: a picture, a name and a number for each template. A row adds its nodes to the chosen domain, or
//! is dragged to one.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Html, MouseEvent, SubmitEvent, TargetCast, html};

use super::dropping;
use super::palette::{input, pairs};
use crate::ui::parts::form::{Form, field_of, option};
use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use crate::words::docks as text;
use berth_protocol::gesture::{DevicesForm, Gesture, Label, NodeTemplate};

/// A template's name in gestures, and its CPU in milli-CPU, for the picture.
const TEMPLATES: [(&str, u32); 5] = [
    ("general", 4000),
    ("large", 16000),
    ("gpu", 8000),
    (DEVICES, 16000),
    ("control-plane", 4000),
];
const CUSTOM: &str = "custom";
const DEVICES: &str = "devices";
const CUSTOM_DEVICES: &str = "custom-devices";
/// A picture's largest size in milli-CPU.
const LARGEST: u32 = 8000;
/// Maximum number of nodes added at once.
const MOST: u32 = 500;

/// The template of that name; a custom one needs a form.
pub(super) fn template(name: &str) -> NodeTemplate {
    match name {
        "large" => NodeTemplate::Large,
        "gpu" => NodeTemplate::Gpu,
        "control-plane" => NodeTemplate::ControlPlane,
        DEVICES => devices(&|_| String::new()),
        _ => NodeTemplate::General,
    }
}

/// A node with devices; what a field leaves open is as in the palette's row.
fn devices(field: &dyn Fn(&str) -> String) -> NodeTemplate {
    let or = |name: &str, default: &str| match field(name).trim() {
        "" => default.to_owned(),
        given => given.to_owned(),
    };
    NodeTemplate::Devices {
        cpu: or("devices-cpu", "16"),
        memory: or("devices-memory", "128Gi"),
        devices: DevicesForm {
            count: field("devices").parse().unwrap_or(4),
            model: or("model", "h100"),
            memory: or("device-memory", "80Gi"),
        },
    }
}

/// The section of the form that adds nodes.
pub(super) fn view(store: &Store, act: &Callback<Action>) -> Html {
    let rows = TEMPLATES.iter().map(|(name, milli_cpu)| {
        let style = format!("--alloc:{}", (*milli_cpu).min(LARGEST));
        let (title, size) = words::template(name);
        html! {
            <li key={*name} draggable="true" data-template={*name} ondragstart={drag(name)} ondragend={dropping::end()}>
                <Form class="palette__item" group="nodes" answers={store.stage.answers} onsubmit={submit(store, name, act)}>
                    <span class="quay" {style} aria-hidden="true" />
                    <span><b>{ title }</b><small>{ size }</small></span>
                    { number(name, title) }
                    { add(name, title) }
                </Form>
            </li>
        }
    });
    let (custom, _) = words::template(CUSTOM);
    html! {
        <div class="nodeform__group" data-group="templates">
            <h4>{ words::NODES }</h4>
            <label class="nodeform__row"><span class="lab">{ words::domain(&store.stage.group_by).to_owned() }</span>{ domains(store) }</label>
            <ul class="palette__items">{ for rows }</ul>
            <details class="more"><summary class="link">{ custom }</summary>
                <Form class="nodeform__group" group="nodes" answers={store.stage.answers} onsubmit={submit(store, CUSTOM, act)}>
                    <div class="nodeform__row">
                        { input("cpu", "cpu", "4") }{ input("memory", "memory", "16Gi") }{ input("pods", "pods", "110") }
                    </div>
                    { input("extra", words::MORE_RESOURCES.get(), "") }
                    <div class="nodeform__row">{ number(CUSTOM, custom) }<span class="push" />{ add(CUSTOM, custom) }</div>
                </Form>
            </details>
            <details class="more"><summary class="link">{ text::CUSTOM_DEVICES }</summary>
                <Form class="nodeform__group" group="nodes" answers={store.stage.answers} onsubmit={submit(store, CUSTOM_DEVICES, act)}>
                    <div class="nodeform__row">
                        { input("devices-cpu", "cpu", "16") }{ input("devices-memory", "memory", "128Gi") }
                        <label class="nodeform__field nodeform__field--small"><span class="lab">{ text::DEVICES_EACH }</span>
                            <input class="field field--count" type="number" name="devices" min="1" max="128" ~defaultValue={"4"} data-field="node-devices" />
                        </label>
                    </div>
                    <div class="nodeform__row">{ input("model", text::DEVICE_MODEL.get(), "h100") }{ input("device-memory", text::DEVICE_MEMORY.get(), "80Gi") }</div>
                    <div class="nodeform__row">{ number(CUSTOM_DEVICES, text::CUSTOM_DEVICES.get()) }<span class="push" />{ add(CUSTOM_DEVICES, text::CUSTOM_DEVICES.get()) }</div>
                </Form>
            </details>
            <p class="note">{ words::DRAG_TO_ZONE }</p>
        </div>
    }
}

/// The select for the domain of new nodes: a value of the grouping key.
fn domains(store: &Store) -> Html {
    let key = &store.stage.group_by;
    let mut values = store.domains();
    values.push(String::new());
    let options = values.iter().enumerate().map(|(index, value)| {
        let none = words::without(key);
        let name = if value.is_empty() { &none } else { value };
        option(value, name, index == 0)
    });
    html! { <select class="field" name="domain" data-keep="" data-field="domain">{ for options }</select> }
}

/// − 1 +
fn number(name: &str, title: &str) -> Html {
    let step = |by: i64| {
        Callback::from(move |event: MouseEvent| {
            let button = event.target_dyn_into::<Element>();
            let around = button.and_then(|button| button.closest(".stepnum").ok().flatten());
            if let Some(input) = around.and_then(|around| count_in(&around)) {
                let count = input.value().parse().unwrap_or(1_i64) + by;
                input.set_value(&count.clamp(1, i64::from(MOST)).to_string());
            }
        })
    };
    html! {
        <span class="stepnum">
            <button type="button" aria-label={words::fewer(title)} tabindex="-1" onclick={step(-1)}>{ "−" }</button>
            <input type="number" name="count" min="1" max={MOST.to_string()} ~defaultValue={"1"} aria-label={words::how_many(title)} data-field={format!("count-{name}")} />
            <button type="button" aria-label={words::another(title)} tabindex="-1" onclick={step(1)}>{ "+" }</button>
        </span>
    }
}

fn add(name: &str, title: &str) -> Html {
    html! { <button class="btn btn--line btn--small" data-action="add-nodes" data-add={name.to_owned()} aria-label={words::add_one(title)}>{ words::ADD }</button> }
}

fn count_in(element: &Element) -> Option<HtmlInputElement> {
    let input = element.query_selector("[name=count]").ok().flatten()?;
    input.dyn_into().ok()
}

fn submit(store: &Store, name: &'static str, act: &Callback<Action>) -> Callback<SubmitEvent> {
    let (act, key) = (act.clone(), store.stage.group_by.clone());
    Callback::from(move |event: SubmitEvent| {
        let field = |name: &str| field_of(&event, name);
        let template = match name {
            CUSTOM => NodeTemplate::Custom {
                cpu: field("cpu"),
                memory: field("memory"),
                pods: field("pods"),
                extra: pairs(&field("extra")),
            },
            CUSTOM_DEVICES => devices(&field),
            name => template(name),
        };
        let topology = Label {
            key: key.clone(),
            value: domain(&event).unwrap_or_default(),
        };
        act.emit(Action::Edit(EditAction::Gesture(Gesture::AddNodes {
            template,
            count: field("count").parse().unwrap_or(1),
            topology: Some(topology).filter(|label| !label.value.is_empty()),
        })));
    })
}

/// The chosen domain, which all rows share.
fn domain(event: &SubmitEvent) -> Option<String> {
    let form = event.target_dyn_into::<Element>()?;
    let palette = form.closest("[data-group=templates]").ok().flatten()?;
    let select = palette.query_selector("[name=domain]").ok().flatten()?;
    Some(select.dyn_into::<HtmlSelectElement>().ok()?.value())
}

/// Starts a drag with the template's name and number.
fn drag(name: &'static str) -> Callback<DragEvent> {
    Callback::from(move |event: DragEvent| {
        let row = event.target_dyn_into::<Element>();
        let count = row.and_then(|row| count_in(&row));
        let count = count.map_or_else(|| "1".to_owned(), |input| input.value());
        dropping::carry_template(&event, name, &count);
    })
}
