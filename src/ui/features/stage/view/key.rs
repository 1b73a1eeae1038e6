//! The footer below the stage: the colors of Pod owners, and the icons of taint effects.

use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, ResizeObserver};
use yew::{Html, Properties, classes, function_component, html, use_effect_with, use_node_ref};

use crate::ui::parts::drawn::Same;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::words;

/// Maximum number of owners named, if they fit.
const NAMED: usize = 24;

#[derive(PartialEq, Properties)]
pub struct Props {
    pub owners: Same<Owners>,
}

/// The owners side by side as far as they fit, then the number of the others.
#[function_component]
pub fn Key(props: &Props) -> Html {
    let (named, rest) = (use_node_ref(), use_node_ref());
    let legend = props.owners.0.legend();
    {
        let all: Vec<String> = legend.iter().map(|(name, _)| (*name).to_owned()).collect();
        let (named, rest) = (named.clone(), rest.clone());
        use_effect_with(Same::of(&props.owners.0), move |_| {
            let place = named.clone();
            let count = move || {
                let named = named.cast::<HtmlElement>();
                let (shown, room) = named.map_or((all.len(), 0), |named| shown(&named));
                let more = all.get(shown..).unwrap_or_default();
                let text = match more.len() {
                    0 => String::new(),
                    more => format!("+{more}"),
                };
                if let Some(rest) = rest.cast::<HtmlElement>() {
                    rest.set_text_content(Some(&text));
                    rest.set_title(&more.join(words::language::comma()));
                    // Behind the last owner shown, not behind the room that no owner fits into.
                    let _ = rest
                        .style()
                        .set_property("translate", &format!("-{room}px"));
                }
            };
            count();
            // The window is resized, a panel beside the stage is, or all text is larger.
            let resized = Closure::<dyn FnMut()>::new(count);
            let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(named)) = (&observer, place.cast::<HtmlElement>()) {
                observer.observe(&named);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(resized);
            }
        });
    }
    let legend = legend.into_iter().take(NAMED).map(|(name, flag)| {
        html! { <span><i class={classes!("flag", flag.class())} />{ name }</span> }
    });
    html! {
        <footer class="key"><div class="key__owners" ref={named}>{ for legend }</div><span class="key__more" ref={rest} />
            <span>{ icon("noschedule") }{ "NoSchedule" }</span>
            <span>{ icon("prefer") }{ "PreferNoSchedule" }</span>
            <span>{ icon("noexecute") }{ "NoExecute" }</span>
        </footer>
    }
}

/// The number of owners in the first line, as the others are not visible, and the pixels behind the last of them.
fn shown(named: &HtmlElement) -> (usize, i32) {
    let Ok(spans) = named.query_selector_all("span") else {
        return (0, 0);
    };
    let spans = (0..spans.length()).filter_map(|at| spans.get(at)?.dyn_into().ok());
    let spans: Vec<HtmlElement> = spans.collect();
    let top = spans.first().map(HtmlElement::offset_top);
    let line = spans.iter().filter(|span| Some(span.offset_top()) == top);
    let end = |element: &HtmlElement| element.offset_left() + element.offset_width();
    let last = line.clone().next_back().map_or(0, end);
    (line.count(), (end(named) - last).max(0))
}
