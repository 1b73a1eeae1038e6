//! The syntax tree of a script, before expansion.

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text outside of quotes: braces, `~` and `*` mean something in it.
    Bare(String),
    /// Text as it is.
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
    /// `<(…)`: a file with what the command prints.
    Process(String),
}

/// What is made of a variable's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    /// `${NAME:-WORD}`: this if it is empty.
    Otherwise(Word),
    /// `${NAME#PATTERN}`, `${NAME%PATTERN}` and, for as much as possible, `##` and `%%`.
    Without {
        at_end: bool,
        longest: bool,
        pattern: Word,
    },
    /// What bash has besides; the name is then all that stands between the braces.
    Unsupported,
}

/// One word, of pieces that stand together.
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
    /// Conditions with what follows from them, and what else.
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Script,
    },
    /// `[[ … ]]`: words that are neither split nor made file names.
    Condition(Vec<Word>),
    /// `{ …; }` and `( … )`, whose variables are its own.
    Group {
        body: Script,
        apart: bool,
    },
}

/// Commands whose output is the next one's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    pub negated: bool,
    /// Whether `time` stands before it.
    pub timed: bool,
    /// Whether `&` stands behind it.
    pub is_job: bool,
    pub commands: Vec<(Command, Vec<Redirect>)>,
}

/// When a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// If the last one ended well.
    AndIf,
    /// If it did not.
    OrElse,
}

/// A pipeline, and when it is run.
pub type Step = (When, Pipeline);

/// Pipelines one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub steps: Vec<Step>,
}

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It goes on in the next line; bash's message if it does not.
    Incomplete(String),
    /// bash's message.
    Wrong(String),
}
