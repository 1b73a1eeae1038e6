//! `berth open` without a link: the page with the user's cluster.

use std::io::Write;

use super::OpenOptions;
use crate::cli::Outcome;
#[cfg(feature = "serve")]
use crate::cli::{live::print_lacks, serve};

/// Asks the cluster, and serves it with the page.
#[cfg(feature = "serve")]
pub fn cluster(options: &OpenOptions, out: &mut dyn Write) -> Outcome {
    let answer = options.cluster.ask(&mut |_| {})?;
    print_lacks(&answer.lacks)?;
    let texts = answer.files.iter().map(|file| file.text.to_string());
    let text = texts.collect::<Vec<String>>().join("---\n");
    let idle = std::time::Duration::from_secs(options.idle);
    let browse = |address: &str| {
        if !options.no_browser {
            browse(address);
        }
    };
    serve::cluster::serve(options.site.as_deref(), &text, idle, browse, out)
}

/// Opens an address in the user's browser. Where that fails, the printed address is enough.
#[cfg(feature = "serve")]
fn browse(address: &str) {
    use std::process::{Command, Stdio};
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        // `start` takes its first quoted word for a title.
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

/// Says how to get a command that serves.
#[cfg(not(feature = "serve"))]
pub fn cluster(_: &OpenOptions, _: &mut dyn Write) -> Outcome {
    Err(crate::cli::serve::without_server())
}
