//! Which color a Pod has: one per owner, in the order in which owners first appear.

use std::collections::BTreeMap;

use std::rc::Rc;

use crate::protocol::frame::PodFrame;

/// Colors that the style sheet has.
const COLORS: usize = 8;

/// Owners with their color's number, 1–8; beyond eight they repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Owners {
    colors: BTreeMap<String, usize>,
    in_order: Vec<String>,
}

impl Owners {
    /// The owners of these Pods.
    pub fn of(pods: &[Rc<PodFrame>]) -> Self {
        let mut owners = Self {
            colors: BTreeMap::new(),
            in_order: Vec::new(),
        };
        for pod in pods {
            let name = name(pod);
            if !owners.colors.contains_key(&name) {
                owners
                    .colors
                    .insert(name.clone(), owners.in_order.len() % COLORS + 1);
                owners.in_order.push(name);
            }
        }
        owners
    }

    /// Whether two Pods of the same name surely have the same owner.
    pub fn are_alike(one: &PodFrame, other: &PodFrame) -> bool {
        one.key == other.key && one.owner == other.owner && one.labels == other.labels
    }

    /// The class of a Pod's color.
    pub fn class(&self, pod: &PodFrame) -> String {
        format!("o-{}", self.colors.get(&name(pod)).copied().unwrap_or(1))
    }

    /// All owners in the order of their first Pod, with their classes.
    pub fn legend(&self) -> impl Iterator<Item = (&str, String)> {
        self.in_order.iter().map(|name| {
            let color = self.colors.get(name).copied().unwrap_or(1);
            (name.as_str(), format!("o-{color}"))
        })
    }
}

/// The Pod's name without its namespace (if that is `default`) and without its ReplicaSet's hash,
/// which all Pods beside it share.
pub fn label(pod: &PodFrame) -> String {
    let name = crate::ui::words::short(&pod.key);
    match pod.labels.get("pod-template-hash") {
        Some(hash) if !hash.is_empty() => name.replacen(&format!("-{hash}-"), "-", 1),
        _ => name.to_owned(),
    }
}

/// The workload's name; for Pods of a Deployment without the ReplicaSet's hash; a Pod of its own is
/// its own owner.
pub fn name(pod: &PodFrame) -> String {
    match pod.owner.split_once('/') {
        Some(("ReplicaSet", name)) => {
            match (name.rsplit_once('-'), pod.labels.get("pod-template-hash")) {
                (Some((deployment, hash)), Some(label)) if hash == label => deployment.to_owned(),
                _ => name.to_owned(),
            }
        }
        Some((_, name)) => name.to_owned(),
        None => pod.key.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Owners;
    use std::rc::Rc;

    use crate::protocol::frame::PodFrame;

    #[test]
    fn pods_of_a_deployment_share_a_color() {
        let pod = |key: &str, owner: &str| PodFrame {
            key: key.into(),
            owner: owner.into(),
            labels: [("pod-template-hash".to_owned(), "5d9c".to_owned())].into(),
            ..PodFrame::default()
        };
        let pods = vec![
            Rc::new(pod("default/web-5d9c-a", "ReplicaSet/web-5d9c")),
            Rc::new(pod("default/lone", "")),
        ];
        let owners = Owners::of(&pods);
        let legend: Vec<_> = owners.legend().collect();
        assert_eq!(
            legend,
            [("web", "o-1".to_owned()), ("lone", "o-2".to_owned())]
        );
    }
}
