//! Chooses the functions of the lazy module.

use crate::constants::Layout;
use crate::names;
use crate::reach::{Reached, calls, pointers};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use walrus::ir::Instr;
use walrus::{ExportItem, FunctionId, FunctionKind, LocalFunction, Module};

/// Functions up to this size stay in the first module if it calls or points to them, whether they ran or not: a stub is
/// hardly smaller. Clicks and keys call such functions first, before the lazy module is known to be needed.
const STAYS_BYTES: usize = 80;

/// Functions of the first module up to this size that the lazy module calls are copied to it: an export of the first module
/// costs a first visit more than a copy costs the lazy module.
const COPIED_BYTES: usize = 64;

/// The split of a module's functions.
pub struct Parts {
    /// Functions of the lazy module.
    pub moved: BTreeSet<FunctionId>,
    /// Functions of the lazy module that the first module calls or points to, each with its slot in
    /// the table of moved functions.
    pub entries: BTreeMap<FunctionId, u32>,
    /// Slots of the table of function pointers that the lazy module fills: nothing in the first module reaches them.
    pub slots: BTreeMap<u32, FunctionId>,
    /// Functions of the first module that the lazy module has copies of.
    pub copied: BTreeSet<FunctionId>,
    /// Functions of the first module that the lazy module calls, in the order of the first module.
    pub back: Vec<FunctionId>,
    /// Addresses of constants of the lazy module, sorted and disjoint.
    pub constants: Vec<Range<u32>>,
}

impl Parts {
    /// The same split for another parse of the same module. Only the indices agree between the two.
    pub fn of(&self, other: &Module) -> Self {
        let ids: Vec<FunctionId> = other.funcs.iter().map(|function| function.id()).collect();
        let of = |id: &FunctionId| ids[id.index()];
        let all = |set: &BTreeSet<FunctionId>| set.iter().map(of).collect();
        Self {
            moved: all(&self.moved),
            entries: self
                .entries
                .iter()
                .map(|(id, slot)| (of(id), *slot))
                .collect(),
            slots: self
                .slots
                .iter()
                .map(|(slot, id)| (*slot, of(id)))
                .collect(),
            copied: all(&self.copied),
            back: self.back.iter().map(of).collect(),
            constants: self.constants.clone(),
        }
    }
}

/// `ran`: the functions that a first visit runs. `way`: the function that fetches the lazy module; it
/// stays, together with everything it calls.
pub fn choose(
    module: &Module,
    layout: Option<&Layout>,
    ran: &BTreeSet<FunctionId>,
    way: FunctionId,
) -> Parts {
    let mut stays = called_from(module, way);
    stays.extend(ran);
    stays.extend(module.start);
    let slots = pointers(module).map_or_else(BTreeMap::new, |(_, slots)| slots);
    let reached = loop {
        let reached = Reached::from(module, layout, &stays);
        let mut wanted = exported(module);
        wanted.extend(reached.slots(&slots));
        wanted.extend(&reached.called);
        let stays_too = |id: &FunctionId| {
            let small = |it| size(it) <= STAYS_BYTES && !panics(it);
            !stays.contains(id) && local(module, *id).is_some_and(small)
        };
        let small: Vec<FunctionId> = wanted.into_iter().filter(stays_too).collect();
        if small.is_empty() {
            break reached;
        }
        stays.extend(small);
    };
    let moved: BTreeSet<FunctionId> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| !stays.contains(id))
        .map(|(id, _)| id)
        .collect();
    let mut entries = exported(module);
    entries.extend(reached.slots(&slots));
    entries.extend(&reached.called);
    let pointed_to: BTreeSet<FunctionId> = reached.slots(&slots).collect();
    let slots = slots
        .into_iter()
        .filter(|(_, id)| moved.contains(id) && !pointed_to.contains(id))
        .collect();
    let (copied, back) = back(module, &moved);
    Parts {
        entries: entries.intersection(&moved).copied().zip(0..).collect(),
        moved,
        slots,
        copied,
        back: names::ordered(module, &back),
        constants: layout.map_or_else(Vec::new, |it| it.moved(&reached.data)),
    }
}

