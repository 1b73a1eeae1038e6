//! Chooses the functions of the second part.

use std::collections::{BTreeMap, BTreeSet};
use walrus::ir::{Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ExportItem, FunctionId, FunctionKind, LocalFunction, Module,
};

/// Functions up to this size stay in the first part, whether they ran or not: a stub is hardly
/// smaller. Clicks and keys call such functions first, before the second part is known to be needed.
const STAYS_BYTES: usize = 80;

/// The split of a module's functions.
pub struct Parts {
    /// Functions of the second part.
    pub later: BTreeSet<FunctionId>,
    /// Functions of the second part that the first part calls or points to, each with its slot in
    /// the table of moved functions.
    pub entries: BTreeMap<FunctionId, u32>,
    /// Functions of the first part that the second calls.
    pub back: BTreeSet<FunctionId>,
}

impl Parts {
    /// The same split for another parse of the same module. Only the indices agree between the two.
    pub fn of(&self, other: &Module) -> Self {
        let ids: Vec<FunctionId> = other.funcs.iter().map(|function| function.id()).collect();
        let of = |id: &FunctionId| ids[id.index()];
        Self {
            later: self.later.iter().map(of).collect(),
            entries: self
                .entries
                .iter()
                .map(|(id, slot)| (of(id), *slot))
                .collect(),
            back: self.back.iter().map(of).collect(),
        }
    }
}

/// `ran`: the functions that a first visit runs. `way`: the function that fetches the second part; it
/// stays, together with everything it calls.
pub fn choose(module: &Module, ran: &BTreeSet<FunctionId>, way: FunctionId) -> Parts {
    let mut stays = reached(module, way);
    stays.extend(ran);
    stays.extend(module.start);
    let later: BTreeSet<FunctionId> = module
        .funcs
        .iter_local()
        .filter(|(id, function)| !stays.contains(id) && size(function) > STAYS_BYTES)
        .map(|(id, _)| id)
        .collect();
    let mut entries: BTreeSet<FunctionId> = pointed_to(module);
    let mut back = BTreeSet::new();
    for (id, function) in module.funcs.iter_local() {
        let called = calls(function);
        if later.contains(&id) {
            back.extend(called.difference(&later));
        } else {
            entries.extend(called);
        }
    }
    let entries = entries.intersection(&later).copied().zip(0..).collect();
    Parts {
        later,
        entries,
        back,
    }
}

/// `from` and all functions that it calls, directly or indirectly. Calls through tables are not
/// followed: their targets are stubs or stay anyway.
fn reached(module: &Module, from: FunctionId) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(id) = next.pop() {
        if !reached.insert(id) {
            continue;
        }
        if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
            next.extend(calls(function));
        }
    }
    reached
}

fn size(function: &LocalFunction) -> usize {
    function
        .original_range
        .as_ref()
        .map_or(0, |range| range.len())
}

/// Functions in tables and exports.
fn pointed_to(module: &Module) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for element in module.elements.iter() {
        match &element.items {
            ElementItems::Functions(ids) => found.extend(ids),
            ElementItems::Expressions(_, items) => {
                found.extend(items.iter().filter_map(|item| match item {
                    ConstExpr::RefFunc(id) => Some(*id),
                    _ => None,
                }));
            }
        }
    }
    found.extend(
        module
            .exports
            .iter()
            .filter_map(|export| match export.item {
                ExportItem::Function(id) => Some(id),
                _ => None,
            }),
    );
    found
}

fn calls(function: &LocalFunction) -> BTreeSet<FunctionId> {
    struct Calls(BTreeSet<FunctionId>);
    impl Visitor<'_> for Calls {
        fn visit_function_id(&mut self, id: &FunctionId) {
            self.0.insert(*id);
        }
    }
    let mut calls = Calls(BTreeSet::new());
    dfs_in_order(&mut calls, function, function.entry_block());
    calls.0
}
