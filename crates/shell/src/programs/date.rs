//! `date`, by the host's date.

use jiff::{Timestamp, fmt::strtime};

use super::usage;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn date(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let now = Timestamp::from_millisecond(run.host.date_ms()).unwrap_or_default();
    let format = arguments.iter().find_map(|it| it.strip_prefix('+'));
    let format = format.unwrap_or("%a %b %e %H:%M:%S UTC %Y");
    // jiff rejects conversion specifiers that it does not know.
    match strtime::format(format, now) {
        Ok(text) => Ok(Output::text(format!("{text}\n"))),
        Err(_) => Err(usage("date", &format!("invalid format '+{format}'"))),
    }
}
