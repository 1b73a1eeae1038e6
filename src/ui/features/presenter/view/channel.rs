//! The channel between the projected page and the notes.

use borsh::{BorshDeserialize, BorshSerialize};
use gloo::events::EventListener;
use js_sys::Uint8Array;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{BroadcastChannel, MessageEvent};

use super::map::Map;
use crate::ui::features::presenter::Notes;

/// From the projected page.
#[derive(BorshSerialize, BorshDeserialize)]
pub enum ToNotes {
    Notes(Box<Notes>),
    Map(Map),
    /// The page is there; nothing has changed.
    Here,
    /// The page left presentation size, or was closed.
    Gone,
}

/// From the notes.
#[derive(BorshSerialize, BorshDeserialize)]
pub enum ToProjector {
    /// The window is there. `knows`: it has notes and a map.
    Hello {
        knows: bool,
    },
    /// The next-step key, or the key back.
    Step {
        forwards: bool,
    },
    /// Shows the ring at this place, in parts of the window's width and height.
    Point {
        x: f32,
        y: f32,
    },
    HidePoint,
}

/// One end of the channel.
pub struct Channel {
    channel: BroadcastChannel,
    _listener: EventListener,
}

impl Channel {
    /// Opens the channel; `None` if the browser has none. What cannot be read is `None`, too: the other window has
    /// another version of Berth.
    pub fn open<T: BorshDeserialize>(name: &str, on: impl Fn(Option<T>) + 'static) -> Option<Self> {
        let channel = BroadcastChannel::new(&format!("berth.notes.{name}")).ok()?;
        let listener = EventListener::new(&channel, "message", move |event| {
            let message = event.dyn_ref::<MessageEvent>();
            let bytes = message.and_then(|message| message.data().dyn_into::<Uint8Array>().ok());
            on(bytes.and_then(|bytes| borsh::from_slice(&bytes.to_vec()).ok()));
        });
        Some(Self {
            channel,
            _listener: listener,
        })
    }

    /// Sends a message to all other windows with this channel.
    pub fn send(&self, message: &impl BorshSerialize) {
        if let Ok(bytes) = borsh::to_vec(message) {
            // If it cannot be sent, the other window says that it waits.
            let _ = self.channel.post_message(&Uint8Array::from(&*bytes));
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.close();
    }
}
