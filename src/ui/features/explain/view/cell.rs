//! The verdict of one Filter plugin on one node.

use yew::{Html, html};

use crate::report::judgement::{Judgement, brief, refusal};
use crate::ui::parts::icon::icon;
use crate::words;
use berth_protocol::cycle::NodeReport;

impl Judgement {
    /// A test hook (`data-verdict`): the code, or why there is none.
    pub fn verdict(self) -> String {
        match self {
            Self::Passes => "Success".to_owned(),
            Self::Skipped => "Skipped".to_owned(),
            Self::NotExamined => "NotExamined".to_owned(),
            Self::NotRun => "NotRun".to_owned(),
            Self::Rejects(code) | Self::AlsoWould(code) => format!("{code:?}"),
        }
    }

    /// The label for screen readers, with the fact behind a rejection.
    pub fn words(self, report: &NodeReport, plugin: &str) -> String {
        let why = self
            .is_against()
            .then(|| refusal(report, plugin).map(brief));
        match why.flatten() {
            Some(why) => words::followed(self.meaning(), why),
            None => self.meaning().to_owned(),
        }
    }

    pub fn mark(self) -> Html {
        match self {
            Self::Passes => html! { <i class="dot" /> },
            Self::Skipped | Self::NotRun => html! {},
            Self::NotExamined => html! { <i class="dash" /> },
            Self::Rejects(_) => icon("rejected"),
            Self::AlsoWould(_) => icon("rejected-more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Judgement;
    use crate::scene::testing::skewed;
    use crate::ui::store::progress::{Point, Revealed, Stop};
    use berth_protocol::cycle::{Code, Cycle, NodeReport, PreFilterReport, Verdict};
    use berth_protocol::fact::Fact;

    fn refusal(plugin: &str, facts: Vec<Fact>) -> Verdict {
        Verdict {
            code: Code::Unschedulable,
            plugin: plugin.into(),
            reasons: vec!["node(s) were refused".into()],
            facts,
        }
    }

    fn cycle() -> (Cycle, NodeReport) {
        let spread = Fact::new(skewed("zone", Some("a")));
        let report = NodeReport {
            node: "a".into(),
            verdict: Some(refusal("NodePorts", Vec::new())),
            failures: vec![
                refusal("NodePorts", Vec::new()),
                refusal("PodTopologySpread", vec![spread]),
            ],
            passes: Vec::new(),
        };
        let cycle = Cycle {
            pre_filter: PreFilterReport {
                skipped: vec!["VolumeZone".into()],
                ..PreFilterReport::default()
            },
            filter_plugins: ["NodePorts", "PodTopologySpread", "VolumeZone", "NodeName"]
                .map(String::from)
                .into(),
            ..Cycle::default()
        };
        (cycle, report)
    }

    #[test]
    fn the_first_rejection_differs_from_later_ones() {
        let (cycle, report) = cycle();
        let all = Revealed::all();
        let of = |column| Judgement::at(&cycle, &report, column, &all);
        assert_eq!(of(0), Judgement::Rejects(Code::Unschedulable));
        assert_eq!(of(1), Judgement::AlsoWould(Code::Unschedulable));
        assert_eq!((of(2), of(3)), (Judgement::Skipped, Judgement::Passes));
        let words = of(1).words(&report, "PodTopologySpread");
        assert_eq!(words, "would also reject, skew 2 > maxSkew 1");
        assert_eq!(of(0).words(&report, "NodePorts"), "rejects, were refused");
        let unseen = NodeReport {
            verdict: None,
            ..report.clone()
        };
        let unseen = Judgement::at(&cycle, &unseen, 0, &all);
        assert_eq!(unseen, Judgement::NotExamined);
    }

    #[test]
    fn a_plugin_that_has_not_run_has_no_verdict() {
        let (cycle, report) = cycle();
        let stop = Stop {
            point: Point::Filter,
            plugin: Some(0),
        };
        let revealed = Revealed { stop: Some(stop) };
        let of = |column| Judgement::at(&cycle, &report, column, &revealed);
        assert_eq!(of(0), Judgement::Rejects(Code::Unschedulable));
        assert_eq!(of(1), Judgement::NotRun);
    }
}
