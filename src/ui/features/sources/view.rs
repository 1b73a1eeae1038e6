//! The manifests as text, and their problems by line and column.

pub mod drop;
mod editor;

use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::{Callback, Event, FocusEvent, Html, InputEvent, MouseEvent, TargetCast, classes, html};

use super::documents;
use super::state::EditorAction;
use crate::ui::features::explain::Found;
use crate::ui::features::terminal::TerminalAction;
use crate::ui::features::{builder, lesson, scheduler, terminal};
use crate::ui::panels::{DrawCache, regions};
use crate::ui::parts::focus;
use crate::ui::parts::form::option;
use crate::ui::parts::icon::icon;
use crate::ui::parts::remark::remark;
use crate::ui::store::{Action, Dialog, EditAction, Keeping, PageAction, Panel, Store};
use crate::words;
use berth_protocol::frame::ForkChange;
use berth_protocol::problem::Problem;
use editor::{Editor, Lines};

pub use crate::ui::features::terminal::editing;

/// Maximum number of problems listed; the rest is counted.
const LISTED: usize = 50;
/// A larger text, in bytes, is not copied into the text area behind the editor.
const AREA_BYTES: usize = 1 << 20;

/// The left panel. Typed text is read when the typing pauses.
pub fn view(store: &Store, act: &Callback<Action>, cache: &DrawCache) -> Html {
    html! {
        <section
            class={classes!("panel", "sources", store.editor.ready.then_some("sources--live"), store.terminal.shown.then_some("sources--terminal"), store.lesson.shown.then_some("sources--lesson"), store.builds().then_some("sources--lesson sources--builder"))}
            aria-label={words::SOURCES}
        >
            <header class="panel__head">
                { tabs(store, act) }
                <span class="push" />
                { scheduler::button(store, act) }
                { undo("undo", words::undo, store.view.head.undoes.as_deref(), store.view.head.undo == 0, act, EditAction::Undo) }
                { undo("redo", words::redo, store.view.head.redoes.as_deref(), store.view.head.redo == 0, act, EditAction::Redo) }
                { regions::fold(Panel::Sources, words::SOURCES.get(), act) }
            </header>
            { documents(store, act, cache) }
            { scheduler::view(store, act) }
            { text(store, act, cache) }
            { problems(store, act) }
            if store.terminal.shown { { terminal::view(store, act) } }
            if store.lesson.shown { { lesson::view(store, act) } }
            if store.lesson.frame.is_some() { { lesson::status(store) } }
            if store.builds() { { builder::view(store, act) } }
            { regions::edges(Panel::Sources, words::SOURCES.get(), store, act) }
        </section>
    }
}

/// A button that says which change it takes back, or makes again.
fn undo(
    name: &'static str,
    in_words: fn(Option<&ForkChange>) -> String,
    what: Option<&ForkChange>,
    disabled: bool,
    act: &Callback<Action>,
    edit: EditAction,
) -> Html {
    let (label, quotes) = (in_words(what), what.map(words::quoted_by));
    let onclick = act.reform(move |_: MouseEvent| Action::Edit(edit.clone()));
    html! {
        <button class="btn btn--icon" data-action={name} aria-label={label.clone()} title={label} data-quotes={quotes} {disabled} {onclick}>{ icon(name) }</button>
    }
}

/// The tabs: manifests and terminal.
fn tabs(store: &Store, act: &Callback<Action>) -> Html {
    let tabs = [
        (false, "manifests", words::YAML),
        (true, "terminal", words::TERMINAL.get()),
    ];
    let tabs = tabs.map(|(shown, name, label)| {
        let chosen = store.terminal.shown == shown && !store.lesson.shown && !store.builds();
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| match chosen && shown {
            true => drop(focus::to_command_line(None)),
            false => act.emit(Action::Terminal(TerminalAction::Show(shown))),
        });
        html! { <button class="tab" role="tab" aria-selected={chosen.to_string()} data-source={name} {onclick}>{ label }</button> }
    });
    let lesson = store
        .lesson
        .frame
        .is_some()
        .then(|| lesson::tab(store, act));
    let builder = store.builder.as_ref();
    let builder = builder.map(|builder| builder::tab(builder, act));
    html! { <span class="tabs" role="tablist" aria-label={words::SOURCES}>{ for lesson }{ for builder }{ for tabs }</span> }
}

