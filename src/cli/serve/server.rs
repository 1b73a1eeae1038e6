//! Answers browsers on this machine. The page has its Content-Security-Policy in its document; other headers of a host
//! (`_headers`) matter only where a site is public.

use std::io::Write;
use std::net::Ipv4Addr;

use tiny_http::{Header, Method, Request, Response, Server};

use super::files::{Files, Found};
use crate::cli::{Outcome, Status, Stop};

/// Serves until interrupted. One request after the other: the files are small and there is one visitor.
pub fn serve(files: &Files, port: u16, out: &mut dyn Write) -> Outcome {
    let (server, port) = listen(port)?;
    writeln!(
        out,
        "Berth is on http://127.0.0.1:{port}/ (Ctrl-C ends it)."
    )?;
    out.flush()?;
    for request in server.incoming_requests() {
        // A browser may leave before it has its answer.
        let _ = respond(files, request);
    }
    Ok(Status::Good)
}

/// A server on this port of this machine, or on a free one, and the port.
///
/// # Errors
/// If the port is taken.
pub fn listen(port: u16) -> Result<(Server, u16), Stop> {
    let server = Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        Stop::Message(format!(
            "port {port} of 127.0.0.1: {error}; choose another with --port"
        ))
    })?;
    let port = server.server_addr().to_ip().map_or(port, |it| it.port());
    Ok((server, port))
}

fn respond(files: &Files, request: Request) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::empty(405));
    }
    match files.find(request.url()) {
        Found::File(name, content) => request.respond(file(200, &name, content.into_owned())),
        Found::Moved(to) => {
            let location = header("Location", &to);
            let moved = Response::empty(301);
            request.respond(location.into_iter().fold(moved, Response::with_header))
        }
        Found::Missing => {
            let page = files.read("404.html").unwrap_or_default();
            request.respond(file(404, "404.html", page.into_owned()))
        }
    }
}

fn file(status: u16, name: &str, content: Vec<u8>) -> Response<std::io::Cursor<Vec<u8>>> {
    let headers = [
        // The next command on this port may have another version.
        ("Cache-Control", "no-cache"),
        // A sandboxed frame has an origin of its own.
        ("Access-Control-Allow-Origin", "*"),
    ];
    with(status, name, content, &headers)
}

/// A response with a file and these headers.
pub fn with(
    status: u16,
    name: &str,
    content: Vec<u8>,
    headers: &[(&str, &str)],
) -> Response<std::io::Cursor<Vec<u8>>> {
    let always = [
        ("Content-Type", content_type(name)),
        ("X-Content-Type-Options", "nosniff"),
    ];
    let headers = always.iter().chain(headers);
    let headers = headers.filter_map(|(name, value)| header(name, value));
    let response = Response::from_data(content).with_status_code(status);
    headers.fold(response, Response::with_header)
}

/// `None` only for names and values that no header can have.
fn header(name: &str, value: &str) -> Option<Header> {
    Header::from_bytes(name, value).ok()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" | "yaml" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
