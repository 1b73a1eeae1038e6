//! `berth mcp`: the commands as tools of the Model Context Protocol, over standard input and output.
//!
//! The server reads the manifests that a call names, and runs the command of the same name in a process of its own, which
//! reads only what it is handed (`given`) and writes the JSON that it always writes. So a call can be stopped at any moment,
//! takes no more time than it is given, and cannot write to the server's standard output.

mod answer;
pub mod call;
mod child;
mod files;
mod lines;
mod server;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rmcp::serve_server;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{stdin, stdout};

use super::live::Context;
use super::{Outcome, Status};
use files::Roots;
use server::Server;

pub const MCP_EXAMPLES: &str = "\
Examples:
  # In the configuration of an agent: the command, and its arguments
  berth mcp --root manifests/
  berth mcp --root manifests/ --cluster --context staging

Tools: load, schedule, explain, what-if, reduce, compare and kubectl, with the JSON of the commands.
Calls have manifests as text, or name files below the folders of --root. Nothing is written, and no
cluster is asked without --cluster, which lets `load` read a snapshot of it.

Exit status:
  0  the client has closed the connection
  2  a folder cannot be read, or the client does not speak the protocol";

/// Bytes of one call's manifests.
pub const MAX_INPUT: usize = 32 << 20;

/// Options of `berth mcp`.
#[derive(Debug, Args)]
pub struct McpOptions {
    /// A folder whose manifests tools may read (may be given several times)
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub root: Vec<PathBuf>,

    /// Let `load` read your cluster with your kubectl, read-only
    #[arg(long)]
    pub cluster: bool,

    #[command(flatten)]
    pub which: Context,

    /// How long a call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// How long an answer may be
    #[arg(long, value_name = "KB", default_value_t = 1024)]
    pub max_answer: usize,
}

/// Serves until the client closes the connection.
pub fn run(options: &McpOptions) -> Outcome {
    let roots = Roots::open(&options.root)?;
    let is_named = options.which.context.is_some() || options.which.kubeconfig.is_some();
    if is_named && !options.cluster {
        return Err("--context and --kubeconfig need --cluster"
            .to_owned()
            .into());
    }
    let limits = child::Limits {
        time: Duration::from_secs(options.timeout.max(1)),
        answer: options.max_answer.max(1) << 10,
    };
    let cluster = options.cluster.then(|| options.which.clone());
    let server = Server::new(roots, cluster, limits)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let input = lines::bounded(stdin());
        let transport = AsyncRwTransport::new_server(input, stdout());
        let transport = transport.with_max_line_length(lines::MAX_LINE + 1);
        let running = serve_server(server, transport).await;
        let running = running.map_err(|error| error.to_string())?;
        let ended = running.waiting().await;
        ended.map(|_| ()).map_err(|error| error.to_string())
    });
    // A read of standard input may be going on.
    runtime.shutdown_background();
    served?;
    Ok(Status::Good)
}
