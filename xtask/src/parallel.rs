//! A step of `cargo xtask test` that runs in parallel with the others, in a process of its own.

use crate::process::{Result, target_dir};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A step that has been started. Its output goes to a file until it ends.
pub struct ParallelStep {
    step: &'static str,
    child: Child,
    log: PathBuf,
}

/// Starts `cargo xtask test STEP`.
pub fn start(step: &'static str) -> Result<ParallelStep> {
    let program = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let log = target_dir().join(format!("xtask-{step}.log"));
    let named = |e: std::io::Error| format!("{}: {e}", log.display());
    let file = File::create(&log).map_err(named)?;
    let both = file.try_clone().map_err(named)?;
    let child = Command::new(program)
        .args(["test", step])
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(both)
        .spawn()
        .map_err(|e| format!("the step `{step}` could not be started: {e}"))?;
    Ok(ParallelStep { step, child, log })
}

impl ParallelStep {
    /// Waits for the step to end and prints its output.
    pub fn finish(mut self) -> Result {
        let status = self.child.wait();
        print!("{}", std::fs::read_to_string(&self.log).unwrap_or_default());
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err("its messages are above".to_string()),
            Err(error) => Err(format!("`{}` could not be awaited: {error}", self.step)),
        }
    }
}
