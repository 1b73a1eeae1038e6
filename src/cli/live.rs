//! The user's own cluster, asked read-only through the user's own kubectl and context.
//!
//! What the user may not list, and what the server does not have, is named: kubectl refuses a whole list if the server
//! lacks one of its types, so that the list is asked again without it. What may be listed in the context's namespace only
//! is asked for there.

mod list;

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use berth_protocol::problem::Problem;
use berth_session::{KindInfo, Printable, SourceFile, deciding_kinds};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::Stop;
use super::args::RunOptions;
use super::input;
use super::messages::Messages;
use crate::words::live as text;
use list::ListWriter;

/// The name of a cluster's list.
const CLUSTER: &str = "cluster";
const WITHOUT_NODES: &str = "you may not list nodes, and without them nothing can be said of a Pod: ask for a snapshot of \
                             somebody who may (berth snapshot), and name that file";
/// Maximum number of bytes of kubectl's messages.
const MAX_MESSAGES: u64 = 1 << 20;

/// Which cluster.
#[derive(Clone, Debug, Default, Args)]
pub struct Context {
    /// The context of the kubeconfig; the current one by default
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,

    /// The kubeconfig file; kubectl's own by default
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub kubeconfig: Option<PathBuf>,
}

/// Whether a cluster is asked besides the files, and which.
#[derive(Clone, Debug, Default, Args)]
pub struct LiveOptions {
    /// Ask your cluster with your kubectl, read-only: files are added to it (always, as a plugin of kubectl)
    #[arg(long)]
    pub live: bool,

    #[command(flatten)]
    pub which: Context,
}

impl LiveOptions {
    /// Whether the cluster is asked: naming one asks it.
    pub fn is_asked(&self) -> bool {
        self.live || self.which.context.is_some() || self.which.kubeconfig.is_some()
    }
}

/// Why a kind was not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The server does not have the kind: there are no such objects.
    NotServed,
    /// The user may not list it.
    Forbidden,
    /// The user may list it in this namespace only.
    OtherNamespaces(String),
}

/// A kind that was not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lack {
    /// Its plural name.
    pub kind: &'static str,
    pub cause: Cause,
}

/// What a cluster and files answered.
#[derive(Default)]
pub struct Answer {
    pub files: Vec<SourceFile>,
    /// What is not among them.
    pub lacks: Vec<Lack>,
}

/// The manifests of a command: those of the cluster, if it is asked, and of the files.
///
/// # Errors
/// If there are neither, or one of them cannot be read.
pub fn manifests(options: &RunOptions) -> Result<Answer, Stop> {
    let mut answer = match options.live.is_asked() {
        true => options.live.which.ask(&mut |_| {})?,
        false if options.files.is_empty() => {
            return Err("name manifests, or ask your cluster with --live"
                .to_owned()
                .into());
        }
        false => Answer::default(),
    };
    let files = input::read_objects(&options.files, options.depth())?;
    answer.files.extend(files);
    Ok(answer)
}

/// kubectl's answer to one list, besides the list.
struct Answered {
    has_list: bool,
    messages: String,
    succeeded: bool,
}

/// What was asked so far.
struct Dump<'a> {
    list: ListWriter<'a>,
    lacks: Vec<Lack>,
}

impl Context {
    fn kubectl(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        if let Some(file) = &self.kubeconfig {
            command.arg("--kubeconfig").arg(file);
        }
        if let Some(context) = &self.context {
            command.args(["--context", context]);
        }
        command.args(arguments).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
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
        let output = self.kubectl(&arguments).output();
        let output = output.map_err(|error| not_started(&error))?;
        let named = String::from_utf8_lossy(&output.stdout);
        Ok(match named.trim() {
            "" => "default".to_owned(),
            name => name.to_owned(),
        })
    }