/// The list of documents to jump to. A text in JSON has none that a scan of its lines finds.
fn documents(store: &Store, act: &Callback<Action>, cache: &DrawCache) -> Html {
    if store.editor.documents.is_empty() && !store.editor.text.trim().is_empty() {
        return html! {};
    }
    let here = documents::at(&store.editor.documents, store.editor.cursor);
    let listed = [
        store.editor.documents_version as usize,
        here.map_or(0, |here| here + 1),
        0,
    ];
    let list = cache.documents.of(listed, &|_| list(store, here, act));
    html! {
        <div class="doclist">
            <label class="doclist__jump">{ words::GO_TO }{ list }</label>
            <span class="push" />
            <span>{ words::documents(store.editor.documents.len(), documents::LISTED, documents::is_cut(&store.editor.text, &store.editor.documents)) }</span>
        </div>
    }
}

fn list(store: &Store, here: Option<usize>, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        if let Some(line) = select.and_then(|select| select.value().parse().ok()) {
            act.emit(Action::Editor(EditorAction::GoTo(line, 1)));
        }
    });
    let options = store
        .editor
        .documents
        .iter()
        .enumerate()
        .take(documents::LISTED)
        .map(|(position, document)| {
            let name = format!("{} {}", document.kind, document.name);
            option(&document.line.to_string(), &name, Some(position) == here)
        });
    // Another list is another element: an option that was chosen before must not stay so.
    let key = store.editor.documents_version.to_string();
    html! { <select {key} aria-label={words::DOCUMENTS} {onchange}>{ for options }</select> }
}

fn area(store: &Store, invalid: bool, act: &Callback<Action>) -> Html {
    let typed = act.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() {
            typed.emit(Action::Editor(EditorAction::TypedElsewhere(area.value())));
        }
    });
    let value = if store.editor.text.len() <= AREA_BYTES {
        store.editor.text.to_string()
    } else {
        String::new()
    };
    html! {
        <textarea
            class="manifests"
            aria-label={words::MANIFESTS}
            aria-invalid={invalid.to_string()}
            aria-hidden={store.editor.ready.then_some("true")}
            tabindex={store.editor.ready.then_some("-1")}
            spellcheck="false"
            autocomplete="off"
            wrap="off"
            data-field="manifests"
            {value}
            {oninput}
        />
    }
}

/// The editor, and behind it a plain text area with the same text: users see it until the editor is loaded, and test
/// programs fill it in.
fn text(store: &Store, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let is_bad = |problem: &Problem| problem.is_error();
    let invalid = store.view.problems.iter().any(is_bad);
    let shown = [
        store.editor.copies as usize,
        usize::from(invalid),
        usize::from(store.editor.ready),
    ];
    let area = cache.area.of(shown, &|_| area(store, invalid, act));
    let found = store.explain.numbers.as_ref().and_then(Found::numbers);
    let sides = found
        .map(|found| [&found.pod, &found.node])
        .into_iter()
        .flatten()
        .flatten();
    let clash: Vec<Lines> = sides
        .map(|snippet| Lines {
            first: snippet.line,
            last: snippet.last_line,
        })
        .collect();
    let ready = {
        let act = act.clone();
        Callback::from(move |()| act.emit(Action::Editor(EditorAction::Ready)))
    };
    html! {
        <div class="sources__text" onfocusin={act.reform(|_: FocusEvent| Action::Editor(EditorAction::Focused))}>
            { area }
            <Editor
                text={store.editor.text.clone()} version={store.editor.text_version}
                problems={store.view.problems.clone()} {clash} target={store.editor.target}
                act={act.clone()} {ready}
            />
        </div>
    }
}

/// The button that opens files.
pub fn chosen_files(act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let Some(input) = event.target_dyn_into::<HtmlInputElement>() else {
            return;
        };
        if let Some(files) = input.files() {
            let dropped = false;
            drop::read(
                &files,
                act.reform(move |files| Action::Edit(EditAction::Files { files, dropped })),
            );
        }
        // Allows opening the same file again.
        input.set_value("");
    });
    html! {
        <label class="btn btn--file">{ words::OPEN_FILES }
            <input class="visually-hidden" type="file" multiple=true accept=".yaml,.yml,.json,.txt" data-field="files" {onchange} />
        </label>
    }
}

