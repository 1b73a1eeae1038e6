//! Which images can be pulled.
//!
//! Registries are not simulated, so every image exists, with two exceptions. A node's annotation `berth.dev/images` lists
//! the tags of some images (`nginx:1.28, nginx:1.29, shop/api:v1`): of those images, no other tags exist. And versions
//! far beyond the newest of a well-known image do not exist, such as `nginx:1.91` or `nginx:1.161`.

use k8s_openapi::api::core::v1::Node;

use super::identity::normalized;

const ANNOTATION: &str = "berth.dev/images";

/// Versions that are this far beyond the newest do not exist; closer ones may have been released since.
const BEYOND: u32 = 20;

/// The newest major and minor version of official images, when Kubernetes v1.34 was current.
const NEWEST: [(&str, u32, u32); 14] = [
    ("alpine", 3, 22),
    ("busybox", 1, 37),
    ("golang", 1, 25),
    ("haproxy", 3, 2),
    ("httpd", 2, 4),
    ("mariadb", 12, 0),
    ("memcached", 1, 6),
    ("mongo", 8, 0),
    ("mysql", 9, 4),
    ("nginx", 1, 29),
    ("node", 24, 8),
    ("postgres", 17, 6),
    ("python", 3, 13),
    ("redis", 8, 2),
];

/// The images that a node can pull.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Images {
    /// The listed images, in full.
    listed: Vec<String>,
}

impl Images {
    pub fn of(node: &Node) -> Self {
        let annotations = node.metadata.annotations.as_ref();
        let text = annotations.and_then(|all| all.get(ANNOTATION));
        let listed = text
            .into_iter()
            .flat_map(|text| text.split(','))
            .map(str::trim)
            .filter(|image| !image.is_empty());
        Images {
            listed: listed.map(normalized).collect(),
        }
    }

    /// Whether an image exists. One with a digest does, as a digest is copied from an existing image.
    pub fn has(&self, image: &str) -> bool {
        if image.contains('@') {
            return true;
        }
        let image = normalized(image);
        let (name, tag) = split(&image);
        let mut same_name = self.listed.iter().filter(|own| split(own).0 == name);
        match same_name.clone().next() {
            Some(_) => same_name.any(|own| *own == image),
            None => !is_impossible(name, tag),
        }
    }
}

/// Name and tag of a normalized image.
fn split(image: &str) -> (&str, &str) {
    image.rsplit_once(':').unwrap_or((image, ""))
}

fn is_impossible(name: &str, tag: &str) -> bool {
    let own = name.strip_prefix("docker.io/library/").unwrap_or_default();
    let known = NEWEST.iter().find(|(known, ..)| *known == own);
    let Some((_, newest_major, newest_minor)) = known else {
        return false;
    };
    let version = tag.split('-').next().unwrap_or_default();
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let Some(Ok(major)) = numbers.next() else {
        return false;
    };
    let minor = match numbers.next() {
        Some(Ok(minor)) => minor,
        Some(Err(_)) => return false,
        None => 0,
    };
    // Some number major versions only, and dates are versions as well.
    let is_date = major >= 2_000;
    !is_date
        && (major > newest_major + BEYOND
            || major == *newest_major && minor > newest_minor + BEYOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_versions_of_well_known_images_do_not_exist() {
        let images = Images::default();
        for image in [
            "nginx:1.91",
            "nginx:1.161",
            "docker.io/library/nginx:1.91-alpine",
            "nginx:999",
            "python:3.99",
        ] {
            assert!(!images.has(image), "{image}");
        }
        for image in [
            "nginx",
            "nginx:1.7.9",
            "nginx:1.14.2",
            "nginx:2",
            "nginx:stable",
            "nginx:v7",
            "nginx:1.91@sha256:0123",
            "busybox:1.28",
            "my/nginx:1.91",
            "ghcr.io/nginx:1.91",
            "shop:1.91",
        ] {
            assert!(images.has(image), "{image}");
        }
    }

    #[test]
    fn of_a_listed_image_only_the_listed_tags_exist() {
        let mut node = Node::default();
        let annotations = node.metadata.annotations.get_or_insert_default();
        let list = "nginx:1.91, shop/api:v1";
        annotations.insert(ANNOTATION.to_owned(), list.to_owned());
        let images = Images::of(&node);
        let found = [
            "nginx:1.91",
            "nginx:1.29",
            "shop/api:v1",
            "shop/api",
            "other",
        ];
        let found = found.map(|image| images.has(image));
        assert_eq!(found, [true, false, true, false, true]);
    }
}
