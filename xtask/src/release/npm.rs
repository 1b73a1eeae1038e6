//! The npm packages: the engine for Node.js and browsers, and the adapters for documentation.

use crate::layout::PACKAGE;
use crate::process::{Result, cargo, node, output, program, read, root, run, target_dir, write};
use crate::tools::{WASM_FEATURES, WASM_TARGET};
use std::path::{Path, PathBuf};

/// The files of the engine's package besides the engine itself.
const FILES: &str = "packaging/npm";
const ADAPTERS: &str = "adapters/npm";
/// A script that uses the packed engine as its users do.
const USE: &str = "xtask/src/node/use-npm-package.mjs";
/// What the script is typed and bundled with.
const WITH: [&str; 3] = ["typescript@5.9.3", "vite@7.1.12", "@types/node@22.18.0"];

/// Packs both into `folder`, and returns the engine's file.
pub fn pack(folder: &Path) -> Result<PathBuf> {
    let package = target_dir().join("npm");
    if package.exists() {
        std::fs::remove_dir_all(&package).map_err(|e| format!("{}: {e}", package.display()))?;
    }
    copy_all(&root().join(FILES), &package)?;
    for name in ["LICENSE", "THIRD-PARTY.txt"] {
        write(&package.join(name), read(&root().join(name))?)?;
    }
    engine(&package)?;
    npm_pack(&root().join(ADAPTERS), folder)?;
    npm_pack(&package, folder)
}

/// Builds the engine, with the bindings of JavaScript. Not among what is built of the page, which may be built at the same
/// time and has files of the same names.
fn engine(package: &Path) -> Result {
    let target = target_dir().join("npm-build");
    run(cargo(&["build", "--locked", "--profile", "page", "--lib"])
        .args(["--package", PACKAGE, "--no-default-features"])
        .args(["--features", "js,cli", "--target", WASM_TARGET])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ENCODED_RUSTFLAGS", super::remaps()?.join("\u{1f}")))?;
    let built = target.join(WASM_TARGET).join("page/berth.wasm");
    run(program("wasm-bindgen")
        .args(["--target", "web", "--out-name", "berth", "--out-dir"])
        .args([package, &built]))?;
    let module = package.join("berth_bg.wasm");
    run(program("wasm-opt").arg("-Oz").args(WASM_FEATURES).args([
        &module,
        Path::new("-o"),
        &module,
    ]))?;
    super::names_no_place(&module)
}

fn npm_pack(package: &Path, folder: &Path) -> Result<PathBuf> {
    let about = read(&package.join("package.json"))?;
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    if !about.contains(&version) {
        return Err(format!("{}: the version is another", package.display()));
    }
    let mut pack = program("npm");
    pack.args(["pack", "--silent", "--pack-destination"]);
    let name = output(pack.arg(folder).current_dir(package))?;
    Ok(folder.join(name.trim()))
}

/// Installs the packed engine in an empty folder and uses it: types, Node.js, and a page that Vite bundles.
pub fn try_out(packed: &Path) -> Result {
    let folder = target_dir().join("npm-used");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    write(
        &folder.join("package.json"),
        "{\"private\": true, \"type\": \"module\"}\n",
    )?;
    run(program("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund"])
        .arg(packed)
        .args(WITH)
        .current_dir(&folder))?;
    run(node(&[USE])
        .arg(&folder)
        .env("BERTH_CHROMIUM", crate::chromium::chromium()?))
}

fn copy_all(from: &Path, to: &Path) -> Result {
    let entries = std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if let Some(name) = path.file_name() {
            write(&to.join(name), read(&path)?)?;
        }
    }
    Ok(())
}
