//! The syntax tree of a script, before expansion.

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Unquoted text, in which braces, `~` and `*` are special.
    Bare(String),
    /// Literal text.
    Quoted(String),
    /// `$NAME`, `${NAME}`, `${NAME…}`.
    Variable {
        name: String,
        change: Change,
        quoted: bool,
    },
    /// `$(…)` and backquotes.
    Command { text: String, quoted: bool },
    /// `$((…))`.
    Arithmetic(String),
    /// `<(…)`: a file with the output of the command.
    Process(String),
}

/// A modification of a variable's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    /// `${NAME:-WORD}`: the word if the value is empty.
    Otherwise(Word),
    /// `${NAME#PATTERN}`, `${NAME%PATTERN}`, and their longest-match forms `##` and `%%`.
    Without {
        at_end: bool,
        longest: bool,
        pattern: Word,
    },
    /// Any other form of bash; the variable's name is then the whole text between the braces.
    Unsupported,
}

/// One word, made of adjacent parts.
pub type Word = Vec<Part>;

/// Where a command's input comes from, or its output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// `< FILE`.
    Input(Word),
    /// `<<EOF`, `<<<WORD`: the text.
    Text(Word),
    /// `> FILE`, `2> FILE`, `&> FILE`, `>> FILE`.
    Output {
        stream: Stream,
        file: Word,
        append: bool,
    },
    /// `2>&1`, `>&2`.
    Duplicate { from: Stream, to: Stream },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
    Both,
}

/// A command with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    pub assignments: Vec<(String, Word)>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Simple(Simple),
    For {
        name: String,
        words: Vec<Word>,
        body: Script,
    },
    /// `while`, and `until` if `wanted` is false.
    While {
        wanted: bool,
        condition: Script,
        body: Script,
    },
    /// Conditions with their bodies, and the body of `else`.
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Script,
    },
    /// `[[ … ]]`: words that are neither split nor expanded to file names.
    Condition(Vec<Word>),
    /// `{ …; }`, or if `apart`, `( … )`, whose changes to the shell are discarded.
    Group {
        body: Script,
        apart: bool,
    },
}

/// Commands whose output is the next one's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    pub negated: bool,
    /// Whether `time` precedes it.
    pub timed: bool,
    /// Whether `&` follows it.
    pub is_job: bool,
    pub commands: Vec<(Command, Vec<Redirect>)>,
}

/// When a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// `&&`: if the previous one succeeded.
    AndIf,
    /// `||`: if the previous one failed.
    OrElse,
}

/// A pipeline, and when it is run.
pub type Step = (When, Pipeline);

/// Pipelines one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub steps: Vec<Step>,
}

/// Why a text is not a valid script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The text is incomplete; bash's message if it ends here.
    Incomplete(String),
    /// The text is invalid; bash's message.
    Wrong(String),
}
