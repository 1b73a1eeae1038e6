use super::*;

fn recorded(before: (usize, usize), mutation: Mutation) -> Recorded {
    Recorded::new(before.into(), Replay::Mutation(mutation))
}

fn follows(release: &str) -> Defaults {
    Defaults {
        kubernetes: Some(release.to_owned()),
        ..Defaults::default()
    }
}

fn open(text: &str) -> Mutation {
    Mutation::Open { text: text.into() }
}

fn release() -> Mutation {
    Mutation::Kubernetes {
        version: "1.36".into(),
    }
}

fn files(text: &str) -> Vec<(String, String)> {
    vec![("scenario.yaml".into(), text.into())]
}

fn read_link(text: &str) -> Result<Link, Damage> {
    Link::from_json(text, |release| matches!(release, "1.34" | "1.36"))
}

#[test]
fn a_visit_that_only_opened_its_manifests_needs_no_changes() {
    let recording = Recording {
        recorded: vec![recorded((0, 0), open("kind: Node"))],
        at: (5, 3).into(),
        waits: false,
    };
    let link = Link::of(recording.clone(), files("kind: Node"), "1.34");
    assert!(link.recorded.is_empty());
    let read = read_link(&link.to_json()).expect("own text");
    assert_eq!(read, link);
    let opened_by = Recorded {
        defaults: Some(follows("1.34")),
        ..recording.recorded[0].clone()
    };
    let visit = Recording {
        recorded: vec![opened_by],
        ..recording
    };
    assert_eq!(read.visit(), (visit, "kind: Node".to_owned()));
}

#[test]
fn a_link_names_the_release_of_the_scenario_that_was_opened_last() {
    let opening = |defaults| Recorded {
        defaults,
        ..recorded((0, 0), open("kind: Node"))
    };
    let of = |recorded: Vec<Recorded>| {
        let recording = Recording {
            recorded,
            ..Recording::default()
        };
        Link::of(recording, files("kind: Pod"), "1.36")
    };
    let link = of(vec![opening(Some(follows("1.34"))), opening(None)]);
    assert_eq!(link.kubernetes.as_deref(), Some("1.36"));
    // An undo reaches the scenario before.
    let undo = recorded((0, 0), Mutation::Undo);
    let link = of(vec![
        opening(Some(follows("1.34"))),
        opening(None),
        undo.clone(),
    ]);
    assert_eq!(link.kubernetes.as_deref(), Some("1.36"));
    let read = read_link(&link.to_json()).expect("own text").visit().0;
    let defaults = [Some(follows("1.34")), Some(follows("1.36")), None];
    let all: Vec<_> = read.recorded.into_iter().map(|it| it.defaults).collect();
    assert_eq!(all, defaults);
}

