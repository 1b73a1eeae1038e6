//! How the API server names objects with `generateName`, and what uids it gives.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::ApiServer;
use crate::store::{Key, Stored, controller_of, name_of, namespace_of};
use berth_base::random::Random;
use berth_core::api::names::{GeneratedNames, base_of, drawn_suffix};
use berth_protocol::defaults::Edition;

/// How names and uids are generated.
#[derive(Clone, Debug)]
pub enum Naming {
    /// Counted: `web-0001`, and `uid-000001` in the order of creation.
    Counted(BTreeMap<String, u32>),
    /// Names by their owner and number, uids from the seed, in the format of real ones.
    ByOwner { names: GeneratedNames, uids: Random },
    /// Names and uids from one sequence, as in version 0.1.
    Drawn(Random),
}

impl Naming {
    /// The naming of an edition, with uids from this seed.
    pub fn new(edition: Edition, seed: u64) -> Self {
        let uids = Random::new(seed);
        match edition {
            Edition::V0_1 => Naming::Drawn(uids),
            Edition::V0_2 => Naming::ByOwner {
                names: GeneratedNames::default(),
                uids,
            },
        }
    }

    pub(super) fn uid(&mut self, made: u64) -> String {
        let random = match self {
            Naming::Counted(_) => return format!("uid-{made:06}"),
            Naming::ByOwner { uids, .. } => uids,
            Naming::Drawn(random) => random,
        };
        let (high, low) = (random.next_u64(), random.next_u64());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            0x8000 | ((low >> 48) & 0x3fff),
            low & 0xffff_ffff_ffff
        )
    }
}

impl ApiServer {
    /// Gives an object that has only `generateName` its name.
    pub(super) fn generate_name<T: Stored>(&mut self, meta: &mut ObjectMeta) {
        let base = meta.generate_name.as_deref().unwrap_or_default();
        if base.is_empty() || !name_of(meta).is_empty() {
            return;
        }
        let name = match &mut self.naming {
            Naming::Counted(counts) => {
                let base = base_of(base);
                let count = counts.entry(base.to_owned()).or_default();
                *count += 1;
                format!("{base}{count:04}")
            }
            Naming::ByOwner { names, .. } => {
                let namespace = namespace_of(meta);
                let owner = match controller_of(meta) {
                    Some(owner) => [&*owner.kind, namespace, &*owner.name],
                    None => [T::KIND, namespace, base],
                };
                let table = T::table(&self.store);
                names.next(owner, base, |name| {
                    table.get(&Key::new(namespace, name)).is_some()
                })
            }
            Naming::Drawn(random) => format!("{}{}", base_of(base), drawn_suffix(random)),
        };
        meta.name = Some(name);
    }

    /// Counts a name that scheduling alone generated for a controller's Pod.
    pub(crate) fn skip_name(&mut self, kind: &str, namespace: &str, controller: &str) {
        if let Naming::ByOwner { names, .. } = &mut self.naming {
            names.skip([kind, namespace, controller]);
        }
    }
}
