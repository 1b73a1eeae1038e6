use super::{Entry, TerminalAction, completed};
use crate::ui::features::time::TimeAction;
use crate::ui::store::{Action, EditAction, Effect, Store};
use berth_protocol::command::{Command, Input, Mutation, Run};
use berth_protocol::due::{Due, DueKind};
use berth_protocol::frame::{Mark, MarkKind};
use berth_protocol::page::{Head, Patch, Update};
use berth_protocol::terminal::{OpenRequest, Part, Printed};

fn run(store: &mut Store, lines: &str) -> Vec<Command> {
    store.commands(Action::Terminal(TerminalAction::Run(lines.to_owned())))
}

fn tell(store: &mut Store, update: Update) -> Vec<Command> {
    store.commands(Action::Update(Box::new(update)))
}

fn printed(store: &mut Store, line: &str, goes_on: bool) -> Vec<Command> {
    let printed = Printed {
        line: line.to_owned(),
        goes_on,
        ..Printed::default()
    };
    tell(store, Update::Printed(Box::new(printed)))
}

fn line(commands: &[Command]) -> &str {
    match commands.last() {
        Some(Command::Mutate(Mutation::Terminal(Input::Line { line }))) => line,
        other => panic!("{other:?}"),
    }
}

/// A patch with the moment after these marks, in a simulated cluster.
fn moment(marks: &[MarkKind], finished: bool) -> Update {
    let timeline: Vec<Mark> = marks.iter().map(|kind| Mark::plain(*kind)).collect();
    Update::Patch(Box::new(Patch {
        head: Head {
            position: timeline.len(),
            log_length: timeline.len(),
            finished,
            now_ms: Some(0),
            ..Head::default()
        },
        timeline,
        ..Patch::default()
    }))
}

#[test]
fn lines_run_one_after_the_other() {
    let mut store = Store::default();
    assert_eq!(line(&run(&mut store, "one\ntwo")), "one");
    assert!(run(&mut store, "three").is_empty(), "one is being run");
    assert_eq!(line(&printed(&mut store, "one", false)), "two");
    assert_eq!(line(&printed(&mut store, "two", false)), "three");
    assert!(printed(&mut store, "three", false).is_empty());
    assert_eq!(*store.terminal.history, ["one", "two", "three"]);
}

#[test]
fn a_pasted_here_document_goes_on_with_all_its_lines() {
    let mut store = Store::default();
    let body = "a: b\n".repeat(10_000);
    let pasted = format!("cat <<EOF\n{body}EOF\necho end");
    assert_eq!(line(&run(&mut store, &pasted)), "cat <<EOF");
    let printed = Printed {
        line: "cat <<EOF".to_owned(),
        goes_on: true,
        document_end: Some("EOF".to_owned()),
        ..Printed::default()
    };
    let next = tell(&mut store, Update::Printed(Box::new(printed)));
    let whole = format!("cat <<EOF\n{body}EOF");
    assert_eq!(line(&next), whole);
    let printed = Printed {
        line: whole,
        ..Printed::default()
    };
    let next = tell(&mut store, Update::Printed(Box::new(printed)));
    assert_eq!(line(&next), "echo end");
}

#[test]
fn the_first_line_brings_the_field_descriptions() {
    let mut store = Store::default();
    let brings = |store: &mut Store, line: &str| {
        let run = Action::Terminal(TerminalAction::Run(line.to_owned()));
        let effects = store.act(run);
        printed(store, line, false);
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::SendWithFields(_)))
    };
    assert!(brings(&mut store, "$verb explain pods"));
    assert!(!brings(&mut store, "kubectl explain pods"));
    store.commands(Action::Terminal(TerminalAction::FieldsMissing));
    assert!(brings(&mut store, "ls"));
}

#[test]
fn an_incomplete_line_is_continued_by_the_next() {
    let mut store = Store::default();
    assert_eq!(
        line(&run(&mut store, "for n in 1 2; do\necho $n\ndone")),
        "for n in 1 2; do"
    );
    let next = printed(&mut store, "for n in 1 2; do", true);
    assert_eq!(line(&next), "for n in 1 2; do\necho $n");
    let next = printed(&mut store, "for n in 1 2; do\necho $n", true);
    assert_eq!(line(&next), "for n in 1 2; do\necho $n\ndone");
    printed(&mut store, "for n in 1 2; do\necho $n\ndone", false);
    assert_eq!(&*store.terminal.pending, "");
    run(&mut store, "echo 'a");
    printed(&mut store, "echo 'a", true);
    store.commands(Action::Terminal(TerminalAction::Abort));
    assert_eq!(
        line(&run(&mut store, "ls")),
        "ls",
        "what was given up is gone"
    );
}

