//! `cargo xtask test`: runs every check, one step after the other; a failed step does not stop the next.
//!
//! Daily work is held in 25 minutes on two idle cores. `cargo xtask test all` adds what takes longer: tests marked
//! `#[ignore]`, more random lives, every question about large dumps, WebAssembly under Node.js, the packages
//! for Rust, JavaScript and Python, and the browser tests in `tests/browser/long`.
//!
//! Compiling takes most of the time, so steps share builds. Native code is linted while it is compiled for its tests, once
//! for unit tests and integration tests. The set-up, the page's release build, mostly single-threaded links, and its
//! measurement run in parallel with the steps before them: the tests in WebAssembly wait for no more than the set-up.
//! Lints run natively only: a handful of lines are compiled for WebAssembly alone, and the page's build denies warnings.

use crate::layout::{BUSIEST, ENGINE, FEATURES, PACKAGE, RELEASED, TESTS};
use crate::process::{Result, cargo, cargo_test, cargo_test_with, linted, node, root, run};
use crate::serve::trunk;
use crate::tools::WASM_TARGET;
use crate::{chromium, fuzz, packages, parallel, release, setup, size, tidy, tools};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    Daily,
    All,
}

struct Step {
    name: &'static str,
    title: &'static str,
    /// It runs at this extent and above, or when it is named.
    extent: Extent,
    run: fn(Extent) -> Result,
}

/// The argument that asks for [`Extent::All`].
const ALL: &str = "all";

/// The first of the steps that need what `cargo xtask setup` installs.
const PAGE: &str = "page";

/// The steps that run in parallel with those before them.
const PARALLEL: [&str; 2] = [PAGE, "size"];

/// All steps in order: quick ones that fail often come first.
const STEPS: [Step; 8] = [
    Step {
        name: "format",
        title: "Formatting",
        extent: Extent::Daily,
        run: |_| run(&mut cargo(&["fmt", "--all", "--check"])),
    },
    Step {
        name: "tidy",
        title: "Tidy",
        extent: Extent::Daily,
        run: |_| tidy::tidy(),
    },
    Step {
        name: "native",
        title: "Lints and native tests",
        extent: Extent::Daily,
        run: native_tests,
    },
    Step {
        name: "packages",
        title: "The packages, from what was packed",
        extent: Extent::All,
        run: |_| packages::check(),
    },
    Step {
        name: "wasm",
        title: "Tests in WebAssembly under Node.js",
        extent: Extent::All,
        run: |_| wasm_tests(),
    },
    Step {
        name: PAGE,
        title: "Release build of the page",
        extent: Extent::Daily,
        run: |extent| {
            build_page()?;
            if extent == Extent::All {
                chromium::other_engines();
            }
            Ok(())
        },
    },
    Step {
        name: "size",
        title: "Size of a first visit",
        extent: Extent::Daily,
        run: |_| size::measure(),
    },
    Step {
        name: "browser",
        title: "The page in a real browser",
        extent: Extent::Daily,
        run: browser_tests,
    },
];

/// Lints all native code and runs all native tests but doc tests: there are none. One build serves unit tests and
/// integration tests. Of a day it optimizes no more than what most of their time is spent in.
fn native_tests(extent: Extent) -> Result {
    let optimized: &[&str] = match extent {
        Extent::Daily => &BUSIEST,
        Extent::All => &ENGINE,
    };
    let targets = ["--workspace", "--lib", "--bins", "--test", TESTS];
    let mut tests = cargo_test_with(optimized, &targets);
    tests.args(["--no-fail-fast", "--features", FEATURES]);
    if extent == Extent::All {
        fuzz::more(&mut tests);
    }
    run(linted(&mut tests))?;
    // A workspace of its own, built in release mode to share the build with that of the page.
    run(cargo(&["test", "--locked", "--release"])
        .args(["--manifest-path", "xtask/split/Cargo.toml"])
        .args(["--target-dir", "target/split"]))
}

/// The steps' names, for help and errors.
pub fn step_names() -> String {
    STEPS.map(|step| step.name).join(" ")
}

