//! Redirections: where a command's input comes from, and where its output goes.

use super::run::Run;
use super::syntax::{Redirect, Stream};
use super::{Output, Printed};

/// The destination of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sink {
    Out,
    Err,
    File(String),
}

/// The streams of a command.
pub(super) struct Sinks {
    /// Redirected standard input.
    pub input: Option<String>,
    out: Sink,
    err: Sink,
}

impl Default for Sinks {
    fn default() -> Self {
        Sinks {
            input: None,
            out: Sink::Out,
            err: Sink::Err,
        }
    }
}

impl Run<'_> {
    /// Applies one redirection.
    pub(super) fn redirect(
        &mut self,
        redirect: &Redirect,
        sinks: &mut Sinks,
    ) -> Result<(), String> {
        match redirect {
            Redirect::Input(word) => {
                let name = self.text(word);
                let text = self.read(&name);
                let missing = || format!("bash: {name}: No such file or directory");
                sinks.input = Some(text.ok_or_else(missing)?);
            }
            Redirect::Text(word) => sinks.input = Some(self.text(word)),
            Redirect::Output {
                stream,
                file,
                append,
            } => {
                let name = self.text(file);
                let sink = match name.as_str() {
                    "/dev/stdout" => Sink::Out,
                    "/dev/stderr" => Sink::Err,
                    "" => return Err("bash: : No such file or directory".to_owned()),
                    name if name != "/dev/null" && self.is_folder(name) => {
                        return Err(format!("bash: {name}: Is a directory"));
                    }
                    _ => Sink::File(name.clone()),
                };
                if matches!(sink, Sink::File(_)) && !append {
                    self.write(&name, "", false)
                        .map_err(|why| format!("bash: {why}"))?;
                }
                if *stream != Stream::Err {
                    sinks.out = sink.clone();
                }
                if *stream != Stream::Out {
                    sinks.err = sink;
                }
            }
            Redirect::Duplicate { from, to } => {
                let sink = match to {
                    Stream::Err => sinks.err.clone(),
                    Stream::Out | Stream::Both => sinks.out.clone(),
                };
                match from {
                    Stream::Err => sinks.err = sink,
                    Stream::Out | Stream::Both => sinks.out = sink,
                }
            }
        }
        Ok(())
    }

    /// Writes redirected output to its destination; returns the rest.
    pub(super) fn deliver(&mut self, ran: Output, sinks: &Sinks) -> Output {
        if (&sinks.out, &sinks.err) == (&Sink::Out, &Sink::Err) {
            return ran;
        }
        let mut output = Output {
            code: ran.code,
            open: ran.open.clone(),
            ..Output::default()
        };
        for part in ran.printed() {
            let (text, sink) = match part {
                Printed::Out(text) => (text, &sinks.out),
                Printed::Err(text) => (text, &sinks.err),
            };
            match sink {
                Sink::Out => output.stdout.push_str(text),
                Sink::Err => {
                    output.stderr.push_str(text);
                    output.mark_stderr();
                }
                Sink::File(name) => {
                    if let Err(why) = self.write(name, text, true) {
                        output.complain(format!("bash: {why}"));
                    }
                }
            }
        }
        output
    }
}
