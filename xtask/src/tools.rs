//! The tools, their pinned versions and their locations.

use crate::process::root;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Trunk builds the page. Pinned: newer versions accept different settings.
pub const TRUNK: &str = "0.21.14";

/// Must equal the `wasm-bindgen` crate in Cargo.toml and `[tools]` in Trunk.toml.
pub const WASM_BINDGEN: &str = "0.2.129";

/// The oldest Node.js that everything here runs with.
pub const NODE_MAJOR: u32 = 20;

/// The compiler target of the page.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Features that rustc emits for that target, enabled so that wasm-opt accepts them.
pub const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-sign-ext",
    "--enable-mutable-globals",
];

/// The git-ignored folder for programs that cargo installs for this project alone.
pub fn tools_dir() -> PathBuf {
    root().join(".tools")
}

/// PATH with the project's own tools first: Trunk takes its helpers from here
/// and never downloads them.
pub fn search_path() -> OsString {
    let own = [
        tools_dir().join("bin"),
        root().join("node_modules").join(".bin"),
    ];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(std::env::split_paths(&inherited));
    std::env::join_paths(all).unwrap_or(inherited)
}

/// The path of a program, found through [`search_path`].
pub fn find_on_path(name: &OsStr) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd", ""]
    } else {
        &[""]
    };
    std::env::split_paths(&search_path())
        .flat_map(|folder| endings.iter().map(move |ending| (folder.clone(), *ending)))
        .map(|(folder, ending)| {
            let mut file = name.to_os_string();
            file.push(ending);
            folder.join(file)
        })
        .find(|path| path.is_file())
}
