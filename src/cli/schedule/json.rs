//! `-o json`: a List of Pods as kubectl prints it.

use std::io::{self, Write};

use berth_session::Session;

/// Writes one Pod after another.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [")?;
    let mut separator = "\n";
    for pod in session.pod_manifests() {
        let text = serde_json::to_string_pretty(&pod)?;
        write!(out, "{separator}")?;
        separator = ",\n";
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let unindented = line.trim_start();
            let depth = (line.len() - unindented.len()) / 2;
            let end = if lines.peek().is_some() { "\n" } else { "" };
            write!(out, "{:width$}{unindented}{end}", "", width = 8 + 4 * depth)?;
        }
    }
    out.write_all(b"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n")?;
    out.write_all(b"        \"resourceVersion\": \"\"\n    }\n}\n")
}
