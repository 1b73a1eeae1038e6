//! The page with the user's cluster, for one visitor: at an address that nobody can guess, and not for long.

use std::io::{self, Write};
use std::time::Duration;

use tiny_http::{Header, Method, Request, Response, Server};

use super::files::{Files, Found};
use super::server::{listen, with};
use crate::cli::{Outcome, Status, Stop};

/// The example that the page fetches: the snapshot in place of one of its own.
const EXAMPLE: &str = "cluster";
/// What keeps the page for later visits; there are none.
const WORKER: &str = "sw.js";
/// The snapshot is kept nowhere, and no other page learns the address.
const HEADERS: [(&str, &str); 3] = [
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
];

/// The page with a snapshot in it.
struct Site<'a> {
    files: &'a Files,
    snapshot: &'a str,
    /// The first part of each path.
    token: String,
    /// `127.0.0.1:PORT`.
    host: String,
}

/// Serves until nobody asked for anything for `idle`. `browse`: opens an address.
pub fn serve(
    folder: Option<&std::path::Path>,
    snapshot: &str,
    idle: Duration,
    browse: impl FnOnce(&str),
    out: &mut dyn Write,
) -> Outcome {
    let files = &Files::of(folder)?;
    let (server, port) = listen(0)?;
    let site = Site {
        files,
        snapshot,
        token: token()?,
        host: format!("127.0.0.1:{port}"),
    };
    let address = format!("http://{}/{}/?example={EXAMPLE}", site.host, site.token);
    let seconds = idle.as_secs();
    writeln!(
        out,
        "Your cluster is on {address} (until nothing was asked for {seconds} seconds, or Ctrl-C)."
    )?;
    out.flush()?;
    browse(&address);
    site.answer(&server, idle)?;
    Ok(Status::Good)
}

/// 128 random bits.
fn token() -> Result<String, Stop> {
    let mut bytes = [0; 16];
    getrandom::getrandom(&mut bytes)
        .map_err(|error| Stop::Message(format!("the system gives no random numbers: {error}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl Site<'_> {
    fn answer(&self, server: &Server, idle: Duration) -> io::Result<()> {
        while let Some(request) = server.recv_timeout(idle)? {
            // A browser may leave before it has its answer.
            let _ = self.respond(request);
        }
        Ok(())
    }

    fn respond(&self, request: Request) -> io::Result<()> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return request.respond(Response::empty(405));
        }
        if !self.is_own(request.headers()) {
            return request.respond(Response::empty(403));
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let inner = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(&self.token));
        let Some(inner) = inner.filter(|inner| inner.starts_with('/')) else {
            return request.respond(Response::empty(404));
        };
        if inner == format!("/scenarios/{EXAMPLE}.yaml") {
            let text = self.snapshot.as_bytes().to_vec();
            return request.respond(with(200, "cluster.yaml", text, &HEADERS));
        }
        match self.files.find(inner) {
            Found::File(name, content) if name != WORKER => {
                request.respond(with(200, &name, content.into_owned(), &HEADERS))
            }
            Found::File(..) | Found::Moved(_) | Found::Missing => {
                request.respond(Response::empty(404))
            }
        }
    }

    /// Whether a request is for this server, and from its own page: other sites reach 127.0.0.1 under names of their own.
    fn is_own(&self, headers: &[Header]) -> bool {
        let values = |name: &'static str| {
            let named = headers.iter().filter(move |it| it.field.equiv(name));
            named.map(|header| header.value.as_str())
        };
        let mut hosts = values("Host");
        let is_here = hosts.next() == Some(&self.host) && hosts.next().is_none();
        let own = format!("http://{}", self.host);
        is_here && values("Origin").all(|origin| origin == own)
    }
}
