//! `-o json`: a List of Pods as kubectl prints it; of a dump with what its cluster said.

use std::io::{self, Write};

use berth_session::{Session, cluster_word, export};
use serde::Serialize;

/// Writes one Pod after another.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\n    \"apiVersion\": \"v1\",\n")?;
    if let Some(word) = cluster_word::now(session) {
        out.write_all(b"    \"clusterWord\":\n")?;
        indented(&word, out)?;
        out.write_all(b",\n")?;
    }
    out.write_all(b"    \"items\": [")?;
    let mut separator = "\n";
    for pod in export::pod_manifests(session) {
        write!(out, "{separator}")?;
        separator = ",\n";
        indented(&pod, out)?;
    }
    out.write_all(b"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n")?;
    out.write_all(b"        \"resourceVersion\": \"\"\n    }\n}\n")
}

/// Writes a value as kubectl does: four spaces a level, here from the second level on.
fn indented(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let unindented = line.trim_start();
        let depth = (line.len() - unindented.len()) / 2;
        let end = if lines.peek().is_some() { "\n" } else { "" };
        write!(out, "{:width$}{unindented}{end}", "", width = 8 + 4 * depth)?;
    }
    Ok(())
}
