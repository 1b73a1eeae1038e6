//! Builds the first module, which a first visit downloads.

use crate::choice::Parts;
use crate::reach::pointers;
use crate::{BACK, LOADED, TABLE};
use walrus::ir::Value;
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind,
    GlobalId, LocalFunction, Module, RefType, TableId, TypeId, ValType,
};

/// Replaces moved functions with stubs and exports what the lazy module imports. `load`: the function
/// that fetches the lazy module.
pub fn keep(module: &mut Module, parts: &Parts, load: FunctionId) {
    let pointers = pointers(module).map(|(table, _)| table);
    open(module, parts);
    let loaded = loaded(module);
    let table = table(module, parts.entries.len() as u64);
    let ensure = ensure(module, load, loaded);
    if let Some(table) = pointers {
        vacate(module, parts, table, ensure);
    }
    for (&id, &slot) in &parts.entries {
        let stub = stub(module, module.funcs.get(id).ty(), slot, ensure, table);
        module.funcs.get_mut(id).kind = FunctionKind::Local(stub);
    }
    for id in &parts.moved {
        if !parts.entries.contains_key(id) {
            module.funcs.delete(*id);
        }
    }
}

fn loaded(module: &mut Module) -> GlobalId {
    let no = ConstExpr::Value(Value::I32(0));
    let loaded = module.globals.add_local(ValType::I32, true, false, no);
    module.exports.add(LOADED, loaded);
    loaded
}

fn table(module: &mut Module, length: u64) -> TableId {
    let table = module
        .tables
        .add_local(false, length, Some(length), RefType::FUNCREF);
    module.exports.add(TABLE, table);
    table
}

/// Puts `other` in the slots that the lazy module fills: an element segment has no gaps.
fn vacate(module: &mut Module, parts: &Parts, pointers: TableId, other: FunctionId) {
    for element in module.elements.iter_mut() {
        let (ElementKind::Active { table, offset }, ElementItems::Functions(ids)) =
            (&element.kind, &mut element.items)
        else {
            continue;
        };
        if *table != pointers {
            continue;
        }
        let ConstExpr::Value(Value::I32(start)) = offset else {
            continue;
        };
        for (slot, id) in (*start as u32..).zip(ids) {
            if parts.slots.contains_key(&slot) {
                *id = other;
            }
        }
    }
}

/// A function that fetches the lazy module unless it is loaded.
fn ensure(module: &mut Module, load: FunctionId, loaded: GlobalId) -> FunctionId {
    let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
    builder.func_body().global_get(loaded).if_else(
        None,
        |_| {},
        |missing| {
            missing.call(load);
        },
    );
    builder.finish(Vec::new(), &mut module.funcs)
}

/// A function of type `ty` that ensures the lazy module is loaded, then calls the function in `slot`.
fn stub(
    module: &mut Module,
    ty: TypeId,
    slot: u32,
    ensure: FunctionId,
    table: TableId,
) -> LocalFunction {
    let (params, results) = module.types.params_results(ty);
    let (params, results) = (params.to_vec(), results.to_vec());
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let args: Vec<_> = params
        .iter()
        .map(|param| module.locals.add(*param))
        .collect();
    let mut body = builder.func_body();
    body.call(ensure);
    for arg in &args {
        body.local_get(*arg);
    }
    body.i32_const(slot as i32).call_indirect(ty, table);
    builder.local_func(args)
}

/// Exports what the lazy module imports: functions in a table, which takes fewer bytes than a name for each.
fn open(module: &mut Module, parts: &Parts) {
    let length = parts.back.len() as u64;
    let table = module
        .tables
        .add_local(false, length, Some(length), RefType::FUNCREF);
    let offset = ConstExpr::Value(Value::I32(0));
    let kind = ElementKind::Active { table, offset };
    let functions = ElementItems::Functions(parts.back.clone());
    let element = module.elements.add(kind, functions);
    module.tables.get_mut(table).elem_segments.insert(element);
    let tables = module.tables.iter().map(|it| it.id()).filter(|id| *id != table);
    let mut items: Vec<ExportItem> = tables.map(ExportItem::from).collect();
    items.extend(module.memories.iter().map(|it| ExportItem::from(it.id())));
    items.extend(module.globals.iter().map(|it| ExportItem::from(it.id())));
    for item in items {
        module.exports.add(&name(item), item);
    }
    module.exports.add(BACK, table);
}

/// The export name of what is not a function. Both parts are parsed from one module, so their indices and names agree.
pub fn name(item: ExportItem) -> String {
    match item {
        ExportItem::Function(id) => format!("f{:x}", id.index()),
        ExportItem::Table(id) => format!("t{:x}", id.index()),
        ExportItem::Memory(id) => format!("m{:x}", id.index()),
        ExportItem::Global(id) => format!("g{:x}", id.index()),
        ExportItem::Tag(id) => format!("e{:x}", id.index()),
    }
}
