//! Compiled selectors, and their results on the devices of slices.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::store::SliceInfo;
use crate::api::cel::{Program, Rules, compile};

/// What an expression yields on a device, or the error that ends the cycle.
type Answer = Result<bool, Arc<str>>;

/// A compiled expression and its results: by version of the slice, then by device.
#[derive(Clone, Debug)]
struct Entry {
    program: Result<Program, String>,
    results: BTreeMap<u64, Vec<Option<Answer>>>,
}

/// Each expression is compiled once, and evaluated once on each device of each version of a slice: its
/// result depends on nothing else. A clone begins empty.
#[derive(Debug, Default)]
pub struct Selectors(RefCell<BTreeMap<Arc<str>, Entry>>);

impl Clone for Selectors {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The number of versions of slices after which an expression's results are forgotten.
const MOST_VERSIONS: usize = 20_000;
const MOST_EXPRESSIONS: usize = 2_000;

impl Selectors {
    /// Whether a device satisfies an expression.
    ///
    /// # Errors
    /// `CEL compile error: …` or `CEL runtime error: …`.
    pub fn matches(
        &self,
        expression: &str,
        slice: &SliceInfo,
        device: usize,
    ) -> Result<bool, Arc<str>> {
        let mut all = self.0.borrow_mut();
        if !all.contains_key(expression) {
            if all.len() >= MOST_EXPRESSIONS {
                all.clear();
            }
            let rules = Rules {
                stored: true,
                allow_multiple: true,
            };
            let entry = Entry {
                program: compile(expression, rules),
                results: BTreeMap::new(),
            };
            all.insert(Arc::from(expression), entry);
        }
        let Some(entry) = all.get_mut(expression) else {
            return Ok(false);
        };
        if entry.results.len() >= MOST_VERSIONS {
            entry.results.clear();
        }
        let known = entry
            .results
            .entry(slice.version)
            .or_insert_with(|| vec![None; slice.devices.len()]);
        if let Some(Some(result)) = known.get(device) {
            return result.clone();
        }
        let result = match (&entry.program, slice.value(device)) {
            (Err(error), _) => Err(Arc::from(format!("CEL compile error: {error}"))),
            (_, None) => Ok(false),
            (Ok(program), Some(value)) => program
                .matches(value)
                .map_err(|error| Arc::from(format!("CEL runtime error: {error}"))),
        };
        if let Some(slot) = known.get_mut(device) {
            *slot = Some(result.clone());
        }
        result
    }

    /// The values of a device that an expression names.
    pub fn seen(
        &self,
        expression: &str,
        slice: &SliceInfo,
        device: usize,
    ) -> Vec<(String, String)> {
        let all = self.0.borrow();
        let program = all.get(expression).and_then(|it| it.program.as_ref().ok());
        match (program, slice.value(device)) {
            (Some(program), Some(value)) => program.seen(value),
            _ => Vec::new(),
        }
    }
}
