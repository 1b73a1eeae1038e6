//! `wc`.

use super::{Letters, inputs};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn wc(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("wc", arguments, "lwcm", "", &[("lines", 'l')])?;
    let inputs = inputs(run, "wc", &letters.words, stdin)?;
    let shows = |letter| letters.has(letter) || letters.flags.is_empty() && letter != 'm';
    let mut rows: Vec<(&str, [usize; 4])> = inputs
        .iter()
        .map(|(name, text)| {
            let counts = [
                text.matches('\n').count(),
                text.split_whitespace().count(),
                text.chars().count(),
                text.len(),
            ];
            (name.as_str(), counts)
        })
        .collect();
    let mut total = [0; 4];
    for (_, counts) in &rows {
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let columns = "lwmc".chars().filter(|letter| shows(*letter)).count();
    let width = if rows.len() > 1 {
        rows.push(("total", total));
        // As wide as the number of all bytes, which no other number exceeds.
        total[3].to_string().len()
    } else if columns == 1 {
        1
    } else {
        7
    };
    let mut output = Output::default();
    for (name, counts) in rows {
        let shown = "lwmc".chars().zip(counts);
        let shown: Vec<String> = shown
            .filter(|(letter, _)| shows(*letter))
            .map(|(_, count)| format!("{count:>width$}"))
            .collect();
        output.line(format!("{} {name}", shown.join(" ")).trim_end());
    }
    Ok(output)
}
