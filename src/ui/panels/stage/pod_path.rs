//! The course of the Pod being scheduled: from its place in the queue to its berth.

use web_sys::{DomRect, Element};
use yew::{AttrValue, Component, Context, Html, NodeRef, Properties, html};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub pod: AttrValue,
    pub node: AttrValue,
}

/// Drawn over the stage's body. The positions of its ends are known only after layout.
pub(super) struct Course {
    svg: NodeRef,
}

impl Component for Course {
    type Message = ();
    type Properties = Props;

    fn create(_: &Context<Self>) -> Self {
        Self {
            svg: NodeRef::default(),
        }
    }

    fn view(&self, _: &Context<Self>) -> Html {
        html! {
            <svg class="course" aria-hidden="true" ref={self.svg.clone()}><path d="" /><circle r="3" /></svg>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        // Without both ends in the page, nothing is drawn.
        let _ = self.draw();
    }
}

impl Course {
    fn draw(&self) -> Option<()> {
        let svg = self.svg.cast::<Element>()?;
        let stage = svg.closest(".stage").ok()??;
        let of = |what: &str| stage.query_selector(what).ok().flatten();
        let origin = svg.get_bounding_client_rect();
        let from = of(".lane .pod--left").map(|left| left.get_bounding_client_rect());
        let slot = of("[data-slot]")?;
        let to = slot.get_bounding_client_rect();
        let card = slot
            .closest("[data-node]")
            .ok()??
            .get_bounding_client_rect();
        let (x, y) = (origin.x(), origin.y());
        let start = from.as_ref().map_or((0.0, 0.0), middle);
        let (start_x, start_y) = (start.0 - x, (start.1 - y).max(0.0));
        // The course follows the gaps: below the queue, down beside the card, and to the card's edge, but never across
        // a card.
        let side = card.x() - x - 5.0;
        let end = (card.x() - x, middle(&to).1 - y);
        let path = format!(
            "M{start_x:.1} {start_y:.1}V4H{side:.1}V{:.1}H{:.1}",
            end.1, end.0
        );
        let line = svg.query_selector("path").ok()??;
        let _ = line.set_attribute("d", &path);
        let dot = svg.query_selector("circle").ok()??;
        let _ = dot.set_attribute("cx", &format!("{:.1}", end.0));
        let _ = dot.set_attribute("cy", &format!("{:.1}", end.1));
        if let Ok(slot) = web_sys::wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(slot) {
            // The offset from which the style sheet animates the Pod.
            let style = slot.style();
            let _ = style.set_property("--from-x", &format!("{:.0}px", start.0 - middle(&to).0));
            let _ = style.set_property("--from-y", &format!("{:.0}px", start.1 - middle(&to).1));
        }
        Some(())
    }
}

fn middle(rect: &DomRect) -> (f64, f64) {
    (
        rect.x() + rect.width() / 2.0,
        rect.y() + rect.height() / 2.0,
    )
}
