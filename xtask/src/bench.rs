//! `cargo xtask bench`: scheduling speed, natively and in WebAssembly.

use crate::process::{Result, cargo, node, program, run, target_dir, write};
use crate::setup::setup;
use crate::tools::{WASM_FEATURES, WASM_TARGET};

const USAGE: &str = "usage: cargo xtask bench [--native|--wasm] [ARGS]";

/// Runs both benchmarks, or only the selected one; all other arguments go to the benchmark.
pub fn bench(args: &[String]) -> Result {
    if args.iter().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    let only_native = args.iter().any(|arg| arg == "--native");
    let only_wasm = args.iter().any(|arg| arg == "--wasm");
    let rest: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| !["--native", "--wasm"].contains(arg))
        .collect();
    if !only_wasm || only_native {
        println!("=== native ===");
        native(&rest)?;
    }
    if !only_native || only_wasm {
        println!("=== WebAssembly under Node.js, one thread ===");
        wasm(&rest)?;
    }
    Ok(())
}

fn native(args: &[&str]) -> Result {
    run(cargo(&[
        "run",
        "--release",
        "--quiet",
        "--bin",
        "berth",
        "--",
        "bench",
    ])
    .args(args))
}

/// The library as a Node.js module, optimized for speed, in `target/bench`.
fn wasm(args: &[&str]) -> Result {
    setup()?;
    let target = target_dir();
    let folder = target.join("bench");
    let build = [
        "build",
        "--release",
        "--quiet",
        "--package",
        "berth",
        "--lib",
    ];
    run(cargo(&build)
        .args(["--target", WASM_TARGET, "--no-default-features"])
        .args(["--features", "js"])
        .env("CARGO_TARGET_DIR", &target))?;
    let compiled = target.join(WASM_TARGET).join("release").join("berth.wasm");
    run(program("wasm-bindgen")
        .args(["--target", "nodejs", "--no-typescript"])
        .args(["--out-name", "berth", "--out-dir"])
        .arg(&folder)
        .arg(compiled))?;
    // wasm-bindgen writes CommonJS for Node.js, whatever module type a package.json further up declares.
    write(&folder.join("package.json"), "{\"type\":\"commonjs\"}\n")?;
    let module = folder.join("berth_bg.wasm");
    run(program("wasm-opt")
        .arg("-O3")
        .args(WASM_FEATURES)
        .arg(&module)
        .arg("-o")
        .arg(&module))?;
    let script = include_str!("node/bench.mjs");
    run(node(&["--input-type=module", "--eval", script, "--"])
        .arg(folder.join("berth.js"))
        .args(args))
}
