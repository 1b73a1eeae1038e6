//! One call of kubectl: what a command is given, and what it answers.

use crate::arguments::{Arguments, Flag};
use crate::suspended::{Suspended, block_on};
use crate::{Cluster, Output};

/// A command that is done, or what it complains of: whole lines, ended with exit code 1.
pub type Done = Result<Output, String>;

/// A command, its flags and its function.
#[derive(Clone, Copy)]
pub struct Verb {
    /// `get`, `rollout undo`.
    pub name: &'static str,
    /// One sentence, as `kubectl --help` lists it.
    pub about: &'static str,
    /// The line behind `Usage: kubectl`, and examples.
    pub usage: &'static str,
    pub examples: &'static [&'static str],
    pub flags: &'static [Flag],
    pub run: fn(&mut Call<'_>, &mut dyn Cluster) -> Done,
}

/// What kubectl keeps between calls, as its configuration does.
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

/// The one context, cluster and user of the configuration.
pub const CONTEXT: &str = "berth";

/// A call.
pub struct Call<'a> {
    pub verb: &'static Verb,
    pub arguments: Arguments,
    pub settings: &'a mut Settings,
    /// What comes in through `-f -`.
    pub stdin: &'a str,
    /// The folder that files are looked for in; empty for the one of all files.
    pub folder: &'a str,
    /// Whether the output is only shown, so that it may be printed later.
    pub may_suspend: bool,
    /// What is left of the command: it waits for the cluster.
    pub suspended: Option<Box<dyn Suspended>>,
}

impl Call<'_> {
    /// Ends the command with this wait: suspends it if it may be, else polls it until it is ready.
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

    /// The namespace that is meant.
    pub fn namespace(&self) -> &str {
        let given = self.arguments.word("namespace");
        let given = given.filter(|namespace| !namespace.is_empty());
        given.unwrap_or(&self.settings.namespace)
    }

    /// The path under which the cluster knows a file.
    pub fn path(&self, name: &str) -> String {
        let name = name.strip_prefix("./").unwrap_or(name);
        if self.folder.is_empty() || name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", self.folder)
        }
    }

    /// The complaint if the call names a context that there is not.
    pub fn wrong_context(&self) -> Option<String> {
        let context = self.arguments.word("context")?;
        (context != CONTEXT).then(|| format!("error: context {context:?} does not exist"))
    }

    /// Whether all namespaces are meant.
    pub fn is_all_namespaces(&self) -> bool {
        self.arguments.is("all-namespaces")
    }
}