#[test]
fn the_first_command_notes_that_the_simulation_starts() {
    let mut store = Store::default();
    run(&mut store, "kubectl get pods");
    let notes = |store: &Store| {
        store
            .terminal
            .entries
            .iter()
            .filter(|entry| matches!(***entry, Entry::Note(_)))
            .count()
    };
    assert_eq!(notes(&store), 1);
    run(&mut store, "kubectl get services");
    printed(&mut store, "kubectl get pods", false);
    assert_eq!(
        notes(&store),
        1,
        "the next line runs before the moment came"
    );
    tell(&mut store, moment(&[], false));
    printed(&mut store, "kubectl get services", false);
    run(&mut store, "kubectl get nodes");
    assert_eq!(notes(&store), 1);
}

fn out(text: &str) -> Part {
    Part {
        text: text.to_owned(),
        is_error: false,
    }
}

/// A command prints text that changed the cluster; `waits`: it is still waiting.
fn prints_change(store: &mut Store, text: &str, waits: bool) -> Vec<Command> {
    let printed = Printed {
        parts: vec![out(text)],
        waits,
        changed: true,
        ..Printed::default()
    };
    tell(store, Update::Printed(Box::new(printed)))
}

#[test]
fn a_line_pauses_playback_and_does_not_start_it() {
    let mut store = Store::default();
    tell(&mut store, moment(&[MarkKind::Moment], false));
    run(&mut store, "kubectl scale");
    prints_change(&mut store, "scaled", false);
    let marks = [MarkKind::Moment, MarkKind::Edited];
    tell(&mut store, moment(&marks, false));
    assert!(!store.time.is_playing(), "the engine let it come to rest");
    store.commands(Action::Time(TimeAction::Play));
    run(&mut store, "kubectl get pods");
    assert!(
        !store.time.is_playing(),
        "no step comes between a line and its answer"
    );
    printed(&mut store, "kubectl get pods", false);
    assert!(store.time.is_playing());
    tell(&mut store, moment(&marks, true));
    assert!(!store.time.is_playing(), "nothing is due any more");
}

#[test]
fn a_waiting_command_appends_output_and_ctrl_c_interrupts_it() {
    let mut store = Store::default();
    tell(&mut store, moment(&[MarkKind::Moment], false));
    run(&mut store, "kubectl get pods -w\nls");
    assert!(
        prints_change(&mut store, "one\n", true).is_empty(),
        "ls waits too"
    );
    let marks = [MarkKind::Moment, MarkKind::Moment];
    tell(&mut store, moment(&marks, false));
    assert!(!store.time.is_playing(), "the engine steps");
    prints_change(&mut store, "two\n", true);
    assert!(store.terminal.is_busy());
    let commands = store.commands(Action::Terminal(TerminalAction::Abort));
    assert_eq!(commands, [Command::Run(Run::Interrupt)]);
    assert!(
        prints_change(&mut store, "^C\n", false).is_empty(),
        "ls was given up"
    );
    assert!(!store.terminal.is_busy() && !store.time.is_playing());
    let Some(Entry::Printed(last)) = store.terminal.entries.last().map(|entry| &**entry) else {
        panic!("something was printed");
    };
    assert_eq!(last.text(false), "one\ntwo\n^C\n");
    assert_eq!(store.terminal.entries.len(), 1);
    run(&mut store, "date");
    printed(&mut store, "date", false);
    assert_eq!(store.terminal.entries.len(), 2);
}

