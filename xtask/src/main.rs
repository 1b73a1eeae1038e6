//! `cargo xtask`: everything a contributor does with Berth besides plain cargo.
//!
//! It has no dependencies of its own, so that the first command on a fresh
//! machine starts after a few seconds.

mod bench;
mod chromium;
mod corpus;
mod course;
mod fields;
mod first_module;
mod fuzz;
mod layout;
mod new;
mod packages;
mod parallel;
mod process;
mod release;
mod serve;
mod setup;
mod site;
mod size;
mod snapshots;
mod test;
mod tidy;
mod tools;

use process::Result;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  setup              install what building the page needs, in pinned versions
  serve [ARGS]       setup, then serve the page on 127.0.0.1:8080 with reload
                     (ARGS go to trunk, for example --open or --port 9000)
  serve --release DIR [--path /berth/] [--port 8080]
                     serve such a folder as a host would, on 127.0.0.1
  site [DIR] [--url URL]
                     the released page as a folder to publish (site), and as a zip
                     beside it; URL is where it will be
  course [DIR] [--url URL]
                     the page that begins with the course, and handouts, as a zip
                     for a stick in DIR (.); URL is for links on paper
  course [DIR] --scorm [--mastery PERCENT]
                     the course as a SCORM 1.2 package for an LMS
  test [all] [STEPS] setup, then the checks of a day, in 25 minutes, or with `all` every
                     one; only the named steps, if any are:
                     STEP_NAMES
  tidy               layer direction, file size and other project rules
  size               what a first visit downloads (release build), against its budget
  size functions [LIST]
                     the functions that a first visit downloads, by the last release
                     build; with an earlier target/split/first.txt, what changed
  bench [--native|--wasm] [ARGS]
                     scheduling speed, natively and in WebAssembly under Node
  fuzz [EVENTS [SEED]]
                     random lives of clusters with their invariants, until so many
                     events have happened (1000000)
  snapshots          write the digests, fingerprints and transcripts that tests
                     compare with, after a change on purpose
  release DIR        what is published, the same bytes wherever it is built: archives of
                     the command with the page in it (this machine's, static, and
                     kubectl's plugin with krew's manifest), npm packages, a Python wheel,
                     the page as a zip, notices, bill of materials, checksums
  notices            write THIRD-PARTY.txt from the lock files
  sbom               print the bill of materials (CycloneDX) of command and page
  corpus FOLDER [TEST]
                     pack a conformance folder ([CATEGORY/]NAME.yaml and .json)
                     for the test `conformance`, or another; of folders with a
                     case.yaml all files, for `verify`
  new plugin|verb|lesson|feature NAME
                     the files with which such a change begins, listed where they must be
  fields             write the descriptions of fields that the editor shows
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", [].as_slice()),
    };
    let outcome = match command {
        "setup" => setup::setup().map(|_| println!("Everything is in place.")),
        "serve" => match rest.split_first() {
            Some((first, rest)) if first == "--release" => site::host(rest),
            _ => serve::serve(rest),
        },
        "site" => site::site(rest),
        "course" => course::course(rest),
        "test" => test::test(rest),
        "tidy" => tidy::tidy(),
        "size" => match rest.split_first() {
            Some((what, rest)) if what == "functions" => first_module::print(rest),
            _ => size::build_and_measure(),
        },
        "bench" => bench::bench(rest),
        "fields" => fields::fields(),
        "fuzz" => fuzz::fuzz(rest),
        "new" => new::new(rest),
        "snapshots" => snapshots::snapshots(),
        "release" => release::release(rest),
        "notices" => release::notices(),
        "sbom" => release::sbom(),
        "corpus" => corpus::pack(rest),
        "help" | "-h" | "--help" => {
            print!("{}", HELP.replace("STEP_NAMES", &test::step_names()));
            Ok(())
        }
        unknown => Err(format!(
            "there is no command `{unknown}`; `cargo xtask help` lists them"
        )),
    };
    finish(outcome)
}

fn finish(outcome: Result) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // An empty reason: the messages have been printed.
            if !reason.is_empty() {
                eprintln!("error: {reason}");
            }
            ExitCode::FAILURE
        }
    }
}
