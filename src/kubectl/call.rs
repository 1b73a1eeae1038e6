//! One call of kubectl: what a command is given, and what it answers.

use crate::kubectl::arguments::{Arguments, Flag};
use crate::kubectl::{Cluster, Output};

/// A command that is done, or what it complains of: whole lines, ended with exit code 1.
pub type Done = Result<Output, String>;

/// A command, its flags and who does it.
#[derive(Clone, Copy)]
pub struct Verb {
    /// `get`, `rollout undo`.
    pub name: &'static str,
    /// One sentence, as `kubectl --help` lists it.
    pub about: &'static str,
    /// What stands behind `kubectl NAME`, and examples.
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
}

impl Call<'_> {
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

impl Output {
    /// A successful end with this text.
    pub fn text(stdout: impl Into<String>) -> Self {
        Output {
            stdout: stdout.into(),
            ..Output::default()
        }
    }

    /// A failure with this text.
    pub fn failure(complaint: &str, code: i32) -> Self {
        let mut output = Output::default();
        output.complain(complaint);
        output.code = code;
        output
    }

    /// Adds what came afterwards; a failure stays one.
    pub fn and(mut self, later: Output) -> Self {
        self.stdout.push_str(&later.stdout);
        self.stderr.push_str(&later.stderr);
        self.code = self.code.max(later.code);
        self.open = later.open.or(self.open);
        self
    }

    /// A line of the result.
    pub fn say(&mut self, line: impl AsRef<str>) {
        self.stdout.push_str(line.as_ref());
        self.stdout.push('\n');
    }

    /// A line for standard error; the exit code becomes 1.
    pub fn complain(&mut self, line: impl AsRef<str>) {
        self.warn(line);
        self.code = 1;
    }

    /// A line for standard error that is no failure.
    pub fn warn(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.stderr.push_str(line);
        if !line.ends_with('\n') {
            self.stderr.push('\n');
        }
    }
}
