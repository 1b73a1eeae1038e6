//! The names of the first module: short ones for what it imports from wasm-bindgen's glue, and those that order its
//! functions.

use std::collections::BTreeSet;
use walrus::{FunctionId, FunctionKind, Module};

/// Modules of imports whose names stay: files of the page's own, which are not generated.
const OWN: &str = "./snippets/";

/// Renames the imports from the glue. Returns each old name with its new one, to rename them in the glue as well.
pub fn shorten(module: &mut Module) -> Vec<(String, String)> {
    let of_glue = module.imports.iter_mut().filter(|import| !import.module.starts_with(OWN));
    let mut renamed = Vec::new();
    for (number, import) in of_glue.enumerate() {
        let name = short(number);
        renamed.push((std::mem::replace(&mut import.name, name.clone()), name));
    }
    renamed
}

/// Names functions so that `wasm-opt` orders them by type and size: instances of a generic function are neighbors then,
/// and compression finds what they have in common. It drops the names, unless BERTH_NAMES asks it to keep them.
pub fn sort(module: &mut Module) {
    let ids: Vec<FunctionId> = module.funcs.iter().map(|function| function.id()).collect();
    for id in ids {
        let name = rank(module, id);
        let own = module.funcs.get(id).name.clone().unwrap_or_default();
        module.funcs.get_mut(id).name = Some(format!("{name} {own}"));
    }
}

/// The functions in the order that [`sort`] gives them.
pub fn ordered(module: &Module, functions: &BTreeSet<FunctionId>) -> Vec<FunctionId> {
    let is_local = |id: &FunctionId| matches!(module.funcs.get(*id).kind, FunctionKind::Local(_));
    let mut ordered: Vec<FunctionId> = functions.iter().copied().collect();
    ordered.sort_by_cached_key(|id| (is_local(id), rank(module, *id)));
    ordered
}

fn rank(module: &Module, id: FunctionId) -> String {
    let function = module.funcs.get(id);
    let size = match &function.kind {
        FunctionKind::Local(body) => body.size(),
        _ => 0,
    };
    let (ty, number) = (function.ty().index(), id.index());
    format!("{ty:05} {:010} {number:06}", u32::MAX - size as u32)
}

/// The identifier with this number: `a` to `z`, then `a0` to `z0`, `a1` and so on.
fn short(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{}", round - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_differ() {
        let names: BTreeSet<String> = (0..1000).map(short).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.contains("z") && names.contains("a0"));
    }

    #[test]
    fn only_the_glue_is_renamed() {
        let mut module = Module::default();
        let ty = module.types.add(&[], &[]);
        module.add_import_func("./page_bg.js", "__wbg_now_0123456789abcdef", ty);
        module.add_import_func("./snippets/page/lazy-module.js", "link", ty);
        let renamed = shorten(&mut module);
        let old = "__wbg_now_0123456789abcdef".to_string();
        assert_eq!(renamed, [(old, "a".to_string())]);
        let names: Vec<&str> = module.imports.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "link"]);
    }
}
