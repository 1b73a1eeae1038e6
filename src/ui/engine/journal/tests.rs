use std::collections::BTreeSet;

use super::{
    BLOCK_BYTES, Journal, Kept, LARGE_BYTES, LIMIT_BYTES, LINK_BYTES, Slot, Written, common, read,
};
use berth_protocol::command::{Moment, Mutation, Recorded, Replay};

fn at(log_length: usize, position: usize) -> Moment {
    Moment {
        log_length,
        position,
    }
}

fn open(text: &str) -> Mutation {
    Mutation::Open {
        text: text.to_owned(),
    }
}

fn typed(text: &str, goes_on: bool) -> Mutation {
    Mutation::Type {
        text: text.to_owned(),
        goes_on,
    }
}

fn journal(all: &[(Mutation, Moment)]) -> Journal {
    let mut journal = Journal::default();
    for (mutation, before) in all {
        journal.sent(mutation);
        journal.noted(*before, false, true);
    }
    journal
}

fn recorded(journal: &mut Journal) -> Vec<(Replay, Moment)> {
    let Written { list, new, .. } = journal.written(&BTreeSet::new()).unwrap();
    read(&list, |digest| new.get(&digest).cloned())
        .unwrap()
        .into_iter()
        .map(|Recorded { before, what, .. }| (what, before))
        .collect()
}

fn done(journal: &mut Journal) -> Vec<(Mutation, Moment)> {
    recorded(journal)
        .into_iter()
        .map(|(what, before)| match what {
            Replay::Mutation(mutation) => (mutation, before),
            Replay::Interrupt => panic!("an interrupt at {before:?}"),
        })
        .collect()
}

#[test]
fn a_journal_survives_a_round_trip() {
    let all = [
        (open("kind: Pod\n# größer\n"), at(0, 0)),
        (typed("kind: Pod\n# groß\n", false), at(3, 2)),
        (Mutation::Undo, at(3, 3)),
        (typed("kind: Node\n# größer\n", false), at(3, 3)),
        (Mutation::Live(true), at(4, 4)),
        (open(""), at(9, 0)),
        (typed("é", false), at(0, 0)),
    ];
    assert_eq!(done(&mut journal(&all)), all);
}

#[test]
fn interrupts_are_recorded_before_their_cause() {
    let mut journal = journal(&[(open("a"), at(0, 0))]);
    journal.sent(&Mutation::Undo);
    journal.noted(at(5, 5), true, true);
    journal.noted(at(6, 6), false, true);
    let all = recorded(&mut journal);
    assert_eq!(
        all[1..],
        [
            (Replay::Interrupt, at(5, 5)),
            (Replay::Mutation(Mutation::Undo), at(6, 6)),
        ]
    );
}

#[test]
fn continued_typing_replaces_the_last_text() {
    let all = [
        (open("a"), at(0, 0)),
        (typed("ab", false), at(0, 0)),
        (typed("abc", true), at(0, 0)),
        (typed("abcd", true), at(0, 0)),
    ];
    assert_eq!(
        done(&mut journal(&all))[1..],
        [(typed("abcd", false), at(0, 0))]
    );

    // The first keystroke of an edit adds a log entry, and the others replace it.
    let all = [
        (open("a"), at(0, 0)),
        (typed("ab", false), at(4, 4)),
        (typed("abc", true), at(5, 5)),
        (typed("abcd", true), at(5, 5)),
        (typed("abcde", true), at(5, 5)),
        (typed("abcdef", false), at(5, 5)),
    ];
    assert_eq!(
        done(&mut journal(&all))[1..],
        [
            (typed("ab", false), at(4, 4)),
            (typed("abcde", true), at(5, 5)),
            (typed("abcdef", false), at(5, 5)),
        ]
    );
}

#[test]
fn the_last_accepted_text_is_kept_before_a_refused_one() {
    let mut journal = journal(&[(open("a"), at(0, 0)), (typed("ab", false), at(0, 0))]);
    for (text, taken) in [("ab:", false), ("ab: ", false)] {
        journal.sent(&typed(text, true));
        journal.noted(at(0, 0), false, taken);
    }
    let all = done(&mut journal);
    assert_eq!(
        all[1..],
        [
            (typed("ab", false), at(0, 0)),
            (typed("ab: ", true), at(0, 0)),
        ]
    );
    journal.sent(&typed("é", true));
    journal.noted(at(0, 0), false, true);
    assert_eq!(done(&mut journal)[1..], [(typed("é", false), at(0, 0))]);
}

