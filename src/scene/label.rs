//! The labels of Pods' blocks, and the estimated widths of texts.

use super::owner::label;
use berth_protocol::frame::PodFrame;

/// A Pod's name without its namespace, which the title has, and without the ReplicaSet's hash.
pub fn name(pod: &PodFrame) -> String {
    let label = label(pod);
    let name = label.rsplit('/').next();
    name.unwrap_or_default().to_owned()
}

/// The part of a Pod's [`name`] that distinguishes it from the others of its workload: `x7k2p` of `web-x7k2p`, `etcd` of
/// a static Pod `etcd-node-1`. A Pod without an owner is one of a numbered series (`web-1`), or has only its name.
pub fn short(pod: &PodFrame) -> String {
    let name = name(pod);
    let workload = pod.workload_name();
    let of_workload = (!pod.owner.is_empty()).then(|| {
        let before = name.strip_prefix(workload);
        let before = before.and_then(|rest| rest.strip_prefix(['-', '.']));
        let behind = || name.strip_suffix(workload)?.strip_suffix(['-', '.']);
        before.or_else(behind)
    });
    let last = last_segment(&name);
    let in_series = last.contains(|letter: char| letter.is_ascii_digit());
    match of_workload {
        Some(Some(rest)) if !rest.is_empty() => rest.to_owned(),
        Some(_) => last.to_owned(),
        None if in_series => last.to_owned(),
        None => name,
    }
}

/// The part behind the last separator.
fn last_segment(name: &str) -> &str {
    name.rsplit(['-', '.']).next().unwrap_or(name)
}

/// The room that a Pod's name is given, in rem. Equally long names of a workload get the same, so that their blocks all
/// show the name or all cut it.
pub fn room(name: &str) -> f64 {
    let last = last_segment(name);
    let head = name.strip_suffix(last).unwrap_or_default();
    width(head) + 0.5 * last.chars().count() as f64
}

/// Length in bytes of the DNS suffix that all names share, its dot included; 0 if they share none.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn shared_domain<'n>(mut names: impl Iterator<Item = &'n str>) -> usize {
    let first = names.next().unwrap_or_default();
    let domain = first.find('.').and_then(|dot| first.get(dot..));
    domain
        .filter(|domain| names.all(|name| name.ends_with(domain)))
        .map_or(0, str::len)
}

/// The estimated width of a text on a block in rem, rather too wide than too narrow.
pub fn width(text: &str) -> f64 {
    let letters = text.chars().map(|letter| match letter {
        'i' | 'j' | 'l' | '.' | '-' | '1' | 'f' | 'r' | 't' => 0.29,
        'm' | 'w' | 'M' | 'W' => 0.62,
        // Ideographs are as wide as they are high.
        '\u{2e80}'.. => 0.7,
        _ => 0.42,
    });
    letters.sum::<f64>() + 0.1
}

#[cfg(test)]
mod tests {
    use super::{name, room, shared_domain, short, width};
    use berth_protocol::frame::PodFrame;

    #[test]
    fn a_domain_is_shared_by_all_names_or_shown() {
        let of = |names: &[&str]| shared_domain(names.iter().copied());
        assert_eq!(of(&["ip-1.ec2.internal", "ip-20.ec2.internal"]), 13);
        assert_eq!(of(&["ip-1.ec2.internal", "edge-1"]), 0);
        assert_eq!((of(&["node-a", "node-b"]), of(&[])), (0, 0));
    }

    #[test]
    fn a_block_never_shows_the_namespace() {
        let pod = |key: &str, hash: &str| PodFrame {
            key: key.into(),
            labels: [("pod-template-hash".to_owned(), hash.to_owned())].into(),
            ..PodFrame::default()
        };
        let web = name(&pod("shop/web-5d9c-x7k2p", "5d9c"));
        assert_eq!(web, "web-x7k2p");
        assert_eq!(name(&pod("data/redis-0", "")), "redis-0");
        assert!(width("x7k2p") < width("web-x7k2p"));
        assert!(width("web-wmwmw") > width("web-ijlft"));
        assert!((room("web-wmwmw") - room("web-ijlft")).abs() < 1e-9);
    }

    #[test]
    fn the_short_name_is_what_differs() {
        let short = |key: &str, owner: &str, hash: &str| {
            short(&PodFrame {
                key: key.into(),
                owner: owner.into(),
                labels: [("pod-template-hash".to_owned(), hash.to_owned())].into(),
                ..PodFrame::default()
            })
        };
        assert_eq!(
            short("shop/web-5d9c-x7k2p", "ReplicaSet/web-5d9c", "5d9c"),
            "x7k2p"
        );
        assert_eq!(short("data/redis-0", "StatefulSet/redis", ""), "0");
        assert_eq!(short("ml/train-0-x7k2p", "Job/train", ""), "0-x7k2p");
        assert_eq!(short("kube-system/etcd-n-1", "Node/n-1", ""), "etcd");
        // Without an owner, a name stands for itself.
        assert_eq!(short("default/test-busybox", "", ""), "test-busybox");
        assert_eq!(short("default/web-1", "", ""), "1");
        assert_eq!(short("default/web", "", ""), "web");
    }
}
