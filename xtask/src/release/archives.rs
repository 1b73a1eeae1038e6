//! Archives of the command: those that cargo-binstall and the action find by name, and those of krew with its manifest.

use crate::layout::PACKAGE;
use crate::process::{Result, output, program, read, root, run, write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every archive has besides the command.
const WITH: [&str; 3] = ["LICENSE", "README.md", "THIRD-PARTY.txt"];
/// The manifest of krew, without version, addresses and checksums.
const KREW: &str = "packaging/berth.krew.yaml";
/// Where releases are; a fork sets another.
const HOMEPAGE: &str = "BERTH_HOMEPAGE";
/// The targets of releases, with the platforms of krew: operating system and architecture.
const PLATFORMS: [(&str, &str, &str); 5] = [
    ("x86_64-unknown-linux-musl", "linux", "amd64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-apple-darwin", "darwin", "amd64"),
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("x86_64-pc-windows-msvc", "windows", "amd64"),
];

/// `berth-x86_64-unknown-linux-musl-v0.2.0`, the name that cargo-binstall looks for.
pub fn stem(target: &str) -> String {
    format!("{PACKAGE}-{target}-v{}", env!("CARGO_PKG_VERSION"))
}

/// Packs a command for a target into `folder`: a folder of its own with the command, the license and the notices.
pub fn pack(command: &Path, target: &str, folder: &Path) -> Result {
    let stem = stem(target);
    let files = files(command, PACKAGE)?;
    archive(&files, &stem, &folder.join(format!("{stem}.tgz")))
}

/// Packs the same command as kubectl's plugin, and returns its file, if krew has the platform.
pub fn pack_plugin(command: &Path, target: &str, folder: &Path) -> Result<Option<PathBuf>> {
    let Some((_, system, machine)) = PLATFORMS.iter().find(|(known, ..)| *known == target) else {
        return Ok(None);
    };
    let files = files(command, "kubectl-berth")?;
    let version = env!("CARGO_PKG_VERSION");
    let stem = format!("kubectl-berth-v{version}-{system}-{machine}");
    let file = folder.join(format!("{stem}.tar.gz"));
    archive(&files, &stem, &file)?;
    Ok(Some(file))
}

/// Writes krew's manifest of the plugin's archives in `folder`.
pub fn write_krew_manifest(folder: &Path) -> Result {
    let homepage = std::env::var(HOMEPAGE).unwrap_or_else(|_| "https://OWNER.example/berth".into());
    let version = env!("CARGO_PKG_VERSION");
    let mut platforms = String::new();
    for (_, system, machine) in PLATFORMS {
        let stem = format!("kubectl-berth-v{version}-{system}-{machine}");
        let file = folder.join(format!("{stem}.tar.gz"));
        if !file.exists() {
            continue;
        }
        let (sum, uri) = (
            sha256(&file)?,
            format!("{homepage}/releases/download/v{version}"),
        );
        let ending = if system == "windows" { ".exe" } else { "" };
        platforms.push_str(&format!(
            "  - selector: {{matchLabels: {{os: {system}, arch: {machine}}}}}\n    uri: {uri}/{stem}.tar.gz\n    \
             sha256: {sum}\n    files: [{{from: {stem}/kubectl-berth{ending}, to: .}}, {{from: {stem}/LICENSE, to: .}}]\n    \
             bin: kubectl-berth{ending}\n"
        ));
    }
    let manifest = read(&root().join(KREW))?
        .replace("VERSION", version)
        .replace("HOMEPAGE", &homepage)
        .replace("PLATFORMS\n", &platforms);
    write(&folder.join("berth.yaml"), manifest)
}

/// Writes the checksums of all files of `folder`, in the order of their names.
pub fn write_checksums(folder: &Path) -> Result {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.is_file() && !file.ends_with("SHA256SUMS"));
    files.sort();
    let mut lines = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push_str(&format!("{}  {name}\n", sha256(file)?));
    }
    write(&folder.join("SHA256SUMS"), lines)
}

