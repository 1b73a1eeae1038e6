//! `cargo xtask release`: what is published, the same bytes wherever it is built: archives of the command with the page
//! in it, for this machine and static, and as kubectl's plugin; the engine for JavaScript and for Python; the page as a zip,
//! the notices of others' code, the bill of materials, and the checksums of all.

mod archives;
pub mod npm;
pub mod wheel;

use crate::layout::{PACKAGE, RELEASED, SITE};
use crate::process::{Result, cargo, node, output, program, read, root, run, target_dir, write};
use crate::{setup, site};
use std::path::{Path, PathBuf};

/// The notices of code that is not ours, made by `cargo xtask notices`.
const NOTICES: &str = "THIRD-PARTY.txt";
const INVENTORY: &str = "xtask/src/node/inventory.mjs";
const DOCKERFILE: &str = "packaging/Dockerfile";
/// The target that runs on every Linux of its kind, and in an empty image.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// Writes the release into a folder.
pub fn release(args: &[String]) -> Result {
    let [folder] = args else {
        return Err("say where to: cargo xtask release DIR".to_string());
    };
    let folder = site::here(folder)?;
    setup::for_page()?;
    check_notices()?;
    site::site(&[])?;
    let host = host()?;
    for target in [host.as_str(), STATIC] {
        if target != host && !is_installed(target)? {
            println!("{target} is left out: `rustup target add {target}` installs it");
            continue;
        }
        let command = build(target)?;
        names_no_place(&command)?;
        archives::pack(&command, target, &folder)?;
        archives::pack_plugin(&command, target, &folder)?;
    }
    npm::pack(&folder)?;
    wheel::build(&folder)?;
    let copy = |from: &Path| match from.file_name() {
        Some(name) => write(&folder.join(name), bytes(from)?),
        None => Ok(()),
    };
    copy(&root().join(NOTICES))?;
    copy(&root().join(DOCKERFILE))?;
    copy(&root().join(format!("{SITE}/../berth-{}.zip", env!("CARGO_PKG_VERSION"))))?;
    write(&folder.join("berth.cdx.json"), made("sbom")?)?;
    archives::write_krew_manifest(&folder)?;
    archives::write_checksums(&folder)
}

/// Builds the command with the page in it.
fn build(target: &str) -> Result<PathBuf> {
    run(
        cargo(&["build", "--release", "--locked", "--package", PACKAGE])
            .args(["--bin", "berth", "--features", "serve", "--target", target])
            .env("CARGO_ENCODED_RUSTFLAGS", remaps()?.join("\u{1f}")),
    )?;
    let name = format!("berth{}", std::env::consts::EXE_SUFFIX);
    Ok(target_dir().join(target).join("release").join(name))
}

/// The target of this machine.
fn host() -> Result<String> {
    let about = output(program("rustc").arg("--version").arg("--verbose"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string)
        .ok_or_else(|| "rustc does not name its host".to_string())
}

/// Whether the standard library of a target is there.
fn is_installed(target: &str) -> Result<bool> {
    let sysroot = output(program("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(target);
    Ok(library.join("lib").is_dir())
}

/// Writes the notices.
pub fn notices() -> Result {
    setup::for_page()?;
    write(&root().join(NOTICES), made("notices")?)
}

/// Prints the bill of materials.
pub fn sbom() -> Result {
    setup::for_page()?;
    print!("{}", made("sbom")?);
    Ok(())
}

/// The notices name exactly what the lock files do.
pub fn check_notices() -> Result {
    match read(&root().join(NOTICES))? == made("notices")? {
        true => Ok(()),
        false => Err(format!(
            "{NOTICES} is not of these lock files: run `cargo xtask notices`"
        )),
    }
}

fn made(what: &str) -> Result<String> {
    output(&mut node(&[INVENTORY, what]))
}

/// Flags of the compiler that keep the folders of this machine out of what it makes: those of Cargo's sources, of the
/// standard library and of the project.
pub fn remaps() -> Result<Vec<String>> {
    let sysroot = output(program("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
    let mut from = vec![(root(), "berth"), (library, "rust")];
    let sources = cargo_home().join("registry/src");
    let entries = std::fs::read_dir(&sources).map_err(|e| format!("{}: {e}", sources.display()))?;
    from.extend(entries.flatten().map(|entry| (entry.path(), "crates")));
    let flag = |(from, to): (PathBuf, &str)| format!("--remap-path-prefix={}={to}", from.display());
    Ok(from.into_iter().map(flag).collect())
}

/// That of the running Cargo.
fn cargo_home() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// An error if the released page names a folder of this machine.
pub fn page_names_no_place() -> Result {
    let folder = root().join(RELEASED);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    for path in paths.filter(|path| path.is_file()) {
        names_no_place(&path)?;
    }
    Ok(())
}

/// An error if a file names a folder of this machine: another machine would make another file.
fn names_no_place(path: &Path) -> Result {
    let bytes = bytes(path)?;
    for place in [root(), cargo_home()] {
        let place = place.display().to_string();
        let found = bytes
            .windows(place.len())
            .position(|it| it == place.as_bytes());
        if let Some(at) = found {
            let around = bytes.get(at..bytes.len().min(at + 120)).unwrap_or_default();
            let around = String::from_utf8_lossy(around);
            return Err(format!(
                "{} names a folder of this machine: {}",
                path.display(),
                around.escape_debug()
            ));
        }
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_names_a_folder_of_this_machine_is_refused() {
        let file = std::env::temp_dir().join(format!("berth-places-{}", std::process::id()));
        std::fs::write(&file, "\0crates/yew-0.23.0/src/lib.rs").unwrap();
        assert_eq!(names_no_place(&file), Ok(()));
        let own = root().join("src/lib.rs");
        std::fs::write(&file, format!("\0{}", own.display())).unwrap();
        assert!(names_no_place(&file).unwrap_err().contains("src/lib.rs"));
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn every_source_has_a_flag() {
        let flags = remaps().unwrap();
        assert!(flags.len() >= 3, "{flags:?}");
        assert!(flags.iter().all(|flag| !flag.contains(' ')), "{flags:?}");
    }
}
