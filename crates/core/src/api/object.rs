//! The documents that Berth reads: Kubernetes' own types, tagged by kind, and three kinds that are not API
//! objects.

use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::decode::{Finding, decode};
use super::kinds::{Kind, for_each_kind, groups};
use super::scenario::Scenario;

macro_rules! manifest {
    ($($kind:ident ($group:ident::$version:ident) {$($rest:tt)*})*) => {
        /// One document of a supported kind, as written.
        #[derive(Clone, Debug)]
        pub enum Manifest {
            $($kind(Box<groups::$group::$version::$kind>),)*
            /// `kubescheduler.config.k8s.io/v1`, still as JSON: `api::config` reads it.
            SchedulerConfiguration(Box<Value>),
            /// `berth.dev/v1alpha1`, `kind: Scenario`.
            Scenario(Box<Scenario>),
            /// `conformance/v1`, `kind: Script`, still as JSON: `berth replay` reads it.
            Script(Box<Value>),
        }

        impl Manifest {
            /// Decodes an object of a kind.
            pub fn decode(kind: Kind, value: &Value) -> (Option<Manifest>, Vec<Finding>) {
                match kind {
                    $(Kind::$kind => {
                        let (object, findings) = decode(value);
                        (object.map(Manifest::$kind), findings)
                    })*
                }
            }

            /// Kind and metadata; `None` for documents that are not API objects.
            pub fn object(&self) -> Option<(Kind, &ObjectMeta)> {
                match self {
                    $(Manifest::$kind(object) => Some((Kind::$kind, object.metadata())),)*
                    Manifest::SchedulerConfiguration(_)
                    | Manifest::Scenario(_)
                    | Manifest::Script(_) => None,
                }
            }
        }
    };
}

for_each_kind!(manifest);
