//! The user's own cluster, asked read-only through the user's own kubectl and context.
//!
//! What the user may not list, and what the server does not have, is named and left out: kubectl refuses a whole list if
//! the server lacks one of its types, so that the list is asked again without it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use berth_session::{Printable, SourceFile, deciding_kinds};
use clap::Args;

/// Maximum number of bytes of one answer; what `api::load` accepts.
const MAX_BYTES: usize = 256 << 20;

/// Which cluster.
#[derive(Clone, Debug, Default, Args)]
pub struct LiveOptions {
    /// The context of the kubeconfig; the current one by default
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// The kubeconfig file; kubectl's own by default
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub kubeconfig: Option<PathBuf>,
}

/// What a cluster answered.
pub struct Answer {
    /// JSON lists.
    pub files: Vec<SourceFile>,
    /// What is not among them, a line each.
    pub lacks: Vec<String>,
}

/// kubectl's answer to one list.
struct Listed {
    stdout: String,
    stderr: String,
    succeeded: bool,
}

impl LiveOptions {
    fn kubectl(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        if let Some(file) = &self.kubeconfig {
            command.arg("--kubeconfig").arg(file);
        }
        if let Some(context) = &self.context {
            command.args(["--context", context]);
        }
        command.args(arguments).stdin(Stdio::null());
        command
    }

    /// The namespace of the context.
    pub fn namespace(&self) -> Result<String, String> {
        let arguments = [
            "config",
            "view",
            "--minify",
            "--output=jsonpath={..namespace}",
        ];
        let named = asked(&mut self.kubectl(&arguments))?;
        Ok(match named.stdout.trim() {
            "" => "default".to_owned(),
            name => name.to_owned(),
        })
    }

    /// Lists every kind that decides about scheduling.
    ///
    /// # Errors
    /// If kubectl is not there or gets no answer.
    pub fn ask(&self) -> Result<Answer, String> {
        let mut answer = Answer {
            files: Vec::new(),
            lacks: Vec::new(),
        };
        for (name, kinds) in deciding_kinds() {
            self.list(name, kinds, &mut answer)?;
        }
        match answer.files.is_empty() {
            true => Err(answer.lacks.join("\nerror: ")),
            false => Ok(answer),
        }
    }

    fn list(
        &self,
        name: &str,
        mut kinds: Vec<&'static str>,
        answer: &mut Answer,
    ) -> Result<(), String> {
        while !kinds.is_empty() {
            let listed = asked(&mut self.kubectl(&[
                "get",
                &kinds.join(","),
                "--all-namespaces",
                "--output=json",
            ]))?;
            let unknown = unknown_type(&listed.stderr);
            let at = unknown.and_then(|name| kinds.iter().position(|kind| kind == &name));
            if let Some(at) = at {
                let kind = kinds.remove(at);
                answer.lacks.push(format!("the server has no {kind}"));
                continue;
            }
            let messages = listed.stderr.lines().map(str::trim);
            let refused = messages.filter(|line| line.contains("(Forbidden)"));
            answer.lacks.extend(refused.map(str::to_owned));
            if !listed.stdout.trim().is_empty() {
                answer.files.push(SourceFile::new(name, listed.stdout));
            } else if !listed.succeeded && !listed.stderr.contains("(Forbidden)") {
                let first = listed.stderr.lines().find(|line| !line.trim().is_empty());
                let first = first.unwrap_or("kubectl failed without a message");
                return Err(format!("kubectl: {}", Printable(first.trim())));
            }
            return Ok(());
        }
        Ok(())
    }
}

/// The type in kubectl's `the server doesn't have a resource type "x"`.
fn unknown_type(messages: &str) -> Option<&str> {
    let (_, rest) = messages.split_once("the server doesn't have a resource type \"")?;
    rest.split('"').next()
}

/// Runs kubectl and reads what it prints.
fn asked(command: &mut Command) -> Result<Listed, String> {
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            "kubectl is not on the PATH: install it, or open a dump with `berth explain`".to_owned()
        }
        _ => format!("kubectl could not be started: {error}"),
    })?;
    if output.stdout.len() > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(format!("the cluster's lists are larger than {most} MiB"));
    }
    let stdout = String::from_utf8(output.stdout);
    Ok(Listed {
        stdout: stdout.map_err(|_| "kubectl's answer is not UTF-8".to_owned())?,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        succeeded: output.status.success(),
    })
}

/// Prints what the answer lacks to standard error.
pub fn print_lacks(lacks: &[String]) -> io::Result<()> {
    let mut err = io::stderr().lock();
    for line in lacks {
        writeln!(err, "not listed: {}", Printable(line))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::unknown_type;

    #[test]
    fn kubectl_names_the_type_that_the_server_lacks() {
        let messages = "error: the server doesn't have a resource type \"csistoragecapacities\"\n";
        assert_eq!(unknown_type(messages), Some("csistoragecapacities"));
        assert_eq!(unknown_type("error: You must be logged in"), None);
    }
}
