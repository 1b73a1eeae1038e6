//! What a command says besides its result: problems of the input, what was left out, how far it is. It goes to standard
//! error, or to the program that called the command as a function.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

thread_local! {
    /// What was said to a calling program; `None` if there is none.
    static COLLECTED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Where messages are written. Nothing is buffered.
pub struct Messages;

/// Whether somebody reads them as they come.
pub fn are_watched() -> bool {
    COLLECTED.with_borrow(Option::is_none) && io::stderr().is_terminal()
}

/// Runs a command, and keeps what it says.
pub fn collect<T>(run: impl FnOnce() -> T) -> (T, String) {
    let before = COLLECTED.replace(Some(Vec::new()));
    let result = run();
    let said = COLLECTED.replace(before).unwrap_or_default();
    (result, String::from_utf8_lossy(&said).into_owned())
}

impl Write for Messages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        COLLECTED.with_borrow_mut(|collected| match collected {
            Some(said) => said.write(bytes),
            None => io::stderr().write(bytes),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_kept_for_the_caller() {
        let ((), said) = collect(|| {
            let ((), inner) = collect(|| writeln!(Messages, "inside").unwrap());
            assert_eq!(inner, "inside\n");
            assert!(!are_watched());
            writeln!(Messages, "outside").unwrap();
        });
        assert_eq!(said, "outside\n");
    }
}
