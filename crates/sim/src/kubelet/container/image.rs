//! A container's image: present, pulled, or missing.

use super::super::identity::normalized;
use super::super::notes::Notes;
use super::{Container, NOTICE_MS, State};
use berth_shell::go_duration;

/// How long a pull takes without an annotation.
const PULL_MS: i64 = 1_000;
/// The size of every image in events; real sizes are unknown.
const IMAGE_BYTES: i64 = 50_000_000;

impl Container {
    /// Whether its image cannot be pulled: by annotation, or because the node's registry has no such image.
    fn image_is_missing(&self) -> bool {
        let annotated = self.behavior.image_is_missing;
        annotated.unwrap_or_else(|| !self.images.has(&self.image))
    }

    /// Starts the container, after pulling its image if necessary.
    pub fn begin(&mut self, uid: &str, now: i64, notes: &mut Notes) {
        let image = &self.image;
        let is_first = self.starts == 0 && self.pull.wait_ms() == 0;
        let pulls = !self.never_pulls
            && (self.always_pulls
                || self.image_is_missing()
                || (is_first && self.behavior.pull_ms.is_some()));
        if self.image_is_missing() && self.never_pulls {
            let message =
                format!("Container image {image:?} is not present with pull policy of Never");
            notes.warning("ErrImageNeverPull", message.clone());
            notes.warning("Failed", "Error: ErrImageNeverPull");
            self.hold("ErrImageNeverPull", message, i64::MAX);
            return;
        }
        if !pulls {
            notes.normal(
                "Pulled",
                format!("Container image {image:?} already present on machine"),
            );
            self.run(uid, now, notes);
            return;
        }
        notes.normal("Pulling", format!("Pulling image {image:?}"));
        // An image that was pulled before only needs a manifest check at the registry.
        let takes = if is_first {
            self.behavior.pull_ms.unwrap_or(PULL_MS)
        } else {
            0
        };
        if takes > 0 {
            self.state = State::Pulling {
                until: now.saturating_add(takes),
            };
        } else {
            self.pulled(uid, 0, now, notes);
        }
    }

    /// Finishes a pull, which fails if the image is missing.
    fn pulled(&mut self, uid: &str, took_ms: i64, now: i64, notes: &mut Notes) {
        if !self.image_is_missing() {
            let took = go_duration(took_ms);
            let image = &self.image;
            notes.normal(
                "Pulled",
                format!("Successfully pulled image {image:?} in {took} ({took} including waiting). Image size: {IMAGE_BYTES} bytes."),
            );
            self.run(uid, now, notes);
            return;
        }
        let error = self.pull_error();
        notes.warning(
            "Failed",
            format!("Failed to pull image {:?}: {error}", self.image),
        );
        notes.warning("Failed", "Error: ErrImagePull");
        self.pull.next(now, now);
        self.hold("ErrImagePull", error, now.saturating_add(NOTICE_MS));
    }

    fn pull_error(&self) -> String {
        let image = normalized(&self.image);
        format!(
            "rpc error: code = NotFound desc = failed to pull and unpack image {image:?}: failed to resolve reference {image:?}: {image}: not found"
        )
    }

    pub(super) fn hold(&mut self, reason: &'static str, message: String, until: i64) {
        if let State::Ended(exit) = &self.state {
            self.last = Some(exit.clone());
        }
        self.state = State::Held {
            reason,
            message,
            until,
        };
    }

    pub(super) fn back_off_pulling(&mut self, now: i64, notes: &mut Notes) {
        let image = &self.image;
        notes.normal("BackOff", format!("Back-off pulling image {image:?}"));
        notes.warning("Failed", "Error: ImagePullBackOff");
        let message = format!(
            "Back-off pulling image {image:?}: ErrImagePull: {}",
            self.pull_error()
        );
        let until = now
            .saturating_add(self.pull.wait_ms())
            .saturating_sub(NOTICE_MS);
        self.hold("ImagePullBackOff", message, until);
    }

    /// Completes the pull in progress.
    pub(super) fn finish_pull(&mut self, uid: &str, now: i64, notes: &mut Notes) {
        let took = self.behavior.pull_ms.unwrap_or(PULL_MS);
        self.pulled(uid, took, now, notes);
    }
}