#[test]
fn a_journal_that_is_too_large_restarts_with_the_next_scenario() {
    let small = "x".repeat(LARGE_BYTES / 2);
    let mut journal = journal(&[(open("a"), at(0, 0))]);
    for count in 0..=LIMIT_BYTES / small.len() {
        journal.sent(&typed(&format!("{count}{small}"), false));
        journal.noted(at(count + 1, 0), false, true);
        journal.sent(&typed("", false));
        journal.noted(at(count + 1, 1), false, true);
    }
    assert!(journal.written(&BTreeSet::new()).is_none());
    assert!(journal.recorded().is_none());
    journal.sent(&open("b"));
    journal.noted(at(0, 0), false, true);
    assert_eq!(done(&mut journal), [(open("b"), at(0, 0))]);
}

#[test]
fn a_long_journal_is_dropped_at_the_next_scenario() {
    let long = "x".repeat(LIMIT_BYTES * 2);
    let mut journal = journal(&[(open(&long), at(0, 0)), (open("b"), at(0, 0))]);
    assert_eq!(done(&mut journal), [(open("b"), at(0, 0))]);
}

#[test]
fn a_dump_of_any_size_is_stored_once_and_apart() {
    let dump = "kind: Pod\n---\n".repeat(LIMIT_BYTES / 10);
    let mut journal = journal(&[(open(&dump), at(0, 0))]);
    assert!(journal.recorded().is_none(), "too large for a link");
    let Written { list, large, new } = journal.written(&BTreeSet::new()).unwrap();
    assert_eq!((large.len(), new.len()), (1, 1));
    assert!(list.len() < 20);
    journal.sent(&typed(&format!("{dump}#"), false));
    journal.noted(at(1, 1), false, true);
    let again = journal.written(&large).unwrap();
    assert_eq!(again.large, large);
    assert!(again.new.is_empty() && again.list.len() < 200);
    let read = read(&again.list, |digest| new.get(&digest).cloned()).unwrap();
    assert_eq!(
        read[1].what,
        Replay::Mutation(typed(&format!("{dump}#"), false))
    );
    let mut restored = Journal::of(&read);
    assert_eq!(restored.written(&BTreeSet::new()).unwrap().large, large);
    assert!(super::read(&list, |_| None).is_none(), "a part is missing");
}

#[test]
fn a_link_carries_what_a_few_edits_need() {
    let text = "x".repeat(LINK_BYTES / 2);
    let all = [(open(&text), at(0, 0)), (typed("y", false), at(1, 1))];
    assert_eq!(journal(&all[..1]).recorded().unwrap().len(), 1);
    assert!(
        journal(&all).recorded().is_none(),
        "undo needs the text twice"
    );
}

#[test]
fn common_parts_end_at_character_boundaries() {
    assert_eq!(common("aéb", "aèb"), (1, 1));
    assert_eq!(common("aa", "aaa"), (2, 0));
    assert_eq!(common("", "é"), (0, 0));
    assert_eq!(common("日本", "日曜本"), (3, 3));
    let block = "é".repeat(BLOCK_BYTES / 2);
    let texts = [&format!("{block}aé"), &format!("{block}bé"), &block];
    assert_eq!(common(texts[0], texts[1]), (BLOCK_BYTES, 2));
    assert_eq!(common(texts[0], texts[2]), (BLOCK_BYTES, 0));
    assert_eq!(common(&block, &block), (BLOCK_BYTES, 0));
}

#[test]
fn other_bytes_are_not_a_journal() {
    assert_eq!(read(b"kind: Pod", |_| None), None);
    let wrong = borsh::to_vec(&vec![Slot::Here(Kept::Typed {
        before: at(0, 0),
        goes_on: false,
        start: 7,
        end: 9,
        text: String::new(),
        old: String::new(),
        taken: true,
    })]);
    assert_eq!(read(&wrong.unwrap(), |_| None), None);
}
