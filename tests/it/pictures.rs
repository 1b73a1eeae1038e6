//! Pictures of the stage and other exports: well-formed, with descriptions, without script, equal everywhere.

use berth::export::svg::{self, Theme};
use berth::scene::ZONE;
use berth::scene::moment::{Moment, Shown};
use berth::scene::progress::Revealed;
use berth::scene::rows;
use berth::scene::view::View;
use berth_protocol::page::Explained;
use berth_session::{Options, Session, SourceFile, explain, frame};

const GPUS: &str = include_str!("../../www/scenarios/gpu-models.yaml");
const EXAMPLE: &str = include_str!("../../www/scenarios/preemption.yaml");

fn opened(text: &str) -> Session {
    let mut session = Session::new(Options::default());
    session.apply(&[SourceFile::new("example", text)]);
    session
}

/// The stage as the command draws it.
fn picture(session: &Session, theme: Theme) -> String {
    let view = View::of(frame::build(session), "1.34");
    let position = session.position().checked_sub(1);
    let explained = position.map(|position| {
        let result = explain::attempt(session, position);
        Explained {
            position,
            made: true,
            at_ms: None,
            rows: result.as_ref().map(rows::count).unwrap_or_default(),
            result,
        }
    });
    let shown = Shown {
        explained: explained.as_ref(),
        revealed: Revealed::all(),
        is_stepping: false,
        chosen: None,
        placed: None,
        group_by: ZONE,
    };
    svg::stage(&Moment::new(&view, shown), theme)
}

