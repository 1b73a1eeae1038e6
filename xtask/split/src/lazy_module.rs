//! Builds the lazy module, which is fetched later.

use crate::choice::Parts;
use crate::first::name;
use crate::reach::pointers;
use crate::{FIRST, LOADED, TABLE, called};
use std::collections::BTreeMap;
use walrus::ir::Value;
use walrus::{
    ConstExpr, ElementItems, ElementKind, FunctionBuilder, FunctionId, FunctionKind, GlobalKind,
    ImportKind, ImportedFunction, Module, RefType, TableId, ValType, passes,
};

/// Keeps the moved functions and copies, and imports everything else from the first module.
pub fn keep(module: &mut Module, parts: &Parts) {
    let pointers = pointers(module).map(|(table, _)| table);
    let names: BTreeMap<FunctionId, String> = (0..)
        .zip(&parts.back)
        .map(|(position, id)| (*id, called(position)))
        .collect();
    // What is not called is removed in the end.
    let name_of = |id: FunctionId| names.get(&id).cloned().unwrap_or_default();
    close(module);
    for id in local_functions(module) {
        if !parts.moved.contains(&id) && !parts.copied.contains(&id) {
            let import = module.imports.add(FIRST, &name_of(id), id);
            let ty = module.funcs.get(id).ty();
            module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
        }
    }
    for import in module.imports.iter_mut() {
        if let ImportKind::Function(id) = import.kind {
            import.module = FIRST.to_string();
            import.name = name_of(id);
        }
    }
    share(module);
    if let Some(table) = pointers {
        point(module, parts, table);
    }
    enter(module, parts);
    passes::gc::run(module);
}

/// Removes the start function, exports and element segments: only the first module initializes.
fn close(module: &mut Module) {
    module.start = None;
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    for id in exports {
        module.exports.delete(id);
    }
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
    }
    for id in elements {
        module.elements.delete(id);
    }
}

fn local_functions(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter_local().map(|(id, _)| id).collect()
}

/// Imports tables, memories and globals from the first module.
fn share(module: &mut Module) {
    let tables: Vec<_> = module.tables.iter().map(|table| table.id()).collect();
    for id in tables {
        let import = module.imports.add(FIRST, &name(id.into()), id);
        module.tables.get_mut(id).import = Some(import);
    }
    let memories: Vec<_> = module.memories.iter().map(|memory| memory.id()).collect();
    for id in memories {
        let import = module.imports.add(FIRST, &name(id.into()), id);
        module.memories.get_mut(id).import = Some(import);
    }
    let globals: Vec<_> = module.globals.iter().map(|global| global.id()).collect();
    for id in globals {
        let import = module.imports.add(FIRST, &name(id.into()), id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
}

/// Fills the slots of the table of function pointers that the first module left to this one.
fn point(module: &mut Module, parts: &Parts, table: TableId) {
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (&slot, &id) in &parts.slots {
        match runs.last_mut() {
            Some((start, ids)) if *start + ids.len() as u32 == slot => ids.push(id),
            _ => runs.push((slot, vec![id])),
        }
    }
    for (start, ids) in runs {
        let offset = ConstExpr::Value(Value::I32(start as i32));
        let kind = ElementKind::Active { table, offset };
        let element = module.elements.add(kind, ElementItems::Functions(ids));
        module.tables.get_mut(table).elem_segments.insert(element);
    }
}

/// Fills the table that the stubs call through and sets the flag that the lazy module is loaded.
fn enter(module: &mut Module, parts: &Parts) {
    let length = parts.entries.len() as u64;
    let (table, _) =
        module.add_import_table(FIRST, TABLE, false, length, Some(length), RefType::FUNCREF);
    let (loaded, _) = module.add_import_global(FIRST, LOADED, ValType::I32, true, false);
    let offset = ConstExpr::Value(Value::I32(0));
    // The map iterates in function order, and slots were assigned in that order.
    let functions = ElementItems::Functions(parts.entries.keys().copied().collect());
    let element = module
        .elements
        .add(ElementKind::Active { table, offset }, functions);
    module.tables.get_mut(table).elem_segments.insert(element);
    let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
    builder.func_body().i32_const(1).global_set(loaded);
    module.start = Some(builder.finish(Vec::new(), &mut module.funcs));
}
