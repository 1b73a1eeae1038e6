//! Limits in bytes. Without them forty times `a=$a$a` would fill the memory, and a line that copies megabytes 20,000 times
//! would leave no moment for Ctrl+C.

use std::cell::Cell;

use super::Host;
use super::run::Run;

/// Maximum bytes of a value, of a command's words, of a program's output and of a file that is written.
pub(super) const MAX_BYTES: usize = 16 << 20;
/// Maximum bytes of all variables, of all files that a shell wrote, and of the files that a program reads.
pub(super) const MAX_HELD: usize = 64 << 20;
/// Maximum bytes that one line hands from command to command.
pub(super) const MAX_HANDLED: usize = 256 << 20;

pub(super) const TOO_LONG: &str = "more than 16 MiB of text are not simulated here";
pub(super) const TOO_MUCH: &str = "bash: stopped after too much output";
/// The error of the file system.
const NO_SPACE: &str = "No space left on device";

/// A text that stops growing at [`MAX_BYTES`], and then remembers it.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    pub text: String,
    is_full: bool,
}

impl Bounded {
    pub fn push(&mut self, more: &str) {
        if self.text.len() + more.len() > MAX_BYTES {
            self.is_full = true;
        } else if !self.is_full {
            self.text.push_str(more);
        }
    }

    /// The text, or that it would be too long.
    pub fn whole(self) -> Result<String, &'static str> {
        match self.is_full {
            true => Err(TOO_LONG),
            false => Ok(self.text),
        }
    }
}

/// The bytes that a line may still hand from command to command.
#[derive(Debug)]
pub(super) struct Allowance(Cell<usize>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(MAX_HANDLED))
    }
}

impl Allowance {
    pub fn spend(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

impl Run<'_> {
    /// Sets variables, unless all of them would be too large.
    pub(super) fn set_variables(
        &mut self,
        values: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), String> {
        for (name, value) in values {
            let before = self.shell.variables.get(&name).map_or(0, String::len);
            if self.variable_bytes() - before + value.len() > MAX_HELD {
                return Err(format!("{name}: all variables: {TOO_LONG}"));
            }
            self.shell.variables.insert(name, value);
        }
        Ok(())
    }

    fn variable_bytes(&self) -> usize {
        self.shell.variables.values().map(String::len).sum()
    }

    /// Copies the variables, for a command that has its own.
    pub(super) fn spend_copy(&self) {
        self.allowance.spend(self.variable_bytes());
    }

    /// Writes a file by its path; an error if it is too large, or all of them are.
    pub(super) fn store(&mut self, path: &str, text: String) -> Result<(), String> {
        self.allowance.spend(text.len());
        let written = &mut self.shell.written;
        written.insert(path.to_owned(), text.len());
        if written.values().sum::<usize>() > MAX_HELD {
            let left = existing(self.host, path);
            written.retain(|path, _| left.contains(path));
        }
        if text.len() > MAX_BYTES || written.values().sum::<usize>() > MAX_HELD {
            written.remove(path);
            return Err(NO_SPACE.to_owned());
        }
        self.host.write_file(path, text);
        Ok(())
    }
}

/// The paths of all files, and this one.
fn existing(host: &dyn Host, path: &str) -> Vec<String> {
    let mut paths = host.files();
    paths.push(path.to_owned());
    paths
}
