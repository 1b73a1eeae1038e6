//! The pictures of the gallery: each example at the end of its run, drawn in the classes of `www/berth.css`. A node is a
//! quay, a Pod a block whose share of the quay is its share of the node's CPU; Pods that wait stand above.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use berth_protocol::frame::{Frame, NodeFrame, PodFrame};

const ZONE: &str = "topology.kubernetes.io/zone";
/// Width and height of a picture.
const SIZE: (f64, f64) = (200.0, 104.0);
/// Height of the strip for Pods that wait.
const STRIP: f64 = 20.0;
/// Nodes below each other.
const ROWS: usize = 3;
/// Pods that are drawn while they wait.
const WAITING: usize = 8;
const GAP: f64 = 4.0;
/// Colors of owners in the style sheet.
const COLORS: usize = 8;

/// Nodes below each other, and the zone that they are in.
struct Column<'f> {
    zone: Option<&'f str>,
    nodes: Vec<&'f NodeFrame>,
}

/// Draws a frame as SVG.
pub fn draw(frame: &Frame) -> String {
    let colors = colors(frame);
    let columns = columns(frame);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" aria-hidden=\"true\">",
        SIZE.0, SIZE.1
    );
    waiting(&mut svg, frame, &colors);
    let zones = columns.iter().map(|column| column.zone);
    let zones: Vec<_> = zones.fold(Vec::new(), |mut zones, zone| {
        if zones.last().is_none_or(|(last, _)| *last != zone) {
            zones.push((zone, 0));
        }
        if let Some((_, count)) = zones.last_mut() {
            *count += 1;
        }
        zones
    });
    let width = (SIZE.0 - GAP) / columns.len().max(1) as f64;
    let mut at = 0;
    for (zone, count) in zones {
        let x = GAP / 2.0 + at as f64 * width;
        if zone.is_some() {
            rect(
                &mut svg,
                "art-water",
                [
                    x + 1.0,
                    STRIP,
                    count as f64 * width - 2.0,
                    SIZE.1 - STRIP - 2.0,
                ],
                "",
            );
        }
        for column in &columns[at..at + count] {
            let x = GAP / 2.0 + at as f64 * width + GAP;
            self::column(&mut svg, frame, column, [x, width - 2.0 * GAP], &colors);
            at += 1;
        }
    }
    svg.push_str("</svg>");
    svg
}

/// The color of each owner, by its first Pod.
fn colors(frame: &Frame) -> BTreeMap<&str, usize> {
    let mut colors = BTreeMap::new();
    for pod in &frame.pods {
        let next = colors.len() % COLORS + 1;
        colors.entry(owner(pod)).or_insert(next);
    }
    colors
}

/// The workload, without the hash of a ReplicaSet.
fn owner(pod: &PodFrame) -> &str {
    let owner = if pod.owner.is_empty() {
        &pod.key
    } else {
        &pod.owner
    };
    match pod.labels.get("pod-template-hash") {
        Some(hash) => owner.strip_suffix(hash.as_str()).unwrap_or(owner),
        None => owner,
    }
}

fn columns(frame: &Frame) -> Vec<Column<'_>> {
    let mut zones: Vec<(Option<&str>, Vec<&NodeFrame>)> = Vec::new();
    for node in &frame.nodes {
        let zone = node.labels.get(ZONE).map(String::as_str);
        match zones.iter_mut().find(|(known, _)| *known == zone) {
            Some((_, nodes)) => nodes.push(node),
            None => zones.push((zone, vec![node])),
        }
    }
    // Nodes without a zone come last, as on the stage.
    zones.sort_by_key(|(zone, _)| zone.is_none());
    // More nodes than fit beside each other stand closer below each other.
    let rows = frame.nodes.len().div_ceil(12).max(1).max(ROWS);
    let columns = zones.into_iter().flat_map(|(zone, nodes)| {
        let rows = if zone.is_none() && nodes.len() <= 6 {
            2
        } else {
            rows
        };
        let chunks: Vec<_> = nodes.chunks(rows).map(<[_]>::to_vec).collect();
        chunks.into_iter().map(move |nodes| Column { zone, nodes })
    });
    columns.collect()
}

fn column(
    svg: &mut String,
    frame: &Frame,
    column: &Column<'_>,
    [x, width]: [f64; 2],
    colors: &BTreeMap<&str, usize>,
) {
    let height = (SIZE.1 - STRIP - 2.0 - GAP) / column.nodes.len() as f64;
    for (row, node) in column.nodes.iter().enumerate() {
        let place = [x, STRIP + GAP + row as f64 * height, width, height - GAP];
        quay(svg, frame, node, place, colors);
    }
}

/// A node: its Pods fill it from below, each as high as its share.
fn quay(
    svg: &mut String,
    frame: &Frame,
    node: &NodeFrame,
    [x, y, width, height]: [f64; 4],
    colors: &BTreeMap<&str, usize>,
) {
    let keeps_away = node.unschedulable || !node.taints.is_empty();
    let dashes = if keeps_away {
        " stroke-dasharray=\"3 2\""
    } else {
        ""
    };
    rect(svg, "art-quay", [x, y, width, height], dashes);
    let cpu = node
        .resources
        .first()
        .map_or(0, |cpu| cpu.allocatable)
        .max(1);
    let mut bottom = y + height;
    for key in &node.pods {
        let Some(pod) = frame.pods.iter().find(|pod| pod.key == *key) else {
            continue;
        };
        let share = height * pod.milli_cpu as f64 / cpu as f64;
        let high = share.max(1.0).min(bottom - y);
        bottom -= high;
        block(svg, pod, [x, bottom, width, high], colors);
    }
}

/// The Pods that wait, in order.
fn waiting(svg: &mut String, frame: &Frame, colors: &BTreeMap<&str, usize>) {
    let waiting = frame.pods.iter().filter(|pod| pod.node.is_none());
    for (position, pod) in waiting.take(WAITING).enumerate() {
        let x = GAP + position as f64 * 24.0;
        block(svg, pod, [x + 9.0, 3.0, 13.0, 11.0], colors);
        let _ = write!(
            svg,
            "<path class=\"art-wait\" d=\"M{} 5l3.5 3.5l-3.5 3.5l-3.5-3.5z\"/>",
            x + 4.0
        );
    }
}

fn block(svg: &mut String, pod: &PodFrame, place: [f64; 4], colors: &BTreeMap<&str, usize>) {
    let color = colors.get(owner(pod)).copied().unwrap_or(1);
    rect(svg, &format!("art-{color}"), place, "");
}

fn rect(svg: &mut String, class: &str, place: [f64; 4], more: &str) {
    let [x, y, width, height] = place.map(|length| (length * 10.0).round() / 10.0);
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{more}/>"
    );
}
