//! `cargo xtask serve`: the page on this machine, rebuilt when a file changes.

use crate::layout::page_sources;
use crate::process::{Result, program, root, run, target_dir};
use crate::setup;
use std::process::{Command, Stdio};

const ADDRESS: &str = "127.0.0.1";
const PORT: &str = "8080";

/// Sets up, builds and serves until interrupted. `args` go to trunk.
pub fn serve(args: &[String]) -> Result {
    setup::for_page()?;
    let names = |short: &str, long: &str| {
        args.iter()
            .any(|arg| arg == short || arg == long || arg.starts_with(&format!("{long}=")))
    };
    let mut serve = trunk("serve");
    if !names("-a", "--address") {
        serve.args(["--address", ADDRESS]);
    }
    if !names("-p", "--port") {
        serve.args(["--port", PORT]);
        println!("Building; then the page is on http://{ADDRESS}:{PORT}/ (Ctrl-C ends it).");
    }
    // Not the released page's folder, so that `size` and `test` may run at the same time.
    serve.arg("--dist").arg(target_dir().join("serve"));
    // Watch only sources: Trunk's watcher panics when a folder that it watches is replaced, as every release build
    // does with its output.
    if !names("-w", "--watch") {
        for path in page_sources(&root()) {
            serve.arg("--watch").arg(path);
        }
    }
    run(serve.args(args).stdin(Stdio::inherit()))
}

/// `trunk SUBCOMMAND` without its version check. [`program`] puts its helpers on PATH, so it downloads nothing.
pub fn trunk(subcommand: &str) -> Command {
    let mut trunk = program("trunk");
    trunk
        .arg("--skip-version-check")
        .arg(subcommand)
        // Some machines set NO_COLOR=1, which trunk rejects as an invalid value of its option.
        .env_remove("NO_COLOR");
    trunk
}
