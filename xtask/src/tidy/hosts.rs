//! Lock files and settings name packages, never a registry: contributors build Berth
//! from the registry or mirror that they have configured.

use super::{File, Problem};
use std::path::Path;

/// The public index as Cargo.lock names it, whichever mirror serves it.
const PUBLIC_INDEX: &str = concat!("registry+https://github.com/rust-lang/crates", ".io-index");

/// Hosts that no file may name. (`concat!` keeps this file from naming them.)
const HOSTS: [&str; 6] = [
    concat!("registry.npmjs", ".org"),
    concat!("registry.yarnpkg", ".com"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("proxy.golang", ".org"),
    concat!("files.pythonhosted", ".org"),
];

pub fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, content) in files {
        for (number, line) in content.lines().enumerate() {
            problems.extend(wrong(path, line).map(|text| Problem {
                file: path.clone(),
                line: number + 1,
                text,
            }));
        }
    }
    problems
}

fn wrong(path: &Path, line: &str) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let entry = line.trim_start();
    if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)) {
        return Some(format!("names the registry host {host}"));
    }
    let settled_elsewhere = match &*name {
        "package-lock.json" => entry.starts_with("\"resolved\"") && entry.contains("://"),
        "Cargo.lock" => entry.starts_with("source = ") && !entry.contains(PUBLIC_INDEX),
        ".npmrc" => entry.contains("registry=") || entry.contains("registry ="),
        "config.toml" if path.starts_with(".cargo") => {
            entry.starts_with("[source") || entry.starts_with("[registr")
        }
        _ => false,
    };
    settled_elsewhere.then(|| {
        "names where packages come from; that belongs into the user's own settings".to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn count(path: &str, content: &str) -> usize {
        check(&[(PathBuf::from(path), content.to_string())]).len()
    }

    #[test]
    fn lock_files_hold_no_addresses() {
        let resolved = "  \"resolved\": \"https://mirror.example/x.tgz\",";
        assert_eq!(count("package-lock.json", resolved), 1);
        assert_eq!(count("package-lock.json", "  \"version\": \"1.0.0\","), 0);
        let public = format!("source = \"{PUBLIC_INDEX}\"");
        assert_eq!(count("Cargo.lock", &public), 0);
        assert_eq!(
            count("Cargo.lock", "source = \"registry+https://mirror.example\""),
            1
        );
    }

    #[test]
    fn settings_name_no_registry() {
        assert_eq!(count(".npmrc", "registry=https://mirror.example"), 1);
        assert_eq!(count(".npmrc", "omit-lockfile-registry-resolved=true"), 0);
        assert_eq!(count(".cargo/config.toml", "[source.x]"), 1);
        assert_eq!(count(".cargo/config.toml", "[alias]"), 0);
    }

    #[test]
    fn no_text_names_a_host() {
        assert_eq!(count("README.md", &format!("see {}", HOSTS[0])), 1);
    }
}
