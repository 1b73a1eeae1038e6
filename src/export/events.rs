//! The timeline as a list of events, in CSV (RFC 4180).

use std::fmt::Write as _;

use berth_protocol::frame::{Mark, MarkKind};

/// The events before the moment, one a line.
pub fn csv(timeline: &[Mark], position: usize) -> String {
    let mut out = "number,seconds,event,pod,node\r\n".to_owned();
    for (place, mark) in timeline.iter().take(position).enumerate() {
        let seconds = mark.at_ms.map_or_else(String::new, seconds);
        let (event, pod) = (name(mark.kind), field(&mark.pod));
        let node = field(mark.node.as_deref().unwrap_or_default());
        let _ = write!(out, "{},{seconds},{event},{pod},{node}\r\n", place + 1);
    }
    out
}

/// What happened in a simulated cluster, one a line: milliseconds since its start, and a sentence.
pub fn listed(lines: impl Iterator<Item = (i64, String)>) -> String {
    let mut out = "number,seconds,event\r\n".to_owned();
    for (place, (at_ms, sentence)) in lines.enumerate() {
        let (seconds, sentence) = (seconds(at_ms), field(&sentence));
        let _ = write!(out, "{},{seconds},{sentence}\r\n", place + 1);
    }
    out
}

fn name(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Bound => "bound",
        MarkKind::Failed => "failed",
        MarkKind::Preempted => "preempted",
        MarkKind::Error => "error",
        MarkKind::Edited => "edited",
        MarkKind::Moment => "moment",
    }
}

fn seconds(milliseconds: i64) -> String {
    format!(
        "{}.{:03}",
        milliseconds / 1000,
        milliseconds.rem_euclid(1000)
    )
}

/// A field, quoted where it must be. Spreadsheets would run one that begins as a formula does: an apostrophe makes it
/// text.
fn field(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = &format!("{}{text}", if is_formula { "'" } else { "" });
    if text.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{csv, listed};
    use berth_protocol::frame::{Mark, MarkKind};

    #[test]
    fn happenings_are_listed_with_their_sentences() {
        let lines = [(0, "a, b".to_owned()), (61_250, "c".to_owned())];
        assert_eq!(
            listed(lines.into_iter()),
            "number,seconds,event\r\n1,0.000,\"a, b\"\r\n2,61.250,c\r\n"
        );
    }

    #[test]
    fn no_field_is_a_formula() {
        for name in ["=HYPERLINK(1)", "+1", "-1", "@a", "\ta"] {
            let listed = listed([(0, name.to_owned())].into_iter());
            assert!(listed.ends_with(&format!(",'{name}\r\n")), "{listed}");
        }
        let listed = listed([(0, "\r=1,2".to_owned())].into_iter());
        assert!(listed.ends_with("\"'\r=1,2\"\r\n"), "{listed}");
    }

    #[test]
    fn events_are_the_timeline_up_to_the_moment() {
        let mark = |kind, pod: &str, at_ms| Mark {
            pod: pod.into(),
            node: (kind == MarkKind::Bound).then(|| "n,1".to_owned()),
            at_ms,
            ..Mark::plain(kind)
        };
        let marks = [
            mark(MarkKind::Bound, "default/a", Some(1250)),
            mark(MarkKind::Failed, "default/b", None),
            mark(MarkKind::Edited, "", None),
        ];
        assert_eq!(
            csv(&marks, 2),
            "number,seconds,event,pod,node\r\n1,1.250,bound,default/a,\"n,1\"\r\n2,,failed,default/b,\r\n"
        );
    }
}
