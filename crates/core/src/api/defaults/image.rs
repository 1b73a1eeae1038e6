//! Names of images, as far as the default of `imagePullPolicy` depends on them (`parsers.ParseImageName`).

/// The default of the pull policy.
pub(super) fn pull_policy(image: &str) -> &'static str {
    match is_latest(image) {
        true => "Always",
        false => "IfNotPresent",
    }
}

/// Whether a valid name refers to `latest`: by its tag, or because it has neither tag nor digest.
fn is_latest(image: &str) -> bool {
    let (named, digest) = match image.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (image, None),
    };
    let last = named.rfind('/').map_or(0, |slash| slash + 1);
    let (name, tag) = match named.get(last..).and_then(|part| part.split_once(':')) {
        Some((part, tag)) => (
            named.get(..last + part.len()).unwrap_or_default(),
            Some(tag),
        ),
        None => (named, None),
    };
    if !is_name(name)
        || tag.is_some_and(|tag| !is_tag(tag))
        || digest.is_some_and(|it| !is_digest(it))
    {
        return false;
    }
    match tag {
        Some(tag) => tag == "latest",
        None => digest.is_none(),
    }
}

/// A domain, which has a dot, a port or capitals, and path components.
fn is_name(name: &str) -> bool {
    const LONGEST: usize = 255;
    let (domain, path) = match name.split_once('/') {
        Some((first, rest))
            if first.contains(['.', ':'])
                || first == "localhost"
                || first.bytes().any(|b| b.is_ascii_uppercase()) =>
        {
            (Some(first), rest)
        }
        _ => (None, name),
    };
    let is_id = name.len() == 64
        && name
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    !is_id
        && path.len() <= LONGEST
        && domain.is_none_or(is_domain)
        && path.split('/').all(is_component)
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = domain.split_once(':').unwrap_or((domain, "0"));
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && host.split('.').all(is_label)
}

/// Lower-case letters and digits, separated by one dot, one or two underscores, or dashes.
fn is_component(part: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut gap = String::new();
    for byte in part.bytes() {
        if is_letter(byte) {
            let is_gap =
                matches!(gap.as_str(), "" | "." | "_" | "__") || gap.bytes().all(|b| b == b'-');
            if !is_gap {
                return false;
            }
            gap.clear();
        } else if matches!(byte, b'.' | b'_' | b'-') {
            gap.push(char::from(byte));
        } else {
            return false;
        }
    }
    gap.is_empty() && part.bytes().next().is_some_and(is_letter)
}

fn is_tag(tag: &str) -> bool {
    const LONGEST: usize = 128;
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    tag.len() <= LONGEST
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|b| is_word(b) || matches!(b, b'.' | b'-'))
}

/// An algorithm and at least 32 hexadecimal digits; of SHA-256, 64.
fn is_digest(digest: &str) -> bool {
    const SHORTEST: usize = 32;
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return false;
    };
    hex.len() >= SHORTEST
        && (algorithm != "sha256" || hex.len() == 64)
        && hex.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::is_latest;

    #[test]
    fn the_newest_image_is_always_pulled_and_invalid_names_have_no_tag() {
        let digest = format!("app@sha256:{}", "0123456789abcdef".repeat(4));
        for (image, latest) in [
            ("app", true),
            ("app:latest", true),
            ("app:v1", false),
            ("registry:5000/app", true),
            ("registry:5000/app:v1", false),
            ("localhost/team__x/app-name", true),
            (digest.as_str(), false),
            ("App", false),
            ("app:", false),
            ("a..b", false),
            ("", false),
        ] {
            assert_eq!(is_latest(image), latest, "{image}");
        }
    }
}
