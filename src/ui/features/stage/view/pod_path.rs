//! A Pod's path from the queue to its node: drawn once the node is picked, and traveled when the Pod is bound.

use gloo::timers::callback::Timeout;
use web_sys::{DomRect, Element, HtmlElement};
use yew::{Component, Context, Html, NodeRef, Properties, classes, html};

use crate::ui::features::time::trip::Trip;

/// Duration of a trip at speed 1, in milliseconds; keep in sync with the style sheet (`--voyage`).
const TRIP_MS: f64 = 480.0;
/// How long the path is drawn where motion is reduced.
const STILL_MS: u32 = 600;
/// Above this speed nothing moves.
const FASTEST: f64 = 8.0;

/// A trip and how it is drawn.
#[derive(Clone, PartialEq)]
pub(super) struct DrawnTrip {
    pub trip: Trip,
    pub label: String,
    /// Classes of the owner's color.
    pub class: String,
    /// Steps per second: durations are divided by it.
    pub speed: f64,
    /// The stage shows the moment that it led to.
    pub is_current: bool,
}

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The Pod and the node that is picked for it, before it is bound and while the step shows that.
    pub picked: Option<(String, String)>,
    pub trip: Option<DrawnTrip>,
}

/// What is drawn of a trip.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    Nothing,
    /// The Pod travels.
    Motion,
    /// Motion is reduced: the path alone.
    Still,
}

/// Drawn over the stage. The positions of its ends are known only after layout.
pub(super) struct PodPath {
    svg: NodeRef,
    pod: NodeRef,
    shows: Shows,
    /// The number of the last trip that was shown.
    seen: Option<u32>,
    /// Where the last Pod arrived: it is gone from there when it travels back.
    end_point: Option<(String, (f64, f64))>,
    ends: Option<Timeout>,
}

impl Component for PodPath {
    /// The trip has ended.
    type Message = ();
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        Self {
            svg: NodeRef::default(),
            pod: NodeRef::default(),
            shows: Shows::Nothing,
            seen: ctx.props().trip.as_ref().map(|drawn| drawn.trip.number),
            end_point: None,
            ends: None,
        }
    }

    fn update(&mut self, _: &Context<Self>, (): ()) -> bool {
        self.shows = Shows::Nothing;
        self.ends = None;
        true
    }

    fn changed(&mut self, ctx: &Context<Self>, _: &Props) -> bool {
        let Some(drawn) = &ctx.props().trip else {
            self.shows = Shows::Nothing;
            return true;
        };
        if self.seen == Some(drawn.trip.number) {
            return true;
        }
        self.seen = Some(drawn.trip.number);
        let (shows, ms) = if drawn.speed > FASTEST {
            (Shows::Nothing, 0)
        } else if has_reduced_motion() {
            (Shows::Still, STILL_MS)
        } else {
            (Shows::Motion, duration(drawn.speed))
        };
        self.shows = shows;
        let link = ctx.link().clone();
        self.ends = Some(Timeout::new(ms, move || link.send_message(())));
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Props { picked, trip } = ctx.props();
        let shows = self.shows(ctx.props());
        let drawn = trip.as_ref().filter(|_| shows == Shows::Motion);
        let is_drawn = picked.is_some() || shows != Shows::Nothing;
        let traveler = drawn.map(|drawn| {
            let back = drawn.trip.back.then_some("pod--back");
            let style = format!("animation-duration:{}ms", duration(drawn.speed));
            html! {
                <span
                    key={drawn.trip.number} ref={self.pod.clone()} {style} data-voyage={drawn.trip.pod.clone()}
                    class={classes!("pod", "pod--voyage", drawn.class.clone(), back)} aria-hidden="true"
                ><span class="clip">{ &drawn.label }</span></span>
            }
        });
        html! {
            if is_drawn {
                <svg class="course" aria-hidden="true" ref={self.svg.clone()}><path d="" /><circle r="3" /></svg>
                { for traveler }
            }
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _: bool) {
        // Without both ends in the page, nothing is drawn.
        let _ = self.draw(ctx.props());
    }
}

/// Where a path leads, relative to the stage's body, in CSS pixels.
struct Ends {
    start: (f64, f64),
    end_point: (f64, f64),
    /// The left edge of the node's card.
    card: f64,
}

impl PodPath {
    /// Without motion, the path is drawn only for the moment it leads to.
    fn shows(&self, props: &Props) -> Shows {
        let is_over = props.trip.as_ref().is_some_and(|drawn| !drawn.is_current);
        match self.shows {
            Shows::Still if is_over => Shows::Nothing,
            shows => shows,
        }
    }

