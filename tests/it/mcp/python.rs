//! The public client in Python, `mcp` of PyPI, drives the server.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::folder;

/// The version of the client.
const CLIENT: &str = "mcp==2.3.0";

/// The environment with the client; why there is none.
fn environment() -> Result<std::path::PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools/mcp");
    let python = root.join("bin/python");
    let stamp = root.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|it| it == CLIENT) {
        return Ok(python);
    }
    let run = |command: &mut Command| {
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&root))?;
    let quiet = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
    ];
    run(Command::new(&python).args(quiet).arg(CLIENT))?;
    fs::write(&stamp, CLIENT).map_err(|error| error.to_string())?;
    Ok(python)
}

#[test]
#[ignore = "installs the client: `cargo xtask test all`"]
fn the_public_client_drives_the_server() {
    let python = match environment() {
        Ok(python) => python,
        Err(why) => {
            eprintln!("skipped: the client could not be installed: {why}");
            return;
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_berth"))
        .current_dir(folder("python"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{wrong}");
    assert_eq!(said, "done\n", "{wrong}");
}
