//! The four rules, played after each change; and the ways to save the lesson.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::fields::Fields;
use super::on;
use crate::ui::features::builder::{Builder, BuilderAction};
use crate::ui::features::share::{ShareAction, page};
use crate::ui::parts::icon::icon;
use crate::ui::store::Action;
use crate::words;
use crate::words::builder as say;
use berth_protocol::link::{LONGEST, SHORT};
use berth_protocol::rule::Rule;

/// Characters that the largest QR code holds.
const QR: usize = 2953;

/// The rules as sentences, and the problems that keep the file from being a lesson.
pub fn view(fields: &Fields<'_>) -> Html {
    let Fields { builder, act } = fields;
    let rules = builder.written.iter().flat_map(|written| &written.rules);
    let rows: Vec<Html> = rules.map(|rule| row(builder, *rule, act)).collect();
    let problems = builder.written.iter().flat_map(|written| &written.problems).map(|problem| {
        let text = say::problem(problem);
        let (class, mark) = match builder.is_still_to_write(problem) {
            true => ("build__todo", None),
            false => ("build__wrong", Some(icon("warn"))),
        };
        html! { <li {class} data-missing={problem.path.clone()}>{ for mark }<span>{ text }{ " " }{ go_to(&problem.path, act) }</span></li> }
    });
    html! {
        <section class="build__part" aria-label={say::RULES}>
            <h3>{ say::RULES }</h3>
            <p class="muted">{ say::RULES_LEAD }</p>
            if !rows.is_empty() { <ul class="goals" aria-live="polite" data-build="played" aria-busy={(!builder.is_played()).to_string()}>{ rows }</ul> }
            <ul class="build__problems">{ for problems }</ul>
        </section>
    }
}

fn row(builder: &Builder, rule: Rule, act: &Callback<Action>) -> Html {
    let lock = match rule {
        Rule::Lock(at) => builder.draft.locked.get(at).cloned(),
        Rule::Start | Rule::Solution | Rule::Wrong(_) => None,
    };
    let words = say::rule(rule, &lock.unwrap_or_default());
    let played = builder.played.iter().find(|own| own.rule == rule);
    let (class, mark, state) = match played {
        None => ("goal--todo", html! {}, say::PLAYING),
        Some(own) if own.broken.is_empty() => ("goal--done", icon("check"), say::HOLDS),
        Some(_) => ("goal--now", icon("close"), say::FAILS),
    };
    let whys = played
        .into_iter()
        .flat_map(|own| own.broken.iter().map(move |it| (own, it))).map(|(own, broken)| {
        let why = say::broken_on(broken, own.release.as_deref());
        html! { <p class="why">{ icon("warn") }<span>{ why }{ " " }{ go_to(&broken.path(), act) }</span></p> }
    });
    let holds = played.map(|own| own.broken.is_empty().to_string());
    html! {
        <li class={classes!("goal", class)} data-rule={holds.unwrap_or_default()}>
            <span class="box">{ mark }</span>
            <span>{ words }<span class="visually-hidden">{ words::in_parentheses(state) }</span></span>
            { for whys }
        </li>
    }
}

/// The button that goes to the field.
fn go_to(path: &str, act: &Callback<Action>) -> Html {
    if path.is_empty() {
        return html! {};
    }
    let onclick = on(act, BuilderAction::GoTo(path.to_owned()));
    html! { <button class="link" data-action="go-to" {onclick}>{ say::GO_THERE }</button> }
}

/// The file, the link, and the lesson as learners see it.
pub fn take_away(builder: &Builder, act: &Callback<Action>) -> Html {
    let disabled = !builder.is_written();
    let is_broken = builder.is_written() && builder.broken().next().is_some();
    let link = builder.link.as_ref();
    html! {
        <footer class="lesson__nav build__nav" aria-label={say::TAKE_AWAY}>
            if let Some(fragment) = link { { address(&format!("{}{fragment}", page()), act) } }
            if is_broken { <p class="build__wrong">{ icon("warn") }<span>{ say::BROKEN_RULES }</span></p> }
            <button class="btn btn--line" data-action="save-lesson" {disabled} onclick={on(act, BuilderAction::Save)}>{ say::SAVE_LESSON }</button>
            <button class="btn btn--line" data-action="link-lesson" {disabled} onclick={on(act, BuilderAction::MakeLink)}>{ say::LINK_LESSON }</button>
            <span class="push" />
            <button class="btn btn--primary" data-action="try-lesson" {disabled} onclick={on(act, BuilderAction::Try)}>{ say::TRY }</button>
        </footer>
    }
}

/// The link, with its length as in Share.
fn address(address: &str, act: &Callback<Action>) -> Html {
    let length = address.len();
    let copied = address.to_owned();
    let copy = act.reform(move |_: MouseEvent| Action::Share(ShareAction::Copy(copied.clone())));
    let percent = length.min(LONGEST) * 100 / LONGEST;
    html! {
        <div class="build__link">
            <div class="copyrow">
                <input class="field field--mono" readonly=true aria-label={say::LINK_OPENS} data-place="link" data-field="lesson-link" value={address.to_owned()} />
                <button class="btn btn--primary" data-action="copy-lesson" onclick={copy}>{ words::COPY_LINK }</button>
            </div>
            <p class="share__len"><b>{ words::characters(length) }</b>{ " · " }{ words::link_fits(length, SHORT, QR) }</p>
            <div class="lenbar" aria-hidden="true"><i class="lenbar__v" style={format!("--v:{percent}%")} /></div>
        </div>
    }
}