#[test]
fn playback_stops_at_a_quiet_cluster_until_play_is_pressed() {
    let due = |at_ms: i64, kind: DueKind| {
        let object = String::new();
        Update::Patch(Box::new(Patch {
            head: Head {
                now_ms: Some(1_000),
                due: Some(Due {
                    at_ms,
                    kind,
                    object,
                }),
                ..Head::default()
            },
            ..Patch::default()
        }))
    };
    let mut store = Store::default();
    tell(&mut store, due(2_000, DueKind::Work));
    assert!(store.rests_until().is_none(), "it is no rest");
    store.commands(Action::Time(TimeAction::Play));
    tell(&mut store, due(61_000, DueKind::Work));
    assert!(store.time.is_playing() && store.quiet_until().is_none());
    tell(&mut store, due(61_001, DueKind::Work));
    assert!(!store.time.is_playing());
    assert_eq!(store.rests_until().map(|due| due.at_ms), Some(61_001));
    store.commands(Action::Time(TimeAction::Play));
    assert!(store.time.is_playing());
    tell(&mut store, due(601_000, DueKind::Work));
    assert!(!store.time.is_playing(), "it is quiet again");
    // What someone may want to see coming is named, however soon it is.
    tell(&mut store, due(2_000, DueKind::Eviction));
    assert!(store.rests_until().is_some());
    assert_eq!(store.line_to(2_500), "sleep 1.5");
    assert_eq!(store.line_to(331_000), "sleep 330");
}

#[test]
fn the_time_that_a_line_took_stands_when_it_has_ended() {
    let mut store = Store::default();
    run(&mut store, "kubectl run web --image=nginx");
    for (passed_ms, waits) in [(0, true), (1_000, false)] {
        let printed = Printed {
            line: if waits {
                "kubectl run".to_owned()
            } else {
                String::new()
            },
            passed_ms,
            waits,
            ..Printed::default()
        };
        tell(&mut store, Update::Printed(Box::new(printed)));
    }
    let Some(Entry::Printed(last)) = store.terminal.entries.last().map(|entry| &**entry) else {
        panic!("something was printed");
    };
    assert_eq!((last.passed_ms, last.waits), (1_000, false));
    assert!(!store.terminal.is_busy() && !store.time.is_playing());
}

#[test]
fn copied_prompts_and_output_are_left_out() {
    let mut store = Store::default();
    let text = "$ kubectl get nodes\nNAME STATUS\n[root@k8s lab]# kubectl get pods\n";
    assert_eq!(line(&run(&mut store, text)), "kubectl get nodes");
    assert_eq!(
        line(&printed(&mut store, "kubectl get nodes", false)),
        "kubectl get pods"
    );
    assert_eq!(
        *store.terminal.history,
        ["kubectl get nodes", "kubectl get pods"]
    );
}

#[test]
fn files_open_a_scenario_or_are_added_to_the_terminal() {
    let mut store = Store::default();
    let files = vec![("a.yaml".to_owned(), "a: 1".to_owned())];
    let come = |dropped: bool| {
        Action::Edit(EditAction::Files {
            files: files.clone(),
            dropped,
        })
    };
    let commands = store.commands(come(true));
    let opens = commands
        .iter()
        .any(|it| matches!(it, Command::Mutate(Mutation::Open { text }) if text == "a: 1"));
    assert!(opens, "{commands:?}");
    assert_eq!(
        commands.last(),
        Some(&Command::Mutate(Mutation::Terminal(Input::Files(
            files.clone()
        ))))
    );
    store.commands(Action::Terminal(TerminalAction::Show(true)));
    let commands = store.commands(come(false));
    assert!(
        matches!(
            &commands[..],
            [
                Command::Mutate(Mutation::Open { .. }),
                Command::Mutate(Mutation::Terminal(Input::Files(_)))
            ]
        ),
        "{commands:?}"
    );
    let commands = store.commands(come(true));
    assert_eq!(
        commands,
        [Command::Mutate(Mutation::Terminal(Input::Files(
            files.clone()
        )))]
    );
    assert!(matches!(
        store.terminal.entries.last().map(|entry| &**entry),
        Some(Entry::Note(note)) if note.contains("a.yaml")
    ));
}

#[test]
fn a_new_simulated_cluster_plays_from_its_first_moment() {
    let mut store = Store::default();
    let commands = store.commands(Action::Edit(EditAction::Live(true)));
    assert_eq!(
        commands.last(),
        Some(&Command::Mutate(Mutation::Live(true)))
    );
    tell(&mut store, Update::Running { running: false });
    tell(&mut store, moment(&[], false));
    assert!(store.time.is_playing());
    store.commands(Action::Edit(EditAction::Live(false)));
    assert!(!store.time.is_playing());
}

