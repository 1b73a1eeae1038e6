//! What the code of the first module reaches: functions, constants and function pointers.
//!
//! Code behind a call of the lazy module runs only when that is loaded. What only such code mentions, and the
//! arguments of such a call, may therefore come with the lazy module: above all the places and texts of panics.

use crate::constants::Layout;
use std::collections::{BTreeMap, BTreeSet};
use walrus::ir::{Instr, InstrLocId, InstrSeq, LocalId, Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionId, FunctionKind, GlobalKind,
    LocalFunction, Module, TableId,
};

/// What functions of the first module mention.
pub struct Reached {
    /// Functions that they call.
    pub called: BTreeSet<FunctionId>,
    /// Data, by symbol index.
    pub data: BTreeSet<u32>,
    /// Slots of the table of function pointers. `None`: all.
    slots: Option<BTreeSet<u32>>,
}

impl Reached {
    /// `stays`: the functions of the first module.
    pub fn from(module: &Module, layout: Option<&Layout>, stays: &BTreeSet<FunctionId>) -> Self {
        let mut found = Mentioned::default();
        for (id, function) in module.funcs.iter_local() {
            if stays.contains(&id) {
                found.within(module, stays, function);
            }
        }
        for global in module.globals.iter() {
            if let GlobalKind::Local(ConstExpr::Value(Value::I32(number))) = global.kind {
                found.numbers.insert(number as u32);
            }
        }
        let data = layout.map_or_else(BTreeSet::new, |it| it.reached(&found.numbers));
        let slots = layout.filter(|_| !is_table_exported(module)).map(|layout| {
            let mut slots = layout.slots_in(&data);
            slots.extend(&found.numbers);
            slots
        });
        Self {
            called: found.called,
            data,
            slots,
        }
    }

    /// Functions that a pointer of the first module may point to. `slots`: all function pointers.
    pub fn slots(&self, slots: &BTreeMap<u32, FunctionId>) -> impl Iterator<Item = FunctionId> {
        let reached = |slot: &u32| self.slots.as_ref().is_none_or(|it| it.contains(slot));
        let found = slots.iter().filter(move |(slot, _)| reached(slot));
        found.map(|(_, id)| *id)
    }
}

/// Functions that a function calls or refers to.
pub fn calls(function: &LocalFunction) -> BTreeSet<FunctionId> {
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

/// The table of function pointers, and its functions by slot.
pub fn pointers(module: &Module) -> Option<(TableId, BTreeMap<u32, FunctionId>)> {
    let mut found = None;
    for element in module.elements.iter() {
        let (ElementKind::Active { table, offset }, ElementItems::Functions(ids)) =
            (&element.kind, &element.items)
        else {
            continue;
        };
        let ConstExpr::Value(Value::I32(start)) = offset else {
            continue;
        };
        let (_, slots) = found.get_or_insert_with(|| (*table, BTreeMap::new()));
        slots.extend((*start as u32..).zip(ids.iter().copied()));
    }
    found
}

fn is_table_exported(module: &Module) -> bool {
    pointers(module).is_none_or(|(table, _)| {
        let of = |item| matches!(item, ExportItem::Table(id) if id == table);
        module.exports.iter().any(|export| of(export.item))
    })
}

/// Numbers in functions of the first module that may be addresses or slots, and the functions that they call.
#[derive(Default)]
struct Mentioned {
    numbers: BTreeSet<u32>,
    called: BTreeSet<FunctionId>,
}

impl Mentioned {
    fn within(&mut self, module: &Module, stays: &BTreeSet<FunctionId>, body: &LocalFunction) {
        self.called.extend(calls(body));
        let is_later = |id: FunctionId| {
            let local = matches!(module.funcs.get(id).kind, FunctionKind::Local(_));
            local && !stays.contains(&id)
        };
        let mut walk = Walk {
            is_later: &is_later,
            open: Vec::new(),
            numbers: &mut self.numbers,
        };
        dfs_in_order(&mut walk, body, body.entry_block());
    }
}

/// Collects the numbers that instructions mention before the lazy module is loaded.
struct Walk<'a, F> {
    is_later: &'a F,
    /// The sequences around the current instruction: which of their instructions are exempt, and the next of them.
    open: Vec<(Vec<bool>, usize)>,
    numbers: &'a mut BTreeSet<u32>,
}

impl<'a, F: Fn(FunctionId) -> bool> Visitor<'a> for Walk<'_, F> {
    fn start_instr_seq(&mut self, sequence: &'a InstrSeq) {
        // The instruction that contains this sequence was visited before.
        let within = self.open.last();
        let exempt = within.is_some_and(|(exempt, next)| exempt[next - 1]);
        let exempt = exempt_in(sequence, exempt, self.is_later);
        self.open.push((exempt, 0));
    }

    fn end_instr_seq(&mut self, _: &'a InstrSeq) {
        self.open.pop();
    }

    fn visit_instr(&mut self, instr: &'a Instr, _: &'a InstrLocId) {
        let Some((exempt, next)) = self.open.last_mut() else {
            return;
        };
        *next += 1;
        if !exempt[*next - 1] {
            self.numbers.extend(number(instr));
        }
    }
}

fn number(instr: &Instr) -> Option<u32> {
    let number = match instr {
        Instr::Const(it) => match it.value {
            Value::I32(number) => u64::from(number as u32),
            _ => return None,
        },
        Instr::Load(it) => it.arg.offset,
        Instr::Store(it) => it.arg.offset,
        Instr::AtomicRmw(it) => it.arg.offset,
        Instr::Cmpxchg(it) => it.arg.offset,
        Instr::AtomicNotify(it) => it.arg.offset,
        Instr::AtomicWait(it) => it.arg.offset,
        Instr::LoadSimd(it) => it.arg.offset,
        _ => return None,
    };
    u32::try_from(number).ok()
}

/// Instructions of a sequence that may mention what comes with the lazy module: those behind a call of it, and
/// constants of the straight line before, which nothing reads until then.
fn exempt_in(sequence: &InstrSeq, all: bool, is_later: impl Fn(FunctionId) -> bool) -> Vec<bool> {
    let mut exempt = vec![all; sequence.instrs.len()];
    let of_second = |instr: &Instr| matches!(instr, Instr::Call(call) if is_later(call.func));
    let call = sequence.instrs.iter().position(|(it, _)| of_second(it));
    let Some(call) = call.filter(|_| !all) else {
        return exempt;
    };
    exempt[call..].fill(true);
    // Locals through which later instructions of the line read memory.
    let mut read: BTreeSet<LocalId> = BTreeSet::new();
    for at in (0..call).rev() {
        match &sequence.instrs[at].0 {
            Instr::Const(_) => exempt[at] = true,
            Instr::LocalGet(_)
            | Instr::GlobalGet(_)
            | Instr::GlobalSet(_)
            | Instr::Binop(_)
            | Instr::Unop(_)
            | Instr::Drop(_)
            | Instr::Store(_) => {}
            Instr::LocalSet(it) if !read.contains(&it.local) => {}
            Instr::LocalTee(it) if !read.contains(&it.local) => {}
            // Constants before may be the address only through a local.
            Instr::Load(_) => match at.checked_sub(1).map(|it| &sequence.instrs[it].0) {
                Some(Instr::LocalGet(it)) => {
                    read.insert(it.local);
                }
                _ => break,
            },
            _ => break,
        }
    }
    exempt
}