    /// Lists every kind that decides about scheduling, without private text. `each`: what else is done to each object.
    ///
    /// # Errors
    /// If kubectl is not there or gets no answer, or the user may not list nodes.
    pub fn ask(&self, each: &mut dyn FnMut(&mut Value)) -> Result<Answer, String> {
        let mut asked = Dump {
            list: ListWriter::new(each),
            lacks: Vec::new(),
        };
        for kinds in deciding_kinds() {
            self.list(kinds, &mut asked)?;
            let lacks_nodes = |lack: &Lack| lack.kind == "nodes" && lack.cause == Cause::Forbidden;
            if asked.lacks.iter().any(lacks_nodes) {
                return Err(WITHOUT_NODES.to_owned());
            }
        }
        Ok(Answer {
            files: vec![SourceFile::new(CLUSTER, asked.list.text())],
            lacks: asked.lacks,
        })
    }

    /// Lists kinds of all namespaces, and then those that are forbidden there in the context's.
    fn list(&self, mut kinds: Vec<&'static KindInfo>, asked: &mut Dump<'_>) -> Result<(), String> {
        while !kinds.is_empty() {
            let answered = self.get(&kinds, "--all-namespaces", &mut asked.list)?;
            let unknown = unknown_type(&answered.messages);
            let at = unknown.and_then(|name| kinds.iter().position(|kind| kind.plural == name));
            if let Some(at) = at {
                asked.lacks.push(Lack {
                    kind: kinds.remove(at).plural,
                    cause: Cause::NotServed,
                });
                continue;
            }
            let forbidden = forbidden(&kinds, &answered.messages);
            if !answered.has_list && !answered.succeeded && forbidden.is_empty() {
                let mut lines = answered.messages.lines().map(str::trim);
                let first = lines.find(|line| !line.is_empty());
                let first = first.unwrap_or("kubectl failed without a message");
                return Err(format!("kubectl: {}", Printable(first)));
            }
            return self.list_here(&forbidden, asked);
        }
        Ok(())
    }

    /// Lists kinds in the context's namespace, as far as they are namespaced.
    fn list_here(&self, kinds: &[&'static KindInfo], asked: &mut Dump<'_>) -> Result<(), String> {
        let here: Vec<&KindInfo> = kinds.iter().copied().filter(|it| it.namespaced).collect();
        let mut listed = Vec::new();
        let mut namespace = String::new();
        if !here.is_empty() {
            namespace = self.namespace()?;
            let scope = format!("--namespace={namespace}");
            let answered = self.get(&here, &scope, &mut asked.list)?;
            let still = forbidden(&here, &answered.messages);
            if answered.has_list {
                listed = here.iter().map(|kind| kind.plural).collect();
                listed.retain(|kind| still.iter().all(|it| it.plural != *kind));
            }
        }
        let lacks = kinds.iter().map(|kind| Lack {
            kind: kind.plural,
            cause: match listed.contains(&kind.plural) {
                true => Cause::OtherNamespaces(namespace.clone()),
                false => Cause::Forbidden,
            },
        });
        asked.lacks.extend(lacks);
        Ok(())
    }

    /// Runs one `kubectl get`, and adds what it prints to the list.
    fn get(
        &self,
        kinds: &[&KindInfo],
        scope: &str,
        list: &mut ListWriter<'_>,
    ) -> Result<Answered, String> {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.plural).collect();
        let mut command = self.kubectl(&["get", &names.join(","), scope, "--output=json"]);
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let stderr = child.stderr.take();
        #[allow(
            clippy::disallowed_methods,
            reason = "kubectl waits if nobody reads one of its pipes; nothing is decided here"
        )]
        let messages = thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read is no message.
            let _ = stderr.map(|it| it.take(MAX_MESSAGES).read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let read = child.stdout.take().map(|it| list.read(it)).transpose();
        if read.is_err() {
            // It may still write.
            let _ = child.kill();
        }
        let succeeded = child.wait().is_ok_and(|status| status.success());
        let messages = messages.join().unwrap_or_default();
        let read = read.map_err(|error| match messages.lines().next() {
            Some(line) => format!("kubectl: {}; its list {error}", Printable(line.trim())),
            None => format!("kubectl's list {error}"),
        })?;
        Ok(Answered {
            has_list: read == Some(true),
            messages,
            succeeded,
        })
    }
}

