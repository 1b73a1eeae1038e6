//! The packages that other programs can use: packs them, and tests them from what was packed.

use crate::process::{Result, cargo, root, run};
use crate::release::{npm, wheel};
use crate::setup;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The scheduler and the crates that it needs.
const PUBLISHED: [&str; 3] = ["berth-base", "berth-protocol", "berth-scheduler"];

/// Packs all of them, and uses what was packed.
pub fn check() -> Result {
    setup::for_page()?;
    let folder = root().join("target/packages/made");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    npm::try_out(&npm::pack(&folder)?)?;
    wheel::try_out(&wheel::build(&folder)?)?;
    scheduler()
}

/// Packs the scheduler, and runs its tests in a workspace of the packed files alone.
fn scheduler() -> Result {
    let folder = root().join("target/packages");
    let mut pack = cargo(&["package", "--allow-dirty", "--no-verify"]);
    // The index does not have them, so their versions cannot be locked.
    pack.arg("--exclude-lockfile");
    pack.arg("--target-dir").arg(&folder);
    PUBLISHED.iter().for_each(|name| {
        pack.args(["--package", name]);
    });
    run(&mut pack)?;
    let packed = folder.join("package");
    let mut members = Vec::new();
    for name in PUBLISHED {
        let stem = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let file = packed.join(format!("{stem}.crate"));
        run(Command::new("tar")
            .arg("-xzf")
            .arg(file)
            .current_dir(&packed))?;
        members.push((name, stem));
    }
    write_workspace(&packed, &members)?;
    run(cargo(&[
        "test",
        "--package",
        "berth-scheduler",
        "--tests",
        "--examples",
    ])
    .arg("--manifest-path")
    .arg(packed.join("Cargo.toml"))
    .arg("--target-dir")
    .arg(&folder))
}

/// A workspace in which the packages find each other, and nothing else of this project.
fn write_workspace(folder: &Path, members: &[(&str, String)]) -> Result {
    let mut text = String::from("[workspace]\nresolver = \"3\"\nmembers = [");
    for (_, stem) in members {
        let _ = write!(text, "\"{stem}\", ");
    }
    text.push_str("]\n\n[patch.crates-io]\n");
    for (name, stem) in members {
        let _ = writeln!(text, "{name} = {{ path = \"{stem}\" }}");
    }
    let file = folder.join("Cargo.toml");
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))
}
