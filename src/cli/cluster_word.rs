//! What the cluster of a dump said about its waiting Pods, beside what Berth says.

use std::io::{self, Write};

use berth_protocol::cluster_word::{BerthWord, ClusterWord, LikelyReason, OtherWord};
use berth_protocol::key::short;
use berth_session::Printable;

use super::table::count;
use super::terminal::{Style, Terminal};

/// Maximum number of listed Pods; JSON has all.
const LISTED: usize = 8;

/// Writes how many Pods agree, and the others with both texts.
pub fn write(word: &ClusterWord, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let pods = count(word.pods(), "waiting Pod", "waiting Pods");
    let same = format!("{} of {pods}: Berth says what the cluster said", word.same);
    if word.different.is_empty() {
        return writeln!(out, "\n{same}.");
    }
    writeln!(out, "\n{same}; of the others:")?;
    for other in word.different.iter().take(LISTED) {
        writeln!(
            out,
            "{}",
            terminal.paint(Style::Bold, &Printable(short(&other.pod)).to_string())
        )?;
        texts(other, terminal, out)?;
    }
    if word.different.len() > LISTED {
        writeln!(
            out,
            "and {} more (-o json lists all)",
            word.different.len() - LISTED
        )?;
    }
    Ok(())
}

/// Writes the same of a single Pod.
pub fn write_of(word: &ClusterWord, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(other) = word.different.first() else {
        return writeln!(out, "\nThe cluster said the same.");
    };
    let title = "The cluster said something else";
    writeln!(out, "\n{}", terminal.paint(Style::Bold, title))?;
    texts(other, terminal, out)
}

fn texts(other: &OtherWord, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let berth = match &other.berth {
        BerthWord::Message(message) => message.clone(),
        BerthWord::Node(node) => format!("it goes to {node}"),
    };
    for (who, text) in [("cluster:", &other.cluster), ("Berth:", &berth)] {
        writeln!(
            out,
            "  {} {}",
            terminal.paint(Style::Warn, who),
            Printable(text)
        )?;
    }
    writeln!(
        out,
        "  {}",
        terminal.paint(Style::Dim, &likely(&other.likely))
    )
}

fn likely(reason: &LikelyReason) -> String {
    match reason {
        LikelyReason::Wording => "likely: another release's wording".to_owned(),
        LikelyReason::MissingKinds(kinds) => {
            format!(
                "likely: it depends on kinds that the files lack: {}",
                kinds.join(", ")
            )
        }
        LikelyReason::OlderMessage => {
            "likely: the message is older than a change that the dump has".to_owned()
        }
    }
}
