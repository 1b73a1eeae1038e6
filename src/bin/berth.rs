//! The native command; all of it is in [`berth::cli`].

fn main() -> std::process::ExitCode {
    berth::cli::main()
}