/// The native build and WebAssembly draw the same bytes.
#[crate::portable]
fn a_picture_is_the_same_everywhere() {
    let mut session = opened(EXAMPLE);
    session.advance(3);
    let drawn = picture(&session, Theme::Dark);
    let committed = include_str!("pictures/preemption.svg");
    crate::snapshot::assert_snapshot("pictures/preemption.svg", committed, &drawn);
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{GPUS, opened, picture};
    use berth::export::svg::Theme;
    use std::path::Path;
    use std::process::Command;

    fn examples() -> Vec<(String, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
        let paths = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|file| file.path());
        let mut paths: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
            .collect();
        paths.sort();
        let read = |path: std::path::PathBuf| {
            let name = path.to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a file"))
        };
        paths.into_iter().map(read).collect()
    }

    #[test]
    fn pods_without_requests_are_chips_with_their_names() {
        let node = "kind: Node\napiVersion: v1\nmetadata: {name: a}\nstatus: {allocatable: {cpu: \"4\", pods: \"99\"}}\n";
        let pods = |count: usize| -> String {
            let pod = |at| {
                format!(
                    "---\nkind: Pod\napiVersion: v1\nmetadata: {{name: bare-{at}}}\nspec: {{nodeName: a, containers: [{{name: c, image: i}}]}}\n"
                )
            };
            (0..count).map(pod).collect()
        };
        let few = picture(&opened(&format!("{node}{}", pods(2))), Theme::Light);
        assert!(few.contains(">no request<"), "{few}");
        // The key below has the names once more.
        assert!(few.matches(">bare-0<").count() == 2, "{few}");
        let many = picture(&opened(&format!("{node}{}", pods(15))), Theme::Light);
        assert!(many.contains(">11<") && many.contains(">+3<"), "{many}");
    }

    /// Names of the elements of well-formed XML without comments and processing instructions.
    fn elements(xml: &str, place: &str) -> Vec<String> {
        let mut open: Vec<&str> = Vec::new();
        let mut names = Vec::new();
        let mut rest = xml.trim_end();
        while let Some(start) = rest.find('<') {
            let text = &rest[..start];
            assert!(!text.contains('>'), "{place}: a stray > in {text}");
            assert!(
                open.is_empty() == text.trim().is_empty() || !open.is_empty(),
                "{place}: {text}"
            );
            let end = start
                + rest[start..]
                    .find('>')
                    .unwrap_or_else(|| panic!("{place}: no >"));
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{place}");
                continue;
            }
            let body = tag.trim_end_matches('/');
            let name = body.split(' ').next().expect("a name");
            let attributes = &body[name.len()..];
            assert_eq!(attributes.matches('"').count() % 2, 0, "{place}: {tag}");
            for entity in attributes.split('&').skip(1) {
                assert!(
                    entity
                        .split_once(';')
                        .is_some_and(|(name, _)| name.len() <= 4),
                    "{place}: {tag}"
                );
            }
            names.push(name.to_owned());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(
            open.is_empty() && rest.is_empty(),
            "{place}: {open:?} {rest}"
        );
        names
    }

    fn colors(svg: &str) -> Vec<&str> {
        let starts = svg.match_indices("=\"#").map(|(at, _)| at + 2);
        starts.map(|at| &svg[at..at + 7]).collect()
    }

    #[test]
    fn devices_are_drawn_with_who_has_them() {
        let mut session = opened(GPUS);
        session.run_to_end();
        let drawn = picture(&session, Theme::Light);
        for text in [
            "gpu-1",
            "big 40Gi",
            "small 24Gi",
            "train-1",
            "infer-1",
            "free",
        ] {
            let shown = format!(">{text}<");
            assert!(drawn.contains(&shown), "{text}: {drawn}");
        }
        let taken = "2 of 2 gpu.example.com devices taken";
        assert!(drawn.contains(taken), "in words: {drawn}");
        assert!(drawn.contains(">1 in use, 1 unsuitable<"), "{drawn}");
    }

    #[test]
    fn every_example_is_drawn_at_every_moment_in_both_themes() {
        let known = [
            "svg", "title", "desc", "rect", "path", "circle", "text", "tspan", "g",
        ];
        for (name, text) in examples() {
            let mut session = opened(&text);
            session.run_to_end();
            let end = session.position();
            for position in [0, 1, end / 2, end] {
                session.seek(position);
                let drawn = [Theme::Light, Theme::Dark].map(|theme| picture(&session, theme));
                for svg in &drawn {
                    let place = format!("{name} at {position}");
                    let names = elements(svg, &place);
                    assert_eq!(names[..3], ["svg", "title", "desc"], "{place}");
                    assert!(
                        names.iter().all(|name| known.contains(&name.as_str())),
                        "{place}"
                    );
                    assert!(
                        svg.starts_with("<svg xmlns=") && svg.contains("role=\"img\""),
                        "{place}"
                    );
                    for forbidden in [
                        " on",
                        "href",
                        "style=",
                        "url(",
                        "javascript",
                        "NaN",
                        "inf\"",
                    ] {
                        let tags = svg.split('<').filter_map(|tag| tag.split('>').next());
                        assert!(
                            !tags.into_iter().any(|tag| tag.contains(forbidden)),
                            "{place}: {forbidden}"
                        );
                    }
                    for node in &berth_session::frame::build(&session).nodes {
                        assert!(svg.contains(&node.name), "{place}: {}", node.name);
                    }
                }
                let [light, dark] = &drawn;
                assert_eq!(colors(light)[0], "#faf8f2", "paper");
                assert_eq!(colors(dark)[0], "#0f1b2c", "paper");
                let plain = |svg: &String| {
                    let mut plain = svg.clone();
                    for color in colors(svg) {
                        plain = plain.replace(color, "#");
                    }
                    plain
                };
                assert_eq!(
                    plain(light),
                    plain(dark),
                    "the themes differ in colors alone"
                );
            }
        }
    }

    #[test]
    fn hostile_names_stay_text() {
        let text = "kind: Node\napiVersion: v1\nmetadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}\n---\nkind: Scenario\napiVersion: berth.dev/v1alpha1\ntitle: '<script>alert(1)</script> & \"x\"'\n";
        let svg = picture(&opened(text), Theme::Light);
        elements(&svg, "hostile");
        assert!(!svg.contains("<script"), "{svg}");
    }

    fn berth(args: &[&str]) -> std::process::Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_berth"));
        let command = command.args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.output().expect("the command runs")
    }

    #[test]
    fn the_command_draws_a_moment_and_refuses_one_after_the_end() {
        let file = "www/scenarios/preemption.yaml";
        let drawn = berth(&["render", file, "--at", "3", "--theme", "dark"]);
        let expected = include_str!("pictures/preemption.svg");
        // The command also marks the Pod that the last step placed.
        let drawn = String::from_utf8_lossy(&drawn.stdout).into_owned();
        assert_eq!(drawn.lines().count(), expected.lines().count());
        assert!(drawn.contains("<title>Preemption"), "{drawn}");
        let late = berth(&["render", file, "--at", "999"]);
        assert_eq!(late.status.code(), Some(2));
        let message = String::from_utf8_lossy(&late.stderr).into_owned();
        assert!(message.contains("the run ends after"), "{message}");
        let folder = std::env::temp_dir().join(format!("berth-render-{}", std::process::id()));
        let written = berth(&["render", file, "-o", &folder.to_string_lossy()]);
        assert!(written.status.success() && written.stdout.is_empty());
        let text = std::fs::read_to_string(&folder).expect("it is written");
        let _ = std::fs::remove_file(&folder);
        elements(&text, "the file");
    }

    #[test]
    fn an_explanation_is_markdown() {
        let file = "www/scenarios/default.yaml";
        let output = berth(&["explain", file, "--pod", "report", "-o", "markdown"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = include_str!("pictures/report.md");
        crate::snapshot::assert_snapshot("pictures/report.md", expected, &text);
        for part in [
            "## report",
            "### Filter",
            "| Node |",
            "> 0/6 nodes are available",
            "- Lower",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let placed = berth(&["explain", file, "--pod", "cache-0", "-o", "markdown"]);
        let text = String::from_utf8_lossy(&placed.stdout).into_owned();
        assert!(
            placed.status.code() == Some(2) || text.contains("### Score"),
            "{text}"
        );
    }
}