/// Functions of the first module that the lazy module has copies of, and those that it calls.
fn back(
    module: &Module,
    moved: &BTreeSet<FunctionId>,
) -> (BTreeSet<FunctionId>, BTreeSet<FunctionId>) {
    let (mut copied, mut back) = (BTreeSet::new(), BTreeSet::new());
    let mut next: Vec<FunctionId> = moved.iter().copied().collect();
    while let Some(id) = next.pop() {
        let called = local(module, id).map(calls).unwrap_or_default();
        for id in called.difference(moved) {
            match local(module, *id) {
                Some(function) if size(function) <= COPIED_BYTES => {
                    if copied.insert(*id) {
                        next.push(*id);
                    }
                }
                _ => {
                    back.insert(*id);
                }
            }
        }
    }
    (copied, back)
}

/// `from` and all functions that it calls, directly or indirectly. Calls through tables are not
/// followed: their targets are stubs or stay anyway.
fn called_from(module: &Module, from: FunctionId) -> BTreeSet<FunctionId> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(id) = next.pop() {
        if reached.insert(id)
            && let Some(function) = local(module, id)
        {
            next.extend(calls(function));
        }
    }
    reached
}

/// The body of a function that is not imported.
pub fn local(module: &Module, id: FunctionId) -> Option<&LocalFunction> {
    match &module.funcs.get(id).kind {
        FunctionKind::Local(function) => Some(function),
        _ => None,
    }
}

/// Bytes of a function, as the linker wrote it.
pub fn size(function: &LocalFunction) -> usize {
    function
        .original_range
        .as_ref()
        .map_or(0, |range| range.len())
}

/// Whether a function never returns. Such a function is called last, with texts and places that no other code needs.
fn panics(function: &LocalFunction) -> bool {
    let body = function.block(function.entry_block());
    matches!(body.instrs.last(), Some((Instr::Unreachable(_), _)))
}

fn exported(module: &Module) -> BTreeSet<FunctionId> {
    let functions = module
        .exports
        .iter()
        .filter_map(|export| match export.item {
            ExportItem::Function(id) => Some(id),
            _ => None,
        });
    functions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use walrus::{FunctionBuilder, InstrSeqBuilder, ModuleConfig};

    /// Adds and exports a function.
    fn add(module: &mut Module, name: &str, body: impl FnOnce(&mut InstrSeqBuilder)) -> FunctionId {
        let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
        body(&mut builder.func_body());
        let id = builder.finish(Vec::new(), &mut module.funcs);
        module.funcs.get_mut(id).name = Some(name.to_string());
        id
    }

    /// `ran` calls `near` and `ends`; `far` is exported, large, and calls `near` and `alone`. All others are small.
    fn program() -> Module {
        let mut module = Module::default();
        let load = add(&mut module, "load", |_| {});
        let near = add(&mut module, "near", |body| {
            body.i32_const(1).drop();
        });
        let ends = add(&mut module, "ends", |body| {
            body.unreachable();
        });
        let alone = add(&mut module, "alone", |body| {
            body.i32_const(2).drop();
        });
        let ran = add(&mut module, "ran", |body| {
            body.call(near).call(ends);
        });
        let far = add(&mut module, "far", |body| {
            for _ in 0..STAYS_BYTES {
                body.i32_const(3).drop();
            }
            body.call(near).call(alone);
        });
        for (name, id) in [("load", load), ("ran", ran), ("far", far)] {
            module.exports.add(name, id);
        }
        let config = ModuleConfig::new();
        config.parse(&module.emit_wasm()).unwrap()
    }

    #[test]
    fn functions_are_where_they_cost_a_first_visit_least() {
        let module = program();
        let of = |name: &str| module.funcs.by_name(name).unwrap();
        let ran = BTreeSet::from([of("ran")]);
        let parts = choose(&module, None, &ran, of("load"));
        assert_eq!(parts.moved, ["ends", "alone", "far"].map(of).into());
        let entries: BTreeSet<FunctionId> = parts.entries.keys().copied().collect();
        assert_eq!(entries, ["ends", "far"].map(of).into());
        assert_eq!(parts.copied, [of("near")].into());
        assert_eq!(parts.back, []);
    }
}
