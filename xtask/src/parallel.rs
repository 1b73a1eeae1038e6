//! Steps of `cargo xtask test` that run in parallel with the others, in a process of their own.

use crate::process::{Result, target_dir};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Steps that have been started. Their output goes to a file until they end.
pub struct ParallelSteps {
    names: String,
    child: Child,
    log: PathBuf,
}

/// Starts `cargo xtask test ARGUMENTS`.
pub fn start(arguments: &[&str]) -> Result<ParallelSteps> {
    let program = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let names = arguments.join(" ");
    let log = target_dir().join("xtask-parallel.log");
    let named = |e: std::io::Error| format!("{}: {e}", log.display());
    let file = File::create(&log).map_err(named)?;
    let both = file.try_clone().map_err(named)?;
    let child = Command::new(program)
        .arg("test")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(both)
        .spawn()
        .map_err(|e| format!("`{names}` could not be started: {e}"))?;
    Ok(ParallelSteps { names, child, log })
}

impl ParallelSteps {
    /// Waits for the steps to end and prints their output.
    pub fn finish(mut self) -> Result {
        let status = self.child.wait();
        print!("{}", std::fs::read_to_string(&self.log).unwrap_or_default());
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err("its messages are above".to_string()),
            Err(error) => Err(format!("`{}` could not be awaited: {error}", self.names)),
        }
    }
}
