//! `kind: Scenario` (`berth.dev/v1alpha1`): Berth's own document.

/// A scenario's own document: title, description, steps, hints, expectations.
#[derive(Clone, Debug, Default)]
pub struct Scenario {}
