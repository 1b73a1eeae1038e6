//! One call of kubectl: its command, its input and its result.

use crate::arguments::{Arguments, Flag};
use crate::suspended::{Suspended, block_on};
use crate::{Cluster, Output};

/// The output of a finished command, or its error: whole lines, printed with exit code 1.
pub type Done = Result<Output, String>;

/// A command, its flags and its function.
#[derive(Clone, Copy)]
pub struct Verb {
    /// `get`, `rollout undo`.
    pub name: &'static str,
    /// One sentence, as `kubectl --help` lists it.
    pub about: &'static str,
    /// The line after `Usage: kubectl`.
    pub usage: &'static str,
    pub examples: &'static [&'static str],
    pub flags: &'static [Flag],
    pub run: fn(&mut Call<'_>, &mut dyn Cluster) -> Done,
}

/// State that kubectl keeps between calls, as kubeconfig does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The namespace of the current context.
    pub namespace: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            namespace: "default".to_owned(),
        }
    }
}

/// The name of the only context and of the only cluster.
pub const CONTEXT: &str = "berth";

/// A call that outlives its line, for the polls of a command that waits.
pub(crate) struct DetachedCall {
    verb: &'static Verb,
    arguments: Arguments,
    settings: Settings,
    stdin: String,
    folder: String,
}

impl DetachedCall {
    /// The call again; it cannot be suspended.
    pub fn call(&mut self) -> Call<'_> {
        Call {
            verb: self.verb,
            arguments: self.arguments.clone(),
            settings: &mut self.settings,
            stdin: &self.stdin,
            folder: &self.folder,
            may_suspend: false,
            suspended: None,
        }
    }
}

/// One call of a command.
pub struct Call<'a> {
    pub verb: &'static Verb,
    pub arguments: Arguments,
    pub settings: &'a mut Settings,
    /// Standard input, which `-f -` reads.
    pub stdin: &'a str,
    /// The folder that relative file names refer to; empty for the root of all files.
    pub folder: &'a str,
    /// Whether the output goes straight to the terminal, so that the command may be suspended and print more later.
    pub may_suspend: bool,
    /// The rest of a command that waits for the cluster.
    pub suspended: Option<Box<dyn Suspended>>,
}

impl Call<'_> {
    /// Ends the command with a wait: suspends it if allowed, otherwise polls until it is ready.
    pub fn wait(
        &mut self,
        mut waiting: impl Suspended + 'static,
        cluster: &mut dyn Cluster,
    ) -> Output {
        if self.may_suspend {
            self.suspended = Some(Box::new(waiting));
            return Output::default();
        }
        block_on(&mut waiting, cluster)
    }

    /// A copy for a command that waits.
    pub(crate) fn detached(&self) -> DetachedCall {
        DetachedCall {
            verb: self.verb,
            arguments: self.arguments.clone(),
            settings: self.settings.clone(),
            stdin: self.stdin.to_owned(),
            folder: self.folder.to_owned(),
        }
    }

    /// The namespace of `--namespace`, or else of the current context.
    pub fn namespace(&self) -> &str {
        let given = self.arguments.word("namespace");
        let given = given.filter(|namespace| !namespace.is_empty());
        given.unwrap_or(&self.settings.namespace)
    }

    /// The path of a file as the cluster stores it.
    pub fn path(&self, name: &str) -> String {
        let name = name.strip_prefix("./").unwrap_or(name);
        if self.folder.is_empty() || name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", self.folder)
        }
    }

    /// Whether `--all-namespaces` is given.
    pub fn is_all_namespaces(&self) -> bool {
        self.arguments.is("all-namespaces")
    }
}