/// Runs the steps of a day or, after `all`, of all; or those that `arguments` name.
pub fn test(arguments: &[String]) -> Result {
    let (extent, names) = match arguments.split_first() {
        Some((first, names)) if first == ALL => (Extent::All, names),
        _ => (Extent::Daily, arguments),
    };
    if let Some(unknown) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != **name))
    {
        return Err(format!(
            "there is no step `{unknown}`; there are, after `{ALL}` or without it: {}",
            step_names()
        ));
    }
    let chosen = |step: &&Step| match names {
        [] => step.extent <= extent,
        _ => names.iter().any(|name| name == step.name),
    };
    setup::rust_components()?;
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();
    // Without an earlier step there is nothing to run in parallel with.
    let parallel: Vec<&str> = match steps.first() {
        Some(first) if !needs_tools(first) => PARALLEL
            .into_iter()
            .filter(|name| steps.iter().any(|step| step.name == *name))
            .collect(),
        _ => Vec::new(),
    };
    let mut started = None;
    if !parallel.is_empty() {
        // That process sets up as well.
        let all = (extent == Extent::All).then_some(ALL);
        let arguments: Vec<&str> = all.into_iter().chain(parallel.iter().copied()).collect();
        started = Some(parallel::start(&arguments)?);
    } else if steps.iter().any(|step| needs_tools(step)) {
        setup::for_page()?;
    }
    let mut done = Vec::new();
    for step in steps {
        let is_parallel = parallel.contains(&step.name);
        let awaited = started.take_if(|_| is_parallel);
        if is_parallel && awaited.is_none() {
            // The outcome of the first of them was that of all.
            continue;
        }
        println!("\n=== {}: {} ===", step.name, step.title);
        let start = Instant::now();
        let outcome = match awaited {
            Some(started) => started.finish(),
            None => (step.run)(extent),
        };
        let time = start.elapsed();
        match &outcome {
            Ok(()) => println!("--- {}: ok, {}", step.name, seconds(time)),
            Err(reason) => println!("--- {}: FAILED, {}: {reason}", step.name, seconds(time)),
        }
        done.push((step.name, outcome, time));
    }
    summary(&done)
}

/// Whether a step needs what `cargo xtask setup` installs.
fn needs_tools(step: &Step) -> bool {
    STEPS
        .iter()
        .skip_while(|first| first.name != PAGE)
        .any(|later| later.name == step.name)
}

fn summary(done: &[(&str, Result, Duration)]) -> Result {
    println!("\nSummary");
    for (name, outcome, time) in done {
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        let reason = outcome.as_ref().err().map_or("", String::as_str);
        let line = format!(
            "  {verdict:<6}  {name:<11}  {:>9}  {reason}",
            seconds(*time)
        );
        println!("{}", line.trim_end());
    }
    let failed = done
        .iter()
        .filter(|(_, outcome, _)| outcome.is_err())
        .count();
    println!("{} passed, {failed} failed", done.len() - failed);
    if failed == 0 {
        Ok(())
    } else {
        Err(String::new())
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Runs the tests of [`TESTS`] that are marked `#[portable]`, and those of the JavaScript API, in Node.js. Daily, the
/// browser test `same` compares the two builds.
fn wasm_tests() -> Result {
    // Waits for the step [`PAGE`], which may still be setting up.
    setup::for_page()?;
    let runner = tools::find_on_path(OsStr::new("wasm-bindgen-test-runner"))
        .ok_or("wasm-bindgen-test-runner is missing: run `cargo xtask setup`")?;
    run(cargo_test(&["--package", PACKAGE])
        .args(["--target", WASM_TARGET, "--no-default-features"])
        .args(["--features", "js", "--test", TESTS])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner))
}

/// The first denies warnings. The next two make the page smaller under brotli, and no slower: less inlining than LLVM's
/// cost model chooses, and strings compared by calling `memcmp` rather than inline, eight bytes at a time. The last
/// records constants and their addresses for `xtask/split`, which removes the records.
const PAGE_FLAGS: &str = "-Dwarnings -Cllvm-args=-inline-threshold=20 \
    -Cllvm-args=-max-loads-per-memcmp-opt-size=1 \
    -Clink-arg=--emit-relocs";

/// Builds `dist/` as it is published. The split into two parts runs the page in a browser.
pub fn build_page() -> Result {
    release::check_notices()?;
    let flags = [vec![PAGE_FLAGS.to_owned()], release::remaps()?].concat();
    run(trunk("build")
        .args(["--release", "--locked"])
        .env("BERTH_CHROMIUM", chromium::chromium()?)
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            flags.join(" "),
        ))?;
    release::page_names_no_place()
}

