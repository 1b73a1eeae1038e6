//! Records which functions ran.

use crate::LOADED;
use std::collections::BTreeSet;
use walrus::ir::{Const, GlobalSet, Value};
use walrus::{ConstExpr, FunctionId, Module, ValType};

/// Makes every function set a global of its own, exported as `seenN`; N counts the module's functions.
/// The flag for the lazy module stays unset, so that the request for it is recorded as well.
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

/// Maps whitespace-separated numbers of `seenN` globals back to functions.
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