#[test]
fn a_link_of_version_0_1_plays_by_its_defaults_and_keeps_them() {
    let read = read_link(r#"{"f":[["a","kind: Node"]],"b":"0.1.0"}"#).expect("version 0.1");
    let (recording, text) = read.visit();
    let defaults = Defaults {
        edition: Edition::V0_1,
        ..follows("1.34")
    };
    assert_eq!(recording.recorded[0].defaults, Some(defaults.clone()));
    let again = Link::of(recording, files(&text), "1.36");
    assert_eq!(again.kubernetes.as_deref(), Some("1.34"));
    let again = read_link(&again.to_json()).expect("own text").visit().0;
    assert_eq!(again.recorded[0].defaults, Some(defaults));
}

#[test]
fn a_release_of_a_later_version_leaves_the_files() {
    let text = r#"{"f":[["a","b"]],"k":"1.99"}"#;
    let Damage { error, salvaged } = read_link(text).expect_err("unknown");
    let kubernetes = "1.99".to_owned();
    assert_eq!(error, LinkError::UnknownRelease { kubernetes });
    assert_eq!(salvaged, [("a".to_owned(), "b".to_owned())]);
}

#[test]
fn earlier_scenarios_are_left_out_but_for_what_outlives_them() {
    let line = Mutation::Terminal(Input::Line {
        line: "kubectl get po".into(),
    });
    let recording = Recording {
        recorded: vec![
            recorded((0, 0), open("kind: Pod")),
            recorded((2, 2), Mutation::Seed { seed: 7 }),
            recorded((2, 2), release()),
            recorded((2, 2), line.clone()),
            recorded((2, 2), open("kind: Node")),
            recorded((4, 1), line.clone()),
        ],
        at: (4, 1).into(),
        waits: true,
    };
    let link = Link::of(recording, files("kind: Node"), "1.34");
    let expected = [
        recorded((0, 0), Mutation::Seed { seed: 7 }),
        recorded((0, 0), release()),
        recorded((0, 0), open("kind: Node")),
        recorded((4, 1), line),
    ];
    assert_eq!(link.recorded, expected);
    assert_eq!(read_link(&link.to_json()).expect("own text"), link);
}

#[test]
fn files_are_kept_only_for_the_terminal() {
    let files_of = |lines: Vec<Recorded>| {
        let mut recorded = vec![
            recorded((0, 0), open("kind: Node")),
            recorded(
                (0, 0),
                Mutation::Terminal(Input::Files(files("kind: Node"))),
            ),
        ];
        recorded.extend(lines);
        let recording = Recording {
            recorded,
            ..Recording::default()
        };
        Link::of(recording, files("kind: Node"), "1.34")
            .recorded
            .len()
    };
    let line = Mutation::Terminal(Input::Line { line: "ls".into() });
    assert_eq!(files_of(Vec::new()), 0);
    assert_eq!(files_of(vec![recorded((0, 0), line)]), 3);
}

#[test]
fn what_an_undo_may_reach_is_kept() {
    let recording = Recording {
        recorded: vec![
            recorded((0, 0), open("kind: Pod")),
            recorded((2, 2), open("kind: Node")),
            recorded((0, 0), Mutation::Undo),
        ],
        ..Recording::default()
    };
    assert_eq!(
        Link::of(recording, files("kind: Pod"), "1.34")
            .recorded
            .len(),
        3
    );
}

#[test]
fn addresses_with_and_without_fragment_are_read() {
    for address in [
        "https://a.example/b/?c=d#1.xyz",
        "#1.xyz",
        "1.xyz",
        " #1.xyz\n",
    ] {
        assert_eq!(payload(address), Ok("xyz"), "{address}");
    }
    assert_eq!(payload("#9.xyz"), Err(LinkError::TooNew { version: 9 }));
    for other in ["https://a.example/", "#section", "#0.x", "#-1.x", ""] {
        assert_eq!(payload(other), Err(LinkError::NotALink), "{other}");
    }
}

#[test]
fn every_beginning_of_a_link_gives_the_beginning_of_its_text() {
    let text = "a: \"b\\c\"\n# \u{1F6A2} é\nd: [e]\n";
    let link = Link {
        files: files(text),
        ..Link::default()
    };
    let json = link.to_json();
    let mut longest = 0;
    for end in (0..json.len()).filter(|end| json.is_char_boundary(*end)) {
        let Some(read) = Link::salvaged(json.get(..end).expect("a boundary")) else {
            continue;
        };
        let (_, read) = read.first().expect("one file");
        assert!(text.starts_with(read), "{read:?}");
        longest = longest.max(read.len());
    }
    assert_eq!(longest, text.len());
}

#[test]
fn other_json_is_refused_in_words() {
    for text in ["", "{}", "[]", "{\"f\": 1}"] {
        let error = read_link(text).expect_err("no link").error;
        assert!(matches!(error, LinkError::Unreadable { .. }), "{text}");
    }
    // Fields of later versions are ignored.
    let read = read_link("{\"f\":[[\"a\",\"b\"]],\"later\":1}").expect("readable");
    assert_eq!(read.files, [("a".to_owned(), "b".to_owned())]);
}

#[test]
fn a_change_of_a_later_version_leaves_the_files() {
    let change = r#"{"before":[0,0],"what":{"mutation":{"frobnicate":{}}}}"#;
    for changes in [change, r#"{"what":1}"#] {
        let text = format!(r#"{{"f":[["a","b"]],"j":[{changes}]}}"#);
        let Damage { error, salvaged } = read_link(&text).expect_err("unknown");
        assert!(matches!(error, LinkError::LaterChanges { .. }), "{error}");
        assert_eq!(salvaged, [("a".to_owned(), "b".to_owned())]);
    }
}

/// Links in the world hold these names. If this fails, give the old name as an alias (`#[serde(alias = …)]`) or begin
/// version 2; never rewrite `version-1.json`, which has one of each change.
#[test]
fn the_changes_of_version_1_are_read_for_ever() {
    let frozen = include_str!("version-1.json");
    let read = read_link(frozen).expect("frozen");
    assert_eq!(read.at, (9, 8).into());
    let written: serde_json::Value = serde_json::from_str(&read.to_json()).expect("JSON");
    let frozen: serde_json::Value = serde_json::from_str(frozen).expect("JSON");
    assert_eq!(written, frozen);
}

/// As above: `version-1-compare.json` has each field of both sides, and is never rewritten.
#[test]
fn the_sides_of_version_1_are_read_for_ever() {
    let frozen = include_str!("version-1-compare.json");
    let read = read_link(frozen).expect("frozen");
    let pairing = read.compare.as_deref().expect("sides");
    assert_eq!(pairing.a.seed, Some(7));
    assert_eq!(pairing.b.without, ["pool=spot"]);
    let written: serde_json::Value = serde_json::from_str(&read.to_json()).expect("JSON");
    let frozen: serde_json::Value = serde_json::from_str(frozen).expect("JSON");
    assert_eq!(written, frozen);
    // Nor does a link without a comparison have a field for it.
    assert!(!Link::default().to_json().contains("\"c\""));
}

#[test]
fn a_class_keeps_its_names_for_ever() {
    // Frozen: the JSON text of version 1.
    let text = r#"{"f":[["quiz.yaml","kind: Scenario"]],"class":{"t":"Monday","l":["05-node-selector","quiz.yaml"]}}"#;
    let link = read_link(text).expect("version 1");
    let class = Class {
        title: "Monday".into(),
        lessons: vec!["05-node-selector".into(), "quiz.yaml".into()],
    };
    assert_eq!(link.class.as_ref(), Some(&class));
    assert_eq!(link.file("quiz.yaml"), Some("kind: Scenario"));
    assert_eq!(link.file("05-node-selector"), None, "one of the course");
    let made = Link::of_class(class, link.files.clone());
    assert_eq!(read_link(&made.to_json()), Ok(made));
}

#[test]
fn a_translation_is_named_after_its_lesson() {
    assert_eq!(translation_of("a.yaml", "zh-CN"), "a.zh-CN.yaml");
    assert_eq!(translation_of("a", "zh-CN"), "a.zh-CN.yaml");
}

#[test]
fn a_payload_ends_where_its_alphabet_does() {
    for address in [
        "#1.ab-_",
        "1.ab-_",
        "https://x.org/?lang=zh#1.ab-_",
        "<https://x.org/#1.ab-_>",
        "[it](https://x.org/#1.ab-_), and #2",
        "3. See https://x.org/#1.ab-_.",
        "https://x.org/#1.ab-_, see #2. The rest",
    ] {
        assert_eq!(payload(address), Ok("ab-_"), "{address}");
    }
    assert_eq!(payload("#2.ab"), Err(LinkError::TooNew { version: 2 }));
    for none in [
        "",
        "#",
        "#1",
        "https://x.org/",
        "https://x.org/#top",
        "#0.ab",
    ] {
        assert_eq!(payload(none), Err(LinkError::NotALink), "{none}");
    }
}
