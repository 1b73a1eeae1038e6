//! The form of the scheduler's configuration: profiles, plugins, weights, strategies. It shows the configuration in
//! force; each change is a gesture that edits the manifests.

use web_sys::{HtmlFormElement, HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, MouseEvent, SubmitEvent, TargetCast, html};

use crate::ui::features::compare::{CompareAction, Topic};
use crate::ui::features::sources::EditorAction;
use crate::ui::parts::form::{field_of, option};
use crate::ui::parts::icon::{action, icon};
use crate::ui::parts::remark::remark;
use crate::ui::store::{Action, EditAction, PageAction, Store};
use crate::ui::styles;
use crate::words;
use berth_protocol::gesture::Gesture;
use berth_protocol::problem::Problem;
use berth_protocol::scheduler::{
    PluginFrame, ProfileFrame, SchedulerChange, SchedulerField as Field,
};

const STRATEGIES: &[&str] = &[
    "LeastAllocated",
    "MostAllocated",
    "RequestedToCapacityRatio",
];
const DEFAULTINGS: &[&str] = &["System", "List"];

/// The kind of a field's input.
enum Kind {
    Switch,
    Text,
    /// From 0 to this maximum.
    Number(&'static str),
    Choice(&'static [&'static str]),
}

/// The shown profile, with the store and the callback.
struct Form<'a> {
    store: &'a Store,
    act: &'a Callback<Action>,
    profile: usize,
}

/// The button that opens or closes the form.
pub fn button(store: &Store, act: &Callback<Action>) -> Html {
    let (act, open) = (act.clone(), store.scheduler.open);
    let onclick =
        Callback::from(move |_: MouseEvent| act.emit(Action::Page(PageAction::Scheduler(!open))));
    html! {
        <button class="btn" data-action="scheduler" aria-expanded={open.to_string()} {onclick}>
            { words::SCHEDULER }{ icon("caret") }
        </button>
    }
}

/// The form; empty if it is closed.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    if !store.scheduler.open {
        return html! {};
    }
    form(store, act)
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn form(store: &Store, act: &Callback<Action>) -> Html {
    styles::load(styles::FORMS);
    let frame = &store.view.scheduler;
    let form = Form {
        store,
        act,
        profile: 0,
    };
    let percentage = form.at(Field::Percentage);
    let percentage = form.input(
        percentage,
        Kind::Number("100"),
        &frame.percentage.to_string(),
        words::PERCENTAGE,
    );
    let is_broken = |problem: &Problem| problem.is_error();
    let profiles = frame.profiles.iter().enumerate().map(|(profile, shown)| {
        let form = Form { profile, ..form };
        form.profile(shown, frame.profiles.len() > 1)
    });
    html! {
        <section class="sched" aria-label={words::SCHEDULER_TITLE} data-form="scheduler">
            <h3 class="pop__title">{ words::SCHEDULER_TITLE }{ for place(store, act) }<span class="push" />
                { action("close-scheduler", words::CLOSE.get(), "close", false, act, Action::Page(PageAction::Scheduler(false))) }
            </h3>
            if store.view.problems.iter().any(is_broken) {
                <p class="note">{ words::IN_FORCE }</p>
            } else if !frame.written {
                <p class="note">{ words::DEFAULTS }</p>
            }
            { for profiles }
            { form.adder(Field::AddProfile, words::NEW_PROFILE.get(), "batch-scheduler") }
            { line(words::PERCENTAGE, percentage) }
            { rest(&frame.rest) }
            <button class="btn btn--line" type="button" data-action="compare-scheduler" onclick={act.reform(|_: MouseEvent| Action::Compare(CompareAction::Choose(Topic::Configurations)))}>{ words::compare::COMPARE_WITH }</button>
        </section>
    }
}

/// A link to the configuration's document.
fn place(store: &Store, act: &Callback<Action>) -> Option<Html> {
    let mut documents = store.editor.documents.iter();
    let document = documents.find(|document| document.kind == "KubeSchedulerConfiguration")?;
    let (act, line) = (act.clone(), document.line);
    let onclick =
        Callback::from(move |_: MouseEvent| act.emit(Action::Editor(EditorAction::GoTo(line, 1))));
    Some(
        html! { <button class="link" data-action="go-to-scheduler" {onclick}>{ words::at_line(line) }</button> },
    )
}

fn line(label: &str, inside: Html) -> Html {
    html! { <div class="sched__line"><span class="lab clip" title={label.to_owned()}>{ label }</span>{ inside }</div> }
}

fn rest(fields: &[String]) -> Html {
    if fields.is_empty() {
        return html! {};
    }
    html! { <p class="note" data-rest="">{ words::left_as_written(fields) }</p> }
}

