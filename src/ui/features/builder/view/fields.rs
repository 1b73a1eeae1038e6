//! The fields of the level builder. Each is named by its path in the file (`data-place`), so that a problem leads to it.

use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::{
    Callback, Event, FocusEvent, Html, InputEvent, MouseEvent, NodeRef, TargetCast, classes, html,
};

use super::on;
use crate::ui::features::builder::{Builder, BuilderAction, Change, List, Place};
use crate::ui::parts::focus::when_released;
use crate::ui::parts::form::option;
use crate::ui::parts::icon::icon;
use crate::ui::store::Action;
use crate::words;
use crate::words::{Text, builder as say};
use berth_protocol::draft::DraftStep;
use berth_protocol::lesson::Ask;
use berth_protocol::problem::Problem;

/// The draft whose fields are drawn.
#[derive(Clone, Copy)]
pub struct Fields<'b> {
    pub builder: &'b Builder,
    pub act: &'b Callback<Action>,
}

impl Fields<'_> {
    /// A field of one line.
    pub fn line(
        &self,
        place: Place,
        path: &str,
        label: Text,
        value: &str,
        placeholder: &str,
    ) -> Html {
        let typed = self.act.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                typed.emit(Action::Builder(BuilderAction::Set(place, field.value())));
            }
        });
        html! {
            <label class="build__field"><span>{ label }</span>
                <input class="field" data-place={path.to_owned()} aria-invalid={self.is_bad(path).to_string()} value={value.to_owned()} placeholder={placeholder.to_owned()} {oninput} onchange={self.check()} onblur={self.left(path)} />
            </label>
        }
    }

    /// A field of several lines.
    pub fn area(&self, place: Place, path: &str, label: Text, value: &str, rows: usize) -> Html {
        self.labelled(place, path, label.get(), value, rows)
    }

    /// The same with a label that is made.
    pub fn labelled(
        &self,
        place: Place,
        path: &str,
        label: &str,
        value: &str,
        rows: usize,
    ) -> Html {
        html! {
            <label class="build__field"><span>{ label.to_owned() }</span>{ self.text(place, path, None, value, rows, false) }</label>
        }
    }

    /// A field for YAML.
    pub fn code(&self, place: Place, path: &str, label: Text, value: &str, rows: usize) -> Html {
        self.text(place, path, Some(label.get()), value, rows, true)
    }

    fn text(
        &self,
        place: Place,
        path: &str,
        label: Option<&'static str>,
        value: &str,
        rows: usize,
        is_code: bool,
    ) -> Html {
        let typed = self.act.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlTextAreaElement>() {
                typed.emit(Action::Builder(BuilderAction::Set(place, field.value())));
            }
        });
        let class = classes!("field", "build__area", is_code.then_some("field--mono"));
        let spellcheck = if is_code { "false" } else { "true" };
        html! {
            <textarea {class} data-place={path.to_owned()} aria-label={label} aria-invalid={self.is_bad(path).to_string()} rows={rows.min(12).to_string()} {spellcheck} value={value.to_owned()} {oninput} onchange={self.check()} onblur={self.left(path)} />
        }
    }

    /// A command or manifests, and what belongs to it.
    pub fn step(
        &self,
        place: Place,
        path: &str,
        step: &DraftStep,
        more: Html,
        buttons: Html,
    ) -> Html {
        let field = match step.is_command {
            true => self.code(
                place,
                path,
                say::STEP,
                &step.text,
                step.text.lines().count(),
            ),
            false => self.code(
                place,
                path,
                say::STEP,
                &step.text,
                step.text.lines().count().max(3),
            ),
        };
        let class = classes!("build__item", step.is_command.then_some("build__item--cmd"));
        html! { <li {class}><div class="build__line">{ field }{ buttons }</div>{ more }{ self.problem(path) }</li> }
    }

    /// The button that adds an item to a list.
    pub fn add(&self, list: List, label: Text, name: &'static str) -> Html {
        let onclick = on(self.act, BuilderAction::Change(Change::Add(list)));
        html! { <button class="link" data-action={name} {onclick}>{ label }</button> }
    }

    /// The buttons that move an item up and remove it.
    pub fn order(&self, list: List, at: usize) -> Html {
        let up = (at > 0).then(|| {
            self.small(
                "earlier",
                say::EARLIER,
                "caret",
                BuilderAction::Change(Change::Up(list, at)),
            )
        });
        html! { <span class="build__buttons">{ for up }{ self.remove(list, at) }</span> }
    }

    pub fn remove(&self, list: List, at: usize) -> Html {
        self.small(
            "remove",
            words::REMOVE,
            "close",
            BuilderAction::Change(Change::Remove(list, at)),
        )
    }

    fn small(&self, name: &'static str, label: Text, mark: &str, action: BuilderAction) -> Html {
        let onclick: Callback<MouseEvent> = on(self.act, action);
        html! { <button class="btn btn--icon" data-action={name} aria-label={label} title={label} {onclick}>{ icon(mark) }</button> }
    }

    /// The choice of what to lock.
    pub fn choose_lock<'o>(&self, objects: impl Iterator<Item = &'o String>) -> Html {
        let place = NodeRef::default();
        let onclick = {
            let (act, place) = (self.act.clone(), place.clone());
            Callback::from(move |_: MouseEvent| {
                let chosen = place.cast::<HtmlSelectElement>().map(|it| it.value());
                if let Some(lock) = chosen.filter(|lock| !lock.is_empty()) {
                    act.emit(Action::Builder(BuilderAction::Change(Change::Lock(lock))));
                }
            })
        };
        let options = objects.map(|name| option(name, name, false));
        html! {
            <>
                <select class="field" data-field="lock" aria-label={say::CHOOSE_OBJECT} ref={place}>{ for options }</select>
                <button class="btn btn--line btn--small" data-action="lock" {onclick}>{ say::LOCK_IT }</button>
            </>
        }
    }

    /// The choice of what a question asks for.
    pub fn choose_ask(&self, at: usize, chosen: Ask, asks: &[(Ask, Text)]) -> Html {
        let act = self.act.clone();
        let all: Vec<Ask> = asks.iter().map(|(ask, _)| *ask).collect();
        let onchange = Callback::from(move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            let number: Option<usize> = select.and_then(|select| select.value().parse().ok());
            if let Some(ask) = number.and_then(|number| all.get(number)) {
                act.emit(Action::Builder(BuilderAction::Change(Change::Ask(
                    at, *ask,
                ))));
            }
        });
        let options = asks
            .iter()
            .enumerate()
            .map(|(number, (ask, name))| option(&number.to_string(), name.get(), *ask == chosen));
        html! { <select class="field" data-place={format!("predict[{at}].ask")} aria-label={say::QUESTION_ASKS} {onchange}>{ for options }</select> }
    }

    /// The problems of a field, and how playing it breaks a rule.
    pub fn problem(&self, path: &str) -> Html {
        let own = self.problems_of(path).map(say::problem);
        let broken = self.builder.broken();
        let broken = broken.filter(|(it, _)| is_in(&it.path(), path));
        let broken = broken.map(|(broken, release)| say::broken_on(broken, release));
        let rows = own.chain(broken).map(|text| {
            html! { <p class="build__wrong" data-problem={path.to_owned()}>{ icon("warn") }<span>{ text }</span></p> }
        });
        html! { <>{ for rows }</> }
    }

    fn is_bad(&self, path: &str) -> bool {
        self.problems_of(path).next().is_some()
    }

    /// A field that nobody has been in is not yet wrong for being empty.
    fn problems_of<'p>(&'p self, path: &'p str) -> impl Iterator<Item = &'p Problem> {
        let is_left = self.builder.left.contains(path);
        let problems = self.builder.written.iter().flat_map(|it| &it.problems);
        problems.filter(move |it| is_in(&it.path, path) && (is_left || !it.is_missing))
    }

    fn left(&self, path: &str) -> Callback<FocusEvent> {
        let path = path.to_owned();
        let act = self.act.clone();
        Callback::from(move |_: FocusEvent| {
            let left = Action::Builder(BuilderAction::Left(path.clone()));
            let act = act.clone();
            when_released(move || act.emit(left));
        })
    }

    /// A text is complete when the field is left.
    fn check(&self) -> Callback<Event> {
        self.act
            .reform(|_: Event| Action::Builder(BuilderAction::Check))
    }
}

/// Whether a path leads to a field or into it.
fn is_in(path: &str, field: &str) -> bool {
    let rest = path.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