#[test]
fn an_edit_is_saved_or_canceled() {
    let mut store = Store::default();
    let ask = |store: &mut Store| {
        run(store, "vi a.yaml\nls");
        let open = Some(OpenRequest::File {
            path: "a.yaml".into(),
            text: String::new(),
        });
        let printed = Printed {
            open,
            ..Printed::default()
        };
        tell(store, Update::Printed(Box::new(printed)))
    };
    assert!(
        ask(&mut store).is_empty(),
        "what follows waits for the editor"
    );
    let saved = store.commands(Action::Terminal(TerminalAction::Save("a: 1".into())));
    assert!(
        matches!(&saved[..], [Command::Mutate(Mutation::Terminal(Input::Edited { text, .. }))] if text == "a: 1")
    );
    assert_eq!(line(&printed(&mut store, "", false)), "ls");
    printed(&mut store, "ls", false);
    ask(&mut store);
    assert_eq!(
        line(&store.commands(Action::Terminal(TerminalAction::Cancel))),
        "ls"
    );
}

#[test]
fn words_are_completed_to_the_common_prefix() {
    let words =
        |words: &[&str]| -> Vec<String> { words.iter().map(|it| (*it).to_owned()).collect() };
    let check = |line: &str, cursor: usize, candidates: &[&str], wanted: &str, at: usize| {
        let (text, cursor) = completed(line, cursor, &words(candidates));
        assert_eq!((text.as_str(), cursor), (wanted, at));
    };
    check("kub", 3, &["kubectl"], "kubectl ", 8);
    check(
        "kubectl get po",
        14,
        &["pods", "podtemplates"],
        "kubectl get pod",
        15,
    );
    check("kubectl get pods n", 18, &[], "kubectl get pods n", 18);
    check("ls|gr", 5, &["grep"], "ls|grep ", 8);
    check("kubectl ge pods", 10, &["get"], "kubectl get pods", 11);
    check(
        "get --namesp",
        12,
        &["--namespace="],
        "get --namespace=",
        16,
    );
    check("écho é", 7, &["éa", "éb"], "écho é", 8);
}

#[test]
fn a_late_completion_does_not_change_another_line() {
    let mut store = Store::default();
    let ask = |line: &str| {
        Action::Terminal(TerminalAction::Complete {
            line: line.to_owned(),
            cursor: line.len(),
        })
    };
    store.commands(ask("kub"));
    store.commands(ask("gr"));
    let answer = |line: &str, word: &str| Update::Completions {
        line: line.to_owned(),
        cursor: line.len(),
        words: vec![word.to_owned()],
    };
    tell(&mut store, answer("kub", "kubectl"));
    assert_eq!(store.terminal.input.version, 0);
    tell(&mut store, answer("gr", "grep"));
    assert_eq!(store.terminal.input.text, "grep ");
}

#[test]
fn clear_empties_the_transcript() {
    let mut store = Store::default();
    let clear = "\u{1b}[H\u{1b}[2J\u{1b}[3J";
    let prints = |store: &mut Store, line: &str, stdout: &str| {
        run(store, line);
        let printed = Printed {
            line: line.to_owned(),
            parts: vec![out(stdout)],
            ..Printed::default()
        };
        tell(store, Update::Printed(Box::new(printed)));
        store.terminal.entries.len()
    };
    assert_eq!(prints(&mut store, "echo a", "a\n"), 2);
    assert_eq!(prints(&mut store, "clear", clear), 0);
    assert_eq!(prints(&mut store, "echo b", "b\n"), 1);
    let line = format!("c\n{clear}d\n");
    assert_eq!(prints(&mut store, "echo c; clear; echo d", &line), 1);
    let Entry::Printed(last) = &**store.terminal.entries.last().unwrap() else {
        panic!("{:?}", store.terminal.entries);
    };
    assert_eq!(last.text(false), "d\n");
}

#[test]
fn a_waiting_command_goes_on_in_its_entry_in_order() {
    let mut store = Store::default();
    run(&mut store, "kubectl drain a");
    for (text, is_error) in [
        ("one\n", false),
        ("no\n", true),
        ("two\n", false),
        ("three\n", false),
    ] {
        let text = text.to_owned();
        let printed = Printed {
            parts: vec![Part { text, is_error }],
            waits: true,
            ..Printed::default()
        };
        tell(&mut store, Update::Printed(Box::new(printed)));
    }
    let Some(Entry::Printed(last)) = store.terminal.entries.last().map(|entry| &**entry) else {
        panic!("something was printed");
    };
    let parts: Vec<&str> = last.parts.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(parts, ["one\n", "no\n", "two\nthree\n"]);
}
