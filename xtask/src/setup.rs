//! `cargo xtask setup`: installs missing tools and reports each; a second run
//! does nothing.

use crate::process::{Result, ask, cargo, output, program, read, root, run, target_dir, write};
use crate::tools::{NODE_MAJOR, TRUNK, WASM_BINDGEN, WASM_TARGET, tools_dir};
use std::fs::File;
use std::path::PathBuf;

/// How the tools are compiled. Their own release profiles optimize across all crates: 14 minutes of CPU time, against 8
/// with these settings.
const TOOL_PROFILE: [(&str, &str); 6] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
    ("CARGO_PROFILE_RELEASE_STRIP", "symbols"),
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
];

/// The crates that do most of the tools' work are optimized: reading and writing WebAssembly, and hashing it.
const BINDGEN_OPTIMIZED: [&str; 4] = [
    "id-arena",
    "walrus",
    "wasm-bindgen-cli-support",
    "wasmparser",
];
const TRUNK_OPTIMIZED: [&str; 2] = ["seahash", "sha2"];

/// Installs everything that building and testing the page needs, except a browser.
pub fn setup() -> Result {
    rust_components()?;
    for_page()
}

/// Installs what building the page needs. Waits for another process that does.
pub fn for_page() -> Result {
    let _other = others_end()?;
    node_is_there()?;
    wasm_target()?;
    npm_packages()?;
    let bindgen = ("wasm-bindgen-cli", WASM_BINDGEN);
    cargo_tool("wasm-bindgen", bindgen, &BINDGEN_OPTIMIZED)?;
    cargo_tool("trunk", ("trunk", TRUNK), &TRUNK_OPTIMIZED)?;
    forget_build_folder();
    Ok(())
}

/// A lock that no other process holds, until it is dropped.
fn others_end() -> Result<File> {
    let path = target_dir().join("setup.lock");
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(target_dir()).map_err(failed)?;
    let file = File::create(&path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

fn node_is_there() -> Result {
    let advice = format!("install Node.js {NODE_MAJOR} or newer (with npm) and run again");
    let Some(version) = ask(program("node").arg("--version")) else {
        return Err(format!("Node.js is missing: {advice}"));
    };
    match node_major(&version) {
        Some(major) if major >= NODE_MAJOR => {}
        _ => return Err(format!("Node.js {version} is too old: {advice}")),
    }
    match ask(program("npm").arg("--version")) {
        Some(_) => Ok(()),
        None => Err(format!("npm is missing: {advice}")),
    }
}

fn node_major(version: &str) -> Option<u32> {
    version
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// Adds rustfmt and clippy, which a minimal installation lacks.
pub fn rust_components() -> Result {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if ask(&mut cargo(&[subcommand, "--version"])).is_some() {
            continue;
        }
        println!("Adding {component} to Rust…");
        run(program("rustup").args(["component", "add", component])).map_err(|_| {
            format!("{component} is missing: run `rustup component add {component}` and run again")
        })?;
    }
    Ok(())
}

fn wasm_target() -> Result {
    if wasm_target_folder().is_some_and(|folder| folder.is_dir()) {
        return Ok(());
    }
    println!("Adding the compiler target {WASM_TARGET}…");
    run(program("rustup").args(["target", "add", WASM_TARGET])).map_err(|_| {
        format!(
            "the compiler target {WASM_TARGET} is missing: install Rust with rustup \
             (or your distribution's package for this target) and run again"
        )
    })
}

fn wasm_target_folder() -> Option<PathBuf> {
    ask(program("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]))
        .map(PathBuf::from)
}

/// Runs `npm ci`, unless node_modules was installed from exactly this lock file.
fn npm_packages() -> Result {
    let lock = read(&root().join("package-lock.json"))?;
    let stamp = root().join("node_modules").join(".berth-lock.json");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("Installing the npm packages (wasm-opt, the editor and the browser driver)…");
    run(program("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])).map_err(
        |_| "`npm ci` failed (its message is above): is the npm registry reachable?".to_string(),
    )?;
    write(&stamp, lock)
}

/// Installs a program into `.tools` with cargo, unless exactly this version is available.
fn cargo_tool(name: &str, (package, version): (&str, &str), optimized: &[&str]) -> Result {
    if has_version(name, version) {
        return Ok(());
    }
    println!("Installing {package} {version} (once, some minutes)…");
    let tools = tools_dir();
    let mut install = cargo(&["install", "--locked", "--version", version, "--root"]);
    install.arg(&tools).arg(package);
    // Leaves out TLS and the check for later versions: neither is used here.
    install.arg("--no-default-features");
    // One build folder for all tools: shared dependencies are compiled once, and an interrupted installation
    // resumes.
    install.env("CARGO_TARGET_DIR", build_folder());
    install.env("CARGO_INCREMENTAL", "0").envs(TOOL_PROFILE);
    install.env_remove("RUSTFLAGS");
    for package in optimized {
        let setting = format!("profile.release.package.{package}.opt-level=2");
        install.args(["--config", &setting]);
    }
    run(&mut install).map_err(|reason| {
        format!("{package} {version} could not be installed: {reason} (its message is above)")
    })?;
    if has_version(name, version) {
        Ok(())
    } else {
        Err(format!(
            "{package} {version} was installed but does not run"
        ))
    }
}

fn has_version(name: &str, version: &str) -> bool {
    let answer = ask(program(name).arg("--version"));
    answer.is_some_and(|text| text.split_whitespace().nth(1) == Some(version))
        && (name != "wasm-bindgen"
            || output(program("wasm-bindgen-test-runner").arg("--version")).is_ok())
}

fn build_folder() -> PathBuf {
    tools_dir().join("build")
}

/// Removes the build folder, about a gigabyte that installed tools do not need. A failure is harmless.
fn forget_build_folder() {
    let folder = build_folder();
    if folder.is_dir() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::node_major;

    #[test]
    fn reads_the_version_of_node() {
        assert_eq!(node_major("v20.20.2"), Some(20));
        assert_eq!(node_major("nonsense"), None);
    }
}
