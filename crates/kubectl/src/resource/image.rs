//! The syntax of image names (`distribution/reference`, as kubectl v1.34 uses it).

/// Maximum length of a tag.
const MAX_TAG: usize = 128;
/// Minimum number of hexadecimal digits of a digest.
const MIN_DIGEST: usize = 32;

/// Whether a text is `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`.
pub(crate) fn is_reference(text: &str) -> bool {
    let (text, digest) = match text.split_once('@') {
        Some((text, digest)) => (text, Some(digest)),
        None => (text, None),
    };
    if !digest.is_none_or(is_digest) {
        return false;
    }
    let name_at = text.rfind('/').map_or(0, |at| at + 1);
    let name = text.get(name_at..).unwrap_or_default();
    let (path, tag) = match name.split_once(':') {
        Some((name, tag)) => (
            text.get(..name_at + name.len()).unwrap_or_default(),
            Some(tag),
        ),
        None => (text, None),
    };
    if !tag.is_none_or(is_tag) {
        return false;
    }
    match path.split_once('/') {
        // The first part may be a component of the path as well.
        Some((host, rest)) => {
            (is_host(host) || is_component(host)) && rest.split('/').all(is_component)
        }
        None => is_component(path),
    }
}

/// Lowercase words, separated by one dot, one or two underscores, or dashes.
fn is_component(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let ends_well = text.starts_with(is_word) && text.ends_with(is_word);
    let mut separators = text.split(is_word).filter(|it| !it.is_empty());
    ends_well && separators.all(|it| matches!(it, "." | "_" | "__") || it.chars().all(|c| c == '-'))
}

fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "0"));
    let is_label = |label: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        label.starts_with(is_word)
            && label.ends_with(is_word)
            && label.chars().all(|c| is_word(c) || c == '-')
    };
    name.split('.').all(is_label) && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())
}

fn is_tag(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(is_word)
        && text.len() <= MAX_TAG
        && text.chars().all(|c| is_word(c) || matches!(c, '.' | '-'))
}

fn is_digest(text: &str) -> bool {
    let Some((algorithm, digits)) = text.split_once(':') else {
        return false;
    };
    algorithm.starts_with(|c: char| c.is_ascii_alphabetic())
        && digits.len() >= MIN_DIGEST
        && digits.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_names_are_references() {
        let digest = format!("nginx@sha256:{}", "0".repeat(64));
        for text in [
            "nginx",
            "nginx:1.27",
            "registry.k8s.io/e2e-test-images/agnhost:2.39",
            "localhost:5000/a/b-c__d:v1_2",
            "Example.com/app",
            &digest,
        ] {
            assert!(is_reference(text), "{text}");
        }
        for text in [
            "",
            "bad image",
            "Nginx",
            "nginx:",
            "nginx:a b",
            "a//b",
            "a/B",
            "-a",
            "a...b",
            "nginx@sha256:12",
        ] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
