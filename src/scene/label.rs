//! The labels of Pods' blocks, and the estimated widths of texts.

use super::owner::label;
use berth_protocol::frame::PodFrame;

/// A Pod's name without its namespace, which the title has, and without the ReplicaSet's hash.
pub fn name(pod: &PodFrame) -> String {
    let label = label(pod);
    let name = label.rsplit('/').next();
    name.unwrap_or_default().to_owned()
}

/// The part behind the last separator, which distinguishes Pods of one owner.
pub fn last_segment(name: &str) -> &str {
    name.rsplit(['-', '.']).next().unwrap_or(name)
}

/// Length in bytes of the DNS suffix that all names share, its dot included; 0 if they share none.
/// A first visit does not run it.
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
    use super::{last_segment, name, shared_domain, width};
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
        assert_eq!(last_segment(&web), "x7k2p");
        assert_eq!(name(&pod("data/redis-0", "")), "redis-0");
        assert!(width("x7k2p") < width("web-x7k2p"));
    }
}
