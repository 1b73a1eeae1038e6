//! The footer below the stage: the colors of Pod owners, and the icons of taint effects.

use gloo::events::EventListener;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement};
use yew::{Html, Properties, classes, function_component, html, use_effect_with, use_node_ref};

use crate::ui::parts::drawn::Same;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;

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
        let (named, rest, all) = (named.clone(), rest.clone(), legend.len());
        use_effect_with(Same::of(&props.owners.0), move |_| {
            let count = move || {
                let shown = named.cast::<Element>().map_or(all, |named| shown(&named));
                let text = match all.saturating_sub(shown) {
                    0 => String::new(),
                    more => format!("+{more}"),
                };
                if let Some(rest) = rest.cast::<Element>() {
                    rest.set_text_content(Some(&text));
                }
            };
            count();
            let resized = move |_: &Event| count();
            let listener = EventListener::new(&gloo::utils::window(), "resize", resized);
            move || drop(listener)
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

/// Number of owners in the first line: the others are not visible.
fn shown(named: &Element) -> usize {
    let Ok(spans) = named.query_selector_all("span") else {
        return 0;
    };
    let spans = (0..spans.length()).filter_map(|at| spans.get(at)?.dyn_into().ok());
    let tops: Vec<i32> = spans.map(|span: HtmlElement| span.offset_top()).collect();
    tops.iter().filter(|top| Some(*top) == tops.first()).count()
}