    fn draw(&mut self, props: &Props) -> Option<()> {
        let svg = self.svg.cast::<Element>()?;
        let shown = props.trip.as_ref();
        let shown = shown.filter(|_| self.shows(props) != Shows::Nothing);
        let trip = shown.map(|drawn| &drawn.trip);
        let (pod, node) = match (trip, &props.picked) {
            (Some(trip), _) => (&trip.pod, &trip.node),
            (None, Some((pod, node))) => (pod, node),
            (None, None) => return None,
        };
        let ends = self.ends_of(&svg, pod, node)?;
        self.end_point = Some((pod.clone(), ends.end_point));
        let (start, end_point) = (ends.start, ends.end_point);
        // The path follows the gaps: below the queue, down beside the card, and to the card's edge, but never across
        // a card.
        let way = |x: f64, y: f64, end: f64, line: f64| {
            let side = ends.card - 5.0 + x;
            let (start_x, start_y) = (start.0 + x, start.1 + y);
            let (gap, line) = (4.0 + y, line + y);
            format!(
                "M{start_x:.1} {start_y:.1}V{gap:.1}H{side:.1}V{line:.1}H{:.1}",
                end + x
            )
        };
        let line = svg.query_selector("path").ok()??;
        let _ = line.set_attribute("d", &way(0.0, 0.0, ends.card, end_point.1));
        let dot = svg.query_selector("circle").ok()??;
        let _ = dot.set_attribute("cx", &format!("{:.1}", ends.card));
        let _ = dot.set_attribute("cy", &format!("{:.1}", end_point.1));
        let traveler = self.pod.cast::<HtmlElement>()?;
        let style = traveler.style();
        // Without a path it is at the origin of its coordinates.
        let _ = style.remove_property("offset-path");
        let (own, of_line) = (
            traveler.get_bounding_client_rect(),
            svg.get_bounding_client_rect(),
        );
        // The traveler is not clipped: to a node out of view it goes as far as the stage's edge.
        let body = svg
            .closest(".stage__body")
            .ok()??
            .get_bounding_client_rect();
        let margin = own.height() / 2.0 + 2.0;
        let top = body.top() - of_line.y() + margin;
        let bottom = (body.bottom() - of_line.y() - margin).max(top);
        let shown = end_point.1.clamp(top, bottom);
        let path = way(
            of_line.x() - own.x(),
            of_line.y() - own.y(),
            end_point.0,
            shown,
        );
        let _ = style.set_property("offset-path", &format!("path(\"{path}\")"));
        Some(())
    }

    fn ends_of(&self, svg: &Element, pod: &str, node: &str) -> Option<Ends> {
        let stage = svg.closest(".stage").ok()??;
        let of = |what: &str| stage.query_selector(what).ok().flatten();
        let origin = svg.get_bounding_client_rect();
        let middle = |rect: &DomRect| {
            let (x, y) = (
                rect.x() + rect.width() / 2.0,
                rect.y() + rect.height() / 2.0,
            );
            (x - origin.x(), y - origin.y())
        };
        let (pod_name, node_name) = (quoted(pod), quoted(node));
        let card = of(&format!("[data-node={node_name}]"))?;
        let block = card.query_selector(&format!("[data-slot={pod_name}], [data-pod={pod_name}]"));
        let block = block.ok().flatten();
        let known = self.end_point.as_ref().filter(|(known, _)| known == pod);
        let end_point = match (&block, known) {
            (Some(block), _) => middle(&block.get_bounding_client_rect()),
            (None, Some((_, end_point))) => *end_point,
            (None, None) => middle(
                &card
                    .query_selector(".quay")
                    .ok()??
                    .get_bounding_client_rect(),
            ),
        };
        // A Pod that has left the queue was its first.
        let waiting = of(&format!(".lane [data-pod={pod_name}]"));
        let waiting = waiting.map(|waiting| waiting.get_bounding_client_rect());
        let start = match waiting.filter(|waiting| waiting.width() > 0.0) {
            Some(waiting) => middle(&waiting),
            None => {
                let lane = of(".lane .lane__pods")?.get_bounding_client_rect();
                (
                    lane.x() + FRONT - origin.x(),
                    lane.y() + lane.height() / 2.0 - origin.y(),
                )
            }
        };
        let card = card.get_bounding_client_rect().x() - origin.x();
        Some(Ends {
            start,
            end_point,
            card,
        })
    }
}

/// The middle of the queue's first block, in CSS pixels from the left edge of its lane.
const FRONT: f64 = 30.0;

fn duration(speed: f64) -> u32 {
    (TRIP_MS / speed.clamp(0.1, FASTEST)) as u32
}

fn has_reduced_motion() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// A name as a CSS string.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
