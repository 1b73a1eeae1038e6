//! The table of kinds: every kind of object that Berth reads and stores.
//!
//! [`for_each_kind!`](crate::for_each_kind) passes all rows to another macro. They generate
//! [`Manifest`](super::object::Manifest) and its decoding, [`Kind`] and [`KindInfo`], the API server's store
//! and its objects, the dynamic client, and kubectl's names. Group, version, kind, plural and scope come
//! from `k8s-openapi` (`Resource`), so a row holds only what these types lack.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, Resource};

use berth_scheduler::cluster::event::StoredKind;

pub use crate::for_each_kind;
pub use table::groups;

mod table;

/// A kind and its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// The name in manifests and in the store: `Pod`.
    pub kind: &'static str,
    /// `pods`.
    pub plural: &'static str,
    /// `pod`.
    pub singular: &'static str,
    /// `po`.
    pub short: &'static [&'static str],
    /// Group and version as in manifests: `v1`, `apps/v1`.
    pub api_version: &'static str,
    pub namespaced: bool,
    /// Whether its objects have the status subresource.
    pub has_status: bool,
    /// Whether it belongs to the category `all`.
    pub in_all: bool,
    /// Whether its objects have the scale subresource, for `spec.replicas`.
    pub scales: bool,
    /// The path of the Pod template: `spec.template`. Empty for a Pod, which is its own.
    pub template: Option<&'static str>,
}

impl KindInfo {
    /// The path of a field of the Pod template, in the API server's notation; `None` without a template.
    pub fn in_template(&self, field: &str) -> Option<String> {
        Some(match self.template? {
            "" => field.to_owned(),
            template => format!("{template}.{field}"),
        })
    }

    /// The group; empty for the core group.
    pub fn group(&self) -> &'static str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// The kind with its group, as apimachinery's `GroupKind` prints it: `Pod`, `Deployment.apps`.
    pub fn group_kind(&self) -> String {
        match self.group() {
            "" => self.kind.to_owned(),
            group => format!("{}.{group}", self.kind),
        }
    }

