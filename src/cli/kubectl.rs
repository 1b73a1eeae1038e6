//! `berth kubectl`: runs one command on a cluster.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use berth_session::terminal::{OpenRequest, Output, Printed, Terminal as Shell};

use super::args::KubectlOptions;
use super::beside::below;
use super::given;
use super::messages::Messages;
use super::play::{cluster, show_progress};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop, input};

/// Runs the command.
pub fn run(options: &KubectlOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let files = input::read_all(&options.on)?;
    let Some(mut shell) = cluster(&files, &options.cluster, terminal)? else {
        return Ok(Status::BadInput);
    };
    shell.play(options.after);
    let reads_stdin = add_files(&options.words, &mut shell)?;
    let mut line = words_as_line(&options.words);
    if reads_stdin {
        let mut text = String::new();
        io::stdin().lock().read_to_string(&mut text)?;
        shell.add_file("/dev/stdin", text);
        line.push_str(" < /dev/stdin");
    }
    show_progress(&mut shell);
    let mut output = shell.run(&line);
    if let Some(request) = output.open.take() {
        print(&output, out)?;
        let text = edit(&request)?;
        output = shell.edited(&request, &text);
    }
    print(&output, out)?;
    Ok(match output.code {
        0 => Status::Good,
        code => Status::Code(u8::try_from(code).unwrap_or(1)),
    })
}

fn print(output: &Output, out: &mut dyn Write) -> io::Result<()> {
    for part in output.printed() {
        match part {
            Printed::Out(text) => {
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
            Printed::Err(text) => Messages.write_all(text.as_bytes())?,
        }
    }
    Ok(())
}

/// The flags that name files and folders.
const FILE_FLAGS: [&str; 7] = [
    "--filename",
    "--patch-file",
    "--from-file",
    "--from-env-file",
    "--cert",
    "--key",
    "-f",
];

/// Adds the files that flags name to the shell. Returns whether the command reads standard input.
fn add_files(words: &[String], shell: &mut Shell) -> Result<bool, Stop> {
    let mut reads_stdin = false;
    let mut behind_flag = false;
    for word in words {
        let of_flag = |flag: &&str| match word.strip_prefix(*flag) {
            Some(rest) if flag.starts_with("--") => rest.strip_prefix('='),
            Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
            None => None,
        };
        let named = FILE_FLAGS.iter().find_map(of_flag);
        let names = match named {
            Some(names) => names,
            None if behind_flag => word,
            None => "",
        };
        behind_flag = FILE_FLAGS.contains(&word.as_str());
        for name in names.split(',').filter(|name| !name.is_empty()) {
            if name == "-" {
                reads_stdin = true;
                continue;
            }
            // `--from-file=key=path`.
            let behind_key = name.split_once('=').map(|(_, path)| path);
            let name = behind_key
                .filter(|_| !given::exists(Path::new(name)))
                .unwrap_or(name);
            let path = PathBuf::from(name);
            if given::is_folder(&path) {
                let folder = name
                    .strip_prefix("./")
                    .unwrap_or(name)
                    .trim_end_matches('/');
                for (file, text) in below(&path) {
                    let inside = match folder {
                        "." | "" => file,
                        folder => format!("{folder}/{file}"),
                    };
                    shell.add_file(inside, text);
                }
            } else if given::exists(&path) {
                let file = input::read_file(&path)?;
                let name = name.strip_prefix("./").unwrap_or(name);
                shell.add_file(name, file.text.to_string());
            }
        }
    }
    Ok(reads_stdin)
}

/// The words as one line, quoted so that bash splits it into the same words.
fn words_as_line(words: &[String]) -> String {
    let mut line = "kubectl".to_owned();
    for word in words {
        line.push_str(" '");
        line.push_str(&word.replace('\'', r"'\''"));
        line.push('\'');
    }
    line
}

/// Opens a text in the user's editor.
fn edit(request: &OpenRequest) -> Result<String, Stop> {
    if given::are_given() {
        return Err(
            "this needs an editor, which a tool does not open: use apply or patch"
                .to_owned()
                .into(),
        );
    }
    let editor = ["KUBE_EDITOR", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|editor| !editor.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned());
    let name = format!("berth-edit-{}.yaml", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, request.text())?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let ended = Command::new(program).args(words).arg(&path).status();
    let edited = read_back(&path, ended.map(|status| status.success()), &editor);
    // A leftover temporary file is harmless.
    let _ = std::fs::remove_file(&path);
    edited
}

fn read_back(path: &Path, ended: io::Result<bool>, editor: &str) -> Result<String, Stop> {
    match ended {
        Ok(true) => Ok(std::fs::read_to_string(path)?),
        Ok(false) => Err(Stop::Message(format!("the editor {editor:?} failed"))),
        Err(error) => Err(Stop::Message(format!(
            "unable to launch the editor {editor:?}: {error}"
        ))),
    }
}