/// The files of an archive, with their names in it.
fn files(command: &Path, name: &str) -> Result<Vec<(PathBuf, String)>> {
    let ending = command
        .extension()
        .map_or(String::new(), |it| format!(".{}", it.display()));
    let with = WITH
        .iter()
        .map(|name| (root().join(name), (*name).to_string()));
    Ok([(command.to_path_buf(), format!("{name}{ending}"))]
        .into_iter()
        .chain(with)
        .collect())
}

/// A gzipped tar of a folder with these files: equal files make equal bytes.
fn archive(files: &[(PathBuf, String)], stem: &str, to: &Path) -> Result {
    let work = std::env::temp_dir().join(format!("{stem}-{}", std::process::id()));
    let folder = work.join(stem);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (from, name) in files {
        std::fs::copy(from, folder.join(name)).map_err(|e| format!("{}: {e}", from.display()))?;
    }
    let packed = run(program("tar")
        .args([
            "--create",
            "--format=ustar",
            "--sort=name",
            "--mtime=@0",
            "--mode=u+rw,go+r,a-s",
        ])
        .args([
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--use-compress-program=gzip -n9",
        ])
        .arg("--file")
        .arg(to)
        .arg("--directory")
        .arg(&work)
        .arg(stem));
    std::fs::remove_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
    packed
}

fn sha256(file: &Path) -> Result<String> {
    let printed = output(Command::new("sha256sum").arg(file))?;
    let sum = printed.split_whitespace().next().unwrap_or_default();
    Ok(sum.trim_start_matches('\\').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("berth-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn listed(file: &Path) -> String {
        output(Command::new("tar").arg("-tzf").arg(file)).unwrap()
    }

    #[test]
    fn equal_commands_make_equal_archives() {
        let folder = folder("archives");
        let command = folder.join("command");
        std::fs::write(&command, "#!/bin/sh\n").unwrap();
        let target = "x86_64-unknown-linux-musl";
        let file = folder.join(format!("{}.tgz", stem(target)));
        pack(&command, target, &folder).unwrap();
        let first = std::fs::read(&file).unwrap();
        pack(&command, target, &folder).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), first);
        let stem = stem(target);
        let names = listed(&file);
        for name in ["berth", "LICENSE", "THIRD-PARTY.txt"] {
            assert!(names.contains(&format!("{stem}/{name}\n")), "{names}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// The manifest names what the archive has, and keeps krew's rules.
    #[test]
    fn krew_finds_the_plugin() {
        let folder = folder("krew");
        let command = folder.join("command");
        std::fs::write(&command, "#!/bin/sh\n").unwrap();
        let file = pack_plugin(&command, "x86_64-unknown-linux-musl", &folder)
            .unwrap()
            .unwrap();
        assert_eq!(
            pack_plugin(&command, "x86_64-unknown-linux-gnu", &folder),
            Ok(None)
        );
        write_krew_manifest(&folder).unwrap();
        let manifest = read(&folder.join("berth.yaml")).unwrap();
        assert!(manifest.contains(&sha256(&file).unwrap()), "{manifest}");
        for placeholder in ["VERSION", "HOMEPAGE", "PLATFORMS"] {
            assert!(!manifest.contains(placeholder), "{manifest}");
        }
        let names = listed(&file);
        let (_, files) = manifest.split_once("files: [").unwrap();
        let (files, _) = files.split_once("]\n").unwrap();
        let named: Vec<&str> = files
            .split("from: ")
            .skip(1)
            .filter_map(|it| it.split(',').next())
            .collect();
        assert_eq!(named.len(), 2);
        for name in named {
            assert!(names.contains(&format!("{name}\n")), "{name}: {names}");
        }
        let short = manifest
            .lines()
            .find_map(|line| line.trim().strip_prefix("shortDescription: "));
        assert!(short.is_some_and(|short| short.len() <= 50), "{short:?}");
        write_checksums(&folder).unwrap();
        let sums = read(&folder.join("SHA256SUMS")).unwrap();
        assert_eq!(sums.lines().count(), 3, "{sums}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
