//! Which functions ran.

use crate::LOADED;
use std::collections::BTreeSet;
use walrus::ir::{Const, GlobalSet, Value};
use walrus::{ConstExpr, FunctionId, Module, ValType};

/// Every function sets a global of its own, exported as `seenN`; N counts the module's functions.
/// The module says that a rest is missing, so that asking for it is watched as well.
pub fn watch(module: &mut Module) {
    let no = ConstExpr::Value(Value::I32(0));
    let loaded = module.globals.add_local(ValType::I32, true, false, no);
    module.exports.add(LOADED, loaded);
    let ids: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    for (number, id) in ids.into_iter().enumerate() {
        let zero = ConstExpr::Value(Value::I32(0));
        let global = module.globals.add_local(ValType::I32, true, false, zero);
        module.exports.add(&format!("seen{number}"), global);
        let function = module.funcs.get_mut(id).kind.unwrap_local_mut();
        function
            .builder_mut()
            .func_body()
            .instr_at(0, GlobalSet { global })
            .instr_at(
                0,
                Const {
                    value: Value::I32(1),
                },
            );
    }
}

/// Reads numbers parted by white space back into functions.
pub fn ran(module: &Module, numbers: &str) -> crate::Result<BTreeSet<FunctionId>> {
    let ids: Vec<FunctionId> = module.funcs.iter_local().map(|(id, _)| id).collect();
    let mut ran = BTreeSet::new();
    for number in numbers.split_whitespace() {
        let index: usize = number
            .parse()
            .map_err(|_| format!("`{number}` is no number"))?;
        let id = ids
            .get(index)
            .ok_or_else(|| format!("there is no function {index}"))?;
        ran.insert(*id);
    }
    Ok(ran)
}