impl Form<'_> {
    fn at(&self, field: Field) -> SchedulerChange {
        SchedulerChange {
            field,
            profile: self.profile,
            ..SchedulerChange::default()
        }
    }

    fn item(&self, field: Field, index: usize) -> SchedulerChange {
        SchedulerChange {
            index,
            ..self.at(field)
        }
    }

    /// A field, and below it the message if its last change was refused.
    fn input(&self, change: SchedulerChange, kind: Kind, value: &str, label: &str) -> Html {
        let refusal = self.store.scheduler.refusal(&change);
        let value = refusal
            .map_or(value, |(refused, _)| &refused.value)
            .to_owned();
        let (name, label) = (format!("{:?}", change.field), label.to_owned());
        let invalid = refusal.is_some().then_some("true");
        let words = self.refusal_text(&change);
        let act = self.act.clone();
        let onchange = Callback::from(move |event: Event| {
            let value = match event.target_dyn_into::<HtmlInputElement>() {
                Some(input) if input.type_() == "checkbox" => input.checked().to_string(),
                Some(input) => input.value(),
                None => event
                    .target_dyn_into::<HtmlSelectElement>()
                    .map_or_else(String::new, |select| select.value()),
            };
            let change = SchedulerChange {
                value,
                ..change.clone()
            };
            act.emit(Action::Edit(EditAction::Gesture(Gesture::Scheduler(
                change,
            ))));
        });
        let (kind, class, max) = match kind {
            Kind::Switch => ("checkbox", "", None),
            Kind::Text => ("text", "field field--mono", None),
            Kind::Number(max) => ("number", "field field--mono", Some(max)),
            Kind::Choice(choices) => {
                let options = choices
                    .iter()
                    .map(|choice| option(choice, choice, *choice == value));
                return html! {
                    <><select class="field" translate="no" ~value={value.clone()} data-field={name} aria-label={label} aria-invalid={invalid} {onchange}>
                        { for options }
                    </select>{ words }</>
                };
            }
        };
        // Properties instead of attributes: a redraw keeps typed text.
        let checked = value == "true";
        let min = max.map(|_| "0");
        html! {
            <><input type={kind} {class} ~value={value} ~checked={checked} {min} {max} autocomplete="off"
                data-field={name} aria-label={label} aria-invalid={invalid} {onchange} />{ words }</>
        }
    }

    fn refusal_text(&self, change: &SchedulerChange) -> Html {
        match self.store.scheduler.refusal(change) {
            Some((_, message)) => {
                html! { <p class="sched__said" role="alert">{ remark(message) }</p> }
            }
            None => html! {},
        }
    }

    /// A button that makes this change.
    fn button(&self, change: SchedulerChange, label: &str, mark: &str) -> Html {
        let words = self.refusal_text(&change);
        let name = format!("{:?}", change.field);
        let gesture = Action::Edit(EditAction::Gesture(Gesture::Scheduler(change)));
        let act = self.act.clone();
        let onclick = Callback::from(move |_: MouseEvent| act.emit(gesture.clone()));
        let label = label.to_owned();
        html! {
            <><button class="btn btn--icon btn--small" data-action={name} aria-label={label.clone()} title={label} {onclick}>{ icon(mark) }</button>{ words }</>
        }
    }

    /// A field for the name of a new item.
    fn adder(&self, field: Field, label: &'static str, example: &'static str) -> Html {
        let change = self.at(field);
        let words = self.refusal_text(&change);
        let refusal = self.store.scheduler.refusal(&change);
        let value = refusal.map_or_else(String::new, |(refused, _)| refused.value.clone());
        let act = self.act.clone();
        let onsubmit = Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let change = SchedulerChange {
                value: field_of(&event, "new"),
                ..change.clone()
            };
            // If it is refused, the next drawing restores the typed text.
            if let Some(form) = event.target_dyn_into::<HtmlFormElement>() {
                form.reset();
            }
            act.emit(Action::Edit(EditAction::Gesture(Gesture::Scheduler(
                change,
            ))));
        });
        html! {
            <form class="sched__line" {onsubmit}>
                <input class="field field--mono" name="new" ~value={value} data-field={format!("{field:?}")} aria-label={label} placeholder={example} autocomplete="off" />
                <button class="btn btn--line" aria-label={words::of(words::ADD.get(), label)}>{ words::ADD }</button>{ words }
            </form>
        }
    }

    fn profile(&self, profile: &ProfileFrame, removable: bool) -> Html {
        let rows = profile.plugins.iter().map(|plugin| self.plugin(plugin));
        let prefix = format!("profiles[{}]", self.profile);
        let problems = self
            .store
            .view
            .problems
            .iter()
            .filter(|problem| problem.path.starts_with(&prefix))
            .map(|problem| crate::ui::features::sources::row(self.store, problem, self.act));
        let name = self.input(
            self.at(Field::Name),
            Kind::Text,
            &profile.name,
            words::SCHEDULER_NAME,
        );
        let defaulting = self.input(
            self.at(Field::Defaulting),
            Kind::Choice(DEFAULTINGS),
            &profile.defaulting,
            words::DEFAULTING,
        );
        html! {
            <details class="sched__profile" open={self.profile == 0} data-profile={self.profile.to_string()}>
                <summary><b>{ &profile.name }</b></summary>
                <ul>{ for problems }</ul>
                <div class="sched__line"><span class="lab">{ words::SCHEDULER_NAME }</span>{ name }
                    if removable {
                        { self.button(self.at(Field::RemoveProfile), &words::of(words::REMOVE.get(), &profile.name), "close") }
                    }
                </div>
                <ul class="sched__plugins">
                    <li class="sched__row sched__row--head" aria-hidden="true">
                        <span>{ words::PLUGINS }</span><span>{ words::FILTER }</span><span>{ words::SCORE }</span>
                        <span title={words::WEIGHT_ZERO}>{ words::WEIGHT }</span>
                    </li>
                    { for rows }
                </ul>
                <h4>{ "NodeResourcesFit" }</h4>
                { self.strategy(profile) }
                <h4>{ "PodTopologySpread" }</h4>
                { line(words::DEFAULTING, defaulting) }
                { rest(&profile.rest) }
            </details>
        }
    }

    fn plugin(&self, plugin: &PluginFrame) -> Html {
        let at = |field| SchedulerChange {
            plugin: plugin.name.clone(),
            ..self.at(field)
        };
        let switch = |field, label, on: Option<bool>| {
            on.map(|on| {
                let label = words::of(label, &plugin.name);
                self.input(at(field), Kind::Switch, &on.to_string(), &label)
            })
        };
        let weight = (plugin.score == Some(true)).then(|| {
            let label = words::of(words::WEIGHT.get(), &plugin.name);
            self.input(
                at(Field::Weight),
                Kind::Number(""),
                &plugin.weight.to_string(),
                &label,
            )
        });
        html! {
            <li class="sched__row" data-row={plugin.name.clone()}>
                <code class="clip" title={words::explain::described(&plugin.name)}>{ &plugin.name }</code>
                { for switch(Field::Filter, words::FILTER.get(), plugin.filter) }
                { for switch(Field::Score, words::SCORE.get(), plugin.score) }
                { for weight }
            </li>
        }
    }

    /// The scoring strategy of NodeResourcesFit.
    fn strategy(&self, profile: &ProfileFrame) -> Html {
        let kind = self.input(
            self.at(Field::Strategy),
            Kind::Choice(STRATEGIES),
            &profile.strategy,
            words::STRATEGY,
        );
        let resources = profile
            .resources
            .iter()
            .enumerate()
            .map(|(index, (name, weight))| {
                let label = words::of(words::WEIGHT.get(), name);
                let change = self.item(Field::ResourceWeight, index);
                let remove = self.item(Field::RemoveResource, index);
                line(
                    name,
                    html! {
                        <>
                            { self.input(change, Kind::Number("100"), &weight.to_string(), &label) }
                            { self.button(remove, &words::of(words::REMOVE.get(), name), "close") }
                        </>
                    },
                )
            });
        let points = profile.shape.iter().enumerate().map(|(index, (utilization, score))| {
            let number = |field, max, value: i32, label| {
                let label = words::point(label, index);
                self.input(self.item(field, index), Kind::Number(max), &value.to_string(), &label)
            };
            html! {
                <div class="sched__line sched__line--pair">
                    { number(Field::Utilization, "100", *utilization, words::UTILIZATION.get()) }
                    { number(Field::PointScore, "10", *score, words::POINT_SCORE.get()) }
                    { self.button(self.item(Field::RemovePoint, index), &words::point(words::REMOVE.get(), index), "close") }
                </div>
            }
        });
        html! {
            <>
                { line(words::STRATEGY, kind) }
                { for resources }
                { self.adder(Field::AddResource, words::NEW_RESOURCE.get(), "nvidia.com/gpu") }
                if !profile.shape.is_empty() {
                    <div class="sched__line"><span class="lab">{ words::SHAPE }</span><span class="push" />
                        { self.button(self.at(Field::AddPoint), words::ADD_POINT.get(), "plus") }
                    </div>
                    { for points }
                }
            </>
        }
    }
}
