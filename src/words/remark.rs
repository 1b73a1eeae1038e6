//! Remarks of the engine. Their English is in `berth_protocol::remark`, and the compiler looks up each translation.

use std::fmt::Display;

use berth_protocol::remark::{Remark, Voice};
use berth_words::known;

use super::language::{Text, comma, say, semicolon};

macro_rules! translated {
    ($($name:ident($($value:ident),*) = $sentence:tt;)*) => {
        const _: &[&str] = &[$(known!($sentence)),*];
    };
}

berth_protocol::remarks!(translated);

/// Isolate a quotation (FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE).
const QUOTES: (&str, &str) = ("\u{2068}", "\u{2069}");

/// A remark in the language in use.
#[inline(never)]
pub fn remark(remark: &Remark) -> String {
    rendered(remark, ("", ""))
}

/// The remark's parts; `true`: it quotes Kubernetes or a name, which are not translated.
#[inline(never)]
pub fn remark_parts(remark: &Remark) -> Vec<(bool, String)> {
    let text = rendered(remark, QUOTES);
    let mut parts = Vec::new();
    let mut rest = text.as_str();
    while let Some((before, inside)) = rest.split_once(QUOTES.0) {
        let (quoted, after) = inside.split_once(QUOTES.1).unwrap_or((inside, ""));
        parts.push((false, before.to_owned()));
        parts.push((true, quoted.to_owned()));
        rest = after;
    }
    parts.push((false, rest.to_owned()));
    parts.retain(|(_, text)| !text.is_empty());
    parts
}

/// The end of an amount with the name of its resource, which comes in English
/// ([`quantity::asked`](berth_protocol::quantity::asked)).
const MEMORY: &str = known!("iB memory");

/// Fills a sentence.
fn say_amounts(sentence: &'static str, values: &[&dyn Display]) -> String {
    say(sentence, values).replace(MEMORY, Text::new(MEMORY).get())
}

fn rendered(remark: &Remark, quotes: (&'static str, &'static str)) -> String {
    remark.render(&Voice {
        say: say_amounts,
        semicolon: semicolon(),
        comma: comma(),
        quotes,
    })
}

#[cfg(test)]
mod tests {
    use super::{Remark, remark_parts};

    #[test]
    fn quotations_are_parts_of_their_own() {
        let message = "0/1 nodes are available: 1 Insufficient cpu.";
        let seen = Remark::seen("web", "Pending");
        let remark = Remark::prefixed(seen, Remark::quoted(message));
        assert_eq!(
            remark_parts(&remark),
            [
                (false, "web is Pending: ".to_owned()),
                (true, message.to_owned())
            ]
        );
    }
}
