//! Text of the board of pending Pods.

use std::collections::BTreeMap;

use berth_words::{counted, say, text};

use super::Text;
use super::language::comma;
use super::sentence::against;
use crate::ui::features::board::{Answer, Cause, Group, GroupBy, Nearest};
use berth_protocol::cluster_word::{BerthWord, ClusterWord, LikelyReason, OtherWord};
use berth_protocol::fix::GroupFix;
use berth_protocol::frame::HeldBy;
use berth_protocol::page::{Rows, WaitReason};
use berth_protocol::remark::Remark;

pub const PENDING: Text = text!("Pending Pods");
pub const FIND_PENDING: Text = text!("Pod, namespace or cause");
pub const NONE_PENDING: Text = text!("No Pod is pending.");
pub const NO_GROUP: Text = text!("No pending Pod or cause matches.");
const NEAREST: Text = text!("Nearest fix");
pub const SEARCHING: Text = text!("Looking for the nearest fix");
pub const NO_FIX_FOR_IT: Text = text!("No single change was found that helps.");
/// The removal of its gate does not place the Pod.
pub const GATE_ALONE: Text = text!("It would wait even without its gate: no node could take it.");
pub const LEFT_ALONE: Text = text!("Berth leaves it alone.");
pub const STEP_TO_TRY: Text = text!("Take a step to try it.");

/// What the link in the lane of unschedulable Pods opens.
pub const WHY_MEANS: Text = text!("All pending Pods, why they wait, and the nearest fix");

pub const GROUP_PENDING: Text = text!("Group by");
pub const COPY_MARKDOWN: Text = text!("Copy as Markdown");

/// Of how many Pods Berth says what the cluster of the dump said.
pub fn said(word: &ClusterWord) -> String {
    let same = super::number(word.same);
    counted!(
        pods = word.pods(),
        "{same} of {pods} waiting Pod: Berth says what the cluster said",
        "{same} of {pods} waiting Pods: Berth says what the cluster said"
    )
}

pub fn said_cluster(other: &OtherWord) -> String {
    say!("Cluster: {message}", message = other.cluster)
}

pub fn said_berth(other: &OtherWord) -> String {
    match &other.berth {
        BerthWord::Message(message) => format!("Berth: {message}"),
        BerthWord::Node(node) => say!("Berth: it goes to {node}"),
    }
}

/// Why the two probably differ.
pub fn said_likely(other: &OtherWord) -> String {
    match &other.likely {
        LikelyReason::Wording => text!("Likely another release's wording.").to_owned(),
        LikelyReason::MissingKinds(kinds) => say!(
            "Likely because it depends on kinds that the files lack: {kinds}",
            kinds = kinds.join(comma())
        ),
        LikelyReason::OlderMessage => {
            text!("Likely older than a change that the dump has.").to_owned()
        }
    }
}

/// What groups share.
pub fn grouped_by(by: GroupBy) -> Text {
    match by {
        GroupBy::Cause => text!("Cause"),
        GroupBy::Namespace => text!("Namespace"),
        GroupBy::Owner => text!("Owner"),
    }
}

/// The board as a text for a ticket: each cause with its Pods, and its fix once one was found.
pub fn pending_markdown(groups: &[Group], answers: &BTreeMap<usize, Answer>) -> String {
    let all: usize = groups.iter().map(|group| group.pods.len()).sum();
    let mut text = format!("## {PENDING}: {}\n", pending(all, groups.len()));
    for group in groups {
        let answer = match group.cause {
            Cause::Rejected(position) => answers.get(&position),
            Cause::Held(_) | Cause::Untried => None,
        };
        let message = group.pods.first().map(|pod| pod.message.clone());
        let reason = cause(&group.cause, answer, "")
            .or(message)
            .unwrap_or_default();
        text.push_str(&format!("\n### {} × {reason}\n\n", group.pods.len()));
        for pod in &group.pods {
            text.push_str(&format!("- `{}`\n", pod.key));
        }
        if let Some(Nearest::Found(fix)) = answer.map(|answer| &answer.nearest) {
            let helps = helps(fix, group.pods.len());
            let fix = super::remark(&fix.fix.remark());
            text.push_str(&format!("\n{NEAREST}: {fix} ({helps})\n"));
        }
    }
    text
}

/// The head: how many Pods are pending, for how many causes.
pub fn pending(pods: usize, causes: usize) -> String {
    let causes = counted!(causes, "{causes} cause", "{causes} causes");
    say!("{pods}, {causes}", pods = super::pods(pods))
}

/// The button that opens the board: the number of Pods that a lane does not show.
pub fn more_pending(number: usize) -> String {
    counted!(
        number,
        "{number} more: show all pending Pods",
        "{number} more: show all pending Pods"
    )
}

