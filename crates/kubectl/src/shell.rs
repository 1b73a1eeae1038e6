//! The shell with kubectl, which the page's terminal, scripts and `berth run` use.

use super::call::Settings;
use super::cmd::edited;
use super::dispatch::{Invocation, invoke};
use super::ssh::ssh;
use super::suspended::{Poll, Suspended, block_on};
use super::{Cluster, OpenRequest, Output};
use berth_shell::{Call, Files, Host, Ran, Waiting};

pub use berth_shell::{INTERRUPTED, Lacks, pasted};

/// The programs that this host adds to the shell's builtins; `k` is the usual alias of kubectl.
pub(super) const PROGRAMS: [&str; 3] = ["kubectl", "k", "ssh"];

/// The state of a terminal between lines.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    pub(super) inner: berth_shell::Shell,
    pub(super) settings: Settings,
}

/// The result of a line that ran to its end, or to a command that waits.
pub struct Begun {
    /// The output so far.
    pub output: Output,
    /// The waiting command. [`Shell::resume`] runs the rest of the line once it is ready.
    pub suspended: Option<Box<dyn Suspended>>,
}

impl From<Output> for Begun {
    fn from(output: Output) -> Self {
        Begun {
            output,
            suspended: None,
        }
    }
}

impl Shell {
    /// Runs a line, or a script of many, to its end.
    pub fn run(&mut self, line: &str, cluster: &mut dyn Cluster) -> Output {
        let line = berth_shell::without_prompt(line).unwrap_or(line);
        let mut host = KubectlHost::new(&mut self.settings, cluster, false);
        self.inner.run(line, &mut host)
    }

    /// Runs a line to its end, or to a command that waits.
    pub fn begin(&mut self, line: &str, cluster: &mut dyn Cluster) -> Begun {
        let line = berth_shell::without_prompt(line).unwrap_or(line);
        let mut host = KubectlHost::new(&mut self.settings, cluster, true);
        let output = self.inner.run(line, &mut host);
        Begun {
            output,
            suspended: host.suspended,
        }
    }

    /// Runs the rest of a line whose suspended command has ended with this exit code.
    pub fn resume(&mut self, code: i32, cluster: &mut dyn Cluster) -> Begun {
        let mut host = KubectlHost::new(&mut self.settings, cluster, true);
        let output = self.inner.resume(code, &mut host);
        Begun {
            output,
            suspended: host.suspended,
        }
    }

    /// Ctrl+C: drops the rest of a line whose command is suspended.
    pub fn interrupt(&mut self) {
        self.inner.interrupt();
    }

    /// Writes back a text that the user edited for a command.
    pub fn edited(request: &OpenRequest, text: &str, cluster: &mut dyn Cluster) -> Output {
        edited(request, text, cluster)
    }

    /// What a text that continues on the next line lacks; `None` if it is complete.
    pub fn lacks(text: &str) -> Option<Lacks> {
        berth_shell::Shell::lacks(text)
    }

    /// Whether a text continues on the next line.
    pub fn needs_more(text: &str) -> bool {
        Self::lacks(text).is_some()
    }

    /// The code of the last line's `exit`, if it had one.
    pub fn exited(&self) -> Option<i32> {
        self.inner.exited()
    }

    /// Whether the last `set` with `e` was `set -e` (`true`) or `set +e`.
    pub fn stops_on_failure(&self) -> Option<bool> {
        self.inner.stops_on_failure()
    }
}

/// A cluster as the host of a shell.
struct KubectlHost<'a> {
    settings: &'a mut Settings,
    cluster: &'a mut dyn Cluster,
    /// Whether waiting commands are suspended and returned to the caller.
    suspends: bool,
    suspended: Option<Box<dyn Suspended>>,
}

impl<'a> KubectlHost<'a> {
    fn new(settings: &'a mut Settings, cluster: &'a mut dyn Cluster, suspends: bool) -> Self {
        KubectlHost {
            settings,
            cluster,
            suspends,
            suspended: None,
        }
    }

    fn ran(&mut self, output: Output, suspended: Option<Box<dyn Suspended>>) -> Ran {
        if suspended.is_none() {
            return Ran::Done(output);
        }
        self.suspended = suspended;
        Ran::Suspended(output)
    }
}

impl Files for KubectlHost<'_> {
    fn file(&self, path: &str) -> Option<String> {
        self.cluster.file(path)
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.cluster.write_file(path, text);
    }

    fn files(&self) -> Vec<String> {
        self.cluster.files()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.cluster.remove_file(path)
    }
}

impl Host for KubectlHost<'_> {
    fn now_ms(&self) -> i64 {
        self.cluster.api().now_ms()
    }

    fn date_ms(&self) -> i64 {
        self.cluster.api().now().0.as_millisecond()
    }

    fn programs(&self) -> &[&'static str] {
        &PROGRAMS
    }

    fn run_program(&mut self, call: Call<'_>) -> Option<Ran> {
        match call.program {
            "ssh" => Some(Ran::Done(ssh(call.arguments, self.cluster))),
            "kubectl" | "k" => {
                let invocation = Invocation {
                    arguments: call.arguments,
                    stdin: call.stdin,
                    folder: call.folder,
                    may_suspend: call.may_suspend && self.suspends,
                    is_typed: self.suspends,
                };
                let (output, suspended) = invoke(invocation, self.settings, self.cluster);
                Some(self.ran(output, suspended))
            }
            _ => None,
        }
    }

    fn edited(&mut self, request: &OpenRequest, text: &str) -> Output {
        edited(request, text, self.cluster)
    }

    fn wait(&mut self, waiting: Waiting, may_suspend: bool) -> Ran {
        let mut polled = ShellWait {
            waiting,
            settings: self.settings.clone(),
        };
        if may_suspend && self.suspends {
            return self.ran(Output::default(), Some(Box::new(polled)));
        }
        Ran::Done(block_on(&mut polled, self.cluster))
    }
}

/// A waiting builtin of the shell.
struct ShellWait {
    waiting: Waiting,
    settings: Settings,
}

impl Suspended for ShellWait {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let mut host = KubectlHost::new(&mut self.settings, cluster, false);
        self.waiting.poll(&mut host, output)
    }
}
