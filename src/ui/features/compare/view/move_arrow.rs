//! An arrow for the chosen Pod, from its place in A to its place in B, by the gaps between cards.

use web_sys::{DomRect, Element};
use yew::{Html, Properties, function_component, html, use_effect, use_node_ref};

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub pod: Option<String>,
    /// One stage is drawn: the Pod's place in A is where it left.
    pub one: bool,
    /// Places change as the runs move.
    pub moment: i64,
}

/// Drawn over both stages. The positions of its ends are known only after layout.
#[function_component]
pub fn MoveArrow(props: &Props) -> Html {
    let svg = use_node_ref();
    {
        let (svg, props) = (svg.clone(), props.clone());
        use_effect(move || {
            if let Some(svg) = svg.cast::<Element>() {
                let path = props
                    .pod
                    .as_deref()
                    .and_then(|pod| path(&svg, pod, props.one));
                // Without both ends in view, nothing is drawn.
                let line = svg.query_selector("path").ok().flatten();
                if let Some(line) = line {
                    let _ = line.set_attribute("d", &path.unwrap_or_default());
                }
            }
        });
    }
    html! { <svg class="course" aria-hidden="true" ref={svg} data-course={props.pod.clone()}><path d="" /></svg> }
}

fn path(svg: &Element, pod: &str, one: bool) -> Option<String> {
    let sides = svg.parent_element()?;
    let name = format!("\"{}\"", pod.replace('\\', "\\\\").replace('"', "\\\""));
    let find = |what: String| sides.query_selector(&what).ok().flatten();
    let from = match one {
        true => find(format!("[data-left={name}]"))?,
        false => find(format!("[data-side=A] [data-pod={name}]"))?,
    };
    let to = find(format!("[data-side=B] [data-pod={name}]"))?;
    let origin = svg.get_bounding_client_rect();
    let stage = find("[data-side=B] .harbour, [data-side=B] .far__body".to_owned())?;
    let top = stage.get_bounding_client_rect().y() - origin.y();
    let edge = |place: &Element| {
        let card = place.closest(".node").ok().flatten().map_or_else(
            || place.get_bounding_client_rect(),
            |it| it.get_bounding_client_rect(),
        );
        card.x() - origin.x() - 4.0
    };
    let middle = |rect: &DomRect| rect.y() + rect.height() / 2.0 - origin.y();
    let start = middle(&from.get_bounding_client_rect());
    let end = middle(&to.get_bounding_client_rect());
    // Beside the card, up to the gap above the groups of nodes, across, and down beside the other card.
    let (out, back) = (edge(&from), edge(&to));
    let gap = top - 4.0;
    Some(format!(
        "M{:.1} {start:.1}H{out:.1}V{gap:.1}H{back:.1}V{end:.1}H{:.1}",
        out + 4.0,
        back + 4.0
    ))
}
