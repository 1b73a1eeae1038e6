//! Identifiers that a container runtime generates. They are derived from what they identify, so that equal runs have
//! equal ones.

use berth_scheduler::cluster::digest::of_text;
use berth_scheduler::cluster::spec::normalized_image;

/// The ID of a container's start with this index, in containerd's format.
pub(super) fn container_id(uid: &str, container: &str, start: usize) -> String {
    format!(
        "containerd://{}",
        hex_64(&format!("{uid}/{container}/{start}"))
    )
}

/// The image ID: the repository with a digest.
pub(super) fn image_id(image: &str) -> String {
    let full = normalized(image);
    let name = full.split('@').next().unwrap_or_default();
    let name = match (name.rfind(':'), name.rfind('/')) {
        (Some(colon), Some(slash)) if colon > slash => name.get(..colon).unwrap_or(name),
        _ => name,
    };
    format!("{name}@sha256:{}", hex_64(&full))
}

/// The fully qualified name of an image, with registry and tag.
pub(super) fn normalized(image: &str) -> String {
    let tagged = normalized_image(image);
    match tagged.split_once('/') {
        None => format!("docker.io/library/{tagged}"),
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => tagged,
        Some(_) => format!("docker.io/{tagged}"),
    }
}

/// A hash of 32 hexadecimal digits, the length of a manifest's hash.
pub(super) fn hash_32(text: &str) -> String {
    let mut digits = hex_64(text);
    digits.truncate(32);
    digits
}

/// A hash of 64 hexadecimal digits.
fn hex_64(text: &str) -> String {
    let mut state = of_text(text);
    let mut digits = String::with_capacity(64);
    let mut random = berth_base::random::Random::new(state);
    for _ in 0..4 {
        state = random.next_u64();
        for shift in (0..16).rev() {
            let digit = u32::try_from((state >> (shift * 4)) & 0xf).unwrap_or(0);
            digits.extend(char::from_digit(digit, 16));
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_their_whole_names() {
        for (image, whole) in [
            ("nginx", "docker.io/library/nginx:latest"),
            ("nginx:1.27", "docker.io/library/nginx:1.27"),
            ("polinux/stress", "docker.io/polinux/stress:latest"),
            ("registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.9"),
            ("localhost:5000/app", "localhost:5000/app:latest"),
        ] {
            assert_eq!(normalized(image), whole);
        }
        let id = image_id("nginx:1.27");
        let digest = id.strip_prefix("docker.io/library/nginx@sha256:").unwrap();
        assert_eq!(digest.len(), 64);
        assert_ne!(id, image_id("nginx:1.28"));
    }
}
