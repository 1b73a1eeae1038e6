//! The native command; everything else is in [`berth::cli`].

fn main() -> std::process::ExitCode {
    berth::cli::main()
}
