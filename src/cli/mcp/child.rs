//! Runs a command in a process of its own, which ends when the call does.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::cli::given::Files;

/// Bytes of what a command writes to standard error; the rest is not read.
const MAX_MESSAGES: usize = 1 << 16;

/// Bounds of one call.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes.
    pub answer: usize,
}

/// What a command wrote.
pub struct Written {
    pub status: Option<i32>,
    pub out: Vec<u8>,
    pub messages: String,
}

/// Why there is no answer.
pub enum Ended {
    Cancelled,
    /// It took too long.
    Late,
    /// The answer is too long.
    Long,
    Failed(String),
}

/// Runs `berth WORDS` on these files, and nothing else of the disk.
pub async fn on_files(
    program: &Path,
    words: &[String],
    files: &Files,
    limits: Limits,
    cancelled: &CancellationToken,
) -> Result<Written, Ended> {
    let input = json!({"words": words, "files": files}).to_string();
    let words = [super::call::COMMAND.into()];
    run(program, &words, input, limits, cancelled).await
}

/// Runs `berth WORDS`.
pub async fn run(
    program: &Path,
    words: &[OsString],
    input: String,
    limits: Limits,
    cancelled: &CancellationToken,
) -> Result<Written, Ended> {
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let failed = |error: std::io::Error| Ended::Failed(format!("berth cannot be run: {error}"));
    let mut child = command.spawn().map_err(failed)?;
    let answered = tokio::select! {
        () = cancelled.cancelled() => Err(Ended::Cancelled),
        answered = timeout(limits.time, talk(&mut child, input, limits.answer)) => match answered {
            Ok(answered) => answered,
            Err(_) => Err(Ended::Late),
        },
    };
    if answered.is_err() {
        // It has ended by itself otherwise.
        let _ = child.kill().await;
    }
    answered
}

/// Writes the input, and reads what comes.
async fn talk(child: &mut Child, input: String, most: usize) -> Result<Written, Ended> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A command that fails early does not read all of it.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let messages = async {
        let Some(mut stderr) = stderr else {
            return Vec::new();
        };
        let first = some(&mut stderr, MAX_MESSAGES).await;
        let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
        first
    };
    let out = async {
        let Some(mut stdout) = stdout else {
            return Ok(Vec::new());
        };
        let out = some(&mut stdout, most + 1).await;
        match out.len() > most {
            true => Err(Ended::Long),
            false => Ok(out),
        }
    };
    let all = async { tokio::join!(write, messages) };
    // An answer that is too long ends the call at once.
    let (((), messages), out) = tokio::try_join!(async { Ok::<_, Ended>(all.await) }, out)?;
    let status = child.wait().await;
    let status = status.map_err(|error| Ended::Failed(error.to_string()))?;
    Ok(Written {
        status: status.code(),
        out,
        messages: String::from_utf8_lossy(&messages).into_owned(),
    })
}

/// The first bytes of a stream.
async fn some(stream: &mut (impl AsyncRead + Unpin), most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    // What was read before an error counts.
    let _ = stream.take(most).read_to_end(&mut bytes).await;
    bytes
}
