//! Text of the terminal.

use berth_words::{say, text};

use super::Text;

pub const TERMINAL: Text = text!("Terminal");
pub const TERMINAL_OUTPUT: Text = text!("Terminal output");
pub const TERMINAL_LINE: Text = text!("Command line");
pub const TERMINAL_HINT: Text = text!(
    "kubectl on this cluster: try kubectl get nodes. Tab completes, ↑ brings back earlier lines."
);
/// Of `+4 s`.
pub const PASSED: Text = text!("Time that passed in the cluster");
pub const CHOICES: Text = text!("Completions");
pub const SAVE: Text = text!("Save");
pub const CANCEL: Text = text!("Cancel");
/// Shown below the manifests.
pub const TERMINAL_CHANGED: Text =
    text!("kubectl has changed the cluster since; these manifests are what it started from.");

/// Shown after files were dropped on the terminal.
pub fn in_reach(files: &str) -> String {
    say!("The terminal can read {files}.")
}

/// The title of the dialog for a text that a command opened for editing.
pub fn edit_text(title: &str) -> String {
    say!("Edit {title}")
}
