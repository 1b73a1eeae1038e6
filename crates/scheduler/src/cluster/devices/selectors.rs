//! Compiled selectors, and their results on the devices of slices.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::store::SliceInfo;
use crate::cel::{Program, Rules, compile};

/// What an expression yields on a device, or the error that ends the cycle.
type Answer = Result<bool, Arc<str>>;

/// A compiled expression, and its results by version of the slice, then by device.
#[derive(Debug)]
pub struct Selector {
    program: Result<Program, String>,
    results: RefCell<BTreeMap<u64, Vec<Option<Answer>>>>,
}

/// Each expression is compiled once, and evaluated once on each device of each version of a slice: its
/// result depends on nothing else. A clone begins empty.
#[derive(Debug, Default)]
pub struct Selectors(RefCell<BTreeMap<String, Rc<Selector>>>);

impl Clone for Selectors {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The number of versions of slices after which an expression's results are forgotten.
const MOST_VERSIONS: usize = 20_000;
const MOST_EXPRESSIONS: usize = 2_000;

impl Selectors {
    /// The selector of an expression.
    pub fn of(&self, expression: &str) -> Rc<Selector> {
        let mut all = self.0.borrow_mut();
        if let Some(known) = all.get(expression) {
            return Rc::clone(known);
        }
        if all.len() >= MOST_EXPRESSIONS {
            all.clear();
        }
        let rules = Rules {
            stored: true,
            allow_multiple: true,
        };
        let selector = Rc::new(Selector {
            program: compile(expression, rules),
            results: RefCell::default(),
        });
        all.insert(expression.to_owned(), Rc::clone(&selector));
        selector
    }
}

impl Selector {
    /// Whether it selects a device.
    ///
    /// # Errors
    /// `CEL compile error: …` or `CEL runtime error: …`.
    pub fn matches(&self, slice: &SliceInfo, device: usize) -> Result<bool, Arc<str>> {
        let mut results = self.results.borrow_mut();
        if results.len() >= MOST_VERSIONS {
            results.clear();
        }
        let known = results
            .entry(slice.version)
            .or_insert_with(|| vec![None; slice.devices.len()]);
        if let Some(Some(result)) = known.get(device) {
            return result.clone();
        }
        let result = match (&self.program, slice.value(device)) {
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

    /// The values of a device that the expression names.
    pub fn seen(&self, slice: &SliceInfo, device: usize) -> Vec<(String, String)> {
        match (&self.program, slice.value(device)) {
            (Ok(program), Some(value)) => program.seen(value),
            _ => Vec::new(),
        }
    }
}
