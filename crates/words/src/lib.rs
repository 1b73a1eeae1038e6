//! Macros for the page's sentences. English is in the source and is the key of the catalogue
//! (`src/words/zh-CN.txt`). A sentence without a translation compiles with a warning, which `cargo xtask test` denies, and the
//! page shows it in English; one with other placeholders than its translation does not compile.
//!
//! ```ignore
//! pub const SHARE: Text = text!("Share");
//! say!("{pod} waits for the gate {gate}.", gate = gates[0])
//! counted!(pods = plan.len(), "{pods} Pod is lost", "{pods} Pods are lost")
//! ```
//!
//! The expansions name `crate::words::language`, so only the package `berth` can use them.

mod call;
mod catalogue;
mod sentence;

use call::{Call, Fault};
use proc_macro::TokenStream;

/// A sentence without placeholders, as a constant `Text`.
#[proc_macro]
pub fn text(input: TokenStream) -> TokenStream {
    expand(input, Call::text)
}

/// A sentence with named placeholders, as a `String`. A placeholder without an argument names a variable.
#[proc_macro]
pub fn say(input: TokenStream) -> TokenStream {
    expand(input, Call::say)
}

/// A sentence in the singular and in the plural, as a `String`. The first argument is the count, a `usize`.
#[proc_macro]
pub fn counted(input: TokenStream) -> TokenStream {
    expand(input, Call::counted)
}

/// A sentence that another macro uses; only its translation is checked here.
#[proc_macro]
pub fn known(input: TokenStream) -> TokenStream {
    expand(input, Call::known)
}

/// The catalogue's hash: the page asks for the file by it, so that no older one is used.
#[proc_macro]
pub fn catalogue_hash(_: TokenStream) -> TokenStream {
    match catalogue::hash() {
        Ok(hash) => format!("\"{hash:016x}\"").parse().unwrap_or_default(),
        Err(message) => Fault::new(message).error(),
    }
}

fn expand(input: TokenStream, tell: fn(&Call) -> Result<TokenStream, Fault>) -> TokenStream {
    Call::read(input)
        .and_then(|call| tell(&call))
        .unwrap_or_else(|fault| fault.error())
}