fn problems(store: &Store, act: &Callback<Action>) -> Html {
    let problems = &store.view.problems;
    let ignored = store.view.head.ignored.iter().map(|(kind, count)| {
        html! {
            <li class="problem problem--note">{ words::ignored(kind, *count) }</li>
        }
    });
    html! {
        <div class="problems" role="status" data-problems={problems.len().to_string()}>
            <ul>
                if store.terminal.diverged {
                    <li class="problem problem--note" data-parted="">{ words::TERMINAL_CHANGED }</li>
                }
                if store.editor.waits {
                    <li class="problem problem--note" data-unread="">{ words::TEXT_WAITS }</li>
                } else if problems.is_empty() {
                    <li class="problem problem--note">{ words::NO_PROBLEMS }</li>
                }
                { for problems.iter().take(LISTED).filter(|it| !follows(it, problems)).map(|problem| row(store, problem, act)) }
                if problems.len() > LISTED {
                    <li class="problem problem--note">{ words::and_more(problems.len() - LISTED) }</li>
                }
                { inferred(store) }
                if let Some(differs) = &store.view.head.release.differs {
                    <li class="problem problem--note" data-kubelets="">
                        <span>{ words::remark(differs) }{ " " }{ nearest(store, act) }</span>
                    </li>
                }
                { for ignored }
                { kept(store.page.keeping, act) }
            </ul>
        </div>
    }
}

/// A button that follows the release that is nearest to the nodes' kubelets.
fn nearest(store: &Store, act: &Callback<Action>) -> Html {
    let Some(minor) = store.view.head.release.nearest.clone() else {
        return html! {};
    };
    let label = words::follow_nearest(&minor);
    let follow =
        act.reform(move |_: MouseEvent| Action::Edit(EditAction::Kubernetes(minor.clone())));
    html! { <button class="link" data-action="nearest-release" onclick={follow}>{ label }</button> }
}

/// Where the text is kept.
fn kept(keeping: Keeping, act: &Callback<Action>) -> Html {
    let show = act.reform(|_: MouseEvent| Action::Page(PageAction::Show(Some(Dialog::Kept))));
    html! {
        <li class="problem problem--note" data-kept={keeping.name()}>
            <span>{ keeping.sentence() }{ " " }
            if keeping != Keeping::Nothing { <button class="link" data-action="kept" aria-haspopup="dialog" onclick={show}>{ words::FORGET_IT }</button> }
            </span>
        </li>
    }
}

/// The owners that were inferred, listed on demand.
fn inferred(store: &Store) -> Html {
    let owners = &store.view.head.inferred;
    if owners.is_empty() {
        return html! {};
    }
    let rows = owners
        .iter()
        .map(|owner| html! { <li>{ words::inferred_owner(owner) }</li> });
    html! {
        <li class="problem problem--note" data-inferred={owners.len().to_string()}>
            <details><summary>{ words::inferred(owners) }</summary><ul>{ for rows }</ul></details>
        </li>
    }
}

/// The field that the author of a misspelt one meant, with its path.
fn meant(problem: &Problem) -> Option<(String, String)> {
    let meant = problem.help.suggested()?;
    let message = problem.message.to_string();
    if !message.starts_with("unknown field") {
        return None;
    }
    let around = problem.path.rsplit_once('.').map_or("", |(path, _)| path);
    let path = [around, meant].into_iter().filter(|it| !it.is_empty());
    Some((meant.to_owned(), path.collect::<Vec<_>>().join(".")))
}

/// Whether a problem is only a consequence of a misspelt field: it has the path of the field that was meant.
fn follows(problem: &Problem, problems: &[Problem]) -> bool {
    problems.iter().any(|cause| {
        cause.file == problem.file && meant(cause).is_some_and(|(_, path)| path == problem.path)
    })
}

