//! Splits the page's WebAssembly in two: the functions that a first visit runs, and the lazy module, which is
//! fetched when one of its functions is first called.
//!
//! A moved function leaves a stub behind, which fetches the lazy module unless it is loaded, then calls
//! the function. A wrong guess therefore costs a request, never a result. Constants that only moved
//! functions reach move with them.

mod choice;
mod constants;
mod first;
mod list;
mod names;
mod reach;
mod lazy_module;
mod seen;

use std::path::Path;
use walrus::{Module, ModuleConfig};

/// Module name of the lazy module's imports.
const FIRST: &str = "first";
/// Export names of the table of moved functions, and of the flag that the lazy module is loaded.
const TABLE: &str = "lazy_table";
const LOADED: &str = "lazy_loaded";
/// Export name of the table of functions that the lazy module calls. It imports each as [`called`] (`www/lazy-module.js`).
const BACK: &str = "lazy_calls";
/// The export that fetches the lazy module, implemented in `src/ui/lazy_module.rs`.
const LOAD: &str = "load_lazy_module";

/// The name under which the lazy module imports the function at this position of the table [`BACK`].
fn called(position: usize) -> String {
    format!("f{position}")
}

type Result<T = ()> = std::result::Result<T, String>;

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["watch", input, output] => watch(input.as_ref(), output.as_ref()),
        ["split", input, seen, folder] => split(input.as_ref(), seen.as_ref(), folder.as_ref()),
        _ => Err("usage: watch IN OUT | split IN SEEN FOLDER".to_string()),
    };
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// Writes a module that records which of its functions ran.
fn watch(input: &Path, output: &Path) -> Result {
    let mut module = read(input)?;
    seen::watch(&mut module);
    write(&mut module, output)
}

/// Writes both parts to `folder`, with the new names of the imports and a list of the first module's functions. `seen`: a
/// file with the numbers of the functions that a first visit ran, as recorded by the watched module.
fn split(input: &Path, seen: &Path, folder: &Path) -> Result {
    let numbers = std::fs::read_to_string(seen).map_err(|e| format!("{}: {e}", seen.display()))?;
    let mut module = read_with(input, true)?;
    let layout = constants::layout(&mut module)?;
    let ran = seen::ran(&module, &numbers)?;
    let load = module.exports.get_func(LOAD);
    let load = load.map_err(|_| format!("nothing is exported as `{LOAD}`"))?;
    let parts = choice::choose(&module, layout.as_ref(), &ran, load);
    println!(
        "{} of {} functions moved, {} of them called from the first module; they call {} of its functions",
        parts.moved.len(),
        module.funcs.iter_local().count(),
        parts.entries.len(),
        parts.back.len(),
    );
    let bytes: usize = parts.constants.iter().map(|range| range.len()).sum();
    let of: usize = module.data.iter().map(|data| data.value.len()).sum();
    println!("{bytes} of {of} bytes of constants moved");
    let mut other = read(input)?;
    constants::clear(&mut module, &parts.constants);
    constants::keep(&mut other, &parts.constants);
    put(folder, "first.txt", &list::of_first(&module, &parts, &ran))?;
    first::keep(&mut module, &parts, load);
    let names = names::shorten(&mut module);
    names::sort(&mut module);
    let names: Vec<String> = names
        .iter()
        .map(|(old, new)| format!("{old} {new}\n"))
        .collect();
    put(folder, "names.txt", &names.concat())?;
    let parts = parts.of(&other);
    lazy_module::keep(&mut other, &parts);
    write(&mut module, &folder.join("first.wasm"))?;
    write(&mut other, &folder.join("lazy.wasm"))
}

fn put(folder: &Path, name: &str, text: &str) -> Result {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn read(path: &Path) -> Result<Module> {
    read_with(path, false)
}

/// `names`: functions are written with their names.
fn read_with(path: &Path, names: bool) -> Result<Module> {
    ModuleConfig::new()
        .generate_name_section(names)
        .generate_producers_section(false)
        .parse_file(path)
        .map_err(|e| format!("{}: {e}", path.display()))
}

fn write(module: &mut Module, path: &Path) -> Result {
    constants::drop_notes(module);
    module
        .emit_wasm_file(path)
        .map_err(|e| format!("{}: {e}", path.display()))
}
