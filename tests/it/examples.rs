//! Plays each example of the page to its end, where it must meet the expectations in its own file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use berth::export::svg;
use berth::scene::ZONE;
use berth::scene::moment::{Moment, Shown};
use berth::scene::progress::Revealed;
use berth::scene::view::View;
use berth::words::language::{Language, is_translation};
use berth_protocol::cycle::Cycle;
use berth_protocol::expectation::Outcome;
use berth_session::{Options, Session, SourceFile, expectations, explain, frame, simulated};
use serde::Deserialize;

use crate::languages;
use crate::snapshot::assert_snapshot;

/// One line of the index.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    slug: String,
    question: String,
    title: String,
    teaser: String,
    topics: Vec<String>,
    /// The node that decides; its card is outlined in the picture. The list in another language has none.
    decides: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios")
}

fn index() -> Vec<Entry> {
    let text = fs::read_to_string(folder().join("index.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The indexes in other languages.
fn indexes() -> Vec<(Language, Vec<Entry>)> {
    let read =
        |(language, file): (_, SourceFile)| (language, serde_json::from_str(&file.text).unwrap());
    let files = languages::translations(&folder().join("index.json"));
    files.into_iter().map(read).collect()
}

/// Slugs and texts, in the order of the index.
fn examples() -> Vec<(String, String)> {
    let read = |slug: String| {
        let text = fs::read_to_string(folder().join(format!("{slug}.yaml"))).unwrap();
        (slug, text)
    };
    index().into_iter().map(|entry| read(entry.slug)).collect()
}

#[track_caller]
fn open(slug: &str, text: &str, options: Options) -> Session {
    let mut session = Session::new(options);
    session.apply(&[SourceFile::new(slug, text)]);
    assert!(
        session.problems().is_empty(),
        "{slug}: {:#?}",
        session.problems()
    );
    assert!(
        frame::build(&session).ignored.is_empty(),
        "{slug} has documents that mean nothing"
    );
    session
}

#[track_caller]
fn assert_all_met(slug: &str, session: &Session) {
    let outcomes = expectations::outcomes(session);
    let unmet: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.met).collect();
    assert!(
        unmet.is_empty(),
        "{slug} at {}: {unmet:#?}",
        session.position()
    );
}

#[test]
fn every_example_is_in_the_index_and_every_entry_is_an_example() {
    let entries = fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: BTreeSet<String> = names.filter(|name| name.ends_with(".yaml")).collect();
    let (texts, found): (BTreeSet<String>, BTreeSet<String>) =
        found.into_iter().partition(|name| is_translation(name));
    let index = index();
    let listed: BTreeSet<String> = index
        .iter()
        .map(|entry| format!("{}.yaml", entry.slug))
        .collect();
    assert_eq!(found, listed);
    let of = |name: &String| languages::translations(&folder().join(name));
    let translations = listed.iter().flat_map(of).map(|(_, file)| file.name);
    assert_eq!(texts, translations.collect::<BTreeSet<_>>());
    let slugs =
        |index: &[Entry]| -> Vec<String> { index.iter().map(|entry| entry.slug.clone()).collect() };
    for (language, own) in indexes() {
        assert_eq!(slugs(&own), slugs(&index), "{}", language.tag());
    }
    assert_eq!(index.len(), listed.len(), "an example is listed twice");
    assert_eq!(
        index[0].slug, "default",
        "the page opens with the first one"
    );
    for entry in &index {
        assert!(
            !entry.teaser.is_empty() && !entry.topics.is_empty() && !entry.question.is_empty(),
            "{}",
            entry.slug
        );
    }
}

/// The view of a session's moment, without an attempt explained.
fn view(session: &Session) -> View {
    let release = session.manifests().prepared.release.version();
    View::of(frame::build(session), release.minor())
}

fn thumbnail(session: &Session, decides: Option<&str>) -> String {
    let view = view(session);
    assert!(
        decides.is_none_or(|node| view.node(node).is_some()),
        "no node {decides:?}"
    );
    let shown = Shown {
        explained: None,
        revealed: Revealed::all(),
        is_stepping: false,
        chosen: None,
        placed: None,
        group_by: ZONE,
    };
    svg::thumbnail(&Moment::new(&view, shown), decides)
}

/// What the gallery finds an example by: the scheduler's messages of its run, the plugins that refused nodes, made room, or
/// decided between nodes, and the releases that its manifests name.
#[derive(Default)]
struct Found {
    messages: BTreeSet<String>,
    plugins: BTreeSet<String>,
    releases: BTreeSet<String>,
}

impl Found {
    fn of(session: &Session, text: &str) -> Self {
        let mut found = Self::default();
        let attempts = (0..session.position()).filter_map(|at| explain::attempt(session, at).ok());
        for cycle in attempts {
            let verdicts = cycle.nodes.iter().filter_map(|node| node.verdict.as_ref());
            for verdict in verdicts.filter(|verdict| !verdict.plugin.is_empty()) {
                found.plugins.insert(verdict.plugin.clone());
                found.messages.extend(verdict.reasons.iter().cloned());
            }
            let made_room = cycle
                .preemption
                .iter()
                .any(|made| !made.nominated.is_empty());
            let decided = decider(&cycle).map(str::to_owned);
            found.plugins.extend(decided);
            found
                .plugins
                .extend(made_room.then(|| "DefaultPreemption".to_owned()));
        }
        let named = text.split("kubernetes: \"").skip(1);
        let releases = named.filter_map(|rest| rest.split('"').next());
        found.releases = releases.map(|minor| format!("v{minor}")).collect();
        found
    }
}

/// The plugin that gave the chosen node the most points more than the next best.
fn decider(cycle: &Cycle) -> Option<&str> {
    let scores = cycle.scores.as_ref()?;
    let selected = cycle.selected.as_ref()?;
    let winner = scores.iter().find(|score| &score.node == selected)?;
    let others = scores.iter().filter(|score| &score.node != selected);
    let second = others.max_by_key(|score| score.total)?;
    let points = winner.plugins.iter().zip(&second.plugins);
    let (most, name) = points
        .map(|(own, other)| (own.weighted - other.weighted, &*own.plugin))
        .max()?;
    (most > 0 && winner.total > second.total).then_some(name)
}

/// The gallery shows each example as it ends.
#[test]
fn every_example_has_its_picture() {
    let mut text = String::new();
    for (entry, (slug, example)) in index().iter().zip(examples()) {
        let mut session = open(&slug, &example, Options::default());
        session.run_to_end();
        let frame = frame::build(&session);
        let found = Found::of(&session, &example);
        assert!(entry.decides.is_some(), "{slug}: no node decides");
        assert!(!found.plugins.is_empty(), "{slug}: no plugin decides");
        let waiting = frame.pods.iter().filter(|pod| pod.node.is_none()).count();
        let picture = serde_json::json!({
            "slug": slug,
            "nodes": frame.nodes.len(),
            "pods": frame.pods.len(),
            "waiting": waiting,
            "messages": found.messages,
            "plugins": found.plugins,
            "releases": found.releases,
            "svg": thumbnail(&session, entry.decides.as_deref()),
        });
        let start = if text.is_empty() { "[" } else { "," };
        let _ = write!(text, "{start}\n  {picture}");
    }
    text.push_str("\n]\n");
    let file = "../../www/scenarios/pictures.json";
    let committed = fs::read_to_string(folder().join("pictures.json")).unwrap_or_default();
    crate::snapshot::assert_snapshot(file, &committed, &text);
}

/// What stands in the page until the program draws its own: title, frame, the cluster that a first visit opens, and the
/// first sentence, in each language that has both.
#[test]
fn the_page_begins_with_a_picture_of_the_first_example() {
    let (slug, text) = &examples()[0];
    let picture = thumbnail(&open(slug, text, Options::default()), None);
    let indexes = [(Language::SOURCE, index())].into_iter().chain(indexes());
    let (mut title, mut sentence) = (String::new(), String::new());
    for (language, index) in indexes {
        let (tag, _) = language
            .tag()
            .split_once('-')
            .unwrap_or((language.tag(), ""));
        let opening = languages::spoken(language, || berth::words::OPENING.get());
        let _ = write!(title, "<span data-in=\"{tag}\">{}</span>", index[0].title);
        let _ = write!(sentence, "<span data-in=\"{tag}\">{opening}</span>");
    }
    let text = format!(
        "<div id=\"picture\" class=\"app app--stage\" aria-hidden=\"true\">\n\
         <div class=\"topbar\"><b class=\"brand\"><svg class=\"i\"><use href=\"#i-logo\"/></svg><span class=\"brand__name\">Berth</span></b>\
         <i class=\"topbar__sep\"></i>{title}</div>\n\
         <div class=\"panel sources\"></div>\n\
         <div class=\"panel stage\"><div class=\"panel__head\"></div>{picture}</div>\n\
         <div class=\"panel explain\"><div class=\"panel__head\"></div></div>\n\
         <div class=\"timeline\"></div>\n\
         <p class=\"toast toast--opening\">{sentence}</p>\n</div>\n"
    );
    let committed = fs::read_to_string(folder().join("../first.html")).unwrap_or_default();
    crate::snapshot::assert_snapshot("../../www/first.html", &committed, &text);
}

#[test]
fn every_example_says_what_it_is_about() {
    for (entry, (slug, text)) in index().iter().zip(examples()) {
        assert_eq!(
            frame::build(&open(&slug, &text, Options::default())).title,
            entry.title,
            "{slug}"
        );
        let first = text.split("\n---\n").next().unwrap();
        let scenario: serde_json::Value = serde_yaml::from_str(first).unwrap();
        let description = scenario["description"].as_str().unwrap_or_default();
        assert!(
            description.lines().count() >= 2,
            "{slug} has hardly a description"
        );
        let hints = scenario["hints"].as_array().map_or(0, Vec::len);
        assert!(hints >= 2, "{slug} has {hints} hints");
        let expectations = scenario["expectations"].as_array().map_or(0, Vec::len);
        assert!(expectations >= 2, "{slug} has {expectations} expectations");
    }
}

#[test]
fn every_example_meets_its_expectations_also_after_going_back() {
    for (slug, text) in examples() {
        let mut session = open(&slug, &text, Options::default());
        session.run_to_end();
        assert!(session.position() >= 2, "{slug}: nothing to step through");
        assert_all_met(&slug, &session);
        let (end, outcomes) = (session.digest(), expectations::outcomes(&session));
        while session.step_back() {}
        assert_eq!(session.position(), 0);
        while session.step() {}
        assert_all_met(&slug, &session);
        assert_eq!(session.digest(), end, "{slug}");
        assert_eq!(expectations::outcomes(&session), outcomes, "{slug}");
    }
}

/// The same story in both modes, wherever the cluster comes alive.
#[test]
fn every_example_meets_its_expectations_in_a_living_cluster() {
    for (slug, text) in examples() {
        let mut session = open(&slug, &text, Options::default());
        session.run_to_end();
        let end = session.position();
        for position in (0..=end).step_by(if crate::all() { 1 } else { 4 }) {
            session.seek(position);
            simulated::set_simulated(&mut session, true);
            session.run_to_end();
            assert_all_met(&format!("{slug}, alive from {position}"), &session);
            assert!(session.undo());
        }
        let live = Options {
            live: true,
            ..Options::default()
        };
        let mut session = open(&slug, &text, live);
        session.run_to_end();
        assert_all_met(&format!("{slug}, alive from the beginning"), &session);
    }
}

/// `tests/browser/same.test.mjs` finds the same digests in the published build.
#[test]
fn every_example_ends_with_the_committed_digests() {
    let mut text = String::new();
    for (slug, manifests) in examples() {
        let end = |live| {
            let options = Options {
                live,
                ..Options::default()
            };
            let mut session = open(&slug, &manifests, options);
            session.run_to_end();
            session.digest()
        };
        let _ = writeln!(text, "{slug} {} {}", end(false), end(true));
    }
    assert_snapshot(
        "examples/digests.txt",
        include_str!("examples/digests.txt"),
        &text,
    );
}

/// An example whose outcome holds only for some seeds would be misleading.
#[test]
fn no_example_depends_on_how_ties_are_decided() {
    let last = if crate::all() { 20 } else { 4 };
    for (slug, text) in examples() {
        let seeds = (1..=last).map(|seed| Options {
            seed,
            ..Options::default()
        });
        let first = Options {
            first_on_ties: true,
            ..Options::default()
        };
        for options in seeds.chain([first]) {
            let mut session = open(&slug, &text, options.clone());
            session.run_to_end();
            assert_all_met(&format!("{slug} with {options:?}"), &session);
            simulated::set_simulated(&mut session, true);
            session.run_to_end();
            assert_all_met(&format!("{slug}, then alive, with {options:?}"), &session);
        }
    }
}

/// An expectation that is already met at the beginning must fail without the workloads.
#[test]
fn every_expectation_can_fail() {
    for (slug, text) in examples() {
        let session = open(&slug, &text, Options::default());
        let early = expectations::outcomes(&session);
        assert!(
            early.iter().any(|outcome| !outcome.met),
            "{slug} has nothing to wait for"
        );
        let is_pod = |document: &&str| {
            ["Pod", "Deployment", "StatefulSet", "DaemonSet"]
                .iter()
                .any(|kind| document.lines().any(|line| line == format!("kind: {kind}")))
        };
        let documents: Vec<&str> = text
            .split("\n---\n")
            .filter(|document| !is_pod(document))
            .collect();
        let mut deserted = open(&slug, &documents.join("\n---\n"), Options::default());
        deserted.run_to_end();
        for (early, deserted) in early.iter().zip(expectations::outcomes(&deserted)) {
            assert!(
                !early.met || !deserted.met,
                "{slug} always has: {}",
                early.expected
            );
        }
    }
}
