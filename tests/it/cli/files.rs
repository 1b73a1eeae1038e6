//! What the command says about files that are not the objects one thinks they are, and how it finds them.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use berth_session::{device_dump_command, dump_command};

use super::{berth, with_input};

const NODE: &str =
    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {pods: 10}}}\n";
const POD: &str =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}\n";

/// An empty folder of this name, which is left behind.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("cli-files")
        .join(name);
    // There may be none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The exit status, standard output and standard error of a command line.
fn said(line: &str, input: &str) -> (Option<i32>, String, String) {
    let output = with_input(line, input);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn nothing_read_is_an_error() {
    let nothing = "error: -: no objects to read\n";
    for line in [
        "check -",
        "schedule -",
        "schedule shop.yaml -",
        "explain - --pod a",
    ] {
        for input in ["", "# only a comment\n---\n"] {
            let (code, out, err) = said(line, input);
            assert_eq!(
                (code, out.as_str(), err.as_str()),
                (Some(2), "", nothing),
                "{line}"
            );
        }
    }
    // A cluster may begin empty.
    assert_eq!(
        said("kubectl --on - create namespace a", ""),
        (Some(0), "namespace/a created\n".to_owned(), String::new())
    );
    let kustomization = "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n";
    let (code, out, err) = said("check -", kustomization);
    assert_eq!(code, Some(2));
    assert!(
        out.contains("warning: a Kustomization is for kustomize"),
        "{out}"
    );
    assert_eq!(err, "error: there is nothing to check in these files\n");
    // Kinds that scheduling does not read are right, but nothing to schedule.
    let harmless = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}\n";
    assert_eq!(said("check -", harmless).0, Some(0));
    let (code, _, err) = said("schedule -", harmless);
    assert_eq!(code, Some(2));
    assert!(
        err.ends_with("error: no object in these files is of a kind that Berth reads\n"),
        "{err}"
    );
    let (code, _, err) = said(
        "schedule -",
        "error: You must be logged in to the server (Unauthorized)\n",
    );
    assert_eq!(code, Some(2));
    assert!(err.contains("(log in to the cluster again)"), "{err}");
}

#[test]
fn folders_in_folders_are_read_if_asked_for() {
    let folder = folder("nested");
    let name = folder.to_str().unwrap();
    fs::create_dir_all(folder.join("web/templates")).unwrap();
    fs::create_dir_all(folder.join(".github")).unwrap();
    fs::write(folder.join("web/templates/pod.yaml"), POD).unwrap();
    fs::write(folder.join(".github/ci.yaml"), "on: push\n").unwrap();
    let (code, _, err) = said(&format!("check {name}"), "");
    assert_eq!(code, Some(2));
    assert!(err.ends_with("no *.yaml, *.yml or *.json in this folder; 1 file in a folder of it is not read: -R reads it\n"), "{err}");
    fs::write(folder.join("node.yaml"), NODE).unwrap();
    let (code, out, err) = said(&format!("schedule {name}"), "");
    assert_eq!(code, Some(0));
    assert_eq!(out, "No Pods to schedule.\n");
    assert_eq!(
        err,
        format!("{name}: 1 file in a folder of it is not read: -R reads it\n")
    );
    let (code, out, err) = said(&format!("schedule -R {name}"), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("1 Pod: 1 scheduled"), "{out}");
}

#[test]
fn compressed_and_wide_texts_are_read() {
    let folder = folder("encoded");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let text = format!("{NODE}---\n{POD}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    fs::write(path("cut.yaml"), &gzip[..gzip.len() / 2]).unwrap();
    fs::write(path("a.yaml.gz"), gzip).unwrap();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(bytes)
            .collect()
    };
    fs::write(path("le.yaml"), wide(&text, u16::to_le_bytes)).unwrap();
    fs::write(path("be.yaml"), wide(&text, u16::to_be_bytes)).unwrap();
    for name in ["a.yaml.gz", "le.yaml", "be.yaml"] {
        let (code, out, err) = said(&format!("schedule {}", path(name)), "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
        assert!(out.contains("1 Pod: 1 scheduled"), "{out}");
    }
    let (code, _, err) = said(&format!("check {}", path("cut.yaml")), "");
    assert_eq!(code, Some(2));
    assert!(err.contains("cut.yaml: is damaged gzip data"), "{err}");
}

#[test]
fn many_inferred_owners_are_counted_and_listed_on_demand() {
    let pod = |kind: &str, owner: usize| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p{kind}{owner}, uid: p{kind}{owner}, ownerReferences: \
             [{{apiVersion: v1, kind: {kind}, name: o{owner}, uid: {kind}{owner}, controller: true}}]}}, \
             spec: {{nodeName: n1, containers: [{{name: c, image: i}}]}}, status: {{phase: Running}}}}\n---\n"
        )
        .replace(&format!("name: p{kind}"), &format!("name: p{}", kind.to_lowercase()))
    };
    let text: String = (0..3)
        .map(|it| pod("ReplicaSet", it))
        .chain([pod("Job", 9)])
        .collect();
    let text = format!("{text}{NODE}");
    let (_, _, err) = said("check -", &text);
    assert_eq!(
        err,
        "inferred from their Pods, as the files lack them: 1 Job, 3 ReplicaSets (-v lists them)\n"
    );
    let (_, _, err) = said("schedule -v -", &text);
    assert!(
        err.contains("Job default/o9 (1)") && err.contains("ReplicaSet default/o2 (1)"),
        "{err}"
    );
}

#[test]
fn readme_page_and_help_have_the_commands_of_the_table_of_kinds() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for name in ["README.md", "README.zh-CN.md"] {
        let text = fs::read_to_string(root.join(name)).unwrap();
        for command in [dump_command(), device_dump_command()] {
            assert!(text.contains(&command), "{name}: {command}");
        }
        // There is no other list of kinds.
        let others = text
            .lines()
            .filter(|line| line.contains("kubectl get nodes"));
        assert!(
            others
                .into_iter()
                .all(|line| line.contains(&dump_command())),
            "{name}"
        );
    }
    let help = String::from_utf8(berth("schedule --help").stdout).unwrap();
    // The help is wrapped.
    let help = help.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(
        help.contains(&dump_command()) && help.contains(&device_dump_command()),
        "{help}"
    );
    let (_, out, _) = said("check -", "NAME   READY   STATUS\nweb    1/1     Running\n");
    assert!(out.contains(&format!("`{}`", dump_command())), "{out}");
}
