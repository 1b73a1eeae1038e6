//! The filter matrix: nodes × Filter plugins. Of a large one, only the rows in view are drawn.

mod walk;

use std::ops::Range;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::rows::{self, Group};
use super::section::section;
use super::table::{Pen, tools};
use super::{arithmetic, reasons, text, why_not};
use crate::ui::features::explain::{Cell as Chosen, ExplainAction, Found, Table};
use crate::ui::parts::icon::icon;
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, EmbedView, Store};
use crate::words;
use berth_protocol::command::{MatrixQuery, Order};
use berth_protocol::cycle::{Cycle, NodeReport};
use berth_protocol::page::{ALL_ROWS, Explained};
use walk::{at_of, key};

/// With more nodes than this, they can be searched and sorted.
const SEARCHED: u32 = 12;
/// With more columns than this, columns are narrow.
const WIDE: usize = 7;

/// The section with the matrix.
pub fn view(
    store: &Store,
    explained: &Rc<Explained>,
    cycle: &Cycle,
    revealed: &Revealed,
    act: &Callback<Action>,
) -> Html {
    // Of a large cluster only some rows are known, so groups would be incomplete.
    let is_whole = usize::try_from(cycle.search.nodes).is_ok_and(|nodes| nodes <= ALL_ROWS);
    let is_grouped = store.explain.query.order == Order::Document && is_whole;
    let groups = is_grouped.then(|| {
        let value = |report: &NodeReport| {
            let node = store.view.node(&report.node)?;
            node.labels.get(&store.stage.group_by).cloned()
        };
        cycle
            .nodes
            .iter()
            .take(explained.rows.matching)
            .map(value)
            .collect()
    });
    let column = revealed
        .stop
        .as_ref()
        .filter(|stop| stop.point == Point::Filter)
        .and_then(|stop| stop.plugin);
    let left = words::sentence::left_after(cycle, &explained.rows, column);
    let sum = html! {
        <>{ icon(if left > 0 { "feasible" } else { "rejected" }) }{ text::left_of(left, &cycle.search) }</>
    };
    let is_next = column.is_some() || !revealed.reached(Point::PreScore);
    let is_over = cycle.scores.is_some() || cycle.preemption.is_some();
    let props = Props {
        asks: why_not::is_asked(cycle, revealed),
        explained: Rc::clone(explained),
        cell: store
            .explain
            .cell
            .clone()
            .filter(|cell| cell.table == Table::Filter),
        numbers: store.explain.numbers.clone(),
        query: store.explain.query.clone(),
        revealed: revealed.clone(),
        groups,
        domain: store.view.node_domain().to_owned(),
        folds: store.page.embed != Some(EmbedView::Matrix),
        act: act.clone(),
    };
    section(
        text::FILTER.get(),
        sum,
        is_next || !is_over,
        html! { <Matrix ..props /> },
    )
}

#[derive(Properties, Clone)]
pub struct Props {
    /// Whether a click on a row's name asks why the Pod was not placed there.
    pub asks: bool,
    explained: Rc<Explained>,
    pub cell: Option<Chosen>,
    numbers: Option<Found>,
    pub query: MatrixQuery,
    pub revealed: Revealed,
    /// The value that each row is grouped by; `None`: rows are not grouped.
    groups: Option<Vec<Option<String>>>,
    /// The suffix that the names of all nodes share.
    domain: String,
    /// Whether reasons stand in for the rows of a large cluster.
    folds: bool,
    pub act: Callback<Action>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        // The record is large, and every update allocates a new one.
        Rc::ptr_eq(&self.explained, &other.explained)
            && self.asks == other.asks
            && self.cell == other.cell
            && self.numbers == other.numbers
            && self.query == other.query
            && self.revealed == other.revealed
            && self.groups == other.groups
            && self.domain == other.domain
            && self.folds == other.folds
            && self.act == other.act
    }
}

impl Props {
    fn cycle(&self) -> Option<&Cycle> {
        self.explained.result.as_ref().ok()
    }

    /// Positions of the rows that the engine reported, among the rows that match the filter.
    fn known(&self) -> Range<usize> {
        let from = self.explained.rows.from;
        let reported = self.cycle().map_or(0, |cycle| cycle.nodes.len());
        from..(from + reported).min(self.total()).max(from)
    }

    /// Number of rows that match the filter. For a small cycle more rows are reported, for the stage.
    fn total(&self) -> usize {
        self.explained.rows.matching
    }

    fn groups(&self) -> Vec<Group> {
        match &self.groups {
            Some(values) => rows::grouped(values),
            None => rows::ungrouped(self.known().len()),
        }
    }

    pub fn is_skipped(&self, column: usize) -> bool {
        self.cycle().is_some_and(|cycle| {
            let plugin = cycle.filter_plugins.get(column);
            plugin.is_some_and(|plugin| cycle.pre_filter.skipped.contains(plugin))
        })
    }
}

