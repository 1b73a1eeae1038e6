//! Caches what was drawn: parts of the page whose state did not change are neither rebuilt nor compared again.

use std::cell::Cell;
use std::rc::Rc;

use yew::virtual_dom::VNode;
use yew::{Component, Context, Html, Properties, html};

/// Compared by pointer: every update allocates a new `Rc`.
pub struct Same<T: ?Sized>(pub Rc<T>);

impl<T: ?Sized> Same<T> {
    pub fn of(shared: &Rc<T>) -> Self {
        Self(Rc::clone(shared))
    }
}

impl<T: ?Sized> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A part as it was last drawn, and the state that it shows. The state must be complete, or the part becomes stale.
pub struct Drawn<S>(Cell<Option<(S, Html)>>);

impl<S> Default for Drawn<S> {
    fn default() -> Self {
        Self(Cell::default())
    }
}

impl<S: PartialEq> Drawn<S> {
    /// The part for a state; it is redrawn if the state changed.
    pub fn of(&self, state: S, draw: &dyn Fn(&S) -> Html) -> Html {
        self.unless_late(state, &|_| false, draw)
    }

    /// The same, but stays as it was drawn if `is_late`, which is called with the state drawn before.
    #[inline(never)]
    pub fn unless_late(
        &self,
        state: S,
        is_late: &dyn Fn(&S) -> bool,
        draw: &dyn Fn(&S) -> Html,
    ) -> Html {
        let before = self
            .0
            .take()
            .filter(|(shown, _)| *shown == state || is_late(shown));
        let (state, html) = before.unwrap_or_else(|| {
            let html = draw(&state);
            (state, html)
        });
        self.0.set(Some((state, html.clone())));
        html! { <Part {html} /> }
    }
}

#[derive(Properties)]
pub struct Props {
    html: Html,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        match (&self.html, &other.html) {
            (VNode::VTag(one), VNode::VTag(two)) => Rc::ptr_eq(one, two),
            _ => false,
        }
    }
}

/// Renders its child only if it changed.
struct Part;

impl Component for Part {
    type Message = ();
    type Properties = Props;

    fn create(_: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        ctx.props().html.clone()
    }
}
