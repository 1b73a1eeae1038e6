//! `--differs`: two runs of the same manifests.

use berth_session::Options;
use berth_session::reduce::Reduction;

use crate::cli::args::RunOptions;
use crate::cli::compare::{Setting, open_side, side_of};
use crate::cli::terminal::Terminal;
use crate::cli::{Stop, input, live, open};

/// The settings of two runs.
#[derive(Clone, Debug)]
pub struct Differs {
    a: Option<Setting>,
    b: Setting,
}

impl Differs {
    /// Parses `kubernetes=A,B` or `config=FILE`.
    ///
    /// # Errors
    /// What is expected in place of it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || "expected kubernetes=A,B or config=FILE".to_owned();
        let (key, value) = text.split_once('=').ok_or_else(expected)?;
        let setting = |value: &str| Setting::parse(&format!("{key}={value}"));
        match (key, value.split_once(',')) {
            ("kubernetes", Some((a, b))) if a != b => Ok(Self {
                a: Some(setting(a)?),
                b: setting(b)?,
            }),
            ("kubernetes", Some(_)) => Err("the two releases are the same".to_owned()),
            ("config", _) => Ok(Self {
                a: None,
                b: setting(value)?,
            }),
            _ => Err(expected()),
        }
    }

    /// Plays both runs, and begins to reduce what differs; `None` if the input is not accepted.
    pub fn begin(
        &self,
        run: &RunOptions,
        pod: Option<&str>,
        terminal: &Terminal,
    ) -> Result<Option<Reduction>, Stop> {
        let live::Answer { files, lacks } = live::manifests(run)?;
        live::print_lacks(&lacks)?;
        // Ties fall alike in both.
        let common = Options {
            first_on_ties: true,
            ..run.session_options()
        };
        let mut a = side_of(self.a.as_slice())?;
        let mut b = side_of(std::slice::from_ref(&self.b))?;
        if let Some(path) = &run.config {
            let file = input::read_file(path)?;
            let given = (file.name, file.text.to_string());
            a.config.get_or_insert_with(|| given.clone());
            b.config.get_or_insert(given);
        }
        let open = |side| open_side(side, &common, &files, run.verbose, terminal);
        let (Some(mut a), Some(mut b)) = (open(&a)?, open(&b)?) else {
            return Ok(None);
        };
        for session in [&mut a, &mut b] {
            open::drive(session, |session| Ok(session.step()))?;
        }
        Ok(Some(Reduction::between(&a, &b, pod)?))
    }
}

#[cfg(test)]
mod tests {
    use super::Differs;

    #[test]
    fn two_releases_or_one_configuration_are_read() {
        for good in ["kubernetes=1.35,1.36", "config=a.yaml", "config=a,b.yaml"] {
            assert!(Differs::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("kubernetes", "expected kubernetes=A,B"),
            ("kubernetes=1.36", "expected kubernetes=A,B"),
            ("kubernetes=1.36,1.36", "the same"),
            ("kubernetes=1.36,1.11", "1.11"),
            ("seed=1,2", "expected kubernetes=A,B"),
        ] {
            let said = Differs::parse(bad).map(drop).unwrap_err();
            assert!(said.contains(why), "{bad}: {said}");
        }
    }
}
