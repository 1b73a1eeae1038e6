//! The Python wheel of the engine.

use crate::process::{Result, program, read, root, run, target_dir, write};
use crate::tools::tools_dir;
use std::path::{Path, PathBuf};

const FOLDER: &str = "packaging/python";
const CRATE: &str = "packaging/python/Cargo.toml";
const MATURIN: &str = "maturin==1.9.6";
/// A script that uses the installed wheel as its users do.
const USE: &str = "packaging/python/tests/use.py";

/// Builds it into `folder`, for this machine's platform and every Python from 3.10 on.
pub fn build(folder: &Path) -> Result<PathBuf> {
    let python = environment(&tools_dir().join("maturin"), &[MATURIN])?;
    // Its own workspace, in which compiled dependencies are shared with nobody.
    for name in ["LICENSE", "THIRD-PARTY.txt"] {
        write(&root().join(FOLDER).join(name), read(&root().join(name))?)?;
    }
    run(program(python)
        .args([
            "-m",
            "maturin",
            "build",
            "--release",
            "--locked",
            "--manifest-path",
            CRATE,
        ])
        .args(["--auditwheel", "skip", "--out"])
        .arg(folder)
        .current_dir(root())
        .env("CARGO_TARGET_DIR", target_dir().join("python"))
        .env("CARGO_ENCODED_RUSTFLAGS", super::remaps()?.join("\u{1f}")))?;
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut wheels = entries.flatten().map(|entry| entry.path());
    let stem = format!("kube_berth-{}-", env!("CARGO_PKG_VERSION"));
    let name = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let wheel = wheels.find(|path| name(path).is_some_and(|name| name.starts_with(&stem)));
    wheel.ok_or_else(|| format!("maturin made no {stem}*.whl"))
}

/// Installs the wheel in an empty environment and uses it.
pub fn try_out(wheel: &Path) -> Result {
    let folder = target_dir().join("wheel-used");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let python = environment(&folder, &[&wheel.display().to_string()])?;
    run(program(python).arg(root().join(USE)).current_dir(&folder))
}

/// A virtual environment with these packages, made anew unless it has them.
fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|it| it == wanted) {
        return Ok(python);
    }
    run(program("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder))?;
    run(program(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-input"])
        .arg("--disable-pip-version-check")
        .args(packages))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}
