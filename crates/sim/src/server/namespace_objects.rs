//! What controllers keep in every namespace: the ServiceAccount `default` (the serviceaccounts controller) and the
//! ConfigMap `kube-root-ca.crt` (the root CA publisher).
//!
//! Nothing here reads them, so they are made when someone asks, and stored once someone changes them: a cluster of
//! many namespaces has none of them to carry.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::ApiServer;
use crate::store::{Key, Object, name_of, namespace_of};
use berth_core::api::kinds::Kind;
use berth_core::api::prepare::made_uid;

/// The account of Pods that name none.
pub const DEFAULT_ACCOUNT: &str = "default";

/// The ConfigMap with the certificate of the API server's authority.
pub const ROOT_CA: &str = "kube-root-ca.crt";

const CA_DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal \
    endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across \
    distributions of Kubernetes clusters.";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";

impl ApiServer {
    /// An object by the name of its kind, with those that controllers keep.
    pub fn get(&self, kind: &str, key: &Key) -> Option<Object> {
        let stored = self.store.get(kind, key);
        stored.or_else(|| self.implied_in_namespace(Kind::of_name(kind)?, key))
    }

    /// All objects of a kind by its name, with those that controllers keep, by namespace and name.
    pub fn list(&self, kind: &str) -> Vec<Object> {
        let mut objects = self.store.list(kind);
        let name = match Kind::of_name(kind) {
            Some(Kind::ServiceAccount) => DEFAULT_ACCOUNT,
            Some(Kind::ConfigMap) => ROOT_CA,
            _ => return objects,
        };
        for namespace in self.store.namespaces.iter() {
            let key = Key::new(name_of(&namespace.metadata), name);
            if self.store.get(kind, &key).is_none() {
                objects.extend(self.get(kind, &key));
            }
        }
        berth_base::sort::sort_by_key(&mut objects, |it| {
            let meta = it.metadata();
            (namespace_of(meta).to_owned(), name_of(meta).to_owned())
        });
        objects
    }

    /// An object that a controller keeps and nobody has changed.
    pub(crate) fn implied_in_namespace(&self, kind: Kind, key: &Key) -> Option<Object> {
        let is_kept = matches!(
            (kind, key.name()),
            (Kind::ServiceAccount, DEFAULT_ACCOUNT) | (Kind::ConfigMap, ROOT_CA)
        );
        let namespace = self.store.namespaces.get(&Key::new("", key.namespace()))?;
        let is_going = namespace.metadata.deletion_timestamp.is_some();
        if !is_kept || is_going || self.admission.is_none() {
            return None;
        }
        let metadata = meta_in(namespace, kind, key);
        Some(match kind {
            Kind::ServiceAccount => Object::ServiceAccount(Arc::new(ServiceAccount {
                metadata,
                ..ServiceAccount::default()
            })),
            _ => Object::ConfigMap(Arc::new(root_ca(metadata))),
        })
    }

    /// Stores an object that a controller keeps, as it is about to be changed.
    pub(crate) fn store_implied(&mut self, kind: Kind, key: &Key) {
        if self.store.get(kind.info().kind, key).is_some() {
            return;
        }
        match self.implied_in_namespace(kind, key) {
            Some(Object::ServiceAccount(account)) => {
                self.store.service_accounts.put(key, account);
            }
            Some(Object::ConfigMap(map)) => self.store.config_maps.put(key, map),
            _ => {}
        }
    }
}

/// As old as its namespace.
fn meta_in(namespace: &Namespace, kind: Kind, key: &Key) -> ObjectMeta {
    let (of, name) = (&namespace.metadata, key.name());
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(key.namespace().to_owned()),
        uid: Some(made_uid(kind.info().kind, key.namespace(), name)),
        resource_version: of.resource_version.clone(),
        creation_timestamp: of.creation_timestamp.clone(),
        ..ObjectMeta::default()
    }
}

fn root_ca(mut metadata: ObjectMeta) -> ConfigMap {
    let description = "kubernetes.io/description".to_owned();
    metadata.annotations = Some(BTreeMap::from([(description, CA_DESCRIPTION.to_owned())]));
    ConfigMap {
        metadata,
        data: Some(BTreeMap::from([(
            "ca.crt".to_owned(),
            CERTIFICATE.to_owned(),
        )])),
        ..ConfigMap::default()
    }
}