/// The column of node names, before the plugins.
pub const NAMES: usize = usize::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub row: usize,
    pub column: usize,
}

pub struct Matrix {
    /// The first drawn row.
    first: usize,
    /// The column under the pointer.
    hot: Option<usize>,
    /// The cell that is the tab stop.
    stop: At,
    unfolded: bool,
    /// A row a node was asked for.
    whole: bool,
    /// The first row of the last request to the engine.
    asked: Option<usize>,
    list: NodeRef,
    /// Deferred until the new rows are drawn.
    focus: bool,
    rewind: bool,
    /// Frames until all rows in view are drawn instead of only the first ones.
    later: u8,
    frame: Option<AnimationFrame>,
}

pub enum Msg {
    Scrolled,
    Hover(Option<usize>),
    Focus(At),
    /// Moves by this many rows and columns.
    Go(isize, isize),
    Choose(At),
    Close,
    Fold,
    /// Shows a row a node.
    ShowAll,
    /// A frame begins.
    Frame,
}

impl Component for Matrix {
    type Message = Msg;
    type Properties = Props;

    fn create(_: &Context<Self>) -> Self {
        Self {
            first: 0,
            hot: None,
            stop: At { row: 0, column: 0 },
            unfolded: false,
            whole: false,
            asked: None,
            list: NodeRef::default(),
            focus: false,
            rewind: false,
            // The first frame begins before the first drawing.
            later: 2,
            frame: None,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let new = ctx.props();
        self.asked = None;
        let is_other = new.explained.position != old.explained.position
            || new.query.filter != old.query.filter
            || new.query.order != old.query.order;
        if is_other {
            self.first = 0;
            self.stop.row = 0;
            self.rewind = true;
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        let props = ctx.props();
        match msg {
            Msg::Scrolled => self.scrolled(props),
            Msg::Hover(column) => std::mem::replace(&mut self.hot, column) != column,
            Msg::Focus(at) => std::mem::replace(&mut self.stop, at) != at,
            Msg::Go(rows, columns) => self.go(props, rows, columns),
            Msg::Choose(at) => {
                if let Some(action) = self.action_at(props, at) {
                    props.act.emit(action);
                }
                false
            }
            Msg::Close => {
                if let Some(cell) = &props.cell {
                    props
                        .act
                        .emit(Action::Explain(ExplainAction::Cell(cell.clone())));
                }
                false
            }
            Msg::Fold => {
                self.unfolded = !self.unfolded;
                true
            }
            Msg::ShowAll => !std::mem::replace(&mut self.whole, true),
            Msg::Frame => {
                self.later = self.later.saturating_sub(1);
                self.count_frames(ctx);
                self.later == 0
            }
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            self.count_frames(ctx);
        }
        let Some(list) = self.list.cast::<Element>() else {
            return;
        };
        if std::mem::take(&mut self.rewind) {
            list.set_scroll_top(0);
        }
        if std::mem::take(&mut self.focus) {
            let cell = list.query_selector("[data-at][tabindex=\"0\"]");
            let cell = cell.ok().flatten();
            if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
                // If focusing fails, the arrow keys step through the run, which is harmless.
                let _ = cell.focus();
            }
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let Some(cycle) = props.cycle() else {
            return html! {};
        };
        let link = ctx.link();
        let onkeydown = link.batch_callback(key);
        let chosen = props.cell.as_ref();
        html! {
            <div class="matrix__part" {onkeydown}>
                if cycle.search.nodes > SEARCHED { { tools(props) } }
                if self.is_summed_up(props) {
                    { reasons::view(&props.explained.rows, &props.domain, &link.callback(|_: MouseEvent| Msg::ShowAll), &props.act) }
                } else {
                    { self.table(ctx, cycle) }
                }
                if props.total() == 0 { <p class="note note--after">{ text::NO_MATCH }</p> }
                { chosen.map(|cell| arithmetic::view(cycle, cell, props.numbers.as_ref())).unwrap_or_default() }
                { self.notes(ctx, cycle) }
            </div>
        }
    }
}

impl Matrix {
    /// Whether the reasons are shown in place of the rows.
    fn is_summed_up(&self, props: &Props) -> bool {
        let is_asked = self.whole || !props.query.filter.is_empty() || props.cell.is_some();
        props.folds
            && !is_asked
            && props.query.order == Order::Document
            && props.explained.rows.verdicts.len() > reasons::MANY
            && props.revealed.reached(Point::PostFilter)
    }

    fn count_frames(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        let next = move |_| link.send_message(Msg::Frame);
        self.frame = (self.later > 0).then(|| request_animation_frame(next));
    }

    /// Positions of the rows to draw. With the rest of Explain only the rows in view are drawn, to avoid a long task;
    /// the others follow.
    fn drawn(&self, total: usize) -> Range<usize> {
        let drawn = rows::drawn(self.first, total);
        if self.later > 0 {
            drawn.start..drawn.end.min(drawn.start + rows::AT_FIRST)
        } else {
            drawn
        }
    }

    fn table(&self, ctx: &Context<Self>, cycle: &Cycle) -> Html {
        let props = ctx.props();
        let link = ctx.link();
        let columns = self.columns(props);
        let (known, total) = (props.known(), props.total());
        let drawn = self.drawn(total);
        let start = drawn.start.clamp(known.start, known.end);
        let end = drawn.end.clamp(start, known.end);
        let names = cycle
            .nodes
            .iter()
            .take(known.len())
            .map(|report| report.node.as_str());
        let longest = names.clone().map(str::len).max().unwrap_or(0);
        let pen = Pen {
            props,
            cycle,
            shared: if longest > 14 {
                text::shared(names)
            } else {
                text::Shared::default()
            },
            stop: At {
                row: self.stop.row.clamp(start, end.saturating_sub(1).max(start)),
                column: if columns.contains(&self.stop.column) {
                    self.stop.column
                } else {
                    // The tab stop is a verdict first; an arrow key leads to the names.
                    let plugin = columns.iter().find(|column| **column != NAMES);
                    plugin.copied().unwrap_or(0)
                },
            },
            hot: self.hot.or_else(|| now(props, cycle)),
            unfolded: self.unfolded,
            is_grouped: props.groups.is_some(),
        };
        let mut at = known.start;
        let bodies = props.groups().into_iter().map(|group| {
            let rows = at..at + group.rows.len();
            at = rows.end;
            pen.body(&group, rows, &(start..end))
        });
        let bodies: Html = bodies.collect();
        let gap = |rows: usize| {
            (rows > 0).then(|| html! { <tbody class="matrix__gap" aria-hidden="true" style={format!("--rows:{rows}")}><tr><td /></tr></tbody> })
        };
        let onclick = link.batch_callback(|event: MouseEvent| at_of(&event).map(Msg::Choose));
        let onmouseover =
            link.callback(|event: MouseEvent| Msg::Hover(at_of(&event).map(|at| at.column)));
        let onmouseleave = link.callback(|_: MouseEvent| Msg::Hover(None));
        let onfocusin = link.batch_callback(|event: FocusEvent| at_of(&event).map(Msg::Focus));
        let onscroll = link.callback(|_: Event| Msg::Scrolled);
        let long = (total > rows::ALL).then_some("matrix__scroll--long");
        let dense = (columns.len() > WIDE + usize::from(props.asks)).then_some("matrix--dense");
        html! {
            <div class={classes!("matrix__scroll", long)} ref={self.list.clone()} {onscroll}>
                <table class={classes!("matrix", dense)} aria-rowcount={(total + 1).to_string()} {onclick} {onmouseover} {onmouseleave} {onfocusin}>
                    <caption class="visually-hidden">{ text::MATRIX }</caption>
                    { pen.head() }
                    { gap(start).unwrap_or_default() }
                    { bodies }
                    { gap(total.saturating_sub(end)).unwrap_or_default() }
                </table>
            </div>
        }
    }

    /// Notes about what the matrix omits, and why.
    fn notes(&self, ctx: &Context<Self>, cycle: &Cycle) -> Html {
        let is_skipped = |plugin: &&String| cycle.pre_filter.skipped.contains(plugin);
        let skipped = cycle.filter_plugins.iter().filter(is_skipped);
        let skipped: Vec<&str> = skipped.map(String::as_str).collect();
        let onclick = ctx.link().callback(|_: MouseEvent| Msg::Fold);
        let label = if self.unfolded {
            text::HIDE_COLUMNS
        } else {
            text::SHOW_COLUMNS
        };
        let rows = &ctx.props().explained.rows;
        html! {
            <>
                if !skipped.is_empty() {
                    <p class="note note--after">{ text::skipped(&skipped) }{ " " }
                        <button class="link" aria-expanded={self.unfolded.to_string()} {onclick}>{ label }</button>
                    </p>
                }
                if rows.not_examined > 0 {
                    <p class="note note--after">{ text::not_examined(rows.not_examined, rows.feasible, cycle) }</p>
                }
            </>
        }
    }
}

/// The column of the current step or of the chosen cell.
fn now(props: &Props, cycle: &Cycle) -> Option<usize> {
    let stop = props.revealed.stop.as_ref();
    let stop = stop.filter(|stop| stop.point == Point::Filter);
    stop.and_then(|stop| stop.plugin).or_else(|| {
        let cell = props.cell.as_ref()?;
        let mut plugins = cycle.filter_plugins.iter();
        plugins.position(|plugin| *plugin == cell.plugin)
    })
}