/// Runs the browser tests of [`BROWSER`] and, of all, those of its folder `long`.
fn browser_tests(extent: Extent) -> Result {
    let dist = root().join(RELEASED).join("index.html");
    if !dist.is_file() {
        return Err("the page is not built: run the step `page` first".to_string());
    }
    let folder = root().join(BROWSER);
    let mut files = test_files(&folder)?;
    if extent == Extent::All {
        files.extend(test_files(&folder.join("long"))?);
    }
    let browser = chromium::chromium()?;
    let Err((failed, reason)) = run_files(&browser, &files) else {
        return Ok(());
    };
    if failed.is_empty() || failed.len() > MOST_REPEATED {
        return Err(reason);
    }
    println!("\nOnce more, each alone: {} failed", failed.len());
    for (file, pattern) in failed {
        let pattern = format!("--test-name-pattern={pattern}");
        run(node(&["--test", FORCE_EXIT, "--test-concurrency=1"])
            .args([pattern.as_str(), "--test-reporter=spec", &file])
            .env("BERTH_CHROMIUM", &browser))?;
        println!("--- FLAKY: failed, then passed: {file} {pattern}");
    }
    Ok(())
}

/// The folder of the browser tests, from the project's root.
const BROWSER: &str = "tests/browser";

/// The tests in a folder, sorted.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    match files.as_slice() {
        [] => Err(format!("{} holds no tests", folder.display())),
        _ => Ok(files),
    }
}

/// Files and patterns of the tests that failed, and the failure in words.
type Failure = (Vec<(String, String)>, String);

/// Runs the tests of `files`, two files at a time: two browsers keep two cores busy, and more only make each other slow.
/// Tests that measure time run beside others too: they count CPU time, take the best of several tries, and compare it
/// with a fixed piece of work.
fn run_files(browser: &Path, files: &[PathBuf]) -> std::result::Result<(), Failure> {
    let list = root().join("target").join("failed-tests");
    let destination = |file: String| format!("--test-reporter-destination={file}");
    run(node(&["--test", FORCE_EXIT, "--test-concurrency=2"])
        .args([
            "--test-reporter=spec".to_owned(),
            destination("stdout".to_owned()),
        ])
        .arg(format!(
            "--test-reporter={}",
            root().join("xtask/src/node/failed.mjs").display()
        ))
        .arg(destination(list.display().to_string()))
        .args(files)
        .env("BERTH_CHROMIUM", browser))
    .map_err(|reason| {
        let failed = std::fs::read_to_string(&list).unwrap_or_default();
        let failed = failed
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(file, pattern)| (file.to_owned(), pattern.to_owned()));
        (failed.collect(), reason)
    })
}

/// What a test that timed out left running must not keep its file's process from ending.
const FORCE_EXIT: &str = "--test-force-exit";

/// Failed tests of the browser that are run once more, each alone, since a loaded machine stalls a browser for many
/// seconds. More failures than these have another cause. A test that passes then is printed as flaky.
const MOST_REPEATED: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_named() {
        let error = test(&["nativ".to_string()]).unwrap_err();
        assert!(
            error.contains("`nativ`") && error.contains("native"),
            "{error}"
        );
    }

    #[test]
    fn one_failure_fails_the_whole() {
        let ok = ("a", Ok(()), Duration::ZERO);
        let bad = ("b", Err("why".to_string()), Duration::ZERO);
        assert!(summary(std::slice::from_ref(&ok)).is_ok());
        assert!(summary(&[ok, bad]).is_err());
    }
}
