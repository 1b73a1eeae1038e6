//! Compiles the command again when the page that `berth serve` contains has changed: Cargo does not notice
//! new files.

fn main() {
    let serves = std::env::var_os("CARGO_FEATURE_SERVE").is_some();
    let read = if serves { "site" } else { "build.rs" };
    println!("cargo::rerun-if-changed={read}");
}
