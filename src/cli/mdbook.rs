//! `berth mdbook`: a preprocessor of mdBook that makes `yaml berth` blocks live. It speaks mdBook's protocol: asked
//! `supports RENDERER` it answers by its exit status; otherwise it reads `[context, book]` and writes the book, as JSON.

mod fences;

use std::io::{self, Read, Write};

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{Outcome, Status, Stop};

pub const MDBOOK_EXAMPLES: &str = "\
Examples:
  # book.toml
  [preprocessor.berth]
  command = \"berth mdbook\"
  script = \"https://example.org/berth/embed.js\"

  # A chapter
  ```yaml berth view=matrix step=3
  kind: Node …
  ```

Exit status:
  0  the book is written; with supports: it can be rendered
  1  the renderer is not html: the blocks stay as they are
  2  the input is not a book";

/// Options of `berth mdbook`.
#[derive(Debug, Args)]
pub struct MdbookOptions {
    #[command(subcommand)]
    pub question: Option<Question>,
}

/// What mdBook asks before it sends the book.
#[derive(Debug, Subcommand)]
pub enum Question {
    /// Whether the blocks can be made live for a renderer
    Supports { renderer: String },
}

/// Answers mdBook.
pub fn run(options: &MdbookOptions, out: &mut dyn Write) -> Outcome {
    if let Some(Question::Supports { renderer }) = &options.question {
        return Ok(match renderer.as_str() {
            "html" => Status::Good,
            _ => Status::SomeNotPlaced,
        });
    }
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let book = preprocess(&text).map_err(Stop::Message)?;
    writeln!(out, "{book}")?;
    Ok(Status::Good)
}

/// The book of mdBook's input, with the element after each block.
///
/// # Errors
/// If the input is not `[context, book]`.
fn preprocess(text: &str) -> Result<String, String> {
    let read = serde_json::from_str::<(Value, Value)>(text);
    let (context, mut book) =
        read.map_err(|error| format!("mdBook's [context, book] is expected: {error}"))?;
    let script = context.pointer("/config/preprocessor/berth/script");
    let script = script.and_then(Value::as_str).unwrap_or_default();
    rewrite_chapters(&mut book, script);
    Ok(book.to_string())
}

/// Rewrites each chapter below a value. mdBook 0.4 calls the book's parts `sections`, 0.5 `items`.
fn rewrite_chapters(value: &mut Value, script: &str) {
    match value {
        Value::Array(values) => {
            for value in values {
                rewrite_chapters(value, script);
            }
        }
        Value::Object(fields) => {
            if let Some(content) = fields
                .get_mut("Chapter")
                .and_then(|it| it.get_mut("content"))
                && let Some(text) = content.as_str()
            {
                *content = Value::String(chapter(text, script));
            }
            for (_, value) in fields.iter_mut() {
                rewrite_chapters(value, script);
            }
        }
        _ => (),
    }
}

/// A chapter with the element after each block, and one script if there is any.
fn chapter(text: &str, script: &str) -> String {
    let (mut text, found) = fences::rewrite(text);
    if found > 0 && !script.is_empty() {
        let address = fences::escaped(script);
        text.push_str(&format!("\n\n<script src=\"{address}\" async></script>\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preprocessed(parts: &str) -> Value {
        let block = "```yaml berth\\nkind: Pod\\n```";
        let chapter = format!(
            "{{\"Chapter\": {{\"name\": \"a\", \"content\": \"{block}\", \"path\": \"a.md\", \"sub_items\": [\
             {{\"Chapter\": {{\"name\": \"b\", \"content\": \"{block}\", \"sub_items\": []}}}}, \"Separator\"]}}}}"
        );
        let config = "{\"preprocessor\": {\"berth\": {\"script\": \"https://a.example/?b&c\"}}}";
        let text = format!("[{{\"config\": {config}}}, {{\"{parts}\": [{chapter}]}}]");
        serde_json::from_str(&preprocess(&text).unwrap()).unwrap()
    }

    #[test]
    fn chapters_and_their_parts_are_rewritten_in_both_formats() {
        let expected = "```yaml\nkind: Pod\n```\n\n<berth-playground>\n</berth-playground>\n\n\n\
                        <script src=\"https://a.example/?b&amp;c\" async></script>\n";
        for parts in ["sections", "items"] {
            let book = preprocessed(parts);
            let chapter = &book[parts][0]["Chapter"];
            assert_eq!(chapter["content"], expected);
            assert_eq!(chapter["path"], "a.md");
            assert_eq!(chapter["sub_items"][0]["Chapter"]["content"], expected);
            assert_eq!(chapter["sub_items"][1], "Separator");
        }
    }

    #[test]
    fn a_book_without_blocks_stays_as_it_is() {
        let book = "{\"items\":[{\"Chapter\":{\"content\":\"```yaml\\nkind: Pod\\n```\\n\"}}]}";
        assert_eq!(preprocess(&format!("[{{}}, {book}]")).unwrap(), book);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "{}", "[{}]", "nonsense"] {
            assert!(preprocess(text).is_err(), "{text}");
        }
    }
}