/// What all Pods of a group wait for, with amounts of the first one's attempt; `None` while it is not known. `domain`: the
/// suffix that the names of all nodes share.
pub fn cause(cause: &Cause, answer: Option<&Answer>, domain: &str) -> Option<String> {
    Some(match cause {
        Cause::Held(HeldBy::Gates(gates)) => {
            let name = super::sentence::listed(gates.iter().map(String::as_str));
            match gates.len() {
                1 => say!("Waits for the gate {name}; it is not in the queue."),
                _ => say!("Waits for the gates {name}; it is not in the queue."),
            }
        }
        Cause::Held(HeldBy::Scheduler(name)) => {
            say!("Belongs to the scheduler {name}, which is not simulated.")
        }
        Cause::Untried => text!("Has not been tried yet.").to_owned(),
        Cause::Rejected(_) => {
            let answer = answer?;
            rejected(answer.early.as_ref(), &answer.rows, domain)
        }
    })
}

/// Why the first waiting Pod of a workload waits.
pub fn why_waits(reason: &WaitReason) -> String {
    rejected(reason.early.as_ref(), &reason.rows, "")
}

/// A message that counts no nodes, or what decides against them.
fn rejected(early: Option<&Remark>, rows: &Rows, domain: &str) -> String {
    let text = match early {
        Some(message) if message.is_quoted() => super::remark(message),
        Some(message) => capitalized(&super::remark(message)),
        None => against(rows, domain),
    };
    say!("{text}.", text = text.trim_end_matches('.'))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// What each Pod of a group asks for.
pub fn each(requests: &[String], pods: usize) -> String {
    match (requests, pods) {
        ([], _) => super::explain::ASKS_FOR_NOTHING.to_owned(),
        (requests, 1) => requests.join(comma()),
        (requests, _) => say!("{requests} each", requests = requests.join(comma())),
    }
}

/// The Pods of a group that a fix places.
pub fn helps(fix: &GroupFix, pods: usize) -> String {
    let (helped, tried) = (super::number(fix.helped), super::number(fix.tried));
    match fix.tried < pods {
        false => say!("{helped} of {pods}", pods = super::number(pods)),
        true => say!("{helped} of the first {tried}"),
    }
}

/// The same as a sentence.
pub fn helps_of(fix: &GroupFix, pods: usize) -> String {
    say!(
        "Tried for the whole group: it places {helped}.",
        helped = helps(fix, pods)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use super::{cause, each, helps, pending_markdown};
    use crate::ui::features::board::{Answer, Cause, Group, Nearest};
    use berth_protocol::fix::{Change, Fix, GroupFix, Rank};
    use berth_protocol::frame::{HeldBy, PodFrame};
    use berth_protocol::page::{ReasonCount, Rows};
    use berth_protocol::remark::Remark;

    #[test]
    fn a_cause_is_a_sentence_about_every_pod_of_the_group() {
        let gates = Cause::Held(HeldBy::Gates(vec!["a.b/c".into()]));
        let text = "Waits for the gate a.b/c; it is not in the queue.";
        assert_eq!(cause(&gates, None, "").as_deref(), Some(text));
        let rejected = Cause::Rejected(3);
        assert_eq!(cause(&rejected, None, ""), None);
        let reason = ReasonCount {
            reason: "node(s) had a secret".into(),
            count: 2,
            ..ReasonCount::default()
        };
        let answer = |early: Option<&str>| Answer {
            early: early.map(Remark::quoted),
            rows: Rc::new(Rows {
                reasons: vec![reason.clone()],
                ..Rows::default()
            }),
            nearest: Nearest::Unknown,
        };
        let reason = |early| cause(&rejected, Some(&answer(early)), "");
        assert_eq!(reason(None).as_deref(), Some("2 nodes had a secret."));
        assert_eq!(
            reason(Some("persistentvolumeclaim \"a\" not found")).as_deref(),
            Some("persistentvolumeclaim \"a\" not found."),
            "Kubernetes' words stay as they are"
        );
    }

    #[test]
    fn the_board_is_copied_with_each_pod_below_its_cause() {
        let pod = |key: &str| {
            Rc::new(PodFrame {
                key: key.into(),
                ..PodFrame::default()
            })
        };
        let groups = [
            Group {
                pods: vec![pod("shop/a"), pod("shop/b")],
                cause: Cause::Held(HeldBy::Gates(vec!["g".into()])),
            },
            Group {
                pods: vec![pod("ml/c")],
                cause: Cause::Untried,
            },
        ];
        assert_eq!(
            pending_markdown(&groups, &BTreeMap::new()),
            "## Pending Pods: 3 Pods, 2 causes\n\n### 2 × Waits for the gate g; it is not in the queue.\n\n- `shop/a`\n- `shop/b`\n\n\
             ### 1 × Has not been tried yet.\n\n- `ml/c`\n"
        );
    }

    #[test]
    fn a_fix_says_how_many_pods_it_was_tried_for() {
        let fix = |helped, tried| GroupFix {
            fix: Fix {
                what: Change::Uncordon { node: "a".into() },
                edits: Vec::new(),
                rank: Rank { tier: 0, amount: 0 },
                node: "a".into(),
                feasible: Vec::new(),
                feasible_count: 1,
                template: None,
                moves: Vec::new(),
            },
            helped,
            tried,
        };
        assert_eq!(helps(&fix(3, 5), 5), "3 of 5");
        assert_eq!(helps(&fix(3, 5), 900), "3 of the first 5");
        assert_eq!(each(&["1 CPU".into()], 2), "1 CPU each");
    }
}
