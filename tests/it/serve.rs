//! `berth serve` as a browser meets it.

#[cfg(feature = "serve")]
mod server {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::path::{Path, PathBuf};
    use std::process::{Child, ChildStdout, Command, Stdio};

    /// A running command; it ends with the test.
    struct Serving {
        child: Child,
        port: u16,
    }

    impl Drop for Serving {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    fn serve(folder: Option<&Path>) -> Serving {
        let mut child = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(["serve", "--port", "0"])
            .args(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://127.0.0.1:").unwrap();
        let port = rest.split('/').next().unwrap().parse().unwrap();
        Serving { child, port }
    }

    impl Serving {
        /// The whole answer to one request line.
        fn ask(&self, method: &str, path: &str) -> String {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
            write!(
                stream,
                "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
            )
            .unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            String::from_utf8_lossy(&answer).into_owned()
        }
    }

    /// A folder like a site's, in which everything but `outside.txt` may be read.
    fn folder() -> PathBuf {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{}", std::process::id()));
        for (name, text) in [
            ("outside.txt", "secret"),
            ("site/index.html", "<title>Berth</title>"),
            ("site/404.html", "nothing here"),
            ("site/.hidden", "secret"),
            ("site/gallery/index.html", "<title>Gallery</title>"),
            ("site/assets/0a/a_bg.wasm", "wasm"),
        ] {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        folder.join("site")
    }

    #[test]
    fn a_folder_is_served_and_nothing_beside_it() {
        let serving = serve(Some(&folder()));
        let page = serving.ask("GET", "/?example=taints");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(
            page.contains("text/html") && page.ends_with("<title>Berth</title>"),
            "{page}"
        );
        let wasm = serving.ask("GET", "/assets/0a/a_bg.wasm");
        assert!(wasm.contains("application/wasm"), "{wasm}");
        let head = serving.ask("HEAD", "/gallery/");
        assert!(
            head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
            "{head}"
        );
        let moved = serving.ask("GET", "/gallery");
        assert!(
            moved.starts_with("HTTP/1.1 301") && moved.contains("Location: /gallery/"),
            "{moved}"
        );
        for path in [
            "/nothing",
            "/../outside.txt",
            "/%2e%2e/outside.txt",
            "/.hidden",
            "//outside.txt",
        ] {
            let missing = serving.ask("GET", path);
            assert!(
                missing.starts_with("HTTP/1.1 404") && missing.ends_with("nothing here"),
                "{path}: {missing}"
            );
        }
        assert!(serving.ask("POST", "/").starts_with("HTTP/1.1 405"));
    }

    /// An answer to a whole request.
    fn raw(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// `berth open` with a stand-in for kubectl, and what it prints.
    #[cfg(unix)]
    fn open(idle: &str) -> (Child, BufReader<ChildStdout>) {
        use std::os::unix::fs::PermissionsExt;
        let site = folder();
        let bin = site.with_file_name("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let kubectl = bin.join("kubectl");
        let script = r#"#!/bin/sh
echo '{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u", "managedFields": ["x"]}}]}'
"#;
        std::fs::write(&kubectl, script).unwrap();
        std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(site.join("sw.js"), "worker").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(["open", "--no-browser", "--idle", idle, "--site"])
            .arg(&site)
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        (child, out)
    }

    /// The user's cluster: at an address that nobody can guess, for this machine's browser alone.
    #[cfg(unix)]
    #[test]
    fn a_cluster_is_served_to_its_visitor_alone() {
        let (child, mut out) = open("600");
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://127.0.0.1:").unwrap();
        let (port, rest) = rest.split_once('/').unwrap();
        let (token, _) = rest.split_once('/').unwrap();
        assert!(
            rest.contains("/?example=cluster ") && token.len() == 32,
            "{line}"
        );
        let port: u16 = port.parse().unwrap();
        let _serving = Serving { child, port };
        let ask = |path: &str, more: &str| {
            raw(
                port,
                &format!("GET {path} HTTP/1.1\r\n{more}Connection: close\r\n\r\n"),
            )
        };
        let own = format!("Host: 127.0.0.1:{port}\r\n");
        let snapshot = format!("/{token}/scenarios/cluster.yaml");
        let answer = ask(&snapshot, &own);
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.contains("no-store"),
            "{answer}"
        );
        assert!(
            answer.contains(r#""name":"n1""#) && !answer.contains("managedFields"),
            "{answer}"
        );
        assert!(!answer.contains("Access-Control-Allow-Origin"), "{answer}");
        assert!(ask(&format!("/{token}/"), &own).ends_with("<title>Berth</title>"));
        for (path, more, status) in [
            ("/", own.clone(), "404"),
            ("/scenarios/cluster.yaml", own.clone(), "404"),
            (&*format!("/{token}x/"), own.clone(), "404"),
            (&*format!("/{token}/../outside.txt"), own.clone(), "404"),
            (&*format!("/{token}/sw.js"), own.clone(), "404"),
            (&*snapshot, format!("Host: evil.example:{port}\r\n"), "403"),
            (&*snapshot, "Host: 127.0.0.1\r\n".to_owned(), "403"),
            (
                &*snapshot,
                format!("{own}Origin: https://evil.example\r\n"),
                "403",
            ),
            (&*snapshot, format!("{own}Origin: null\r\n"), "403"),
            (
                &*snapshot,
                format!("{own}Origin: http://127.0.0.1:{port}\r\n"),
                "200",
            ),
        ] {
            let answer = ask(path, &more);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status}")),
                "{path} {more}: {answer}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_cluster_is_not_served_for_long() {
        let (mut child, _) = open("1");
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn the_command_serves_the_page_that_it_contains_or_says_how_to_get_it() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("site/index.html");
        if let Ok(page) = std::fs::read_to_string(page) {
            assert!(serve(None).ask("GET", "/").ends_with(&page));
            return;
        }
        let output = Command::new(env!("CARGO_BIN_EXE_berth"))
            .arg("serve")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("`cargo xtask site`"), "{message}");
    }
}

#[cfg(not(feature = "serve"))]
#[test]
fn without_its_server_the_command_says_how_to_get_it() {
    let mut berth = std::process::Command::new(env!("CARGO_BIN_EXE_berth"));
    let output = berth.arg("serve").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("--features serve"), "{message}");
}