/// Text in which the word at a line and a column, from 1, is another.
fn with_word(text: &str, (line, column): (u32, u32), old: &str, new: &str) -> Option<String> {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)? as usize)
        .map(str::len)
        .sum();
    let rest = text.get(start..)?;
    let column = rest.char_indices().nth(column.checked_sub(1)? as usize)?.0;
    let at = start + column;
    let end = text.get(at..)?.strip_prefix(old)?;
    Some(format!("{}{new}{end}", text.get(..at)?))
}

/// The button that writes the field that was meant.
fn fix(store: &Store, problem: &Problem, act: &Callback<Action>) -> Option<Html> {
    let (meant, _) = meant(problem)?;
    let old = problem.path.rsplit('.').next()?;
    let at = (problem.line, problem.column);
    let text = with_word(&store.editor.text, at, old, &meant)?;
    let onclick =
        act.reform(move |_: MouseEvent| Action::Editor(EditorAction::TypedElsewhere(text.clone())));
    Some(
        html! { <button class="btn btn--line btn--small" data-action="use-meant" {onclick}>{ words::use_field(&meant) }</button> },
    )
}

pub fn row(store: &Store, problem: &Problem, act: &Callback<Action>) -> Html {
    let fix = fix(store, problem, act);
    let path = meant(problem).map(|(_, path)| path);
    let consequences = store.view.problems.iter();
    let consequences = consequences.filter(|it| Some(&it.path) == path.as_ref());
    let consequences: Vec<Html> = consequences.map(|it| message(it, act)).collect();
    html! {
        <li class="problem" data-severity={problem.severity.name()} data-line={problem.line.to_string()} data-column={problem.column.to_string()}>
            { icon("warn") }
            <span>
                { message(problem, act) }
                if !consequences.is_empty() {
                    <details><summary class="muted">{ words::consequences(consequences.len()) }</summary>{ for consequences }</details>
                }
            </span>
            { for fix }
        </li>
    }
}

fn message(problem: &Problem, act: &Callback<Action>) -> Html {
    let (act, line, column) = (act.clone(), problem.line, problem.column);
    let onclick = Callback::from(move |_: MouseEvent| {
        act.emit(Action::Editor(EditorAction::GoTo(line, column)))
    });
    let place = format!("{}:{}", problem.line, problem.column);
    html! {
        <>
            <button class="link" {onclick}>{ place }</button>{ " " }
            if !problem.path.is_empty() { <code>{ &problem.path }</code>{ ": " } }
            { remark(&problem.message) }
            if !problem.help.is_empty() { <><br /><span class="muted">{ remark(&problem.help) }</span></> }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::{follows, meant, with_word};
    use berth_protocol::problem::{Problem, Severity};
    use berth_protocol::remark::Remark;

    fn problem(path: &str, message: &str, help: Remark) -> Problem {
        Problem {
            severity: Severity::Warning,
            file: "f".to_owned(),
            line: 2,
            column: 3,
            path: path.to_owned(),
            message: Remark::quoted(message),
            help,
            is_missing: false,
            unlisted: 0,
        }
    }

    #[test]
    fn a_misspelt_field_comes_before_what_follows_from_it() {
        let help = Remark::did_you_mean("\"whenUnsatisfiable\"");
        let cause = problem("spec.a[0].whenUnsatisfable", "unknown field \"…\"", help);
        let none = Remark::quoted("");
        let effect = problem("spec.a[0].whenUnsatisfiable", "Unsupported value", none);
        let all = [effect.clone(), cause.clone()];
        assert!(follows(&effect, &all) && !follows(&cause, &all));
        assert_eq!(meant(&cause).unwrap().0, "whenUnsatisfiable");
        assert_eq!(meant(&effect), None);
    }

    #[test]
    fn the_meant_word_is_written_where_the_other_is() {
        let text = "a:\n- é: x\n";
        let with = with_word(text, (2, 3), "é", "e");
        assert_eq!(with.as_deref(), Some("a:\n- e: x\n"));
        assert_eq!(with_word(text, (2, 3), "b", "e"), None);
        assert_eq!(with_word(text, (9, 3), "é", "e"), None);
        assert_eq!(with_word(text, (0, 0), "é", "e"), None);
    }
}
