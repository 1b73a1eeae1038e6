//! Finds the browsers for the tests, and installs them where apt can.

use crate::process::{Result, ask, program, run};
use crate::tools::find_on_path;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Environment variables that may name the browser, the most specific first.
const VARIABLES: [&str; 3] = ["BERTH_CHROMIUM", "CHROME", "CHROME_BIN"];

/// Chromium without a window, tabs and tool bars, in Debian's package of the same name. Tests take half the CPU time in
/// it: a whole browser draws its own tool bars for each page, even when it is headless.
const SHELL: &str = "chromium-headless-shell";

/// A whole Chromium, in Debian's package of the same name.
const CHROMIUM: &str = "chromium";

const NAMES: [&str; 5] = [
    CHROMIUM,
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Programs of the other engines' tests, with Debian's packages.
const OTHER_ENGINES: [(&str, &str); 3] = [
    ("firefox-esr", "firefox-esr"),
    ("WebKitWebDriver", "webkit2gtk-driver"),
    ("Xvfb", "xvfb"),
];

const USUAL_PLACES: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/// The browser's program, installed with apt if it is missing and apt is usable.
pub fn chromium() -> Result<PathBuf> {
    for variable in VARIABLES {
        if let Some(path) = std::env::var_os(variable).map(PathBuf::from) {
            return if path.is_file() {
                Ok(path)
            } else {
                Err(format!(
                    "{variable} names {}, which is no file",
                    path.display()
                ))
            };
        }
    }
    if let Some(path) = find_on_path(OsStr::new(SHELL)) {
        return Ok(path);
    }
    if may_use_apt() {
        install_with_apt()?;
    }
    find().ok_or_else(|| {
        "Chromium is missing: install Chromium or Google Chrome, or set BERTH_CHROMIUM to its \
         program, and run again"
            .to_string()
    })
}

fn find() -> Option<PathBuf> {
    let mut names = [SHELL].into_iter().chain(NAMES);
    let named = names.find_map(|name| find_on_path(OsStr::new(name)));
    let usual = || {
        USUAL_PLACES
            .iter()
            .map(PathBuf::from)
            .find(|path| path.is_file())
    };
    named.or_else(usual)
}

/// Installs Firefox and WebKit with apt if they are missing and apt is usable. Without them their smoke tests are
/// skipped, so a failure is only reported.
pub fn other_engines() {
    let is_missing = |(program, _): &&(&str, &str)| find_on_path(OsStr::new(program)).is_none();
    let packages: Vec<&str> = OTHER_ENGINES
        .iter()
        .filter(is_missing)
        .map(|(_, package)| *package)
        .collect();
    if packages.is_empty() || !may_use_apt() {
        return;
    }
    println!("Installing {} with apt (once)…", packages.join(", "));
    let install = [
        &["install", "-y", "-qq", "--no-install-recommends"][..],
        &packages,
    ]
    .concat();
    if let Err(reason) = apt(&["update", "-qq"]).and_then(|()| apt(&install)) {
        println!("Not installed, so their tests are skipped: {reason}");
    }
}

/// Whether this is Debian or a derivative, running as root.
fn may_use_apt() -> bool {
    Path::new("/etc/debian_version").exists()
        && find_on_path(OsStr::new("apt-get")).is_some()
        && ask(program("id").arg("-u")).is_some_and(|id| id == "0")
}

fn apt(args: &[&str]) -> Result {
    run(program("apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Installs [`SHELL`]; where Debian's release does not have it, a whole Chromium, unless there is one.
fn install_with_apt() -> Result {
    println!("Installing Chromium with apt (once, about a minute)…");
    let install = |package| apt(&["install", "-y", "-qq", package]);
    let installed =
        apt(&["update", "-qq"]).and_then(|()| install(SHELL).or_else(|_| install(CHROMIUM)));
    match installed {
        Err(reason) if find().is_none() => Err(format!(
            "Chromium could not be installed: {reason}; install it by hand, or set \
             BERTH_CHROMIUM to its program, and run again"
        )),
        _ => Ok(()),
    }
}
