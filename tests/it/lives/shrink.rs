//! Shortens a life that fails.

use super::generator::{Act, Life};

/// Maximum number of replays to find the acts that matter.
const TRIES: u32 = 120;

/// A description of the acts that suffice for the failure.
pub fn report(life: &Life, fails: &mut dyn FnMut(&[Act]) -> bool) -> String {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let acts = shortest(&life.acts, fails);
    std::panic::set_hook(hook);
    // Fail once more, to print the message.
    fails(&acts);
    let lines: Vec<String> = acts.iter().map(|act| format!("{act:?}")).collect();
    format!(
        "{} of its {} acts are enough for the failure printed last:\n{}\non this cluster:\n{}",
        acts.len(),
        life.acts.len(),
        lines.join("\n"),
        life.manifests
    )
}

/// Removes pieces, large ones first, as long as the life fails without them.
fn shortest(all: &[Act], fails: &mut dyn FnMut(&[Act]) -> bool) -> Vec<Act> {
    let mut acts = all.to_vec();
    let mut tries = 0;
    let mut size = acts.len().div_ceil(2);
    while size > 0 {
        let mut at = acts.len();
        while at > 0 {
            if tries == TRIES {
                return acts;
            }
            tries += 1;
            let from = at.saturating_sub(size);
            let mut fewer = acts.clone();
            fewer.drain(from..at);
            if fails(&fewer) {
                acts = fewer;
            }
            at = from;
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    acts
}
