//! Macros for the page's sentences. English is in the source and is the key of the catalogues (`src/words/*.txt`). A
//! sentence without a translation is shown in English; where the catalogue says that it is complete, it compiles with a
//! warning, which `cargo xtask test` denies. One with other placeholders than a translation does not compile.
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
use catalogue::Catalogue;
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

/// The languages that have a catalogue, as a `&[About]`.
#[proc_macro]
pub fn languages(_: TokenStream) -> TokenStream {
    listed(catalogue::languages)
}

/// The texts of the catalogues, as a `&[&str]`.
#[proc_macro]
pub fn catalogues(_: TokenStream) -> TokenStream {
    listed(catalogue::texts)
}

fn listed(code: fn(&[Catalogue]) -> String) -> TokenStream {
    catalogue::all().map_or_else(
        |message| Fault::new(message).error(),
        |catalogues| code(catalogues).parse().unwrap_or_default(),
    )
}

fn expand(input: TokenStream, tell: fn(&Call) -> Result<TokenStream, Fault>) -> TokenStream {
    Call::read(input)
        .and_then(|call| tell(&call))
        .unwrap_or_else(|fault| fault.error())
}
