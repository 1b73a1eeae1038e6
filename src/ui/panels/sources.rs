//! The manifests as text, and what is wrong with them, by line and column.

use web_sys::HtmlTextAreaElement;
use yew::{Callback, Html, InputEvent, MouseEvent, NodeRef, TargetCast, html};

use crate::protocol::frame::ProblemFrame;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::ui::words;

/// Problems listed; the rest is a number.
const LISTED: usize = 50;

/// The left panel. What is typed is read when the typing rests.
pub fn view(store: &Store, area: &NodeRef, act: &Callback<Action>) -> Html {
    let typed = act.clone();
    let oninput = Callback::from(move |event: InputEvent| {
        if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() {
            typed.emit(Action::Typed(area.value()));
        }
    });
    let problems = &store.view.problems;
    let ignored = store.view.ignored.iter().map(|(kind, count)| html! {
        <li class="problem problem--note">{ format!("{count} × {kind}: read, but nothing to scheduling") }</li>
    });
    html! {
        <section class="panel sources" aria-label={words::SOURCES}>
            <header class="panel__head">
                <h2 class="panel__title">{ words::SOURCES }</h2>
                <span class="push" />
                <span class="muted">{ words::count(store.text.lines().count(), "line", "lines") }</span>
            </header>
            <textarea
                ref={area.clone()}
                class="manifests"
                aria-label={words::MANIFESTS}
                aria-invalid={problems.iter().any(|problem| problem.severity == "error").to_string()}
                spellcheck="false"
                autocomplete="off"
                wrap="off"
                data-field="manifests"
                value={store.text.to_string()}
                {oninput}
            />
            <ul class="problems" role="status" data-problems={problems.len().to_string()}>
                if problems.is_empty() {
                    <li class="problem problem--note">{ words::NO_PROBLEMS }</li>
                }
                { for problems.iter().take(LISTED).map(|problem| row(problem, store, area)) }
                if problems.len() > LISTED {
                    <li class="problem problem--note">{ format!("… and {} more", problems.len() - LISTED) }</li>
                }
                { for ignored }
            </ul>
        </section>
    }
}

fn row(problem: &ProblemFrame, store: &Store, area: &NodeRef) -> Html {
    let area = area.clone();
    let range = line_range(&store.text, problem.line);
    let onclick = Callback::from(move |_: MouseEvent| {
        if let Some(area) = area.cast::<HtmlTextAreaElement>() {
            // A view that cannot move the cursor is no reason to stop.
            let _ = area.focus();
            let _ = area.set_selection_range(range.0, range.1);
        }
    });
    let place = format!("{}:{}", problem.line, problem.column);
    html! {
        <li class="problem" data-severity={problem.severity.clone()} data-line={problem.line.to_string()} data-column={problem.column.to_string()}>
            { icon("warn") }
            <span>
                <button class="link" {onclick}>{ place }</button>{ " " }
                if !problem.path.is_empty() { <code>{ &problem.path }</code>{ ": " } }
                { &problem.message }
                if !problem.help.is_empty() { <span class="muted">{ " " }{ &problem.help }</span> }
            </span>
        </li>
    }
}

/// Where a line (from 1) begins and ends, in UTF-16 units as text areas count.
fn line_range(text: &str, line: u32) -> (u32, u32) {
    let mut start = 0;
    for (number, content) in (1..).zip(text.split('\n')) {
        let length = u32::try_from(content.encode_utf16().count()).unwrap_or(0);
        if number == line {
            return (start, start + length);
        }
        start += length + 1;
    }
    (start, start)
}

#[cfg(test)]
mod tests {
    use super::line_range;

    #[test]
    fn lines_are_counted_as_text_areas_do() {
        assert_eq!(line_range("ab\n🚢c\nd", 1), (0, 2));
        assert_eq!(line_range("ab\n🚢c\nd", 2), (3, 6));
        assert_eq!(line_range("ab\n🚢c\nd", 3), (7, 8));
    }
}
