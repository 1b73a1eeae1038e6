//! Sharing: the link to this visit, and links that were opened.

mod effects;
mod state;
mod view;

pub use effects::{
    call, encode, fetch, in_address, make, make_bookmarklet, page, print_document,
    print_explanation, read, read_fragment, save_png, show_host, talk_to_host,
};
pub use state::{LinkResult, Opened, Parts, Share, ShareAction, Snippet};
pub use view::{address_row, arrival, button, qr, view};
