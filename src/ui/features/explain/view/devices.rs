//! The devices of a failed attempt: node by node, which rule each broke. A cell shows the expression and what it saw.

use std::rc::Rc;

use yew::prelude::*;

use super::section::section;
use super::text;
use crate::scene::device_matrix::{DeviceMatrix, Group, Mark, Row, read_in};
use crate::ui::features::explain::{Cell, ExplainAction, Table};
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label_of;
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, Store};
use crate::ui::styles;
use crate::words;
use crate::words::docks;
use berth_protocol::cycle::Cycle;
use berth_protocol::device::DeviceFrame;
use berth_protocol::fact::DeviceOutcome;

/// The section; empty if no search for devices failed.
pub fn view(store: &Store, cycle: &Cycle, revealed: &Revealed, act: &Callback<Action>) -> Html {
    if cycle.devices.is_none() || !revealed.reached(Point::PostFilter) {
        return html! {};
    }
    matrix(store, cycle, act)
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn matrix(store: &Store, cycle: &Cycle, act: &Callback<Action>) -> Html {
    let Some(matrix) = DeviceMatrix::of(cycle) else {
        return html! {};
    };
    styles::load(styles::DOCKS);
    let devices = store
        .view
        .nodes
        .iter()
        .filter_map(|node| node.devices.as_ref())
        .flat_map(|it| &it.devices)
        .cloned();
    let mut known: Vec<DeviceFrame> = devices.collect();
    let holders = known.iter_mut().flat_map(|device| &mut device.holders);
    for pod in holders.flat_map(|holder| &mut holder.pods) {
        *pod = label_of(&store.view, pod);
    }
    let free = known.iter().filter(|it| !it.is_taken()).count();
    let sum = html! { docks::free_among(free, known.len()) };
    let props = Props {
        matrix: Rc::new(matrix),
        known: Rc::new(known),
        chosen: store
            .explain
            .cell
            .clone()
            .filter(|cell| cell.table == Table::Devices),
        act: act.clone(),
    };
    section(
        docks::DEVICES.get(),
        sum,
        true,
        html! { <Devices ..props /> },
    )
}

#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    matrix: Rc<DeviceMatrix>,
    /// The current state of all devices.
    known: Rc<Vec<DeviceFrame>>,
    /// The node and the plugin of the chosen cell, if it is one of these.
    chosen: Option<Cell>,
    act: Callback<Action>,
}

/// The matrix, with the rule of the chosen cell below it.
#[function_component]
fn Devices(props: &Props) -> Html {
    let matrix = &props.matrix;
    // Node, row and column.
    let chosen = use_state(|| None::<(usize, usize, usize)>);
    let node = props.chosen.as_ref().map(|cell| cell.node.as_str());
    let is_shown = |group: &Group| node == Some(&group.node);
    let has_requests = matrix.has_requests();
    let head = matrix.rules.iter().map(|rule| {
        let (name, title) = docks::rule(rule);
        html! { <th scope="col" {title}><span>{ name }</span></th> }
    });
    let groups = matrix.groups.iter().enumerate().map(|(node, group)| {
        let rows = group.rows.iter().enumerate().map(|(at, row)| {
            let first = (at == 0).then(|| {
                html! { <th scope="rowgroup" rowspan={group.rows.len().to_string()}><span class="clip" title={group.node.clone()}>{ &group.node }</span></th> }
            });
            let cells = (0..matrix.rules.len()).map(|column| {
                let place = (node, at, column);
                let chosen = chosen.clone();
                let is_chosen = *chosen == Some(place) && is_shown(group);
                let (act, name) = (props.act.clone(), group.node.clone());
                let onclick = Callback::from(move |_: MouseEvent| {
                    chosen.set(Some(place));
                    let node = (!is_chosen).then(|| name.clone());
                    act.emit(Action::Explain(ExplainAction::Device(node)));
                });
                cell(matrix, group, row, column, (is_chosen, onclick))
            });
            html! {
                <tr>
                    { for first }
                    <th scope="row"><span class="clip">{ device_name(row) }<small>{ kind(row, &props.known, has_requests) }</small></span></th>
                    { for cells }
                    <td class="is-end"><span class="clip" title={words::device_step(&row.claim, &row.request, &row.device, &row.outcome)}>{ end(row, &props.known) }</span></td>
                </tr>
            }
        });
        html! { <tbody>{ for rows }</tbody> }
    });
    let sum = (*chosen).and_then(|(node, row, _)| {
        let group = matrix.groups.get(node).filter(|group| is_shown(group))?;
        Some(sum(group, group.rows.get(row)?))
    });
    html! {
        <div class="matrix__part" data-devices="">
            <div class="matrix__scroll matrix__scroll--long" tabindex="0" role="group" aria-label={docks::BY_RULE}>
                <table class="matrix matrix--devices">
                    <thead><tr><td colspan="2" />{ for head }<td class="is-end" /></tr></thead>
                    { for groups }
                </table>
            </div>
            { sum.unwrap_or_default() }
            if matrix.more > 0 { <p class="note note--after">{ docks::more_nodes(matrix.more) }</p> }
        </div>
    }
}

