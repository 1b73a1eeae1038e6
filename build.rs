//! Compiles the package again when there is a new catalogue, and the command when the page that `berth serve` contains has
//! changed: Cargo does not notice new files.

fn main() {
    println!("cargo::rerun-if-changed=src/words");
    if std::env::var_os("CARGO_FEATURE_SERVE").is_some() {
        println!("cargo::rerun-if-changed=site");
    }
}
