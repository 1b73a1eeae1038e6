//! The printed text of the commands of some lives. The digests leave this text out, so a change of wording shows only
//! here.

use std::fmt::Write as _;
use std::path::Path;

use super::generator::{Act, Life, life};
use super::player::Player;
use super::{SMALL, Size};
use crate::snapshot::assert_snapshot;

/// Lives with a transcript: seeds 0 to 5.
const TRANSCRIPTS: u64 = 6;

/// The first seed whose life has unusual commands.
const WILD: u64 = 4;

fn transcript(life: &Life) -> String {
    let mut text = String::new();
    let mut player = Player::new(life, false);
    for act in &life.acts {
        let _ = match act {
            Act::Line(line) => writeln!(text, "$ {line}"),
            Act::Edit(line, seed) => writeln!(text, "$ {line} # edited with seed {seed}"),
            Act::Pass(ms) => writeln!(text, "# {ms} ms pass"),
            Act::Silence(node) => writeln!(text, "# the kubelet of {node} stops"),
            Act::Revive(node) => writeln!(text, "# the kubelet of {node} starts"),
        };
        let output = player.play(act);
        text.push_str(&output.stdout);
        text.push_str(&output.stderr);
        if output.code != 0 {
            let _ = writeln!(text, "# exit code {}", output.code);
        }
    }
    text
}

#[test]
fn commands_print_what_is_committed() {
    for seed in 0..TRANSCRIPTS {
        let size = Size {
            is_wild: seed >= WILD,
            ..SMALL
        };
        let file = format!("lives/transcripts/{seed}.txt");
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it")
            .join(&file);
        // A transcript that is not written yet differs in every line.
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_snapshot(&file, &committed, &transcript(&life(seed, size)));
    }
}
