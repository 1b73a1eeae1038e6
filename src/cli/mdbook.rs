//! `berth mdbook`: a preprocessor of mdBook that makes `yaml berth` blocks live. It speaks mdBook's protocol: asked
//! `supports RENDERER` it answers by its exit status; otherwise it reads `[context, book]` and writes the book, as JSON.

mod rewrite;

use std::io::{self, Read, Write};

use berth_session::Printable;
use clap::{Args, Subcommand};
use serde_json::Value;

use super::messages::Messages;
use super::{Outcome, Status, Stop};

pub const MDBOOK_EXAMPLES: &str = "\
Examples:
  # book.toml
  [preprocessor.berth]
  command = \"berth mdbook\"
  script = \"https://example.org/berth/embed.js\"
  strict = true                      # a misspelt attribute fails the build

  # A chapter
  ```yaml berth view=matrix step=3
  kind: Node …
  ```

Exit status:
  0  the book is written; with supports: it can be rendered
  1  the renderer is not html: the blocks stay as they are
  2  the input is not a book, or with strict, an attribute of a block is misspelt";

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
    let preprocessed = preprocess(&text).map_err(Stop::Message)?;
    let complaints = preprocessed.complaints;
    if preprocessed.is_strict && !complaints.is_empty() {
        return Err(complaints.join("\nerror: ").into());
    }
    for complaint in complaints {
        writeln!(Messages, "warning: {complaint}")?;
    }
    writeln!(out, "{}", preprocessed.book)?;
    Ok(Status::Good)
}

/// The book of mdBook's input, with the element after each block, and what is wrong with the attributes of blocks.
///
/// # Errors
/// If the input is not `[context, book]`.
fn preprocess(text: &str) -> Result<Preprocessed, String> {
    let read = serde_json::from_str::<(Value, Value)>(text);
    let (context, mut book) =
        read.map_err(|error| format!("mdBook's [context, book] is expected: {error}"))?;
    let setting = |name: &str| context.pointer(&format!("/config/preprocessor/berth/{name}"));
    let script = setting("script");
    let script = script.and_then(Value::as_str).unwrap_or_default();
    let mut complaints = Vec::new();
    rewrite_chapters(&mut book, script, &mut complaints);
    Ok(Preprocessed {
        book: book.to_string(),
        complaints,
        is_strict: setting("strict") == Some(&Value::Bool(true)),
    })
}

/// What is written, and what is complained of.
struct Preprocessed {
    book: String,
    /// `chapter.md:12: what is wrong`.
    complaints: Vec<String>,
    is_strict: bool,
}

/// Rewrites each chapter below a value. mdBook 0.4 calls the book's parts `sections`, 0.5 `items`.
fn rewrite_chapters(value: &mut Value, script: &str, complaints: &mut Vec<String>) {
    match value {
        Value::Array(values) => {
            for value in values {
                rewrite_chapters(value, script, complaints);
            }
        }
        Value::Object(fields) => {
            if let Some(chapter) = fields.get_mut("Chapter") {
                rewrite_chapter(chapter, script, complaints);
            }
            for (_, value) in fields.iter_mut() {
                rewrite_chapters(value, script, complaints);
            }
        }
        _ => (),
    }
}

/// Adds the element after each block of a chapter, and one script if there is any.
fn rewrite_chapter(chapter: &mut Value, script: &str, complaints: &mut Vec<String>) {
    let field = |name: &str| chapter.get(name).and_then(Value::as_str);
    let name = field("path").or(field("name")).unwrap_or_default();
    let Some(content) = field("content") else {
        return;
    };
    let mut rewritten = rewrite::rewrite(content);
    let found = rewritten.complaints.iter();
    complaints.extend(found.map(|(line, what)| {
        let (name, what) = (Printable(name), Printable(what));
        format!("{name}:{line}: {what}")
    }));
    if rewritten.found > 0 && !script.is_empty() {
        let address = rewrite::escaped(script);
        let tag = format!("\n\n<script src=\"{address}\" async></script>\n");
        rewritten.text.push_str(&tag);
    }
    if let Some(content) = chapter.get_mut("content") {
        *content = Value::String(rewritten.text);
    }
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
        serde_json::from_str(&preprocess(&text).unwrap().book).unwrap()
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
        let preprocessed = preprocess(&format!("[{{}}, {book}]")).unwrap();
        assert_eq!(preprocessed.book, book);
        assert!(preprocessed.complaints.is_empty());
    }

    #[test]
    fn misspelt_attributes_are_named_with_their_line() {
        let chapter = "{\"Chapter\": {\"name\": \"a\", \"path\": \"a.md\", \"content\": \"# A\\n```yaml berth stpe=3\\n```\"}}";
        let context = "{\"config\": {\"preprocessor\": {\"berth\": {\"strict\": true}}}}";
        let preprocessed = preprocess(&format!("[{context}, {{\"items\": [{chapter}]}}]")).unwrap();
        assert!(preprocessed.is_strict);
        let complaint = "a.md:2: stpe is no attribute of a block (did you mean step?)";
        assert_eq!(preprocessed.complaints, [complaint]);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "{}", "[{}]", "nonsense"] {
            assert!(preprocess(text).is_err(), "{text}");
        }
    }
}