    /// The API server's name of the kind: `pods`, `deployments.apps`.
    pub fn resource(&self) -> String {
        match self.group() {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// kubectl's name of objects of the kind: `pod`, `deployment.apps`.
    pub fn qualified(&self) -> String {
        match self.group() {
            "" => self.singular.to_owned(),
            group => format!("{}.{group}", self.singular),
        }
    }
}

/// The scope of a kind, as a constant.
pub trait Scope {
    const NAMESPACED: bool;
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

/// Whether a type is namespaced.
pub const fn is_namespaced<T>() -> bool
where
    T: Resource<Scope: Scope>,
{
    <T::Scope as Scope>::NAMESPACED
}

/// Whether `words` contains `word`.
pub const fn has_word(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if is_same(words[at].as_bytes(), word.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn template_path(words: &[&str]) -> Option<&'static str> {
    if has_word(words, "template") {
        Some("spec.template")
    } else if has_word(words, "job_template") {
        Some("spec.jobTemplate.spec.template")
    } else if has_word(words, "own_template") {
        Some("")
    } else {
        None
    }
}

macro_rules! kinds {
    ($($kind:ident ($group:ident::$version:ident) {
        $table:ident [$($status:ident)?] [$($word:ident)*] $singular:literal [$($short:literal)*]
    })*) => {
        /// A kind of object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($kind,)*
        }

        impl Kind {
            /// Every kind, in the order of the store.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// The names of the kind.
            pub const fn info(self) -> &'static KindInfo {
                match self {
                    $(Kind::$kind => {
                        type T = groups::$group::$version::$kind;
                        const WORDS: &[&str] = &[$(stringify!($word)),*];
                        const STATUS: &[&str] = &[$(stringify!($status))?];
                        const INFO: KindInfo = KindInfo {
                            kind: T::KIND,
                            plural: T::URL_PATH_SEGMENT,
                            singular: $singular,
                            short: &[$($short),*],
                            api_version: T::API_VERSION,
                            namespaced: is_namespaced::<T>(),
                            has_status: !STATUS.is_empty(),
                            in_all: has_word(WORDS, "all"),
                            scales: has_word(WORDS, "scale"),
                            template: template_path(WORDS),
                        };
                        &INFO
                    })*
                }
            }

            /// Whether placement depends on objects of the kind.
            const fn decides(self) -> bool {
                match self {
                    $(Kind::$kind => {
                        const WORDS: &[&str] = &[$(stringify!($word)),*];
                        has_word(WORDS, "dump")
                    })*
                }
            }
        }
    };
}

for_each_kind!(kinds);

impl Kind {
    /// The scheduler's name of the kind, if its cluster keeps such objects.
    pub fn stored(self) -> Option<StoredKind> {
        StoredKind::of_name(self.info().kind)
    }

    /// The kind with this name in manifests: `Pod`.
    pub fn of_name(name: &str) -> Option<Kind> {
        let mut kinds = Kind::ALL.iter().copied();
        kinds.find(|kind| kind.info().kind == name)
    }
}

/// The group of devices, which not every server has.
const DEVICES: &str = "resource.k8s.io";

/// The command that prints what placement depends on in a cluster, on every server since 1.28.
pub fn dump_command() -> String {
    command(|info| info.group() != DEVICES)
}

/// The same for devices. kubectl refuses a whole list if the server lacks one of its types.
pub fn device_dump_command() -> String {
    command(|info| info.group() == DEVICES)
}

/// The kinds on which placement depends: those of every server, and those of devices.
pub fn deciding_kinds() -> [Vec<&'static KindInfo>; 2] {
    [
        deciding(|info| info.group() != DEVICES).collect(),
        deciding(|info| info.group() == DEVICES).collect(),
    ]
}

fn deciding(is_wanted: fn(&KindInfo) -> bool) -> impl Iterator<Item = &'static KindInfo> {
    let kinds = Kind::ALL.iter().filter(|kind| kind.decides());
    kinds
        .map(|kind| kind.info())
        .filter(move |info| is_wanted(info))
}

fn command(is_wanted: fn(&KindInfo) -> bool) -> String {
    let names = deciding(is_wanted);
    // The short names of short names are riddles: `no`, `po`.
    let names = names.map(|info| match info.short {
        [short, ..] if info.plural.len() > 5 => *short,
        _ => info.plural,
    });
    let names: Vec<&str> = names.collect();
    format!("kubectl get {} -A -o yaml", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_for_dumps_name_every_kind_that_decides() {
        assert_eq!(
            dump_command(),
            "kubectl get nodes,pods,deploy,rs,sts,ds,jobs,pvc,pv,sc,csinodes,csidrivers,ns,pc,limits,quota,pdb,svc,rc,\
             csistoragecapacities,runtimeclasses,volumeattachments -A -o yaml"
        );
        assert_eq!(
            device_dump_command(),
            "kubectl get resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses -A -o yaml"
        );
        let is_kept = |kind: &&Kind| kind.stored().is_some();
        assert_eq!(Kind::ALL.iter().filter(is_kept).count(), 16);
        assert!(Kind::ALL.iter().filter(is_kept).all(|kind| kind.decides()));
    }

    #[test]
    fn names_of_a_kind_come_from_its_row_and_type() {
        let info = Kind::HorizontalPodAutoscaler.info();
        assert_eq!(info.kind, "HorizontalPodAutoscaler");
        assert_eq!(info.api_version, "autoscaling/v2");
        assert_eq!(info.resource(), "horizontalpodautoscalers.autoscaling");
        assert_eq!(info.qualified(), "horizontalpodautoscaler.autoscaling");
        assert_eq!(info.short, ["hpa"]);
        assert!(info.namespaced && info.has_status && info.in_all);
        let node = Kind::Node.info();
        assert!(!node.namespaced && !node.in_all);
        assert_eq!(Kind::of_name("CSINode"), Some(Kind::CSINode));
        assert_eq!(Kind::of_name("Widget"), None);
    }

    #[test]
    fn workloads_say_where_their_template_is() {
        let path = |kind: Kind| kind.info().in_template("spec");
        assert_eq!(path(Kind::Pod).as_deref(), Some("spec"));
        assert_eq!(path(Kind::Job).as_deref(), Some("spec.template.spec"));
        let of_cron_job = "spec.jobTemplate.spec.template.spec";
        assert_eq!(path(Kind::CronJob).as_deref(), Some(of_cron_job));
        assert_eq!(path(Kind::Service), None);
        let scales = |kind: &&Kind| kind.info().scales;
        assert_eq!(Kind::ALL.iter().filter(scales).count(), 4);
    }

    #[test]
    fn names_are_spelled_as_their_kind() {
        for kind in Kind::ALL {
            let info = kind.info();
            assert_eq!(info.singular, info.kind.to_lowercase());
            assert_eq!(info.kind, format!("{kind:?}"));
        }
    }
}
