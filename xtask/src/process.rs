//! Running other programs: always from the project's root, with the pinned
//! tools first in PATH, and with errors that fit on one line.

use crate::layout::ENGINE;
use crate::tools;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error is one line for the person at the terminal.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The project's root folder.
pub fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map(Path::to_path_buf).unwrap_or(xtask)
}

/// Cargo's target folder, wherever it is configured to be: this program is in
/// `TARGET/debug/`.
pub fn target_dir() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|exe| exe.parent()?.parent().map(Path::to_path_buf))
        .unwrap_or_else(|| root().join("target"))
}

/// A command with the settings that all commands share.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let name = name.as_ref();
    // A full path: the PATH set below is for the child and need not locate the child itself.
    let found = tools::find_on_path(name).unwrap_or_else(|| PathBuf::from(name));
    let mut command = Command::new(found);
    command
        .current_dir(root())
        .env("PATH", tools::search_path())
        .stdin(Stdio::null());
    // These describe the package `xtask`.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
        command.env_remove(name);
    }
    command
}

/// `cargo ARGS`.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// `cargo test ARGS` with the engine at optimization level 1: random lives run five times as fast, the corpora in
/// WebAssembly eight times, and arithmetic overflow still panics. Plain `cargo test` compiles faster; both share the
/// build of everything else.
pub fn cargo_test(args: &[&str]) -> Command {
    cargo_test_with(&ENGINE, args)
}

/// The same with these packages optimized.
pub fn cargo_test_with(optimized: &[&str], args: &[&str]) -> Command {
    let mut command = cargo(&["test", "--locked"]);
    command.args(args);
    for package in optimized {
        let setting = format!("profile.test.package.{package}.opt-level=1");
        command.args(["--config", &setting]);
    }
    // Compiles faster. A panic names its line anyway.
    command.env("CARGO_PROFILE_TEST_DEBUG", "none");
    command
}

/// Lints what a command of cargo compiles, and denies warnings: as `cargo clippy` does, but the same compilation continues
/// to a program.
pub fn linted(command: &mut Command) -> &mut Command {
    command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .env("CLIPPY_ARGS", format!("-Dwarnings{CLIPPY_SEPARATOR}"))
}

/// Ends each of Clippy's flags in its environment variable.
const CLIPPY_SEPARATOR: &str = "__CLIPPY_HACKERY__";

/// `node ARGS`.
pub fn node(args: &[&str]) -> Command {
    let mut command = program("node");
    command.args(args);
    command
}

/// Runs a command with its output on the terminal; an error if it fails.
pub fn run(command: &mut Command) -> Result {
    let status = command
        .status()
        .map_err(|e| format!("{} could not be started: {e}", describe(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} ended with {status}", describe(command)))
    }
}

/// Runs a command and returns its standard output; an error if it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{} could not be started: {e}", describe(command)))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!(
            "{} ended with {}",
            describe(command),
            output.status
        ))
    }
}

/// The trimmed output of a query such as `--version`; `None` if the program is missing
/// or fails.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The program's name and first arguments, for messages.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program
        .file_stem()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for arg in command.get_args().take(4) {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    format!("`{text}`")
}

/// Reads a file of the project.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file, and its folder if that is missing.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, content).map_err(|e| format!("{}: {e}", path.display()))
}