/// The type in kubectl's `the server doesn't have a resource type "x"`.
fn unknown_type(messages: &str) -> Option<&str> {
    let (_, rest) = messages.split_once("the server doesn't have a resource type \"")?;
    rest.split('"').next()
}

/// The kinds in the API server's `cannot list resource "x"`.
fn forbidden(kinds: &[&'static KindInfo], messages: &str) -> Vec<&'static KindInfo> {
    let refused = |kind: &&&KindInfo| {
        let words = format!("cannot list resource \"{}\"", kind.plural);
        messages.contains(&words)
    };
    kinds.iter().filter(refused).copied().collect()
}

fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "kubectl is not on the PATH: install it, or open a dump with `berth explain`".to_owned()
        }
        _ => format!("kubectl could not be started: {error}"),
    }
}

/// What was not listed and what therefore is not known, a sentence each.
pub fn sentences(lacks: &[Lack]) -> Vec<String> {
    let mut groups: Vec<(&Cause, &'static str, Vec<&str>)> = Vec::new();
    for lack in lacks {
        let unknown = match lack.cause {
            Cause::NotServed => "",
            Cause::Forbidden | Cause::OtherNamespaces(_) => {
                text::unknown(lack.kind).map_or("", |it| it.get())
            }
        };
        let same = |(cause, what, _): &&mut (&Cause, &str, Vec<&str>)| {
            **cause == lack.cause && *what == unknown
        };
        match groups.iter_mut().find(same) {
            Some((_, _, kinds)) => kinds.push(lack.kind),
            None => groups.push((&lack.cause, unknown, vec![lack.kind])),
        }
    }
    let told = groups.into_iter().map(|(cause, unknown, kinds)| {
        let kinds = kinds.join(", ");
        match cause {
            Cause::NotServed => text::not_served(&kinds),
            Cause::Forbidden => text::forbidden(&kinds, unknown),
            Cause::OtherNamespaces(namespace) => text::only_here(&kinds, namespace, unknown),
        }
    });
    told.collect()
}

/// The field of which a warning says that Berth does not know it, if the object is of the cluster: its server may be of
/// another release, and has it in each object.
pub fn unknown_field(problem: &Problem) -> Option<String> {
    let message = problem.message.to_string();
    let quoted = message.strip_prefix("unknown field \"")?;
    let is_of_cluster = problem.file == CLUSTER && !problem.is_error();
    let field = quoted.split('"').next().filter(|_| is_of_cluster)?;
    Some(field.to_owned())
}

/// Prints the sentences to standard error.
pub fn print_lacks(lacks: &[Lack]) -> io::Result<()> {
    let mut err = Messages;
    for sentence in sentences(lacks) {
        writeln!(err, "{}", Printable(&sentence))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectl_names_the_type_that_the_server_lacks() {
        let messages = "error: the server doesn't have a resource type \"csistoragecapacities\"\n";
        assert_eq!(unknown_type(messages), Some("csistoragecapacities"));
        assert_eq!(unknown_type("error: You must be logged in"), None);
    }

    /// What cannot be known without a kind is said of each.
    #[test]
    fn kinds_of_one_meaning_share_a_sentence() {
        let lack = |kind, cause| Lack { kind, cause };
        let lacks = [
            lack("csinodes", Cause::NotServed),
            lack("persistentvolumes", Cause::Forbidden),
            lack("storageclasses", Cause::Forbidden),
            lack("pods", Cause::OtherNamespaces("shop".to_owned())),
        ];
        assert_eq!(
            sentences(&lacks),
            [
                "The server has no csinodes.",
                "You may not list persistentvolumes, storageclasses. Which nodes volumes allow is unknown.",
                "You may list pods in namespace shop only. What else runs on the nodes is unknown.",
            ]
        );
        for kinds in deciding_kinds() {
            for kind in kinds.iter().filter(|kind| kind.plural != "nodes") {
                assert!(text::unknown(kind.plural).is_some(), "{}", kind.plural);
            }
        }
    }
}
