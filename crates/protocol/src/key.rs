//! Keys of objects: `namespace/name`; owners of Pods: `Kind/name`.

/// Namespace and name of an object's key; the namespace is empty if the key has none. As client-go's
/// `SplitMetaNamespaceKey`.
pub fn split(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or(("", key))
}

/// The key without the namespace if that is `default`.
pub fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}

/// Whether Pods of a controller of this kind stay on their node: a drain leaves them there, and they are gone with the
/// node. A DaemonSet's Pod is for one node, and a static Pod, which its Node owns, is the kubelet's.
pub fn stays_on_its_node(kind: &str) -> bool {
    matches!(kind, "DaemonSet" | "Node")
}