fn cell(
    matrix: &DeviceMatrix,
    group: &Group,
    row: &Row,
    column: usize,
    (is_chosen, onclick): (bool, Callback<MouseEvent>),
) -> Html {
    let (mark, words) = match matrix.mark(row, column) {
        Mark::Passes => (html! { <i class="dot" /> }, text::PASSES.get()),
        Mark::Rejects => (icon("rejected"), text::REJECTS.get()),
        Mark::NotAsked => (html! { <i class="dash" /> }, docks::NOT_ASKED.get()),
    };
    let rule = matrix.rules.get(column).map(|rule| docks::rule(rule).0);
    let place = format!("{} {}", group.node, device_name(row));
    let label = words::labelled(words::followed(place, rule.unwrap_or_default()), words);
    html! {
        <td><button class="cell" aria-label={label} aria-pressed={is_chosen.to_string()} {onclick}>{ mark }</button></td>
    }
}

/// What the search did with a device, and the values that the expression saw.
fn sum(group: &Group, row: &Row) -> Html {
    let about = words::followed(&row.claim, &row.request);
    let name = device_name(row);
    let body = match &row.outcome {
        DeviceOutcome::NotSelected {
            expression, seen, ..
        } => {
            let name = seen.first().map_or("", |(name, _)| name.as_str());
            let parts = read_in(expression, name)
                .into_iter()
                .map(|(is_read, part)| {
                    if is_read {
                        html! { <span class="cel__saw">{ part.to_owned() }</span> }
                    } else {
                        html! { { part.to_owned() } }
                    }
                });
            let values = seen.iter().map(|(name, value)| {
                html! { <div>{ format!("{name} = ") }<b class="cel__val">{ value }</b></div> }
            });
            html! { <pre class="cel">{ for parts }<b class="cel__val">{ docks::IS_FALSE }</b>{ for values }</pre> }
        }
        other => html! {
            <p class="sum__text">{ words::device_step("", "", &row.device, other) }</p>
        },
    };
    html! {
        <div class="sum">
            <p class="sum__title"><b>{ words::followed(&group.node, name) }</b><span>{ about }</span></p>
            { body }
        </div>
    }
}

fn device_name(row: &Row) -> String {
    match row.device.rsplit('/').next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => docks::NO_DEVICE.to_owned(),
    }
}

fn device<'k>(row: &Row, known: &'k [DeviceFrame]) -> Option<&'k DeviceFrame> {
    known.iter().find(|it| it.id() == row.device)
}

/// What the device is, and for which request it was looked at, if there are several.
fn kind(row: &Row, known: &[DeviceFrame], has_requests: bool) -> String {
    let kind = device(row, known).map(crate::scene::docks::kind_of);
    let kind = kind.filter(|kind| !kind.is_empty());
    let request = Some(row.request.clone()).filter(|it| has_requests && !it.is_empty());
    let parts: Vec<String> = kind.into_iter().chain(request).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" {}", parts.join(" · "))
}

/// The value that was seen, or the holder of the device.
fn end(row: &Row, known: &[DeviceFrame]) -> String {
    let holder = device(row, known).and_then(|it| it.holders.iter().find(|it| !it.admin_access));
    match (&row.outcome, holder) {
        (DeviceOutcome::InUse, Some(holder)) => docks::has_it(&docks::holder_of(holder)),
        (
            DeviceOutcome::NotSelected {
                seen, class: None, ..
            },
            _,
        ) => match seen.first() {
            Some((_, value)) => docks::saw(value),
            None => words::device_brief(&row.device, &row.outcome),
        },
        (outcome, _) => words::device_brief(&row.device, outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::{device_name, end};
    use crate::scene::device_matrix::Row;
    use berth_protocol::device::{DeviceFrame, DeviceHolder};
    use berth_protocol::fact::DeviceOutcome;

    #[test]
    fn a_row_ends_with_who_has_the_device() {
        let row = Row {
            claim: "c".to_owned(),
            request: "gpu".to_owned(),
            device: "d/a/gpu-0".to_owned(),
            outcome: DeviceOutcome::InUse,
        };
        let held = DeviceFrame {
            driver: "d".to_owned(),
            pool: "a".to_owned(),
            name: "gpu-0".to_owned(),
            holders: vec![DeviceHolder {
                pods: vec!["default/train-0".to_owned()],
                ..DeviceHolder::default()
            }],
            ..DeviceFrame::default()
        };
        assert_eq!(device_name(&row), "gpu-0");
        assert_eq!(end(&row, &[held]), "train-0 has it");
        assert_eq!(end(&row, &[]), "gpu-0 in use");
    }
}
