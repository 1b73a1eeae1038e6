use super::{Journal, LIMIT_BYTES, common, read};
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

fn recorded(journal: &Journal) -> Vec<(Replay, Moment)> {
    read(&journal.written().unwrap())
        .unwrap()
        .into_iter()
        .map(|Recorded { before, what, .. }| (what, before))
        .collect()
}

fn done(journal: &Journal) -> Vec<(Mutation, Moment)> {
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
    assert_eq!(done(&journal(&all)), all);
}

#[test]
fn interrupts_are_recorded_before_their_cause() {
    let mut journal = journal(&[(open("a"), at(0, 0))]);
    journal.sent(&Mutation::Undo);
    journal.noted(at(5, 5), true, true);
    journal.noted(at(6, 6), false, true);
    let all = recorded(&journal);
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
        done(&journal(&all))[1..],
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
        done(&journal(&all))[1..],
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
    let all = done(&journal);
    assert_eq!(
        all[1..],
        [
            (typed("ab", false), at(0, 0)),
            (typed("ab: ", true), at(0, 0)),
        ]
    );
    journal.sent(&typed("é", true));
    journal.noted(at(0, 0), false, true);
    assert_eq!(done(&journal)[1..], [(typed("é", false), at(0, 0))]);
}

#[test]
fn a_journal_that_is_too_large_restarts_with_the_next_scenario() {
    let large = "x".repeat(LIMIT_BYTES);
    let mut journal = journal(&[(open("a"), at(0, 0)), (open(&large), at(0, 0))]);
    assert_eq!(journal.written(), None);
    journal.sent(&Mutation::Undo);
    journal.noted(at(0, 0), false, true);
    assert_eq!(journal.written(), None);
    journal.sent(&open("b"));
    journal.noted(at(0, 0), false, true);
    assert_eq!(done(&journal), [(open("b"), at(0, 0))]);
}

#[test]
fn a_long_journal_is_dropped_at_the_next_scenario() {
    let long = "x".repeat(LIMIT_BYTES / 2);
    let journal = journal(&[(open(&long), at(0, 0)), (open("b"), at(0, 0))]);
    assert_eq!(done(&journal), [(open("b"), at(0, 0))]);
}

#[test]
fn common_parts_end_at_character_boundaries() {
    assert_eq!(common("aéb", "aèb"), (1, 1));
    assert_eq!(common("aa", "aaa"), (2, 0));
    assert_eq!(common("", "é"), (0, 0));
    assert_eq!(common("日本", "日曜本"), (3, 3));
}

#[test]
fn other_bytes_are_not_a_journal() {
    assert_eq!(read(b"kind: Pod"), None);
    let wrong = borsh::to_vec(&vec![super::Kept::Typed {
        before: at(0, 0),
        goes_on: false,
        start: 7,
        end: 9,
        text: String::new(),
        old: String::new(),
        taken: true,
    }]);
    assert_eq!(read(&wrong.unwrap()), None);
}
