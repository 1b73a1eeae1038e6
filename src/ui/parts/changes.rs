//! Manifests of a lesson's step, as elements.

use berth_protocol::lesson::{Line, LineMark};
use yew::{Html, html};

/// Manifests with what a step changes in them. Copied, they are as they become.
pub fn changes(lines: &[Line]) -> Html {
    let lines = lines.iter().map(|line| {
        let text = format!("{}\n", line.text);
        match line.mark {
            LineMark::Kept => html! { { text } },
            LineMark::New => html! { <ins>{ text }</ins> },
            LineMark::Gone => html! { <del>{ text }</del> },
            LineMark::Left => html! { <span class="muted">{ text }</span> },
        }
    });
    html! { <pre class="lesson__yaml" tabindex="0"><code>{ for lines }</code></pre> }
}
